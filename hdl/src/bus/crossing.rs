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

use super::{LaneIn, LaneOut};
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// A clock domain crossing for words of N bits.
#[derive(LogicBlock, Default)]
pub struct Crossing<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub words: LaneIn<N>,
    pub port_clock: Signal<In, Clock>,
    pub port_reset: Signal<In, Bit>,
    pub out: LaneOut<N>,
    // domain of `clock`: words written, in binary and Gray code; words read, two edges late
    came: DFF<Bits<3>>,
    came_gray: DFF<Bits<3>>,
    went_near: DFF<Bits<3>>,
    went_here: DFF<Bits<3>>,
    slot0: DFF<Bits<N>>,
    slot1: DFF<Bits<N>>,
    slot2: DFF<Bits<N>>,
    slot3: DFF<Bits<N>>,
    // domain of `port_clock`: the same from the other side
    went: DFF<Bits<3>>,
    went_gray: DFF<Bits<3>>,
    came_near: DFF<Bits<3>>,
    came_here: DFF<Bits<3>>,
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    place: Signal<Local, Bits<2>>,
    then: Signal<Local, Bits<3>>,
    there: Signal<Local, Bit>,
    oldest: Signal<Local, Bits<2>>,
    next: Signal<Local, Bits<3>>,
    // the bits of the Gray pointers that differ when the FIFO is full
    turned: Fixed<Bits<3>>,
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
            turned: Fixed::new(6.into()),
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
        dff_setup!(self, clock, came, came_gray, went_near, went_here, slot0, slot1, slot2, slot3);
        dff_setup!(self, port_clock, went, went_gray, came_near, came_here);

        self.went_near.d.next = self.went_gray.q.val();
        self.went_here.d.next = self.went_near.q.val();
        self.full.next = self.came_gray.q.val() == (self.went_here.q.val() ^ self.turned.val());
        self.push.next = self.words.valid.val() & !self.full.val();
        self.words.ready.next = !self.full.val();
        self.place.next = self.came.q.val().get_bits::<2>(0);
        self.then.next = self.came.q.val();
        if self.push.val() {
            self.then.next = self.came.q.val() + self.one.val();
            if self.place.val() == self.first.val() {
                self.slot0.d.next = self.words.data.val();
            }
            if self.place.val() == self.second.val() {
                self.slot1.d.next = self.words.data.val();
            }
            if self.place.val() == self.third.val() {
                self.slot2.d.next = self.words.data.val();
            }
            if self.place.val() == self.fourth.val() {
                self.slot3.d.next = self.words.data.val();
            }
        }
        self.came.d.next = self.then.val();
        self.came_gray.d.next = self.then.val() ^ (self.then.val() >> 1);
        if self.reset.val() {
            self.came.d.next = 0.into();
            self.came_gray.d.next = 0.into();
            self.went_near.d.next = 0.into();
            self.went_here.d.next = 0.into();
        }

        self.came_near.d.next = self.came_gray.q.val();
        self.came_here.d.next = self.came_near.q.val();
        self.there.next = self.came_here.q.val() != self.went_gray.q.val();
        self.out.valid.next = self.there.val();
        self.oldest.next = self.went.q.val().get_bits::<2>(0);
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
        self.next.next = self.went.q.val();
        if self.there.val() & self.out.ready.val() {
            self.next.next = self.went.q.val() + self.one.val();
        }
        self.went.d.next = self.next.val();
        self.went_gray.d.next = self.next.val() ^ (self.next.val() >> 1);
        if self.port_reset.val() {
            self.went.d.next = 0.into();
            self.went_gray.d.next = 0.into();
            self.came_near.d.next = 0.into();
            self.came_here.d.next = 0.into();
        }
    }
}
