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
//! | `nibbles` | in | 3 | nibbles of a partial word in the packer: the position of the header in its word |
//!
//! # Timing
//! A trace begins when `enable` is 1 and every core is ready: the header is sent, one byte or nibble per cycle, and `tracing` rises.
//! It ends when `enable` falls: the cores stop, their stop messages are sent, and the last word is filled. The next trace
//! begins after that. After a marker (`again`) the word is filled with zeros, and the header is sent again, marked as repeated.
//! Streams of standard protocols have no header; one in which a byte of ones means nothing is filled with ones.
//! `tracing` follows `enable` by one cycle, so that a trace that has begun reaches every core, however
//! short `enable` was.

use super::ports::{SliceIn, SliceOut};
use super::slices::Slices;
use super::Stream;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The framer of a trace stream.
#[derive(LogicBlock, Default)]
pub struct TraceFramer {
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
    pub coded: SliceIn,
    pub bits: SliceOut,
    pub aligned: Signal<In, Bit>,
    pub nibbles: Signal<In, Bits<3>>,
    in_trace: DFF<Bit>,
    running: DFF<Bit>,
    // the header is being sent, and its current word
    in_header: DFF<Bit>,
    header_word: DFF<Bits<2>>,
    // the header is to be repeated; it was
    due: DFF<Bit>,
    is_repeated: DFF<Bit>,
    pad: Signal<Local, Bit>,
    word: Signal<Local, Bits<32>>,
    octet: Signal<Local, Bits<8>>,
    half: Signal<Local, Bits<8>>,
    // cores that have stopped
    stop_count: DFF<Bits<5>>,
    all_stopped: Signal<Local, Bit>,
    has_header: Fixed<Bit>,
    padding: Fixed<Bits<8>>,
    header0: Fixed<Bits<32>>,
    header1: Fixed<Bits<32>>,
    header2: Fixed<Bits<32>>,
    repeated_header: Fixed<Bits<32>>,
    sync: Fixed<Bit>,
    // slices of a nibble; of up to 15 bits
    narrow: Fixed<Bit>,
    wide_slices: Fixed<Bit>,
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

impl TraceFramer {
    /// The framer for `stream`; with `sync` its header can be repeated.
    pub fn new(stream: &Stream, sync: bool) -> Self {
        let [header0, header1, header2] = stream.header.map(Fixed::of);
        Self {
            repeated_header: Fixed::of(stream.again),
            sync: Fixed::new(sync),
            has_header: Fixed::new(stream.has_header),
            padding: Fixed::of(u8::from(stream.fills_with_ones)),
            header0,
            header1,
            header2,
            narrow: Fixed::new(stream.slices == Slices::Narrow),
            wide_slices: Fixed::new(stream.slices == Slices::Wide),
            last: Fixed::of(if stream.slices == Slices::Narrow { 7u8 } else { 6 }),
            one_2: Fixed::of(1u8),
            third: Fixed::of(2u8),
            one: Fixed::of(1u8),
            head_bits: Fixed::of(stream.slices.max_bits().min(8)),
            one_5: Fixed::new(1.into()),
            stops_mask: Fixed::of((u32::from(stream.senders) + 1).next_power_of_two() - 1),
            cores: Fixed::of(stream.senders),
            ..Default::default()
        }
    }
}

impl Logic for TraceFramer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, in_trace, running, in_header, header_word, stop_count, due, is_repeated);
        self.running.d.next = self.running.q.val() & self.enable.val();
        if self.enable.val() & self.ready.val() & !self.in_trace.q.val() {
            self.in_trace.d.next = true;
            self.running.d.next = true;
            self.in_header.d.next = self.has_header.val();
            self.header_word.d.next = 0.into();
            self.is_repeated.d.next = false;
        }
        // from a register: an `enable` of one cycle is a trace, too
        self.tracing.next = self.running.q.val();
        self.active.next = self.in_trace.q.val();

        // header
        match self.header_word.q.val().index() {
            0 => self.word.next = self.header0.val(),
            1 => self.word.next = self.header1.val(),
            _ => self.word.next = self.header2.val(),
        }
        if self.is_repeated.q.val() & self.sync.val() & (self.header_word.q.val() == self.one_2.val()) {
            self.word.next = self.repeated_header.val();
        }
        match self.nibbles.val().get_bits::<2>(1).index() {
            0 => self.octet.next = self.word.val().get_bits::<8>(0),
            1 => self.octet.next = self.word.val().get_bits::<8>(8),
            2 => self.octet.next = self.word.val().get_bits::<8>(16),
            _ => self.octet.next = self.word.val().get_bits::<8>(24),
        }
        self.half.next = self.octet.val();
        if self.narrow.val() {
            self.half.next = bit_cast::<8, 4>(self.octet.val().get_bits::<4>(0));
            if self.nibbles.val().get_bit(0) {
                self.half.next = self.octet.val() >> 4;
            }
        }
        if self.in_header.q.val() & self.bits.ready.val() & (self.nibbles.val() == self.last.val()) {
            self.header_word.d.next = self.header_word.q.val() + self.one_2.val();
            if self.header_word.q.val() == self.third.val() {
                self.in_header.d.next = false;
            }
        }

        self.begins.next = self.in_header.q.val() & !self.header_word.q.val().any() & !self.nibbles.val().any();

        // after the last stop: zeros until the word is full
        self.all_stopped.next = (self.stop_count.q.val() == self.cores.val()) & !self.coded.busy.val();
        self.pad.next = self.all_stopped.val();
        if self.sync.val() {
            // after a marker, too, and then the header
            self.pad.next = self.all_stopped.val() | (self.due.q.val() & !self.coded.busy.val());
            if self.again.val() {
                self.due.d.next = true;
            }
            if self.due.q.val() & !self.coded.busy.val() & self.aligned.val() {
                self.due.d.next = false;
                self.in_header.d.next = true;
                self.is_repeated.d.next = true;
                self.header_word.d.next = 0.into();
            }
        }
        if self.done.val() & self.ends.val() {
            self.stop_count.d.next =
                bit_cast::<5, 5>(self.stop_count.q.val() + self.one_5.val()) & self.stops_mask.val();
        }
        if self.all_stopped.val() & self.aligned.val() {
            self.stop_count.d.next = 0.into();
            self.in_trace.d.next = false;
        }
        if self.reset.val() {
            self.in_trace.d.next = false;
            self.running.d.next = false;
            self.in_header.d.next = false;
            self.due.d.next = false;
            self.stop_count.d.next = 0.into();
        }

        self.have.next = self.show.val() & !self.in_header.q.val() & !self.due.q.val();
        self.bits.data.next = self.coded.data.val();
        self.bits.count.next = self.coded.count.val();
        self.bits.valid.next = self.coded.valid.val();
        self.bits.busy.next = self.in_trace.q.val();
        if self.in_header.q.val() {
            self.bits.data.next = self.half.val();
            self.bits.count.next = self.head_bits.val();
            self.bits.valid.next = true;
        }
        if self.pad.val() {
            self.bits.data.next = self.padding.val();
            self.bits.count.next = self.one.val();
            self.bits.valid.next = !self.aligned.val();
        }
        self.bits.high.next = 0.into();
        if self.wide_slices.val() & !self.in_header.q.val() & !self.pad.val() {
            self.bits.high.next = self.coded.high.val();
        }
        self.coded.ready.next = self.bits.ready.val() & !self.in_header.q.val();
    }
}
