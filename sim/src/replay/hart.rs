//! Replay of one hart between two messages
//!
//! # Source
//! Paper 000 figure 6, paper 002 figure 4.

use super::ReplaySink;
use crate::golden::predictor::Predictor;
use crate::params::{Scheme, TraceParams};
use retire::image::{Exit, ExitKind, Image};
use retire::{FlowEvent, FlowKind};

/// Why the program cannot have done what the messages say.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The path leaves the ELF's code.
    #[error("pc 0x{0:08x} is outside the code of the ELF")]
    OutsideCode(u64),
    /// An indirect branch that is said to be predicted, where the predictors predict nothing.
    #[error("the indirect branch at pc 0x{0:08x} is said to be predicted, but its predictor is empty")]
    NoPrediction(u64),
    /// A counter passes more instructions than it can count.
    #[error("no message for {0} instructions: the counters of the trace module cannot go so far")]
    NoProgress(u64),
    /// A stream of a Nexus-like scheme ends where no branch is.
    #[error("the instruction stream ends at pc 0x{0:08x}, which is no branch that could end it")]
    NoBranch(u64),
    /// Scheme `sc-lsp`: a stream that does not begin where the one before ended.
    #[error("the instruction stream starts at pc 0x{start:08x}, but the path has reached pc 0x{pc:08x}")]
    OtherStart {
        /// SA.
        start: u64,
        /// Where the path is.
        pc: u64,
    },
    /// Messages before the first sync, after the stop, or between an overflow and its sync.
    #[error("{0}")]
    OutOfPlace(&'static str),
}

/// Whether a hart can be advanced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// No sync yet.
    Waiting,
    /// The path is known.
    Running,
    /// Between overflow and sync.
    Lost(u32),
    /// After stop.
    Stopped,
}

/// One hart.
#[derive(Clone, Debug)]
pub(super) struct Hart {
    index: u8,
    nexus: bool,
    pub(super) state: State,
    pub(super) pc: u64,
    /// Cycle of the last message.
    pub(super) cycle: u64,
    /// Scheme `sc-lsp`: cycles from there to the end of the stream that is replayed.
    pub(super) ahead: u64,
    /// Instructions since the last event that was told.
    pub(super) since: u32,
    /// Instructions since the last message, and how many there can be.
    run: u64,
    limit: u64,
    pub(super) instructions: u64,
    pub(super) predictor: Predictor,
}

/// The branch that a message reports.
pub(super) struct Reported<'a> {
    pub(super) exit: &'a Exit,
}

impl Hart {
    pub(super) fn new(index: u8, params: &TraceParams) -> Self {
        Self {
            index,
            nexus: !matches!(params.scheme, Scheme::Tr(_)),
            state: State::Waiting,
            pc: 0,
            cycle: 0,
            ahead: 0,
            since: 0,
            run: 0,
            limit: 1 << params.count_bits,
            instructions: 0,
            predictor: Predictor::new(params),
        }
    }

    /// A message of this hart was taken in full.
    pub(super) fn message_done(&mut self) {
        self.run = 0;
    }

    /// Tells `kind` at the current place.
    pub(super) fn tell(&mut self, kind: FlowKind, pc: u64, len: u8, target: u64, sink: &mut impl ReplaySink) {
        let count = std::mem::take(&mut self.since);
        sink.event(&FlowEvent { hart: self.index, kind, len, count, pc, target, cycle: self.cycle });
        self.pc = target;
    }

    #[inline]
    fn retire(&mut self, count: u32) -> Result<(), PathError> {
        self.since += count;
        self.run += u64::from(count);
        self.instructions += u64::from(count);
        if self.run > self.limit {
            Err(PathError::NoProgress(self.limit))
        } else {
            Ok(())
        }
    }

