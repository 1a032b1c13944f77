//! Tagged table: counters by address and folded history, one of a chain of tables with longer and longer histories
//!
//! A conditional is looked up in S2 and S3. It stays in S4 until the next one is in S3. Then the table learns from it: a look-up
//! never sees what the conditional directly before it changed, but what is learned does.
//!
//! # Source
//! A. Seznec, P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", JILP 8, 2006.
//! With lt = log2 entries: index `pr ^ pr >> (lt - 2) ^ F`, tag `pr ^ pr >> 7 ^ Fa ^ Fb << 1`, where F, Fa and Fb are the history
//! folded to lt, 7 and 6 bits ([`super::folded`]).
//!
//! # Ports
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear`, `step`, `newest`, `recent` | in | | S2 | the history, as in [`super::folded`] |
//! | `pr` | in | 14 | S2 | hashed address of the conditional |
//! | `sweep`, `at` | in | 1, 8 | | 1: invalidate entry `at`; `advance` must be 0 |
//! | `advance` | in | 1 | S3 | a conditional is in S3: the one in S4 is learned from, and replaced by it |
//! | `hit`, `says`, `is_weak`, `strength` | out | 1, 1, 1, 2 | S4 | what was found: its prediction, whether the alternate decides, distance of the counter from its middle |
//! | `free` | out | 1 | S4 | the entry may be replaced when it is learned |
//! | `taken` | in | 1 | S4 | the outcome |
//! | `learn` | in | 1 | S4 | with `advance`: the counter moves towards the outcome |
//! | `grade`, `right` | in | 1 | S4 | with `advance`: usefulness goes up if `right`, else down |
//! | `allocate` | in | 1 | S4 | with `advance`: the conditional takes the entry |
//!
//! # Timing
//! One conditional per cycle. An entry that is read while it is written is forwarded from a register: the tag as the result of
//! a comparison. `allocate` and `grade` follow from `free` without a register. Tags are a memory of their own, written only for new entries.
//!
//! Golden model: [`sim::scheme::follow::tagged`].

use super::folded::Folded;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A table of at most 256 entries.
#[derive(LogicBlock, Default)]
pub struct Tagged {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub step: Signal<In, Bit>,
    pub newest: Signal<In, Bit>,
    pub recent: Signal<In, Bits<22>>,
    pub pr: Signal<In, Bits<14>>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<8>>,
    pub advance: Signal<In, Bit>,
    pub hit: Signal<Out, Bit>,
    pub says: Signal<Out, Bit>,
    pub is_weak: Signal<Out, Bit>,
    pub strength: Signal<Out, Bits<2>>,
    pub free: Signal<Out, Bit>,
    pub taken: Signal<In, Bit>,
    pub learn: Signal<In, Bit>,
    pub grade: Signal<In, Bit>,
    pub right: Signal<In, Bit>,
    pub allocate: Signal<In, Bit>,
    // S2
    index_history: Folded,
    tag_history: Folded,
    tag_history_6: Folded,
    pr_shifted: Signal<Local, Bits<14>>,
    index_2: Signal<Local, Bits<8>>,
    tag_2: Signal<Local, Bits<7>>,
    writes: Signal<Local, Bit>,
    renames: Signal<Local, Bit>,
    same: Signal<Local, Bit>,
    // an entry is its tag and a valid bit above it; and counter, with `useful` above it
    tags: Mem<8, 8>,
    states: Mem<8, 5>,
    // S3
    index_3: DFF<Bits<8>>,
    tag_3: DFF<Bits<7>>,
    written_3: DFF<Bit>,
    renamed_3: DFF<Bit>,
    same_tag_3: DFF<Bit>,
    last: DFF<Bits<5>>,
    want: Signal<Local, Bits<8>>,
    // S4
    index_4: DFF<Bits<8>>,
    tag_4: DFF<Bits<7>>,
    hit_4: DFF<Bit>,
    state_4: DFF<Bits<5>>,
    changed_4: DFF<Bit>,
    negative: Signal<Local, Bit>,
    low: Signal<Local, Bits<2>>,
    now: Signal<Local, Bits<5>>,
    counter: Signal<Local, Bits<3>>,
    useful: Signal<Local, Bits<2>>,
    new_counter: Signal<Local, Bits<3>>,
    new_useful: Signal<Local, Bits<2>>,
    write: Signal<Local, Bit>,
    new_state: Signal<Local, Bits<5>>,
    index_mask: Fixed<Bits<8>>,
    index_shift: Fixed<Bits<3>>,
    valid: Fixed<Bits<8>>,
    most: Fixed<Bits<3>>,
    least: Fixed<Bits<3>>,
    one_3: Fixed<Bits<3>>,
    minus_1: Fixed<Bits<3>>,
    one_2: Fixed<Bits<2>>,
}

impl Tagged {
    /// A table of 2^`log2` entries for a history of `length` bits.
    ///
    /// # Panics
    /// Unless 3 <= `log2` <= 8 and 1 <= `length` <= 22.
    pub fn new(log2: usize, length: usize) -> Self {
        assert!((3..=8).contains(&log2), "log2 = {log2} is outside 3..=8");
        Self {
            index_history: Folded::new(length, log2),
            tag_history: Folded::new(length, 7),
            tag_history_6: Folded::new(length, 6),
            tags: Mem::new(log2, 8),
            states: Mem::new(log2, 5),
            index_mask: Fixed::of((1u64 << log2) - 1),
            index_shift: Fixed::of(log2 as u64 - 2),
            valid: Fixed::of(0x80_u64),
            most: Fixed::of(3_u64),
            least: Fixed::of(4_u64),
            one_3: Fixed::of(1_u64),
            minus_1: Fixed::of(7_u64),
            one_2: Fixed::of(1_u64),
            ..Default::default()
        }
    }
}

impl Logic for Tagged {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index_3, tag_3, written_3, renamed_3, same_tag_3, last);
        dff_setup!(self, clock, index_4, tag_4, hit_4, state_4, changed_4);
        clock!(self, clock, index_history, tag_history, tag_history_6, tags, states);

        // S4: two's complement
        self.hit.next = self.hit_4.q.val();
        self.negative.next = self.state_4.q.val().get_bit(2);
        self.says.next = !self.negative.val();
        self.low.next = self.state_4.q.val().get_bits::<2>(0);
        if self.negative.val() {
            self.low.next = !self.state_4.q.val().get_bits::<2>(0);
        }
        self.strength.next = self.low.val();
        self.is_weak.next = !self.low.val().any() & !self.state_4.q.val().get_bits::<2>(3).any();
        // the entry now
        self.now.next = self.state_4.q.val();
        if self.changed_4.q.val() {
            self.now.next = self.last.q.val();
        }
        self.counter.next = self.now.val().get_bits::<3>(0);
        self.useful.next = self.now.val().get_bits::<2>(3);
        self.free.next = !self.useful.val().any();
        self.new_counter.next = self.counter.val();
        self.new_useful.next = self.useful.val();
        if self.learn.val() {
            if self.taken.val() & (self.counter.val() != self.most.val()) {
                self.new_counter.next = self.counter.val() + self.one_3.val();
            }
            if !self.taken.val() & (self.counter.val() != self.least.val()) {
                self.new_counter.next = self.counter.val() - self.one_3.val();
            }
        }
        if self.grade.val() {
            if self.right.val() & !self.useful.val().all() {
                self.new_useful.next = self.useful.val() + self.one_2.val();
            }
            if !self.right.val() & self.useful.val().any() {
                self.new_useful.next = self.useful.val() - self.one_2.val();
            }
        }
        // the usefulness of an entry that is replaced is 0
        if self.allocate.val() {
            self.new_counter.next = 0.into();
            if !self.taken.val() {
                self.new_counter.next = self.minus_1.val();
            }
        }
        self.new_state.next = bit_cast::<5, 3>(self.new_counter.val()) | (bit_cast::<5, 2>(self.new_useful.val()) << 3);
        self.write.next = self.learn.val() | self.grade.val() | self.allocate.val();

        // S2
        self.index_history.clear.next = self.clear.val();
        self.index_history.step.next = self.step.val();
        self.index_history.newest.next = self.newest.val();
        self.index_history.recent.next = self.recent.val();
        self.tag_history.clear.next = self.clear.val();
        self.tag_history.step.next = self.step.val();
        self.tag_history.newest.next = self.newest.val();
        self.tag_history.recent.next = self.recent.val();
        self.tag_history_6.clear.next = self.clear.val();
        self.tag_history_6.step.next = self.step.val();
        self.tag_history_6.newest.next = self.newest.val();
        self.tag_history_6.recent.next = self.recent.val();
        self.pr_shifted.next = self.pr.val() >> self.index_shift.val();
        self.index_2.next =
            (self.pr.val().get_bits::<8>(0) ^ self.pr_shifted.val().get_bits::<8>(0) ^ self.index_history.value.val())
                & self.index_mask.val();
        self.tag_2.next = self.pr.val().get_bits::<7>(0)
            ^ self.pr.val().get_bits::<7>(7)
            ^ self.tag_history.value.val().get_bits::<7>(0)
            ^ (self.tag_history_6.value.val().get_bits::<7>(0) << 1);
        self.tags.raddr.next = self.index_2.val();
        self.states.raddr.next = self.index_2.val();
        self.index_3.d.next = self.index_2.val();
        self.tag_3.d.next = self.tag_2.val();
        self.writes.next = self.advance.val() & self.write.val();
        self.renames.next = self.advance.val() & self.allocate.val();
        self.same.next = self.index_2.val() == self.index_4.q.val();
        self.written_3.d.next = self.same.val() & self.writes.val();
        self.renamed_3.d.next = self.same.val() & self.renames.val();
        self.same_tag_3.d.next = self.tag_2.val() == self.tag_4.q.val();

        // S3
        self.want.next = bit_cast::<8, 7>(self.tag_3.q.val()) | self.valid.val();
        if self.advance.val() {
            self.index_4.d.next = self.index_3.q.val();
            self.tag_4.d.next = self.tag_3.q.val();
            self.last.d.next = self.new_state.val();
            self.changed_4.d.next = (self.index_3.q.val() == self.index_4.q.val()) & self.write.val();
            self.state_4.d.next = self.states.rdata.val();
            if self.written_3.q.val() {
                self.state_4.d.next = self.last.q.val();
            }
            self.hit_4.d.next = self.tags.rdata.val() == self.want.val();
            if self.renamed_3.q.val() {
                self.hit_4.d.next = self.same_tag_3.q.val();
            }
        }

        self.tags.we.next = self.renames.val() | self.sweep.val();
        self.tags.waddr.next = self.index_4.q.val();
        self.tags.wdata.next = bit_cast::<8, 7>(self.tag_4.q.val()) | self.valid.val();
        self.states.we.next = self.writes.val() | self.sweep.val();
        self.states.waddr.next = self.index_4.q.val();
        self.states.wdata.next = self.new_state.val();
        if self.sweep.val() {
            self.tags.waddr.next = self.at.val();
            self.tags.wdata.next = 0.into();
            self.states.waddr.next = self.at.val();
            self.states.wdata.next = 0.into();
        }
    }
}
