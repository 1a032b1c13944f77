//! Counts of the statistics files of mcfTrace and mlsTrace, by thread
//!
//! # Source
//! Paper 003, figures 4.3 and 4.14, table 4.4. These do not distinguish jumps, calls and returns.

use retire::{DataEvent, DataKind, FlowKind};
use serde::Serialize;
use std::ops::AddAssign;

/// Number of kinds of branches.
pub const KINDS: usize = 8;
/// Names of the kinds, in the order of [`Counts::branches`].
pub const KIND_NAMES: [&str; KINDS] = [
    "conditional, taken",
    "conditional, not taken",
    "jump",
    "call",
    "indirect jump",
    "indirect call",
    "return",
    "swap",
];
/// Classes of branches in the thesis, in the order of [`Counts::classes`].
pub const BRANCHES: [&str; 4] =
    ["unconditional indirect", "unconditional direct", "conditional direct, taken", "conditional direct, not taken"];
/// Number of sizes of operands.
pub const SIZES: usize = 6;
/// Names of operands of 1, 2, 4, 8, 16 and 32 bytes in the thesis.
pub const OPERANDS: [&str; SIZES] = ["byte", "word", "doubleword", "quadword", "octaword", "hexaword"];

/// Counts of one thread, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Branches by kind, in the order of [`KIND_NAMES`].
    pub branches: [u64; KINDS],
    /// Loads of 1 to 32 bytes, in the order of [`OPERANDS`].
    pub loads: [u64; SIZES],
    /// Stores.
    pub stores: [u64; SIZES],
}

/// Index of an event's kind in [`KIND_NAMES`]; `None` if it is not a branch instruction. A return from a handler is a
/// system call.
fn kind(event: FlowKind) -> Option<usize> {
    match event {
        FlowKind::Conditional { taken: true } | FlowKind::ConditionalIndirect { taken: true, .. } => Some(0),
        FlowKind::Conditional { taken: false } | FlowKind::ConditionalIndirect { taken: false, .. } => Some(1),
        FlowKind::Jump => Some(2),
        FlowKind::Call => Some(3),
        FlowKind::IndirectJump => Some(4),
        FlowKind::IndirectCall => Some(5),
        FlowKind::Return => Some(6),
        FlowKind::CoSwap => Some(7),
        FlowKind::TrapReturn
        | FlowKind::Start
        | FlowKind::Trap { .. }
        | FlowKind::Context { .. }
        | FlowKind::Gap { .. }
        | FlowKind::Stop => None,
    }
}

impl Counts {
    /// Sum of all branches.
    pub fn all_branches(&self) -> u64 {
        self.branches.iter().sum()
    }

    /// Branches by class, in the order of [`BRANCHES`].
    pub fn classes(&self) -> [u64; 4] {
        let [taken, not_taken, jumps, calls, indirect @ ..] = self.branches;
        [indirect.iter().sum(), jumps + calls, taken, not_taken]
    }
}

impl AddAssign<&Self> for Counts {
    fn add_assign(&mut self, other: &Self) {
        let sum = |to: &mut [u64], of: &[u64]| to.iter_mut().zip(of).for_each(|(a, b)| *a += b);
        sum(&mut self.branches, &other.branches);
        sum(&mut self.loads, &other.loads);
        sum(&mut self.stores, &other.stores);
    }
}

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Counts by thread, in order of creation.
    pub threads: Vec<Counts>,
}

impl Statistics {
    /// Sum over all threads.
    pub fn all(&self) -> Counts {
        let mut sum = Counts::default();
        self.threads.iter().for_each(|t| sum += t);
        sum
    }

    #[inline]
    fn of(&mut self, thread: u32) -> &mut Counts {
        let thread = thread as usize;
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Counts::default());
        }
        &mut self.threads[thread]
    }

    /// Counts an event of a thread.
    #[inline]
    pub fn event(&mut self, thread: u32, event: FlowKind) {
        if let Some(kind) = kind(event) {
            self.of(thread).branches[kind] += 1;
        }
    }

    /// Counts the operand of a thread that begins with `data`; `size`: [`crate::expand::Origin::operand`].
    #[inline]
    pub fn data(&mut self, thread: u32, size: u8, data: &DataEvent) {
        let is_load = match data.kind {
            DataKind::Load { .. } => true,
            DataKind::Store { .. } => false,
            DataKind::Csr { .. } | DataKind::Register { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {
                return
            }
        };
        if size > 0 {
            let of = self.of(thread);
            let counts = if is_load { &mut of.loads } else { &mut of.stores };
            counts[(size.trailing_zeros() as usize).min(SIZES - 1)] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_apart_and_summed() {
        let mut s = Statistics::default();
        for (thread, event) in [
            (0, FlowKind::Start),
            (0, FlowKind::Call),
            (2, FlowKind::Conditional { taken: true }),
            (2, FlowKind::Conditional { taken: false }),
            (2, FlowKind::Jump),
            (0, FlowKind::IndirectCall),
            (0, FlowKind::Return),
            (2, FlowKind::Return),
            (2, FlowKind::TrapReturn),
        ] {
            s.event(thread, event);
        }
        let load = DataEvent { hart: 0, kind: DataKind::Load { size: 4, addr: 0, value: 0 }, pc: 0, cycle: 0 };
        let store = DataEvent { kind: DataKind::Store { size: 1, addr: 0, value: 0 }, ..load };
        s.data(1, 4, &load);
        s.data(2, 4, &load);
        s.data(2, 1, &store);
        // an operand in two parts
        s.data(2, 16, &load);
        s.data(2, 0, &load);
        assert_eq!(s.threads[0].branches, [0, 0, 0, 1, 0, 1, 1, 0]);
        assert_eq!(s.threads[2].branches, [1, 1, 1, 0, 0, 0, 1, 0]);
        let all = s.all();
        assert_eq!((all.classes(), all.all_branches()), ([3, 2, 1, 1], 7));
        let loads = ([0, 0, 2, 0, 1, 0], [0, 0, 1, 0, 1, 0]);
        assert_eq!((all.loads, s.threads[2].loads, all.stores), (loads.0, loads.1, [1, 0, 0, 0, 0, 0]));
    }
}
