//! Counters by address, which learn a conditional when the next one was looked up
//!
//! A conditional is looked up in S2 and S3, and stays in S4 until the next one is in S3, as in [`super::tagged`].
//!
//! # Source
//! J. E. Smith, "A Study of Branch Prediction Strategies", ISCA 1981, pp. 135-148, strategy 7. With b = log2 counters: counter
//! `pr ^ pr >> b`, from -2 to 1, 0 at first; predict taken from 0 on.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `pr` | in | 24 | S2 | hashed address of the conditional |
//! | `sweep`, `at` | in | 1, 12 | | 1: counter `at` becomes 0; `advance` must be 0 |
//! | `advance` | in | 1 | S3 | a conditional is in S3: the one in S4 is learned from, and replaced by it |
//! | `counter` | out | 2 | S4 | the counter that was looked up |
//! | `write`, `taken` | in | 1 | S4 | with `advance`: the counter learns this outcome |
//!
//! # Timing
//! One conditional per cycle. A counter that is read while it is written is forwarded from a register.
//!
//! Golden model: [`sim::scheme::follow::bimodal`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// At most 4096 counters.
#[derive(LogicBlock, Default)]
pub struct LateBimodal {
    pub clock: Signal<In, Clock>,
    pub pr: Signal<In, Bits<24>>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub advance: Signal<In, Bit>,
    pub counter: Signal<Out, Bits<2>>,
    pub write: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    counters: Mem<12, 2>,
    // S2
    pr_shifted: Signal<Local, Bits<24>>,
    index_2: Signal<Local, Bits<12>>,
    // S3
    index_3: DFF<Bits<12>>,
    written_3: DFF<Bit>,
    last: DFF<Bits<2>>,
    // S4
    index_4: DFF<Bits<12>>,
    counter_4: DFF<Bits<2>>,
    changed_4: DFF<Bit>,
    now: Signal<Local, Bits<2>>,
    high: Signal<Local, Bit>,
    low: Signal<Local, Bit>,
    new_high: Signal<Local, Bit>,
    new_low: Signal<Local, Bit>,
    learned: Signal<Local, Bits<2>>,
    writes: Signal<Local, Bit>,
    mask: Fixed<Bits<12>>,
    shift: Fixed<Bits<4>>,
}

impl LateBimodal {
    /// 2^`log2` counters.
    ///
    /// # Panics
    /// Unless 1 <= `log2` <= 12.
    pub fn new(log2: usize) -> Self {
        Self {
            counters: Mem::new(log2, 2),
            mask: Fixed::of((1u64 << log2) - 1),
            shift: Fixed::of(log2 as u64),
            ..Default::default()
        }
    }
}

impl Logic for LateBimodal {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index_3, written_3, last, index_4, counter_4, changed_4);
        clock!(self, clock, counters);

        // S2
        self.pr_shifted.next = self.pr.val() >> self.shift.val();
        self.index_2.next =
            (self.pr.val().get_bits::<12>(0) ^ self.pr_shifted.val().get_bits::<12>(0)) & self.mask.val();
        self.counters.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.writes.next = self.advance.val() & self.write.val();
        self.written_3.d.next = (self.index_2.val() == self.index_4.q.val()) & self.writes.val();

        // S4: two's complement, so that the reset value is 0
        self.counter.next = self.counter_4.q.val();
        self.now.next = self.counter_4.q.val();
        if self.changed_4.q.val() {
            self.now.next = self.last.q.val();
        }
        self.high.next = self.now.val().get_bit(1);
        self.low.next = self.now.val().get_bit(0);
        // -2 -1 0 1 -> -2 -2 -1 0, or taken: -1 0 1 1
        self.new_high.next = self.high.val() | !self.low.val();
        self.new_low.next = !self.high.val() & !self.low.val();
        if self.taken.val() {
            self.new_high.next = self.high.val() & !self.low.val();
            self.new_low.next = !self.high.val() | !self.low.val();
        }
        self.learned.next =
            (bit_cast::<2, 1>(self.new_high.val().into()) << 1) | bit_cast::<2, 1>(self.new_low.val().into());

        // S3
        if self.advance.val() {
            self.index_4.d.next = self.index_3.q.val();
            self.last.d.next = self.learned.val();
            self.changed_4.d.next = (self.index_3.q.val() == self.index_4.q.val()) & self.write.val();
            self.counter_4.d.next = self.counters.rdata.val();
            if self.written_3.q.val() {
                self.counter_4.d.next = self.last.q.val();
            }
        }
        self.counters.we.next = self.writes.val() | self.sweep.val();
        self.counters.waddr.next = self.index_4.q.val();
        self.counters.wdata.next = self.learned.val();
        if self.sweep.val() {
            self.counters.waddr.next = self.at.val();
            self.counters.wdata.next = 0.into();
        }
    }
}
