//! The same behind a resync of a core that retires several instructions a clock
//!
//! As [`super::settle`], where what enters and leaves stands for several instructions. K is longer
//! ([`sim::system::haste`]): of more than a clock's instructions each, tables still take a clock a word.
//!
//! # Source
//! `docs/stream.md`, "Periodic synchronisation"; `docs/decisions/0026-wide-resyncs.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset`, `resync`, `fresh`, `cancel` | in | 1 | as of [`super::settle`] |
//! | `enter` | in | 1 | traced instructions are where predictors are asked |
//! | `entering` | in | 10 | that many and one more; the last one alone may ask |
//! | `leave` | in | 1 | some are in the last stage |
//! | `leaving` | in | 10 | that many and one more |
//! | `hold` | out | 1 | that one must not ask |
//! | `holding` | out | 1 | of the K some are still to enter |
//!
//! # Timing
//! `holding` rises in the clock behind `resync` or `fresh`, and falls behind those with which the last of the K enters. `hold` answers
//! `entering` in its clock: with the last of the K one may come that is none of them. An instruction with `fresh` is alone. The last
//! stage may be the one where predictors are asked ([`SettleWide::at_once`]): then `leave` and `leaving` mean nothing.
//!
//! Golden model: [`sim::lane`].

use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;

/// Widest K: the largest tables have 4,096 words, two blocks a clock make it 64 times as long.
const K_BITS: usize = 19;

/// Holds predictors for K instructions.
#[derive(LogicBlock, Default)]
pub struct SettleWide {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub fresh: Signal<In, Bit>,
    pub cancel: Signal<In, Bit>,
    pub enter: Signal<In, Bit>,
    pub entering: Signal<In, Bits<10>>,
    pub leave: Signal<In, Bit>,
    pub leaving: Signal<In, Bits<10>>,
    pub hold: Signal<Out, Bit>,
    pub holding: Signal<Out, Bit>,
    // instructions from behind those to the other stage, the last ones included
    flight: DFF<Bits<13>>,
    // that are still to enter
    left: DFF<Bits<19>>,
    some: DFF<Bit>,
    come: Signal<Local, Bits<13>>,
    go: Signal<Local, Bits<13>>,
    off: Signal<Local, Bits<13>>,
    behind: Signal<Local, Bits<13>>,
    comes: Signal<Local, Bits<19>>,
    stays: Signal<Local, Bit>,
    apart: Fixed<Bit>,
    k: Fixed<Bits<19>>,
    k_fresh: Fixed<Bits<19>>,
    one_13: Fixed<Bits<13>>,
}

impl SettleWide {
    /// For `instructions`, more than are ever in flight.
    ///
    /// # Panics
    /// When there are fewer than 1,024, or more than 2^19 - 1.
    pub fn new(instructions: u32) -> Self {
        assert!(instructions >= 1_024, "{instructions} instructions");
        Self { apart: Fixed::new(true), ..Self::at_once(instructions) }
    }

    /// As [`SettleWide::new`], of any number, where predictors are asked in the stage that decides about resyncs.
    ///
    /// # Panics
    /// When there are none, or more than 2^19 - 1.
    pub fn at_once(instructions: u32) -> Self {
        assert!((1..1 << K_BITS).contains(&instructions), "{instructions} instructions");
        Self {
            k: Fixed::of(u64::from(instructions)),
            k_fresh: Fixed::of(u64::from(instructions) - 1),
            one_13: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for SettleWide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flight, left, some);
        self.come.next = 0.into();
        if self.enter.val() {
            self.come.next = bit_cast::<13, 10>(self.entering.val()) + self.one_13.val();
        }
        self.go.next = 0.into();
        if self.leave.val() {
            self.go.next = bit_cast::<13, 10>(self.leaving.val()) + self.one_13.val();
        }
        self.off.next = self.flight.q.val() + self.come.val();
        // of those in flight the ones in the last stage are the resync's own
        self.behind.next = self.off.val() - self.go.val();
        self.flight.d.next = self.behind.val();
        if !self.apart.val() {
            self.behind.next = 0.into();
            self.flight.d.next = 0.into();
        }
        self.comes.next = bit_cast::<19, 13>(self.come.val());
        self.stays.next = self.left.q.val() > self.comes.val();
        if self.enter.val() & self.some.q.val() {
            self.some.d.next = self.stays.val();
            self.left.d.next = self.left.q.val() - self.comes.val();
        }
        if self.resync.val() {
            self.left.d.next = self.k.val() - bit_cast::<19, 13>(self.behind.val());
            self.some.d.next = true;
        }
        if self.fresh.val() {
            self.left.d.next = self.k_fresh.val() - bit_cast::<19, 13>(self.behind.val());
            self.some.d.next = true;
        }
        if self.cancel.val() | self.reset.val() {
            self.some.d.next = false;
        }
        if self.reset.val() {
            self.flight.d.next = 0.into();
        }
        self.holding.next = self.some.q.val();
        self.hold.next = self.some.q.val() & (self.left.q.val() >= self.comes.val());
    }
}
