//! Pages: one register bus for two components of the Trace Control Interface, each with a page of 4 KiB
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: selects the read data of `low` |
//! | `bus` | in | both pages |
//! | `reads[0]` | in | only with a strobe: 1: `bus.addr` is read |
//! | `low`, `high` | out | the first page, the second page |
//! | `high_reads[0]` | out | only with a strobe: 1: an address of the second page is read |
//!
//! # Timing
//! No added latency. The read data comes from the page that was addressed at the last edge.

use super::{MapIn, MapOut};
use crate::widget::each::each;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A splitter of a register bus.
#[derive(LogicBlock, Default)]
pub struct Pages {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<11>,
    pub reads: Vec<Signal<In, Bit>>,
    pub low: MapOut<10>,
    pub high: MapOut<10>,
    pub high_reads: Vec<Signal<Out, Bit>>,
    _strobes: usize,
    upper: DFF<Bit>,
}

impl Pages {
    /// A splitter; `strobe`: for a second page in which a read has an effect.
    pub fn new(strobe: bool) -> Self {
        let strobes = usize::from(strobe);
        Self { reads: each(strobes), high_reads: each(strobes), _strobes: strobes, ..Default::default() }
    }
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
        for i in 0..self._strobes {
            self.high_reads[i].next = self.reads[i].val() & self.bus.addr.val().get_bit(10);
        }
        self.bus.rdata.next = self.low.rdata.val();
        if self.upper.q.val() {
            self.bus.rdata.next = self.high.rdata.val();
        }
    }
}
