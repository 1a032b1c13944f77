//! Parameters of load-value traces, and their names
//!
//! | in a name | table 4.6 | means | values |
//! | --- | --- | --- | --- |
//! | `cfiat:32k` | `-cs` | size of a cache in bytes, `k` for 1024 | powers of two, 16 to 4096k |
//! | `+ways4` | `-ca` | associativity | 1, 2, 4, 8, 16 |
//! | `+line32` | `-cls` | size of a line in bytes | powers of two, 1 to 64 |
//! | `+gran1` | `-cfg` | bytes per flag | 1, 2, 4, 8, up to a line |
//! | `+shared` | `-cshare` | one cache for all cores | |
//! | `+round` | | ways are replaced round robin instead of least recently used | |
//! | `+touched` | | an access sets the flags of all granules that it touches; for statistics only ([`Flags`]) | |
//! | `+countN` | | bits of `fahCnt` | 8 to 32 |
//! | `cfiat(fah=4,4;value=8,8):` | | chunk sizes | |
//! | `cfiat(fixed):` | | fields of fixed width, as in figure 4.36 | |
//!
//! Files store a name that states granule and chunks, so that other defaults do not change their meaning.

use crate::chunk::Chunks;
use crate::platform::ParamError;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Name patterns, for help and error messages.
pub const FORMS: &str = "cfiat, cfiat:32k+ways4+line32+gran1+shared+round+count20, cfiat(fah=4,4;value=8,8):32k, \
                         cfiat(fixed):32k";

/// Parameters of a stream of load values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CfiatParams {
    /// N: number of cores. 1..=16.
    pub cores: u8,
    /// Width of registers and addresses, bits. 32 or 64.
    pub xlen: u8,
    /// First byte of the memory that only stores of the cores change. Loads elsewhere always have a record.
    pub ram_base: u64,
    /// Last byte of that memory.
    pub ram_last: u64,
    /// Sizes of caches and fields.
    #[serde(with = "name")]
    pub sizes: Sizes,
}

/// Sizes of a core's cache, and the encoding of records. Files store them by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Size of a cache in bytes. Power of two, 16 to 4 Mi.
    pub bytes: u32,
    /// Lines per set. 1, 2, 4, 8, 16.
    pub ways: u8,
    /// Bytes per line. Power of two, 1..=64.
    pub line: u8,
    /// Bytes per flag. 1, 2, 4, 8; at most a line.
    pub granule: u8,
    /// One cache for all cores; otherwise each has its own.
    pub shared: bool,
    /// Which line of a set is replaced.
    pub replacement: Replacement,
    /// Which flags an access sets.
    pub flags: Flags,
    /// Bits of `fahCnt`. A hit at its maximum has a record. 8..=32.
    pub count_bits: u8,
    /// Encoding of records.
    pub coding: Coding,
}

/// Replacement policy of a set. The ways with the highest numbers are filled first, as in figures 4.43 and 4.45; both
/// policies give these figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Replacement {
    /// The least recently used.
    Lru,
    /// Round robin, downwards.
    Round,
}

/// Rule for the flag of a granule that an access covers only in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flags {
    /// No: the host does not know the rest of the granule.
    Whole,
    /// Yes, as in figure 4.41. No decoder can follow this if accesses are narrower than a granule.
    Touched,
}

/// Encoding of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Numbers in chunks.
    Chunks {
        /// Of `fahCnt`.
        fah: Chunks,
        /// Of the value, zero-extended.
        value: Chunks,
    },
    /// Whole bytes, as in figure 4.36.
    Fixed,
}

impl Coding {
    /// The default: the chunks with the lowest geometric mean of bits per instruction over the built-in programs.
    pub const DEFAULT: Self = Self::Chunks { fah: Chunks::new(1, 2), value: Chunks::new(2, 5) };
}

impl Default for Sizes {
    /// The values of table 4.6 without options, but for a flag for each byte: with four bytes per flag, programs that work
    /// on bytes never cover a granule, and each load of theirs has a record.
    fn default() -> Self {
        Self {
            bytes: 32 << 10,
            ways: 4,
            line: 32,
            granule: 1,
            shared: false,
            replacement: Replacement::Lru,
            flags: Flags::Whole,
            count_bits: 20,
            coding: Coding::DEFAULT,
        }
    }
}

