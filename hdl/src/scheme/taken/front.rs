//! Front end of one core without predictors: every taken control-flow instruction makes an entry
//!
//! This is the smallest front end. In every scheme, a front end has a [`TraceFsm`] at both ends of its pipeline, delays from the
//! beat to the stage that makes entries, and a block that makes them, here [`Messages`].
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `taken`)".
//!
//! # Ports
//! As in [`crate::spine::front_port`]. `more`, `step` and `lag` belong to the beat in S4, `entering` to the one in S2.
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S1 | ingress adapter; ends in the registers that drive the beat |
//! | S2 | which instructions are lost, and which are taken |
//! | S3 | addresses go to the FIFO, see [`crate::spine::event_fifo`] |
//! | S4 | counters, decision ([`crate::scheme::tr::messages`]) |
//!
//! Golden model: [`sim::scheme::taken`] in a [`sim::core_trace`].

use crate::scheme::tr::messages::Messages;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, DecisionOut, EntryOut};
use crate::spine::trace_fsm::TraceFsm;
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct TakenFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    trace_fsm: TraceFsm,
    messages: Messages<W>,
    // S2: direct and taken, indirect, any control flow; the last one also for lost instructions
    direct: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    // live, valid, intr, flow, direct, indirect: at the end of S3, and of S4
    flags: Delay<6>,
    last: Delay<6>,
    last_flags: Signal<Local, Bits<6>>,
    pcs: Delay<W>,
    targets: Delay<W>,
    // the context; above it a bit that is 1 if it is new
    new_context: Delay<19>,
    with_context: Fixed<Bit>,
}

impl<const W: usize> TakenFront<W> {
    /// The front end for `params` with `extras`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or W is not `xlen`.
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        assert!(usize::from(params.xlen) == W, "xlen = {} is not W = {W}", params.xlen);
        Self {
            trace_fsm: TraceFsm::new(false, extras),
            messages: Messages::with(params, extras, true),
            flags: Delay::new(1),
            last: Delay::new(1),
            pcs: Delay::new(1),
            targets: Delay::new(1),
            new_context: Delay::new(2),
            with_context: Fixed::new(params.context.is_some()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for TakenFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, trace_fsm, messages, flags, last, pcs, targets, new_context);

        // S2
        self.direct.next = (self.port.beat.branch.val() & self.port.beat.taken.val()) | self.port.beat.jump.val();
        self.indirect.next = self.port.beat.lookup.val() | self.port.beat.pop.val();
        self.flow.next = self.port.beat.branch.val() | self.port.beat.jump.val() | self.indirect.val();
        self.trace_fsm.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.trace_fsm.control);
        // there are no tables to clear
        self.trace_fsm.predictors_ready.next = true;
        self.port.go.next = self.trace_fsm.go.val();
        self.port.open.next = self.trace_fsm.open.val();
        self.trace_fsm.discontinuity.next = self.port.beat.discontinuity.val() & self.port.beat.live.val();
        self.trace_fsm.stage_live.next = self.port.beat.live.val();
        self.trace_fsm.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.trace_fsm.hide.next = self.port.beat.hide.val();
        self.trace_fsm.may_push.next =
            (self.with_context.val() & self.port.beat.new_context.val()) | self.port.beat.intr.val() | self.flow.val();
        // resyncs are decided in the last stage
        self.trace_fsm.flow.next = false;
        self.trace_fsm.resynced.next = false;
        self.trace_fsm.started_decoding.next = false;
        self.open.next = !self.trace_fsm.blocked.val();

        // S3, S4
        self.flags.clear.next = self.port.reset.val();
        self.flags.from.next = bit_cast::<6, 1>(self.trace_fsm.seen.val().into())
            | (bit_cast::<6, 1>((self.port.beat.valid.val() & self.trace_fsm.counts.val()).into()) << 1)
            | (bit_cast::<6, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<6, 1>((self.flow.val() & self.open.val()).into()) << 3)
            | (bit_cast::<6, 1>((self.direct.val() & self.open.val()).into()) << 4)
            | (bit_cast::<6, 1>((self.indirect.val() & self.open.val()).into()) << 5);
        self.last.clear.next = self.port.reset.val();
        self.last.from.next = self.flags.to.val();
        self.last_flags.next = self.last.to.val();
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();
        self.new_context.clear.next = self.port.reset.val();
        self.new_context.from.next = bit_cast::<19, 18>(self.port.beat.context_value.val())
            | (bit_cast::<19, 1>(self.port.beat.new_context.val().into()) << 18);

        // S4
        self.trace_fsm.live_next.next = self.flags.to.val().get_bit(0);
        self.trace_fsm.live.next = self.last_flags.val().get_bit(0);
        self.trace_fsm.valid.next = self.last_flags.val().get_bit(1);
        self.trace_fsm.intr.next = self.last_flags.val().get_bit(2);
        self.messages.live.next = self.last_flags.val().get_bit(0);
        self.messages.valid.next = self.last_flags.val().get_bit(1);
        // bcnt counts all instructions, and no branches
        self.messages.reported.next = false;
        self.messages.flow.next = self.last_flags.val().get_bit(3);
        self.messages.outcome.next = self.last_flags.val().get_bit(4);
        self.messages.miss.next = self.last_flags.val().get_bit(5);
        self.messages.early.next = self.flags.to.val().get_bit(3);
        self.messages.header_repeated.next = self.port.control.header_repeated.val();
        self.messages.pc.next = self.pcs.to.val();
        self.messages.target.next = self.targets.to.val();
        self.messages.more.next = self.port.more.val();
        self.messages.step.next = self.port.step.val();
        self.messages.lag.next = self.port.lag.val();
        self.messages.lead_lag.next = self.port.control.lead_lag.val();
        self.messages.new_context.next = self.new_context.to.val().get_bit(18);
        self.messages.context_value.next = self.new_context.to.val().get_bits::<18>(0);
        DecisionOut::join(&mut self.trace_fsm.decision, &mut self.messages.decision);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.messages.entry);
    }
}

part!(TakenFront<W>, FrontPort<W>, "front", |_front| 2);
