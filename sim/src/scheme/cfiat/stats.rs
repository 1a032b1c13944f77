//! Counts of a load-value trace, as figure 4.38 prints them

use serde::Serialize;
use std::ops::AddAssign;

/// Number of operand sizes: 1, 2, 4, 8 bytes.
pub const SIZES: usize = 4;
/// Names of the operand sizes in the thesis.
pub const SIZE_NAMES: [&str; SIZES] = ["byte", "word", "doubleword", "quadword"];

/// Counts of hits and misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// Number of hits.
    pub hits: u64,
    /// Number of misses.
    pub misses: u64,
}

impl Hits {
    /// Counts a hit or a miss.
    pub fn count(&mut self, hit: bool) {
        self.hits += u64::from(hit);
        self.misses += u64::from(!hit);
    }

    /// Hits and misses.
    pub fn all(&self) -> u64 {
        self.hits + self.misses
    }
}

impl AddAssign for Hits {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.misses += other.misses;
    }
}

/// The sum over all sizes.
pub fn total(by_size: &[Hits; SIZES]) -> Hits {
    let mut sum = Hits::default();
    by_size.iter().for_each(|h| sum += *h);
    sum
}

/// Counts of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CfiatStats {
    /// Loads in the cache, by operand size.
    pub loads: [Hits; SIZES],
    /// Stores in the cache, by operand size.
    pub stores: [Hits; SIZES],
    /// First-access flags of loads whose lines were all present, by operand size.
    pub flags: [Hits; SIZES],
    /// Turns of the cores, with a shared cache.
    pub turns: u64,
    /// Bits of these turns, part of `bits`.
    pub order_bits: u64,
    /// Loads outside memory: each has a record.
    pub outside: u64,
    /// Reads of open CSRs: each has a record.
    pub csrs: u64,
    /// `sc` that failed: each has a record.
    pub failed: u64,
    /// Records of hits that were sent because `fahCnt` was full.
    pub full: u64,
    /// Records of values.
    pub records: u64,
    /// Instructions, all cores.
    pub instructions: u64,
    /// Total bits, including header, order, stops and padding; set when the stream is finished.
    pub bits: u64,
    /// Stores of bus masters that are not cores: cores cannot be re-executed after one.
    pub masters: u64,
}

impl CfiatStats {
    /// Number of loads, including those outside memory.
    pub fn all_loads(&self) -> u64 {
        total(&self.loads).all() + self.outside
    }

    /// Cache references of loads and stores, by operand size.
    pub fn references(&self) -> [Hits; SIZES] {
        let mut sum = self.loads;
        sum.iter_mut().zip(self.stores).for_each(|(a, b)| *a += b);
        sum
    }
}
