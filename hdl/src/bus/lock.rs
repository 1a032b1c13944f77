//! Lock: an input that must be 1 for anything to be traced
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | of the system |
//! | `allow` | in | 1 | 1: tracing may start and continue; synchronous to `clock` |
//! | `bus` | in | | register bus, from the requester |
//! | `out` | out | | register bus, to the system |
//!
//! # Timing
//! No added latency. A write that would enable tracing while `allow` is 0 is dropped. At a clock edge with `allow` 0
//! and tracing enabled, the block writes 0 to `control` in place of the access on the bus: a write in that cycle is
//! lost, a read returns 0. This happens once per trace.

use super::{MapIn, MapOut};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::regs::register;

/// A lock in front of the eight registers of a system.
#[derive(LogicBlock, Default)]
pub struct Lock {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub allow: Signal<In, Bit>,
    pub bus: MapIn<3>,
    pub out: MapOut<3>,
    // `control` was last written with 1
    begun: DFF<Bit>,
    taken: DFF<Bit>,
    controls: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    control: Fixed<Bits<3>>,
    zero: Fixed<Bits<32>>,
    yes: Fixed<Bit>,
}

impl Lock {
    /// A lock with tracing disabled.
    pub fn new() -> Self {
        let control = register("control");
        assert_eq!((control.fields[0].name, control.fields[0].lsb), ("enable", 0));
        Self { control: Fixed::of(control.addr), yes: Fixed::new(true), ..Default::default() }
    }
}

impl Logic for Lock {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, begun, taken);
        self.controls.next = self.bus.write.val() & (self.bus.addr.val() == self.control.val());
        self.begins.next = self.controls.val() & self.bus.wdata.val().get_bit(0);
        self.ends.next = self.begun.q.val() & !self.allow.val();
        self.out.addr.next = self.bus.addr.val();
        self.out.wdata.next = self.bus.wdata.val();
        self.out.write.next = self.bus.write.val() & (self.allow.val() | !self.begins.val());
        if self.controls.val() {
            self.begun.d.next = self.begins.val() & self.allow.val();
        }
        if self.ends.val() {
            self.out.addr.next = self.control.val();
            self.out.wdata.next = self.zero.val();
            self.out.write.next = self.yes.val();
            self.begun.d.next = false;
        }
        self.taken.d.next = self.ends.val();
        self.bus.rdata.next = self.out.rdata.val();
        if self.taken.q.val() {
            self.bus.rdata.next = self.zero.val();
        }
        if self.reset.val() {
            self.begun.d.next = false;
            self.taken.d.next = false;
        }
    }
}
