//! Follower of the past: the outcomes after the last place where the path was the same
//!
//! A ring holds the last outcomes of all conditionals. At some points of the path, chosen by a hash of it, a table of pointers is
//! looked up: where the same path was before. From there on, the outcomes after it are the prediction.
//!
//! # Source
//! J. Ziv and A. Lempel, "A universal algorithm for sequential data compression", IEEE Trans. Inf. Theory 23(3), 1977; what is done at
//! each conditional is in the documentation of the golden model.
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: nothing is followed; the pointers are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: pointer `at` becomes invalid; no conditional may be in S2 to S4 |
//! | `branch`, `taken`, `pr` | in | 1, 1, 32 | S2 | a conditional; its outcome; its hashed address |
//! | `level` | out | 3 | S4 | how far the past can be trusted, 1 to 4; 0: nothing is followed |
//! | `says` | out | 1 | S4 | what the past predicts |
//!
//! # Timing
//! | stage | what |
//! | --- | --- |
//! | S2 | outcomes and address are hashed |
//! | S3 | the pointer is read |
//! | S4 | prediction; the position that is followed moves, and the next outcome is read; the pointer is compared and written |
//!
//! One conditional per cycle. What a pointer finds takes effect at the next conditional, so that its comparison ends in a register. Two hazards:
//! a pointer that is read while it is written is the position of the outcome that is written next; an outcome that is read while it is
//! written is forwarded.
//!
//! # Area
//! Positions are only compared, and moved by one: the one after a position is its successor in a de Bruijn sequence, a shift with a few gates
//! where a sum would have a carry chain.
//!
//! Golden model: [`sim::scheme::follow::past`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// Feedback of a primitive polynomial of degree n: x^i at bit i - 1.
const fn taps(n: usize) -> u64 {
    match n {
        8 => 0xb8,
        9 => 0x110,
        10 => 0x240,
        11 => 0x500,
        12 => 0xe08,
        13 => 0x100d,
        14 => 0x2015,
        15 => 0x6000,
        _ => 0xd008,
    }
}

/// The position after another one: all 2^n follow each other.
#[derive(LogicBlock, Default)]
pub struct Successor {
    pub of: Signal<In, Bits<16>>,
    pub is: Signal<Out, Bits<16>>,
    low_zero: Signal<Local, Bit>,
    parity: Signal<Local, Bit>,
    mask: Fixed<Bits<16>>,
    low: Fixed<Bits<16>>,
    feedback: Fixed<Bits<16>>,
}

impl Successor {
    /// Among 2^`n` positions.
    fn new(n: usize) -> Self {
        Self {
            mask: Fixed::of((1u64 << n) - 1),
            low: Fixed::of((1u64 << (n - 1)) - 1),
            feedback: Fixed::of(taps(n)),
            ..Default::default()
        }
    }
}

impl Logic for Successor {
    #[hdl_gen]
    fn update(&mut self) {
        // the cycle of a shift register with this feedback, with zero inserted into it
        self.low_zero.next = !(self.of.val() & self.low.val()).any();
        self.parity.next = (self.of.val() & self.feedback.val()).xor();
        self.is.next = ((self.of.val() << 1) | bit_cast::<16, 1>((self.parity.val() ^ self.low_zero.val()).into()))
            & self.mask.val();
    }
}

