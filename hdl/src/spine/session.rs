//! Framer: sends a trace from its header to the padding of its last word
//!
//! Connects the encoder to the packer. It sends the header, lets the encoder take entries, counts stop messages, and
//! fills the last word with zeros after those of all cores.
//!
//! # Source
//! `docs/reference/stream.md`, "Header", "Words and bits".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no trace is in progress |
//! | `enable` | in | 1 | `control.enable` of the registers |
//! | `ready` | in | 1 | all front ends are ready |
//! | `tracing` | out | 1 | the front ends trace |
//! | `active` | out | 1 | a trace is in progress, from the header to the last bit |
//! | `show` | in | 1 | an entry waits |
//! | `have` | out | 1 | the encoder may take it |
//! | `done`, `ends` | in | 1 | the encoder has taken it; it was a stop message |
//! | `again` | in | 1 | the encoder has taken the last bit of a marker: the header follows |
//! | `begins` | out | 1 | the header begins: none of it is in the packer yet, and no earlier bits follow |
//! | `coded` | in | | slices from the encoder |
//! | `bits` | out | | slices to the packer |
//! | `aligned` | in | 1 | the packer holds no partial word |
//! | `lane` | in | 3 | nibbles of a partial word in the packer: the position of the header in its word |
//!
//! # Timing
//! A trace begins when `enable` is 1 and every core is ready: the header is sent, one byte or nibble per cycle, and `tracing` rises.
//! It ends when `enable` falls: the cores stop, their stop messages are sent, and the last word is filled. The next trace
//! begins after that. After a marker (`again`) the word is filled with zeros, and the header is sent again, marked as repeated.
//! `tracing` follows `enable` by one cycle, so that a trace that has begun reaches every core, however
//! short `enable` was.

use super::pieces::Pieces;
use super::ports::{PieceIn, PieceOut};
use super::Stream;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The framer of a trace stream.
#[derive(LogicBlock, Default)]
pub struct Session {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub ready: Signal<In, Bit>,
    pub tracing: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub show: Signal<In, Bit>,
    pub have: Signal<Out, Bit>,
    pub done: Signal<In, Bit>,
    pub ends: Signal<In, Bit>,
    pub again: Signal<In, Bit>,
    pub begins: Signal<Out, Bit>,
    pub coded: PieceIn,
    pub bits: PieceOut,
    pub aligned: Signal<In, Bit>,
    pub lane: Signal<In, Bits<3>>,
    session: DFF<Bit>,
    running: DFF<Bit>,
    // the header is being sent, and its current word
    head: DFF<Bit>,
    at: DFF<Bits<2>>,
    // the header is to be repeated; it was
    due: DFF<Bit>,
    later: DFF<Bit>,
    pad: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    octet: Signal<Local, Bits<8>>,
    half: Signal<Local, Bits<8>>,
    // cores that have stopped
    stops: DFF<Bits<5>>,
    over: Signal<Local, Bit>,
    header0: Fixed<Bits<32>>,
    header1: Fixed<Bits<32>>,
    header2: Fixed<Bits<32>>,
    header_again: Fixed<Bits<32>>,
    sync: Fixed<Bit>,
    // slices of a nibble; of up to 15 bits
    narrow: Fixed<Bit>,
    broad: Fixed<Bit>,
    last: Fixed<Bits<3>>,
    one_2: Fixed<Bits<2>>,
    third: Fixed<Bits<2>>,
    one: Fixed<Bits<4>>,
    head_bits: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    // wide enough to count the cores
    stops_mask: Fixed<Bits<5>>,
    cores: Fixed<Bits<5>>,
}

impl Session {
    /// The framer for `stream`; with `sync` its header can be repeated.
    pub fn new(stream: &Stream, sync: bool) -> Self {
        let [header0, header1, header2] = stream.header.map(Fixed::of);
        Self {
            header_again: Fixed::of(stream.again),
            sync: Fixed::new(sync),
            header0,
            header1,
            header2,
            narrow: Fixed::new(stream.pieces == Pieces::Narrow),
            broad: Fixed::new(stream.pieces == Pieces::Broad),
            last: Fixed::of(if stream.pieces == Pieces::Narrow { 7u8 } else { 6 }),
            one_2: Fixed::of(1u8),
            third: Fixed::of(2u8),
            one: Fixed::of(1u8),
            head_bits: Fixed::of(stream.pieces.most().min(8)),
            one_5: Fixed::new(1.into()),
            stops_mask: Fixed::of((u32::from(stream.senders) + 1).next_power_of_two() - 1),
            cores: Fixed::of(stream.senders),
            ..Default::default()
        }
    }
}

