//! Replay: follows predicted branches, and resolves the branch of each message
//!
//! # Source
//! Paper 000 figure 6 and section 3, paper 002 figure 4.

use super::coder::Coder;
use super::model::Predictor;
use super::TrParams;
use crate::bits::BitReader;
use crate::core_trace::replay::{Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Head, Reader};
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

/// Reads the rest of a message about the branch that was reached, and updates the predictor with it.
#[inline(always)]
pub(in crate::scheme) fn resolve<I: Iterator<Item = u32>>(
    predictor: &mut Predictor,
    reader: &mut Reader<Coder>,
    (core, hart): (u8, &mut Hart),
    (exit, count): (&Exit, u64),
    bits: &mut BitReader<I>,
    sink: &mut impl ReplaySink,
) -> Result<Body, CodingError> {
    let link = exit.link();
    Ok(if let ExitKind::Indirect(how, kind) = exit.kind {
        let target = reader.target(core, bits)?;
        predictor.indirect(how, exit.pc, link, hart.in_warm_up(), |_| Some(target));
        hart.report_exit(kind, exit, target, sink);
        Body::Target { count, target }
    } else if let ExitKind::ConditionalIndirect(how) = exit.kind {
        let target = if reader.taken(bits)? { Some(reader.target(core, bits)?) } else { None };
        match target {
            Some(target) => _ = predictor.indirect(how, exit.pc, link, hart.in_warm_up(), |_| Some(target)),
            None => predictor.indirect_not_taken(exit.pc, hart.in_warm_up()),
        }
        let kind = FlowKind::ConditionalIndirect { how, taken: target.is_some() };
        hart.report_exit(kind, exit, target.unwrap_or(link), sink);
        target.map_or(Body::NotTaken { count }, |target| Body::Taken { count, target })
    } else {
        let taken = predictor.conditional(exit.pc, hart.in_warm_up(), |predicted| !predicted);
        hart.report_exit(FlowKind::Conditional { taken }, exit, if taken { exit.target } else { link }, sink);
        Body::Outcome { count }
    })
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
        let (core, diff_cc, count) = match self.reader.head(bits)? {
            Head::Count { core, diff_cc, count } => (core, diff_cc, count),
            Head::Escape(message) => {
                let predictor = &mut self.predictors[usize::from(message.core)];
                harts.escape(&message, predictor, sink)?;
                return Ok(message);
            }
        };
        let (image, hart) = harts.running(core)?;
        let predictor = &mut self.predictors[usize::from(core)];
        hart.begin(diff_cc);
        let exit = reach_branch(hart, predictor, image, count, sink)?;
        hart.cycle += diff_cc;
        let body = resolve(predictor, &mut self.reader, (core, hart), (exit, count), bits, sink)?;
        Ok(Message { core, diff_cc, body })
    }

    // messages do not depend on earlier ones
    fn header(&mut self) {}

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        self.reader.flush(bits)
    }
}
