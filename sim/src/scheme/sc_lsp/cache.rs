//! Stream cache: maps stream descriptors to indices
//!
//! # Source
//! Paper 001 section II, "Stream Cache", and equation 3: SCI = {iSet, iWay}, 0 is a miss, the least recently
//! used way is replaced. Index 0 would be way 0 of set 0, so that entry is never used; with one way, set 0
//! has none at all.

use super::params::{Hash, StreamCacheParams};

/// A stream descriptor, the contents of an entry. SL is 0 in an empty one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptor {
    /// Start address, a byte address; in entries of `rbase` its lower part only.
    pub start: u64,
    /// SL as it is encoded.
    pub length: u32,
}

/// The stream cache of one core.
#[derive(Clone, Debug)]
pub struct StreamCache {
    entries: Vec<Descriptor>,
    /// Rank of each entry in its set: 0 is the most recently used, ways - 1 is replaced next. Way 0 of set 0 is never
    /// used and so keeps the highest rank.
    ranks: Vec<u8>,
    ways: u8,
    way_bits: u32,
    mask: u32,
    left: bool,
    shift: u32,
}

/// Result of a look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// SCI of the entry that holds the descriptor now; 0 if its set has no usable way.
    pub index: u32,
    /// It was in the cache before.
    pub hit: bool,
}

impl StreamCache {
    /// An empty cache.
    pub fn new(params: &StreamCacheParams) -> Self {
        let entries = params.entries() as usize;
        let mut cache = Self {
            entries: vec![Descriptor::default(); entries],
            ranks: vec![0; entries],
            ways: params.ways,
            way_bits: params.way_bits(),
            mask: u32::from(params.sets) - 1,
            left: params.hash == Hash::Left,
            shift: params.shift.into(),
        };
        cache.reset();
        cache
    }

    /// Returns to the state after reset: empty, ways are filled from 0 up.
    pub fn reset(&mut self) {
        self.entries.fill(Descriptor::default());
        for set in self.ranks.chunks_exact_mut(self.ways.into()) {
            for (way, rank) in set.iter_mut().enumerate() {
                *rank = self.ways - 1 - way as u8;
            }
        }
    }

    /// iSet of a descriptor.
    #[inline]
    pub fn set(&self, d: Descriptor) -> u32 {
        // the index has at most 10 bits and the shift is at most 8: higher address bits have no effect
        let start = d.start as u32;
        let shifted = if self.left { start << self.shift } else { start >> self.shift };
        (shifted ^ d.length) & self.mask
    }

    /// The descriptor at SCI `index`; `None` for 0 and for empty entries.
    #[inline]
    pub fn get(&self, index: u32) -> Option<Descriptor> {
        self.entries.get(index as usize).copied().filter(|d| d.length != 0)
    }

    /// Looks up `d`, stores it on a miss, and marks it as most recently used. SL must not be 0.
    #[inline]
    pub fn access(&mut self, d: Descriptor) -> Found {
        match self.ways {
            1 => self.access_set::<1>(d),
            2 => self.access_set::<2>(d),
            4 => self.access_set::<4>(d),
            _ => self.access_set::<8>(d),
        }
    }

    #[inline]
    fn access_set<const W: usize>(&mut self, d: Descriptor) -> Found {
        let set = self.set(d);
        let at = set as usize * W;
        let (Some(entries), Some(ranks)) = (self.entries.get_mut(at..at + W), self.ranks.get_mut(at..at + W)) else {
            unreachable!("the set index is masked")
        };
        let mut way = W;
        for (i, e) in entries.iter().enumerate() {
            if *e == d {
                way = i;
            }
        }
        let hit = way < W;
        if !hit {
            // in set 0, way 0 always stays the oldest, and the next younger one is replaced
            let reserved = set == 0;
            if reserved && W == 1 {
                return Found { index: 0, hit };
            }
            let oldest = (W - 1 - usize::from(reserved)) as u8;
            for (i, r) in ranks.iter().enumerate() {
                if *r == oldest {
                    way = i;
                }
            }
            entries[way] = d;
        }
        let was = ranks[way];
        for r in ranks.iter_mut() {
            *r += u8::from(*r < was);
        }
        ranks[way] = 0;
        Found { index: set << self.way_bits | way as u32, hit }
    }
}

#[cfg(test)]
mod tests {
    use super::super::params::Variant;
    use super::*;

    fn cache(sets: u16, ways: u8) -> StreamCache {
        StreamCache::new(&StreamCacheParams::new(Variant::Base, sets, ways))
    }

    fn d(start: u64, length: u32) -> Descriptor {
        Descriptor { start, length }
    }

    #[test]
    fn the_set_is_the_hash_of_equation_3() {
        let right = StreamCacheParams::new(Variant::Base, 32, 4);
        // 0x8000_01f4 >> 4 is ..0_0001_1111; 5 is 0_0101
        assert_eq!(StreamCache::new(&right).set(d(0x8000_01f4, 5)), 0b1_1010);
        let left = StreamCacheParams { hash: Hash::Left, ..right };
        // (0x8000_01f5 << 4) keeps one address bit of five: bit 0
        assert_eq!(StreamCache::new(&left).set(d(0x8000_01f5, 5)), 0b1_0101);
        assert_eq!(StreamCache::new(&left).set(d(0x8000_01f4, 5)), 0b0_0101);
    }

    #[test]
    fn ways_fill_from_0_and_the_least_recently_used_one_goes() {
        let mut c = cache(32, 4);
        // all in set 1: the start address has no bits in the index
        let at = |n: u64| d(n << 16, 1);
        let index = |c: &mut StreamCache, n| {
            let f = c.access(at(n));
            (f.index, f.hit)
        };
        for (way, n) in (0..4).enumerate() {
            assert_eq!(index(&mut c, n), (4 + way as u32, false));
        }
        assert_eq!(index(&mut c, 0), (4, true));
        assert_eq!(index(&mut c, 2), (6, true));
        // oldest now: 1, then 3, then 0
        assert_eq!(index(&mut c, 9), (5, false));
        assert_eq!(index(&mut c, 8), (7, false));
        assert_eq!(index(&mut c, 7), (4, false));
        assert_eq!(index(&mut c, 2), (6, true));
        assert_eq!(c.get(5), Some(at(9)));
        assert_eq!(c.get(8), None);
    }

    #[test]
    fn index_0_is_never_given_to_a_stream() {
        for (sets, ways) in [(32, 1), (16, 2), (32, 4), (4, 8)] {
            let mut c = cache(sets, ways);
            for n in 0..100 {
                // set 0: length and shifted address cancel out
                let found = c.access(d((n << 16) | (1 << 4), 1));
                assert!(!found.hit && (found.index == 0) == (ways == 1), "{sets}x{ways}: {found:?}");
                assert!(found.index < ways.into());
            }
            assert_eq!(c.get(0), None);
        }
    }

    #[test]
    fn the_last_ways_streams_of_a_set_are_held() {
        for ways in [1, 2, 4, 8] {
            let mut c = cache(128 / u16::from(ways), ways);
            for n in 0..50u64 {
                c.access(d(n << 16, 1));
                for back in 0..u64::from(ways).min(n + 1) {
                    let held = (0..u32::from(ways)).any(|w| c.get(u32::from(ways) + w) == Some(d((n - back) << 16, 1)));
                    assert!(held, "{ways} ways, {n}, {back} back");
                }
            }
        }
    }
}
