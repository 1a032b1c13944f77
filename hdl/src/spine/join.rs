//! Back end of N cores: event FIFOs, merger, encoder, packer and registers, joined
//!
//! # Source
//! `docs/trace-module.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: back to the state at power-up |
//! | `bus_*` | | | register bus, see [`super::registers`] |
//! | `valid`, `ready`, `data` | | 1, 1, 32 | trace words |
//! | `enable` | out | 1 | the front ends trace |
//! | `stop_go` | out | 1 | every core is `stop_ready` |
//! | `core_ready[i]`, `stop_ready[i]`, `lost[i]` | in | 1 | state of front end i |
//! | `entry_*[i]` | in | | its event entries, see [`crate::entry`] |
//! | `full[i]`, `empty[i]` | out | 1 | its FIFO: few places are free; nothing is in it |
//!
//! # Timing
//! A trace begins when `control.enable` is 1 and every core is ready: the header goes out, `enable` rises.
//! It ends when `control.enable` falls: the cores stop, the stop messages go out, the last word is filled.
//! The next one begins after that.

use super::event_fifo::EventFifo;
use super::merger::Merger;
use super::packer::Packer;
use super::registers::Registers;
use crate::scheme::sc_lsp::encoder::StreamEncoder;
use crate::scheme::tr::encoder::Encoder;
use crate::spine::entry::{EntryLayout, COUNT_PORT_BITS};
use crate::widget::each::each;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

