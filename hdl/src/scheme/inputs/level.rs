//! Fill level of an event FIFO, counted where its entries are made
//!
//! # Source
//! `docs/reference/record-replay.md`, "The circuit".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | the FIFO is empty |
//! | `push`, `pop` | in | 1 | an entry is made; the encoder removes one |
//! | `is_full` | out | 1 | the FIFO is full: an entry pushed now is lost |
//! | `half` | out | 1 | the FIFO is at least half full |
//!
//! # Timing
//! The outputs count the entries up to the cycle before.

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A counter of FIFO entries.
#[derive(LogicBlock, Default)]
pub struct Level {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub is_full: Signal<Out, Bit>,
    pub half: Signal<Out, Bit>,
    level: DFF<Bits<9>>,
    full: Signal<Local, Bit>,
    one: Fixed<Bits<9>>,
    middle: Fixed<Bits<9>>,
    capacity: Fixed<Bits<9>>,
}

impl Level {
    /// The counter for an event FIFO of 2^`log2_depth` - 2 entries.
    ///
    /// # Panics
    /// When `log2_depth` is outside 4..=8.
    pub fn new(log2_depth: usize) -> Self {
        assert!((4..=8).contains(&log2_depth), "log2_depth = {log2_depth} is outside 4..=8");
        Self {
            one: Fixed::of(1u8),
            middle: Fixed::of(1u64 << (log2_depth - 1)),
            capacity: Fixed::of((1u64 << log2_depth) - 2),
            ..Default::default()
        }
    }
}

impl Logic for Level {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, level);
        self.full.next = self.level.q.val() == self.capacity.val();
        if self.push.val() & !self.pop.val() & !self.full.val() {
            self.level.d.next = self.level.q.val() + self.one.val();
        }
        if self.pop.val() & (!self.push.val() | self.full.val()) {
            self.level.d.next = self.level.q.val() - self.one.val();
        }
        if self.reset.val() {
            self.level.d.next = 0.into();
        }
        self.is_full.next = self.full.val();
        self.half.next = self.level.q.val() >= self.middle.val();
    }
}