impl Sizes {
    /// Rejects sizes that the model does not support.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u32, right, ok| ParamError::unless(ok, field, value, right);
        let power = |value: u32, most: u32| value.is_power_of_two() && value <= most;
        range(
            "bytes",
            self.bytes,
            "a power of two from 16 to 4194304",
            power(self.bytes, 4 << 20) && self.bytes >= 16,
        )?;
        range("ways", self.ways.into(), "1, 2, 4, 8, 16", power(self.ways.into(), 16))?;
        range("line", self.line.into(), "a power of two from 1 to 64", power(self.line.into(), 64))?;
        let granule = power(self.granule.into(), 8) && self.granule <= self.line;
        range("gran", self.granule.into(), "1, 2, 4, 8, at most a line", granule)?;
        let set = u32::from(self.ways) * u32::from(self.line);
        range("bytes", self.bytes, "at least one set of lines", self.bytes >= set)?;
        range("count", self.count_bits.into(), "8 to 32", (8..=32).contains(&self.count_bits))?;
        if let Coding::Chunks { fah, value } = self.coding {
            for (field, c) in [("fah chunk", fah), ("value chunk", value)] {
                for size in [c.first, c.next] {
                    range(field, size.into(), "1 to 16", (1..=16).contains(&size))?;
                }
            }
        }
        Ok(())
    }

    /// Number of sets of a cache.
    pub fn sets(&self) -> u32 {
        self.bytes / u32::from(self.ways) / u32::from(self.line)
    }

    /// Number of flags of a line.
    pub fn line_flags(&self) -> u32 {
        u32::from(self.line / self.granule)
    }

    /// Bits of state of one cache without its data, for addresses of `xlen` bits: tags, valid bits, flags, and the order
    /// of the ways (log2(ways) bits per line for LRU, per set for round robin).
    pub fn state_bits(&self, xlen: u8) -> u64 {
        let (sets, ways) = (u64::from(self.sets()), u64::from(self.ways));
        let tag = u64::from(xlen) - u64::from((sets as u32 * u32::from(self.line)).trailing_zeros());
        let order = u64::from(self.ways.trailing_zeros());
        let order = match self.replacement {
            Replacement::Lru => order * ways,
            Replacement::Round => order,
        };
        sets * (ways * (tag + 1 + u64::from(self.line_flags())) + order)
    }

    /// Whether a name belongs to this scheme, valid or not.
    pub fn is_name(name: &str) -> bool {
        name == "cfiat" || name.starts_with("cfiat:") || name.starts_with("cfiat(")
    }

    /// Whether a host can reconstruct the values.
    pub fn can_decode(&self) -> bool {
        self.flags == Flags::Whole || self.granule == 1
    }
}

fn coding(text: &str, default: Coding) -> Option<Coding> {
    if text == "fixed" {
        return Some(Coding::Fixed);
    }
    let Coding::Chunks { mut fah, mut value } = default else { return None };
    for part in text.split(';') {
        let (field, sizes) = part.split_once('=')?;
        let (first, next) = sizes.split_once(',')?;
        let chunks = Chunks::new(first.parse().ok()?, next.parse().ok()?);
        match field {
            "fah" => fah = chunks,
            "value" => value = chunks,
            _ => return None,
        }
    }
    Some(Coding::Chunks { fah, value })
}

impl Sizes {
    /// What a name in a file does not state: the defaults of the first files, so that they can still be read.
    const IN_FILES: Self = Self {
        bytes: 32 << 10,
        ways: 4,
        line: 32,
        granule: 4,
        shared: false,
        replacement: Replacement::Lru,
        flags: Flags::Whole,
        count_bits: 20,
        coding: Coding::Chunks { fah: Chunks::new(1, 2), value: Chunks::new(7, 4) },
    };

    /// The sizes that `name` states, otherwise those of `defaults`.
    fn parse(name: &str, defaults: Self) -> Result<Self, ParamError> {
        let unknown = || ParamError::UnknownScheme { name: name.into(), forms: FORMS.into() };
        let mut sizes = defaults;
        let mut tail = name.strip_prefix("cfiat").ok_or_else(unknown)?;
        if let Some(inner) = tail.strip_prefix('(') {
            let (text, rest) = inner.split_once(')').ok_or_else(unknown)?;
            (sizes.coding, tail) = (coding(text, defaults.coding).ok_or_else(unknown)?, rest);
        }
        if !tail.is_empty() {
            let mut parts = tail.strip_prefix(':').ok_or_else(unknown)?.split('+');
            let size = parts.next().ok_or_else(unknown)?;
            let (digits, unit) = size.strip_suffix('k').map_or((size, 1), |digits| (digits, 1024));
            let bytes = digits.parse::<u32>().ok().and_then(|n| n.checked_mul(unit));
            sizes.bytes = bytes.ok_or_else(unknown)?;
            for part in parts {
                let at = part.find(|c: char| c.is_ascii_digit()).unwrap_or(part.len());
                let value = || part[at..].parse::<u8>().map_err(|_| unknown());
                match &part[..at] {
                    "ways" => sizes.ways = value()?,
                    "line" => sizes.line = value()?,
                    "gran" => sizes.granule = value()?,
                    "count" => sizes.count_bits = value()?,
                    "shared" if at == part.len() => sizes.shared = true,
                    "round" if at == part.len() => sizes.replacement = Replacement::Round,
                    "touched" if at == part.len() => sizes.flags = Flags::Touched,
                    _ => return Err(unknown()),
                }
            }
        }
        sizes.check()?;
        Ok(sizes)
    }