macro_rules! back_end {
    ($(#[$doc:meta])* $name:ident, $encoder:ident, $layout:path) => {
        $(#[$doc])*
        #[derive(LogicBlock, Default)]
        pub struct $name<const W: usize> {
            pub clock: Signal<In, Clock>,
            pub reset: Signal<In, Bit>,
            pub bus_addr: Signal<In, Bits<3>>,
            pub bus_write: Signal<In, Bit>,
            pub bus_wdata: Signal<In, Bits<32>>,
            pub bus_rdata: Signal<Out, Bits<32>>,
            pub valid: Signal<Out, Bit>,
            pub ready: Signal<In, Bit>,
            pub data: Signal<Out, Bits<32>>,
            pub enable: Signal<Out, Bit>,
            pub stop_go: Signal<Out, Bit>,
            pub core_ready: Vec<Signal<In, Bit>>,
            pub stop_ready: Vec<Signal<In, Bit>>,
            pub lost: Vec<Signal<In, Bit>>,
            pub entry_push: Vec<Signal<In, Bit>>,
            pub entry_pre: Vec<Signal<In, Bits<2>>>,
            pub entry_post: Vec<Signal<In, Bits<2>>>,
            pub entry_icnt: Vec<Signal<In, Bits<24>>>,
            pub entry_bcnt: Vec<Signal<In, Bits<24>>>,
            pub entry_pc: Vec<Signal<In, Bits<W>>>,
            pub entry_target: Vec<Signal<In, Bits<W>>>,
            pub entry_cc: Vec<Signal<In, Bits<32>>>,
            pub full: Vec<Signal<Out, Bit>>,
            pub empty: Vec<Signal<Out, Bit>>,
            _cores: usize,
            fifo: Vec<EventFifo<W>>,
            merger: Merger,
            encoder: $encoder<W>,
            packer: Packer,
            registers: Registers,
            session: DFF<Bit>,
            running: DFF<Bit>,
            header: DFF<Bit>,
            tracing: Signal<Local, Bit>,
            all_ready: Signal<Local, Bit>,
            all_stopped: Signal<Local, Bit>,
            pushes: Signal<Local, Bits<16>>,
            haves: Signal<Local, Bits<16>>,
            losses: Signal<Local, Bits<16>>,
            pops: Signal<Local, Bits<16>>,
            who: Signal<Local, Bits<4>>,
            word: Signal<Local, Bits<W>>,
            cc: Signal<Local, Bits<32>>,
        }

        impl<const W: usize> $name<W> {
            /// The back end for `params`, with FIFOs of 2^`log2_depth` - 1 entries.
            ///
            /// # Panics
            /// When `params` are refused, or `log2_depth` is outside 3..=8.
            pub fn new(params: &TraceParams, log2_depth: usize) -> Self {
                let cores = usize::from(params.cores);
                let layout = $layout(params);
                Self {
                    _cores: cores,
                    core_ready: each(cores),
                    stop_ready: each(cores),
                    lost: each(cores),
                    entry_push: each(cores),
                    entry_pre: each(cores),
                    entry_post: each(cores),
                    entry_icnt: each(cores),
                    entry_bcnt: each(cores),
                    entry_pc: each(cores),
                    entry_target: each(cores),
                    entry_cc: each(cores),
                    full: each(cores),
                    empty: each(cores),
                    fifo: (0..cores).map(|_| EventFifo::new(&layout, log2_depth)).collect(),
                    merger: Merger::new(params, log2_depth),
                    encoder: $encoder::new(params),
                    packer: Packer::new(),
                    registers: Registers::new(params),
                    ..Default::default()
                }
            }
        }

        impl<const W: usize> Logic for $name<W> {
            #[hdl_gen]
            fn update(&mut self) {
                dff_setup!(self, clock, session, running, header);
                clock!(self, clock, merger, encoder, packer, registers);
                self.merger.reset.next = self.reset.val();
                self.encoder.reset.next = self.reset.val();
                self.packer.reset.next = self.reset.val();
                self.registers.reset.next = self.reset.val();

                // entries into their FIFOs, and the one at the head of the order to the encoder
                self.who.next = self.merger.core.val();
                self.pops.next = self.merger.pops.val();
                self.pushes.next = 0.into();
                self.haves.next = 0.into();
                self.losses.next = 0.into();
                self.all_ready.next = true;
                self.all_stopped.next = true;
                self.word.next = 0.into();
                self.cc.next = 0.into();
                for i in 0..self._cores {
                    self.fifo[i].clock.next = self.clock.val();
                    self.fifo[i].reset.next = self.reset.val();
                    self.fifo[i].push.next = self.entry_push[i].val();
                    self.fifo[i].in_pre.next = self.entry_pre[i].val();
                    self.fifo[i].in_post.next = self.entry_post[i].val();
                    self.fifo[i].in_icnt.next = self.entry_icnt[i].val();
                    self.fifo[i].in_bcnt.next = self.entry_bcnt[i].val();
                    self.fifo[i].in_pc.next = self.entry_pc[i].val();
                    self.fifo[i].in_target.next = self.entry_target[i].val();
                    self.fifo[i].in_cc.next = self.entry_cc[i].val();
                    self.fifo[i].field.next = self.encoder.field.val();
                    self.fifo[i].pop.next = self.pops.val().get_bit(i);
                    self.full[i].next = self.fifo[i].full.val();
                    self.empty[i].next = self.fifo[i].empty.val();
                    self.pushes.next = self.pushes.val().replace_bit(i, self.entry_push[i].val());
                    self.haves.next = self.haves.val().replace_bit(i, self.fifo[i].have.val());
                    self.losses.next = self.losses.val().replace_bit(i, self.lost[i].val());
                    if !self.core_ready[i].val() {
                        self.all_ready.next = false;
                    }
                    if !self.stop_ready[i].val() {
                        self.all_stopped.next = false;
                    }
                    if self.who.val() == i.to_bits() {
                        self.word.next = self.fifo[i].word.val();
                        self.cc.next = self.fifo[i].cc.val();
                    }
                }
                self.merger.pushes.next = self.pushes.val();
                self.merger.have.next = self.haves.val();
                self.merger.done.next = self.encoder.done.val();
                self.encoder.have.next = self.merger.show.val();
                self.encoder.core.next = self.who.val();
                self.encoder.word.next = self.word.val();
                self.encoder.cc.next = self.cc.val();
                self.packer.bit_valid.next = self.encoder.bit_valid.val();
                self.packer.data_bit.next = self.encoder.data_bit.val();
                self.encoder.bit_ready.next = self.packer.bit_ready.val();
                self.encoder.aligned.next = self.packer.aligned.val();
                self.packer.ready.next = self.ready.val();
                self.valid.next = self.packer.valid.val();
                self.data.next = self.packer.data.val();

                // a trace from header to the last word
                self.registers.bus_addr.next = self.bus_addr.val();
                self.registers.bus_write.next = self.bus_write.val();
                self.registers.bus_wdata.next = self.bus_wdata.val();
                self.bus_rdata.next = self.registers.bus_rdata.val();
                self.tracing.next = self.running.q.val() & self.registers.enable.val();
                self.running.d.next = self.tracing.val();
                if self.registers.enable.val() & self.all_ready.val() & !self.session.q.val() {
                    self.session.d.next = true;
                    self.header.d.next = true;
                    self.running.d.next = true;
                }
                if self.encoder.started.val() {
                    self.header.d.next = false;
                }
                if self.encoder.finished.val() {
                    self.session.d.next = false;
                }
                if self.reset.val() {
                    self.session.d.next = false;
                    self.running.d.next = false;
                    self.header.d.next = false;
                }
                self.encoder.start.next = self.header.q.val();
                self.enable.next = self.tracing.val();
                self.stop_go.next = self.all_stopped.val();
                self.registers.ready.next = self.all_ready.val();
                self.registers.active.next = self.tracing.val();
                self.registers.idle.next = !self.session.q.val() & !self.packer.valid.val() & !self.registers.enable.val();
                self.registers.overflow.next = self.losses.val();
            }
        }
    };
}

/// Entries of the scheme `sc-lsp` use all bits of both counts.
fn stream_layout(params: &TraceParams) -> EntryLayout {
    EntryLayout { count_bits: COUNT_PORT_BITS, ..EntryLayout::new(params) }
}

back_end!(
    /// The back end of N cores with addresses of at most W bits.
    BackEnd, Encoder, EntryLayout::new
);
back_end!(
    /// The back end of N cores with stream caches.
    StreamBackEnd, StreamEncoder, stream_layout
);
