//! Bimodal outcome predictor: two-bit counters by address
//!
//! # Source
//! J. E. Smith, "A Study of Branch Prediction Strategies", ISCA 1981, pp. 135-148, strategy 7: counter
//! `PC[s + log2 p - 1 : s]`, predict taken when it is 2 or 3. Counters start at 1.
//!
//! # Ports
//! As in [`super::OutcomeIn`].
//!
//! # Timing
//! Latency 1. S2: the counter is read. S3: `miss`, combinational from the memory; counter written. A counter that is read
//! while its predecessor is being written is forwarded from the predecessor. Clearing takes p cycles, word by word. Counters
//! are stored xor 1, so that their reset value is 0.
//!
//! Golden model: [`sim::scheme::tr::outcome::bimodal`].

use super::OutcomeIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::scheme::tr::outcome::bimodal::BimodalSizes;
use sim::scheme::tr::outcome::OutcomeSizes;

/// A bimodal predictor of at most 4096 counters.
#[derive(crate::LogicBlock, Default)]
pub struct Bimodal {
    pub clock: Signal<In, Clock>,
    pub port: OutcomeIn,
    counters: Mem<12, 2>,
    // S2: the word that is cleared; above the last one: none
    at: DFF<Bits<13>>,
    sweeping: Signal<Local, Bit>,
    index_2: Signal<Local, Bits<12>>,
    // S3
    index_3: DFF<Bits<12>>,
    write_3: DFF<Bit>,
    branch_3: DFF<Bit>,
    sweep_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    same_3: DFF<Bit>,
    last_write: DFF<Bits<2>>,
    counter: Signal<Local, Bits<2>>,
    c1: Signal<Local, Bit>,
    c0: Signal<Local, Bit>,
    new1: Signal<Local, Bit>,
    new0: Signal<Local, Bit>,
    updated: Signal<Local, Bits<2>>,
    mask: Fixed<Bits<12>>,
    words: Fixed<Bits<13>>,
    one: Fixed<Bits<13>>,
}

impl Bimodal {
    /// The predictor with `sizes.counters` counters.
    ///
    /// # Panics
    /// When [`OutcomeSizes::check`] refuses `sizes`.
    pub fn new(sizes: &BimodalSizes) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        Self {
            counters: Mem::new(sizes.log2() as usize, 2),
            mask: Fixed::of(sizes.counters - 1),
            words: Fixed::of(sizes.counters),
            one: Fixed::new(1.into()),
            ..Default::default()
        }
    }
}

impl Part<OutcomeIn> for Bimodal {
    fn name(&self) -> &'static str {
        "bimodal"
    }
    fn latency(&self) -> usize {
        1
    }
    fn clock(&mut self) -> &mut Signal<In, Clock> {
        &mut self.clock
    }
    fn port(&mut self) -> &mut OutcomeIn {
        &mut self.port
    }
}

impl Logic for Bimodal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, at, index_3, write_3, branch_3, sweep_3, taken_3, same_3, last_write);
        self.counters.clock.next = self.clock.val();

        // S2
        self.sweeping.next = self.at.q.val() != self.words.val();
        if self.sweeping.val() {
            self.at.d.next = self.at.q.val() + self.one.val();
        }
        if self.port.clear.val() {
            self.at.d.next = 0.into();
        }
        self.index_2.next = self.port.hash.val().get_bits::<12>(0) & self.mask.val();
        if self.sweeping.val() {
            self.index_2.next = self.at.q.val().get_bits::<12>(0);
        }
        self.counters.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.write_3.d.next = self.port.branch.val() | self.sweeping.val();
        self.branch_3.d.next = self.port.branch.val() & !self.sweeping.val();
        self.sweep_3.d.next = self.sweeping.val();
        self.taken_3.d.next = self.port.taken.val();
        self.same_3.d.next = (self.index_2.val() == self.index_3.q.val()) & self.write_3.q.val();

        // S3: the counter, xor 1
        self.counter.next = self.counters.rdata.val();
        if self.same_3.q.val() {
            self.counter.next = self.last_write.q.val();
        }
        self.c1.next = self.counter.val().get_bit(1);
        self.c0.next = self.counter.val().get_bit(0);
        self.new1.next = false;
        self.new0.next = false;
        if !self.sweep_3.q.val() {
            if self.taken_3.q.val() {
                // 0 1 2 3 -> 1 2 3 3
                self.new1.next = self.c1.val() | !self.c0.val();
                self.new0.next = !self.c1.val() & !self.c0.val();
            } else {
                // 0 1 2 3 -> 0 0 1 2
                self.new1.next = self.c1.val() & !self.c0.val();
                self.new0.next = !self.c1.val() | !self.c0.val();
            }
        }
        self.updated.next = (bit_cast::<2, 1>(self.new1.val().into()) << 1) | bit_cast::<2, 1>(self.new0.val().into());
        self.last_write.d.next = self.updated.val();
        self.counters.we.next = self.write_3.q.val();
        self.counters.waddr.next = self.index_3.q.val();
        self.counters.wdata.next = self.updated.val();

        self.port.miss.next = self.branch_3.q.val() & (self.c1.val() ^ self.taken_3.q.val());
        self.port.ready.next = !self.sweeping.val();
    }
}
