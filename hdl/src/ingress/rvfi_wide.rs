//! Ingress adapter for RVFI of a core that retires several instructions per cycle (NRET > 1)
//!
//! It has an adapter and decoder ([`super::rvfi`]) for each of the core's channels, and the compressor ([`super::compress`]).
//!
//! # Source
//! RISC-V formal interface: <https://github.com/SymbioticEDA/riscv-formal> docs/rvfi.md, NRET channels.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `rvfi<j>.*` | in | | channel j, as in [`super::rvfi`]; of a cycle, the lower channel is the older instruction, and any channel may be empty |
//!
//! and the ports of all adapters, see [`super::pins`]. Mode, address space and `hide` apply to all instructions of a cycle; each
//! channel has its own [`super::address_filter`].
//!
//! An instruction is traced if tracing is on when its beat is *sent*: those that wait when it is disabled are not.
//!
//! # Timing
//! As many instructions per cycle as there are channels. A beat comes four cycles after them, or later while earlier beats are sent.
//!
//! Golden model: [`sim::beats::wide`].

use super::beat::BeatOut;
use super::compress::Compress;
use super::context_tracker::ContextTracker;
use super::pins::{IngressPort, Pins};
use super::rvfi::{Rvfi, RvfiChannel};
use crate::spine::{Extras, Retire};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::beats::Retired;
use sim::params::TraceParams;

/// The pins of RVFI with two channels.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RvfiTwoPins<const W: usize> {
    pub rvfi0: RvfiChannel<W>,
    pub rvfi1: RvfiChannel<W>,
}

/// The pins of RVFI with four channels.
#[derive(LogicInterface, Clone, Debug, Default)]
pub struct RvfiFourPins<const W: usize> {
    pub rvfi0: RvfiChannel<W>,
    pub rvfi1: RvfiChannel<W>,
    pub rvfi2: RvfiChannel<W>,
    pub rvfi3: RvfiChannel<W>,
}

