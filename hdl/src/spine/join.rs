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
//! | `coded`, `high[0]` | in | slices of its bits; bits above the lower eight of wide slices |
//!
//! All but the first are the bundles of [`super::ports`].
//!
//! # Timing
//! As the parts. `control[i].full` is `full` of FIFO i; `.spent` and `.roomy` include the entries that are reserved in it.

use super::entry::EntryLayout;
use super::event_fifo::{EventFifo, FIELD_COUNT};
use super::landing::{Landing, AHEAD};
use super::merger::Merger;
use super::packer::Packer;
use super::ports::{BusIn, ControlOut, EntryIn, PieceIn, PieceOut, ReadOut, WordsOut};
use super::registers::Registers;
use super::resync::Resync;
use super::room::Room;
use super::session::Session;
use super::{Extras, Stream};
use crate::widget::delay::Delay;
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
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
    pub coded: PieceIn,
    _cores: usize,
    fifo: Vec<EventFifo<W>>,
    room: Vec<Room>,
    merger: Merger,
    session: Session,
    packer: Packer,
    registers: Registers,
    // with resyncs: what requests them, and their PCs
    resync: Resync,
    sync: Fixed<Bit>,
    landing: Vec<Landing<W>>,
    lands: Fixed<Bit>,
    synced: Signal<Local, Bits<16>>,
    broken: Signal<Local, Bits<16>>,
    follow: Signal<Local, Bits<16>>,
    lead: Signal<Local, Bit>,
    ask: Signal<Local, Bit>,
    all_ready: Signal<Local, Bit>,
    all_stopped: Signal<Local, Bit>,
    pushes: Signal<Local, Bits<16>>,
    haves: Signal<Local, Bits<16>>,
    losses: Signal<Local, Bits<16>>,
    falls: Signal<Local, Bits<16>>,
    word: Signal<Local, Bits<W>>,
    cc: Signal<Local, Bits<32>>,
    landed: Signal<Local, Bits<W>>,
    // where several instructions of a core retire per cycle: how many are lost, delayed for front ends that decide about resyncs
    // before their last stage
    wide: Fixed<Bit>,
    fallen: Vec<Delay<10>>,
    first: Fixed<Bits<2>>,
}

