//! Front end of one core: turns retired instructions into event entries
//!
//! It runs the predictors on every retired instruction, and sends mispredictions to the event FIFO. It takes one
//! instruction per cycle and never stalls.
//!
//! # Source
//! `docs/explanation/trace-module.md`; paper 000 figure 5, paper 002 section 5 and (upper address bits) section 5.4.
//!
//! # Ports
//! As in [`crate::spine::front_port`]. `more`, `step` and `lag` belong to the beat in S5, `entering` to the one in S2.
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter: decodes, `link`, `taken`; ends in the registers that drive the beat |
//! | S2 | hashes; predictors read their tables, upper bits of the target compared |
//! | S3 .. S4 | wait for the slower predictor |
//! | S4 | whether a message is due |
//! | S5 | counters, decision ([`super::messages`]); its addresses went to the FIFO from S4, see [`crate::spine::event_fifo`] |
//!
//! Golden model: [`sim::scheme::tr::model`] in a [`sim::core_trace`].

use crate::scheme::tr::messages::Messages;
use crate::scheme::tr::outcome::OutcomeIn;
use crate::scheme::tr::parts::Parts;
use crate::scheme::tr::target::TargetIn;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut, EntryOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::warm_up::WarmUp;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct FrontEnd<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    keeps_target: Signal<Local, Bit>,
    // Blocks
    trace_fsm: TraceFsm,
    outcome: Slot<OutcomeIn>,
    target: Slot<TargetIn<W>>,
    messages: Messages<W>,
    // with resyncs: warm-up, in which the predictors are disabled
    warm_up: WarmUp,
    hold: Signal<Local, Bit>,
    holding: Signal<Local, Bit>,
    // S2: the beat, without lost instructions
    live_2: Signal<Local, Bit>,
    valid_2: Signal<Local, Bit>,
    branch_2: Signal<Local, Bit>,
    lookup_2: Signal<Local, Bit>,
    push_2: Signal<Local, Bit>,
    pop_2: Signal<Local, Bit>,
    jump_2: Signal<Local, Bit>,
    // it is inferred from the instruction before it, in the same run
    inferred: Signal<Local, Bit>,
    target_live: Signal<Local, Bit>,
    // S2
    pc_low: Signal<Local, Bits<18>>,
    pc_up: Signal<Local, Bits<18>>,
    pc_hash: Signal<Local, Bits<18>>,
    hash: Signal<Local, Bits<14>>,
    upper: DFF<Bits<W>>,
    target_upper: Signal<Local, Bits<W>>,
    same_upper: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    // delays until both predictors have responded, and of the earlier response
    flags: Delay<9>,
    pcs: Delay<W>,
    targets: Delay<W>,
    misses: Delay<1>,
    // where contexts are reported: the context; above it a bit that is 1 if it is new
    new_context: Delay<19>,
    hits: Delay<1>,
    // S4: live, valid, intr, reported, flow, conditional taken, indirect, same upper bits, predictors disabled
    flags_4: Signal<Local, Bits<9>>,
    live_4: Signal<Local, Bit>,
    indirect_4: Signal<Local, Bit>,
    hit_4: Signal<Local, Bit>,
    // S5
    live_5: DFF<Bit>,
    valid_5: DFF<Bit>,
    intr_5: DFF<Bit>,
    reported_5: DFF<Bit>,
    flow_5: DFF<Bit>,
    outcome_5: DFF<Bit>,
    miss_5: DFF<Bit>,
    taken_5: DFF<Bit>,
    indirect_5: DFF<Bit>,
    held_5: DFF<Bit>,
    not_predicted: Signal<Local, Bit>,
    // parameters: PC shift as a left and a right one, address bits of the upper register, scheme
    shift_up: Fixed<Bits<3>>,
    shift_down: Fixed<Bits<3>>,
    upper_mask: Fixed<Bits<W>>,
    nexus: Fixed<Bit>,
    sync: Fixed<Bit>,
    /// The target predictor is cleared before the outcome predictor is.
    target_first: Fixed<Bit>,
    with_context: Fixed<Bit>,
    infers: Fixed<Bit>,
    wide: Fixed<Bit>,
    has_warm_up: Fixed<Bit>,
}

