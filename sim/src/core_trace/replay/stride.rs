//! A hart in local variables, for a loop over many branches
//!
//! What a hart needs only sometimes is checked once before the loop: signatures, inferred jumps, the warm-up, and code that
//! changes. The others are a few numbers, which the compiler keeps in registers: in memory, each would wait for the store of
//! the branch before.

use super::{Hart, ReplaySink};
use retire::image::{Constant, Exit, Image};
use retire::{FlowEvent, FlowKind};

/// A hart between two messages.
#[derive(Clone, Copy, Debug)]
pub struct Stride<'a> {
    code: Constant<'a>,
    index: u8,
    /// Address that the path has reached.
    pc: u64,
    /// Cycle of its events.
    cycle: u64,
    /// Whether it reported one.
    reported: bool,
    /// Instructions since the last reported event.
    since: u32,
    /// Instructions so far, and their maximum.
    retired: u64,
    limit: u64,
}

impl<'a> Stride<'a> {
    /// Retires instructions up to and including the next control-flow instruction; returns their number and that instruction.
    /// `None`, and nothing changes, without code, or beyond the limit.
    #[inline(always)]
    pub fn run(&mut self) -> Option<(u32, &'a Exit)> {
        let (count, exit) = self.code.run(self.pc)?;
        let retired = self.retired + u64::from(count);
        if retired > self.limit {
            return None;
        }
        self.retired = retired;
        self.since += count;
        Some((count, exit))
    }

    /// Takes back the `count` instructions that retired last.
    // inlined: a call would need all of this in memory
    #[inline(always)]
    pub fn take_back(&mut self, count: u32) {
        self.retired -= u64::from(count);
        self.since -= count;
    }

    /// Reports that `exit` went to `target`.
    #[inline(always)]
    pub fn report_exit(&mut self, kind: FlowKind, exit: &Exit, target: u64, sink: &mut impl ReplaySink) {
        let Exit { pc, len, .. } = *exit;
        sink.event(&FlowEvent { hart: self.index, kind, len, count: self.since, pc, target, cycle: self.cycle });
        (self.since, self.reported, self.pc) = (0, true, target);
    }
}

impl Hart {
    /// The hart in local variables; `None` if its branches need more.
    #[inline(always)]
    pub fn stride<'a>(&self, image: &'a Image) -> Option<Stride<'a>> {
        // the last instruction of the next run is after the warm-up
        let plain = self.infers.is_none() && self.signature_check.is_none() && self.instructions >= self.warm_up_end;
        if !plain {
            return None;
        }
        Some(Stride {
            code: image.constant()?,
            index: self.index,
            pc: self.pc,
            cycle: self.cycle,
            reported: false,
            since: self.since,
            retired: 0,
            limit: self.limit.checked_sub(self.run)?,
        })
    }

    /// Takes what changed.
    #[inline(always)]
    pub fn stride_done(&mut self, stride: Stride<'_>) {
        self.pc = stride.pc;
        self.since = stride.since;
        self.run += stride.retired;
        self.instructions += stride.retired;
        if stride.reported {
            self.reported = stride.cycle;
        }
    }
}