    /// Writes the name, without what equals `defaults`.
    fn write(&self, defaults: &Self, f: &mut impl fmt::Write) -> fmt::Result {
        f.write_str("cfiat")?;
        match self.coding {
            Coding::Fixed => f.write_str("(fixed)")?,
            c if c == defaults.coding => {}
            Coding::Chunks { fah, value } => write!(f, "(fah={fah};value={value})")?,
        }
        match self.bytes {
            n if n % 1024 == 0 => write!(f, ":{}k", n / 1024)?,
            n => write!(f, ":{n}")?,
        }
        for (name, value, defaults) in [
            ("ways", self.ways, defaults.ways),
            ("line", self.line, defaults.line),
            ("gran", self.granule, defaults.granule),
            ("count", self.count_bits, defaults.count_bits),
        ] {
            if value != defaults {
                write!(f, "+{name}{value}")?;
            }
        }
        let words = [
            ("shared", self.shared),
            ("round", self.replacement == Replacement::Round),
            ("touched", self.flags == Flags::Touched),
        ];
        words.iter().filter(|w| w.1).try_for_each(|w| write!(f, "+{}", w.0))
    }
}

impl FromStr for Sizes {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, ParamError> {
        Self::parse(name, Self::default())
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&Self::default(), f)
    }
}

