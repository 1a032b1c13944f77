//! Parameters of record and replay, and their names

use crate::platform::ParamError;
use crate::riscv::{Isa, Profile, Unmodelled};
use retire::elf::Program;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Parameters of a stream of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InputsParams {
    /// N: number of cores. 1..=8.
    pub cores: u8,
    /// Width of integer registers, bits: 32 or 64.
    #[serde(default = "narrow")]
    pub xlen: u8,
    /// First byte of RAM; loads elsewhere are inputs. A multiple of 4096.
    pub ram_base: u32,
    /// Bytes of RAM. A multiple of 4096, up to 1 GiB.
    pub ram_bytes: u32,
    /// Choices of the cores that the ISA leaves open.
    #[serde(default, skip_serializing_if = "is_plain")]
    pub profile: Profile,
    /// Sizes of the tables, and the period of state checks.
    #[serde(flatten)]
    pub sizes: Sizes,
}

fn is_plain(profile: &Profile) -> bool {
    *profile == Profile::Plain
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

fn is_false(b: &bool) -> bool {
    !b
}

/// Default for files from before this was a parameter.
fn narrow() -> u8 {
    32
}

/// Sizes of the module of one core. The name is `inputs:ENTRIES`, followed by what differs from the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sizes {
    /// Entries of the episode table. Power of two, 16..=4096.
    pub entries: u16,
    /// Tag of an entry, bits. 0..=16; 0: untagged.
    pub tag: u8,
    /// Bytes per block, the unit of an entry. 4, 8, 16, 32.
    pub block: u8,
    /// The state is checked every 2^check instructions of a core. 10..=30.
    pub check: u8,
    /// Entries of the table of last values. Power of two, 1..=64.
    pub last: u8,
    /// Bytes of RAM whose first accesses a core remembers, so that a recording can begin in the middle of a run. 0: it
    /// begins at reset. Power of two, 64 to 1 Mi.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub known: u32,
    /// Bus masters that are not cores store to RAM: their stores are sent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub masters: bool,
    /// Instructions that the host does not execute: their results are sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unmodelled: Option<Unmodelled>,
}

impl Default for Sizes {
    /// Takes two block RAMs of 4 kbit on an iCE40.
    fn default() -> Self {
        Self { entries: 512, tag: 8, block: 8, check: 20, last: 8, known: 0, masters: false, unmodelled: None }
    }
}

/// Name patterns, for help and error messages.
pub const FORMS: &str =
    "inputs, inputs:512+tag8+block8+check20+last8, +known4096 for a start in the middle of a run, +masters for \
                         bus masters that are no cores, and +mask0x7f=0xb for instructions not modelled";

impl Sizes {
    /// Rejects sizes that model and circuit do not support.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u32, right, ok| ParamError::unless(ok, field, value, right);
        let (entries, last) = (self.entries, self.last);
        let power = entries.is_power_of_two() && (16..=4096).contains(&entries);
        range("entries", entries.into(), "a power of two from 16 to 4096", power)?;
        range("tag", self.tag.into(), "0 to 16", self.tag <= 16)?;
        range("block", self.block.into(), "4, 8, 16, 32", matches!(self.block, 4 | 8 | 16 | 32))?;
        range("check", self.check.into(), "10 to 30", (10..=30).contains(&self.check))?;
        range("last", last.into(), "a power of two from 1 to 64", last.is_power_of_two() && last <= 64)?;
        let known = self.known == 0 || self.known.is_power_of_two() && (64..=1 << 20).contains(&self.known);
        range("known", self.known, "a power of two from 64 to 1048576", known)?;
        let Some(Unmodelled { mask, value }) = self.unmodelled else { return Ok(()) };
        range("mask", mask, "a mask with bits 0 to 6", mask & 0x7f == 0x7f)?;
        // its result must be all that is not known of it
        let alone =
            self.unmodelled.is_some_and(Unmodelled::is_custom) || matches!(value & 0x7f, 0x13 | 0x1b | 0x33 | 0x3b);
        range(
            "value",
            value,
            "custom-0 to custom-3, OP, OP-IMM and those of 32 bits, with no bit outside the mask",
            alone && value & !mask == 0,
        )
    }

    /// Whether a name belongs to this scheme, valid or not.
    pub fn is_name(name: &str) -> bool {
        name == "inputs" || name.starts_with("inputs:")
    }
}

