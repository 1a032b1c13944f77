//! Core: the front end and ingress adapter of one traced core
//!
//! With several instructions per cycle, a beat also carries how many instructions and cycles it covers; these values
//! are delayed here while the beat passes through the front end. If the compressor's queue drops a beat, the front end
//! sees its event FIFO as full, so that the beat is lost like any other.
//!
//! # Ports
//! Those of the adapter ([`crate::ingress::pins`]) on the core's side; `control` and `entry` of [`crate::spine::ports`]
//! on the spine's side.
//!
//! # Timing
//! As its two parts.
//!
//! Golden model: [`sim::core_trace`], after [`sim::beats::wide`] if several instructions retire per cycle.

use crate::ingress::beat::BeatOut;
use crate::ingress::pins::{IngressPort, Pins};
use crate::scheme::flow;
use crate::spine::front_port::FrontPort;
use crate::spine::ports::{ControlIn, EntryOut};
use crate::spine::Extras;
use crate::widget::delay::Delay;
use crate::widget::fixed::Fixed;
use crate::widget::slot::Slot;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The ingress adapter of the pins `P`, followed by the front end of a scheme.
#[derive(LogicBlock, Default)]
pub struct Core<P: Pins<W>, const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pins: P,
    pub hide: Signal<In, Bit>,
    pub mode: Signal<In, Bits<2>>,
    pub modes: Signal<In, Bits<4>>,
    pub space: Signal<In, Bits<16>>,
    pub first: Signal<In, Bits<W>>,
    pub last: Signal<In, Bits<W>>,
    pub wanted: Signal<In, Bits<16>>,
    pub mask: Signal<In, Bits<16>>,
    pub timestamp: Signal<In, Bits<32>>,
    pub control: ControlIn,
    pub entry: EntryOut<W>,
    ingress: Slot<IngressPort<P, W>>,
    front: Slot<FrontPort<W>>,
    more: Delay<10>,
    step: Delay<8>,
    lag: Delay<8>,
    /// Whether several instructions retire per cycle.
    wide: Fixed<Bit>,
}

impl<P: Pins<W>, const W: usize> Core<P, W> {
    /// The core for `params`, with `extras`.
    ///
    /// # Panics
    /// If `params` are refused, W is not `xlen`, or the adapter or the front end does not support one of the extras.
    pub fn with(params: &TraceParams, extras: Extras) -> Self {
        Self::of(params, extras, flow::front(params, extras))
    }

    /// As [`Core::with`], with a front end of another scheme than that of `params`.
    pub fn of(params: &TraceParams, extras: Extras, front: Slot<FrontPort<W>>) -> Self {
        let wait = front.latency();
        Self {
            ingress: P::adapter(params, extras),
            front,
            more: Delay::new(wait),
            step: Delay::new(wait),
            lag: Delay::new(wait),
            wide: Fixed::new(extras.retire.is_some()),
            ..Default::default()
        }
    }
}

impl<P: Pins<W>, const W: usize> Logic for Core<P, W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, ingress, front, more, step, lag);
        self.ingress.port.reset.next = self.reset.val();
        self.ingress.port.live.next = self.front.port.go.val();
        self.ingress.port.open.next = self.front.port.open.val();
        P::link(&mut self.pins, &mut self.ingress.port.pins);
        self.ingress.port.hide.next = self.hide.val();
        self.ingress.port.mode.next = self.mode.val();
        self.ingress.port.modes.next = self.modes.val();
        self.ingress.port.space.next = self.space.val();
        self.ingress.port.first.next = self.first.val();
        self.ingress.port.last.next = self.last.val();
        self.ingress.port.wanted.next = self.wanted.val();
        self.ingress.port.mask.next = self.mask.val();
        self.front.port.reset.next = self.reset.val();
        self.front.port.timestamp.next = self.timestamp.val();
        BeatOut::<W>::join(&mut self.ingress.port.beat, &mut self.front.port.beat);
        EntryOut::<W>::link(&mut self.entry, &mut self.front.port.entry);

        self.more.clear.next = self.reset.val();
        self.more.from.next = self.ingress.port.more.val();
        self.front.port.more.next = bit_cast::<24, 10>(self.more.to.val());
        self.step.clear.next = self.reset.val();
        self.step.from.next = self.ingress.port.step.val();
        self.front.port.step.next = bit_cast::<32, 8>(self.step.to.val());
        self.lag.clear.next = self.reset.val();
        self.lag.from.next = self.ingress.port.lag.val();
        self.front.port.lag.next = self.lag.to.val();
        self.front.port.entering.next = self.ingress.port.more.val();

        // linked signal by signal: a linked bundle cannot be changed afterwards
        self.front.port.control.enable.next = self.control.enable.val();
        self.front.port.control.full.next = self.control.full.val();
        self.front.port.control.no_credit.next = self.control.no_credit.val();
        self.front.port.control.below_watermark.next = self.control.below_watermark.val();
        self.front.port.control.stop_go.next = self.control.stop_go.val();
        self.front.port.control.due.next = self.control.due.val();
        self.front.port.control.after_header.next = self.control.after_header.val();
        self.front.port.control.header_repeated.next = self.control.header_repeated.val();
        self.front.port.control.lead_lag.next = self.control.lead_lag.val();
        self.control.ready.next = self.front.port.control.ready.val();
        self.control.stop_ready.next = self.front.port.control.stop_ready.val();
        self.control.lost.next = self.front.port.control.lost.val();
        self.control.loses.next = self.front.port.control.loses.val();
        self.control.more.next = self.front.port.control.more.val();
        self.control.almost_full.next = self.front.port.control.almost_full.val();
        self.control.lag.next = self.front.port.control.lag.val();
        self.control.take.next = self.front.port.control.take.val();
        self.control.give_back.next = self.front.port.control.give_back.val();
        self.control.counted.next = self.front.port.control.counted.val();
        self.control.resynced.next = self.front.port.control.resynced.val();
        self.control.synced.next = self.front.port.control.synced.val();
        self.control.discontinuity.next = self.front.port.control.discontinuity.val();
        if self.wide.val() {
            // only for traced beats: an untraced one would merely delay the stop
            self.front.port.control.no_credit.next =
                self.control.no_credit.val() | (self.ingress.port.beat_lost.val() & self.ingress.port.beat.live.val());
            self.control.more.next = self.more.to.val();
            self.control.almost_full.next = self.ingress.port.almost_full.val();
            self.control.lag.next = self.lag.to.val();
        }
    }
}
