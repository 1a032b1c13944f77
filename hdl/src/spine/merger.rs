//! Merger: selects the core whose entry is sent next
//!
//! It notes in each cycle which cores push an entry into their FIFO, and passes the entries to the encoder in that order;
//! those of one cycle by core index. With one core there is nothing to note, and synthesis removes the circuit.
//!
//! # Source
//! Paper 000 section 2: "time stamps can then be used by a trace buffer control logic to properly order
//! trace messages"; here a memory of the order replaces the time stamps. `docs/reference/stream.md`, "Order".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: nothing noted |
//! | `pushes` | in | 16 | bit i: core i pushes an entry in this cycle |
//! | `have` | in | 16 | bit i: the FIFO of core i has a valid entry |
//! | `core` | out | 4 | core of the next entry |
//! | `show` | out | 1 | the entry is valid: `core` is, and its FIFO has it |
//! | `done` | in | 1 | the encoder has taken the entry |
//! | `empty` | out | 1 | no entry is pending |
//!
//! # Timing
//! A note is used three cycles after its cycle. From then on one entry per cycle is passed, whatever the notes are.
//!
//! The memory has a note for every entry of every FIFO, so the FIFOs are full before it is.

use super::Stream;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Widest address: 16 cores with 2^8 entries each.
const A: usize = 12;

/// A memory of the order of the cores' entries.
#[derive(LogicBlock, Default)]
pub struct Merger {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub pushes: Signal<In, Bits<16>>,
    pub have: Signal<In, Bits<16>>,
    pub core: Signal<Out, Bits<4>>,
    pub show: Signal<Out, Bit>,
    pub done: Signal<In, Bit>,
    pub empty: Signal<Out, Bit>,
    notes: Mem<12, 16>,
    write: DFF<Bits<12>>,
    read: DFF<Bits<12>>,
    read_valid: DFF<Bit>,
    next_read: Signal<Local, Bits<12>>,
    current: DFF<Bits<16>>,
    load: Signal<Local, Bit>,
    less: Signal<Local, Bits<16>>,
    rest: Signal<Local, Bits<16>>,
    not_rest: Signal<Local, Bits<16>>,
    lowest: Signal<Local, Bits<16>>,
    index: Signal<Local, Bits<4>>,
    single: Fixed<Bit>,
    mask: Fixed<Bits<12>>,
    one: Fixed<Bits<12>>,
    one_16: Fixed<Bits<16>>,
    odd_1: Fixed<Bits<16>>,
    odd_2: Fixed<Bits<16>>,
    odd_4: Fixed<Bits<16>>,
    odd_8: Fixed<Bits<16>>,
}

impl Merger {
    /// The merger for the cores of `params`, with FIFOs of 2^`log2_depth` entries.
    pub fn new(params: &TraceParams, log2_depth: usize) -> Self {
        Self::of(&Stream::from(params), log2_depth)
    }

    /// As [`Merger::new`], for a stream of any scheme.
    pub fn of(stream: &Stream, log2_depth: usize) -> Self {
        let bits = (log2_depth + stream.ti_bits() as usize).min(A);
        let constant = Fixed::<Bits<16>>::of::<u64>;
        Self {
            notes: Mem::new(bits, if stream.senders > 1 { stream.senders.into() } else { 0 }),
            single: Fixed::new(stream.senders == 1),
            mask: Fixed::of((1u64 << bits) - 1),
            one: Fixed::new(1.into()),
            one_16: Fixed::new(1.into()),
            odd_1: constant(0xaaaa),
            odd_2: constant(0xcccc),
            odd_4: constant(0xf0f0),
            odd_8: constant(0xff00),
            ..Default::default()
        }
    }
}

impl Logic for Merger {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read, read_valid, current);
        self.notes.clock.next = self.clock.val();
        self.notes.we.next = self.pushes.val().any();
        self.notes.waddr.next = self.write.q.val();
        self.notes.wdata.next = self.pushes.val();
        if self.pushes.val().any() {
            self.write.d.next = bit_cast::<12, 12>(self.write.q.val() + self.one.val()) & self.mask.val();
        }

        // the lowest core of the current note: x & ~(x - 1)
        self.less.next = self.current.q.val() - self.one_16.val();
        self.rest.next = self.current.q.val() & self.less.val();
        self.not_rest.next = !self.rest.val();
        self.lowest.next = self.current.q.val() & self.not_rest.val();
        self.index.next = bit_cast::<4, 1>((self.lowest.val() & self.odd_1.val()).any().into())
            | (bit_cast::<4, 1>((self.lowest.val() & self.odd_2.val()).any().into()) << 1)
            | (bit_cast::<4, 1>((self.lowest.val() & self.odd_4.val()).any().into()) << 2)
            | (bit_cast::<4, 1>((self.lowest.val() & self.odd_8.val()).any().into()) << 3);

        // the note at the read address is valid if it was written before the address was issued
        self.load.next =
            self.read_valid.q.val() & (!self.current.q.val().any() | (self.done.val() & !self.rest.val().any()));
        self.next_read.next = self.read.q.val();
        if self.load.val() {
            self.next_read.next = bit_cast::<12, 12>(self.read.q.val() + self.one.val()) & self.mask.val();
        }
        self.read.d.next = self.next_read.val();
        self.notes.raddr.next = self.next_read.val();
        self.read_valid.d.next = self.write.q.val() != self.next_read.val();
        if self.done.val() {
            self.current.d.next = self.rest.val();
        }
        if self.load.val() {
            self.current.d.next = self.notes.rdata.val();
        }
        if self.reset.val() | self.single.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
            self.read_valid.d.next = false;
            self.current.d.next = 0.into();
        }

        self.core.next = self.index.val();
        self.show.next = (self.lowest.val() & self.have.val()).any();
        self.empty.next = !self.current.q.val().any() & (self.write.q.val() == self.read.q.val());
        if self.single.val() {
            self.core.next = 0.into();
            self.show.next = self.have.val().any();
            self.empty.next = true;
        }
    }
}
