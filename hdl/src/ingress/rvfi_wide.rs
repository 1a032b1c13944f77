//! Ingress adapter for RVFI of a core that retires several instructions a clock (NRET > 1)
//!
//! An adapter and decoder for each of the core's channels ([`super::rvfi`]), and the compressor ([`super::compress`]).
//!
//! # Source
//! RISC-V formal interface: <https://github.com/SymbioticEDA/riscv-formal> docs/rvfi.md, NRET channels.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `live` | in | 1 | 1: what is told in this clock is traced |
//! | `rvfi<j>_*` | in | | channel j, as those of [`super::rvfi`]; of a clock the lower channel is the older instruction, and any may be empty |
//! | `mode`, `space` | in | 2, 16 | where contexts are told, and with a filter: privilege mode and number of the address space of all that retires in the clock |
//! | `hide`, `modes` | in | 1, 4 | with [`Extras::filter`]: nothing of the clock must be told; modes that may be, see [`super::veil`] |
//! | `first`, `last`, `wanted`, `mask` | in | | with [`Extras::range`], [`Extras::space`]: as of [`super::gate`], which each channel has |
//! | `beat`, `more`, `step`, `choked`, `crowd`, `lag` | out | | as those of the compressor |
//!
//! An instruction is traced if tracing is on when it is *told*: those that wait when it is disabled are not.
//!
//! # Timing
//! As many instructions a clock as there are channels. A beat comes four clocks after them, or later where others are told before.
//!
//! Golden model: [`sim::beats::wide`].

use super::beat::BeatOut;
use super::compress::Compress;
use super::gate::Gate;
use super::rvfi::Rvfi;
use super::turn::Turn;
use crate::spine::{Extras, Retire};
use crate::widget::each::each;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

