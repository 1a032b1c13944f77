//! Front end of one core: retired control flow to messages
//!
//! Counts instructions, reported branches and cycles, runs the predictors, and makes a message where
//! `docs/stream.md` says so.
//!
//! # Source
//! Paper 000 figure 5 and section 2 (Nexus-like), paper 002 figure 3.

use super::predictor::Predictor;
use crate::message::{Body, Escape, Message};
use crate::params::{Scheme, TraceParams};
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind};

/// How often predictions were asked for, and how often they were wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rates {
    /// Instructions retired.
    pub instructions: u64,
    /// Direct conditional branches.
    pub conditionals: u64,
    /// Mispredicted outcomes among them.
    pub outcome_misses: u64,
    /// Indirect branches (returns, calls, jumps, trap returns, conditional ones).
    pub indirects: u64,
    /// Mispredicted targets among them.
    pub target_misses: u64,
    /// Exceptions and interrupts.
    pub traps: u64,
}

impl std::ops::AddAssign for Rates {
    fn add_assign(&mut self, o: Self) {
        self.instructions += o.instructions;
        self.conditionals += o.conditionals;
        self.outcome_misses += o.outcome_misses;
        self.indirects += o.indirects;
        self.target_misses += o.target_misses;
        self.traps += o.traps;
    }
}

/// Front end of one core.
#[derive(Clone, Debug)]
pub struct Core {
    index: u8,
    nexus: bool,
    timestamps: bool,
    i_cnt: u64,
    b_cnt: u64,
    /// Cycle of the last message (of activation before the first).
    last_cycle: u64,
    /// From here on, counted before the instruction, a progress message is due.
    count_limit: u64,
    cc_limit: u64,
    cc_max: u64,
    predictor: Predictor,
    rates: Rates,
}

impl Core {
    /// Core `index` in its reset state; tracing becomes active in cycle 0.
    pub fn new(index: u8, params: &TraceParams) -> Self {
        Self {
            index,
            nexus: !matches!(params.scheme, Scheme::Tr(_)),
            timestamps: params.timestamps,
            i_cnt: 0,
            b_cnt: 0,
            last_cycle: 0,
            count_limit: 1 << (params.count_bits - 1),
            cc_limit: 1 << (params.cc_bits - 1),
            cc_max: (1 << params.cc_bits) - 1,
            predictor: Predictor::new(params),
            rates: Rates::default(),
        }
    }

    /// What was counted so far.
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// Cycles since the last message.
    fn since(&self, cycle: u64) -> u64 {
        cycle.saturating_sub(self.last_cycle).min(self.cc_max)
    }

    #[inline]
    fn send(&mut self, cycle: u64, body: Body, out: &mut impl FnMut(&Message)) {
        let diff_cc = if self.timestamps { self.since(cycle) } else { 0 };
        self.last_cycle = cycle;
        self.i_cnt = 0;
        self.b_cnt = 0;
        out(&Message { core: self.index, diff_cc, body });
    }

    /// The next event of this core; messages go to `out` in order.
    #[inline]
    pub fn event(&mut self, e: &FlowEvent, out: &mut impl FnMut(&Message)) {
        self.i_cnt += u64::from(e.count);
        self.rates.instructions += u64::from(e.count);
        let body = match e.kind {
            FlowKind::Conditional { taken } => self.conditional(e, taken),
            FlowKind::Jump => None,
            FlowKind::Call => {
                self.predictor.call(e.fall_through());
                None
            }
            FlowKind::IndirectJump | FlowKind::TrapReturn => self.indirect(e, Indirect::Jump),
            FlowKind::IndirectCall => self.indirect(e, Indirect::Call),
            FlowKind::Return => self.indirect(e, Indirect::Return),
            FlowKind::CoSwap => self.indirect(e, Indirect::CoSwap),
            FlowKind::ConditionalIndirect { taken } => self.conditional_indirect(e, taken),
            FlowKind::Start => {
                return self.send(e.cycle, Body::Escape(Escape::Sync { i_cnt: 0, pc: e.target }), out);
            }
            FlowKind::Trap { .. } => {
                self.rates.traps += 1;
                let escape = Escape::Exception { i_cnt: self.i_cnt, target: e.target };
                return self.send(e.cycle, Body::Escape(escape), out);
            }
            // a gap is made by replay only; the instructions before it count as any
            FlowKind::Stop | FlowKind::Gap { .. } => return,
        };
        if let Some(body) = body {
            self.send(e.cycle, body, out);
        } else if self.i_cnt > self.count_limit || (self.timestamps && self.since(e.cycle) >= self.cc_limit) {
            self.send(e.cycle, Body::Escape(Escape::Progress { i_cnt: self.i_cnt }), out);
        }
    }

    /// Tracing is disabled in `cycle`.
    pub fn stop(&mut self, cycle: u64, out: &mut impl FnMut(&Message)) {
        self.send(cycle, Body::Escape(Escape::Stop { i_cnt: self.i_cnt }), out);
    }

    #[inline]
    fn conditional(&mut self, e: &FlowEvent, taken: bool) -> Option<Body> {
        self.b_cnt += 1;
        self.rates.conditionals += 1;
        let mut correct = true;
        self.predictor.conditional(e.pc, |predicted| {
            correct = predicted == taken;
            taken
        });
        self.rates.outcome_misses += u64::from(!correct);
        if self.nexus {
            return taken.then_some(Body::Stream { length: self.i_cnt, target: None });
        }
        (!correct).then_some(Body::Outcome { count: self.b_cnt })
    }

    /// Whether the target was predicted.
    #[inline]
    fn target_hit(&mut self, e: &FlowEvent, kind: Indirect) -> bool {
        self.b_cnt += 1;
        self.rates.indirects += 1;
        let mut correct = true;
        self.predictor.indirect(kind, e.pc, e.fall_through(), |predicted| {
            correct = predicted == Some(e.target);
            Some(e.target)
        });
        self.rates.target_misses += u64::from(!correct);
        correct
    }

    #[inline]
    fn indirect(&mut self, e: &FlowEvent, kind: Indirect) -> Option<Body> {
        let correct = self.target_hit(e, kind);
        if self.nexus {
            return Some(Body::Stream { length: self.i_cnt, target: Some(e.target) });
        }
        (!correct).then_some(Body::Target { count: self.b_cnt, target: e.target })
    }

    /// Predicted taken, always; its target by the iBTB.
    fn conditional_indirect(&mut self, e: &FlowEvent, taken: bool) -> Option<Body> {
        if !taken {
            self.b_cnt += 1;
            self.rates.indirects += 1;
            self.rates.target_misses += 1;
            self.predictor.indirect_not_taken(e.pc);
            return (!self.nexus).then_some(Body::NotTaken { count: self.b_cnt });
        }
        let correct = self.target_hit(e, Indirect::Jump);
        if self.nexus {
            return Some(Body::Stream { length: self.i_cnt, target: Some(e.target) });
        }
        (!correct).then_some(Body::Taken { count: self.b_cnt, target: e.target })
    }
}
