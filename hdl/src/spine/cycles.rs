//! Cycles since the last message, of a core that retires several instructions a cycle
//!
//! What such a core shows in a cycle may be older or younger than the cycle in which the header is sent again, from which
//! times count. The cycles up to that one are a debt: they pass before any is counted.
//!
//! # Source
//! `docs/reference/stream.md`, "Periodic synchronisation"; `docs/maintainers/decisions/0026-wide-resyncs.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `step` | in | 32 | cycles since the last instruction |
//! | `counted` | in | 32 | those counted before them |
//! | `ask` | in | 1 | with resyncs: the header is sent again, and times count from that cycle |
//! | `old`, `young` | in | 8 | with `ask`: by how many cycles this one is older than that of the header; by how many it is younger |
//! | `debt` | in | 8 | with resyncs: what was `left`, unless a trace has begun or ended since |
//! | `sum` | out | 32 | cycles counted with this one |
//! | `over` | out | 1 | it does not fit `cc_bits` |
//! | `left` | out | 8 | what is left of the debt |
//!
//! # Timing
//! Combinational: no register is in it, so that `sum` does not depend on what becomes of the instruction.
//!
//! Golden model: `cycles` of [`sim::lane`].

use super::Extras;
use crate::widget::fixed::Fixed;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// Counts cycles up to the one that is there.
#[derive(LogicBlock, Default)]
pub struct Cycles {
    pub step: Signal<In, Bits<32>>,
    pub counted: Signal<In, Bits<32>>,
    pub ask: Signal<In, Bit>,
    pub old: Signal<In, Bits<8>>,
    pub young: Signal<In, Bits<8>>,
    pub debt: Signal<In, Bits<8>>,
    pub sum: Signal<Out, Bits<32>>,
    pub over: Signal<Out, Bit>,
    pub left: Signal<Out, Bits<8>>,
    from: Signal<Local, Bits<32>>,
    owed: Signal<Local, Bits<32>>,
    elapsed: Signal<Local, Bits<32>>,
    total: Signal<Local, Bits<32>>,
    owing: Fixed<Bit>,
    whole: Fixed<Bit>,
    above: Fixed<Bits<32>>,
}

impl Cycles {
    /// For the times of `params`; with resyncs in `extras` there are debts.
    pub fn new(params: &TraceParams, extras: &Extras) -> Self {
        Self {
            owing: Fixed::new(extras.sync && params.timestamps),
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
        self.owed.next = 0.into();
        self.left.next = 0.into();
        if self.owing.val() {
            self.owed.next = bit_cast::<32, 8>(self.debt.val());
            if self.owed.val() > self.step.val() {
                self.left.next = self.debt.val() - self.step.val().get_bits::<8>(0);
                self.elapsed.next = 0.into();
            } else {
                self.elapsed.next = self.step.val() - self.owed.val();
            }
            if self.ask.val() {
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