impl<const W: usize> FrontEnd<W> {
    /// The front end for `params` with `extras`, made of `parts`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn with(params: &TraceParams, extras: Extras, parts: &Parts) -> Self {
        let sync = extras.sync;
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        let (align, shift) = (params.align, parts.pc_shift);
        let address = params.address_bits() as usize;
        let low = address - usize::from(parts.upper_bits);
        let ones = |bits: usize| if bits == 0 { Bits::<W>::default() } else { Bits::<W>::mask() >> (W - bits) as u64 };
        let (outcome, target) = (parts.outcome(), parts.target::<W>(low));
        // without predictors there is nothing to clear
        let wide = extras.retire.is_some();
        let has_warm_up = sync && params.flow.warm_up() > 0;
        let latency = outcome.latency().max(target.latency());
        Self {
            flags: Delay::new(latency),
            pcs: Delay::new(latency),
            targets: Delay::new(latency),
            new_context: Delay::new(latency + 1),
            with_context: Fixed::new(params.context.is_some()),
            infers: Fixed::new(params.flow.infers()),
            wide: Fixed::new(wide),
            has_warm_up: Fixed::new(has_warm_up),
            misses: Delay::new(latency - outcome.latency()),
            hits: Delay::new(latency - target.latency()),
            outcome,
            target,
            trace_fsm: TraceFsm::new(false, extras),
            messages: Messages::with(params, extras, parts.nexus),
            warm_up: when(has_warm_up, || WarmUp::new(params.flow.warm_up() << extras.warm_up_scale(params), wide)),
            sync: Fixed::new(sync),
            shift_up: Fixed::of(align.saturating_sub(shift)),
            shift_down: Fixed::of(shift.saturating_sub(align)),
            upper_mask: Fixed::new(ones(address) ^ ones(low)),
            nexus: Fixed::new(parts.nexus),
            target_first: Fixed::new(parts.target_clears_first()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for FrontEnd<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upper);
        dff_setup!(self, clock, live_5, valid_5, intr_5, reported_5, flow_5, outcome_5, miss_5);
        dff_setup!(self, clock, taken_5, indirect_5, held_5);
        clock!(
            self,
            clock,
            trace_fsm,
            outcome,
            target,
            messages,
            flags,
            pcs,
            targets,
            misses,
            hits,
            new_context,
            warm_up
        );

        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        self.trace_fsm.predictors_ready.next =
            self.outcome.port.ready.val() & (self.target.port.ready.val() | self.target_first.val());
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.live.next = self.live_5.q.val();
        self.trace_fsm.live_next.next = self.flags.to.val().get_bit(0);
        self.trace_fsm.valid.next = self.valid_5.q.val();
        self.trace_fsm.intr.next = self.intr_5.q.val();

        // S2: lost instructions do not change predictors; during a loss the predictors hold
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        // resyncs are decided in the last stage
        self.trace_fsm.flow.next = false;
        self.trace_fsm.resynced.next = false;
        self.trace_fsm.started_decoding.next = false;
        self.trace_fsm.may_push.next = (self.with_context.val() & self.port.beat.new_context.val())
            | self.port.beat.intr.val()
            | self.port.beat.branch.val()
            | self.port.beat.lookup.val()
            | self.port.beat.pop.val()
            | self.port.beat.jump.val();
        self.new_context.clear.next = self.port.reset.val();
        self.new_context.from.next = bit_cast::<19, 18>(self.port.beat.context_value.val())
            | (bit_cast::<19, 1>(self.port.beat.new_context.val().into()) << 18);
        self.messages.new_context.next = self.new_context.to.val().get_bit(18);
        self.messages.context_value.next = self.new_context.to.val().get_bits::<18>(0);
        // all of these may make an entry
        self.live_2.next = self.trace_fsm.seen.val();
        self.valid_2.next = self.port.beat.valid.val() & self.trace_fsm.counts.val();
        self.branch_2.next = self.port.beat.branch.val() & !self.trace_fsm.blocked.val();
        self.lookup_2.next = self.port.beat.lookup.val() & !self.trace_fsm.blocked.val();
        self.push_2.next = self.port.beat.push.val() & !self.trace_fsm.blocked.val();
        self.pop_2.next = self.port.beat.pop.val() & !self.trace_fsm.blocked.val();
        self.jump_2.next = self.port.beat.jump.val() & !self.trace_fsm.blocked.val();
        // an inferred jump is a direct one
        self.inferred.next = false;
        if self.infers.val() {
            self.inferred.next = self.port.beat.inferable.val()
                & self.trace_fsm.has_begun.val()
                & !self.port.beat.intr.val()
                & !(self.with_context.val() & self.port.beat.new_context.val());
            if self.inferred.val() {
                self.lookup_2.next = false;
                self.jump_2.next = self.port.beat.lookup.val() & !self.trace_fsm.blocked.val();
            }
        }

        // warm-up after a resync
        self.hold.next = false;
        self.holding.next = false;
        self.warm_up.reset.next = self.port.reset.val();
        self.warm_up.resync.next = self.trace_fsm.decision.resync.val();
        self.warm_up.restart_sync.next = self.trace_fsm.decision.restart_sync.val();
        self.warm_up.cancel.next = self.trace_fsm.decision.stop.val();
        self.warm_up.enter.next = self.live_2.val() & self.valid_2.val();
        self.warm_up.entering.next = self.port.entering.val();
        self.warm_up.leave.next = self.live_5.q.val() & self.valid_5.q.val();
        self.warm_up.leaving.next = self.port.more.val().get_bits::<10>(0);
        if self.has_warm_up.val() {
            self.hold.next = self.warm_up.hold.val();
            self.holding.next = self.warm_up.holding.val();
        }
        // with several instructions per cycle, the first beat after a gap may come later
        self.keeps_target.next = self.wide.val() & self.trace_fsm.decision.losing.val();
        self.target_live.next =
            (self.live_2.val() | self.trace_fsm.excluded.val() | self.keeps_target.val()) & !self.hold.val();

        // S2: PC >> s; the lowest bits were dropped before
        self.pc_low.next = self.port.beat.pc.val().get_bits::<18>(0);
        self.pc_up.next = self.pc_low.val() << self.shift_up.val();
        self.pc_hash.next = self.pc_up.val() >> self.shift_down.val();
        self.hash.next = self.pc_hash.val().get_bits::<14>(0);
        self.outcome.port.branch.next = self.branch_2.val() & !self.hold.val();
        self.outcome.port.taken.next = self.port.beat.taken.val();
        self.outcome.port.hash.next = self.hash.val();
        self.outcome.port.clear.next = self.trace_fsm.clear.val() | self.port.reset.val();
        self.target.port.live.next = self.target_live.val();
        self.target.port.lookup.next = self.lookup_2.val() & !self.hold.val();
        self.target.port.push.next = self.push_2.val() & !self.hold.val();
        self.target.port.pop.next = self.pop_2.val() & !self.hold.val();
        self.target.port.branch.next = self.branch_2.val() & !self.hold.val();
        self.target.port.taken.next = self.port.beat.taken.val();
        self.target.port.hash.next = self.hash.val();
        self.target.port.link.next = self.port.beat.link.val();
        self.target.port.target.next = self.port.beat.target.val();
        self.target.port.clear.next = self.trace_fsm.clear.val() | self.port.reset.val();

        // upper address bits of the last indirect target
        self.indirect.next = self.lookup_2.val() | self.pop_2.val();
        self.reported.next = self.branch_2.val() | self.indirect.val();
        self.target_upper.next = self.port.beat.target.val() & self.upper_mask.val();
        self.same_upper.next = self.target_upper.val() == self.upper.q.val();
        if self.indirect.val() {
            self.upper.d.next = self.target_upper.val();
        }
        if !self.target_live.val() {
            self.upper.d.next = 0.into();
        }

        // all other signals wait until both predictors have responded
        self.flags.clear.next = self.port.reset.val();
        self.flags.from.next = bit_cast::<9, 1>(self.live_2.val().into())
            | (bit_cast::<9, 1>(self.valid_2.val().into()) << 1)
            | (bit_cast::<9, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<9, 1>(self.reported.val().into()) << 3)
            | (bit_cast::<9, 1>((self.jump_2.val() | self.reported.val()).into()) << 4)
            | (bit_cast::<9, 1>((self.branch_2.val() & self.port.beat.taken.val()).into()) << 5)
            | (bit_cast::<9, 1>(self.indirect.val().into()) << 6)
            | (bit_cast::<9, 1>(self.same_upper.val().into()) << 7)
            | (bit_cast::<9, 1>(self.hold.val().into()) << 8);
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();
        self.misses.clear.next = false;
        self.misses.from.next = bit_cast::<1, 1>(self.outcome.port.miss.val().into());
        self.hits.clear.next = false;
        self.hits.from.next = bit_cast::<1, 1>(self.target.port.hit.val().into());

        // S4: a Nexus-like trace sends all taken branches, whatever was predicted
        self.flags_4.next = self.flags.to.val();
        self.live_4.next = self.flags_4.val().get_bit(0);
        self.indirect_4.next = self.flags_4.val().get_bit(6);
        self.hit_4.next = self.hits.to.val().any() & self.flags_4.val().get_bit(7);
        self.live_5.d.next = self.live_4.val() & !self.port.reset.val();
        self.valid_5.d.next = self.flags_4.val().get_bit(1);
        self.intr_5.d.next = self.flags_4.val().get_bit(2);
        self.reported_5.d.next = self.flags_4.val().get_bit(3);
        self.flow_5.d.next = self.flags_4.val().get_bit(4);
        self.outcome_5.d.next = self.misses.to.val().any();
        self.miss_5.d.next = self.indirect_4.val() & !self.hit_4.val();
        self.taken_5.d.next = self.flags_4.val().get_bit(5);
        self.indirect_5.d.next = self.indirect_4.val();
        self.held_5.d.next = self.flags_4.val().get_bit(8);
        if self.nexus.val() {
            self.outcome_5.d.next = self.flags_4.val().get_bit(5);
            self.miss_5.d.next = self.indirect_4.val();
        }

        // S5
        self.messages.live.next = self.live_5.q.val();
        self.messages.valid.next = self.valid_5.q.val();
        self.messages.reported.next = self.reported_5.q.val();
        self.messages.flow.next = self.flow_5.q.val();
        self.messages.outcome.next = self.outcome_5.q.val();
        self.messages.miss.next = self.miss_5.q.val();
        self.not_predicted.next = false;
        if self.sync.val() & !self.nexus.val() {
            // not predicted in S2, or in the warm-up since then
            self.not_predicted.next =
                self.held_5.q.val() | self.holding.val() | self.trace_fsm.decision.restart_sync.val();
            if self.not_predicted.val() {
                self.messages.outcome.next = self.taken_5.q.val();
                self.messages.miss.next = self.indirect_5.q.val();
            }
        }
        self.messages.early.next = self.flags_4.val().get_bit(4);
        self.messages.header_repeated.next = self.port.control.header_repeated.val();
        self.messages.pc.next = self.pcs.to.val();
        self.messages.target.next = self.targets.to.val();
        self.messages.more.next = self.port.more.val();
        self.messages.step.next = self.port.step.val();
        self.messages.lag.next = self.port.lag.val();
        self.messages.lead_lag.next = self.port.control.lead_lag.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.messages.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.messages.entry);
    }
}

part!(FrontEnd<W>, FrontPort<W>, "front", |front| 1 + front.outcome.latency().max(front.target.latency()));
