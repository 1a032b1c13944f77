//! The first half of trace funnel and PIB sink: the bytes of whole messages, from words
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: the next byte is the first of a word and of a message; nothing is stored |
//! | `clear` | in | 1 | 1: nothing is stored |
//! | `store` | in | 1 | 1: messages are stored; 0: bytes are discarded, with the beginning of a message |
//! | `hold` | in | 1 | 1: words wait |
//! | `words` | in | 32 | trace words, the lowest byte first |
//! | `valid`, `head`, `last` | out | 1, 8, 1 | a byte of a message, and whether it is the last one; the others of the message follow without a pause |
//! | `take` | in | 1 | 1: the byte is taken |
//! | `empty` | out | 1 | 1: no byte is stored |
//!
//! # Timing
//! One byte per cycle in and out. The first byte of a message is at the output two cycles after its last one was stored: in the first one,
//! the memory may be read at the address that was just written.
//!
//! Golden model: [`sim::tci::messages`].

use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::messages::{Framing, DEPTH};

/// Messages of a trace, byte by byte.
#[derive(LogicBlock, Default)]
pub struct Messages {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub store: Signal<In, Bit>,
    pub hold: Signal<In, Bit>,
    pub words: WordsIn,
    pub valid: Signal<Out, Bit>,
    pub head: Signal<Out, Bits<8>>,
    pub last: Signal<Out, Bit>,
    pub take: Signal<In, Bit>,
    pub empty: Signal<Out, Bit>,
    memory: Mem<6, 9>,
    lane: DFF<Bits<2>>,
    // bytes of the message that are to come; with end marks 1 inside a message
    left: DFF<Bits<6>>,
    storing: DFF<Bit>,
    // where the next byte is written; the end of whole messages, and a cycle later; the byte that is read
    wp: DFF<Bits<7>>,
    whole: DFF<Bits<7>>,
    readable: DFF<Bits<7>>,
    rp: DFF<Bits<7>>,
    shift: Signal<Local, Bits<5>>,
    shifted: Signal<Local, Bits<32>>,
    here: Signal<Local, Bits<8>>,
    length: Signal<Local, Bits<6>>,
    first: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
    next_left: Signal<Local, Bits<6>>,
    stores: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    used: Signal<Local, Bits<7>>,
    after: Signal<Local, Bits<7>>,
    next_rp: Signal<Local, Bits<7>>,
    // framing, and constants
    lengths: Fixed<Bit>,
    marks: Fixed<Bit>,
    source: Fixed<Bits<6>>,
    one_lane: Fixed<Bits<2>>,
    one_left: Fixed<Bits<6>>,
    one: Fixed<Bits<7>>,
}

impl Messages {
    /// Nothing stored, before the first byte of a message.
    pub fn new(framing: Framing) -> Self {
        assert_eq!(DEPTH, 64, "the pointers have one bit more than an address");
        let (lengths, source) = match framing {
            Framing::Length { source } => (true, source),
            Framing::EndMarks | Framing::Words => (false, 0),
        };
        Self {
            lengths: Fixed::new(lengths),
            marks: Fixed::new(framing == Framing::EndMarks),
            source: Fixed::of(source),
            one_lane: Fixed::of(1u8),
            one_left: Fixed::of(1u8),
            one: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for Messages {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lane, left, storing, wp, whole, readable, rp);
        clock!(self, clock, memory);

        // the byte, and its place in a message
        self.shift.next = bit_cast::<5, 2>(self.lane.q.val()) << 3;
        self.shifted.next = self.words.data.val() >> self.shift.val();
        self.here.next = self.shifted.val().get_bits::<8>(0);
        self.length.next = bit_cast::<6, 5>(self.here.val().get_bits::<5>(0));
        self.first.next = !self.left.q.val().any();
        if self.lengths.val() {
            self.ends.next = self.left.q.val() == self.one_left.val();
            self.idle.next = self.first.val() & !self.length.val().any();
            self.next_left.next = self.left.q.val() - self.one_left.val();
            if self.first.val() {
                self.next_left.next = 0.into();
                if self.length.val().any() {
                    self.next_left.next = self.length.val() + self.source.val();
                }
            }
        } else if self.marks.val() {
            self.ends.next = self.here.val().get_bits::<2>(0).all();
            self.idle.next = self.first.val() & self.here.val().all();
            self.next_left.next = 0.into();
            if !self.ends.val() {
                self.next_left.next = self.one_left.val();
            }
        } else {
            self.first.next = !self.lane.q.val().any();
            self.ends.next = self.lane.q.val().all();
            self.idle.next = false;
            self.next_left.next = 0.into();
        }

        // a byte that is not stored is discarded: an encoder can always be disabled
        self.stores.next = self.store.val() & !self.idle.val() & (self.first.val() | self.storing.q.val());
        self.used.next = self.wp.q.val() - self.rp.q.val();
        self.takes.next =
            self.words.valid.val() & !self.hold.val() & (!self.used.val().get_bit(6) | !self.stores.val());
        self.words.ready.next = self.takes.val() & self.lane.q.val().all();
        self.writes.next = self.takes.val() & self.stores.val();
        self.memory.we.next = self.writes.val();
        self.memory.waddr.next = self.wp.q.val().get_bits::<6>(0);
        self.memory.wdata.next = bit_cast::<9, 8>(self.here.val()) | (bit_cast::<9, 1>(self.ends.val().into()) << 8);
        self.after.next = self.wp.q.val() + self.one.val();
        if self.takes.val() {
            self.lane.d.next = self.lane.q.val() + self.one_lane.val();
            self.left.d.next = self.next_left.val();
            if !self.idle.val() {
                self.storing.d.next = self.stores.val();
            }
        }
        if self.writes.val() {
            self.wp.d.next = self.after.val();
            if self.ends.val() {
                self.whole.d.next = self.after.val();
            }
        }
        if !self.store.val() {
            self.wp.d.next = self.whole.q.val();
            self.storing.d.next = false;
        }

        // what is read
        self.readable.d.next = self.whole.q.val();
        self.valid.next = self.readable.q.val() != self.rp.q.val();
        self.next_rp.next = self.rp.q.val();
        if self.take.val() {
            self.next_rp.next = self.rp.q.val() + self.one.val();
        }
        self.rp.d.next = self.next_rp.val();
        self.memory.raddr.next = self.next_rp.val().get_bits::<6>(0);
        self.head.next = self.memory.rdata.val().get_bits::<8>(0);
        self.last.next = self.memory.rdata.val().get_bit(8);
        self.empty.next = self.wp.q.val() == self.rp.q.val();

        if self.reset.val() | self.clear.val() {
            self.wp.d.next = 0.into();
            self.whole.d.next = 0.into();
            self.readable.d.next = 0.into();
            self.rp.d.next = 0.into();
            self.storing.d.next = false;
        }
        if self.reset.val() {
            self.lane.d.next = 0.into();
            self.left.d.next = 0.into();
        }
    }
}
