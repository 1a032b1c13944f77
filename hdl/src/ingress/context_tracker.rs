//! Context tracker: the context of each instruction of one core, and whether it is the first in it
//!
//! # Source
//! RISC-V privileged ISA, table "RISC-V privilege levels", "Supervisor Address Translation and Protection (satp) Register". The
//! message of a context switch: `docs/reference/stream.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `retires` | in | 1 | an instruction retires |
//! | `mode` | in | 2 | its privilege mode: 0 U, 1 S, 3 M |
//! | `space` | in | 16 | its address space identifier |
//! | `context_value` | out | 18 | context of the last retired instruction: the mode in bits 1:0, above it the bits of `space` that are reported |
//! | `new_context` | out | 1 | the instruction before it was in another context, in the bits that are reported |
//!
//! # Timing
//! Both outputs come one cycle later, with the retire beat, and hold until the next instruction. There is no reset: the first
//! instruction of a trace has a sync, which reports the context whether it changed or not.
//!
//! Golden model: changes of context in [`sim::core_trace::CoreTrace::event`].

use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The context tracker of one core.
#[derive(LogicBlock, Default)]
pub struct ContextTracker {
    pub clock: Signal<In, Clock>,
    pub retires: Signal<In, Bit>,
    pub mode: Signal<In, Bits<2>>,
    pub space: Signal<In, Bits<16>>,
    pub context_value: Signal<Out, Bits<18>>,
    pub new_context: Signal<Out, Bit>,
    now: Signal<Local, Bits<18>>,
    context_value_2: DFF<Bits<18>>,
    new_context_2: DFF<Bit>,
    mask: Fixed<Bits<18>>,
}

impl ContextTracker {
    /// The tracker for contexts of `bits` bits, the mode included.
    ///
    /// # Panics
    /// Unless 2 <= `bits` <= 18.
    pub fn new(bits: u32) -> Self {
        assert!((2..=18).contains(&bits), "bits = {bits} is outside 2..=18");
        Self { mask: Fixed::of((1u64 << bits) - 1), ..Default::default() }
    }
}

impl Logic for ContextTracker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, context_value_2, new_context_2);
        self.now.next =
            (bit_cast::<18, 2>(self.mode.val()) | (bit_cast::<18, 16>(self.space.val()) << 2)) & self.mask.val();
        if self.retires.val() {
            self.context_value_2.d.next = self.now.val();
            self.new_context_2.d.next = self.now.val() != self.context_value_2.q.val();
        }
        self.context_value.next = self.context_value_2.q.val();
        self.new_context.next = self.new_context_2.q.val();
    }
}
