//! Room: the places of one core's event FIFO that are held, or promised to instructions under way
//!
//! An instruction that may make an entry takes a place where the predictors are asked, and gives it back in the last stage
//! if it makes none. So no instruction that has changed a table is ever lost, and the FIFO is never asked to take what it has
//! no place for.
//!
//! # Source
//! `docs/maintainers/decisions/0017-overload.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: all places are free |
//! | `take` | in | 1 | one place more is promised; only while `spent` is 0 |
//! | `give` | in | 1 | one that was promised is not needed |
//! | `pop` | in | 1 | an entry leaves the FIFO; counted a clock later |
//! | `spent` | out | 1 | no place is left |
//! | `roomy` | out | 1 | less than 2^`log2_depth` / 8 - 2 are held or promised, or less than 2 |
//! | `half` | out | 1 | 2^`log2_depth` / 2 - 2 or more are |
//!
//! # Timing
//! Outputs are of the register, which counts from 2 on: so its highest bit is `spent`, at which the longest paths of a core begin. One
//! adder: what is added is -2, -1, 0 or 1. Bit 1 is stored inverted, for a register that is 0 at first.
//!
//! Golden model: `full` of [`sim::lane::Lane::offer`]; that an entry always has its place is proved, see `docs/explanation/formal.md`.

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
    stored: DFF<Bits<9>>,
    popped: DFF<Bit>,
    odd: Signal<Local, Bit>,
    less: Signal<Local, Bit>,
    used: Signal<Local, Bits<9>>,
    change: Signal<Local, Bits<9>>,
    first: Fixed<Bits<9>>,
    all: Fixed<Bits<9>>,
    high: Fixed<Bits<9>>,
    middle: Fixed<Bits<9>>,
    mask: Fixed<Bits<9>>,
    minus: Fixed<Bits<9>>,
}

impl Room {
    /// For a FIFO of 2^`log2_depth` - 2 entries, 3 <= `log2_depth` <= 8.
    pub fn new(log2_depth: usize) -> Self {
        Self {
            first: Fixed::of(2u64),
            all: Fixed::of(1u64 << log2_depth),
            high: Fixed::of((2u64 << log2_depth) - (1 << 2.max(log2_depth - 3))),
            middle: Fixed::of(3u64 << (log2_depth - 1)),
            mask: Fixed::of((2u64 << log2_depth) - 1),
            minus: Fixed::of((2u64 << log2_depth) - 2),
            ..Default::default()
        }
    }
}

impl Logic for Room {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, popped);
        self.used.next = self.stored.q.val() ^ self.first.val();
        self.popped.d.next = self.pop.val() & !self.reset.val();
        self.odd.next = self.take.val() ^ self.give.val() ^ self.popped.q.val();
        self.less.next =
            (!self.take.val() & (self.give.val() | self.popped.q.val())) | (self.give.val() & self.popped.q.val());
        self.change.next = bit_cast::<9, 1>(self.odd.val().into());
        if self.less.val() {
            self.change.next = bit_cast::<9, 1>(self.odd.val().into()) | self.minus.val();
        }
        self.stored.d.next =
            (bit_cast::<9, 9>(self.used.val() + self.change.val()) & self.mask.val()) ^ self.first.val();
        if self.reset.val() {
            self.stored.d.next = 0.into();
        }
        self.spent.next = (self.used.val() & self.all.val()).any();
        self.roomy.next = !(self.used.val() & self.high.val()).any();
        self.half.next = (self.used.val() & self.middle.val()).any();
    }
}