/// A follower of at most 2^16 outcomes and 2^10 pointers.
#[derive(LogicBlock, Default)]
pub struct Past {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub branch: Signal<In, Bit>,
    pub taken: Signal<In, Bit>,
    pub pr: Signal<In, Bits<32>>,
    pub level: Signal<Out, Bits<3>>,
    pub says: Signal<Out, Bit>,
    // S2
    outcomes: DFF<Bits<16>>,
    entered: Signal<Local, Bits<16>>,
    x_0: Signal<Local, Bits<32>>,
    x_1: Signal<Local, Bits<32>>,
    x_2: Signal<Local, Bits<32>>,
    hash: Signal<Local, Bits<32>>,
    top_bits: Signal<Local, Bits<32>>,
    // S3
    branch_3: DFF<Bit>,
    taken_3: DFF<Bit>,
    sampled_3: DFF<Bit>,
    tag_3: DFF<Bits<4>>,
    index_3: DFF<Bits<10>>,
    // a pointer is a position, a tag and a valid bit, from bit 0 up
    pointers: Mem<10, 21>,
    // S4
    branch_4: DFF<Bit>,
    taken_4: DFF<Bit>,
    sampled_4: DFF<Bit>,
    tag_4: DFF<Bits<4>>,
    index_4: DFF<Bits<10>>,
    same_pointer_4: DFF<Bit>,
    same_tag_4: DFF<Bit>,
    pointer: Signal<Local, Bits<21>>,
    want: Signal<Local, Bits<5>>,
    write_pointer: Signal<Local, Bit>,
    ring: Mem<16, 2>,
    write_at: DFF<Bits<16>>,
    following: DFF<Bit>,
    from: DFF<Bits<16>>,
    length: DFF<Bits<7>>,
    found: DFF<Bit>,
    found_at: DFF<Bits<16>>,
    same_outcome: DFF<Bit>,
    last_outcome: DFF<Bit>,
    outcome: Signal<Local, Bit>,
    right: Signal<Local, Bit>,
    steady: Signal<Local, Bit>,
    jumps: Signal<Local, Bit>,
    after_write: Successor,
    after_from: Successor,
    after_found: Successor,
    next_from: Signal<Local, Bits<16>>,
    same_from: Signal<Local, Bit>,
    // from the sizes: positions, pointers
    mask: Fixed<Bits<16>>,
    pointer_shift: Fixed<Bits<5>>,
    pointer_at: Fixed<Bits<5>>,
    valid: Fixed<Bits<5>>,
    one_7: Fixed<Bits<7>>,
    one_3: Fixed<Bits<3>>,
    two_3: Fixed<Bits<3>>,
    three_3: Fixed<Bits<3>>,
    four_3: Fixed<Bits<3>>,
    steady_bits: Fixed<Bits<7>>,
    middle_bits: Fixed<Bits<7>>,
    long_bits: Fixed<Bits<7>>,
}

impl Past {
    /// A follower of 2^`log2` outcomes with 2^`log2_pointers` pointers.
    ///
    /// # Panics
    /// Unless 8 <= `log2` <= 16 and 1 <= `log2_pointers` <= 10.
    pub fn new(log2: usize, log2_pointers: usize) -> Self {
        assert!((8..=16).contains(&log2), "log2 = {log2} is outside 8..=16");
        Self {
            pointers: Mem::new(log2_pointers, log2 + 5),
            ring: Mem::new(log2, 1),
            after_write: Successor::new(log2),
            after_from: Successor::new(log2),
            after_found: Successor::new(log2),
            mask: Fixed::of((1u64 << log2) - 1),
            pointer_shift: Fixed::of(32 - log2_pointers as u64),
            pointer_at: Fixed::of(log2 as u64),
            valid: Fixed::of(0x10_u64),
            one_7: Fixed::of(1_u64),
            one_3: Fixed::of(1_u64),
            two_3: Fixed::of(2_u64),
            three_3: Fixed::of(3_u64),
            four_3: Fixed::of(4_u64),
            // at least 4, 8 and 16
            long_bits: Fixed::of(0x70_u64),
            middle_bits: Fixed::of(0x7c_u64),
            steady_bits: Fixed::of(0x78_u64),
            ..Default::default()
        }
    }
}

