//! Components: one register bus for the encoders before a trace funnel, the funnel, and a sink or bridge, each with a page of 4 KiB
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: selects the read data of encoder 0 |
//! | `bus` | in | all pages, in a window of 64 KiB |
//! | `reads[0]` | in | only with a strobe: 1: `bus.addr` is read |
//! | `encoder[i]` | out | page i |
//! | `funnel` | out | page [`FUNNEL_PAGE`] |
//! | `sink[0]` | out | with a sink or bridge: the page after it |
//! | `sink_reads[0]` | out | only with a strobe: 1: an address of that page is read |
//!
//! Other pages read as 0 and ignore writes.
//!
//! # Timing
//! No added latency. The read data comes from the page that was addressed at the last edge.

use super::{MapIn, MapOut};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::tci::{Facts, Sink, ADDR_BITS, FUNNEL_ADDR_BITS, FUNNEL_PAGE};

/// A splitter of a register bus.
#[derive(LogicBlock, Default)]
pub struct Components {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<14>,
    pub reads: Vec<Signal<In, Bit>>,
    pub encoder: Vec<MapOut<10>>,
    pub funnel: MapOut<10>,
    pub sink: Vec<MapOut<10>>,
    pub sink_reads: Vec<Signal<Out, Bit>>,
    _encoders: usize,
    _sinks: usize,
    _strobes: usize,
    page: Signal<Local, Bits<4>>,
    // the page of the last edge
    addressed: DFF<Bits<4>>,
    of_funnel: Fixed<Bits<4>>,
    of_sink: Fixed<Bits<4>>,
    zero: Fixed<Bits<32>>,
}

impl Components {
    /// A splitter for a system with these properties.
    pub fn new(facts: &Facts) -> Self {
        assert_eq!((ADDR_BITS, FUNNEL_ADDR_BITS), (10, 14), "widths of addresses in a page, and of all pages");
        let (encoders, sinks) = (usize::from(facts.funnel), usize::from(facts.sink != Sink::None));
        // reads of the data register of an SRAM have an effect
        let strobes = usize::from(facts.sink.sram() > 0);
        Self {
            reads: each(strobes),
            encoder: each(encoders),
            sink: each(sinks),
            sink_reads: each(strobes),
            _encoders: encoders,
            _sinks: sinks,
            _strobes: strobes,
            of_funnel: Fixed::of(FUNNEL_PAGE),
            of_sink: Fixed::of(facts.sink_page()),
            ..Default::default()
        }
    }
}

impl Logic for Components {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, addressed);
        self.page.next = self.bus.addr.val().get_bits::<4>(10);
        self.addressed.d.next = self.page.val();
        self.bus.rdata.next = self.zero.val();
        for i in 0..self._encoders {
            self.encoder[i].addr.next = self.bus.addr.val().get_bits::<10>(0);
            self.encoder[i].wdata.next = self.bus.wdata.val();
            self.encoder[i].write.next = self.bus.write.val() & (self.page.val() == i.to_bits());
            if self.addressed.q.val() == i.to_bits() {
                self.bus.rdata.next = self.encoder[i].rdata.val();
            }
        }
        self.funnel.addr.next = self.bus.addr.val().get_bits::<10>(0);
        self.funnel.wdata.next = self.bus.wdata.val();
        self.funnel.write.next = self.bus.write.val() & (self.page.val() == self.of_funnel.val());
        if self.addressed.q.val() == self.of_funnel.val() {
            self.bus.rdata.next = self.funnel.rdata.val();
        }
        for s in 0..self._sinks {
            self.sink[s].addr.next = self.bus.addr.val().get_bits::<10>(0);
            self.sink[s].wdata.next = self.bus.wdata.val();
            self.sink[s].write.next = self.bus.write.val() & (self.page.val() == self.of_sink.val());
            if self.addressed.q.val() == self.of_sink.val() {
                self.bus.rdata.next = self.sink[s].rdata.val();
            }
        }
        for r in 0..self._strobes {
            self.sink_reads[r].next = self.reads[r].val() & (self.page.val() == self.of_sink.val());
        }
        if self.reset.val() {
            self.addressed.d.next = 0.into();
        }
    }
}
