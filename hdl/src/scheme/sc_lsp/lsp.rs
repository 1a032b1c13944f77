//! Last stream predictor: predicts that a stream is followed by the same stream as last time
//!
//! # Source
//! Paper 001 section II, "Last Stream Predictor": a table of as many indices as the stream cache has entries,
//! read with the index of the stream before.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `lookup` | in | 1 | S5 | a stream is valid |
//! | `index` | in | 10 | S5 | its SCI, 0 where the stream cache cannot hold it |
//! | `sweep`, `sweep_index` | in | 1, 10 | S5 | 1: clear word `sweep_index`, and the last stream |
//! | `same` | out | 1 | S5 | the table predicted `index` |
//!
//! # Timing
//! One stream per cycle. The table is read in every cycle, with the latest index. A word that is read in
//! the cycle in which it is written is known without the table: it is the latest index itself.
//!
//! Golden model: [`sim::scheme::sc_lsp::tables`].

use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::params::TraceParams;

/// A last stream predictor.
#[derive(LogicBlock, Default)]
pub struct Lsp {
    pub clock: Signal<In, Clock>,
    pub lookup: Signal<In, Bit>,
    pub index: Signal<In, Bits<10>>,
    pub sweep: Signal<In, Bit>,
    pub sweep_index: Signal<In, Bits<10>>,
    pub same: Signal<Out, Bit>,
    words: Mem<10, 10>,
    previous: DFF<Bits<10>>,
    again: DFF<Bit>,
    latest: Signal<Local, Bits<10>>,
    predicted: Signal<Local, Bits<10>>,
}

impl Lsp {
    /// The predictor for `params`.
    ///
    /// # Panics
    /// When [`TraceParams::check`] refuses `params`, or their scheme is not `sc-lsp`.
    pub fn new(params: &TraceParams) -> Self {
        params.check().unwrap_or_else(|e| panic!("{e}"));
        let sc = params.stream_cache().unwrap_or_else(|| panic!("the scheme is not sc-lsp"));
        let bits = sc.index_bits() as usize;
        Self { words: Mem::new(bits, bits), ..Default::default() }
    }
}

impl Logic for Lsp {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, previous, again);
        self.words.clock.next = self.clock.val();
        self.latest.next = self.previous.q.val();
        if self.lookup.val() {
            self.latest.next = self.index.val();
        }
        if self.sweep.val() {
            self.latest.next = 0.into();
        }
        self.previous.d.next = self.latest.val();
        self.words.raddr.next = self.latest.val();
        self.again.d.next = self.lookup.val() & (self.index.val() == self.previous.q.val()) & !self.sweep.val();
        self.predicted.next = self.words.rdata.val();
        if self.again.q.val() {
            self.predicted.next = self.previous.q.val();
        }
        self.words.we.next = self.lookup.val() | self.sweep.val();
        self.words.waddr.next = self.previous.q.val();
        self.words.wdata.next = self.index.val();
        if self.sweep.val() {
            self.words.waddr.next = self.sweep_index.val();
            self.words.wdata.next = 0.into();
        }
        self.same.next = self.predicted.val() == self.index.val();
    }
}
