//! Packer: packs bits into 32-bit words at a valid/ready port
//!
//! # Source
//! `docs/reference/stream.md`, "Words and bits": a word fills from its least significant bit.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty, no word waits |
//! | `bits` | in | | slices, of as many bits as [`Slices`] says |
//! | `aligned` | out | 1 | no partial word is stored |
//! | `nibbles` | out | 3 | nibbles of a partial word that are stored |
//! | `words.valid` | out | 1 | `words.data` is a word |
//! | `words.ready` | in | 1 | the word is taken at this edge |
//! | `words.data` | out | 32 | the word |
//!
//! # Timing
//! One slice per cycle, except in cycles in which a word waits. There is no path from `words.ready` to `bits.ready`. Wide slices have
//! a packer of their own inside this one, [`super::packer_wide`].
//!
//! Less than a byte waits for its rest. A complete byte goes into the top byte of the word, which is its own buffer; one cycle later
//! the word is shifted down, so that its many registers do not depend on the slice. A narrow packer does the same with nibbles.
//!
//! Golden model: [`sim::bits::BitWriter`].

use super::packer_wide::WidePacker;
use super::ports::{SliceIn, WordsOut};
use super::slices::Slices;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A packer of slices of any size.
#[derive(LogicBlock, Default)]
pub struct Packer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bits: SliceIn,
    pub aligned: Signal<Out, Bit>,
    pub nibbles: Signal<Out, Bits<3>>,
    pub words: WordsOut,
    // bits of a partial byte or nibble, and their number
    rest: DFF<Bits<7>>,
    held: DFF<Bits<3>>,
    // the last byte or nibble of the word, those before it, whether these are still to be shifted, and the number of nibbles
    top: DFF<Bits<8>>,
    low: DFF<Bits<28>>,
    moves: DFF<Bit>,
    nibble_count: DFF<Bits<3>>,
    full: DFF<Bit>,
    whole: Signal<Local, Bits<32>>,
    spread: Signal<Local, Bits<15>>,
    // number of bits with a slice, and the carries into its upper two digits: as gates of their own, without a carry chain
    total: Signal<Local, Bits<4>>,
    into_1: Signal<Local, Bit>,
    half_1: Signal<Local, Bit>,
    into_2: Signal<Local, Bit>,
    half_2: Signal<Local, Bit>,
    into_3: Signal<Local, Bit>,
    completes_word: Signal<Local, Bit>,
    octet: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    step: Fixed<Bits<3>>,
    narrow: Fixed<Bit>,
    held_mask: Fixed<Bits<3>>,
    rest_mask: Fixed<Bits<7>>,
    top_mask: Fixed<Bits<8>>,
    low_mask: Fixed<Bits<28>>,
    last: Fixed<Bits<3>>,
    wide_packer: WidePacker,
    not_wide: Fixed<Bit>,
}

impl Packer {
    /// An empty packer for slices of that size.
    pub fn new(slices: Slices) -> Self {
        let narrow = slices == Slices::Narrow;
        let by = |narrow_one: u8, other: u8| Fixed::of(if narrow { narrow_one } else { other });
        Self {
            wide_packer: WidePacker::new(),
            not_wide: Fixed::new(slices != Slices::Wide),
            narrow: Fixed::new(narrow),
            step: by(1, 2),
            held_mask: by(3, 7),
            rest_mask: Fixed::of(if narrow { 7u8 } else { 127 }),
            top_mask: Fixed::of(if narrow { 15u8 } else { 255 }),
            // three bytes where slices are wide: what is above them was never written
            low_mask: Fixed::of((1u32 << if narrow { 28 } else { 24 }) - 1),
            // all nibbles, or bytes, of a word except one
            last: by(7, 6),
            ..Default::default()
        }
    }
}

