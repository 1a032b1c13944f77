//! Front end of one core: turns retired instructions into event entries
//!
//! It runs the predictors on every retired instruction, and sends mispredictions to the event FIFO. It takes one
//! instruction per cycle and never stalls.
//!
//! # Source
//! As [`crate::scheme::tr::front`], with other predictors, which take one cycle more.
//!
//! # Ports
//! As in [`crate::spine::front_port`]. `more`, `step` and `lag` belong to the beat in S6, `entering` to the one in S2.
//! `context_value` of an entry contains the form of its target, too, see [`super::entry`].
//!
//! For the arithmetic coder every branch makes an entry; `bcnt` contains its decision, see [`super::arithmetic::entry`].
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter: decodes, `link`, `taken`; ends in the registers that drive the beat |
//! | S2 .. S5 | [`super::predictors`] |
//! | S5 | whether a message is due |
//! | S6 | counters, decision ([`crate::scheme::tr::messages`]); its addresses went to the FIFO from S5 |
//!
//! Golden model: [`sim::scheme::follow::model`] in a [`sim::core_trace`].

use super::arithmetic::entry::{FORM_AT, RESETS_AT};
use super::entry::form_at;
use super::predictors::Predictors;
use crate::scheme::tr::messages::Messages;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::warm_up::WarmUp;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::each::when;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::follow::sizes::Sizes;

/// Cycles from a beat to the prediction.
const LATENCY: usize = 3;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct FollowFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    // Blocks
    trace_fsm: TraceFsm,
    predictors: Predictors<W>,
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
    indirect: Signal<Local, Bit>,
    reported: Signal<Local, Bit>,
    // delays until the predictors have responded
    flags: Delay<8>,
    pcs: Delay<W>,
    targets: Delay<W>,
    // where contexts are reported: the context; above it a bit that is 1 if it is new
    new_context: Delay<19>,
    // S5: live, valid, intr, reported, flow, conditional taken, indirect, predictors disabled
    flags_5: Signal<Local, Bits<8>>,
    // S6
    live_6: DFF<Bit>,
    valid_6: DFF<Bit>,
    intr_6: DFF<Bit>,
    reported_6: DFF<Bit>,
    flow_6: DFF<Bit>,
    outcome_6: DFF<Bit>,
    miss_6: DFF<Bit>,
    taken_6: DFF<Bit>,
    indirect_6: DFF<Bit>,
    held_6: DFF<Bit>,
    form_6: DFF<Bits<3>>,
    form: Signal<Local, Bits<3>>,
    not_predicted: Signal<Local, Bit>,
    // for the arithmetic coder: the decision
    decides: Fixed<Bit>,
    right_6: DFF<Bit>,
    situation_6: DFF<Bits<6>>,
    right: Signal<Local, Bit>,
    decision: Signal<Local, Bits<24>>,
    counts: Signal<Local, Bit>,
    sync: Fixed<Bit>,
    with_context: Fixed<Bit>,
    infers: Fixed<Bit>,
    form_shift: Fixed<Bits<5>>,
    form_at: Fixed<Bits<5>>,
    resets_at: Fixed<Bits<5>>,
}

impl<const W: usize> FollowFront<W> {
    /// The front end for `params` with `extras`, with predictors of `sizes`; `arithmetic`: for that coder.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn with(params: &TraceParams, extras: Extras, sizes: &Sizes, arithmetic: bool) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let wide = extras.retire.is_some();
        Self {
            flags: Delay::new(LATENCY),
            pcs: Delay::new(LATENCY),
            targets: Delay::new(LATENCY),
            new_context: Delay::new(LATENCY + 1),
            predictors: Predictors::new(sizes, params, arithmetic),
            decides: Fixed::new(arithmetic),
            trace_fsm: TraceFsm::new(false, extras),
            messages: Messages::with(params, extras, false),
            warm_up: when(extras.sync, || WarmUp::new(params.flow.warm_up() << extras.warm_up_scale(params), wide)),
            sync: Fixed::new(extras.sync),
            with_context: Fixed::new(params.context.is_some()),
            infers: Fixed::new(params.flow.infers()),
            form_shift: Fixed::of(form_at(params) as u64),
            form_at: Fixed::of(FORM_AT as u64),
            resets_at: Fixed::of(RESETS_AT as u64),
            ..Default::default()
        }
    }
}

