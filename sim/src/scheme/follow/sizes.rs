//! Sizes of the tables of one core, the named sets, and their names
//!
//! A set is a name, and `+` with each size that differs, in any order:
//!
//! | option | meaning | values |
//! | --- | --- | --- |
//! | `+bimodalN` | counters of the bimodal table | 64 to 4096 |
//! | `+taggedTxN` | T tagged tables of N entries | 0 to 3 tables of 16 to 256 |
//! | `+loopsN` | loops | 0, 2 to 64 |
//! | `+pastN` | outcomes of the past | 0, 256 to 65536 |
//! | `+pointersN` | pointers to the past | 16 to 1024 |
//! | `+stackN` | return addresses | 2 to 64 |
//! | `+dictionaryN` | targets in the dictionary | 4 to 256 |
//! | `+lastN` | last targets by address | 4 to 256 |
//! | `+pathsN` | targets by address and path | 0, 4 to 256 |
//! | `+upperN` | upper address bits in a register, not in the tables | 0 to 16 |
//! | `+inferable` | jumps whose register the instruction before them loads are direct | |

use super::tagged::LENGTHS;
use super::targets::Log2;
use super::{bimodal, context, dictionary, last, loops, past, path, stack, tagged};
use crate::platform::ParamError;
use crate::scheme::INFERABLE;

/// Sizes of the tables of one core. All but `tables`, `upper` and those that may be 0 are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Counters of the bimodal table. 64..=4096.
    pub bimodal: u16,
    /// Tagged tables. 0..=3.
    pub tables: u8,
    /// Entries of each tagged table. 16..=256.
    pub tagged: u16,
    /// Entries of the loop predictor. 0 or 2..=64.
    pub loops: u16,
    /// Outcomes of the past. 0 or 256..=65536.
    pub past: u32,
    /// Pointers to the past. 16..=1024.
    pub pointers: u16,
    /// Return addresses. 2..=64.
    pub stack: u16,
    /// Slots of the dictionary. 4..=256.
    pub dictionary: u16,
    /// Last targets by address. 4..=256.
    pub last: u16,
    /// Targets by address and path. 0 or 4..=256.
    pub paths: u16,
    /// Upper address bits that are in a register instead of in every stored address. 0..=16.
    pub upper: u8,
    /// Jumps whose register the instruction before them loads are direct, see [`crate::inference`]. RISC-V only.
    pub inferable: bool,
}

/// A named set of predictor sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSet {
    /// Its name.
    pub name: &'static str,
    /// Its sizes.
    pub sizes: Sizes,
}

/// Named sets, from the smallest.
pub const NAMED_SETS: [NamedSet; 4] = [
    NamedSet {
        name: "s",
        sizes: Sizes {
            bimodal: 128,
            tables: 1,
            tagged: 16,
            loops: 0,
            past: 0,
            pointers: UNUSED,
            stack: 4,
            dictionary: 32,
            last: 16,
            paths: 32,
            upper: 12,
            inferable: false,
        },
    },
    NamedSet { name: "m", sizes: M },
    NamedSet {
        name: "ml",
        sizes: Sizes { bimodal: 512, stack: 16, dictionary: 64, last: 32, paths: 128, upper: 12, ..M },
    },
    NamedSet {
        name: "l",
        sizes: Sizes {
            bimodal: 1024,
            tables: 3,
            tagged: 64,
            loops: 8,
            past: 4096,
            pointers: 128,
            stack: 16,
            dictionary: 128,
            last: 128,
            paths: 128,
            upper: 12,
            inferable: false,
        },
    },
];

const M: Sizes = Sizes {
    bimodal: 256,
    tables: 2,
    tagged: 32,
    loops: 4,
    past: 2048,
    pointers: 32,
    stack: 8,
    dictionary: 16,
    last: 16,
    paths: 16,
    upper: 0,
    inferable: false,
};

/// Size of a table that is left out: its smallest.
const UNUSED: u16 = 16;

impl Sizes {
    /// Reads the name of a set.
    ///
    /// # Errors
    /// An unknown set or option, or a size out of its range.
    pub fn set(text: &str) -> Result<Self, ParamError> {
        let unknown = || ParamError::UnknownFollowSet(text.to_string());
        let mut options = text.split('+');
        let base = options.next().unwrap_or_default();
        let mut sizes = NAMED_SETS.iter().find(|set| set.name == base).ok_or_else(unknown)?.sizes;
        for option in options {
            sizes.option(option).ok_or_else(unknown)?;
        }
        // sizes of parts that are left out must not give one stream two fingerprints
        if sizes.tables == 0 {
            sizes.tagged = UNUSED;
        }
        if sizes.past == 0 {
            sizes.pointers = UNUSED;
        }
        sizes.check().map(|()| sizes)
    }

