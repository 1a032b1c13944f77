//! Client: the processor at a seat of the ring
//!
//! # Ports
//! Those of a seat, see [`crate::diag::client`].
//!
//! # Timing
//! As [`super::node`].

use super::node::Processor;
use crate::diag::client::SeatIn;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;

/// A processor.
#[derive(LogicBlock, Default)]
pub struct ProcessorClient {
    pub clock: Signal<In, Clock>,
    pub port: SeatIn,
    processor: Processor,
}

impl ProcessorClient {
    /// As after a reset.
    pub fn new() -> Self {
        Self { processor: Processor::new(), ..Default::default() }
    }
}

impl Part<SeatIn> for ProcessorClient {
    fn name(&self) -> &'static str {
        "processor_node"
    }
    fn latency(&self) -> usize {
        0
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut SeatIn {
        &mut self.port
    }
}

impl Logic for ProcessorClient {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, processor);
        self.processor.reset.next = self.port.reset.val();
        self.processor.got.valid.next = self.port.got_valid.val();
        self.processor.got.word.next = self.port.got_word.val();
        self.port.got_ready.next = self.processor.got.ready.val();
        self.port.put_valid.next = self.processor.put.valid.val();
        self.port.put_word.next = self.processor.put.word.val();
        self.processor.put.ready.next = self.port.put_ready.val();
    }
}
