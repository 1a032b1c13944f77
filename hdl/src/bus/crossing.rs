//! Crossing: trace words from the trace system's clock domain to another one
//!
//! # Source
//! C. E. Cummings, "Simulation and Synthesis Techniques for Asynchronous FIFO Design", SNUG 2002: Gray pointers through
//! two flip-flops, full and empty by comparison of Gray codes.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | of the trace system |
//! | `words` | in | | trace words, in the domain of `clock` |
//! | `port_clock`, `port_reset` | in | 1 | any other clock, and a reset that is synchronous to it |
//! | `out` | out | | the words, in the domain of `port_clock` |
//!
//! Both resets must be high at the same time, each for at least one edge of both clocks: if only one side resets its
//! pointers, they no longer match.
//!
//! # Timing
//! The FIFO has four entries. A word is at `out` after the second or third edge of `port_clock`; its entry is free
//! after as many edges of `clock` after it was taken. Between clocks of the same rate, it carries four words in six
//! cycles: many times what an encoder produces.
//!
//! Timing constraint: paths from `slot*` and from the Gray pointers to the other clock domain must be shorter than one
//! period of that clock. Nothing else crosses between the clocks.

use super::{WordStreamIn, WordStreamOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A clock domain crossing for words of N bits.
#[derive(LogicBlock, Default)]
pub struct Crossing<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: WordStreamIn<N>,
    pub port_clock: Signal<In, Clock>,
    pub port_reset: Signal<In, Bit>,
    pub out: WordStreamOut<N>,
    // domain of `clock`: words written, in binary and Gray code; words read, two edges late
    written: DFF<Bits<3>>,
    written_gray: DFF<Bits<3>>,
    read_near: DFF<Bits<3>>,
    read_here: DFF<Bits<3>>,
    slot0: DFF<Bits<N>>,
    slot1: DFF<Bits<N>>,
    slot2: DFF<Bits<N>>,
    slot3: DFF<Bits<N>>,
    // domain of `port_clock`: the same from the other side
    read: DFF<Bits<3>>,
    read_gray: DFF<Bits<3>>,
    written_near: DFF<Bits<3>>,
    written_here: DFF<Bits<3>>,
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    entry: Signal<Local, Bits<2>>,
    then: Signal<Local, Bits<3>>,
    there: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<2>>,
    next: Signal<Local, Bits<3>>,
    // the bits of the Gray pointers that differ when the FIFO is full
    full_mask: Fixed<Bits<3>>,
    one: Fixed<Bits<3>>,
    first: Fixed<Bits<2>>,
    second: Fixed<Bits<2>>,
    third: Fixed<Bits<2>>,
    fourth: Fixed<Bits<2>>,
}

impl<const N: usize> Crossing<N> {
    /// An empty FIFO.
    pub fn new() -> Self {
        Self {
            full_mask: Fixed::new(6.into()),
            one: Fixed::new(1.into()),
            first: Fixed::new(0.into()),
            second: Fixed::new(1.into()),
            third: Fixed::new(2.into()),
            fourth: Fixed::new(3.into()),
            ..Default::default()
        }
    }
}

impl<const N: usize> Logic for Crossing<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, written, written_gray, read_near, read_here, slot0, slot1, slot2, slot3);
        dff_setup!(self, port_clock, read, read_gray, written_near, written_here);

        self.read_near.d.next = self.read_gray.q.val();
        self.read_here.d.next = self.read_near.q.val();
        self.full.next = self.written_gray.q.val() == (self.read_here.q.val() ^ self.full_mask.val());
        self.push.next = self.words.valid.val() & !self.full.val();
        self.words.ready.next = !self.full.val();
        self.entry.next = self.written.q.val().get_bits::<2>(0);
        self.then.next = self.written.q.val();
        if self.push.val() {
            self.then.next = self.written.q.val() + self.one.val();
            if self.entry.val() == self.first.val() {
                self.slot0.d.next = self.words.data.val();
            }
            if self.entry.val() == self.second.val() {
                self.slot1.d.next = self.words.data.val();
            }
            if self.entry.val() == self.third.val() {
                self.slot2.d.next = self.words.data.val();
            }
            if self.entry.val() == self.fourth.val() {
                self.slot3.d.next = self.words.data.val();
            }
        }
        self.written.d.next = self.then.val();
        self.written_gray.d.next = self.then.val() ^ (self.then.val() >> 1);
        if self.reset.val() {
            self.written.d.next = 0.into();
            self.written_gray.d.next = 0.into();
            self.read_near.d.next = 0.into();
            self.read_here.d.next = 0.into();
        }

        self.written_near.d.next = self.written_gray.q.val();
        self.written_here.d.next = self.written_near.q.val();
        self.there.next = self.written_here.q.val() != self.read_gray.q.val();
        self.out.valid.next = self.there.val();
        self.oldest.next = self.read.q.val().get_bits::<2>(0);
        self.out.data.next = self.slot0.q.val();
        if self.oldest.val() == self.second.val() {
            self.out.data.next = self.slot1.q.val();
        }
        if self.oldest.val() == self.third.val() {
            self.out.data.next = self.slot2.q.val();
        }
        if self.oldest.val() == self.fourth.val() {
            self.out.data.next = self.slot3.q.val();
        }
        self.next.next = self.read.q.val();
        if self.there.val() & self.out.ready.val() {
            self.next.next = self.read.q.val() + self.one.val();
        }
        self.read.d.next = self.next.val();
        self.read_gray.d.next = self.next.val() ^ (self.next.val() >> 1);
        if self.port_reset.val() {
            self.read.d.next = 0.into();
            self.read_gray.d.next = 0.into();
            self.written_near.d.next = 0.into();
            self.written_here.d.next = 0.into();
        }
    }
}