impl Logic for Session {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, session, running, head, at, stops, due, later);
        self.running.d.next = self.running.q.val() & self.enable.val();
        if self.enable.val() & self.ready.val() & !self.session.q.val() {
            self.session.d.next = true;
            self.running.d.next = true;
            self.head.d.next = true;
            self.at.d.next = 0.into();
            self.later.d.next = false;
        }
        // from a register: an `enable` of one cycle is a trace, too
        self.tracing.next = self.running.q.val();
        self.active.next = self.session.q.val();

        // header
        match self.at.q.val().index() {
            0 => self.word.next = self.header0.val(),
            1 => self.word.next = self.header1.val(),
            _ => self.word.next = self.header2.val(),
        }
        if self.later.q.val() & self.sync.val() & (self.at.q.val() == self.one_2.val()) {
            self.word.next = self.header_again.val();
        }
        match self.lane.val().get_bits::<2>(1).index() {
            0 => self.octet.next = self.word.val().get_bits::<8>(0),
            1 => self.octet.next = self.word.val().get_bits::<8>(8),
            2 => self.octet.next = self.word.val().get_bits::<8>(16),
            _ => self.octet.next = self.word.val().get_bits::<8>(24),
        }
        self.half.next = self.octet.val();
        if self.narrow.val() {
            self.half.next = bit_cast::<8, 4>(self.octet.val().get_bits::<4>(0));
            if self.lane.val().get_bit(0) {
                self.half.next = self.octet.val() >> 4;
            }
        }
        if self.head.q.val() & self.bits.ready.val() & (self.lane.val() == self.last.val()) {
            self.at.d.next = self.at.q.val() + self.one_2.val();
            if self.at.q.val() == self.third.val() {
                self.head.d.next = false;
            }
        }

        self.begins.next = self.head.q.val() & !self.at.q.val().any() & !self.lane.val().any();

        // after the last stop: zeros until the word is full
        self.over.next = (self.stops.q.val() == self.cores.val()) & !self.coded.busy.val();
        self.pad.next = self.over.val();
        if self.sync.val() {
            // after a marker, too, and then the header
            self.pad.next = self.over.val() | (self.due.q.val() & !self.coded.busy.val());
            if self.again.val() {
                self.due.d.next = true;
            }
            if self.due.q.val() & !self.coded.busy.val() & self.aligned.val() {
                self.due.d.next = false;
                self.head.d.next = true;
                self.later.d.next = true;
                self.at.d.next = 0.into();
            }
        }
        if self.done.val() & self.ends.val() {
            self.stops.d.next = bit_cast::<5, 5>(self.stops.q.val() + self.one_5.val()) & self.stops_mask.val();
        }
        if self.over.val() & self.aligned.val() {
            self.stops.d.next = 0.into();
            self.session.d.next = false;
        }
        if self.reset.val() {
            self.session.d.next = false;
            self.running.d.next = false;
            self.head.d.next = false;
            self.due.d.next = false;
            self.stops.d.next = 0.into();
        }

        self.have.next = self.show.val() & !self.head.q.val() & !self.due.q.val();
        self.bits.data.next = self.coded.data.val();
        self.bits.count.next = self.coded.count.val();
        self.bits.valid.next = self.coded.valid.val();
        self.bits.busy.next = self.session.q.val();
        if self.head.q.val() {
            self.bits.data.next = self.half.val();
            self.bits.count.next = self.head_bits.val();
            self.bits.valid.next = true;
        }
        if self.pad.val() {
            self.bits.data.next = 0.into();
            self.bits.count.next = self.one.val();
            self.bits.valid.next = !self.aligned.val();
        }
        self.bits.high.next = 0.into();
        if self.broad.val() & !self.head.q.val() & !self.pad.val() {
            self.bits.high.next = self.coded.high.val();
        }
        self.coded.ready.next = self.bits.ready.val() & !self.head.q.val();
    }
}
