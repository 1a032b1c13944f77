//! Descriptors of figure 4.22: mispredicted outcomes, mispredicted targets and exceptions, as `mcfTRaptor` writes them
//!
//! | form | outcome | target | exception |
//! | --- | --- | --- | --- |
//! | binary | type 0, thread, `bCnt` | type 1, thread, `bCnt`, taken, target | type 2, thread, 0 in 4 bytes, `iCnt`, target |
//! | bytes | 1, 1, 4: 6 | 1, 1, 4, 1, 8: 15 | 1, 1, 4, 4, 8: 18 |
//! | ASCII | `0, 1` | `1, 1, T, 0x0000003f83e07780` | `0, 0, 78, 0x0000000000010074` |
//!
//! Numbers of several bytes are little-endian. The text of the thesis omits the type byte (5, 14 and 17). Its figure has it, and
//! so do its files: the 99,661,752 bytes of table 6.6 are 14,700,879 outcomes of 6 bytes and 764,015 targets of 15, to 4 in
//! 100,000. The figure does not show its position in a descriptor. `bCnt` counts the branch itself, `iCnt` the instructions before
//! the exception, both since the thread's last descriptor. A conditional indirect branch (32-bit ARM) that is not taken is a
//! target with `N` or 0 for taken. The disassembly after each line is added by `host`.
//!
//! The predictors are those of the golden model, private or shared. Shared predictors cannot be followed from the descriptors
//! alone, since these do not include the order of the threads.

use super::model::Predictor;
use super::TrParams;
use crate::platform::Platform;
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind, RetireSink};
use std::io::{self, Write};

/// The misprediction or exception that a descriptor reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Outcome of a conditional branch.
    Outcome {
        /// Branches since the last descriptor, including this one.
        b_cnt: u32,
    },
    /// Target of an indirect branch.
    Target {
        /// As in [`What::Outcome`].
        b_cnt: u32,
        /// False only for a conditional one that was not taken.
        taken: bool,
        /// Address of the next instruction.
        target: u64,
    },
    /// Exception or interrupt.
    Exception {
        /// Instructions since the last descriptor.
        i_cnt: u32,
        /// Address of its handler.
        target: u64,
    },
}

/// A control-flow descriptor: an event of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Thread, or core.
    pub thread: u8,
    /// The event that it reports.
    pub what: What,
}

impl Descriptor {
    /// Writes it as a line.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn ascii(&self, out: &mut dyn Write) -> io::Result<()> {
        let thread = self.thread;
        match self.what {
            What::Outcome { b_cnt } => writeln!(out, "{thread}, {b_cnt}"),
            What::Target { b_cnt, taken, target } => {
                writeln!(out, "{thread}, {b_cnt}, {}, 0x{target:016x}", if taken { 'T' } else { 'N' })
            }
            What::Exception { i_cnt, target } => writeln!(out, "{thread}, 0, {i_cnt}, 0x{target:016x}"),
        }
    }

    /// Writes its bytes.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn binary(&self, out: &mut dyn Write) -> io::Result<()> {
        let thread = self.thread;
        match self.what {
            What::Outcome { b_cnt } => {
                out.write_all(&[0, thread])?;
                out.write_all(&b_cnt.to_le_bytes())
            }
            What::Target { b_cnt, taken, target } => {
                out.write_all(&[1, thread])?;
                out.write_all(&b_cnt.to_le_bytes())?;
                out.write_all(&[taken.into()])?;
                out.write_all(&target.to_le_bytes())
            }
            What::Exception { i_cnt, target } => {
                out.write_all(&[2, thread, 0, 0, 0, 0])?;
                out.write_all(&i_cnt.to_le_bytes())?;
                out.write_all(&target.to_le_bytes())
            }
        }
    }
}

/// Counts of one thread, with private or shared predictors.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    branches: u32,
    instructions: u32,
}

/// A sink that makes the descriptors of all threads, in order.
#[derive(Clone, Debug)]
pub struct Descriptors {
    /// One per thread, or a shared one.
    predictors: Vec<Predictor>,
    counts: Vec<Counts>,
    made: Vec<Descriptor>,
}

impl Descriptors {
    /// Predictors in the reset state: one per core of `platform`, or one that all share.
    pub fn new(params: &TrParams, platform: &Platform, shared: bool) -> Self {
        let predictor = Predictor::new(params, platform);
        Self {
            predictors: vec![predictor; if shared { 1 } else { platform.cores.into() }],
            counts: vec![Counts::default(); platform.cores.into()],
            made: Vec::new(),
        }
    }

