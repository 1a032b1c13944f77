//! Front end of one core: a message for each misprediction
//!
//! # Source
//! As T-raptor's, with other predictors: paper 000 figure 5.

use super::predictor::Predictor;
use super::record::{Form, Record, Target};
use super::sizes::Sizes;
use crate::core_trace::{self, Counters, Out};
use crate::message::Escape;
use crate::platform::Platform;
use retire::isa::Indirect;
use retire::FlowEvent;
use std::convert::Infallible;

/// Front end of one core.
#[derive(Clone, Debug)]
pub struct Front(Predictor);

impl Front {
    /// State after reset.
    pub fn new(sizes: &Sizes, platform: &Platform) -> Self {
        Self(Predictor::new(sizes, platform))
    }

    /// The target, if it was mispredicted.
    #[inline]
    fn missed(&mut self, e: &FlowEvent, kind: Indirect, core_trace: &mut Counters) -> Option<Target> {
        let mut form = None;
        let resolved = self.0.indirect(kind, e.pc, e.fall_through(), core_trace.in_warm_up(), |question| {
            if question.is_none_or(|q| q.predicted() != e.target) {
                form = Some(Form::of(question.as_ref(), e.target, e.pc));
            }
            Ok::<_, Infallible>(e.target)
        });
        let (Ok(address), form) = (resolved, form?);
        core_trace.rates.target_misses += 1;
        Some(Target { address, form })
    }
}

impl core_trace::Front for Front {
    type Body = Record;
    const PROGRESS: bool = true;

    fn reset(&mut self, _: u64) {
        self.0.reset();
    }

    fn rejoin(&mut self, _: u64) {}

    #[inline]
    fn conditional(
        &mut self,
        e: &FlowEvent,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        let mut correct = true;
        self.0.conditional(e.pc, core_trace.in_warm_up(), |predicted| {
            correct = predicted == taken;
            taken
        });
        if !correct {
            core_trace.rates.outcome_misses += 1;
            core_trace.send(e.cycle, Record::Outcome { count: core_trace.b_cnt() }, out);
        }
        !correct
    }

    #[inline]
    fn jump(&mut self, e: &FlowEvent, call: bool, core_trace: &mut Counters, _: &mut impl Out<Record>) -> bool {
        if call {
            self.0.call(e.fall_through(), core_trace.in_warm_up());
        }
        false
    }

    #[inline]
    fn indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        let Some(target) = self.missed(e, kind, core_trace) else { return false };
        core_trace.send(e.cycle, Record::Target { count: core_trace.b_cnt(), target }, out);
        true
    }

    /// Always predicted as taken; one that is not taken changes no predictor.
    #[cold]
    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Record>,
    ) -> bool {
        let target = if taken {
            let Some(target) = self.missed(e, kind, core_trace) else { return false };
            Some(target)
        } else {
            core_trace.rates.target_misses += 1;
            None
        };
        core_trace.send(e.cycle, Record::ConditionalIndirect { count: core_trace.b_cnt(), target }, out);
        true
    }

    #[inline]
    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Record>) {
        core_trace.send(cycle, Record::Escape(escape), out);
    }
}