macro_rules! adapter {
    ($(#[$doc:meta])* $name:ident, $pins:ident, $per_cycle:tt, $([$j:tt $next:tt $channel:ident])+) => {
        impl<const W: usize> Pins<W> for $pins<W> {
            const CODE: u8 = 0;
            const MODE: bool = true;
            const SPACE: bool = true;
            const DRIVEN: bool = true;

            fn adapter(params: &TraceParams, extras: Extras) -> Slot<IngressPort<Self, W>> {
                Slot::new(Box::new($name::with(params, extras)))
            }

            fn retire(&mut self, beat: Option<&Retired>) {
                self.rvfi0.retire(beat);
            }
        }

        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub port: IngressPort<$pins<W>, W>,
            retire_slot: Vec<Rvfi<W>>,
            compress: Compress<W>,
            // whether the instruction before that of a channel trapped
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            was_closed: DFF<Bit>,
            // where contexts are reported
            any: Signal<Local, Bit>,
            with_context: Fixed<Bit>,
            context_tracker: ContextTracker,
        }

        impl<const W: usize> $name<W> {
            /// The adapter for `params`, with `extras`.
            ///
            /// # Panics
            /// When `extras` do not say how many instructions retire per cycle; and as [`Compress::new`].
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let retire = extras.retire.expect("several instructions a clock");
                assert_eq!(retire.per_cycle, $per_cycle, "channels");
                // all instructions of a cycle have the same context
                let mut alone = params.clone();
                alone.context = None;
                let retire_slot = || Rvfi::with(&alone, Extras { check: false, retire: None, ..extras });
                Self {
                    retire_slot: (0..$per_cycle).map(|_| retire_slot()).collect(),
                    with_context: Fixed::new(params.context.is_some()),
                    context_tracker: when(params.context.is_some(), || ContextTracker::new(params.context_bits())),
                    compress: Compress::of(params, extras, false),
                    trapped: each($per_cycle + 1),
                    ..Default::default()
                }
            }

            /// As [`Self::with`], without other extras, for benches of the adapter alone.
            ///
            /// # Panics
            /// As [`Compress::new`].
            pub fn new(params: &TraceParams, retire: Retire) -> Self {
                Self::with(params, Extras { retire: Some(retire), ..Extras::default() })
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, trap_before, was_closed);
                clock!(self, clock, compress, context_tracker);
                // entries that wait when a trace begins are older than the trace; time is counted from its first cycle
                self.was_closed.d.next = !self.port.open.val();
                self.compress.reset.next = self.port.reset.val() | (self.was_closed.q.val() & !self.port.open.val());
                self.compress.go.next = self.port.live.val();
                self.compress.delay.next = 0.into();
                self.trapped[0].next = self.trap_before.q.val();
                $(
                    self.retire_slot[$j].clock.next = self.clock.val();
                    self.retire_slot[$j].port.reset.next = self.port.reset.val();
                    self.retire_slot[$j].port.live.next = true;
                    self.retire_slot[$j].port.open.next = true;
                    self.retire_slot[$j].port.pins.rvfi.valid.next =
                        self.port.pins.$channel.valid.val() & !self.port.pins.$channel.trap.val() & self.port.open.val() & !self.port.reset.val();
                    self.retire_slot[$j].port.pins.rvfi.insn.next = self.port.pins.$channel.insn.val();
                    self.retire_slot[$j].port.pins.rvfi.trap.next = false;
                    self.retire_slot[$j].port.pins.rvfi.intr.next = self.port.pins.$channel.intr.val() | self.trapped[$j].val();
                    self.retire_slot[$j].port.pins.rvfi.pc_rdata.next = self.port.pins.$channel.pc_rdata.val();
                    self.retire_slot[$j].port.pins.rvfi.pc_wdata.next = self.port.pins.$channel.pc_wdata.val();
                    self.retire_slot[$j].port.hide.next = self.port.hide.val();
                    self.retire_slot[$j].port.mode.next = self.port.mode.val();
                    self.retire_slot[$j].port.modes.next = self.port.modes.val();
                    self.retire_slot[$j].port.space.next = self.port.space.val();
                    self.retire_slot[$j].port.first.next = self.port.first.val();
                    self.retire_slot[$j].port.last.next = self.port.last.val();
                    self.retire_slot[$j].port.wanted.next = self.port.wanted.val();
                    self.retire_slot[$j].port.mask.next = self.port.mask.val();
                    BeatOut::<W>::join(&mut self.retire_slot[$j].port.beat, &mut self.compress.retire_slot[$j]);
                    self.compress.extra[$j].next = 0.into();
                    self.trapped[$next].next = self.trapped[$j].val();
                    if self.port.pins.$channel.valid.val() {
                        self.trapped[$next].next = self.port.pins.$channel.trap.val();
                    }
                )+
                self.any.next = false;
                $(
                    if self.port.pins.$channel.valid.val() & !self.port.pins.$channel.trap.val() & !self.port.reset.val() {
                        self.any.next = true;
                    }
                )+
                self.context_tracker.retires.next = self.any.val();
                self.context_tracker.mode.next = self.port.mode.val();
                self.context_tracker.space.next = self.port.space.val();
                self.compress.new_context.next = false;
                self.compress.context_value.next = 0.into();
                if self.with_context.val() {
                    self.compress.new_context.next = self.context_tracker.new_context.val();
                    self.compress.context_value.next = self.context_tracker.context_value.val();
                }
                self.trap_before.d.next = self.trapped[$per_cycle].val() & !self.port.reset.val();
                BeatOut::<W>::link(&mut self.port.beat, &mut self.compress.beat);
                self.port.more.next = self.compress.more.val();
                self.port.step.next = self.compress.step.val();
                self.port.beat_lost.next = self.compress.beat_lost.val();
                self.port.almost_full.next = self.compress.almost_full.val();
                self.port.lag.next = self.compress.queue_delay.val();
            }
        }

        part!($name<W>, IngressPort<$pins<W>, W>, "ingress");
    };
}

adapter!(
    /// The adapter for two channels, for addresses of W = `xlen` bits.
    RvfiTwo, RvfiTwoPins, 2, [0 1 rvfi0] [1 2 rvfi1]
);
adapter!(
    /// The adapter for four channels, for addresses of W = `xlen` bits.
    RvfiFour, RvfiFourPins, 4, [0 1 rvfi0] [1 2 rvfi1] [2 3 rvfi2] [3 4 rvfi3]
);
