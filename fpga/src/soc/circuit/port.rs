//! Parallel trace port: sends words, least significant bits first, some bits per cycle
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `clock`, `reset` | in | 1 | synchronous; a reset drops the word that is being sent |
//! | `width` | in | 4 | pins: 1, 2, 4 or 8; tied |
//! | `valid`, `ready`, `data` | in, out, in | 1, 1, 32 | words |
//! | `pins` | out | 8 | the next `width` bits; the bits above are undefined |
//! | `strobe` | out | 1 | `pins` are valid in this cycle |
//! | `idle` | out | 1 | nothing is being sent |
//!
//! # Timing
//! A word takes 32 / `width` cycles, and the next follows without a pause.

use hdl::LogicBlock;
use rust_hdl::prelude::*;

/// The trace port.
#[allow(missing_docs)] // the ports are in the table above
#[derive(LogicBlock, Default)]
pub struct TracePort {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub width: Signal<In, Bits<4>>,
    pub valid: Signal<In, Bit>,
    pub ready: Signal<Out, Bit>,
    pub data: Signal<In, Bits<32>>,
    pub pins: Signal<Out, Bits<8>>,
    pub strobe: Signal<Out, Bit>,
    pub idle: Signal<Out, Bit>,
    shift: DFF<Bits<32>>,
    /// Bits that are still to be sent.
    left: DFF<Bits<6>>,
    step: Signal<Local, Bits<6>>,
    last: Signal<Local, Bit>,
}

impl Logic for TracePort {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, shift, left);
        self.step.next = bit_cast::<6, 4>(self.width.val());
        self.last.next = self.left.q.val() <= self.step.val();
        self.shift.d.next = self.shift.q.val() >> self.step.val();
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - self.step.val();
        }
        if self.valid.val() & self.last.val() {
            self.shift.d.next = self.data.val();
            self.left.d.next = 32.into();
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
        }
        self.ready.next = self.last.val();
        self.pins.next = self.shift.q.val().get_bits::<8>(0);
        self.strobe.next = self.left.q.val().any();
        self.idle.next = !self.left.q.val().any();
    }
}
