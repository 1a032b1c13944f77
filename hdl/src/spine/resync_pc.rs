//! Resync PC FIFO: the PCs at which the resyncs of one core continue, until the encoder sends them
//!
//! A front end that decides about resyncs at the stage where its predictors are queried knows the instruction's target there. The
//! address waits here instead of in registers of every stage and in every entry of the event FIFO.
//!
//! # Source
//! `docs/explanation/trace-module.md`, `docs/reference/stream.md`, "Periodic synchronisation".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: empty |
//! | `push`, `pc` | in | 1, W | a resync and the PC of its sync |
//! | `pop` | in | 1 | remove the oldest PC |
//! | `word` | out | W | the oldest PC |
//!
//! # Timing
//! A PC pushed at an edge is at `word` from the second cycle after it, if it is the oldest by then. The same holds for the next PC
//! after a pop. A resync occupies an entry of the event FIFO from the decision until it is sent, and both FIFOs have the same depth,
//! so this one never overflows. The pointers are those of
//! [`super::event_fifo`].
//!
//! Golden model: a queue.

use super::event_fifo::taps;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Cycles from the stage at which such a front end decides to its last stage, where it makes entries.
pub const EARLY_CYCLES: usize = 4;

/// A queue of addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct ResyncPcFifo<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub pc: Signal<In, Bits<W>>,
    pub pop: Signal<In, Bit>,
    pub word: Signal<Out, Bits<W>>,
    words: Mem<8, W>,
    write: DFF<Bits<8>>,
    read: DFF<Bits<8>>,
    write_bit: Signal<Local, Bit>,
    read_bit: Signal<Local, Bit>,
    next_read: Signal<Local, Bits<8>>,
    mask: Fixed<Bits<8>>,
    feedback: Fixed<Bits<8>>,
}

impl<const W: usize> ResyncPcFifo<W> {
    /// The FIFO for an event FIFO of 2^`log2_depth` - 2 entries, with PCs of `width` bits.
    ///
    /// # Panics
    /// Unless 3 <= `log2_depth` <= 8 and 1 <= `width` <= W.
    pub fn new(log2_depth: usize, width: usize) -> Self {
        assert!((3..=8).contains(&log2_depth), "log2_depth = {log2_depth} is outside 3..=8");
        Self {
            words: Mem::new(log2_depth, width),
            mask: Fixed::of((1u64 << log2_depth) - 1),
            feedback: Fixed::of(taps(log2_depth)),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for ResyncPcFifo<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write, read);
        clock!(self, clock, words);
        self.write_bit.next = !(self.write.q.val() & self.feedback.val()).xor();
        self.words.we.next = self.push.val();
        self.words.waddr.next = self.write.q.val();
        self.words.wdata.next = self.pc.val();
        if self.push.val() {
            self.write.d.next = (bit_cast::<8, 8>(self.write.q.val() << 1)
                | bit_cast::<8, 1>(self.write_bit.val().into()))
                & self.mask.val();
        }
        self.read_bit.next = !(self.read.q.val() & self.feedback.val()).xor();
        self.next_read.next = self.read.q.val();
        if self.pop.val() {
            self.next_read.next = (bit_cast::<8, 8>(self.read.q.val() << 1)
                | bit_cast::<8, 1>(self.read_bit.val().into()))
                & self.mask.val();
        }
        self.read.d.next = self.next_read.val();
        self.words.raddr.next = self.next_read.val();
        if self.reset.val() {
            self.write.d.next = 0.into();
            self.read.d.next = 0.into();
        }
        self.word.next = self.words.rdata.val();
    }
}
