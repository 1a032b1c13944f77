//! Pages: one register bus for two components of the Trace Control Interface, each with a page of 4 KiB
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: selects the read data of `low` |
//! | `bus` | in | both pages |
//! | `read` | in | 1: `bus.addr` is read |
//! | `low`, `high` | out | the first page, the second page |
//! | `high_read` | out | 1: an address of the second page is read |
//!
//! # Timing
//! No added latency. The read data comes from the page that was addressed at the last edge.

use super::{MapIn, MapOut};
use rust_hdl::prelude::*;

/// A splitter of a register bus.
#[derive(LogicBlock, Default)]
pub struct Pages {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<11>,
    pub read: Signal<In, Bit>,
    pub low: MapOut<10>,
    pub high: MapOut<10>,
    pub high_read: Signal<Out, Bit>,
    upper: DFF<Bit>,
}

impl Logic for Pages {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, upper);
        self.upper.d.next = self.bus.addr.val().get_bit(10) & !self.reset.val();
        self.low.addr.next = self.bus.addr.val().get_bits::<10>(0);
        self.low.wdata.next = self.bus.wdata.val();
        self.low.write.next = self.bus.write.val() & !self.bus.addr.val().get_bit(10);
        self.high.addr.next = self.bus.addr.val().get_bits::<10>(0);
        self.high.wdata.next = self.bus.wdata.val();
        self.high.write.next = self.bus.write.val() & self.bus.addr.val().get_bit(10);
        self.high_read.next = self.read.val() & self.bus.addr.val().get_bit(10);
        self.bus.rdata.next = self.low.rdata.val();
        if self.upper.q.val() {
            self.bus.rdata.next = self.high.rdata.val();
        }
    }
}
