//! Window: which instructions of a core a trace must hide, between triggers of its event generator
//!
//! # Source
//! Original to this project. Start and stop triggers: Efficient Trace for RISC-V, "Filtering"; calls and returns: table
//! "Return-address stack prediction hints" of the RISC-V unprivileged ISA.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: nothing is hidden |
//! | `valid` | in | 1 | an instruction retires |
//! | `points` | in | 16 | slots whose address matches |
//! | `call`, `back` | in | 1 | the instruction is a call, a return |
//! | `write` | in | | register writes, see `sim::diag::window` |
//! | `hides` | out | 1 | the instruction must be hidden |
//!
//! # Timing
//! One instruction per cycle; `hides` follows it in the same cycle. A register write takes effect in the next cycle.
//!
//! Golden model: `sim::diag::window`.

use crate::diag::ports::WriteIn;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::window::{DEPTH, WINDOW};

/// The trace window of one core.
#[derive(LogicBlock, Default)]
pub struct Window {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub points: Signal<In, Bits<16>>,
    pub call: Signal<In, Bit>,
    pub back: Signal<In, Bit>,
    pub write: WriteIn,
    pub hides: Signal<Out, Bit>,
    // the window register
    edges: DFF<Bits<14>>,
    is_closed: DFF<Bit>,
    depth: DFF<Bits<16>>,
    opener: Signal<Local, Bits<4>>,
    closer: Signal<Local, Bits<4>>,
    opened: Signal<Local, Bits<16>>,
    closed: Signal<Local, Bits<16>>,
    opens: Signal<Local, Bit>,
    closes: Signal<Local, Bit>,
    on: Signal<Local, Bit>,
    open_now: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    sets: Signal<Local, Bit>,
    register: Fixed<Bits<12>>,
    most: Fixed<Bits<16>>,
    one: Fixed<Bits<16>>,
}

impl Window {
    /// A window that hides nothing.
    pub fn new() -> Self {
        Self { register: Fixed::of(WINDOW), most: Fixed::of(DEPTH), one: Fixed::of(1u64), ..Default::default() }
    }
}

impl Logic for Window {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, edges, is_closed, depth);
        self.opener.next = self.edges.q.val().get_bits::<4>(0);
        self.closer.next = self.edges.q.val().get_bits::<4>(8);
        self.opened.next = self.points.val() >> self.opener.val();
        self.closed.next = self.points.val() >> self.closer.val();
        self.opens.next = self.edges.q.val().get_bit(4) & self.opened.val().get_bit(0);
        self.closes.next = self.edges.q.val().get_bit(12) & self.closed.val().get_bit(0);
        self.on.next = self.edges.q.val().get_bit(4) | self.edges.q.val().get_bit(12);
        self.open_now.next = !self.is_closed.q.val() | self.opens.val();
        self.hides.next = self.on.val() & !self.open_now.val();

        self.leaves.next = self.back.val() & !self.call.val();
        self.ends.next = self.edges.q.val().get_bit(13)
            & self.edges.q.val().get_bit(4)
            & self.leaves.val()
            & !self.depth.q.val().any();
        if self.valid.val() & self.on.val() & self.open_now.val() {
            self.is_closed.d.next = self.ends.val() | self.closes.val();
            if self.call.val() & !self.back.val() & (self.depth.q.val() != self.most.val()) {
                self.depth.d.next = self.depth.q.val() + self.one.val();
            }
            if self.leaves.val() & self.depth.q.val().any() {
                self.depth.d.next = self.depth.q.val() - self.one.val();
            }
            if self.ends.val() | self.closes.val() {
                self.depth.d.next = 0.into();
            }
        }
        self.sets.next = self.write.we.val() & (self.write.addr.val() == self.register.val());
        if self.sets.val() {
            self.edges.d.next = self.write.data.val().get_bits::<14>(0);
            self.is_closed.d.next = self.write.data.val().get_bit(4);
            self.depth.d.next = 0.into();
        }
        if self.reset.val() {
            self.edges.d.next = 0.into();
            self.is_closed.d.next = false;
            self.depth.d.next = 0.into();
        }
    }
}
