//! gshare outcome predictor
//!
//! p two-bit saturating counters, all 1 (weakly not taken) after reset, indexed by
//! `BHR[log2 p - 1 : 0] xor PC[s + log2 p - 1 : s]`; predicts taken if the counter is 2 or 3. Each
//! direct conditional looks up its counter, moves it towards its outcome and shifts the outcome into
//! the BHR.
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1, paper 003 figure 4.29; tested against its figure 4.31.

use super::{OutcomePredictor, OutcomeSizes};
use crate::platform::ParamError;

const MAX: usize = 4096;

/// Size of gshare; in the name of a set just the number of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GshareSizes {
    /// p: number of two-bit counters. 256, 512, 1024, 2048 or 4096.
    pub counters: u16,
}

impl GshareSizes {
    /// log2 p: width of the index and of the BHR, bits.
    pub const fn log2(&self) -> u32 {
        self.counters.trailing_zeros()
    }
}

impl OutcomeSizes for GshareSizes {
    type Model = Gshare;
    const BLOCK: &'static str = "gshare";
    const EXAMPLES: &'static [&'static str] = &["256", "4096"];

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(|counters| Self { counters })
    }

    fn name(&self) -> String {
        self.counters.to_string()
    }

    fn canonical(&self) -> String {
        format!("gshare={}", self.counters)
    }

    fn check(&self) -> Result<(), ParamError> {
        let ok = matches!(self.counters, 256 | 512 | 1024 | 2048 | 4096);
        ParamError::unless(ok, "gshare", self.counters.into(), "256, 512, 1024, 2048 or 4096")
    }

    fn state_bits(&self) -> u32 {
        2 * u32::from(self.counters) + self.log2()
    }

    fn clear_clocks(&self) -> u32 {
        u32::from(self.counters)
    }

    fn model(&self, pc_shift: u8) -> Gshare {
        Gshare::new(self, pc_shift)
    }
}

/// Golden model of gshare: the counters and the branch history register.
#[derive(Clone, Debug)]
pub struct Gshare {
    counters: Box<[u8; MAX]>,
    bhr: u32,
    mask: u32,
    shift: u8,
}

impl Gshare {
    /// State after reset.
    pub fn new(sizes: &GshareSizes, pc_shift: u8) -> Self {
        Self { counters: Box::new([1; MAX]), bhr: 0, mask: u32::from(sizes.counters) - 1, shift: pc_shift }
    }

    /// Index of the counter that a branch at `pc` looks up now.
    #[inline]
    pub fn index(&self, pc: u64) -> usize {
        self.index_after(self.bhr, pc)
    }

    /// Index of the counter that a branch at `pc` looks up after the outcomes in `bhr`.
    #[inline(always)]
    fn index_after(&self, bhr: u32, pc: u64) -> usize {
        ((bhr ^ (pc >> self.shift) as u32) & self.mask) as usize & (MAX - 1)
    }

    /// The counter at `index` moves towards this outcome; returns the BHR after it and `bhr`.
    #[inline(always)]
    fn learn(&mut self, index: usize, bhr: u32, taken: bool) -> u32 {
        let counter = &mut self.counters[index];
        // a table is faster than two branches; index: counter, plus 4 if taken
        const NEXT: [u8; 8] = [0, 0, 1, 2, 1, 2, 3, 3];
        *counter = NEXT[usize::from(*counter & 3 | u8::from(taken) << 2)];
        (bhr << 1 | u32::from(taken)) & self.mask
    }

    /// The counter at `index`, 0..=3.
    pub fn counter(&self, index: usize) -> u8 {
        self.counters[index]
    }
}

impl OutcomePredictor for Gshare {
    fn reset(&mut self) {
        self.counters.fill(1);
        self.bhr = 0;
    }

    #[inline]
    fn predict(&self, pc: u64) -> bool {
        self.counters[self.index(pc)] >= 2
    }

    #[inline]
    fn update(&mut self, pc: u64, taken: bool) {
        self.bhr = self.learn(self.index(pc), self.bhr, taken);
    }

    #[inline]
    fn history(&self) -> u32 {
        self.bhr
    }

    #[inline]
    fn set_history(&mut self, history: u32) {
        self.bhr = history;
    }

    #[inline(always)]
    fn predicted(&mut self, history: &mut u32, pc: u64) -> bool {
        let index = self.index_after(*history, pc);
        let taken = self.counters[index] >= 2;
        *history = self.learn(index, *history, taken);
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paper 003 figure 4.31: a loop branch (PC[11:4] = 0x48) after six taken outcomes, then two
    /// more branches with PC[11:4] = 0x49; 256 counters, PC shift 4.
    #[test]
    fn figure_4_31_of_paper_003() {
        let mut g = Gshare::new(&GshareSizes { counters: 256 }, 4);
        let pc_loop = 0x40_048f;
        for _ in 0..6 {
            g.update(pc_loop, true);
        }
        // (pc, index, counter before, outcome, correct, counter after)
        let printed = [
            (pc_loop, 119, 1, true, false, 2),
            (pc_loop, 55, 1, true, false, 2),
            (pc_loop, 183, 1, true, false, 2),
            (pc_loop, 183, 2, true, true, 3),
            (pc_loop, 183, 3, false, false, 2),
            (0x40_0491, 183, 2, false, false, 1),
            (0x40_0493, 181, 1, false, true, 0),
        ];
        for (pc, index, before, taken, correct, after) in printed {
            assert_eq!((g.index(pc), g.counter(index)), (index, before));
            assert_eq!(g.predict(pc) == taken, correct);
            g.update(pc, taken);
            assert_eq!(g.counter(index), after);
        }
    }

    #[test]
    fn a_counter_walks_and_stops_at_both_ends() {
        // the history changes the index, so the walk is done with an all-zero and an all-one history
        let mut g = Gshare::new(&GshareSizes { counters: 256 }, 1);
        let walk: Vec<u8> = (0..3).map(|_| (g.update(0, false), g.counter(0)).1).collect();
        assert_eq!(walk, [0, 0, 0]);
        g.bhr = 255;
        let walk: Vec<u8> = (0..4).map(|_| (g.update(0, true), g.counter(255)).1).collect();
        assert_eq!(walk, [2, 3, 3, 3]);
    }
}