macro_rules! adapter {
    (
        $(#[$doc:meta])* $name:ident, $lanes:tt,
        $([$j:tt $next:tt $valid:ident $insn:ident $trap:ident $intr:ident $pc:ident $to:ident])+
    ) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            pub live: Signal<In, Bit>,
            $(
                pub $valid: Signal<In, Bit>,
                pub $insn: Signal<In, Bits<32>>,
                pub $trap: Signal<In, Bit>,
                pub $intr: Signal<In, Bit>,
                pub $pc: Signal<In, Bits<W>>,
                pub $to: Signal<In, Bits<W>>,
            )+
            pub mode: Signal<In, Bits<2>>,
            pub space: Signal<In, Bits<16>>,
            pub hide: Signal<In, Bit>,
            pub modes: Signal<In, Bits<4>>,
            pub first: Signal<In, Bits<W>>,
            pub last: Signal<In, Bits<W>>,
            pub wanted: Signal<In, Bits<16>>,
            pub mask: Signal<In, Bits<16>>,
            pub beat: BeatOut<W>,
            pub more: Signal<Out, Bits<10>>,
            pub step: Signal<Out, Bits<8>>,
            pub choked: Signal<Out, Bit>,
            pub crowd: Signal<Out, Bit>,
            pub lag: Signal<Out, Bits<8>>,
            lane: Vec<Rvfi<W>>,
            compress: Compress<W>,
            // with a filter by address or address space
            gate: Vec<Gate<W>>,
            at: Vec<Signal<Local, Bits<W>>>,
            _gates: usize,
            // whether the instruction before a channel's trapped
            trapped: Vec<Signal<Local, Bit>>,
            trap_before: DFF<Bit>,
            // where contexts are told
            any: Signal<Local, Bit>,
            turn: Vec<Turn>,
            _turns: usize,
        }

        impl<const W: usize> $name<W> {
            /// The adapter for `params`, with `extras`.
            ///
            /// # Panics
            /// When they do not say how many instructions a clock retire; and as [`Compress::new`].
            pub fn with(params: &TraceParams, extras: Extras) -> Self {
                let retire = extras.retire.expect("several instructions a clock");
                assert_eq!(retire.lanes, $lanes, "channels");
                let gates = if extras.range || extras.space { $lanes } else { 0 };
                // the context is that of a clock
                let mut alone = params.clone();
                alone.context = None;
                Self {
                    lane: (0..$lanes).map(|_| Rvfi::with(&alone, Extras { check: false, retire: None, ..extras })).collect(),
                    turn: params.context.iter().map(|_| Turn::new(params.context_bits())).collect(),
                    _turns: usize::from(params.context.is_some()),
                    compress: Compress::of(params, extras, false),
                    gate: (0..gates).map(|_| Gate::new(&extras)).collect(),
                    at: each($lanes),
                    _gates: gates,
                    trapped: each($lanes + 1),
                    ..Default::default()
                }
            }

            /// As [`Self::with`], for benches of the adapter alone.
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
                dff_setup!(self, clock, trap_before);
                clock!(self, clock, compress);
                self.compress.reset.next = self.reset.val();
                self.compress.go.next = self.live.val();
                self.compress.behind.next = 0.into();
                self.trapped[0].next = self.trap_before.q.val();
                $(
                    self.lane[$j].clock.next = self.clock.val();
                    self.lane[$j].live.next = true;
                    self.lane[$j].rvfi_valid.next = self.$valid.val() & !self.$trap.val() & !self.reset.val();
                    self.lane[$j].rvfi_insn.next = self.$insn.val();
                    self.lane[$j].rvfi_trap.next = false;
                    self.at[$j].next = self.$pc.val();
                    self.lane[$j].hide.next = self.hide.val();
                    self.lane[$j].mode.next = self.mode.val();
                    self.lane[$j].modes.next = self.modes.val();
                    self.lane[$j].space.next = 0.into();
                    self.lane[$j].rvfi_intr.next = self.$intr.val() | self.trapped[$j].val();
                    self.lane[$j].rvfi_pc_rdata.next = self.$pc.val();
                    self.lane[$j].rvfi_pc_wdata.next = self.$to.val();
                    BeatOut::<W>::join(&mut self.lane[$j].beat, &mut self.compress.lane[$j]);
                    self.compress.extra[$j].next = 0.into();
                    self.trapped[$next].next = self.trapped[$j].val();
                    if self.$valid.val() {
                        self.trapped[$next].next = self.$trap.val();
                    }
                )+
                self.any.next = false;
                $(
                    if self.$valid.val() & !self.$trap.val() & !self.reset.val() {
                        self.any.next = true;
                    }
                )+
                for g in 0..self._gates {
                    self.gate[g].hide.next = self.hide.val();
                    self.gate[g].pc.next = self.at[g].val();
                    self.gate[g].first.next = self.first.val();
                    self.gate[g].last.next = self.last.val();
                    self.gate[g].space.next = self.space.val();
                    self.gate[g].wanted.next = self.wanted.val();
                    self.gate[g].mask.next = self.mask.val();
                    self.lane[g].hide.next = self.gate[g].hides.val();
                }
                self.compress.turns.next = false;
                self.compress.belongs.next = 0.into();
                for n in 0..self._turns {
                    self.turn[n].clock.next = self.clock.val();
                    self.turn[n].retires.next = self.any.val();
                    self.turn[n].mode.next = self.mode.val();
                    self.turn[n].space.next = self.space.val();
                    self.compress.turns.next = self.turn[n].turns.val();
                    self.compress.belongs.next = self.turn[n].belongs.val();
                }
                self.trap_before.d.next = self.trapped[$lanes].val() & !self.reset.val();
                BeatOut::<W>::link(&mut self.beat, &mut self.compress.beat);
                self.more.next = self.compress.more.val();
                self.step.next = self.compress.step.val();
                self.choked.next = self.compress.choked.val();
                self.crowd.next = self.compress.crowd.val();
                self.lag.next = self.compress.late_by.val();
            }
        }
    };
}

adapter!(
    /// The adapter for two channels, for addresses of W = `xlen` bits.
    RvfiTwo, 2,
    [0 1 rvfi0_valid rvfi0_insn rvfi0_trap rvfi0_intr rvfi0_pc_rdata rvfi0_pc_wdata]
    [1 2 rvfi1_valid rvfi1_insn rvfi1_trap rvfi1_intr rvfi1_pc_rdata rvfi1_pc_wdata]
);
adapter!(
    /// The adapter for four channels, for addresses of W = `xlen` bits.
    RvfiFour, 4,
    [0 1 rvfi0_valid rvfi0_insn rvfi0_trap rvfi0_intr rvfi0_pc_rdata rvfi0_pc_wdata]
    [1 2 rvfi1_valid rvfi1_insn rvfi1_trap rvfi1_intr rvfi1_pc_rdata rvfi1_pc_wdata]
    [2 3 rvfi2_valid rvfi2_insn rvfi2_trap rvfi2_intr rvfi2_pc_rdata rvfi2_pc_wdata]
    [3 4 rvfi3_valid rvfi3_insn rvfi3_trap rvfi3_intr rvfi3_pc_rdata rvfi3_pc_wdata]
);