mod name {
    use super::Sizes;
    use serde::{de, ser::Error, Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(sizes: &Sizes, s: S) -> Result<S::Ok, S::Error> {
        let mut name = String::new();
        sizes.write(&Sizes::IN_FILES, &mut name).map_err(S::Error::custom)?;
        s.serialize_str(&name)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Sizes, D::Error> {
        Sizes::parse(&String::deserialize(d)?, Sizes::IN_FILES).map_err(de::Error::custom)
    }
}

impl CfiatParams {
    /// 32-bit cores with RAM of `bytes` bytes at `base`.
    pub fn new(cores: u8, (base, bytes): (u32, u32), sizes: Sizes) -> Self {
        let last = u64::from(base) + u64::from(bytes.max(1)) - 1;
        Self { cores, xlen: 32, ram_base: base.into(), ram_last: last, sizes }
    }

    /// Cores whose whole address space is memory: user programs of an operating system.
    pub fn all_memory(cores: u8, xlen: u8, sizes: Sizes) -> Self {
        Self { cores, xlen, ram_base: 0, ram_last: u64::MAX >> (64 - u32::from(xlen).clamp(1, 64)), sizes }
    }

    /// Rejects parameters that the model does not support.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u32, right, ok| ParamError::unless(ok, field, value, right);
        range("cores", self.cores.into(), "1 to 16", (1..=16).contains(&self.cores))?;
        range("xlen", self.xlen.into(), "32 or 64", matches!(self.xlen, 32 | 64))?;
        range("ram_last", self.ram_last as u32, "addresses from ram_base on", self.ram_last >= self.ram_base)?;
        self.sizes.check()
    }

    /// Whether the `bytes` bytes at `addr` are in the memory that only stores change.
    #[inline]
    pub fn is_ram(&self, addr: u64, bytes: u8) -> bool {
        let last = addr.checked_add(u64::from(bytes) - 1);
        addr >= self.ram_base && last.is_some_and(|last| last <= self.ram_last)
    }

    /// Bits of the core index `Ti`: ceil(log2 N), 0 for one core.
    pub fn ti_bits(&self) -> u32 {
        u32::from(self.cores).next_power_of_two().trailing_zeros()
    }

    /// Maximum of `fahCnt`.
    pub fn most(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.sizes.count_bits))
    }

    /// All parameters on one line, in a fixed order.
    pub fn canonical(&self) -> String {
        let Sizes { bytes, ways, line, granule, shared, replacement, flags, count_bits, coding } = self.sizes;
        let coding = match coding {
            Coding::Fixed => "fixed".into(),
            Coding::Chunks { fah, value } => format!("fah={fah} value={value}"),
        };
        let replacement = match replacement {
            Replacement::Lru => "lru",
            Replacement::Round => "round",
        };
        let flags = match flags {
            Flags::Whole => "whole",
            Flags::Touched => "touched",
        };
        format!(
            "cfiat bytes={bytes} ways={ways} line={line} gran={granule} shared={} replace={replacement} flags={flags} \
             count={count_bits} {coding} cores={} xlen={} ram=0x{:x}..0x{:x}",
            // 2: a shared cache whose stream includes the order of the cores
            if shared { 2 } else { 0 },
            self.cores,
            self.xlen,
            self.ram_base,
            self.ram_last,
        )
    }

    /// CRC-32 of the canonical line, for the header.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_invalid_ones_are_explained() {
        for name in [
            "cfiat:32k",
            "cfiat:32+ways2+line16",
            "cfiat:64k+line64+shared+round",
            "cfiat(fah=4,4;value=8,6):16k+gran4+count32",
            "cfiat(fixed):64k+gran8+touched",
        ] {
            assert_eq!(name.parse::<Sizes>().unwrap().to_string(), name);
        }
        assert_eq!("cfiat".parse::<Sizes>().unwrap(), Sizes::default());
        assert_eq!("cfiat(fixed)".parse::<Sizes>().unwrap().coding, Coding::Fixed);
        let say = |name: &str| name.parse::<Sizes>().unwrap_err().to_string();
        for bad in [
            "cfiat:",
            "cfiat:x",
            "cfiat:32k+",
            "cfiat:32k+foo3",
            "cfiat:32k+ways",
            "cfia",
            "cfiat:32k+shared1",
            "cfiat(:32k",
            "cfiat(fah=3):32k",
            "cfiat:99999999999k",
            "cfiat:4194304k",
            "cfiat:32k+ways999",
        ] {
            assert!(
                say(bad).starts_with(&format!("scheme `{bad}` is not known; expected one of cfiat")),
                "{}",
                say(bad)
            );
        }
        assert_eq!(say("cfiat:33k"), "bytes = 33792, expected a power of two from 16 to 4194304");
        assert_eq!(say("cfiat:32+ways4"), "bytes = 32, expected at least one set of lines");
        assert_eq!(say("cfiat:32k+gran16"), "gran = 16, expected 1, 2, 4, 8, at most a line");
        assert_eq!(say("cfiat:32k+line2+gran4"), "gran = 4, expected 1, 2, 4, 8, at most a line");
        assert_eq!(say("cfiat(fah=0,3):32k"), "fah chunk = 0, expected 1 to 16");
    }

    /// 32 KB, 4 ways, lines of 32 bytes: 256 sets, tags of 32 - 13 bits, 32 flags per line, 2 bits per line for LRU.
    #[test]
    fn bits_of_state_worked_by_hand() {
        let sizes = Sizes::default();
        assert_eq!((sizes.sets(), sizes.line_flags()), (256, 32));
        assert_eq!(sizes.state_bits(32), 256 * (4 * (19 + 1 + 32) + 8));
        assert_eq!(Sizes { replacement: Replacement::Round, ..sizes }.state_bits(32), 256 * (4 * 52 + 2));
        assert_eq!(Sizes { granule: 4, ..sizes }.state_bits(32), 256 * (4 * 28 + 8));
    }

    #[test]
    fn ram_ends_where_it_says() {
        let p = CfiatParams::new(2, (0x8000_0000, 0x1000), Sizes::default());
        assert!(p.is_ram(0x8000_0ffc, 4) && !p.is_ram(0x8000_0ffd, 4) && !p.is_ram(0x7fff_ffff, 1));
        let all = CfiatParams::all_memory(1, 64, Sizes::default());
        assert!(all.is_ram(0, 8) && all.is_ram(u64::MAX, 1) && !all.is_ram(u64::MAX, 2));
    }

    /// A file whose name does not state granule and chunks is one of those written when the defaults were others.
    #[test]
    fn files_state_what_is_not_the_default_of_the_first_files() {
        for (name, in_file) in [
            ("cfiat:32k", "cfiat(fah=1,2;value=2,5):32k+gran1"),
            ("cfiat(fah=1,2;value=7,4):32k+gran4", "cfiat:32k"),
            ("cfiat(fixed):16k+shared", "cfiat(fixed):16k+gran1+shared"),
        ] {
            let p = CfiatParams::new(2, (0x8000_0000, 0x1000), name.parse().unwrap());
            let json = serde_json::to_value(p).unwrap();
            assert_eq!(json["sizes"], in_file);
            assert_eq!(serde_json::from_value::<CfiatParams>(json).unwrap(), p);
        }
    }
}
