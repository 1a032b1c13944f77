//! Access queue: holds the accesses of one core until the filters take them
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty |
//! | `push`, `access` | in | 1, 70 | write the access at this clock edge; only while `is_full` is 0 |
//! | `is_full` | out | 1 | the queue is full |
//! | `half` | out | 1 | the queue is at least half full |
//! | `empty` | out | 1 | the queue is empty |
//! | `have`, `first` | out | 1, 70 | the oldest access is valid; the access |
//! | `pop` | in | 1 | remove it; only while `have` is 1 |
//!
//! | bits of an access | meaning |
//! | --- | --- |
//! | 0 to 2 | `op` of the core's own [`super::filter`] |
//! | 3 | it stores to memory: the other cores' filters take [`super::filter::CLEAR`] |
//! | 4, 5 | log2 of the bytes |
//! | 6 to 37 | byte address |
//! | 38 to 69 | the loaded value, or another value |
//!
//! # Timing
//! An access pushed at an edge is read in the next cycle, and valid in the one after it. After a pop, the next access is valid
//! at once. `is_full`, `half` and `empty` depend on registers.
//!
//! Golden model: a queue; `testbenches/tests/systems/cfiat_system.rs` checks the circuit against it.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Width of an access, in bits.
pub const ACCESS: usize = 70;

/// A queue of the accesses of one core.
#[derive(LogicBlock, Default)]
pub struct AccessQueue {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub access: Signal<In, Bits<70>>,
    pub is_full: Signal<Out, Bit>,
    pub half: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub first: Signal<Out, Bits<70>>,
    pub pop: Signal<In, Bit>,
    accesses: Mem<8, 70>,
    write: DFF<Bits<8>>,
    read: DFF<Bits<8>>,
    level: DFF<Bits<8>>,
    read_valid: DFF<Bit>,
    next_read: Signal<Local, Bits<8>>,
    mask: Fixed<Bits<8>>,
    capacity: Fixed<Bits<8>>,
    middle: Fixed<Bits<8>>,
    one: Fixed<Bits<8>>,
}

impl AccessQueue {
    /// A queue of 2^`log2_depth` - 2 accesses.
    ///
    /// # Panics
    /// When `log2_depth` is outside 3..=8.
    pub fn new(log2_depth: usize) -> Self {
        assert!((3..=8).contains(&log2_depth), "log2_depth = {log2_depth} is outside 3..=8");
        let places = 1u64 << log2_depth;
        Self {
            accesses: Mem::new(log2_depth, ACCESS),
            mask: Fixed::of(places - 1),
            capacity: Fixed::of(places - 2),
            middle: Fixed::of(places / 2),
            one: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for AccessQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, level, read_valid);
        self.accesses.clock.next = self.clock.val();
        self.accesses.we.next = self.push.val();
        self.accesses.waddr.next = self.write.q.val();
        self.accesses.wdata.next = self.access.val();
        if self.push.val() {
            self.write.d.next = bit_cast::<8, 8>(self.write.q.val() + self.one.val()) & self.mask.val();
        }
        // the access read next is valid if it was written before
        self.next_read.next = self.read.q.val();
        if self.pop.val() {
            self.next_read.next = bit_cast::<8, 8>(self.read.q.val() + self.one.val()) & self.mask.val();
        }
        self.read.d.next = self.next_read.val();
        self.read_valid.d.next = self.next_read.val() != self.write.q.val();
        self.accesses.raddr.next = self.next_read.val();
        if self.push.val() & !self.pop.val() {
            self.level.d.next = self.level.q.val() + self.one.val();
        }
        if self.pop.val() & !self.push.val() {
            self.level.d.next = self.level.q.val() - self.one.val();
        }
        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.level.d.next = 0.into();
            self.read_valid.d.next = false;
        }
        self.is_full.next = self.level.q.val() == self.capacity.val();
        self.half.next = self.level.q.val() >= self.middle.val();
        self.empty.next = !self.level.q.val().any();
        self.have.next = self.read_valid.q.val();
        self.first.next = self.accesses.rdata.val();
    }
}