#[allow(clippy::collapsible_if)]
impl<const W: usize> Logic for FollowFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, live_6, valid_6, intr_6, reported_6, flow_6, outcome_6, miss_6);
        dff_setup!(self, clock, taken_6, indirect_6, held_6, form_6, right_6, situation_6);
        clock!(self, clock, trace_fsm, predictors, messages, flags, pcs, targets, new_context, warm_up);

        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        self.trace_fsm.predictors_ready.next = self.predictors.ready.val();
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.live.next = self.live_6.q.val();
        self.trace_fsm.live_next.next = self.flags.to.val().get_bit(0);
        self.trace_fsm.valid.next = self.valid_6.q.val();
        self.trace_fsm.intr.next = self.intr_6.q.val();

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
        self.warm_up.leave.next = self.live_6.q.val() & self.valid_6.q.val();
        self.warm_up.leaving.next = self.port.more.val().get_bits::<10>(0);
        if self.sync.val() {
            self.hold.next = self.warm_up.hold.val();
            self.holding.next = self.warm_up.holding.val();
        }
        self.predictors.clear.next = self.trace_fsm.clear.val() | self.port.reset.val();
        self.predictors.branch.next = self.branch_2.val() & !self.hold.val();
        self.predictors.taken.next = self.port.beat.taken.val();
        self.predictors.lookup.next = self.lookup_2.val() & !self.hold.val();
        self.predictors.push.next = self.push_2.val() & !self.hold.val();
        self.predictors.pop.next = self.pop_2.val() & !self.hold.val();
        self.predictors.pc.next = self.port.beat.pc.val();
        self.predictors.target.next = self.port.beat.target.val();
        self.predictors.link.next = self.port.beat.link.val();

        // all other signals wait until the predictors have responded
        self.indirect.next = self.lookup_2.val() | self.pop_2.val();
        self.reported.next = self.branch_2.val() | self.indirect.val();
        self.flags.clear.next = self.port.reset.val();
        self.flags.from.next = bit_cast::<8, 1>(self.live_2.val().into())
            | (bit_cast::<8, 1>(self.valid_2.val().into()) << 1)
            | (bit_cast::<8, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<8, 1>(self.reported.val().into()) << 3)
            | (bit_cast::<8, 1>((self.jump_2.val() | self.reported.val()).into()) << 4)
            | (bit_cast::<8, 1>((self.branch_2.val() & self.port.beat.taken.val()).into()) << 5)
            | (bit_cast::<8, 1>(self.indirect.val().into()) << 6)
            | (bit_cast::<8, 1>(self.hold.val().into()) << 7);
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();

        // S5
        self.flags_5.next = self.flags.to.val();
        self.live_6.d.next = self.flags_5.val().get_bit(0) & !self.port.reset.val();
        self.valid_6.d.next = self.flags_5.val().get_bit(1);
        self.intr_6.d.next = self.flags_5.val().get_bit(2);
        self.reported_6.d.next = self.flags_5.val().get_bit(3);
        self.flow_6.d.next = self.flags_5.val().get_bit(4);
        self.outcome_6.d.next = self.predictors.miss.val();
        self.miss_6.d.next = self.flags_5.val().get_bit(6) & !self.predictors.hit.val();
        self.taken_6.d.next = self.flags_5.val().get_bit(5);
        self.indirect_6.d.next = self.flags_5.val().get_bit(6);
        self.held_6.d.next = self.flags_5.val().get_bit(7);
        self.form_6.d.next = self.predictors.form.val();
        self.right_6.d.next = self.predictors.right.val();
        self.situation_6.d.next = self.predictors.situation.val();
        if self.decides.val() {
            // each branch makes an entry
            self.outcome_6.d.next = self.flags_5.val().get_bit(3) & !self.flags_5.val().get_bit(6);
            self.miss_6.d.next = self.flags_5.val().get_bit(6);
        }

        // S6
        self.messages.live.next = self.live_6.q.val();
        self.messages.valid.next = self.valid_6.q.val();
        self.messages.reported.next = self.reported_6.q.val();
        self.messages.flow.next = self.flow_6.q.val();
        self.messages.outcome.next = self.outcome_6.q.val();
        self.messages.miss.next = self.miss_6.q.val();
        self.not_predicted.next = false;
        self.form.next = self.form_6.q.val();
        self.right.next = self.right_6.q.val();
        if self.sync.val() {
            // not predicted in S2, or in the warm-up since then
            self.not_predicted.next =
                self.held_6.q.val() | self.holding.val() | self.trace_fsm.decision.restart_sync.val();
            if self.not_predicted.val() {
                if !self.decides.val() {
                    self.messages.outcome.next = self.taken_6.q.val();
                }
                self.messages.miss.next = self.indirect_6.q.val();
                self.form.next = 0.into();
                self.right.next = !self.taken_6.q.val() & !self.indirect_6.q.val();
            }
        }
        self.messages.early.next = self.flags_5.val().get_bit(4);
        self.messages.header_repeated.next = self.port.control.header_repeated.val();
        self.messages.pc.next = self.pcs.to.val();
        self.messages.target.next = self.targets.to.val();
        self.messages.more.next = self.port.more.val();
        self.messages.step.next = self.port.step.val();
        self.messages.lag.next = self.port.lag.val();
        self.messages.lead_lag.next = self.port.control.lead_lag.val();
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.messages.decision);
        self.port.entry.push.next = self.messages.entry.push.val();
        self.port.entry.pre.next = self.messages.entry.pre.val();
        self.port.entry.post.next = self.messages.entry.post.val();
        self.port.entry.icnt.next = self.messages.entry.icnt.val();
        self.port.entry.context_value.next = self.messages.entry.context_value.val();
        if !self.decides.val() {
            self.port.entry.context_value.next =
                self.messages.entry.context_value.val() | (bit_cast::<19, 3>(self.form.val()) << self.form_shift.val());
        }
        self.port.entry.bcnt.next = self.messages.entry.bcnt.val();
        self.decision.next = bit_cast::<24, 6>(self.situation_6.q.val())
            | (bit_cast::<24, 1>(self.right.val().into()) << 6)
            | (bit_cast::<24, 1>(self.not_predicted.val().into()) << 7)
            | (bit_cast::<24, 3>(self.form.val()) << self.form_at.val())
            | (bit_cast::<24, 1>(self.trace_fsm.decision.restart_sync.val().into()) << self.resets_at.val());
        // what is neither a branch nor a sync keeps its count: control and progress messages, a resync after an exception
        self.counts.next = self.messages.entry.pre.val().all() | self.messages.entry.post.val().all();
        if self.decides.val() {
            if !self.counts.val() {
                self.port.entry.bcnt.next = self.decision.val();
            }
        }
        self.port.entry.pc.next = self.messages.entry.pc.val();
        self.port.entry.target.next = self.messages.entry.target.val();
        self.port.entry.resync_pc.next = self.messages.entry.resync_pc.val();
        self.port.entry.cc.next = self.messages.entry.cc.val();
        self.port.entry.hist.next = 0.into();
    }
}

part!(FollowFront<W>, FrontPort<W>, "front", |_front| 1 + LATENCY);
