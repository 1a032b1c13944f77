//! Octets: trace words as bytes
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: the next byte is the first of a word |
//! | `words` | in | | trace words |
//! | `valid`, `ready`, `data` | out, in, out | 1, 1, 8 | bytes, the lowest of a word first |
//!
//! # Timing
//! One byte per cycle; a word is accepted with its last byte. A byte stays at the output until it is taken.

use crate::spine::ports::WordsIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// An 8-bit valid/ready port for trace words.
#[derive(LogicBlock, Default)]
pub struct Octets {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: WordsIn,
    pub valid: Signal<Out, Bit>,
    pub ready: Signal<In, Bit>,
    pub data: Signal<Out, Bits<8>>,
    lane: DFF<Bits<2>>,
    shift: Signal<Local, Bits<5>>,
    shifted: Signal<Local, Bits<32>>,
    one: Fixed<Bits<2>>,
}

impl Octets {
    /// A port at the first byte of a word.
    pub fn new() -> Self {
        Self { one: Fixed::new(1.into()), ..Default::default() }
    }
}

impl Logic for Octets {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lane);
        self.shift.next = bit_cast::<5, 2>(self.lane.q.val()) << 3;
        self.shifted.next = self.words.data.val() >> self.shift.val();
        self.data.next = self.shifted.val().get_bits::<8>(0);
        self.valid.next = self.words.valid.val();
        if self.words.valid.val() & self.ready.val() {
            self.lane.d.next = self.lane.q.val() + self.one.val();
        }
        self.words.ready.next = self.ready.val() & self.lane.q.val().all();
        if self.reset.val() {
            self.lane.d.next = 0.into();
        }
    }
}
