//! Front end of one core: a message for each dynamic basic stream that does not end in a direct jump
//!
//! # Source
//! Paper 000 section 2.

use crate::core_trace::{self, Counters, Out};
use crate::message::{Body, Escape};
use retire::isa::Indirect;
use retire::FlowEvent;

/// Golden model of one core; it has no state.
#[derive(Clone, Copy, Debug)]
pub struct Front;

fn stream(cycle: u64, target: Option<u64>, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
    core_trace.send(cycle, Body::Stream { length: core_trace.i_cnt(), target }, out);
    true
}

impl core_trace::Front for Front {
    type Body = Body;
    const PROGRESS: bool = true;

    fn reset(&mut self, _: u64) {}

    fn rejoin(&mut self, _: u64) {}

    #[inline]
    fn conditional(&mut self, e: &FlowEvent, taken: bool, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        taken && stream(e.cycle, None, core_trace, out)
    }

    #[inline]
    fn jump(&mut self, _: &FlowEvent, _: bool, _: &mut Counters, _: &mut impl Out<Body>) -> bool {
        false
    }

    #[inline]
    fn indirect(&mut self, e: &FlowEvent, _: Indirect, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        stream(e.cycle, Some(e.target), core_trace, out)
    }

    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        _: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Body>,
    ) -> bool {
        taken && stream(e.cycle, Some(e.target), core_trace, out)
    }

    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Body>) {
        core_trace.send(cycle, Body::Escape(escape), out);
    }
}
