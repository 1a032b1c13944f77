//! Replay: follows predicted branches, and resolves the branch of each message

use super::predictor::Predictor;
use super::record::Addresses;
use super::runs::Runs;
use super::sizes::Sizes;
use crate::bits::BitReader;
use crate::core_trace::replay::{Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Head, Reader};
use crate::scheme::tr::replay::reach_branch;
use crate::scheme::Decode;
use retire::image::{Exit, ExitKind};
use retire::isa::Indirect;
use retire::FlowKind;

/// Replay: the predictors of all cores, and the message reader.
#[derive(Clone, Debug)]
pub struct Replay {
    predictors: Vec<Predictor>,
    reader: Reader<Runs>,
    addresses: Addresses,
}

impl Replay {
    pub(super) fn new(sizes: &Sizes, platform: &Platform) -> Self {
        Self {
            predictors: (0..platform.cores).map(|_| Predictor::new(sizes, platform)).collect(),
            reader: Reader::new(platform, Runs::new(platform.cores)),
            addresses: Addresses::new(platform),
        }
    }
}

impl Path for Predictor {
    // inlined: a call costs a tenth of the replay speed
    #[inline(always)]
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        let link = exit.pc + u64::from(exit.len);
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
            ExitKind::Indirect(how, _) | ExitKind::ConditionalIndirect(how) => {
                let target = self.indirect(how, exit.pc, link, hart.in_warm_up(), |question| {
                    question.map(|q| q.predicted()).ok_or(PathError::NoPrediction(exit.pc))
                })?;
                let kind = match exit.kind {
                    ExitKind::Indirect(_, kind) => kind,
                    _ => FlowKind::ConditionalIndirect { how, taken: true },
                };
                (kind, target)
            }
            ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
        };
        hart.report_exit(kind, exit, target, sink);
        Ok(())
    }

    fn reset(&mut self) {
        Predictor::reset(self);
    }

    fn rejoin(&mut self) {}
}

impl<'a> Decode<'a> for Replay {
    #[inline]
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let (core, diff_cc, count) = match self.reader.head(bits)? {
            Head::Count { core, diff_cc, count } => (core, diff_cc, count),
            Head::Escape(message) => {
                let predictor = &mut self.predictors[usize::from(message.core)];
                harts.escape(&message, predictor, sink)?;
                return Ok(message);
            }
        };
        let (image, hart) = harts.running(core)?;
        let Self { predictors, reader, addresses } = self;
        let predictor = &mut predictors[usize::from(core)];
        hart.begin(diff_cc);
        let exit = reach_branch(hart, predictor, image, count, sink)?;
        hart.cycle += diff_cc;
        let link = exit.pc + u64::from(exit.len);
        let in_warm_up = hart.in_warm_up();
        let mut target = |how, bits: &mut BitReader<I>| {
            predictor.indirect(how, exit.pc, link, in_warm_up, |q| addresses.read(q.as_ref(), exit.pc, bits))
        };
        let (kind, next, body) = match exit.kind {
            ExitKind::Indirect(how, kind) => {
                let target = target(how, bits)?;
                (kind, target, Body::Target { count, target })
            }
            ExitKind::ConditionalIndirect(how) if reader.taken(bits)? => {
                let target = target(how, bits)?;
                (FlowKind::ConditionalIndirect { how, taken: true }, target, Body::Taken { count, target })
            }
            ExitKind::ConditionalIndirect(how) => {
                (FlowKind::ConditionalIndirect { how, taken: false }, link, Body::NotTaken { count })
            }
            ExitKind::Conditional | ExitKind::Jump | ExitKind::Call | ExitKind::End => {
                let taken = predictor.conditional(exit.pc, in_warm_up, |predicted| !predicted);
                let next = if taken { exit.target } else { link };
                (FlowKind::Conditional { taken }, next, Body::Outcome { count })
            }
        };
        hart.report_exit(kind, exit, next, sink);
        Ok(Message { core, diff_cc, body })
    }

    // the means of the runs start again
    fn header(&mut self) {
        self.reader.code().reset();
    }

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        self.reader.flush(bits)
    }
}
