//! Bimodal outcome predictor: two-bit counters indexed by address, without history
//!
//! p two-bit saturating counters, all 1 (weakly not taken) after reset, indexed by `PC[s + log2 p - 1 : s]`; predicts
//! taken if the counter is 2 or 3. Each direct conditional looks up its counter and moves it towards its outcome.
//!
//! # Source
//! J. E. Smith, "A Study of Branch Prediction Strategies", ISCA 1981, pp. 135-148, strategy 7.

use super::{OutcomePredictor, OutcomeSizes};
use crate::platform::ParamError;

const MAX: usize = 4096;

/// Size of the table; in the name of a set `bimodal1024`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BimodalSizes {
    /// p: number of two-bit counters. 256, 512, 1024, 2048 or 4096.
    pub counters: u16,
}

impl BimodalSizes {
    /// log2 p: width of the index, bits.
    pub const fn log2(&self) -> u32 {
        self.counters.trailing_zeros()
    }
}

impl OutcomeSizes for BimodalSizes {
    type Model = Bimodal;
    const BLOCK: &'static str = "bimodal";
    const EXAMPLES: &'static [&'static str] = &["bimodal256", "bimodal4096"];

    fn parse(text: &str) -> Option<Self> {
        text.strip_prefix("bimodal")?.parse().ok().map(|counters| Self { counters })
    }

    fn name(&self) -> String {
        format!("bimodal{}", self.counters)
    }

    fn canonical(&self) -> String {
        format!("bimodal={}", self.counters)
    }

    fn check(&self) -> Result<(), ParamError> {
        let ok = matches!(self.counters, 256 | 512 | 1024 | 2048 | 4096);
        ParamError::unless(ok, "bimodal", self.counters.into(), "256, 512, 1024, 2048 or 4096")
    }

    fn state_bits(&self) -> u32 {
        2 * u32::from(self.counters)
    }

    fn clear_clocks(&self) -> u32 {
        u32::from(self.counters)
    }

    fn model(&self, pc_shift: u8) -> Bimodal {
        Bimodal::new(self, pc_shift)
    }
}

/// Golden model of the bimodal predictor.
#[derive(Clone, Debug)]
pub struct Bimodal {
    counters: Box<[u8; MAX]>,
    mask: u32,
    shift: u8,
}

impl Bimodal {
    /// State after reset.
    pub fn new(sizes: &BimodalSizes, pc_shift: u8) -> Self {
        Self { counters: Box::new([1; MAX]), mask: u32::from(sizes.counters) - 1, shift: pc_shift }
    }

    /// Index of the counter of a branch at `pc`.
    #[inline]
    pub fn index(&self, pc: u64) -> usize {
        ((pc >> self.shift) as u32 & self.mask) as usize & (MAX - 1)
    }

    /// The counter at `index`, 0..=3.
    pub fn counter(&self, index: usize) -> u8 {
        self.counters[index]
    }
}

impl OutcomePredictor for Bimodal {
    fn reset(&mut self) {
        self.counters.fill(1);
    }

    #[inline]
    fn predict(&self, pc: u64) -> bool {
        self.counters[self.index(pc)] >= 2
    }

    #[inline]
    fn update(&mut self, pc: u64, taken: bool) {
        let index = self.index(pc);
        let counter = &mut self.counters[index];
        *counter = if taken { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Bimodal {
        BimodalSizes { counters: 256 }.model(1)
    }

    #[test]
    fn a_counter_walks_and_stops_at_both_ends() {
        let mut b = table();
        let outcomes = [true, true, true, true, false, false, false, false, false];
        let walk: Vec<(bool, u8)> =
            outcomes.map(|taken| (b.predict(0x10), (b.update(0x10, taken), b.counter(8)).1)).into();
        let (t, n) = (true, false);
        assert_eq!(walk, [(n, 2), (t, 3), (t, 3), (t, 3), (t, 2), (t, 1), (n, 0), (n, 0), (n, 0)]);
        b.update(0x10, true);
        b.reset();
        assert_eq!(b.counter(8), 1);
    }

    #[test]
    fn the_index_is_the_address_alone() {
        let mut b = table();
        // PC[8:1]
        assert_eq!([0, 2, 0x1fe, 0x200, 0x8000_0012].map(|pc| b.index(pc)), [0, 1, 255, 0, 9]);
        for _ in 0..20 {
            b.update(0x40, true);
            b.update(0x42, false);
        }
        assert!(b.predict(0x40) && !b.predict(0x42));
        // 256 counters further is the same counter
        assert!(b.predict(0x240));
    }
}
