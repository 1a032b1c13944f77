//! Replay: follows predicted branches, and resolves the branch of each message
//!
//! # Source
//! Paper 000 figure 6 and section 3, paper 002 figure 4.

use super::coder::Coder;
use super::model::Predictor;
use super::outcome::OutcomePredictor;
use super::target::TargetPredictor;
use super::TrParams;
use crate::bits::BitReader;
use crate::core_trace::replay::{Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Kind, Message};
use crate::platform::Platform;
use crate::scheme::fields::Reader;
use crate::scheme::Decode;
use retire::image::{Exit, ExitKind, Image};
use retire::isa::Indirect;
use retire::FlowKind;

/// Replay: the predictors of all cores, and the message reader.
#[derive(Clone, Debug)]
pub struct Replay {
    predictors: Vec<Predictor>,
    reader: Reader<Coder>,
}

impl Replay {
    pub(super) fn new(params: &TrParams, platform: &Platform, reader: Reader<Coder>) -> Self {
        let predictors = (0..platform.cores).map(|_| Predictor::new(params, platform)).collect();
        Self { predictors, reader }
    }
}

impl Path for Predictor {
    // inlined: a call costs a tenth of the replay speed
    #[inline(always)]
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let link = exit.link();
        let (kind, target) = match exit.kind {
            ExitKind::Conditional => {
                let taken = self.conditional(exit.pc, hart.in_warm_up(), |predicted| predicted);
                (FlowKind::Conditional { taken }, if taken { exit.target } else { link })
            }
            ExitKind::Jump => (FlowKind::Jump, exit.target),
            ExitKind::Call => {
                self.call(link, hart.in_warm_up());
                (FlowKind::Call, exit.target)
            }
            ExitKind::Indirect(how, kind) if hart.inferred().is_some() => {
                if how == Indirect::Call {
                    self.call(link, hart.in_warm_up());
                }
                (kind, hart.inferred().unwrap_or(exit.target))
            }
            ExitKind::Indirect(how, kind) => {
                let target = self.indirect(how, exit.pc, link, hart.in_warm_up(), |predicted| predicted);
                (kind, target.ok_or(PathError::NoPrediction(exit.pc))?)
            }
            ExitKind::ConditionalIndirect(how) => {
                let target = self.indirect(how, exit.pc, link, hart.in_warm_up(), |predicted| predicted);
                let kind = FlowKind::ConditionalIndirect { how, taken: true };
                (kind, target.ok_or(PathError::NoPrediction(exit.pc))?)
            }
            ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
        };
        hart.report_exit(kind, exit, target, sink);
        Ok(())
    }

    // inlined: a function of its own, which has more registers, is 6 % slower
    #[inline(always)]
    fn stride<'a>(
        &mut self,
        hart: &mut Hart,
        image: &'a Image,
        count: &mut u64,
        sink: &mut impl ReplaySink,
    ) -> Option<&'a Exit> {
        let mut stride = hart.stride(image)?;
        let (mut history, mut left) = (self.outcome.history(), *count);
        let reached = loop {
            let Some((retired, exit)) = stride.run() else { break None };
            if exit.kind == ExitKind::Conditional {
                left -= 1;
                if left == 0 {
                    break Some(exit);
                }
                let taken = self.outcome.predicted(&mut history, exit.pc);
                self.target.conditional(exit.pc, taken);
                let target = if taken { exit.target } else { exit.link() };
                stride.report_exit(FlowKind::Conditional { taken }, exit, target, sink);
                continue;
            }
            match exit.kind {
                ExitKind::Jump => stride.report_exit(FlowKind::Jump, exit, exit.target, sink),
                ExitKind::Call => {
                    self.call(exit.link(), false);
                    stride.report_exit(FlowKind::Call, exit, exit.target, sink);
                }
                ExitKind::Indirect(how, kind) => {
                    left -= 1;
                    if left == 0 {
                        break Some(exit);
                    }
                    let Some(target) = self.indirect(how, exit.pc, exit.link(), false, |predicted| predicted) else {
                        left += 1;
                        stride.take_back(retired);
                        break None;
                    };
                    stride.report_exit(kind, exit, target, sink);
                }
                ExitKind::Conditional | ExitKind::ConditionalIndirect(_) | ExitKind::End => {
                    stride.take_back(retired);
                    break None;
                }
            }
        };
        self.outcome.set_history(history);
        hart.stride_done(stride);
        *count = left;
        reached
    }

    fn reset(&mut self) {
        Predictor::reset(self);
    }

    fn rejoin(&mut self) {}
}

/// Advances to the `count`-th reported branch, which then counts as retired but is not yet resolved.
#[inline(always)]
pub(in crate::scheme) fn reach_branch<'a>(
    hart: &mut Hart,
    predictor: &mut impl Path,
    image: &'a Image,
    mut count: u64,
    sink: &mut impl ReplaySink,
) -> Result<&'a Exit, PathError> {
    loop {
        if let Some(exit) = predictor.stride(hart, image, &mut count, sink) {
            return Ok(exit);
        }
        let exit = hart.run(image)?;
        let counts = match exit.kind {
            ExitKind::Conditional | ExitKind::ConditionalIndirect(_) => true,
            ExitKind::Indirect(..) => hart.inferred().is_none(),
            ExitKind::Jump | ExitKind::Call | ExitKind::End => false,
        };
        if counts {
            count -= 1;
            if count == 0 {
                return Ok(exit);
            }
        }
        predictor.follow(hart, exit, sink)?;
    }
}

