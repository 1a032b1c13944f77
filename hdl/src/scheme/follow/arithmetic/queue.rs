//! Request queue: requests that wait for the coder of their core
//!
//! # Source
//! `docs/maintainers/decisions/0067-arithmetic-system.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty |
//! | `valid`, `ready` | in, out | 1 | a request is there; it is taken at this edge |
//! | `from` | in | 24 | the request |
//! | `any` | out | 1 | requests are in the queue |
//! | `have`, `to` | out | 1, 24 | the oldest one, which stays until `taken` |
//! | `taken` | in | 1 | remove it |
//!
//! # Timing
//! A request is at `to` two cycles after its edge; after `taken`, the next one at once.

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// log2 of the depth.
const LOG2: usize = 3;
/// Widest request.
pub const BITS: usize = 24;

/// A queue of eight requests.
#[derive(LogicBlock, Default)]
pub struct Queue {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub from: Signal<In, Bits<24>>,
    pub any: Signal<Out, Bit>,
    pub have: Signal<Out, Bit>,
    pub to: Signal<Out, Bits<24>>,
    pub taken: Signal<In, Bit>,
    requests: Mem<3, 24>,
    // with a bit above the address: they differ in it alone if the queue is full
    write: DFF<Bits<4>>,
    read: DFF<Bits<4>>,
    next_read: Signal<Local, Bits<4>>,
    valid_read: DFF<Bit>,
    full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    one: Fixed<Bits<4>>,
    top: Fixed<Bits<4>>,
}

impl Queue {
    /// An empty queue for requests of `bits` bits.
    pub fn new(bits: usize) -> Self {
        assert!((1..=BITS).contains(&bits), "bits = {bits} is outside 1..={BITS}");
        Self { requests: Mem::new(LOG2, bits), one: Fixed::of(1u8), top: Fixed::of(1u8 << LOG2), ..Default::default() }
    }
}

impl Logic for Queue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, valid_read);
        clock!(self, clock, requests);

        self.full.next = (self.write.q.val() ^ self.read.q.val()) == self.top.val();
        self.push.next = self.valid.val() & !self.full.val();
        self.ready.next = !self.full.val();
        self.requests.we.next = self.push.val();
        self.requests.waddr.next = self.write.q.val().get_bits::<3>(0);
        self.requests.wdata.next = self.from.val();
        if self.push.val() {
            self.write.d.next = self.write.q.val() + self.one.val();
        }
        // the request that is read next is valid if it was written before
        self.next_read.next = self.read.q.val();
        if self.taken.val() & self.valid_read.q.val() {
            self.next_read.next = self.read.q.val() + self.one.val();
        }
        self.read.d.next = self.next_read.val();
        self.requests.raddr.next = self.next_read.val().get_bits::<3>(0);
        self.valid_read.d.next = self.next_read.val() != self.write.q.val();
        self.any.next = self.read.q.val() != self.write.q.val();
        self.have.next = self.valid_read.q.val();
        self.to.next = self.requests.rdata.val();
        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.valid_read.d.next = false;
        }
    }
}
