//! Probabilities of decisions, by context
//!
//! # Source
//! `docs/reference/stream.md`, "Words (scheme `follow+arithmetic`)".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | 1: all are cleared, one per cycle |
//! | `ready` | out | 1 | they are cleared; until then, none must be read, nor learn |
//! | `next_situation` | in | 6 | context of the decision in the next cycle |
//! | `situation`, `right` | in | 6, 1 | context of the decision in this one; its prediction is right |
//! | `undecided` | in | 1 | it has no context: both answers have the probability after reset |
//! | `likely` | out | 1 | it is the likely answer |
//! | `width` | out | 12 | q, the width of the unlikely answer |
//! | `learn` | in | 1 | the interval is doubled: the context learns; `next_situation` must be read again a cycle later |
//!
//! # Timing
//! `likely` and `width` are those of the context that was `next_situation` at the last edge. Power-up acts as `clear`, which takes 64 cycles.
//!
//! Golden model: [`sim::scheme::follow::arithmetic::probability`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::follow::arithmetic::probability::{LAST, WIDTHS};

/// The probabilities of a core.
#[derive(LogicBlock, Default)]
pub struct Probabilities {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub next_situation: Signal<In, Bits<6>>,
    pub situation: Signal<In, Bits<6>>,
    pub right: Signal<In, Bit>,
    pub undecided: Signal<In, Bit>,
    pub likely: Signal<Out, Bit>,
    pub width: Signal<Out, Bits<12>>,
    pub learn: Signal<In, Bit>,
    // a level, and above it whether predictions are mostly wrong
    levels: Mem<6, 7>,
    // the one that is cleared; above the last one: none
    at: DFF<Bits<7>>,
    sweeping: Signal<Local, Bit>,
    // a probability that was read in the cycle in which it was cleared is undefined
    swept: DFF<Bit>,
    level: Signal<Local, Bits<6>>,
    turned: Signal<Local, Bit>,
    decided: Signal<Local, Bit>,
    new_level: Signal<Local, Bits<6>>,
    new_turned: Signal<Local, Bit>,
    widest: Signal<Local, Bits<12>>,
    narrower: Signal<Local, Bits<12>>,
    width_0: Fixed<Bits<12>>,
    width_1: Fixed<Bits<12>>,
    width_2: Fixed<Bits<12>>,
    width_3: Fixed<Bits<12>>,
    last: Fixed<Bits<6>>,
    one_6: Fixed<Bits<6>>,
    one_7: Fixed<Bits<7>>,
}

impl Probabilities {
    /// All probabilities.
    pub fn new() -> Self {
        let [width_0, width_1, width_2, width_3] = WIDTHS.map(Fixed::of);
        Self {
            levels: Mem::new(6, 7),
            width_0,
            width_1,
            width_2,
            width_3,
            last: Fixed::of(LAST),
            one_6: Fixed::of(1u8),
            one_7: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for Probabilities {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, swept);
        clock!(self, clock, levels);

        self.sweeping.next = !self.at.q.val().get_bit(6);
        if self.sweeping.val() {
            self.at.d.next = self.at.q.val() + self.one_7.val();
        }
        if self.clear.val() {
            self.at.d.next = 0.into();
        }
        self.swept.d.next = !self.sweeping.val() & !self.clear.val();
        self.ready.next = self.swept.q.val() & !self.sweeping.val();

        self.levels.raddr.next = self.next_situation.val();
        self.level.next = self.levels.rdata.val().get_bits::<6>(0);
        self.turned.next = self.levels.rdata.val().get_bit(6);
        if self.undecided.val() {
            self.level.next = 0.into();
            self.turned.next = false;
        }
        self.decided.next = self.right.val() ^ self.turned.val();
        self.likely.next = self.decided.val();
        match self.level.val().get_bits::<2>(0).index() {
            0 => self.widest.next = self.width_0.val(),
            1 => self.widest.next = self.width_1.val(),
            2 => self.widest.next = self.width_2.val(),
            _ => self.widest.next = self.width_3.val(),
        }
        match self.level.val().get_bits::<2>(2).index() {
            0 => self.narrower.next = self.widest.val(),
            1 => self.narrower.next = self.widest.val() >> 1,
            2 => self.narrower.next = self.widest.val() >> 2,
            _ => self.narrower.next = self.widest.val() >> 3,
        }
        match self.level.val().get_bits::<2>(4).index() {
            0 => self.width.next = self.narrower.val(),
            1 => self.width.next = self.narrower.val() >> 4,
            _ => self.width.next = self.narrower.val() >> 8,
        }

        self.new_level.next = self.level.val();
        self.new_turned.next = self.turned.val();
        if self.decided.val() {
            if self.level.val() != self.last.val() {
                self.new_level.next = self.level.val() + self.one_6.val();
            }
        } else if self.level.val().any() {
            self.new_level.next = self.level.val() - self.one_6.val();
        } else {
            self.new_turned.next = !self.turned.val();
        }
        self.levels.we.next = (self.learn.val() & !self.undecided.val()) | self.sweeping.val();
        self.levels.waddr.next = self.situation.val();
        self.levels.wdata.next =
            bit_cast::<7, 6>(self.new_level.val()) | (bit_cast::<7, 1>(self.new_turned.val().into()) << 6);
        if self.sweeping.val() {
            self.levels.waddr.next = self.at.q.val().get_bits::<6>(0);
            self.levels.wdata.next = 0.into();
        }
    }
}