impl Logic for Past {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, outcomes, branch_3, taken_3, sampled_3, tag_3, index_3);
        dff_setup!(self, clock, branch_4, taken_4, sampled_4, tag_4, index_4, same_pointer_4, same_tag_4);
        dff_setup!(self, clock, write_at, following, from, length, found, found_at, same_outcome, last_outcome);
        clock!(self, clock, pointers, ring);

        // S2
        self.entered.next = (self.outcomes.q.val() << 1) | bit_cast::<16, 1>(self.taken.val().into());
        if self.branch.val() {
            self.outcomes.d.next = self.entered.val();
        }
        self.x_0.next = bit_cast::<32, 16>(self.entered.val())
            ^ (self.pr.val() << 9)
            ^ (self.pr.val() >> 23)
            ^ (self.pr.val() << 19)
            ^ (self.pr.val() >> 13);
        self.x_1.next = self.x_0.val() ^ (self.x_0.val() << 13);
        self.x_2.next = self.x_1.val() ^ (self.x_1.val() >> 17);
        self.hash.next = self.x_2.val() ^ (self.x_2.val() << 5);
        self.top_bits.next = self.hash.val() >> self.pointer_shift.val();
        self.branch_3.d.next = self.branch.val() & !self.clear.val();
        self.taken_3.d.next = self.taken.val();
        self.sampled_3.d.next = self.branch.val() & !self.hash.val().get_bits::<4>(8).any();
        self.tag_3.d.next = self.hash.val().get_bits::<4>(0);
        self.index_3.d.next = self.top_bits.val().get_bits::<10>(0);

        // S3
        self.pointers.raddr.next = self.index_3.q.val();
        self.branch_4.d.next = self.branch_3.q.val() & !self.clear.val();
        self.taken_4.d.next = self.taken_3.q.val();
        self.sampled_4.d.next = self.sampled_3.q.val();
        self.tag_4.d.next = self.tag_3.q.val();
        self.index_4.d.next = self.index_3.q.val();
        self.write_pointer.next = self.branch_4.q.val() & self.sampled_4.q.val();
        self.same_pointer_4.d.next = (self.index_3.q.val() == self.index_4.q.val()) & self.write_pointer.val();
        self.same_tag_4.d.next = self.tag_3.q.val() == self.tag_4.q.val();

        // S4: prediction
        self.outcome.next = self.ring.rdata.val().any();
        if self.same_outcome.q.val() {
            self.outcome.next = self.last_outcome.q.val();
        }
        self.says.next = self.outcome.val();
        self.steady.next = (self.length.q.val() & self.steady_bits.val()).any();
        self.level.next = 0.into();
        if self.following.q.val() {
            self.level.next = self.one_3.val();
            if (self.length.q.val() & self.middle_bits.val()).any() {
                self.level.next = self.two_3.val();
            }
            if (self.length.q.val() & self.long_bits.val()).any() {
                self.level.next = self.three_3.val();
            }
            if self.length.q.val().get_bit(6) {
                self.level.next = self.four_3.val();
            }
        }

        // the next position
        self.right.next = self.outcome.val() == self.taken_4.q.val();
        self.jumps.next = self.found.q.val() & (!self.following.q.val() | !self.right.val());
        self.after_from.of.next = self.from.q.val();
        self.after_found.of.next = self.found_at.q.val();
        self.after_write.of.next = self.write_at.q.val();
        self.next_from.next = self.from.q.val();
        if self.branch_4.q.val() {
            self.next_from.next = self.after_from.is.val();
            if self.jumps.val() {
                self.next_from.next = self.after_found.is.val();
            }
            self.write_at.d.next = self.after_write.is.val();
            self.following.d.next =
                self.jumps.val() | (self.following.q.val() & (self.right.val() | self.steady.val()));
            if !self.right.val() | self.jumps.val() {
                self.length.d.next = 0.into();
            } else if !self.length.q.val().get_bit(6) {
                self.length.d.next = self.length.q.val() + self.one_7.val();
            }
        }
        self.from.d.next = self.next_from.val();
        self.ring.raddr.next = self.next_from.val();
        self.ring.we.next = self.branch_4.q.val();
        self.ring.waddr.next = self.write_at.q.val();
        self.ring.wdata.next = bit_cast::<2, 1>(self.taken_4.q.val().into());
        // of both candidates, so that no comparison follows the outcome; tools would share one comparison of a condition
        self.same_from.next = (self.jumps.val() & (self.after_found.is.val() == self.write_at.q.val()))
            | (!self.jumps.val() & (self.after_from.is.val() == self.write_at.q.val()));
        self.same_outcome.d.next = self.branch_4.q.val() & self.same_from.val();
        self.last_outcome.d.next = self.taken_4.q.val();

        // what the pointer finds
        self.pointer.next = self.pointers.rdata.val() >> self.pointer_at.val();
        self.want.next = bit_cast::<5, 4>(self.tag_4.q.val()) | self.valid.val();
        if self.branch_4.q.val() {
            self.found.d.next = self.sampled_4.q.val() & (self.pointer.val().get_bits::<5>(0) == self.want.val());
            self.found_at.d.next = self.pointers.rdata.val().get_bits::<16>(0) & self.mask.val();
            if self.same_pointer_4.q.val() {
                self.found.d.next = self.sampled_4.q.val() & self.same_tag_4.q.val();
                self.found_at.d.next = self.write_at.q.val();
            }
        }
        self.pointers.we.next = self.write_pointer.val() | self.sweep.val();
        self.pointers.waddr.next = self.index_4.q.val();
        self.pointers.wdata.next = bit_cast::<21, 16>(self.after_write.is.val())
            | (bit_cast::<21, 5>(self.want.val()) << self.pointer_at.val());
        if self.sweep.val() {
            self.pointers.waddr.next = self.at.val().get_bits::<10>(0);
            self.pointers.wdata.next = 0.into();
        }
        if self.clear.val() {
            self.outcomes.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.following.d.next = false;
            self.found.d.next = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_comes_once_and_zero_follows_the_last() {
        for n in 8..17 {
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
