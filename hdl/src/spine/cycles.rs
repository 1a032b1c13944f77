//! Cycle counter: cycles since the last message, for a core that retires several instructions per cycle
//!
//! The beat of such a core may come from a cycle before or after the one in which the header is repeated, where times restart
//! at 0. The cycles from an older beat up to the header are a debt: they are subtracted before any cycle is counted.
//!
//! # Source
//! `docs/reference/stream.md`, "Periodic synchronisation"; `docs/maintainers/decisions/0026-wide-resyncs.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | 32 | cycles since the last instruction |
//! | `counted` | in | 32 | cycles counted before them |
//! | `header_repeated` | in | 1 | with resyncs: the header is repeated, and times count from that cycle |
//! | `old`, `young` | in | 8 | with `header_repeated`: by how many cycles the beat is older than the header; by how many it is younger |
//! | `debt` | in | 8 | with resyncs: the last `left`, unless a trace has begun or ended since |
//! | `sum` | out | 32 | cycles counted, this beat included |
//! | `over` | out | 1 | `sum` does not fit `cc_bits` |
//! | `left` | out | 8 | rest of the debt |
//!
//! # Timing
//! Combinational. It has no register, so `sum` does not depend on the decision about the instruction.
//!
//! Golden model: `cycles` of [`sim::core_trace`].

use super::Extras;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A combinational counter of the cycles up to the current beat.
#[derive(LogicBlock, Default)]
pub struct Cycles {
    pub step: Signal<In, Bits<32>>,
    pub counted: Signal<In, Bits<32>>,
    pub header_repeated: Signal<In, Bit>,
    pub old: Signal<In, Bits<8>>,
    pub young: Signal<In, Bits<8>>,
    pub debt: Signal<In, Bits<8>>,
    pub sum: Signal<Out, Bits<32>>,
    pub over: Signal<Out, Bit>,
    pub left: Signal<Out, Bits<8>>,
    from: Signal<Local, Bits<32>>,
    debt_cycles: Signal<Local, Bits<32>>,
    elapsed: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<32>>,
    has_debt: Fixed<Bit>,
    whole: Fixed<Bit>,
    above: Fixed<Bits<32>>,
}

impl Cycles {
    /// The counter for the time stamps of `params`. Debts occur only with resyncs in `extras`.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        Self {
            has_debt: Fixed::new(extras.sync && params.timestamps),
            whole: Fixed::new(params.cc_bits == 32),
            above: Fixed::of(u64::from(u32::MAX) & !((1u64 << params.cc_bits) - 1)),
            ..Default::default()
        }
    }
}

impl Logic for Cycles {
    #[hdl_gen]
    fn update(&mut self) {
        self.from.next = self.counted.val();
        self.elapsed.next = self.step.val();
        self.debt_cycles.next = 0.into();
        self.left.next = 0.into();
        if self.has_debt.val() {
            self.debt_cycles.next = bit_cast::<32, 8>(self.debt.val());
            if self.debt_cycles.val() > self.step.val() {
                self.left.next = self.debt.val() - self.step.val().get_bits::<8>(0);
                self.elapsed.next = 0.into();
            } else {
                self.elapsed.next = self.step.val() - self.debt_cycles.val();
            }
            if self.header_repeated.val() {
                self.from.next = 0.into();
                self.left.next = self.old.val();
                self.elapsed.next = bit_cast::<32, 8>(self.young.val());
            }
        }
        self.total.next = self.from.val() + self.elapsed.val();
        self.sum.next = self.total.val();
        self.over.next =
            (self.total.val() & self.above.val()).any() | (self.whole.val() & (self.total.val() < self.from.val()));
    }
}
