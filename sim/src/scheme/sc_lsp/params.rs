//! Sizes of the stream cache and last stream predictor, with the presets of the paper
//!
//! # Source
//! Paper 001 sections II and III; table 2 and figure 3 for the sizes.

use crate::chunk::Chunks;
use crate::platform::ParamError;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Size of the output trace buffer that the paper counts as state, bits: the worst case of its benchmarks (section
/// III.D).
pub const PAPER_OUTPUT_BUFFER_BITS: u32 = 80;

/// The three schemes of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    /// Every hit of the last stream predictor is one bit; every start address is sent in full.
    Base,
    /// Last-value register for the upper bits of sent start addresses; hits are counted by an adaptive
    /// one-length counter.
    Ebase,
    /// As [`Variant::Ebase`], and the stream cache does not store the upper address bits: a stream is only found
    /// while its upper bits are those of the previous stream.
    Rbase,
}

impl Variant {
    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Ebase => "ebase",
            Self::Rbase => "rbase",
        }
    }

    /// All variants.
    pub const ALL: [Self; 3] = [Self::Base, Self::Ebase, Self::Rbase];
}

/// Direction in which the start address is shifted before it is combined with the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hash {
    /// `iSet = (SA >> shift) xor SL`.
    Right,
    /// `iSet = (SA << shift) xor SL`, as equation 3 is printed: the lowest `shift` bits of the index depend
    /// on the length only.
    Left,
}

/// Sizes of the structures of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StreamCacheParams {
    /// Variant of the paper.
    pub variant: Variant,
    /// Sets of the stream cache. A power of two; `sets * ways` is 32 to 1024.
    pub sets: u16,
    /// Ways of the stream cache. 1, 2, 4 or 8.
    pub ways: u8,
    /// Width of the stream length SL, bits. 6..=12.
    pub sl_bits: u8,
    /// u: upper start address bits in the last-value register. 0 for `base`, else 1..=48, and at least 18 bits of the
    /// address must remain.
    pub upper_bits: u8,
    /// Hash of the set index.
    pub hash: Hash,
    /// Shift of the byte address in the hash, bits. 0..=8.
    pub shift: u8,
    /// Maximum width of the one-length counter, bits. 0 for `base`, else 1..=8.
    pub run_bits: u8,
}

impl StreamCacheParams {
    /// Chunks of `diffCC` in time-stamped streams: those of `tr_e`.
    pub const DIFF_CC: Chunks = Chunks::new(4, 2);

    /// `sets` sets of `ways` ways with the parameters of the paper: 8 length bits, u = 14 for `ebase` and 12 for `rbase`,
    /// a one-length counter of up to 8 bits, and the default hash.
    pub const fn new(variant: Variant, sets: u16, ways: u8) -> Self {
        let (upper_bits, run_bits) = match variant {
            Variant::Base => (0, 0),
            Variant::Ebase => (14, 8),
            Variant::Rbase => (12, 8),
        };
        Self { variant, sets, ways, sl_bits: 8, upper_bits, hash: Hash::Right, shift: 4, run_bits }
    }

    /// Entries of the stream cache, and of the last stream predictor.
    pub const fn entries(&self) -> u32 {
        self.sets as u32 * self.ways as u32
    }

    /// Width of a stream cache index SCI, bits.
    pub const fn index_bits(&self) -> u32 {
        self.entries().trailing_zeros()
    }

    /// Width of the set index, bits.
    pub const fn set_bits(&self) -> u32 {
        self.sets.trailing_zeros()
    }

    /// Width of the way index, bits.
    pub const fn way_bits(&self) -> u32 {
        self.ways.trailing_zeros()
    }

    /// The length from which a stream ends at any control-flow instruction: two less than the field can hold. It is
    /// sent as is if the flow leaves the straight line there or at a direct jump, and plus one at a conditional that
    /// is not taken.
    pub const fn longest(&self) -> u32 {
        (1 << self.sl_bits) - 2
    }

    /// Start address bits in a stream cache entry, of `address_bits` significant ones.
    pub const fn entry_address_bits(&self, address_bits: u32) -> u32 {
        match self.variant {
            Variant::Rbase => address_bits - self.upper_bits as u32,
            Variant::Base | Variant::Ebase => address_bits,
        }
    }

    /// Bits of state by the paper's accounting, for addresses of `address_bits` significant bits (30 in the
    /// paper): stream cache with LRU order, last stream predictor, SA and SL of the detector, one entry of
    /// the stream buffer, the output buffer of 80 bits; for the enhancements the last-value register, the
    /// 4-bit monitor, the one-length counter and its size. An entry needs no valid bit: SL is never 0.
    ///
    /// The paper gives only the sums. This reading of "all structures" matches all three of them for 32x4,128:
    /// 6172, 6201 and 4663 bits, which are 771, 775 and 582 whole bytes.
    pub const fn state_bits(&self, address_bits: u32) -> u32 {
        let sl = self.sl_bits as u32;
        let cache = self.entries() * (self.entry_address_bits(address_bits) + sl + self.way_bits());
        let lsp = self.entries() * self.index_bits();
        let buffers = 2 * (address_bits + sl) + PAPER_OUTPUT_BUFFER_BITS;
        let run = if self.run_bits == 0 {
            0
        } else {
            4 + self.run_bits as u32 + (self.run_bits as u32).next_power_of_two().trailing_zeros()
        };
        cache + lsp + buffers + self.upper_bits as u32 + run
    }

