//! Front end of one core: which retired branches make messages, and which message
//!
//! # Source
//! Paper 000 figure 5, paper 002 figure 3. Upper address bits: paper 002 section 5.4, paper 001 section III.C.
//!
//! With `upper_bits` = 12, the target predictor holds only the lower address bits, and a register holds the upper 12 of
//! the last indirect target. A target counts as predicted if its lower bits are predicted and the register holds its
//! upper bits.

use super::outcome::{Outcome, OutcomePredictor};
use super::target::{Target, TargetPredictor};
use super::TrParams;
use crate::core_trace::{self, Counters, Out};
use crate::message::{Body, Escape};
use crate::platform::Platform;
use retire::isa::Indirect;
use retire::FlowEvent;

/// Outcome and target predictor of one core, as both encoder and replay run them.
#[derive(Clone, Debug)]
pub struct Predictor {
    pub(super) outcome: Outcome,
    pub(super) target: Target,
    upper: u64,
    /// Mask of the lower bits of a byte address, which the target predictor holds.
    low_mask: u64,
}

impl Predictor {
    /// State after reset.
    pub fn new(params: &TrParams, platform: &Platform) -> Self {
        Self {
            outcome: params.outcome.model(params.pc_shift),
            target: params.target.model(params.pc_shift),
            upper: 0,
            low_mask: u64::MAX >> (64 - (platform.xlen - params.upper_bits)),
        }
    }

    /// Returns to the state after reset.
    pub fn reset(&mut self) {
        self.outcome.reset();
        self.target.reset();
        self.upper = 0;
    }

    // with `in_warm_up` (warm-up), each of these predicts not taken or nothing, and learns nothing
    /// A direct conditional at `pc`: predicts, calls `resolve` with the prediction to get the outcome,
    /// learns, and returns the outcome.
    #[inline]
    pub fn conditional(&mut self, pc: u64, in_warm_up: bool, resolve: impl FnOnce(bool) -> bool) -> bool {
        if in_warm_up {
            return resolve(false);
        }
        let taken = self.outcome.resolve(pc, resolve);
        self.target.conditional(pc, taken);
        taken
    }

    /// A direct call; `link` is the address after it.
    #[inline]
    pub fn call(&mut self, link: u64, in_warm_up: bool) {
        if !in_warm_up {
            self.target.call(link & self.low_mask);
        }
    }

    /// An indirect branch at `pc`: predicts, calls `resolve` with the prediction to get the target, learns,
    /// and returns the target. `link` is the address after the branch. If `resolve` returns `None`, nothing
    /// is learnt and `None` is returned.
    #[inline(always)]
    pub fn indirect(
        &mut self,
        kind: Indirect,
        pc: u64,
        link: u64,
        in_warm_up: bool,
        resolve: impl FnOnce(Option<u64>) -> Option<u64>,
    ) -> Option<u64> {
        if in_warm_up {
            return resolve(None);
        }
        let target = resolve(self.target.predict(kind, pc).map(|low| low | self.upper))?;
        self.upper = target & !self.low_mask;
        self.target.update(kind, pc, target & self.low_mask, link & self.low_mask);
        Some(target)
    }

    /// Enters a conditional indirect branch at `pc` that was not taken into the path register.
    #[inline]
    pub fn indirect_not_taken(&mut self, pc: u64, in_warm_up: bool) {
        if !in_warm_up {
            self.target.conditional(pc, false);
        }
    }
}

/// Front end of one core: a message for each misprediction.
#[derive(Clone, Debug)]
pub struct Front {
    predictor: Predictor,
    /// All cores share the predictor; it moves to the core whose turn it is.
    shared: bool,
}

impl Front {
    /// State after reset.
    pub fn new(params: &TrParams, platform: &Platform) -> Self {
        Self { predictor: Predictor::new(params, platform), shared: false }
    }

    /// Makes the predictor shared: the start of a core clears nothing.
    #[must_use]
    pub fn shared(self) -> Self {
        Self { shared: true, ..self }
    }