impl Logic for Packer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest, held, top, low, moves, nibble_count, full);
        self.spread.next = (bit_cast::<15, 8>(self.bits.data.val()) << bit_cast::<15, 3>(self.held.q.val()))
            | bit_cast::<15, 7>(self.rest.q.val());
        self.into_1.next = self.held.q.val().get_bit(0) & self.bits.count.val().get_bit(0);
        self.half_1.next = self.held.q.val().get_bit(1) ^ self.bits.count.val().get_bit(1);
        self.into_2.next =
            (self.held.q.val().get_bit(1) & self.bits.count.val().get_bit(1)) | (self.half_1.val() & self.into_1.val());
        self.half_2.next = self.held.q.val().get_bit(2) ^ self.bits.count.val().get_bit(2);
        self.into_3.next =
            (self.held.q.val().get_bit(2) & self.bits.count.val().get_bit(2)) | (self.half_2.val() & self.into_2.val());
        self.total.next = bit_cast::<4, 1>((self.held.q.val().get_bit(0) ^ self.bits.count.val().get_bit(0)).into())
            | (bit_cast::<4, 1>((self.half_1.val() ^ self.into_1.val()).into()) << 1)
            | (bit_cast::<4, 1>((self.half_2.val() ^ self.into_2.val()).into()) << 2)
            | (bit_cast::<4, 1>((self.bits.count.val().get_bit(3) ^ self.into_3.val()).into()) << 3);
        self.take.next = self.bits.valid.val() & !self.full.q.val() & self.not_wide.val();
        self.octet.next = self.take.val() & self.total.val().get_bit(3);
        if self.narrow.val() {
            self.octet.next = self.take.val() & self.total.val().get_bit(2);
        }
        // the word, shifted one cycle after the byte that needs it
        self.whole.next =
            bit_cast::<32, 28>(self.low.q.val() & self.low_mask.val()) | (bit_cast::<32, 8>(self.top.q.val()) << 24);
        if self.narrow.val() {
            self.whole.next = bit_cast::<32, 28>(self.low.q.val() & self.low_mask.val())
                | (bit_cast::<32, 8>(self.top.q.val()) << 28);
        }
        self.completes_word.next = self.nibble_count.q.val() == self.last.val();
        self.moves.d.next = self.octet.val() & !self.completes_word.val();
        if self.moves.q.val() {
            self.low.d.next = bit_cast::<28, 24>(self.whole.val().get_bits::<24>(8));
            if self.narrow.val() {
                self.low.d.next = self.whole.val().get_bits::<28>(4);
            }
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
            if self.narrow.val() {
                self.rest.d.next = self.spread.val().get_bits::<7>(4) & self.rest_mask.val();
            }
            self.top.d.next = self.spread.val().get_bits::<8>(0) & self.top_mask.val();
            self.nibble_count.d.next = self.nibble_count.q.val() + self.step.val();
            self.full.d.next = self.completes_word.val();
        }
        if self.reset.val() {
            self.rest.d.next = 0.into();
            self.held.d.next = 0.into();
            self.nibble_count.d.next = 0.into();
            self.full.d.next = false;
        }
        self.bits.ready.next = !self.full.q.val();
        self.aligned.next = !self.held.q.val().any() & !self.nibble_count.q.val().any();
        self.nibbles.next = self.nibble_count.q.val();
        self.words.valid.next = self.full.q.val();
        self.words.data.next = self.whole.val();
        self.wide_packer.clock.next = self.clock.val();
        self.wide_packer.reset.next = self.reset.val();
        self.wide_packer.bits.valid.next = self.bits.valid.val();
        self.wide_packer.bits.count.next = self.bits.count.val();
        self.wide_packer.bits.data.next = self.bits.data.val();
        self.wide_packer.bits.high.next = self.bits.high.val();
        self.wide_packer.bits.busy.next = self.bits.busy.val();
        self.wide_packer.words.ready.next = self.words.ready.val();
        if !self.not_wide.val() {
            self.bits.ready.next = self.wide_packer.bits.ready.val();
            self.aligned.next = self.wide_packer.aligned.val();
            self.nibbles.next = self.wide_packer.nibbles.val();
            self.words.valid.next = self.wide_packer.words.valid.val();
            self.words.data.next = self.wide_packer.words.data.val();
        }
    }
}