    fn option(&mut self, option: &str) -> Option<()> {
        if option == INFERABLE {
            self.inferable = true;
            return Some(());
        }
        let digits = option.find(|c: char| c.is_ascii_digit())?;
        let (name, value) = option.split_at(digits);
        match name {
            "bimodal" => self.bimodal = value.parse().ok()?,
            "tagged" if value == "0" => self.tables = 0,
            "tagged" => {
                let (tables, entries) = value.split_once('x')?;
                (self.tables, self.tagged) = (tables.parse().ok()?, entries.parse().ok()?);
            }
            "loops" => self.loops = value.parse().ok()?,
            "past" => self.past = value.parse().ok()?,
            "pointers" => self.pointers = value.parse().ok()?,
            "stack" => self.stack = value.parse().ok()?,
            "dictionary" => self.dictionary = value.parse().ok()?,
            "last" => self.last = value.parse().ok()?,
            "paths" => self.paths = value.parse().ok()?,
            "upper" => self.upper = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    /// All sizes as options, in a fixed order. Those of a part that is left out are not there.
    fn options(&self) -> Vec<String> {
        let tagged = if self.tables == 0 { "tagged0".into() } else { format!("tagged{}x{}", self.tables, self.tagged) };
        let mut options = vec![format!("bimodal{}", self.bimodal), tagged, format!("loops{}", self.loops)];
        options.push(format!("past{}", self.past));
        if self.past > 0 {
            options.push(format!("pointers{}", self.pointers));
        }
        for (name, value) in [("stack", self.stack), ("dictionary", self.dictionary), ("last", self.last)] {
            options.push(format!("{name}{value}"));
        }
        options.push(format!("paths{}", self.paths));
        options.push(format!("upper{}", self.upper));
        if self.inferable {
            options.push(INFERABLE.into());
        }
        options
    }

    /// The text that [`Sizes::set`] reads: of the named sets, the one from which the fewest options differ.
    pub fn name(&self) -> String {
        let own = self.options();
        let names = NAMED_SETS.iter().map(|set| {
            let base = set.sizes.options();
            let other: Vec<_> = own.iter().filter(|option| !base.contains(option)).map(|o| format!("+{o}")).collect();
            (other.len(), set.name.to_string() + &other.concat())
        });
        names.min_by_key(|(options, _)| *options).map_or_else(String::new, |(_, name)| name)
    }

    /// The name, if it is that of a named set without options.
    pub fn named(&self) -> Option<&'static str> {
        NAMED_SETS.iter().find(|set| set.sizes == *self).map(|set| set.name)
    }

    /// All sizes on one line, for the parameter fingerprint, and what sizes do not show: the dictionary has two banks.
    pub fn canonical(&self) -> String {
        self.options().join(" ") + " banks2"
    }

    /// Rejects sizes that model and circuit do not support.
    ///
    /// # Errors
    /// The first size out of its range, and its range.
    pub fn check(&self) -> Result<(), ParamError> {
        let ok = |field, value: u32, least: u32, most: usize, zero: bool, right| {
            let ok = value.is_power_of_two() && (least..=most as u32).contains(&value) || zero && value == 0;
            ParamError::unless(ok, field, value, right)
        };
        let size = |v: u16| u32::from(v);
        ok("bimodal", size(self.bimodal), 64, bimodal::MAX, false, "a power of two from 64 to 4096")?;
        let tables = usize::from(self.tables) <= LENGTHS.len();
        ParamError::unless(tables, "tagged tables", self.tables.into(), "0 to 3")?;
        ok("tagged", size(self.tagged), 16, tagged::MAX, false, "a power of two from 16 to 256")?;
        ok("loops", size(self.loops), 2, loops::MAX, true, "0, or a power of two from 2 to 64")?;
        ok("past", self.past, 256, past::MAX, true, "0, or a power of two from 256 to 65536")?;
        ok("pointers", size(self.pointers), 16, past::MAX_POINTERS, false, "a power of two from 16 to 1024")?;
        ok("stack", size(self.stack), 2, stack::MAX, false, "a power of two from 2 to 64")?;
        ok("dictionary", size(self.dictionary), 4, dictionary::MAX, false, "a power of two from 4 to 256")?;
        ok("last", size(self.last), 4, last::MAX, false, "a power of two from 4 to 256")?;
        ok("paths", size(self.paths), 4, path::MAX, true, "0, or a power of two from 4 to 256")?;
        ParamError::unless(self.upper <= 16, "upper", self.upper.into(), "0 to 16")
    }

    /// Sizes of the target predictor, as log2.
    pub fn targets(&self) -> Log2 {
        Log2 {
            dictionary: self.dictionary.trailing_zeros(),
            last: self.last.trailing_zeros(),
            paths: (self.paths > 0).then(|| self.paths.trailing_zeros()),
            stack: self.stack.trailing_zeros(),
        }
    }

    /// Entries of the largest table that a circuit clears entry by entry.
    pub fn largest(&self) -> u32 {
        let cleared = [self.bimodal, self.tagged, self.loops, self.pointers, self.dictionary, self.last, self.paths];
        cleared.into_iter().max().map_or(0, u32::from)
    }

    /// Bits of state of one core: tables, contexts, history, R, and for the past two positions, what was found, the length and the last
    /// 16 outcomes.
    pub fn state_bits(&self, address_bits: u32) -> u32 {
        let contexts = context::COUNTER_BITS * context::CONTEXTS as u32;
        let past = if self.past > 0 { 3 * self.past.ilog2() + 1 + 7 + 16 } else { 0 };
        let registers = LENGTHS[LENGTHS.len() - 1] + 8 + past + u32::from(self.upper);
        self.table_bits(address_bits).iter().sum::<u32>() + contexts + registers
    }

    /// Bits of all tables, for addresses of `address_bits` significant bits: bimodal, tagged, loops, past, pointers, stack, dictionary, last, paths.
    pub fn table_bits(&self, address_bits: u32) -> [u32; 9] {
        let address = address_bits - u32::from(self.upper);
        let slot = self.dictionary.trailing_zeros();
        let counter_and_useful = 5;
        let loop_bits = 1 + 6 + 8 + 8 + 2 + 1 + 3;
        let confidence = 2;
        let pointer = 1 + 4 + self.past.checked_ilog2().unwrap_or(0);
        [
            2 * u32::from(self.bimodal),
            u32::from(self.tables) * u32::from(self.tagged) * (1 + tagged::TAG_BITS + counter_and_useful),
            loop_bits * u32::from(self.loops),
            self.past,
            if self.past > 0 { pointer * u32::from(self.pointers) } else { 0 },
            address * u32::from(self.stack),
            address * u32::from(self.dictionary),
            (slot + confidence) * u32::from(self.last),
            (1 + path::TAG_BITS + slot + confidence) * u32::from(self.paths),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the prototype, with addresses of 22 bits, for `m` and what were its S and L.
    #[test]
    fn the_tables_of_the_prototypes_sets_have_1856_4852_and_13048_bits() {
        let bits = |name| Sizes::set(name).unwrap().table_bits(22);
        let s = "s+bimodal256+past512+pointers16+dictionary8+last8+paths8+upper0";
        assert_eq!(bits(s).iter().sum::<u32>(), 1_856);
        assert_eq!(bits("m"), [512, 832, 116, 2_048, 512, 176, 352, 96, 208]);
        assert_eq!(bits("m").iter().sum::<u32>(), 4_852);
        let l = bits("l+stack8+dictionary32+last32+paths64+upper0");
        assert_eq!(l, [2_048, 2_496, 232, 4_096, 2_176, 176, 704, 224, 896]);
        assert_eq!(l.iter().sum::<u32>(), 13_048);
        assert_eq!(Sizes::set("m+upper9").unwrap().table_bits(31), bits("m"));
    }

    #[test]
    fn names_are_those_of_the_nearest_set() {
        for (text, name) in [
            ("m", "m"),
            ("ml", "ml"),
            ("m+upper9+past4096", "m+past4096+upper9"),
            ("l+past0+pointers64", "l+past0"),
            ("m+tagged0", "m+tagged0"),
            ("s+bimodal128", "s"),
            ("m+inferable+past4096", "m+past4096+inferable"),
        ] {
            let sizes = Sizes::set(text).unwrap();
            assert_eq!(sizes.name(), name);
            assert_eq!(Sizes::set(name).unwrap(), sizes);
        }
        for set in NAMED_SETS {
            set.sizes.check().unwrap();
            assert_eq!(set.sizes.named(), Some(set.name));
        }
    }

    #[test]
    fn illegal_sizes_say_what_is_expected() {
        let say = |text: &str| Sizes::set(text).unwrap_err().to_string();
        assert_eq!(say("m+bimodal100"), "bimodal = 100, expected a power of two from 64 to 4096");
        assert_eq!(say("m+tagged4x32"), "tagged tables = 4, expected 0 to 3");
        assert_eq!(say("m+past128"), "past = 128, expected 0, or a power of two from 256 to 65536");
        assert_eq!(say("m+upper17"), "upper = 17, expected 0 to 16");
        for bad in ["", "x", "m+", "m+past", "m+pastx", "m+tagged32", "m+loops-4", "m+last70000"] {
            assert!(
                say(bad).starts_with(&format!("set `{bad}` of scheme follow is not known; expected s, m")),
                "{}",
                say(bad)
            );
        }
    }
}