impl FromStr for Sizes {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, ParamError> {
        let unknown = || ParamError::UnknownScheme { name: name.into(), forms: FORMS.into() };
        let mut sizes = Self::default();
        let tail = match name.strip_prefix("inputs") {
            Some("") => return Ok(sizes),
            Some(tail) => tail.strip_prefix(':').ok_or_else(unknown)?,
            None => return Err(unknown()),
        };
        let mut parts = tail.split('+');
        sizes.entries = parts.next().and_then(|n| n.parse().ok()).ok_or_else(unknown)?;
        for part in parts {
            if let Some(mask) = part.strip_prefix("mask") {
                let hex = |text: &str| text.strip_prefix("0x").and_then(|t| u32::from_str_radix(t, 16).ok());
                let (mask, value) = mask.split_once('=').ok_or_else(unknown)?;
                let (mask, value) = (hex(mask).ok_or_else(unknown)?, hex(value).ok_or_else(unknown)?);
                sizes.unmodelled = Some(Unmodelled { mask, value });
                continue;
            }
            if part == "masters" {
                sizes.masters = true;
                continue;
            }
            let digits = part.find(|c: char| c.is_ascii_digit()).ok_or_else(unknown)?;
            let (name, number) = part.split_at(digits);
            if name == "known" {
                sizes.known = number.parse().map_err(|_| unknown())?;
                ParamError::unless(sizes.known > 0, "known", 0u32, "a power of two from 64 to 1048576")?;
                continue;
            }
            let value: u8 = number.parse().map_err(|_| unknown())?;
            match name {
                "tag" => sizes.tag = value,
                "block" => sizes.block = value,
                "check" => sizes.check = value,
                "last" => sizes.last = value,
                _ => return Err(unknown()),
            }
        }
        sizes.check()?;
        Ok(sizes)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let defaults = Self::default();
        write!(f, "inputs:{}", self.entries)?;
        for (name, value, defaults) in [
            ("tag", self.tag, defaults.tag),
            ("block", self.block, defaults.block),
            ("check", self.check, defaults.check),
            ("last", self.last, defaults.last),
        ] {
            if value != defaults {
                write!(f, "+{name}{value}")?;
            }
        }
        if self.known > 0 {
            write!(f, "+known{}", self.known)?;
        }
        if self.masters {
            write!(f, "+masters")?;
        }
        if let Some(Unmodelled { mask, value }) = self.unmodelled {
            write!(f, "+mask0x{mask:x}=0x{value:x}")?;
        }
        Ok(())
    }
}

impl InputsParams {
    /// Parameters for the cores of a machine.
    pub fn new(cores: u8, xlen: u8, (ram_base, ram_bytes): (u32, u32), sizes: Sizes) -> Self {
        Self { cores, xlen, ram_base, ram_bytes, profile: Profile::Plain, sizes }
    }

    /// The same parameters with cores of `profile`.
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Rejects parameters that model and circuit do not support.
    pub fn check(&self) -> Result<(), ParamError> {
        let range = |field, value: u32, right, ok| ParamError::unless(ok, field, value, right);
        range("cores", self.cores.into(), "1 to 8", (1..=8).contains(&self.cores))?;
        range("xlen", self.xlen.into(), "32 and 64", matches!(self.xlen, 32 | 64))?;
        range(
            "xlen",
            self.xlen.into(),
            "32, the width of the core",
            self.profile == Profile::Plain || self.xlen == 32,
        )?;
        range("ram_base", self.ram_base, "multiples of 4096", self.ram_base % 4096 == 0)?;
        let top = u64::from(self.ram_base) + u64::from(self.ram_bytes);
        let fits = self.ram_bytes % 4096 == 0 && (1..=1 << 30).contains(&self.ram_bytes) && top <= 1 << 32;
        range("ram_bytes", self.ram_bytes, "multiples of 4096 up to 1 GiB, below 4 GiB", fits)?;
        self.sizes.check()
    }

    /// Rejects a program of another width.
    pub fn check_xlen(&self, program: &Program) -> Result<(), ParamError> {
        ParamError::unless(program.xlen == self.xlen, "xlen", u32::from(self.xlen), "the width of the program")
    }

    /// Instruction set of the cores.
    pub fn isa(&self) -> Isa {
        Isa { unmodelled: self.sizes.unmodelled, ..Isa::of(self.profile, self.xlen) }
    }

