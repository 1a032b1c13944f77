//! Front end of one core without predictors: every taken control-flow instruction makes an entry
//!
//! This is the smallest front end. In every scheme, a front end has a [`Life`] at both ends of its pipeline, delays from the
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
//! Golden model: [`sim::scheme::taken`] in a [`sim::lane`].

use crate::scheme::tr::messages::Messages;
use crate::spine::front_port::FrontPort;
use crate::spine::life::Life;
use crate::spine::ports::{ControlIn, EntryOut, VerdictOut};
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::fixed::Fixed;
use crate::widget::slot::part;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A front end for addresses of W = `xlen` bits.
#[derive(LogicBlock, Default)]
pub struct TakenFront<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub port: FrontPort<W>,
    life: Life,
    messages: Messages<W>,
    // S2: direct and taken, indirect, any control flow; the last one also for lost instructions
    direct: Signal<Local, Bit>,
    indirect: Signal<Local, Bit>,
    flow: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    // live, valid, intr, flow, direct, indirect: at the end of S3, and of S4
    flags: Delay<6>,
    last: Delay<6>,
    told: Signal<Local, Bits<6>>,
    pcs: Delay<W>,
    targets: Delay<W>,
    // the context; above it a bit that is 1 if it is new
    turns: Delay<19>,
    turning: Fixed<Bit>,
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
            life: Life::new(false, extras),
            messages: Messages::with(params, extras, true),
            flags: Delay::new(1),
            last: Delay::new(1),
            pcs: Delay::new(1),
            targets: Delay::new(1),
            turns: Delay::new(2),
            turning: Fixed::new(params.context.is_some()),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for TakenFront<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, life, messages, flags, last, pcs, targets, turns);

        // S2
        self.direct.next = (self.port.beat.branch.val() & self.port.beat.taken.val()) | self.port.beat.jump.val();
        self.indirect.next = self.port.beat.look.val() | self.port.beat.pop.val();
        self.flow.next = self.port.beat.branch.val() | self.port.beat.jump.val() | self.indirect.val();
        self.life.reset.next = self.port.reset.val();
        ControlIn::link(&mut self.port.control, &mut self.life.control);
        // there are no tables to clear
        self.life.able.next = true;
        self.port.go.next = self.life.go.val();
        self.port.open.next = self.life.open.val();
        self.life.broken.next = self.port.beat.broken.val() & self.port.beat.live.val();
        self.life.here.next = self.port.beat.live.val();
        self.life.enter.next = self.port.beat.live.val() & self.port.beat.valid.val();
        self.life.hide.next = self.port.beat.hide.val();
        self.life.may.next =
            (self.turning.val() & self.port.beat.turns.val()) | self.port.beat.intr.val() | self.flow.val();
        // resyncs are decided in the last stage
        self.life.flow.next = false;
        self.life.resynced.next = false;
        self.life.began.next = false;
        self.open.next = !self.life.shut.val();

        // S3, S4
        self.flags.clear.next = self.port.reset.val();
        self.flags.from.next = bit_cast::<6, 1>(self.life.seen.val().into())
            | (bit_cast::<6, 1>((self.port.beat.valid.val() & self.life.counts.val()).into()) << 1)
            | (bit_cast::<6, 1>(self.port.beat.intr.val().into()) << 2)
            | (bit_cast::<6, 1>((self.flow.val() & self.open.val()).into()) << 3)
            | (bit_cast::<6, 1>((self.direct.val() & self.open.val()).into()) << 4)
            | (bit_cast::<6, 1>((self.indirect.val() & self.open.val()).into()) << 5);
        self.last.clear.next = self.port.reset.val();
        self.last.from.next = self.flags.to.val();
        self.told.next = self.last.to.val();
        self.pcs.clear.next = false;
        self.pcs.from.next = self.port.beat.pc.val();
        self.targets.clear.next = false;
        self.targets.from.next = self.port.beat.target.val();
        self.turns.clear.next = self.port.reset.val();
        self.turns.from.next = bit_cast::<19, 18>(self.port.beat.belongs.val())
            | (bit_cast::<19, 1>(self.port.beat.turns.val().into()) << 18);

        // S4
        self.life.live_next.next = self.flags.to.val().get_bit(0);
        self.life.live.next = self.told.val().get_bit(0);
        self.life.valid.next = self.told.val().get_bit(1);
        self.life.intr.next = self.told.val().get_bit(2);
        self.messages.live.next = self.told.val().get_bit(0);
        self.messages.valid.next = self.told.val().get_bit(1);
        // bcnt counts all instructions, and no branches
        self.messages.reported.next = false;
        self.messages.flow.next = self.told.val().get_bit(3);
        self.messages.outcome.next = self.told.val().get_bit(4);
        self.messages.miss.next = self.told.val().get_bit(5);
        self.messages.early.next = self.flags.to.val().get_bit(3);
        self.messages.ask.next = self.port.control.ask.val();
        self.messages.pc.next = self.pcs.to.val();
        self.messages.target.next = self.targets.to.val();
        self.messages.more.next = self.port.more.val();
        self.messages.step.next = self.port.step.val();
        self.messages.lag.next = self.port.lag.val();
        self.messages.lead_lag.next = self.port.control.lead_lag.val();
        self.messages.turns.next = self.turns.to.val().get_bit(18);
        self.messages.belongs.next = self.turns.to.val().get_bits::<18>(0);
        VerdictOut::join(&mut self.life.verdict, &mut self.messages.verdict);
        EntryOut::<W>::link(&mut self.port.entry, &mut self.messages.entry);
    }
}

part!(TakenFront<W>, FrontPort<W>, "front", |_front| 2);
