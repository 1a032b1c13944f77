//! gshare outcome predictor: two-bit counters by history and address
//!
//! It looks up a two-bit counter by `BHR xor PC`, compares it with the outcome of a retired conditional
//! branch, and updates counter and history.
//!
//! # Source
//! Paper 000 section 5, paper 002 section 5.1, paper 003 figure 4.29:
//! `index = BHR[n-1:0] xor PC[s+n-1:s]`, n = log2 p; predict taken when the counter is 2 or 3; then
//! `BHR = (BHR << 1 | taken)`. Counters start at 1.
//!
//! # Ports
//! As in [`super::OutcomeIn`]; `hash` and the other inputs are in S2, `miss` is in S3.
//!
//! # Timing
//! One branch per cycle. S2: index, read. S3: `miss` (combinational from the memory), counter
//! written. A counter read while its predecessor is being written is forwarded from the predecessor.
//! Power-up acts as `clear`.
//!
//! # Clearing
//! The history register becomes a de Bruijn counter: a shift register with the feedback of a primitive
//! polynomial, and zero inserted into its cycle. It passes through all 2^n values and returns to 0, the reset
//! value. So clearing needs neither an address counter nor a multiplexer.
//!
//! # Counter encoding
//! A counter is stored as its prediction and whether it is saturated: 0, 1, 2, 3 are 01, 00, 10, 11. After a branch it is saturated if
//! the prediction was right. The prediction changes to the outcome unless it was saturated: `says' = firm ? says : taken`,
//! `firm' = (says == taken)`. So there is little logic between the memory's read and write ports. While the table is cleared, 10 replaces
//! the value read, and no branch is taken, so that 00 is written.
//!
//! Golden model: [`sim::scheme::tr::outcome::gshare`].

use super::OutcomeIn;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::widget::slot::Part;
use rust_hdl::prelude::*;
use sim::scheme::tr::outcome::gshare::GshareSizes;
use sim::scheme::tr::outcome::OutcomeSizes;

/// Widest index, bits: 4096 counters.
const N: usize = 12;

/// Bits of x^n + .. of a primitive polynomial, x^i at bit i - 1.
const fn taps(n: usize) -> u64 {
    match n {
        8 => 0xb8,  // x^8 + x^6 + x^5 + x^4 + 1
        9 => 0x110, // x^9 + x^5 + 1
        10 => 0x240,
        11 => 0x500,
        _ => 0xe08, // x^12 + x^11 + x^10 + x^4 + 1
    }
}

/// A gshare predictor.
#[derive(crate::LogicBlock, Default)]
pub struct Gshare {
    pub clock: Signal<In, Clock>,
    pub port: OutcomeIn,
    // S2
    bhr: DFF<Bits<12>>,
    swept: DFF<Bit>,
    low_zero: Signal<Local, Bit>,
    parity: Signal<Local, Bit>,
    msb: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    input_bit: Signal<Local, Bit>,
    shifted: Signal<Local, Bits<12>>,
    index_2: Signal<Local, Bits<12>>,
    counters: Mem<12, 2>,
    // S3
    index_3: DFF<Bits<12>>,
    write_3: DFF<Bit>,
    branch_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    same_3: DFF<Bit>,
    last_write: DFF<Bits<2>>,
    says: Signal<Local, Bit>,
    read_says: Signal<Local, Bit>,
    read_firm: Signal<Local, Bit>,
    kept: Signal<Local, Bit>,
    then_says: Signal<Local, Bit>,
    then_firm: Signal<Local, Bit>,
    updated: Signal<Local, Bits<2>>,
    // n ones, n - 1 ones, feedback, bit n - 1
    mask: Fixed<Bits<12>>,
    low: Fixed<Bits<12>>,
    feedback: Fixed<Bits<12>>,
    high: Fixed<Bits<12>>,
}

impl Gshare {
    /// The predictor with `sizes.counters` counters.
    ///
    /// # Panics
    /// When [`OutcomeSizes::check`] refuses `sizes`.
    pub fn new(sizes: &GshareSizes) -> Self {
        sizes.check().unwrap_or_else(|e| panic!("{e}"));
        let n = sizes.log2() as usize;
        let constant = Fixed::<Bits<N>>::of::<u64>;
        Self {
            counters: Mem::new(n, 2),
            mask: constant((1 << n) - 1),
            low: constant((1 << (n - 1)) - 1),
            feedback: constant(taps(n)),
            high: constant(1 << (n - 1)),
            ..Default::default()
        }
    }
}