    /// Whether the target was predicted correctly.
    #[inline]
    fn target_hit(&mut self, e: &FlowEvent, kind: Indirect, core_trace: &mut Counters) -> bool {
        let mut correct = true;
        self.predictor.indirect(kind, e.pc, e.fall_through(), core_trace.in_warm_up(), |predicted| {
            correct = predicted == Some(e.target);
            Some(e.target)
        });
        if !correct {
            core_trace.rates.target_misses += 1;
        }
        correct
    }
}

impl core_trace::Front for Front {
    type Body = Body;
    const PROGRESS: bool = true;

    fn reset(&mut self, _: u64) {
        if !self.shared {
            self.predictor.reset();
        }
    }

    fn hand_over(&mut self, to: &mut Self) {
        std::mem::swap(&mut self.predictor, &mut to.predictor);
    }

    fn rejoin(&mut self, _: u64) {}

    #[inline]
    fn conditional(&mut self, e: &FlowEvent, taken: bool, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        let mut correct = true;
        self.predictor.conditional(e.pc, core_trace.in_warm_up(), |predicted| {
            correct = predicted == taken;
            taken
        });
        if !correct {
            core_trace.rates.outcome_misses += 1;
            core_trace.send(e.cycle, Body::Outcome { count: core_trace.b_cnt() }, out);
        }
        !correct
    }

    #[inline]
    fn jump(&mut self, e: &FlowEvent, call: bool, core_trace: &mut Counters, _: &mut impl Out<Body>) -> bool {
        if call {
            self.predictor.call(e.fall_through(), core_trace.in_warm_up());
        }
        false
    }

    #[inline]
    fn indirect(&mut self, e: &FlowEvent, kind: Indirect, core_trace: &mut Counters, out: &mut impl Out<Body>) -> bool {
        let correct = self.target_hit(e, kind, core_trace);
        if !correct {
            core_trace.send(e.cycle, Body::Target { count: core_trace.b_cnt(), target: e.target }, out);
        }
        !correct
    }

    /// Always predicted as taken; its target is predicted like that of an unconditional one.
    #[cold]
    fn conditional_indirect(
        &mut self,
        e: &FlowEvent,
        kind: Indirect,
        taken: bool,
        core_trace: &mut Counters,
        out: &mut impl Out<Body>,
    ) -> bool {
        if !taken {
            core_trace.rates.target_misses += 1;
            self.predictor.indirect_not_taken(e.pc, core_trace.in_warm_up());
            core_trace.send(e.cycle, Body::NotTaken { count: core_trace.b_cnt() }, out);
            return true;
        }
        let correct = self.target_hit(e, kind, core_trace);
        if !correct {
            core_trace.send(e.cycle, Body::Taken { count: core_trace.b_cnt(), target: e.target }, out);
        }
        !correct
    }

    #[inline]
    fn escape(&mut self, cycle: u64, escape: Escape, core_trace: &mut Counters, out: &mut impl Out<Body>) {
        core_trace.send(cycle, Body::Escape(escape), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_upper_bits_mispredicts_once() {
        let params = TrParams { upper_bits: 12, ..TrParams::sizes(256, 8, 16) };
        let mut p = Predictor::new(&params, &Platform::RV32);
        for link in [0x8000_0104, 0x0010_0104, 0x8000_0204, 0x8000_0304] {
            p.call(link, false);
        }
        let mut ret = |target| {
            let mut hit = false;
            p.indirect(Indirect::Return, 0, 0, false, |predicted| {
                hit = predicted == Some(target);
                Some(target)
            });
            hit
        };
        // the register starts at 0, learns 0x800, then 0x001, then 0x800 again
        assert_eq!(
            [ret(0x8000_0304), ret(0x8000_0204), ret(0x0010_0104), ret(0x8000_0104)],
            [false, true, false, false]
        );
    }
}