    /// [`StreamCacheParams::state_bits`] in whole bytes, as the paper prints it.
    pub const fn state_bytes(&self, address_bits: u32) -> u32 {
        self.state_bits(address_bits) / 8
    }

    /// Gates by the rule that the papers' totals follow for T-raptor, 1.5 per bit of state. Paper 002 gives
    /// about 6,100 for `rbase` 32x4,128, which is 1.31 per bit; its own rule gives 6,994.
    pub const fn paper_gates(&self, address_bits: u32) -> u32 {
        self.state_bits(address_bits) * 3 / 2
    }

    /// Rejects values outside the ranges of the fields, for addresses of `xlen` bits.
    pub fn check(&self, xlen: u8) -> Result<(), ParamError> {
        let ok = |field, value, right, ok| ParamError::unless(ok, field, value, right);
        ok("ways", self.ways.into(), "1, 2, 4 or 8", matches!(self.ways, 1 | 2 | 4 | 8))?;
        ok("sets", self.sets.into(), "a power of two", self.sets.is_power_of_two())?;
        let entries = u32::from(self.sets) * u32::from(self.ways);
        ok("stream cache entries", entries, "32 to 1024", (32..=1024).contains(&entries))?;
        ok("sl_bits", self.sl_bits.into(), "6 to 12", (6..=12).contains(&self.sl_bits))?;
        ok("shift", self.shift.into(), "0 to 8", self.shift <= 8)?;
        if self.variant == Variant::Base {
            ok("upper_bits", self.upper_bits.into(), "0, all that base has", self.upper_bits == 0)?;
            return ok("run_bits", self.run_bits.into(), "0, all that base has", self.run_bits == 0);
        }
        ok("run_bits", self.run_bits.into(), "1 to 8", (1..=8).contains(&self.run_bits))?;
        // the hash reads address bits below those that rbase removes from the entries
        let room = i32::from(xlen) - i32::from(self.upper_bits) >= 18;
        ok(
            "upper_bits",
            self.upper_bits.into(),
            "1 to 48 that leave 18 bits of the address",
            (1..=48).contains(&self.upper_bits) && room,
        )
    }

    /// All fields on one line, for the parameter fingerprint.
    pub fn sizes(&self) -> String {
        format!(
            "sc-lsp variant={} sets={} ways={} sl={} upper={} hash={} run={}",
            self.variant.name(),
            self.sets,
            self.ways,
            self.sl_bits,
            self.upper_bits,
            self.hash_name(),
            self.run_bits
        )
    }

    fn hash_name(&self) -> String {
        format!("{}{}", if self.hash == Hash::Right { ">>" } else { "<<" }, self.shift)
    }

    /// Parses a shape name: variant, sets and ways, then what differs from the preset, as in `rbase-32x4+left2+sl6`.
    pub fn shape(text: &str) -> Result<Self, ParamError> {
        let unknown = || ParamError::UnknownStreamCache(text.to_string());
        let mut options = text.split('+');
        let size = options.next().and_then(|t| t.split_once('-')).ok_or_else(unknown)?;
        let variant = Variant::ALL.into_iter().find(|v| v.name() == size.0).ok_or_else(unknown)?;
        let (sets, ways) = size.1.split_once('x').ok_or_else(unknown)?;
        let (Ok(sets), Ok(ways)) = (sets.parse(), ways.parse()) else { return Err(unknown()) };
        let mut p = Self::new(variant, sets, ways);
        for option in options {
            let digits = option.find(|c: char| c.is_ascii_digit()).ok_or_else(unknown)?;
            let number = option[digits..].parse().map_err(|_| unknown())?;
            match &option[..digits] {
                "right" => (p.hash, p.shift) = (Hash::Right, number),
                "left" => (p.hash, p.shift) = (Hash::Left, number),
                "sl" => p.sl_bits = number,
                "upper" => p.upper_bits = number,
                "run" => p.run_bits = number,
                _ => return Err(unknown()),
            }
        }
        // the address width is checked later, when it is known
        p.check(64).map(|()| p)
    }

    /// The text that [`StreamCacheParams::shape`] reads.
    pub fn shape_name(&self) -> String {
        let preset = Self::new(self.variant, self.sets, self.ways);
        let mut name = self.to_string();
        let mut add = |differs, option: String| {
            if differs {
                name += &option;
            }
        };
        let way = if self.hash == Hash::Right { "right" } else { "left" };
        add((self.hash, self.shift) != (preset.hash, preset.shift), format!("+{way}{}", self.shift));
        add(self.sl_bits != preset.sl_bits, format!("+sl{}", self.sl_bits));
        add(self.upper_bits != preset.upper_bits, format!("+upper{}", self.upper_bits));
        add(self.run_bits != preset.run_bits, format!("+run{}", self.run_bits));
        name
    }

