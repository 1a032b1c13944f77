//! What is counted, as figure 4.38 prints it

use serde::Serialize;
use std::ops::AddAssign;

/// Operand sizes: 1, 2, 4, 8 bytes.
pub const SIZES: usize = 4;
/// What the thesis calls them.
pub const SIZE_NAMES: [&str; SIZES] = ["byte", "word", "doubleword", "quadword"];

/// References that found what they wanted, and those that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Hits {
    /// Found.
    pub hits: u64,
    /// Not found.
    pub misses: u64,
}

impl Hits {
    /// One more.
    pub fn count(&mut self, hit: bool) {
        self.hits += u64::from(hit);
        self.misses += u64::from(!hit);
    }

    /// All.
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

/// What a stream is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CfiatStats {
    /// Loads in the cache, by operand size.
    pub loads: [Hits; SIZES],
    /// Stores in the cache, by operand size.
    pub stores: [Hits; SIZES],
    /// First-access flags of loads whose lines were all there, by operand size.
    pub flags: [Hits; SIZES],
    /// Turns of the cores, of a shared cache, and bits of their order.
    pub turns: u64,
    /// See `turns`.
    pub order_bits: u64,
    /// Loads outside memory: each has a record.
    pub outside: u64,
    /// Reads of open CSRs: each has a record.
    pub csrs: u64,
    /// `sc` that did not store: each has a record.
    pub failed: u64,
    /// Records of hits, because `fahCnt` was full.
    pub full: u64,
    /// Records of values.
    pub records: u64,
    /// Instructions, all cores.
    pub instructions: u64,
    /// Bits in all, header, stops and padding included; known when the stream is finished.
    pub bits: u64,
    /// Stores of bus masters that are no cores: cores cannot be executed again behind one.
    pub masters: u64,
}

impl CfiatStats {
    /// Loads, those outside memory included.
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
