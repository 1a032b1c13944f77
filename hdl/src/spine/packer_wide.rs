//! Wide packer: packs slices of up to 15 bits into 32-bit words at a valid/ready port
//!
//! Less than half a word waits for its rest. The first half of a word waits for the second one while the previous word is still
//! there, so slices are accepted while a word waits.
//!
//! # Source
//! `docs/reference/stream.md`, "Words and bits": a word fills from its least significant bit.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty, no word waits |
//! | `bits` | in | | slices of 1 to 15 bits |
//! | `aligned` | out | 1 | no partial word is stored |
//! | `nibbles` | out | 3 | nibbles of a partial word that are stored |
//! | `words.valid` | out | 1 | `words.data` is a word |
//! | `words.ready` | in | 1 | the word is taken at this edge |
//! | `words.data` | out | 32 | the word |
//!
//! # Timing
//! One slice per cycle. A slice waits if a word and half of the next one are stored. No path from `words.ready` to `bits.ready`.
//!
//! Golden model: [`sim::bits::BitWriter`].

use super::ports::{SliceIn, WordsOut};
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A packer of wide slices.
#[derive(LogicBlock, Default)]
pub struct WidePacker {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bits: SliceIn,
    pub aligned: Signal<Out, Bit>,
    pub nibbles: Signal<Out, Bits<3>>,
    pub words: WordsOut,
    // bits of a partial half word, and their number
    rest: DFF<Bits<15>>,
    held: DFF<Bits<4>>,
    // the first half of a word, whether it is valid; the word
    first: DFF<Bits<16>>,
    half: DFF<Bit>,
    word: DFF<Bits<32>>,
    full: DFF<Bit>,
    slice: Signal<Local, Bits<16>>,
    spread: Signal<Local, Bits<31>>,
    total: Signal<Local, Bits<5>>,
    open: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
}

impl WidePacker {
    /// An empty packer.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Logic for WidePacker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, rest, held, first, half, word, full);
        self.slice.next = bit_cast::<16, 8>(self.bits.data.val()) | (bit_cast::<16, 8>(self.bits.high.val()) << 8);
        self.spread.next = (bit_cast::<31, 16>(self.slice.val()) << bit_cast::<31, 4>(self.held.q.val()))
            | bit_cast::<31, 15>(self.rest.q.val());
        self.total.next = bit_cast::<5, 4>(self.held.q.val()) + bit_cast::<5, 4>(self.bits.count.val());
        self.open.next = !(self.full.q.val() & self.half.q.val());
        self.take.next = self.bits.valid.val() & self.open.val();
        self.fills.next = self.take.val() & self.total.val().get_bit(4);
        if self.words.ready.val() {
            self.full.d.next = false;
        }
        if self.take.val() {
            self.held.d.next = self.total.val().get_bits::<4>(0);
            self.rest.d.next = self.spread.val().get_bits::<15>(0);
        }
        if self.fills.val() {
            self.rest.d.next = self.spread.val().get_bits::<15>(16);
            self.half.d.next = !self.half.q.val();
            if self.half.q.val() {
                self.word.d.next = bit_cast::<32, 16>(self.first.q.val())
                    | (bit_cast::<32, 16>(self.spread.val().get_bits::<16>(0)) << 16);
                self.full.d.next = true;
            } else {
                self.first.d.next = self.spread.val().get_bits::<16>(0);
            }
        }
        if self.reset.val() {
            self.rest.d.next = 0.into();
            self.held.d.next = 0.into();
            self.half.d.next = false;
            self.full.d.next = false;
        }
        self.bits.ready.next = self.open.val();
        self.aligned.next = !self.held.q.val().any() & !self.half.q.val();
        self.nibbles.next =
            bit_cast::<3, 2>(self.held.q.val().get_bits::<2>(2)) | (bit_cast::<3, 1>(self.half.q.val().into()) << 2);
        self.words.valid.next = self.full.q.val();
        self.words.data.next = self.word.q.val();
    }
}
