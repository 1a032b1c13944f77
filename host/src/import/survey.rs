//! A first pass over a trace without code, for what only the whole trace shows of its branches
//!
//! * the length of a call, from the target of its return: needed for prediction with a return address stack;
//! * a branch whose kind is direct, but which has several targets, is indirect;
//! * the number of instructions from the start of a run to its branch.
//!
//! Memory grows with the number of different branches, not with the length of the trace.

use std::collections::HashMap;

/// Reported length of a direct conditional branch: no other branch can start inside it, so its fall-through address
/// never coincides with another branch.
pub(super) const CONDITIONAL_LEN: u8 = 2;
/// Reported length if it is unknown.
const UNKNOWN_LEN: u8 = 4;
/// Maximum length of an instruction of other architectures.
pub(super) const MAX_INSTRUCTION_LEN: u64 = 15;
/// Maximum depth of open calls.
const MAX_DEPTH: usize = 1 << 12;
/// Number of calls that a return may skip (`longjmp`).
const MAX_SKIPPED_CALLS: usize = 16;

/// What is known of a branch.
#[derive(Clone, Copy, Debug)]
struct Seen {
    target: Option<u64>,
    many: bool,
    len: u8,
}

/// A run of instructions up to a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Number of instructions, the smallest reported.
    pub(super) count: u32,
    /// Address of the branch.
    pub(super) exit: u64,
}

/// Branches, runs and open calls seen so far.
#[derive(Debug, Default)]
pub(super) struct Survey {
    branches: HashMap<u64, Seen>,
    runs: HashMap<u64, Run>,
    calls: Vec<u64>,
}

impl Survey {
    /// Adds a branch to `target` (`None`: a conditional one that was not taken).
    pub(super) fn branch(&mut self, pc: u64, kind: u8, target: Option<u64>) {
        let seen = self.branches.entry(pc).or_insert(Seen { target, many: false, len: 0 });
        let Some(target) = target else { return };
        seen.many |= *seen.target.get_or_insert(target) != target;
        match kind {
            3 | 5 => {
                if self.calls.len() == MAX_DEPTH {
                    self.calls.drain(..MAX_DEPTH / 2);
                }
                self.calls.push(pc);
            }
            6 => self.returned(target),
            _ => {}
        }
    }

    /// Adds a return, which gives the length of its call.
    fn returned(&mut self, target: u64) {
        let from = self.calls.len().saturating_sub(MAX_SKIPPED_CALLS);
        let returns_from = |call: &u64| (1..=MAX_INSTRUCTION_LEN).contains(&target.wrapping_sub(*call));
        let Some(index) = self.calls[from..].iter().rposition(returns_from) else {
            self.calls.pop();
            return;
        };
        let call = self.calls[from + index];
        self.calls.truncate(from + index);
        if let Some(seen) = self.branches.get_mut(&call).filter(|s| s.len == 0) {
            seen.len = (target - call) as u8;
        }
    }

    /// Adds a run of `count` instructions from `at` to the branch `exit`.
    pub(super) fn run(&mut self, at: u64, count: u32, exit: u64) {
        let run = self.runs.entry(at).or_insert(Run { count, exit });
        if run.exit == exit {
            run.count = run.count.min(count);
        }
    }

    /// The run that starts at `at`.
    pub(super) fn run_at(&self, at: u64) -> Option<Run> {
        self.runs.get(&at).copied()
    }

    /// The target of a branch that was taken, the first one if there are several.
    pub(super) fn target(&self, pc: u64) -> Option<u64> {
        self.branches.get(&pc).and_then(|s| s.target)
    }

    /// Whether the branch had several targets.
    pub(super) fn many(&self, pc: u64) -> bool {
        self.branches.get(&pc).is_some_and(|s| s.many)
    }

    /// Kind and length reported for a branch.
    pub(super) fn kind_and_len(&self, pc: u64, kind: u8) -> (u8, u8) {
        let len = self.branches.get(&pc).map_or(0, |s| s.len);
        let len = if len == 0 { UNKNOWN_LEN } else { len };
        match (kind, self.many(pc)) {
            (0 | 1, true) | (2, true) => (4, len),
            (0 | 1, false) => (kind, CONDITIONAL_LEN),
            (3, true) => (5, len),
            _ => (kind, len),
        }
    }

    /// Notes on the choices made.
    pub(super) fn notes(&self, direct: impl Fn(u64) -> bool) -> Vec<String> {
        let many = self.branches.iter().filter(|(pc, s)| s.many && direct(**pc)).count();
        let note = format!("{many} direct branches with several targets, imported as indirect ones");
        (many > 0).then_some(note).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_length_that_their_returns_say() {
        let mut s = Survey::default();
        s.branch(0x100, 3, Some(0x200));
        s.branch(0x210, 5, Some(0x300));
        s.branch(0x300, 6, Some(0x105)); // one call is skipped
        s.branch(0x110, 3, Some(0x200));
        s.branch(0x220, 6, Some(0x900)); // to a distant address
        assert_eq!(
            (s.kind_and_len(0x100, 3), s.kind_and_len(0x210, 5), s.kind_and_len(0x110, 3)),
            ((3, 5), (5, 4), (3, 4))
        );
    }

    #[test]
    fn a_direct_branch_with_two_targets_is_indirect() {
        let mut s = Survey::default();
        for (pc, kind) in [(0x100, 2), (0x200, 3), (0x300, 1)] {
            s.branch(pc, kind, Some(0x1000));
            assert_eq!(s.kind_and_len(pc, kind).0, kind);
            s.branch(pc, kind, None);
            assert!(!s.many(pc));
            s.branch(pc, kind, Some(0x2000));
        }
        assert_eq!([s.kind_and_len(0x100, 2).0, s.kind_and_len(0x200, 3).0, s.kind_and_len(0x300, 0).0], [4, 5, 4]);
        assert_eq!(s.notes(|_| true), ["3 direct branches with several targets, imported as indirect ones"]);
    }

    #[test]
    fn a_run_has_the_least_count_of_its_first_branch() {
        let mut s = Survey::default();
        s.run(0x100, 9, 0x120);
        s.run(0x100, 5, 0x120);
        s.run(0x100, 1, 0x130);
        assert_eq!(s.run_at(0x100), Some(Run { count: 5, exit: 0x120 }));
    }
}
