//! Tables of one core: trace module and decoder hold the same ones and update them in the same way
//!
//! # Source
//! Paper 001 section II, "Last Stream Predictor", sections III.B and III.C. After a miss the predictor learns
//! the index of the entry that the stream was stored in, not the 0 that is sent: the decoder stores it in the
//! same entry. `docs/explanation/stream-cache.md` has the measurement.

use super::cache::{Descriptor, StreamCache};
use super::params::{StreamCacheParams, Variant};
use crate::run_length::RunLength;

/// Encoding of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Hit of the last stream predictor.
    Predicted,
    /// Hit of the stream cache: SCI.
    Index(u32),
    /// Miss: the full descriptor.
    Miss,
}

/// Stream cache, last stream predictor, last-value register and one-length counter.
#[derive(Clone, Debug)]
pub struct Tables {
    cache: StreamCache,
    last: Vec<u16>,
    previous: u16,
    /// Last-value register: upper bits in their position.
    upper: u64,
    upper_mask: u64,
    rbase: bool,
    /// Size of the one-length counter.
    pub runs: RunLength,
}

impl Tables {
    /// In the reset state, for addresses of `xlen` bits.
    pub fn new(params: &StreamCacheParams, xlen: u8) -> Self {
        let all = u64::MAX >> (64 - xlen);
        let upper_mask = if params.upper_bits == 0 { 0 } else { all & !(all >> params.upper_bits) };
        Self {
            cache: StreamCache::new(params),
            last: vec![0; params.entries() as usize],
            previous: 0,
            upper: 0,
            upper_mask,
            rbase: params.variant == Variant::Rbase,
            runs: RunLength::new(params.run_bits),
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.cache.reset();
        self.last.fill(0);
        self.previous = 0;
        self.upper = 0;
        self.runs.reset();
    }

    /// Upper bits of `start`, in their position.
    #[inline]
    fn upper_of(&self, start: u64) -> u64 {
        start & self.upper_mask
    }

    /// Whether only the lower bits of `start` need to be sent.
    #[inline]
    pub fn upper_known(&self, start: u64) -> bool {
        self.upper_of(start) == self.upper
    }

    /// The address with the lower part `low` and the known upper part.
    pub fn with_upper(&self, low: u64) -> u64 {
        low | self.upper
    }

    /// Looks up the stream with descriptor `d` (full start address) and learns it.
    #[inline]
    pub fn stream(&mut self, d: Descriptor) -> Outcome {
        let upper_hit = !self.rbase || self.upper_known(d.start);
        let low = if self.rbase { self.upper_mask } else { 0 };
        let found = self.cache.access(Descriptor { start: d.start & !low, length: d.length });
        let index = found.index as u16;
        let predicted = std::mem::replace(&mut self.last[usize::from(self.previous)], index);
        self.previous = index;
        if self.rbase {
            self.upper = self.upper_of(d.start);
        }
        match found.hit && upper_hit {
            true if predicted == index => Outcome::Predicted,
            true => Outcome::Index(found.index),
            false => Outcome::Miss,
        }
    }

    /// `ebase` only: learns `start`, which was sent with a miss.
    #[inline]
    pub fn learn_start(&mut self, start: u64) {
        self.upper = self.upper_of(start);
    }

    /// The predicted stream: its SCI and its full descriptor.
    pub fn predicted(&self) -> Option<(u32, Descriptor)> {
        let index = self.last[usize::from(self.previous)].into();
        Some((index, self.at(index)?))
    }

    /// The full descriptor at SCI `index`.
    pub fn at(&self, index: u32) -> Option<Descriptor> {
        let upper = if self.rbase { self.upper } else { 0 };
        self.cache.get(index).map(|d| Descriptor { start: d.start | upper, ..d })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(variant: Variant) -> Tables {
        Tables::new(&StreamCacheParams::new(variant, 32, 4), 32)
    }

    fn d(start: u64, length: u32) -> Descriptor {
        Descriptor { start, length }
    }

    #[test]
    fn a_loop_of_two_streams_is_predicted_from_its_third_round() {
        let mut t = tables(Variant::Base);
        let (a, b) = (d(0x8000_0000, 3), d(0x8000_0040, 6));
        let (ia, ib) = (3 << 2, (4 ^ 6) << 2);
        let walk: Vec<Outcome> = [a, b, a, b, a, b].into_iter().map(|d| t.stream(d)).collect();
        use Outcome::{Index, Miss, Predicted};
        // the miss of b already taught a -> b; b -> a is learnt in the second round
        assert_eq!(walk, [Miss, Miss, Index(ia), Predicted, Predicted, Predicted]);
        assert_eq!(t.predicted(), Some((ia, a)));
        t.stream(a);
        assert_eq!(t.predicted(), Some((ib, b)));
        t.reset();
        assert_eq!(t.predicted(), None);
    }

    #[test]
    fn rbase_misses_when_the_upper_bits_change_though_the_entry_is_there() {
        let mut t = tables(Variant::Rbase);
        let (a, b) = (d(0x8000_0000, 3), d(0x8010_0000, 3));
        // the lower 20 bits of both are equal, and so is their entry
        let walk: Vec<Outcome> = [a, a, b, b, a, a].into_iter().map(|d| t.stream(d)).collect();
        use Outcome::{Index, Miss, Predicted};
        assert_eq!(walk, [Miss, Index(3 << 2), Miss, Predicted, Miss, Predicted]);
        assert_eq!(t.predicted(), Some((3 << 2, a)));
    }

    #[test]
    fn ebase_remembers_the_upper_bits_of_sent_addresses_only() {
        let mut t = tables(Variant::Ebase);
        assert!(!t.upper_known(0x8000_0000));
        t.stream(d(0x8000_0000, 3));
        assert!(!t.upper_known(0x8000_0000));
        t.learn_start(0x8000_0000);
        // 14 upper bits: 0x8000_0000 to 0x8003_ffff
        assert_eq!([0x8003_ffff, 0x8004_0000].map(|a| t.upper_known(a)), [true, false]);
        assert_eq!(t.with_upper(0x3_fffe), 0x8003_fffe);
    }
}
