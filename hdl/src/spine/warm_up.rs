//! Warm-up: counts the instructions after a resync that are not predicted, while tables are cleared
//!
//! The decoder knows the number of these instructions, but no cycles. They are counted at the predictor stage. Instructions
//! between that stage and the decision about messages were already predicted when it was made, and are subtracted.
//!
//! Where a core retires several instructions per cycle, the counts of entering and leaving instructions are larger, and K is longer
//! ([`sim::system::warm_up_scale`]): tables still take one cycle per word.
//!
//! # Source
//! `docs/reference/stream.md`, "Periodic synchronisation"; `sim::scheme::Scheme::warm_up`; `docs/maintainers/decisions/0026-wide-resyncs.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | back to the state at power-up |
//! | `resync` | in | 1 | the instruction in the last stage makes a resync: the K instructions begin after it |
//! | `restart_sync` | in | 1 | it has a sync for decoders that start there: it is the first of the K, and alone |
//! | `cancel` | in | 1 | the trace has ended |
//! | `enter` | in | 1 | traced instructions are at the predictor stage |
//! | `entering` | in | 10 | with several per cycle: their number, less one; only the last one may be predicted |
//! | `leave` | in | 1 | instructions are in the last stage |
//! | `leaving` | in | 10 | with several per cycle: their number, less one |
//! | `hold` | out | 1 | the last one that enters must not be predicted |
//! | `holding` | out | 1 | some of the K are still to enter |
//!
//! # Timing
//! `holding` rises in the cycle after `resync` or `restart_sync`, and falls after the last of the K has entered. `hold` responds to
//! `entering` in the same cycle: the group that contains the last of the K may end with an instruction after them. The last stage may
//! be the predictor stage ([`WarmUp::at_once`]): then `leave` and `leaving` are not used.
//!
//! Golden model: [`sim::core_trace`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::system::WAIT;

/// A counter that disables the predictors for K instructions.
#[derive(LogicBlock, Default)]
pub struct WarmUp {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub resync: Signal<In, Bit>,
    pub restart_sync: Signal<In, Bit>,
    pub cancel: Signal<In, Bit>,
    pub enter: Signal<In, Bit>,
    pub entering: Signal<In, Bits<10>>,
    pub leave: Signal<In, Bit>,
    pub leaving: Signal<In, Bits<10>>,
    pub hold: Signal<Out, Bit>,
    pub holding: Signal<Out, Bit>,
    // instructions that have entered and not left
    flight: DFF<Bits<13>>,
    // instructions of the K that are still to enter
    left: DFF<Bits<19>>,
    some_left: DFF<Bit>,
    entering_count: Signal<Local, Bits<13>>,
    leaving_count: Signal<Local, Bits<13>>,
    after: Signal<Local, Bits<13>>,
    wide_count: Signal<Local, Bits<19>>,
    stays_active: Signal<Local, Bit>,
    wide: Fixed<Bit>,
    has_pipeline: Fixed<Bit>,
    k: Fixed<Bits<19>>,
    k_restart: Fixed<Bits<19>>,
    one_13: Fixed<Bits<13>>,
    one_19: Fixed<Bits<19>>,
    // as many bits as the counters need
    flight_mask: Fixed<Bits<13>>,
    left_mask: Fixed<Bits<19>>,
}

impl WarmUp {
    /// The counter for K = `instructions`; `wide`: several may retire per cycle.
    ///
    /// # Panics
    /// When K is less than the instructions in flight, 8, or [`WAIT`] cycles of two each if `wide`; or more than 2^13 - 1, or 2^19 - 1
    /// if `wide`. For more than two per cycle, [`sim::system::warm_up_scale`] makes K longer in proportion.
    pub fn new(instructions: u32, wide: bool) -> Self {
        assert!(instructions >= if wide { 2 * WAIT } else { 8 }, "{instructions} instructions");
        Self { has_pipeline: Fixed::new(true), ..Self::at_once(instructions, wide) }
    }

    /// As [`WarmUp::new`], where resyncs are decided at the predictor stage: K may be any number except 0.
    ///
    /// # Panics
    /// When K is 0 or too large.
    pub fn at_once(instructions: u32, wide: bool) -> Self {
        // the largest tables have 4,096 words; two blocks per cycle make K 64 times as long
        let (flight, left) = if wide { (13, 19) } else { (3, 13) };
        assert!((1..1 << left).contains(&instructions), "{instructions} instructions");
        Self {
            wide: Fixed::new(wide),
            k: Fixed::of(instructions),
            k_restart: Fixed::of(instructions - 1),
            one_13: Fixed::of(1u8),
            one_19: Fixed::of(1u8),
            flight_mask: Fixed::of((1u32 << flight) - 1),
            left_mask: Fixed::of(u32::MAX >> instructions.leading_zeros()),
            ..Default::default()
        }
    }
}

impl Logic for WarmUp {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, flight, left, some_left);
        self.entering_count.next = 0.into();
        if self.enter.val() {
            self.entering_count.next = self.one_13.val();
            if self.wide.val() {
                self.entering_count.next = bit_cast::<13, 10>(self.entering.val()) + self.one_13.val();
            }
        }
        self.leaving_count.next = 0.into();
        if self.leave.val() {
            self.leaving_count.next = self.one_13.val();
            if self.wide.val() {
                self.leaving_count.next = bit_cast::<13, 10>(self.leaving.val()) + self.one_13.val();
            }
        }
        // without those in the last stage, which belong to the resync
        self.after.next = 0.into();
        if self.has_pipeline.val() {
            self.after.next =
                bit_cast::<13, 13>(self.flight.q.val() + self.entering_count.val() - self.leaving_count.val())
                    & self.flight_mask.val();
        }
        self.flight.d.next = self.after.val();

        self.wide_count.next = bit_cast::<19, 13>(self.entering_count.val());
        self.stays_active.next = self.left.q.val() != self.one_19.val();
        self.hold.next = self.some_left.q.val();
        if self.wide.val() {
            self.stays_active.next = self.left.q.val() > self.wide_count.val();
            self.hold.next = self.some_left.q.val() & (self.left.q.val() >= self.wide_count.val());
        }
        self.holding.next = self.some_left.q.val();
        if self.some_left.q.val() & self.enter.val() {
            self.left.d.next = bit_cast::<19, 19>(self.left.q.val() - self.wide_count.val()) & self.left_mask.val();
            self.some_left.d.next = self.stays_active.val();
        }
        if self.resync.val() {
            self.left.d.next =
                bit_cast::<19, 19>(self.k.val() - bit_cast::<19, 13>(self.after.val())) & self.left_mask.val();
            self.some_left.d.next = true;
        }
        if self.restart_sync.val() {
            self.left.d.next =
                bit_cast::<19, 19>(self.k_restart.val() - bit_cast::<19, 13>(self.after.val())) & self.left_mask.val();
            self.some_left.d.next = true;
        }
        if self.cancel.val() | self.reset.val() {
            self.some_left.d.next = false;
        }
        if self.reset.val() {
            self.flight.d.next = 0.into();
        }
    }
}