    #[inline]
    fn next_run<'a>(&self, image: &'a Image) -> Result<(u32, &'a Exit), PathError> {
        let (count, exit) = image.run(self.pc).ok_or(PathError::OutsideCode(self.pc))?;
        if exit.kind == ExitKind::End {
            Err(PathError::OutsideCode(exit.pc))
        } else {
            Ok((count, exit))
        }
    }

    /// Takes `exit`, which already counts as retired, as the predictors say (in the Nexus-like schemes:
    /// not taken).
    #[inline]
    fn follow(&mut self, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let link = exit.pc + u64::from(exit.len);
        let (kind, target) = match exit.kind {
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => {
                self.predictor.call(link);
                (FlowKind::Call, exit.target)
            }
            ExitKind::Conditional => {
                let taken = !self.nexus && self.predictor.conditional(exit.pc, |predicted| predicted);
                (FlowKind::Conditional { taken }, if taken { exit.target } else { link })
            }
            ExitKind::Indirect(_, _) if self.nexus => return Err(PathError::NoPrediction(exit.pc)),
            ExitKind::Indirect(how, kind) => {
                let target = self.predictor.indirect(how, exit.pc, link, |predicted| predicted);
                (kind, target.ok_or(PathError::NoPrediction(exit.pc))?)
            }
            ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
        };
        self.tell(kind, exit.pc, exit.len, target, sink);
        Ok(())
    }

    /// Goes to the `count`-th reported branch, which then counts as retired and waits to be resolved.
    #[inline]
    pub(super) fn reach_branch<'a>(
        &mut self,
        image: &'a Image,
        mut count: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<Reported<'a>, PathError> {
        loop {
            let (n, exit) = self.next_run(image)?;
            self.retire(n)?;
            if let ExitKind::Conditional | ExitKind::Indirect(..) = exit.kind {
                count -= 1;
                if count == 0 {
                    return Ok(Reported { exit });
                }
            }
            self.follow(exit, sink)?;
        }
    }

    /// Nexus-like: goes `length` instructions on, to the branch that ends the stream.
    pub(super) fn reach_stream_end<'a>(
        &mut self,
        image: &'a Image,
        mut length: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<Reported<'a>, PathError> {
        loop {
            let (n, exit) = self.next_run(image)?;
            if u64::from(n) > length {
                return Err(PathError::NoBranch(image.skip(self.pc, length as u32 - 1).unwrap_or(self.pc)));
            }
            self.retire(n)?;
            length -= u64::from(n);
            if length == 0 {
                return match exit.kind {
                    ExitKind::Conditional | ExitKind::Indirect(..) => Ok(Reported { exit }),
                    _ => Err(PathError::NoBranch(exit.pc)),
                };
            }
            self.follow(exit, sink)?;
        }
    }

    /// Scheme `sc-lsp`: a stream of `length` instructions, ended by a taken conditional or by an indirect
    /// branch; the latter is returned, to wait for its target.
    #[inline]
    pub(super) fn short_stream<'a>(
        &mut self,
        image: &'a Image,
        length: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<Option<&'a Exit>, PathError> {
        let exit = self.reach_stream_end(image, length, sink)?.exit;
        Ok(self.leave(exit, sink))
    }

    /// Scheme `sc-lsp`: a stream that ends at the first control-flow instruction at which it has `longest`
    /// instructions or more; that is a conditional that is not taken exactly when `not_taken`.
    pub(super) fn long_stream<'a>(
        &mut self,
        image: &'a Image,
        longest: u32,
        not_taken: bool,
        sink: &mut impl ReplaySink,
    ) -> Result<Option<&'a Exit>, PathError> {
        let mut length = 0;
        loop {
            let (n, exit) = self.next_run(image)?;
            self.retire(n)?;
            length += n;
            if length < longest {
                self.follow(exit, sink)?;
                continue;
            }
            if not_taken && exit.kind != ExitKind::Conditional {
                return Err(PathError::NoBranch(exit.pc));
            }
            if not_taken || matches!(exit.kind, ExitKind::Jump | ExitKind::Call) {
                self.arrive();
                self.follow(exit, sink)?;
                return Ok(None);
            }
            return Ok(self.leave(exit, sink));
        }
    }

    /// The stream is replayed but for the instruction that ends it: the time is that of its record.
    #[inline]
    fn arrive(&mut self) {
        self.cycle += std::mem::take(&mut self.ahead);
    }

    /// Takes a conditional; an indirect branch is returned.
    #[inline]
    fn leave<'a>(&mut self, exit: &'a Exit, sink: &mut impl ReplaySink) -> Option<&'a Exit> {
        self.arrive();
        if exit.kind == ExitKind::Conditional {
            self.resolve_conditional(exit, sink);
            return None;
        }
        Some(exit)
    }

    /// Goes exactly `count` instructions on.
    pub(super) fn forward(
        &mut self,
        image: &Image,
        mut count: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<(), PathError> {
        while count > 0 {
            let (n, exit) = image.run(self.pc).ok_or(PathError::OutsideCode(self.pc))?;
            if u64::from(n) > count || exit.kind == ExitKind::End {
                if u64::from(n) < count {
                    return Err(PathError::OutsideCode(exit.pc));
                }
                self.retire(count as u32)?;
                self.pc = image.skip(self.pc, count as u32).ok_or(PathError::OutsideCode(self.pc))?;
                return Ok(());
            }
            self.retire(n)?;
            count -= u64::from(n);
            self.follow(exit, sink)?;
        }
        Ok(())
    }

    /// The reported direct conditional went against its prediction (Nexus-like: was taken).
    #[inline]
    pub(super) fn resolve_conditional(&mut self, exit: &Exit, sink: &mut impl ReplaySink) {
        let taken = self.nexus || self.predictor.conditional(exit.pc, |predicted| !predicted);
        let target = if taken { exit.target } else { exit.pc + u64::from(exit.len) };
        self.tell(FlowKind::Conditional { taken }, exit.pc, exit.len, target, sink);
    }

    /// The reported indirect branch went to `target`.
    pub(super) fn resolve_indirect(&mut self, exit: &Exit, target: u64, sink: &mut impl ReplaySink) {
        if let ExitKind::Indirect(how, kind) = exit.kind {
            let link = exit.pc + u64::from(exit.len);
            self.predictor.indirect(how, exit.pc, link, |_| Some(target));
            self.tell(kind, exit.pc, exit.len, target, sink);
        }
    }
}