    /// Whether the `bytes` bytes at `addr` are RAM.
    #[inline]
    pub fn is_ram(&self, addr: u64, bytes: u8) -> bool {
        let offset = addr.wrapping_sub(self.ram_base.into());
        offset < self.ram_bytes.into() && offset + u64::from(bytes) <= self.ram_bytes.into()
    }

    /// Number of senders of messages: the cores, and then the bus masters if there are any.
    pub fn senders(&self) -> u8 {
        self.cores + u8::from(self.sizes.masters)
    }

    /// Whether the order of references is sent, because others can store to the memory of a core.
    pub fn orders(&self) -> bool {
        self.senders() > 1
    }

    /// Bits of the sender index `Ti`: ceil(log2) of their number, 0 for one.
    pub fn ti_bits(&self) -> u32 {
        u32::from(self.senders()).next_power_of_two().trailing_zeros()
    }

    /// All parameters on one line, in a fixed order.
    pub fn canonical(&self) -> String {
        let Sizes { entries, tag, block, check, last, known, masters, unmodelled } = self.sizes;
        let (base, bytes) = (self.ram_base, self.ram_bytes);
        let mut line = format!(
            "inputs entries={entries} tag={tag} block={block} check={check} last={last} cores={} ram=0x{base:x}+0x{bytes:x}",
            self.cores
        );
        if self.xlen != 32 {
            line.push_str(&format!(" xlen={}", self.xlen));
        }
        if !is_plain(&self.profile) {
            line.push_str(&format!(" profile={}", self.profile.name()));
        }
        if known > 0 {
            line.push_str(&format!(" known={known}"));
        }
        if masters {
            line.push_str(" masters=1");
        }
        if let Some(Unmodelled { mask, value }) = unmodelled {
            line.push_str(&format!(" mask=0x{mask:x}=0x{value:x}"));
        }
        line
    }

    /// CRC-32 of the canonical line, for the header.
    pub fn fingerprint(&self) -> u32 {
        crc32fast::hash(self.canonical().as_bytes())
    }

    /// Bits of state of one core's episode table; per entry a 6-bit valid epoch, written, several, tag.
    pub fn table_bits(&self) -> u32 {
        u32::from(self.sizes.entries) * (8 + u32::from(self.sizes.tag))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_invalid_ones_are_explained() {
        for name in [
            "inputs:512",
            "inputs:256+tag10",
            "inputs:1024+block16+check18+last4",
            "inputs:256+known4096+mask0x7f=0xb",
            "inputs:256+known4096+masters",
        ] {
            assert_eq!(name.parse::<Sizes>().unwrap().to_string(), name);
        }
        assert_eq!("inputs".parse::<Sizes>().unwrap(), Sizes::default());
        let say = |name: &str| name.parse::<Sizes>().unwrap_err().to_string();
        for bad in [
            "inputs:",
            "inputs:x",
            "inputs:512+",
            "inputs:512+foo3",
            "inputs:512+tag",
            "input",
            "inputs:512+tag999",
            "inputs:512+mask7f=0xb",
            "inputs:512+mask0x7f",
            "inputs:512+known",
            "inputs:512+masters2",
        ] {
            assert!(
                say(bad).starts_with(&format!("scheme `{bad}` is not known; expected one of inputs")),
                "{}",
                say(bad)
            );
        }
        assert_eq!(say("inputs:500"), "entries = 500, expected a power of two from 16 to 4096");
        assert_eq!(say("inputs:512+block5"), "block = 5, expected 4, 8, 16, 32");
        assert_eq!(say("inputs:512+mask0x7=0x3"), "mask = 7, expected a mask with bits 0 to 6");
        assert!(say("inputs:512+mask0x7f=0x3").starts_with("value = 3, expected custom-0"));
        assert_eq!(say("inputs:512+known100"), "known = 100, expected a power of two from 64 to 1048576");
        assert_eq!(say("inputs:512+check9"), "check = 9, expected 10 to 30");
    }

    #[test]
    fn ram_ends_where_it_says() {
        let p = InputsParams::new(2, 32, (0x8000_0000, 0x1000), Sizes::default());
        assert!(p.is_ram(0x8000_0ffc, 4) && !p.is_ram(0x8000_0ffd, 4) && !p.is_ram(0x7fff_ffff, 1));
        assert!(p.check().is_ok() && InputsParams { ram_bytes: 0x1001, ..p }.check().is_err());
    }
}
