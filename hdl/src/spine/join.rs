//! Spine of N cores: connects event FIFOs, merger, framer, packer and registers
//!
//! The front ends connect to its inputs, the encoder of their scheme to its outputs.
//!
//! # Source
//! `docs/explanation/trace-module.md`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: back to the state at power-up |
//! | `bus` | in | register bus, see [`super::registers`] |
//! | `words` | out | trace words |
//! | `active` | out | a trace is in progress |
//! | `modes` | out | the privilege modes that software selects for tracing |
//! | `half[i]` | out | FIFO i is half full, less two entries, or the queue before it is almost full |
//! | `control[i]` | out | to front end i |
//! | `entry[i]` | in | event entries of front end i, see [`super::entry`] |
//! | `read` | out | the next entry, to the encoder |
//! | `source[0]` | in | with [`Extras::source_input`]: the number of the core, in `read` |
//! | `coded`, `high[0]` | in | slices of its bits; bits above the lower eight of wide slices |
//!
//! All but the first are the bundles of [`super::ports`].
//!
//! # Timing
//! As the parts. `control[i].full` is `full` of FIFO i; `.no_credit` and `.below_watermark` include the entries that are reserved in it.

use super::credits::Credits;
use super::entry::EntryLayout;
use super::event_fifo::{EventFifo, FIELD_COUNT};
use super::merger::Merger;
use super::packer::Packer;
use super::ports::{BusIn, ControlOut, EntryIn, ReadOut, SliceIn, SliceOut, WordsOut};
use super::registers::Registers;
use super::resync::Resync;
use super::resync_pc::{ResyncPcFifo, EARLY_CYCLES};
use super::trace_framer::TraceFramer;
use super::{Extras, Stream};
use crate::widget::delay::Delay;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// The spine of all cores, with addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Spine<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: BusIn,
    pub words: WordsOut,
    pub active: Signal<Out, Bit>,
    pub modes: Signal<Out, Bits<4>>,
    pub half: Vec<Signal<Out, Bit>>,
    pub control: Vec<ControlOut>,
    pub entry: Vec<EntryIn<W>>,
    pub read: ReadOut<W>,
    pub source: Vec<Signal<In, Bits<4>>>,
    pub coded: SliceIn,
    _cores: usize,
    _sources: usize,
    fifo: Vec<EventFifo<W>>,
    credits: Vec<Credits>,
    merger: Merger,
    trace_framer: TraceFramer,
    packer: Packer,
    registers: Registers,
    // with resyncs: what requests them, and their PCs
    resync: Resync,
    sync: Fixed<Bit>,
    resync_pc: Vec<ResyncPcFifo<W>>,
    uses_resync_pc: Fixed<Bit>,
    synced: Signal<Local, Bits<16>>,
    discontinuity: Signal<Local, Bits<16>>,
    follow: Signal<Local, Bits<16>>,
    lead: Signal<Local, Bit>,
    header_repeated: Signal<Local, Bit>,
    all_ready: Signal<Local, Bit>,
    all_stopped: Signal<Local, Bit>,
    pushes: Signal<Local, Bits<16>>,
    haves: Signal<Local, Bits<16>>,
    losses: Signal<Local, Bits<16>>,
    losses_now: Signal<Local, Bits<16>>,
    word: Signal<Local, Bits<W>>,
    cc: Signal<Local, Bits<32>>,
    hist: Signal<Local, Bits<32>>,
    oldest_resync_pc: Signal<Local, Bits<W>>,
    // where several instructions of a core retire per cycle: how many are lost, delayed for front ends that decide about resyncs
    // before their last stage
    wide: Fixed<Bit>,
    lost_delay: Vec<Delay<10>>,
    first: Fixed<Bits<2>>,
}

impl<const W: usize> Spine<W> {
    /// The spine for `params` with `extras`, with FIFOs of 2^`log2_depth` - 2 entries of `layout`.
    ///
    /// # Panics
    /// When `log2_depth` is outside 3..=8.
    pub fn with(params: &TraceParams, layout: &EntryLayout, log2_depth: usize, extras: Extras) -> Self {
        Self::with_stream(&Stream::with(params, &extras), params, layout, log2_depth, extras)
    }

    /// As [`Spine::with`], for a stream of another scheme than that of `params`.
    ///
    /// # Panics
    /// As [`Spine::with`].
    pub fn with_stream(
        stream: &Stream,
        params: &TraceParams,
        layout: &EntryLayout,
        log2_depth: usize,
        extras: Extras,
    ) -> Self {
        let sync = extras.sync;
        Self {
            trace_framer: TraceFramer::new(stream, sync),
            resync: Resync::new(params, &extras),
            sync: Fixed::new(sync),
            uses_resync_pc: Fixed::new(layout.uses_resync_pc),
            registers: Registers::new(stream, extras),
            wide: Fixed::new(extras.retire.is_some()),
            source: each(extras.source_input.into()),
            _sources: extras.source_input.into(),
            ..Self::of(stream, layout, log2_depth)
        }
    }

