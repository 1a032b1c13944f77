//! Credit counter: counts the entries of one core's event FIFO that are used or reserved
//!
//! An instruction that may make an entry reserves one at the predictor stage, and releases it in the last stage if it makes none.
//! So no instruction that has changed a table is ever lost, and the FIFO never overflows.
//!
//! # Source
//! `docs/maintainers/decisions/0017-overload.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: all entries are free |
//! | `take` | in | 1 | reserve one more entry; only while `no_credit` is 0 |
//! | `give_back` | in | 1 | release a reserved entry |
//! | `pop` | in | 1 | an entry leaves the FIFO; counted one cycle later |
//! | `no_credit` | out | 1 | no entry is left |
//! | `below_watermark` | out | 1 | fewer than 2^`log2_depth` / 8 - 2 entries are used or reserved, or fewer than 2 |
//! | `half` | out | 1 | at least 2^`log2_depth` / 2 - 2 are |
//!
//! # Timing
//! The outputs depend on the register, which counts from 2, so that its highest bit is `no_credit`: the longest paths of a core begin
//! there. One adder adds -2, -1, 0 or 1. Bit 1 is stored inverted, so that the register is 0 at power-up.
//!
//! Golden model: `full` of [`sim::core_trace::CoreTrace::offer`]; that a reserved entry is always free is proved, see `docs/explanation/formal.md`.

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A counter of used and reserved entries.
#[derive(LogicBlock, Default)]
pub struct Credits {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub give_back: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub no_credit: Signal<Out, Bit>,
    pub below_watermark: Signal<Out, Bit>,
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

impl Credits {
    /// The counter for a FIFO of 2^`log2_depth` - 2 entries, 3 <= `log2_depth` <= 8.
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

impl Logic for Credits {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored, popped);
        self.used.next = self.stored.q.val() ^ self.first.val();
        self.popped.d.next = self.pop.val() & !self.reset.val();
        self.odd.next = self.take.val() ^ self.give_back.val() ^ self.popped.q.val();
        self.less.next = (!self.take.val() & (self.give_back.val() | self.popped.q.val()))
            | (self.give_back.val() & self.popped.q.val());
        self.change.next = bit_cast::<9, 1>(self.odd.val().into());
        if self.less.val() {
            self.change.next = bit_cast::<9, 1>(self.odd.val().into()) | self.minus.val();
        }
        self.stored.d.next =
            (bit_cast::<9, 9>(self.used.val() + self.change.val()) & self.mask.val()) ^ self.first.val();
        if self.reset.val() {
            self.stored.d.next = 0.into();
        }
        self.no_credit.next = (self.used.val() & self.all.val()).any();
        self.below_watermark.next = !(self.used.val() & self.high.val()).any();
        self.half.next = (self.used.val() & self.middle.val()).any();
    }
}
