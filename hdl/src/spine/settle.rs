//! Instructions behind a resync in which nothing is predicted, while tables are cleared
//!
//! A count of instructions is known to the decoder, clocks are not. It is counted where predictors are asked, so the
//! instructions between there and the decision about messages, which were asked before it fell, are taken off.
//!
//! # Source
//! `docs/stream.md`, "Periodic synchronisation"; `sim::scheme::Scheme::settle`.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | back to the state at power-up |
//! | `resync` | in | the instruction in the last stage makes a resync: the K are those behind it |
//! | `fresh` | in | it has a sync for those who begin there: it is the first of the K |
//! | `cancel` | in | the trace is over |
//! | `enter` | in | a traced instruction is where predictors are asked |
//! | `leave` | in | one is in the last stage |
//! | `hold` | out | predictors must not be asked |
//!
//! # Timing
//! `hold` rises in the clock behind `resync` or `fresh`, and falls behind the last of the K instructions that enters. The last
//! stage may be the one where predictors are asked ([`Settle::at_once`]): then `leave` means nothing.

use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// Widest K: the largest tables have 4,096 words.
const K_BITS: usize = 13;

/// Holds predictors for K instructions.
#[derive(LogicBlock, Default)]
pub struct Settle {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub fresh: Signal<In, Bit>,
    pub cancel: Signal<In, Bit>,
    pub enter: Signal<In, Bit>,
    pub leave: Signal<In, Bit>,
    pub hold: Signal<Out, Bit>,
    // instructions from behind the one to the other stage, the last one included
    flight: DFF<Bits<3>>,
    // that are still to enter
    left: DFF<Bits<13>>,
    holding: DFF<Bit>,
    off: Signal<Local, Bits<3>>,
    apart: Fixed<Bit>,
    k: Fixed<Bits<13>>,
    k_fresh: Fixed<Bits<13>>,
    one: Fixed<Bits<13>>,
    one_3: Fixed<Bits<3>>,
}

impl Settle {
    /// For `instructions`; at least 8, more than are ever in flight.
    ///
    /// # Panics
    /// When there are fewer, or more than 2^13 - 2.
    pub fn new(instructions: u32) -> Self {
        assert!((8..(1 << K_BITS) - 1).contains(&instructions), "{instructions} instructions");
        // of those in flight one makes the resync
        Self {
            apart: Fixed::new(true),
            k: Fixed::of(u64::from(instructions) + 1),
            k_fresh: Fixed::of(u64::from(instructions)),
            one: Fixed::of(1u64),
            one_3: Fixed::of(1u64),
            ..Default::default()
        }
    }

    /// As [`Settle::new`], where predictors are asked in the stage that decides about resyncs.
    ///
    /// # Panics
    /// As [`Settle::new`].
    pub fn at_once(instructions: u32) -> Self {
        Self { apart: Fixed::new(false), ..Self::new(instructions) }
    }
}

impl Logic for Settle {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flight, left, holding);
        self.off.next = self.flight.q.val();
        if self.enter.val() {
            self.off.next = self.flight.q.val() + self.one_3.val();
        }
        self.flight.d.next = self.off.val();
        if self.leave.val() {
            self.flight.d.next = self.off.val() - self.one_3.val();
        }
        if self.holding.q.val() & self.enter.val() {
            self.left.d.next = self.left.q.val() - self.one.val();
            self.holding.d.next = self.left.q.val() != self.one.val();
        }
        if self.resync.val() {
            self.left.d.next = self.k.val() - bit_cast::<13, 3>(self.off.val());
            self.holding.d.next = true;
        }
        if self.fresh.val() {
            self.left.d.next = self.k_fresh.val() - bit_cast::<13, 3>(self.off.val());
            self.holding.d.next = true;
        }
        if self.cancel.val() | self.reset.val() {
            self.holding.d.next = false;
        }
        if self.reset.val() | !self.apart.val() {
            self.flight.d.next = 0.into();
        }
        self.hold.next = self.holding.q.val();
    }
}
