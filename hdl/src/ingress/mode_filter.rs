//! Mode filter: hides instructions of one core by privilege mode
//!
//! # Source
//! RISC-V privileged ISA, table "RISC-V privilege levels"; RISC-V formal interface, `rvfi_mode`. What a filter hides, and
//! what it does not: `docs/how-to/filters.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `retires` | in | 1 | an instruction retires |
//! | `hide` | in | 1 | it is hidden, whatever its mode |
//! | `mode` | in | 2 | its privilege mode: 0 U, 1 S, 3 M |
//! | `modes` | in | 4 | bit m: instructions of mode m are reported |
//! | `hidden` | out | 1 | the last retired instruction is hidden |
//!
//! # Timing
//! `hidden` comes one cycle later, with the retire beat, and holds until the next instruction. It has no reset: before the first
//! instruction it is not used.
//!
//! Golden model: treatment of a hidden instruction, [`sim::core_trace::CoreTrace::hide`].

use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The mode filter of one core.
#[derive(LogicBlock, Default)]
pub struct ModeFilter {
    pub clock: Signal<In, Clock>,
    pub retires: Signal<In, Bit>,
    pub hide: Signal<In, Bit>,
    pub mode: Signal<In, Bits<2>>,
    pub modes: Signal<In, Bits<4>>,
    pub hidden: Signal<Out, Bit>,
    wanted: Signal<Local, Bits<4>>,
    mode_wanted: Signal<Local, Bit>,
    hidden_2: DFF<Bit>,
}

impl Logic for ModeFilter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, hidden_2);
        self.wanted.next = self.modes.val() >> self.mode.val();
        self.mode_wanted.next = self.wanted.val().get_bit(0);
        if self.retires.val() {
            self.hidden_2.d.next = self.hide.val() | !self.mode_wanted.val();
        }
        self.hidden.next = self.hidden_2.q.val();
    }
}
