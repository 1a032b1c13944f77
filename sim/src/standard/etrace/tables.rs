//! Tables of the decoder: branch predictors, jump target cache and return stack
//!
//! # Source
//! Efficient Trace for RISC-V 2.0, chapter 4, "Optional and run-time configurable modes".

use super::params::Parameters;
use std::collections::VecDeque;

/// Initial state of a predictor: predicts not taken, and changes after one taken branch.
const INITIAL: u8 = 0b01;

/// The return stack.
#[derive(Clone, Debug)]
pub(super) struct Returns {
    entries: VecDeque<u64>,
    most: usize,
}

impl Returns {
    fn new(most: usize) -> Self {
        Self { entries: VecDeque::with_capacity(most), most }
    }

    /// A call that returns to `link`.
    pub(super) fn call(&mut self, link: u64) {
        if self.entries.len() == self.most && self.entries.pop_front().is_none() {
            return;
        }
        self.entries.push_back(link);
    }

    /// The predicted return.
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.entries.pop_back()
    }

    /// Target of the predicted return.
    pub(super) fn top(&self) -> Option<u64> {
        self.entries.back().copied()
    }

    /// Number of entries.
    pub(super) fn depth(&self) -> u64 {
        self.entries.len() as u64
    }
}

#[derive(Clone, Debug)]
pub(super) struct Tables {
    lsb: u8,
    predictors: Vec<u8>,
    targets: Vec<Option<u64>>,
    pub(super) returns: Returns,
}

impl Tables {
    pub(super) fn new(p: &Parameters) -> Self {
        let entries = |log2: u8| if log2 == 0 { 0 } else { 1 << log2 };
        let most_returns =
            entries(if p.return_stack_size_p > 0 { p.return_stack_size_p } else { p.call_counter_size_p });
        Self {
            lsb: p.iaddress_lsb_p,
            predictors: vec![INITIAL; entries(p.bpred_size_p)],
            targets: vec![None; entries(p.cache_size_p)],
            returns: Returns::new(most_returns),
        }
    }

    /// Resets them, as each synchronization packet does.
    pub(super) fn reset(&mut self) {
        self.predictors.fill(INITIAL);
        self.targets.fill(None);
        self.returns.entries.clear();
    }

    fn row(&self, pc: u64, rows: usize) -> usize {
        (pc >> self.lsb) as usize & rows.wrapping_sub(1)
    }

    /// Prediction of the branch at `pc`.
    pub(super) fn predict(&self, pc: u64) -> bool {
        self.predictors.get(self.row(pc, self.predictors.len())).is_some_and(|state| state & 2 != 0)
    }

    /// The branch at `pc` was executed.
    pub(super) fn outcome(&mut self, pc: u64, taken: bool) {
        let row = self.row(pc, self.predictors.len());
        if let Some(state) = self.predictors.get_mut(row) {
            *state = match (*state, taken) {
                (0b00, true) => 0b01,
                (0b00 | 0b01, false) | (0b10, false) => 0b00,
                (0b01..=0b11, true) => 0b11,
                _ => 0b10,
            };
        }
    }

    /// The target in an entry of the cache.
    pub(super) fn target(&self, index: u64) -> Option<u64> {
        *self.targets.get(usize::try_from(index).ok()?)?
    }

    /// An uninferable jump went to `target`.
    pub(super) fn jumped(&mut self, target: u64) {
        let row = self.row(target, self.targets.len());
        if let Some(entry) = self.targets.get_mut(row) {
            *entry = Some(target);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictors_walk_as_the_specification_lists() {
        let mut t = Tables::new(&Parameters { bpred_size_p: 4, ..Parameters::default() });
        // 01 -> 00 -> 01 -> 11 -> 10 -> 11 -> 10 -> 00
        for (taken, predicts) in
            [(false, false), (true, false), (true, true), (false, true), (true, true), (false, true), (false, false)]
        {
            t.outcome(0x104, taken);
            assert_eq!(t.predict(0x104), predicts);
        }
        t.outcome(0x102, true);
        assert!(t.predict(0x122), "the same row");
        t.reset();
        assert!(!t.predict(0x122));
    }

    #[test]
    fn a_full_return_stack_drops_its_oldest_entry() {
        let mut t = Tables::new(&Parameters { return_stack_size_p: 1, cache_size_p: 2, ..Parameters::default() });
        [1, 2, 3].into_iter().for_each(|link| t.returns.call(link));
        assert_eq!((t.returns.depth(), t.returns.pop(), t.returns.pop(), t.returns.pop()), (2, Some(3), Some(2), None));
        t.jumped(0x106);
        t.jumped(0x10e);
        assert_eq!((t.target(3), t.target(0), t.target(9)), (Some(0x10e), None, None));
        let mut none = Tables::new(&Parameters::default());
        none.returns.call(1);
        assert_eq!(none.returns.depth(), 0);
    }
}
