//! Time stamp unit: the counter of all cores, and the fields of `trTsControl` that software writes
//!
//! # Source
//! RISC-V Trace Control Interface 1.0, "Timestamp Unit": internal, with the clock of the cores. Fields are those of [`sim::tci::map`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clear` | in | 1 | 1: back to the state at power-up |
//! | `write`, `wdata` | in | 1, 32 | a write of `trTsControl` |
//! | `halted` | in | 1 | all cores are in debug mode |
//! | `word` | out | 32 | the fields that can be written, at their places |
//! | `counter` | out | 32 | the counter, unsigned; it wraps |
//! | `enable` | out | 1 | messages have a time |
//!
//! # Timing
//! All outputs are registers. A write takes effect in the next cycle, whose end is the first that counts.
//!
//! Golden model: [`sim::tci::time_unit`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::map::register;
use sim::tci::Facts;

/// The counter and its fields.
#[derive(LogicBlock, Default)]
pub struct TimeUnit {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub write: Signal<In, Bit>,
    pub wdata: Signal<In, Bits<32>>,
    pub halted: Signal<In, Bit>,
    pub word: Signal<Out, Bits<32>>,
    pub counter: Signal<Out, Bits<32>>,
    pub enable: Signal<Out, Bit>,
    // 0 at reset, unlike three of the fields
    stopped: DFF<Bit>,
    stops_in_debug: DFF<Bit>,
    disabled: DFF<Bit>,
    prescale: DFF<Bits<2>>,
    count: DFF<Bits<32>>,
    prescaler: DFF<Bits<6>>,
    // bits of the prescaler that are not used
    unused: Signal<Local, Bits<6>>,
    is_debug: Fixed<Bit>,
    is_optional: Fixed<Bit>,
    count_bit: Fixed<Bits<32>>,
    debug_bit: Fixed<Bits<32>>,
    enable_bit: Fixed<Bits<32>>,
    all: Fixed<Bits<6>>,
    above_2: Fixed<Bits<6>>,
    above_4: Fixed<Bits<6>>,
    one: Fixed<Bits<32>>,
    one_6: Fixed<Bits<6>>,
}

/// Positions that the kernel has as numbers.
const POSITIONS: [(&str, u8); 5] = [("count", 1), ("reset", 2), ("run_in_debug", 3), ("prescale", 8), ("enable", 15)];

impl TimeUnit {
    /// The unit of a system with these properties, which has one.
    ///
    /// # Panics
    /// If positions in the map are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        for (field, lsb) in POSITIONS {
            assert_eq!(register("ts_control").field(field).lsb, lsb, "{field}");
        }
        let bit = |name| Fixed::of(register("ts_control").field(name).mask());
        let has = |name| Fixed::new((register("ts_control").field(name).exists)(facts));
        Self {
            is_debug: has("run_in_debug"),
            is_optional: has("enable"),
            count_bit: bit("count"),
            debug_bit: bit("run_in_debug"),
            enable_bit: bit("enable"),
            all: Fixed::of(63u8),
            above_2: Fixed::of(60u8),
            above_4: Fixed::of(48u8),
            one: Fixed::of(1u8),
            one_6: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

// the constant condition is nested alone, so that the Verilog writer can fold it
#[allow(clippy::collapsible_if)]
impl Logic for TimeUnit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stopped, stops_in_debug, disabled, prescale, count, prescaler);
        self.unused.next = 0.into();
        if self.prescale.q.val() == 0 {
            self.unused.next = self.all.val();
        }
        if self.prescale.q.val() == 1 {
            self.unused.next = self.above_2.val();
        }
        if self.prescale.q.val() == 2 {
            self.unused.next = self.above_4.val();
        }
        if !self.stopped.q.val() & !(self.stops_in_debug.q.val() & self.halted.val()) {
            self.prescaler.d.next = self.prescaler.q.val() + self.one_6.val();
            if (self.prescaler.q.val() | self.unused.val()) == self.all.val() {
                self.count.d.next = self.count.q.val() + self.one.val();
            }
        }
        if self.write.val() {
            self.stopped.d.next = !self.wdata.val().get_bit(1);
            if self.is_debug.val() {
                self.stops_in_debug.d.next = !self.wdata.val().get_bit(3);
            }
            self.prescale.d.next = self.wdata.val().get_bits::<2>(8);
            if self.is_optional.val() {
                self.disabled.d.next = !self.wdata.val().get_bit(15);
            }
            if self.wdata.val().get_bit(2) {
                self.count.d.next = 0.into();
                self.prescaler.d.next = 0.into();
            }
        }
        if self.clear.val() {
            self.stopped.d.next = false;
            self.stops_in_debug.d.next = false;
            self.disabled.d.next = false;
            self.prescale.d.next = 0.into();
            self.count.d.next = 0.into();
            self.prescaler.d.next = 0.into();
        }
        self.word.next = bit_cast::<32, 2>(self.prescale.q.val()) << 8;
        if !self.stopped.q.val() {
            self.word.next = self.word.val() | self.count_bit.val();
        }
        if self.is_debug.val() {
            if !self.stops_in_debug.q.val() {
                self.word.next = self.word.val() | self.debug_bit.val();
            }
        }
        if self.is_optional.val() {
            if !self.disabled.q.val() {
                self.word.next = self.word.val() | self.enable_bit.val();
            }
        }
        self.counter.next = self.count.q.val();
        self.enable.next = !self.disabled.q.val();
    }
}
