//! Packer: bits to 32-bit words behind a valid/ready port
//!
//! # Source
//! `docs/stream.md`, "Words and bits": a word fills from its least significant bit.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty, no word waits |
//! | `bits` | in | | pieces of 1 to 8 bits, of a narrow one 1 to 4 |
//! | `aligned` | out | 1 | no bits wait for the rest of their word |
//! | `words.valid` | out | 1 | a word is there |
//! | `words.ready` | in | 1 | it is taken at this edge |
//! | `words.data` | out | 32 | the word |
//!
//! # Timing
//! A piece a clock, but for the clocks in which a word waits; no path from `words.ready` to `bits.ready`.
//!
//! Less than a byte waits for its rest; bytes go into the word, which is its own buffer. In a narrow packer half bytes do.
//!
//! Golden model: [`sim::bits::BitWriter`].

use super::ports::{PieceIn, WordsOut};
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// The packer.
#[derive(LogicBlock, Default)]
pub struct Packer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bits: PieceIn,
    pub aligned: Signal<Out, Bit>,
    pub words: WordsOut,
    // bits of a byte or half of one, and how many
    rest: DFF<Bits<7>>,
    held: DFF<Bits<3>>,
    // bytes or halves of them of a word, and how many
    word: DFF<Bits<32>>,
    lane: DFF<Bits<3>>,
    full: DFF<Bit>,
    spread: Signal<Local, Bits<15>>,
    total: Signal<Local, Bits<4>>,
    octet: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    step: Fixed<Bits<3>>,
    narrow: Fixed<Bit>,
    held_mask: Fixed<Bits<3>>,
    rest_mask: Fixed<Bits<7>>,
    lanes: Fixed<Bits<3>>,
}

impl Packer {
    /// An empty one; a narrow one takes pieces of at most four bits.
    pub fn new(narrow: bool) -> Self {
        let by = |narrow_one: u8, other: u8| Fixed::of(if narrow { narrow_one } else { other });
        Self {
            narrow: Fixed::new(narrow),
            step: by(1, 2),
            held_mask: by(3, 7),
            rest_mask: Fixed::of(if narrow { 7u8 } else { 127 }),
            // all halves, or bytes, of a word but one
            lanes: by(7, 6),
            ..Default::default()
        }
    }
}

impl Logic for Packer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest, held, word, lane, full);
        self.spread.next = (bit_cast::<15, 8>(self.bits.data.val()) << bit_cast::<15, 3>(self.held.q.val()))
            | bit_cast::<15, 7>(self.rest.q.val());
        self.total.next = bit_cast::<4, 3>(self.held.q.val()) + self.bits.count.val();
        self.take.next = self.bits.valid.val() & !self.full.q.val();
        self.octet.next = self.take.val() & self.total.val().get_bit(3);
        if self.narrow.val() {
            self.octet.next = self.take.val() & self.total.val().get_bit(2);
        }
        if self.words.ready.val() {
            self.full.d.next = false;
        }
        if self.take.val() {
            self.held.d.next = self.total.val().get_bits::<3>(0) & self.held_mask.val();
            self.rest.d.next = self.spread.val().get_bits::<7>(0) & self.rest_mask.val();
        }
        if self.octet.val() {
            self.rest.d.next = self.spread.val().get_bits::<7>(8);
            self.word.d.next = (self.word.q.val() >> 8) | (bit_cast::<32, 15>(self.spread.val()) << 24);
            if self.narrow.val() {
                self.rest.d.next = self.spread.val().get_bits::<7>(4) & self.rest_mask.val();
                self.word.d.next = (self.word.q.val() >> 4) | (bit_cast::<32, 15>(self.spread.val()) << 28);
            }
            self.lane.d.next = self.lane.q.val() + self.step.val();
            self.full.d.next = self.lane.q.val() == self.lanes.val();
        }
        if self.reset.val() {
            self.rest.d.next = 0.into();
            self.held.d.next = 0.into();
            self.lane.d.next = 0.into();
            self.full.d.next = false;
        }
        self.bits.ready.next = !self.full.q.val();
        self.aligned.next = !self.held.q.val().any() & !self.lane.q.val().any();
        self.words.valid.next = self.full.q.val();
        self.words.data.next = self.word.q.val();
    }
}