    /// The preset `name`: variant, sets, ways as in `rbase-32x4`.
    pub fn named(name: &str) -> Result<Self, ParamError> {
        let unknown = || ParamError::UnknownStreamCache(name.to_string());
        let (variant, size) = name.split_once('-').ok_or_else(unknown)?;
        let (sets, ways) = size.split_once('x').ok_or_else(unknown)?;
        let variant = Variant::ALL.into_iter().find(|v| v.name() == variant).ok_or_else(unknown)?;
        PRESETS
            .iter()
            .find(|p| p.variant == variant && p.sets.to_string() == sets && p.ways.to_string() == ways)
            .copied()
            .ok_or_else(unknown)
    }
}

impl fmt::Display for StreamCacheParams {
    /// Writes the name of the preset with these sizes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}x{}", self.variant.name(), self.sets, self.ways)
    }
}

/// Entries of table 2 and figures 3 and 4.
pub const ENTRIES: [u16; 6] = [32, 64, 128, 256, 512, 1024];
/// Ways of figure 3.
pub const WAYS: [u8; 4] = [1, 2, 4, 8];

/// Every variant in every size of table 2 and figure 3.
pub const PRESETS: [StreamCacheParams; 72] = {
    let mut all = [StreamCacheParams::new(Variant::Base, 32, 1); 72];
    let mut i = 0;
    while i < all.len() {
        let (entries, ways) = (ENTRIES[i / 4 % 6], WAYS[i % 4]);
        all[i] = StreamCacheParams::new(Variant::ALL[i / 24], entries / ways as u16, ways);
        i += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_the_papers_771_775_and_582_bytes() {
        let bytes = Variant::ALL.map(|v| StreamCacheParams::new(v, 32, 4).state_bytes(30));
        assert_eq!(bytes, [771, 775, 582]);
        let bits = Variant::ALL.map(|v| StreamCacheParams::new(v, 32, 4).state_bits(30));
        // 128 x (30 + 8 + 2) + 128 x 7 + 2 x 38 + 80
        assert_eq!(bits, [6172, 6172 + 14 + 4 + 8 + 3, 6201 - 128 * 12 - 2]);
        assert_eq!(StreamCacheParams::new(Variant::Rbase, 32, 4).paper_gates(30), 6994);
    }

    #[test]
    fn presets_are_legal_distinct_and_found_by_name() {
        for (i, p) in PRESETS.iter().enumerate() {
            p.check(32).unwrap();
            p.check(64).unwrap();
            assert_eq!(StreamCacheParams::named(&p.to_string()).unwrap(), *p);
            assert!(!PRESETS[..i].contains(p), "{p}");
        }
        assert_eq!(PRESETS.last().unwrap().to_string(), "rbase-128x8");
    }

    #[test]
    fn illegal_sizes_say_what_would_be_right() {
        let good = StreamCacheParams::new(Variant::Rbase, 32, 4);
        let say = |p: StreamCacheParams| p.check(32).unwrap_err().to_string();
        assert_eq!(say(StreamCacheParams { ways: 3, ..good }), "ways = 3, expected 1, 2, 4 or 8");
        assert_eq!(say(StreamCacheParams { sets: 33, ..good }), "sets = 33, expected a power of two");
        assert_eq!(say(StreamCacheParams { sets: 512, ..good }), "stream cache entries = 2048, expected 32 to 1024");
        assert_eq!(say(StreamCacheParams { sets: 4, ..good }), "stream cache entries = 16, expected 32 to 1024");
        assert_eq!(say(StreamCacheParams { sl_bits: 5, ..good }), "sl_bits = 5, expected 6 to 12");
        assert_eq!(say(StreamCacheParams { shift: 9, ..good }), "shift = 9, expected 0 to 8");
        assert_eq!(say(StreamCacheParams { run_bits: 9, ..good }), "run_bits = 9, expected 1 to 8");
        assert_eq!(
            say(StreamCacheParams { upper_bits: 15, ..good }),
            "upper_bits = 15, expected 1 to 48 that leave 18 bits of the address"
        );
        let base = StreamCacheParams::new(Variant::Base, 32, 4);
        assert_eq!(say(StreamCacheParams { upper_bits: 12, ..base }), "upper_bits = 12, expected 0, all that base has");
        for name in ["rbase", "rbase-32", "rbase-32x3", "xbase-32x4", "rbase-032x4"] {
            let e = StreamCacheParams::named(name).unwrap_err().to_string();
            assert!(e.starts_with(&format!("stream cache `{name}` is not known")), "{e}");
        }
    }
}