impl Part<OutcomeIn> for Gshare {
    fn name(&self) -> &'static str {
        "gshare"
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

impl Logic for Gshare {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, bhr, swept, index_3, write_3, branch_3, taken_3, same_3, last_write);
        self.counters.clock.next = self.clock.val();

        // S2: history, or the clearing counter
        self.low_zero.next = (self.bhr.q.val() & self.low.val()) == 0;
        self.parity.next = (self.bhr.q.val() & self.feedback.val()).xor();
        self.msb.next = (self.bhr.q.val() & self.high.val()).any();
        self.step.next = self.port.branch.val() | !self.swept.q.val();
        self.input_bit.next = self.parity.val() ^ self.low_zero.val();
        if self.swept.q.val() {
            self.input_bit.next = self.port.taken.val();
        }
        self.shifted.next = (self.bhr.q.val() << 1) | bit_cast::<12, 1>(self.input_bit.val().into());
        if self.step.val() {
            self.bhr.d.next = self.shifted.val() & self.mask.val();
        }
        if self.low_zero.val() & self.msb.val() & !self.swept.q.val() {
            self.swept.d.next = true;
        }
        if self.port.clear.val() {
            self.bhr.d.next = 0.into();
            self.swept.d.next = false;
        }
        self.index_2.next = self.bhr.q.val();
        if self.swept.q.val() {
            self.index_2.next = self.bhr.q.val() ^ (self.port.hash.val().get_bits::<12>(0) & self.mask.val());
        }
        self.counters.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.write_3.d.next = self.step.val();
        self.branch_3.d.next = self.port.branch.val() & self.swept.q.val();
        self.taken_3.d.next = self.port.taken.val() & self.swept.q.val();
        self.same_3.d.next =
            ((self.index_2.val() == self.index_3.q.val()) & self.write_3.q.val()) | !self.swept.q.val();

        // S3: the counter, or its last update if that was the same counter; little logic follows the memory
        self.read_says.next = self.counters.rdata.val().get_bit(1);
        self.read_firm.next = self.counters.rdata.val().get_bit(0);
        self.kept.next = self.taken_3.q.val();
        if self.last_write.q.val().get_bit(0) {
            self.kept.next = self.last_write.q.val().get_bit(1);
        }
        self.says.next = self.read_says.val();
        self.then_says.next = self.taken_3.q.val();
        if self.read_firm.val() {
            self.then_says.next = self.read_says.val();
        }
        if self.same_3.q.val() {
            self.says.next = self.last_write.q.val().get_bit(1);
            self.then_says.next = self.kept.val();
        }
        self.then_firm.next = self.says.val() == self.taken_3.q.val();
        self.updated.next =
            (bit_cast::<2, 1>(self.then_says.val().into()) << 1) | bit_cast::<2, 1>(self.then_firm.val().into());
        self.last_write.d.next = self.updated.val();
        if !self.swept.q.val() {
            self.last_write.d.next = 2.into();
        }
        self.counters.we.next = self.write_3.q.val();
        self.counters.waddr.next = self.index_3.q.val();
        self.counters.wdata.next = self.updated.val();

        self.port.miss.next = self.branch_3.q.val() & (self.says.val() ^ self.taken_3.q.val());
        self.port.ready.next = self.swept.q.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clearing_goes_through_every_index_once_and_ends_at_0() {
        for n in 8..13 {
            let ones = (1u64 << n) - 1;
            let (mut state, mut seen) = (0u64, vec![false; 1 << n]);
            for _ in 0..1 << n {
                assert!(!std::mem::replace(&mut seen[state as usize], true), "n = {n}: {state:#x} again");
                let zero_in = state & (ones >> 1) == 0;
                let bit = u64::from((state & taps(n)).count_ones() % 2 == 1) ^ u64::from(zero_in);
                state = (state << 1 | bit) & ones;
            }
            assert_eq!(state, 0, "n = {n}");
        }
    }
}