impl<const W: usize> Spine<W> {
    /// The spine for `params` with `extras`, with FIFOs of 2^`log2_depth` - 2 entries of `layout`.
    ///
    /// # Panics
    /// When `log2_depth` is outside 3..=8.
    pub fn with(params: &TraceParams, layout: &EntryLayout, log2_depth: usize, extras: Extras) -> Self {
        let sync = extras.sync;
        let stream = Stream::with(params, &extras);
        Self {
            session: Session::new(&stream, sync),
            resync: Resync::new(params, &extras),
            sync: Fixed::new(sync),
            lands: Fixed::new(layout.lands),
            registers: Registers::new(&stream, extras),
            wide: Fixed::new(extras.retire.is_some()),
            ..Self::of(&stream, layout, log2_depth)
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
                        fifo.promised()
                    } else {
                        fifo
                    }
                })
                .collect(),
            room: (0..cores).map(|_| Room::new(log2_depth)).collect(),
            merger: Merger::of(stream, log2_depth),
            session: Session::new(stream, false),
            landing: (0..cores).map(|_| Landing::new(log2_depth, layout.address_bits)).collect(),
            fallen: (0..cores).map(|_| Delay::new(AHEAD)).collect(),
            packer: Packer::new(stream.pieces),
            registers: Registers::new(stream, Extras::default()),
            first: Fixed::of(FIELD_COUNT),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Spine<W> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, merger, session, packer, registers, resync);
        self.merger.reset.next = self.reset.val();
        self.session.reset.next = self.reset.val();
        self.packer.reset.next = self.reset.val();
        self.registers.reset.next = self.reset.val();

        // entries into their FIFOs, and the next one in order to the encoder
        self.pushes.next = 0.into();
        self.haves.next = 0.into();
        self.losses.next = 0.into();
        self.falls.next = 0.into();
        self.synced.next = 0.into();
        self.broken.next = 0.into();
        self.all_ready.next = true;
        self.all_stopped.next = true;
        self.word.next = 0.into();
        self.cc.next = 0.into();
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
            self.room[i].clock.next = self.clock.val();
            self.room[i].reset.next = self.reset.val();
            self.room[i].take.next = self.control[i].take.val();
            self.room[i].give.next = self.control[i].give.val();
            self.room[i].pop.next = false;
            if self.merger.core.val() == i.to_bits() {
                self.room[i].pop.next = self.read.done.val();
            }
            self.control[i].spent.next = self.room[i].spent.val();
            self.control[i].roomy.next = self.room[i].roomy.val();
            self.control[i].enable.next = self.session.tracing.val();
            // an entry that is not written is not noted: the merger would wait for it for ever
            self.pushes.next = self.pushes.val().replace_bit(i, self.fifo[i].taken.val());
            self.haves.next = self.haves.val().replace_bit(i, self.fifo[i].have.val());
            self.losses.next = self.losses.val().replace_bit(i, self.control[i].lost.val());
            self.falls.next = self.falls.val().replace_bit(i, self.control[i].loses.val());
            self.synced.next = self.synced.val().replace_bit(i, self.control[i].synced.val());
            self.broken.next = self.broken.val().replace_bit(i, self.control[i].broken.val());
            if !self.control[i].ready.val() {
                self.all_ready.next = false;
            }
            if !self.control[i].stop_ready.val() {
                self.all_stopped.next = false;
            }
            if self.merger.core.val() == i.to_bits() {
                self.word.next = self.fifo[i].word.val();
                self.cc.next = self.fifo[i].cc.val();
            }
        }
        self.landed.next = 0.into();
        for m in 0..self._cores {
            self.landing[m].clock.next = self.clock.val();
            self.landing[m].reset.next = self.reset.val();
            self.landing[m].push.next = self.control[m].resynced.val();
            self.landing[m].pc.next = self.entry[m].landing.val();
            self.landing[m].pop.next = false;
            if self.merger.core.val() == m.to_bits() {
                self.landing[m].pop.next = self.read.done.val() & self.read.lands.val();
                if self.sync.val() & self.lands.val() {
                    self.landed.next = self.landing[m].word.val();
                }
            }
        }
        self.read.landing.next = self.landed.val();
        // core 0 is first, all others follow
        self.lead.next = false;
        self.follow.next = 0.into();
        self.ask.next = false;
        self.resync.active.next = self.session.active.val();
        self.resync.period.next = self.registers.period.val();
        self.resync.bytes.next = self.registers.bytes.val();
        self.resync.begins.next = self.session.begins.val();
        self.resync.leaves.next = self.packer.words.valid.val() & self.words.ready.val();
        self.resync.request.next = self.registers.request.val();
        self.resync.counted.next = self.control[0].counted.val();
        self.resync.more.next = self.control[0].more.val();
        self.resync.resynced.next = self.control[0].resynced.val();
        self.resync.synced.next = self.synced.val();
        if self.sync.val() {
            self.lead.next = self.resync.lead.val();
            self.follow.next = self.resync.follow.val();
            self.ask.next = self.resync.ask.val();
        }
        for k in 0..self._cores {
            self.control[k].stop_go.next = self.all_stopped.val();
            self.control[k].due.next = self.follow.val().get_bit(k);
            self.control[k].anew.next = self.follow.val().get_bit(k);
            self.control[k].ask.next = self.ask.val();
            self.control[k].lead_lag.next = 0.into();
            if self.sync.val() & self.wide.val() {
                self.control[k].lead_lag.next = self.control[0].lag.val();
            }
        }
        self.control[0].due.next = self.lead.val();
        self.control[0].anew.next = false;
        self.control[0].ask.next = false;
        self.merger.pushes.next = self.pushes.val();
        self.merger.have.next = self.haves.val();
        self.merger.done.next = self.read.done.val();
        self.session.show.next = self.merger.show.val();
        self.session.done.next = self.read.done.val();
        self.session.ends.next = self.read.ends.val();
        self.session.again.next = self.read.again.val();
        self.read.have.next = self.session.have.val();
        self.read.core.next = self.merger.core.val();
        self.read.word.next = self.word.val();
        self.read.cc.next = self.cc.val();

        // bits to words
        PieceIn::link(&mut self.coded, &mut self.session.coded);
        PieceOut::join(&mut self.session.bits, &mut self.packer.bits);
        self.session.aligned.next = self.packer.aligned.val();
        self.session.lane.next = self.packer.lane.val();
        self.active.next = self.session.active.val();
        self.words.valid.next = self.packer.words.valid.val();
        self.words.data.next = self.packer.words.data.val();
        self.packer.words.ready.next = self.words.ready.val();

        // control and status
        BusIn::link(&mut self.bus, &mut self.registers.bus);
        self.session.enable.next = self.registers.enable.val();
        self.session.ready.next = self.all_ready.val();
        self.registers.ready.next = self.all_ready.val();
        self.registers.active.next = self.session.tracing.val();
        self.registers.idle.next =
            !self.session.active.val() & !self.packer.words.valid.val() & !self.registers.enable.val();
        self.modes.next = self.registers.modes.val();
        self.registers.overflow.next = self.losses.val();
        self.registers.loses.next = self.falls.val();
        for n in 0..self._cores {
            self.half[n].next = self.room[n].half.val();
            if self.wide.val() {
                self.half[n].next = self.room[n].half.val() | self.control[n].crowd.val();
            }
            self.fallen[n].clock.next = self.clock.val();
            self.fallen[n].clear.next = self.reset.val();
            self.fallen[n].from.next = self.control[n].more.val();
            self.registers.more[n].next = self.control[n].more.val();
            if self.lands.val() {
                self.registers.more[n].next = self.fallen[n].to.val();
            }
        }
        self.registers.broken.next = self.broken.val();
    }
}