/// What a message says about the branch that was reached. Numbers, not a [`Body`], which would go through memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::scheme) struct Resolved {
    kind: Report,
    target: u64,
}

/// Kind of a [`Resolved`].
#[derive(Clone, Copy, Debug)]
enum Report {
    Outcome,
    Target,
    NotTaken,
    Taken,
}

impl Resolved {
    /// Contents of the message, which counts `count` branches.
    #[inline(always)]
    pub(in crate::scheme) fn body(self, count: u64) -> Body {
        let target = self.target;
        match self.kind {
            Report::Outcome => Body::Outcome { count },
            Report::Target => Body::Target { count, target },
            Report::NotTaken => Body::NotTaken { count },
            Report::Taken => Body::Taken { count, target },
        }
    }

    #[inline(always)]
    fn kind(self) -> Kind {
        self.body(0).kind()
    }
}

/// Reads the rest of a message about the branch that was reached, and updates the predictor with it.
#[inline(always)]
pub(in crate::scheme) fn resolve<I: Iterator<Item = u32>>(
    predictor: &mut Predictor,
    reader: &mut Reader<Coder>,
    (core, hart): (u8, &mut Hart),
    exit: &Exit,
    bits: &mut BitReader<I>,
    sink: &mut impl ReplaySink,
) -> Result<Resolved, CodingError> {
    let link = exit.link();
    Ok(if let ExitKind::Indirect(how, kind) = exit.kind {
        let target = reader.target(core, bits)?;
        predictor.indirect(how, exit.pc, link, hart.in_warm_up(), |_| Some(target));
        hart.report_exit(kind, exit, target, sink);
        Resolved { kind: Report::Target, target }
    } else if let ExitKind::ConditionalIndirect(how) = exit.kind {
        let target = if reader.taken(bits)? { Some(reader.target(core, bits)?) } else { None };
        match target {
            Some(target) => _ = predictor.indirect(how, exit.pc, link, hart.in_warm_up(), |_| Some(target)),
            None => predictor.indirect_not_taken(exit.pc, hart.in_warm_up()),
        }
        let kind = FlowKind::ConditionalIndirect { how, taken: target.is_some() };
        hart.report_exit(kind, exit, target.unwrap_or(link), sink);
        let kind = if target.is_some() { Report::Taken } else { Report::NotTaken };
        Resolved { kind, target: target.unwrap_or(0) }
    } else {
        let taken = predictor.conditional(exit.pc, hart.in_warm_up(), |predicted| !predicted);
        hart.report_exit(FlowKind::Conditional { taken }, exit, if taken { exit.target } else { link }, sink);
        Resolved { kind: Report::Outcome, target: 0 }
    })
}

impl Replay {
    /// Replays a message that reports a branch.
    #[inline(always)]
    fn branch<'a, I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        (core, diff_cc, count): (u8, u64, u64),
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Resolved, MessageError> {
        let (image, hart) = harts.running(core)?;
        let predictor = &mut self.predictors[usize::from(core)];
        hart.begin(diff_cc);
        let exit = reach_branch(hart, predictor, image, count, sink)?;
        hart.cycle += diff_cc;
        Ok(resolve(predictor, &mut self.reader, (core, hart), exit, bits, sink)?)
    }

    /// Reads and replays the escape message of `core`.
    #[inline(always)]
    fn escape<'a, I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        (core, diff_cc): (u8, u64),
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let message = self.reader.escape_message(core, diff_cc, bits)?;
        harts.escape(&message, &mut self.predictors[usize::from(core)], sink)?;
        Ok(message)
    }
}

impl<'a> Decode<'a> for Replay {
    // inlined, with all that it calls for a branch: results that are passed through memory cost more than the work
    #[inline(always)]
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let (core, diff_cc, count) = self.reader.begin(bits)?;
        if count == 0 {
            return self.escape(harts, (core, diff_cc), bits, sink);
        }
        let body = self.branch(harts, (core, diff_cc, count), bits, sink)?.body(count);
        Ok(Message { core, diff_cc, body })
    }

    #[inline(always)]
    fn counted<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
        other: &mut Option<Message>,
    ) -> Result<(u8, Kind), MessageError> {
        let (core, diff_cc, count) = self.reader.begin(bits)?;
        if count == 0 {
            let message = other.insert(self.escape(harts, (core, diff_cc), bits, sink)?);
            return Ok((core, message.body.kind()));
        }
        Ok((core, self.branch(harts, (core, diff_cc, count), bits, sink)?.kind()))
    }

    // messages do not depend on earlier ones
    fn header(&mut self) {}

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        self.reader.flush(bits)
    }
}
