//! Room: the places of one core's event FIFO that are held, or promised to instructions under way
//!
//! An instruction that may make an entry takes a place where the predictors are asked, and gives it back in the last stage
//! if it makes none. So no instruction that has changed a table is ever lost, and the FIFO is never asked to take what it has
//! no place for.
//!
//! # Source
//! `docs/decisions/0017-overload.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: all places are free |
//! | `take` | in | 1 | one place more is promised; only while `spent` is 0 |
//! | `give` | in | 1 | one that was promised is not needed |
//! | `pop` | in | 1 | an entry leaves the FIFO; counted a clock later |
//! | `spent` | out | 1 | no place is left |
//! | `roomy` | out | 1 | less than 2^`log2_depth` / 8 are held or promised |
//! | `half` | out | 1 | 2^`log2_depth` / 2 or more are |
//!
//! # Timing
//! Outputs are of the register. One adder: what is added is -2, -1, 0 or 1.
//!
//! Golden model: `full` of [`sim::lane::Lane::offer`]; that an entry always has its place is proved, see `docs/formal.md`.

use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// Counts places.
#[derive(LogicBlock, Default)]
pub struct Room {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub give: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub spent: Signal<Out, Bit>,
    pub roomy: Signal<Out, Bit>,
    pub half: Signal<Out, Bit>,
    used: DFF<Bits<8>>,
    popped: DFF<Bit>,
    odd: Signal<Local, Bit>,
    less: Signal<Local, Bit>,
    change: Signal<Local, Bits<8>>,
    places: Fixed<Bits<8>>,
    high: Fixed<Bits<8>>,
    middle: Fixed<Bits<8>>,
    mask: Fixed<Bits<8>>,
    minus: Fixed<Bits<8>>,
}

impl Room {
    /// For a FIFO of 2^`log2_depth` - 2 entries, 3 <= `log2_depth` <= 8.
    pub fn new(log2_depth: usize) -> Self {
        Self {
            places: Fixed::of((1u64 << log2_depth) - 2),
            high: Fixed::of(7u64 << (log2_depth - 3)),
            middle: Fixed::of(1u64 << (log2_depth - 1)),
            mask: Fixed::of((1u64 << log2_depth) - 1),
            minus: Fixed::of((1u64 << log2_depth) - 2),
            ..Default::default()
        }
    }
}

impl Logic for Room {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, popped);
        self.popped.d.next = self.pop.val() & !self.reset.val();
        self.odd.next = self.take.val() ^ self.give.val() ^ self.popped.q.val();
        self.less.next =
            (!self.take.val() & (self.give.val() | self.popped.q.val())) | (self.give.val() & self.popped.q.val());
        self.change.next = bit_cast::<8, 1>(self.odd.val().into());
        if self.less.val() {
            self.change.next = bit_cast::<8, 1>(self.odd.val().into()) | self.minus.val();
        }
        self.used.d.next = bit_cast::<8, 8>(self.used.q.val() + self.change.val()) & self.mask.val();
        if self.reset.val() {
            self.used.d.next = 0.into();
        }
        self.spent.next = self.used.q.val() == self.places.val();
        self.roomy.next = !(self.used.q.val() & self.high.val()).any();
        self.half.next = (self.used.q.val() & self.middle.val()).any();
    }
}
