//! Tables of encoder and decoder: predictors, jump target cache and return stack

use super::Options;

/// log2 of the alignment of addresses, `iaddress_lsb_p`.
const LSB: u32 = 1;
/// Predicts not taken; the last outcome was taken.
const WEAKLY_NOT_TAKEN: u8 = 0b01;

#[derive(Clone, Debug)]
pub(super) struct Tables {
    options: Options,
    /// Two bits each: the prediction, and the last outcome.
    predictors: Vec<u8>,
    targets: Vec<Option<u64>>,
    returns: Vec<u64>,
}

impl Tables {
    pub(super) fn new(options: Options) -> Self {
        let entries = |log2: u8| if log2 == 0 { 0 } else { 1 << log2 };
        Self {
            options,
            predictors: vec![WEAKLY_NOT_TAKEN; entries(options.predictors)],
            targets: vec![None; entries(options.jump_targets)],
            returns: Vec::with_capacity(entries(options.return_stack)),
        }
    }

    /// Resets the tables, as a synchronisation packet does.
    pub(super) fn reset(&mut self) {
        self.predictors.fill(WEAKLY_NOT_TAKEN);
        self.targets.fill(None);
        self.returns.clear();
    }

    fn index(address: u64, log2: u8) -> usize {
        (address >> LSB) as usize & ((1 << log2) - 1)
    }

    /// The predicted outcome of the branch at `pc`; `None` if branch prediction is off.
    pub(super) fn predict(&self, pc: u64) -> Option<bool> {
        self.predictors.get(Self::index(pc, self.options.predictors)).map(|p| p >> 1 == 1)
    }

    /// Updates the predictor of the branch at `pc`: the prediction changes after two mispredictions.
    pub(super) fn outcome(&mut self, pc: u64, taken: bool) {
        if let Some(p) = self.predictors.get_mut(Self::index(pc, self.options.predictors)) {
            let predicted = if *p == 0b01 || *p == 0b10 { u8::from(taken) } else { *p >> 1 };
            *p = predicted << 1 | u8::from(taken);
        }
    }

    /// Index of `target` if it is in the cache; otherwise inserts it and returns `None`.
    pub(super) fn look_up(&mut self, target: u64) -> Option<usize> {
        let index = Self::index(target, self.options.jump_targets);
        let entry = self.targets.get_mut(index)?;
        if *entry == Some(target) {
            return Some(index);
        }
        *entry = Some(target);
        None
    }

    /// The target at `index`.
    pub(super) fn target(&self, index: usize) -> Option<u64> {
        *self.targets.get(index)?
    }

    /// Pushes the return address `link` of a call; a full stack drops its oldest entry.
    pub(super) fn call(&mut self, link: u64) {
        if self.options.return_stack == 0 {
            return;
        }
        if self.returns.len() == 1 << self.options.return_stack {
            self.returns.remove(0);
        }
        self.returns.push(link);
    }

    /// Number of entries on the return stack.
    pub(super) fn depth(&self) -> usize {
        self.returns.len()
    }

    /// Predicted target of the next return.
    pub(super) fn top(&self) -> Option<u64> {
        self.returns.last().copied()
    }

    /// Removes the top entry, for a correctly predicted return.
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.returns.pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prediction_changes_when_it_failed_twice() {
        let mut t = Tables::new(Options { predictors: 4, ..Options::BASE });
        // 01: not taken, 11, 10: taken, 11: taken, 10: taken, 00, 01, 00
        let walk = [(true, true), (false, true), (true, true), (false, true), (false, false), (true, false)];
        assert_eq!(t.predict(0x100), Some(false));
        for (taken, then) in walk {
            t.outcome(0x100, taken);
            assert_eq!(t.predict(0x100), Some(then), "after {taken}");
        }
        assert_eq!(t.predict(0x102), Some(false));
        t.outcome(0x120, true); // the same entry: bits 4 to 1 are those of 0x100
        assert_eq!(t.predict(0x100), Some(true));
        t.reset();
        assert_eq!(t.predict(0x100), Some(false));
        assert_eq!(Tables::new(Options::BASE).predict(0x100), None);
    }

    #[test]
    fn the_cache_is_direct_mapped() {
        let mut t = Tables::new(Options { jump_targets: 2, ..Options::BASE });
        assert_eq!([0x100, 0x100, 0x106, 0x106, 0x108, 0x100].map(|a| t.look_up(a)), {
            [None, Some(0), None, Some(3), None, None]
        });
        assert_eq!((t.target(0), t.target(1), t.target(4)), (Some(0x100), None, None));
        assert_eq!(Tables::new(Options::BASE).look_up(0), None);
    }

    #[test]
    fn a_full_stack_forgets_the_oldest_return() {
        let mut t = Tables::new(Options { return_stack: 1, ..Options::BASE });
        (1..=3).for_each(|link| t.call(link));
        assert_eq!((t.depth(), t.top()), (2, Some(3)));
        assert_eq!([t.pop(), t.pop(), t.pop()], [Some(3), Some(2), None]);
    }
}
