//! Packer: bits to 32-bit words behind a valid/ready port
//!
//! # Source
//! `docs/stream.md`, "Words and bits": a word fills from its least significant bit.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty, no word waits |
//! | `bits.valid` | in | 1 | a bit is offered |
//! | `bits.data` | in | 1 | the bit |
//! | `bits.ready` | out | 1 | it is taken at this edge if it is offered |
//! | `aligned` | out | 1 | no bits wait for the rest of their word |
//! | `words.valid` | out | 1 | a word is there |
//! | `words.ready` | in | 1 | it is taken at this edge |
//! | `words.data` | out | 32 | the word |
//!
//! # Timing
//! One bit a cycle for as long as words are taken at least every 32 cycles; no path from `words.ready` to
//! `bits.ready`.
//!
//! Golden model: [`sim::bits::BitWriter`].

use super::ports::{DataBitIn, WordsOut};
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The packer.
#[derive(LogicBlock, Default)]
pub struct Packer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bits: DataBitIn,
    pub aligned: Signal<Out, Bit>,
    pub words: WordsOut,
    shift: DFF<Bits<32>>,
    count: DFF<Bits<5>>,
    word: DFF<Bits<32>>,
    full: DFF<Bit>,
    last: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<32>>,
    one: Fixed<Bits<5>>,
}

impl Packer {
    /// An empty one.
    pub fn new() -> Self {
        Self { one: Fixed::new(1.into()), ..Default::default() }
    }
}

impl Logic for Packer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shift, count, word, full);
        self.last.next = self.count.q.val().all();
        // the last bit of a word needs the place that the word before may still hold
        self.room.next = !self.last.val() | !self.full.q.val();
        self.take.next = self.bits.valid.val() & self.room.val();
        self.shifted.next = (self.shift.q.val() >> 1) | (bit_cast::<32, 1>(self.bits.data.val().into()) << 31);
        if self.full.q.val() & self.words.ready.val() {
            self.full.d.next = false;
        }
        if self.take.val() {
            self.shift.d.next = self.shifted.val();
            self.count.d.next = self.count.q.val() + self.one.val();
            if self.last.val() {
                self.word.d.next = self.shifted.val();
                self.full.d.next = true;
            }
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
            self.full.d.next = false;
        }
        // as `room`, but on its own: a local shared with `take` would tie this output to the input bit,
        // and Verilator would see a loop through the encoder
        self.bits.ready.next = !self.count.q.val().all() | !self.full.q.val();
        self.aligned.next = !self.count.q.val().any();
        self.words.valid.next = self.full.q.val();
        self.words.data.next = self.word.q.val();
    }
}
