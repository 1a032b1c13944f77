//! Split: one register bus for two blocks of eight registers
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: selects the read data of `low` |
//! | `bus` | in | 16 registers |
//! | `low`, `high` | out | the first eight registers, the last eight |
//!
//! # Timing
//! No added latency. The read data comes from the block that was addressed at the last edge.

use super::MapIn;
use crate::spine::ports::BusOut;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A splitter of a register bus.
#[derive(LogicBlock, Default)]
pub struct Split {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<4>,
    pub low: BusOut,
    pub high: BusOut,
    upper: DFF<Bit>,
}

impl Logic for Split {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upper);
        self.upper.d.next = self.bus.addr.val().get_bit(3) & !self.reset.val();
        self.low.addr.next = self.bus.addr.val().get_bits::<3>(0);
        self.low.wdata.next = self.bus.wdata.val();
        self.low.write.next = self.bus.write.val() & !self.bus.addr.val().get_bit(3);
        self.high.addr.next = self.bus.addr.val().get_bits::<3>(0);
        self.high.wdata.next = self.bus.wdata.val();
        self.high.write.next = self.bus.write.val() & self.bus.addr.val().get_bit(3);
        self.bus.rdata.next = self.low.rdata.val();
        if self.upper.q.val() {
            self.bus.rdata.next = self.high.rdata.val();
        }
    }
}