    /// Takes the descriptors made since the last call.
    pub fn take(&mut self) -> std::vec::Drain<'_, Descriptor> {
        self.made.drain(..)
    }

    /// Runs the branch of `e` through the predictor; returns what was mispredicted.
    fn missed(predictor: &mut Predictor, e: &FlowEvent, b_cnt: u32) -> Option<What> {
        let mut correct = true;
        let mut indirect = |how| {
            predictor.indirect(how, e.pc, e.fall_through(), false, |predicted| {
                correct = predicted == Some(e.target);
                Some(e.target)
            });
            (!correct).then_some(What::Target { b_cnt, taken: true, target: e.target })
        };
        match e.kind {
            FlowKind::Conditional { taken } => {
                predictor.conditional(e.pc, false, |predicted| {
                    correct = predicted == taken;
                    taken
                });
                (!correct).then_some(What::Outcome { b_cnt })
            }
            FlowKind::IndirectCall => indirect(Indirect::Call),
            FlowKind::Return => indirect(Indirect::Return),
            FlowKind::CoSwap => indirect(Indirect::CoSwap),
            FlowKind::ConditionalIndirect { how, taken: true } => indirect(how),
            FlowKind::ConditionalIndirect { taken: false, .. } => {
                predictor.indirect_not_taken(e.pc, false);
                Some(What::Target { b_cnt, taken: false, target: e.target })
            }
            _ => indirect(Indirect::Jump),
        }
    }
}

impl RetireSink for Descriptors {
    fn event(&mut self, e: &FlowEvent) {
        let shared = self.predictors.len() < self.counts.len();
        let thread = usize::from(e.hart);
        let (predictor, counts) = (&mut self.predictors[if shared { 0 } else { thread }], &mut self.counts[thread]);
        counts.instructions = counts.instructions.saturating_add(e.count);
        let what = match e.kind {
            FlowKind::Start | FlowKind::Stop | FlowKind::Context { .. } | FlowKind::Gap { .. } | FlowKind::Jump => {
                return
            }
            FlowKind::Call => return predictor.call(e.fall_through(), false),
            FlowKind::Trap { .. } => Some(What::Exception { i_cnt: counts.instructions, target: e.target }),
            _ => {
                counts.branches = counts.branches.saturating_add(1);
                Self::missed(predictor, e, counts.branches)
            }
        };
        if let Some(what) = what {
            *counts = Counts::default();
            self.made.push(Descriptor { thread: e.hart, what });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(hart: u8, kind: FlowKind, pc: u64, target: u64) -> FlowEvent {
        FlowEvent { hart, kind, len: 4, count: 3, pc, target, cycle: 0 }
    }

    fn made(shared: bool, events: &[FlowEvent]) -> Vec<Descriptor> {
        let mut d = Descriptors::new(&TrParams::sizes(256, 8, 16), &Platform { cores: 2, ..Platform::RV32 }, shared);
        events.iter().for_each(|e| d.event(e));
        d.take().collect()
    }

    #[test]
    fn figure_4_22() {
        let of = |what| {
            let (mut text, mut bytes) = (Vec::new(), Vec::new());
            let d = Descriptor { thread: 1, what };
            d.ascii(&mut text).unwrap();
            d.binary(&mut bytes).unwrap();
            (String::from_utf8(text).unwrap(), bytes)
        };
        assert_eq!(of(What::Outcome { b_cnt: 0x102 }), ("1, 258\n".into(), vec![0, 1, 2, 1, 0, 0]));
        let target = What::Target { b_cnt: 1, taken: true, target: 0x3f_83e0_7780 };
        let bytes = vec![1, 1, 1, 0, 0, 0, 1, 0x80, 0x77, 0xe0, 0x83, 0x3f, 0, 0, 0];
        assert_eq!(of(target), ("1, 1, T, 0x0000003f83e07780\n".into(), bytes));
        let exception = What::Exception { i_cnt: 78, target: 0x10074 };
        let bytes = vec![2, 1, 0, 0, 0, 0, 78, 0, 0, 0, 0x74, 0, 1, 0, 0, 0, 0, 0];
        assert_eq!(of(exception), ("1, 0, 78, 0x0000000000010074\n".into(), bytes));
    }

    #[test]
    fn threads_count_separately_and_may_share_a_return_stack() {
        let taken = FlowKind::Conditional { taken: false };
        let events = [
            // predicted: counters start as not taken
            event(0, taken, 0x100, 0x104),
            event(0, FlowKind::Call, 0x104, 0x200),
            event(1, FlowKind::Return, 0x300, 0x108),
            event(0, FlowKind::Return, 0x200, 0x108),
            event(1, FlowKind::Trap { interrupt: true, cause: 7 }, 0x108, 0x400),
        ];
        let target = |thread, b_cnt| Descriptor { thread, what: What::Target { b_cnt, taken: true, target: 0x108 } };
        let trap = |i_cnt| Descriptor { thread: 1, what: What::Exception { i_cnt, target: 0x400 } };
        // private predictors: the stack of thread 1 is empty
        assert_eq!(made(false, &events), [target(1, 1), trap(3)]);
        // shared: thread 1 pops the entry of thread 0, and the branch buffer has no entry for thread 0
        assert_eq!(made(true, &events), [target(0, 2), trap(6)]);
    }

    #[test]
    fn a_not_taken_conditional_indirect_branch_is_reported() {
        let how = FlowKind::ConditionalIndirect { how: Indirect::Jump, taken: false };
        let what = What::Target { b_cnt: 1, taken: false, target: 0x104 };
        assert_eq!(made(false, &[event(0, how, 0x100, 0x104)]), [Descriptor { thread: 0, what }]);
    }
}