    /// The spine for a stream of any scheme, without extras.
    ///
    /// # Panics
    /// When `log2_depth` is outside 3..=8.
    pub fn of(stream: &Stream, layout: &EntryLayout, log2_depth: usize) -> Self {
        let cores = usize::from(stream.senders);
        Self {
            half: each(cores),
            control: each(cores),
            entry: each(cores),
            _cores: cores,
            fifo: (0..cores)
                .map(|_| {
                    let fifo = EventFifo::new(layout, log2_depth);
                    // their front ends have a trace state machine, which reserves each entry before it is made
                    if layout.early {
                        fifo.reserved()
                    } else {
                        fifo
                    }
                })
                .collect(),
            credits: (0..cores).map(|_| Credits::new(log2_depth)).collect(),
            merger: Merger::of(stream, log2_depth),
            trace_framer: TraceFramer::new(stream, false),
            resync_pc: (0..cores).map(|_| ResyncPcFifo::new(log2_depth, layout.address_bits)).collect(),
            lost_delay: (0..cores).map(|_| Delay::new(EARLY_CYCLES)).collect(),
            packer: Packer::new(stream.slices),
            registers: Registers::new(stream, Extras::default()),
            first: Fixed::of(FIELD_COUNT),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Spine<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, merger, trace_framer, packer, registers, resync);
        self.merger.reset.next = self.reset.val();
        self.trace_framer.reset.next = self.reset.val();
        self.packer.reset.next = self.reset.val();
        self.registers.reset.next = self.reset.val();

        // entries into their FIFOs, and the next one in order to the encoder
        self.pushes.next = 0.into();
        self.haves.next = 0.into();
        self.losses.next = 0.into();
        self.losses_now.next = 0.into();
        self.synced.next = 0.into();
        self.discontinuity.next = 0.into();
        self.all_ready.next = true;
        self.all_stopped.next = true;
        self.word.next = 0.into();
        self.cc.next = 0.into();
        self.hist.next = 0.into();
        for i in 0..self._cores {
            self.fifo[i].clock.next = self.clock.val();
            self.fifo[i].reset.next = self.reset.val();
            EntryIn::<W>::link(&mut self.entry[i], &mut self.fifo[i].entry);
            // requests and responses of the encoder are separate signals: Verilator would report a combinational loop
            self.fifo[i].field.next = self.first.val();
            self.fifo[i].pop.next = false;
            if self.merger.core.val() == i.to_bits() {
                self.fifo[i].field.next = self.read.field.val();
                self.fifo[i].pop.next = self.read.done.val();
            }
            self.control[i].full.next = self.fifo[i].full.val();
            self.credits[i].clock.next = self.clock.val();
            self.credits[i].reset.next = self.reset.val();
            self.credits[i].take.next = self.control[i].take.val();
            self.credits[i].give_back.next = self.control[i].give_back.val();
            self.credits[i].pop.next = false;
            if self.merger.core.val() == i.to_bits() {
                self.credits[i].pop.next = self.read.done.val();
            }
            self.control[i].no_credit.next = self.credits[i].no_credit.val();
            self.control[i].below_watermark.next = self.credits[i].below_watermark.val();
            self.control[i].enable.next = self.trace_framer.tracing.val();
            // an entry that is not written is not noted: the merger would wait for it for ever
            self.pushes.next = self.pushes.val().replace_bit(i, self.fifo[i].taken.val());
            self.haves.next = self.haves.val().replace_bit(i, self.fifo[i].have.val());
            self.losses.next = self.losses.val().replace_bit(i, self.control[i].lost.val());
            self.losses_now.next = self.losses_now.val().replace_bit(i, self.control[i].loses.val());
            self.synced.next = self.synced.val().replace_bit(i, self.control[i].synced.val());
            self.discontinuity.next = self.discontinuity.val().replace_bit(i, self.control[i].discontinuity.val());
            if !self.control[i].ready.val() {
                self.all_ready.next = false;
            }
            if !self.control[i].stop_ready.val() {
                self.all_stopped.next = false;
            }
            if self.merger.core.val() == i.to_bits() {
                self.word.next = self.fifo[i].word.val();
                self.cc.next = self.fifo[i].cc.val();
                self.hist.next = self.fifo[i].hist.val();
            }
        }
        self.oldest_resync_pc.next = 0.into();
        for m in 0..self._cores {
            self.resync_pc[m].clock.next = self.clock.val();
            self.resync_pc[m].reset.next = self.reset.val();
            self.resync_pc[m].push.next = self.control[m].resynced.val();
            self.resync_pc[m].pc.next = self.entry[m].resync_pc.val();
            self.resync_pc[m].pop.next = false;
            if self.merger.core.val() == m.to_bits() {
                self.resync_pc[m].pop.next = self.read.done.val() & self.read.uses_resync_pc.val();
                if self.sync.val() & self.uses_resync_pc.val() {
                    self.oldest_resync_pc.next = self.resync_pc[m].word.val();
                }
            }
        }
        self.read.resync_pc.next = self.oldest_resync_pc.val();
        // core 0 is first, all others follow
        self.lead.next = false;
        self.follow.next = 0.into();
        self.header_repeated.next = false;
        self.resync.active.next = self.trace_framer.active.val();
        self.resync.period.next = self.registers.period.val();
        self.resync.bytes.next = self.registers.bytes.val();
        self.resync.begins.next = self.trace_framer.begins.val();
        self.resync.leaves.next = self.packer.words.valid.val() & self.words.ready.val();
        self.resync.request.next = self.registers.request.val();
        self.resync.counted.next = self.control[0].counted.val();
        self.resync.more.next = self.control[0].more.val();
        self.resync.resynced.next = self.control[0].resynced.val();
        self.resync.synced.next = self.synced.val();
        if self.sync.val() {
            self.lead.next = self.resync.lead.val();
            self.follow.next = self.resync.follow.val();
            self.header_repeated.next = self.resync.header_repeated.val();
        }
        for k in 0..self._cores {
            self.control[k].stop_go.next = self.all_stopped.val();
            self.control[k].due.next = self.follow.val().get_bit(k);
            self.control[k].after_header.next = self.follow.val().get_bit(k);
            self.control[k].header_repeated.next = self.header_repeated.val();
            self.control[k].lead_lag.next = 0.into();
            if self.sync.val() & self.wide.val() {
                self.control[k].lead_lag.next = self.control[0].lag.val();
            }
        }
        self.control[0].due.next = self.lead.val();
        self.control[0].after_header.next = false;
        self.control[0].header_repeated.next = false;
        self.merger.pushes.next = self.pushes.val();
        self.merger.have.next = self.haves.val();
        self.merger.done.next = self.read.done.val();
        self.trace_framer.show.next = self.merger.show.val();
        self.trace_framer.done.next = self.read.done.val();
        self.trace_framer.ends.next = self.read.ends.val();
        self.trace_framer.again.next = self.read.again.val();
        self.read.have.next = self.trace_framer.have.val();
        self.read.core.next = self.merger.core.val();
        for s in 0..self._sources {
            self.read.core.next = self.source[s].val();
        }
        self.read.word.next = self.word.val();
        self.read.cc.next = self.cc.val();
        self.read.hist.next = self.hist.val();

        // bits to words
        SliceIn::link(&mut self.coded, &mut self.trace_framer.coded);
        SliceOut::join(&mut self.trace_framer.bits, &mut self.packer.bits);
        self.trace_framer.aligned.next = self.packer.aligned.val();
        self.trace_framer.nibbles.next = self.packer.nibbles.val();
        self.active.next = self.trace_framer.active.val();
        self.words.valid.next = self.packer.words.valid.val();
        self.words.data.next = self.packer.words.data.val();
        self.packer.words.ready.next = self.words.ready.val();

        // control and status
        BusIn::link(&mut self.bus, &mut self.registers.bus);
        self.trace_framer.enable.next = self.registers.enable.val();
        self.trace_framer.ready.next = self.all_ready.val();
        self.registers.ready.next = self.all_ready.val();
        self.registers.active.next = self.trace_framer.tracing.val();
        self.registers.idle.next =
            !self.trace_framer.active.val() & !self.packer.words.valid.val() & !self.registers.enable.val();
        self.modes.next = self.registers.modes.val();
        self.registers.overflow.next = self.losses.val();
        self.registers.loses.next = self.losses_now.val();
        for n in 0..self._cores {
            self.half[n].next = self.credits[n].half.val();
            if self.wide.val() {
                self.half[n].next = self.credits[n].half.val() | self.control[n].almost_full.val();
            }
            self.lost_delay[n].clock.next = self.clock.val();
            self.lost_delay[n].clear.next = self.reset.val();
            self.lost_delay[n].from.next = self.control[n].more.val();
            self.registers.more[n].next = self.control[n].more.val();
            if self.uses_resync_pc.val() {
                self.registers.more[n].next = self.lost_delay[n].to.val();
            }
        }
        self.registers.discontinuity.next = self.discontinuity.val();
    }
}
