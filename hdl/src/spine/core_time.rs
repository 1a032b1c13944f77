//! Time of a core's messages: cycles since tracing began, or the time of a time stamp unit
//!
//! # Source
//! `docs/reference/ntrace.md`, "Time stamps"; RISC-V Trace Control Interface 1.0, "Timestamp Unit".
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `enable` | in | 1 | tracing; the count begins when it becomes 1 |
//! | `timestamp` | in | 32 | with [`Extras::time_input`](super::Extras::time_input): the time of this cycle |
//! | `now` | out | 32 | time, for an instruction that retired `lag` cycles ago; with that input, its time in this cycle |
//!
//! # Timing
//! `now` is a register, or `timestamp` of the same cycle. The count is 0 for an instruction that retires in the cycle in which `enable` becomes 1,
//! which is two cycles after the write of `control`. It wraps.
//!
//! Golden model: the cycles of the events, as [`sim::standard::ntrace::Encoder`] and [`sim::baseline::etrace::Encoder`] take them.

use super::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The counter of one core, or none.
#[derive(LogicBlock, Default)]
pub struct CoreTime {
    pub clock: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub timestamp: Signal<In, Bits<32>>,
    pub now: Signal<Out, Bits<32>>,
    count: DFF<Bits<32>>,
    enabled: DFF<Bit>,
    from_unit: Fixed<Bit>,
    start: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
}

impl CoreTime {
    /// The time of instructions that retired `lag` cycles ago, 1 or more.
    pub fn new(lag: usize, extras: &Extras) -> Self {
        Self {
            from_unit: Fixed::new(extras.time_input),
            // the count begins one cycle after `enable`
            start: Fixed::of(u64::from(1u32.wrapping_sub(lag as u32))),
            one: Fixed::of(1u8),
            ..Default::default()
        }
    }
}

impl Logic for CoreTime {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count, enabled);
        self.enabled.d.next = self.enable.val();
        self.count.d.next = self.count.q.val() + self.one.val();
        if self.enable.val() & !self.enabled.q.val() {
            self.count.d.next = self.start.val();
        }
        self.now.next = self.count.q.val();
        if self.from_unit.val() {
            self.now.next = self.timestamp.val();
        }
    }
}
