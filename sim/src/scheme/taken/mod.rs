//! The smallest scheme: one message per taken control-flow instruction, with the instructions since the last
//!
//! It has no variants, no tables and no coder of its own, and shows the minimum of a scheme: names, model, replay.
//! Messages are those of [`super::fields`] in the chunks of `tr_b`. Between two messages there are only conditional branches
//! that are not taken, so no jump is inferred.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `taken`)".

use super::fields::{Head, Reader, Writer};
use super::tr::coder::chunked::{Chunked, Coding};
use super::{Decode, Family, Scheme};
use crate::bits::BitReader;
use crate::core_trace::replay::{follow_straight, Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::core_trace::{self, Counters, Out};
use crate::message::{Body, CodingError, Escape, Message};
use crate::platform::{ParamError, Platform};
use retire::image::{Exit, ExitKind};
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind};

/// Parameters of scheme `taken`: there is nothing to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TakenParams;

impl TakenParams {
    /// Chunk sizes of its fields.
    pub const CODING: Coding = Coding::TR_B;
}

impl Scheme for TakenParams {
    const FAMILY: Family = Family::Taken;
    const CODE: u8 = 3;
    const PREDICTS: bool = false;
    type Front = Front;
    type Coder = Writer<Chunked>;
    type Replay<'a> = Replay;

    fn forms() -> Vec<&'static str> {
        vec!["taken"]
    }

    fn blocks() -> Vec<&'static str> {
        vec!["messages"]
    }

    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>> {
        (head == "taken" && tail.is_none()).then_some(Ok(Self))
    }

    fn name(&self) -> String {
        "taken".into()
    }

    fn chunks(&self) -> Option<Coding> {
        Some(Self::CODING)
    }

    fn canonical(&self, platform: &Platform) -> String {
        format!("taken {}", platform.canonical())
    }

    fn check(&self, _: &Platform) -> Result<(), ParamError> {
        Ok(())
    }

    fn state_bits(&self, _: &Platform) -> u32 {
        0
    }

    // nothing is predicted
    fn warm_up(&self) -> u32 {
        0
    }

    fn front(&self, _: &Platform) -> Front {
        Front
    }

    fn coder(&self, platform: &Platform) -> Writer<Chunked> {
        Writer::new(platform, Chunked::new(Self::CODING))
    }

    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a> {
        Replay(Reader::new(platform, Chunked::new(Self::CODING)))
    }
}

/// Golden model of one core; it has no state.
#[derive(Clone, Copy, Debug)]
pub struct Front;

fn stream(e: &FlowEvent, target: Option<u64>, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
    core_trace.send(e.cycle, Body::Stream { length: core_trace.i_cnt(), target }, out);
    true
}

impl core_trace::Front for Front {
    type Body = Body;
    const PROGRESS: bool = true;

    fn reset(&mut self, _: u64) {}

    fn rejoin(&mut self, _: u64) {}

    fn conditional(&mut self, e: &FlowEvent, taken: bool, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        taken && stream(e, None, core_trace, out)
    }

    fn jump(&mut self, e: &FlowEvent, _: bool, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        stream(e, None, core_trace, out)
    }

    fn indirect(&mut self, e: &FlowEvent, _: Indirect, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        stream(e, Some(e.target), core_trace, out)
    }

    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        _: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Body>,
    ) -> bool {
        taken && stream(e, Some(e.target), core_trace, out)
    }

    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Body>) {
        core_trace.send(cycle, Body::Escape(escape), out);
    }
}

/// Replay: reads the messages of all cores.
#[derive(Clone, Debug)]
pub struct Replay(Reader<Chunked>);

/// The path between messages: no branch is taken.
struct NotTaken;

impl Path for NotTaken {
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        match exit.kind {
            ExitKind::Jump | ExitKind::Call => Err(PathError::NoMessage(exit.pc)),
            _ => follow_straight(hart, exit, sink),
        }
    }

    fn reset(&mut self) {}

    fn rejoin(&mut self) {}
}

impl<'a> Decode<'a> for Replay {
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let (core, diff_cc, length) = match self.0.head(bits)? {
            Head::Count { core, diff_cc, count } => (core, diff_cc, count),
            Head::Escape(message) => {
                harts.escape(&message, &mut NotTaken, sink)?;
                return Ok(message);
            }
        };
        let (image, hart) = harts.running(core)?;
        hart.begin(diff_cc);
        let exit = hart.reach(image, length, &mut NotTaken, sink)?;
        hart.cycle += diff_cc;
        let (kind, target) = match exit.kind {
            ExitKind::Conditional => (FlowKind::Conditional { taken: true }, None),
            ExitKind::Jump => (FlowKind::Jump, None),
            ExitKind::Call => (FlowKind::Call, None),
            ExitKind::Indirect(_, kind) => (kind, Some(self.0.target(core, bits)?)),
            ExitKind::ConditionalIndirect(how) => {
                (FlowKind::ConditionalIndirect { how, taken: true }, Some(self.0.target(core, bits)?))
            }
            ExitKind::End => return Err(PathError::NoBranch(exit.pc).into()),
        };
        hart.report_exit(kind, exit, target.unwrap_or(exit.target), sink);
        Ok(Message { core, diff_cc, body: Body::Stream { length, target } })
    }

    // messages do not depend on earlier ones
    fn header(&mut self) {}

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        self.0.flush(bits)
    }
}

#[cfg(test)]
mod tests;
