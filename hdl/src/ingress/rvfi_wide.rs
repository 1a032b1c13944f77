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
//! channel has its own [`super::gate`].
//!
//! An instruction is traced if tracing is on when its beat is *sent*: those that wait when it is disabled are not.
//!
//! # Timing
//! As many instructions per cycle as there are channels. A beat comes four cycles after them, or later while earlier beats are sent.
//!
//! Golden model: [`sim::beats::wide`].

use super::beat::BeatOut;
use super::compress::Compress;
use super::pins::{IngressPort, Pins};
use super::rvfi::{Rvfi, RvfiChannel};
use super::turn::Turn;
use crate::spine::{Extras, Retire};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::widget::slot::{part, Slot};
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
    ($(#[$doc:meta])* $name:ident, $pins:ident, $lanes:tt, $([$j:tt $next:tt $channel:ident])+) => {
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
            lane: Vec<Rvfi<W>>,
            compress: Compress<W>,
            // whether the instruction before that of a channel trapped
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            shut: DFF<Bit>,
            // where contexts are reported
            any: Signal<Local, Bit>,
            turning: Fixed<Bit>,
            turn: Turn,
        }

        impl<const W: usize> $name<W> {
            /// The adapter for `params`, with `extras`.
            ///
            /// # Panics
            /// When `extras` do not say how many instructions retire per cycle; and as [`Compress::new`].
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let retire = extras.retire.expect("several instructions a clock");
                assert_eq!(retire.lanes, $lanes, "channels");
                // all instructions of a cycle have the same context
                let mut alone = params.clone();
                alone.context = None;
                let lane = || Rvfi::with(&alone, Extras { check: false, retire: None, ..extras });
                Self {
                    lane: (0..$lanes).map(|_| lane()).collect(),
                    turning: Fixed::new(params.context.is_some()),
                    turn: when(params.context.is_some(), || Turn::new(params.context_bits())),
                    compress: Compress::of(params, extras, false),
                    trapped: each($lanes + 1),
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
                dff_setup!(self, clock, trap_before, shut);
                clock!(self, clock, compress, turn);
                // entries that wait when a trace begins are older than the trace; time is counted from its first cycle
                self.shut.d.next = !self.port.open.val();
                self.compress.reset.next = self.port.reset.val() | (self.shut.q.val() & !self.port.open.val());
                self.compress.go.next = self.port.live.val();
                self.compress.behind.next = 0.into();
                self.trapped[0].next = self.trap_before.q.val();
                $(
                    self.lane[$j].clock.next = self.clock.val();
                    self.lane[$j].port.reset.next = self.port.reset.val();
                    self.lane[$j].port.live.next = true;
                    self.lane[$j].port.open.next = true;
                    self.lane[$j].port.pins.rvfi.valid.next =
                        self.port.pins.$channel.valid.val() & !self.port.pins.$channel.trap.val() & self.port.open.val() & !self.port.reset.val();
                    self.lane[$j].port.pins.rvfi.insn.next = self.port.pins.$channel.insn.val();
                    self.lane[$j].port.pins.rvfi.trap.next = false;
                    self.lane[$j].port.pins.rvfi.intr.next = self.port.pins.$channel.intr.val() | self.trapped[$j].val();
                    self.lane[$j].port.pins.rvfi.pc_rdata.next = self.port.pins.$channel.pc_rdata.val();
                    self.lane[$j].port.pins.rvfi.pc_wdata.next = self.port.pins.$channel.pc_wdata.val();
                    self.lane[$j].port.hide.next = self.port.hide.val();
                    self.lane[$j].port.mode.next = self.port.mode.val();
                    self.lane[$j].port.modes.next = self.port.modes.val();
                    self.lane[$j].port.space.next = self.port.space.val();
                    self.lane[$j].port.first.next = self.port.first.val();
                    self.lane[$j].port.last.next = self.port.last.val();
                    self.lane[$j].port.wanted.next = self.port.wanted.val();
                    self.lane[$j].port.mask.next = self.port.mask.val();
                    BeatOut::<W>::join(&mut self.lane[$j].port.beat, &mut self.compress.lane[$j]);
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
                self.turn.retires.next = self.any.val();
                self.turn.mode.next = self.port.mode.val();
                self.turn.space.next = self.port.space.val();
                self.compress.turns.next = false;
                self.compress.belongs.next = 0.into();
                if self.turning.val() {
                    self.compress.turns.next = self.turn.turns.val();
                    self.compress.belongs.next = self.turn.belongs.val();
                }
                self.trap_before.d.next = self.trapped[$lanes].val() & !self.port.reset.val();
                BeatOut::<W>::link(&mut self.port.beat, &mut self.compress.beat);
                self.port.more.next = self.compress.more.val();
                self.port.step.next = self.compress.step.val();
                self.port.choked.next = self.compress.choked.val();
                self.port.crowd.next = self.compress.crowd.val();
                self.port.lag.next = self.compress.late_by.val();
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
