//! Targets of indirect branches: two tables that refer to a dictionary, and the return addresses
//!
//! An address can be in one slot of the dictionary only. So a target is predicted if that slot contains it and the tables predict that slot:
//! the dictionary is read once, at the slot of the target.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)". With d = log2 slots and t in units of two bytes: slot `t ^ t >> d ^ t >> 2d`.
//!
//! # Ports
//! Addresses are in units of two bytes.
//!
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: back to the reset state; the tables are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: entry `at` of every table is cleared; no branch may be in S2 or S3 |
//! | `step`, `newest`, `recent` | in | 1, 1, 22 | S2 | a bit enters the history, which was `recent` before |
//! | `lookup`, `pop` | in | 1 | S2 | an indirect jump or call; a return |
//! | `push`, `link` | in | 1, W | S2 | a call, direct or indirect, or a return that is one, too; the address after it |
//! | `pr`, `target` | in | 16, W | S2 | hashed address of the branch; its target |
//! | `same_upper` | in | 1 | S3 | the upper bits of the target, which are in no table, are as predicted |
//! | `hit` | out | 1 | S4 | the target of the branch in S2 two cycles before was predicted |
//! | `sure`, `returned` | out | 1 | S4 | the table that predicted it is sure; it is that of a return |
//! | `form` | out | 2 | S4 | how it is sent if it was not: [`DIFFERENCE`] .. [`OTHER`] |
//!
//! # Timing
//! One branch per cycle. S2: slot of the target, all memories are read. S3: comparisons; all memories are written. S4: results in registers. An address
//! that is read while it is written is the target of the branch before.
//!
//! Golden model: [`sim::scheme::follow::targets`].

use super::stack::Stack;
use super::target_tables::TargetTables;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::scheme::follow::targets::Log2;

/// `form`: difference to the address of the branch.
pub const DIFFERENCE: u8 = 0;
/// `form`: slot of the dictionary; the tables predict the same slot.
pub const SLOT: u8 = 1;
/// `form`: slot of the dictionary; the tables predict two others.
pub const SLOT_NOT_OTHER: u8 = 2;
/// `form`: what the table predicts that did not decide.
pub const OTHER: u8 = 3;

/// A target predictor for addresses of at most W bits.
#[derive(LogicBlock, Default)]
pub struct Targets<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub clear: Signal<In, Bit>,
    pub sweep: Signal<In, Bit>,
    pub at: Signal<In, Bits<12>>,
    pub step: Signal<In, Bit>,
    pub newest: Signal<In, Bit>,
    pub recent: Signal<In, Bits<22>>,
    pub lookup: Signal<In, Bit>,
    pub pop: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub link: Signal<In, Bits<W>>,
    pub pr: Signal<In, Bits<16>>,
    pub target: Signal<In, Bits<W>>,
    pub same_upper: Signal<In, Bit>,
    pub hit: Signal<Out, Bit>,
    pub form: Signal<Out, Bits<2>>,
    pub sure: Signal<Out, Bit>,
    pub returned: Signal<Out, Bit>,
    target_tables: TargetTables,
    return_stack: Stack<W>,
    dictionary: Mem<8, W>,
    // S2
    low: Signal<Local, Bits<W>>,
    once: Signal<Local, Bits<W>>,
    twice: Signal<Local, Bits<W>>,
    slot_2: Signal<Local, Bits<8>>,
    // S3
    lookup_3: DFF<Bit>,
    pop_3: DFF<Bit>,
    target_3: DFF<Bits<W>>,
    slot_3: DFF<Bits<8>>,
    same_3: DFF<Bit>,
    last: DFF<Bits<W>>,
    entered: Signal<Local, Bits<W>>,
    listed: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    predicted: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    // S4
    hit_4: DFF<Bit>,
    form_4: DFF<Bits<2>>,
    sure_4: DFF<Bit>,
    pop_4: DFF<Bit>,
    address_mask: Fixed<Bits<W>>,
    slot_mask: Fixed<Bits<8>>,
    shift: Fixed<Bits<5>>,
    shift_twice: Fixed<Bits<5>>,
    k_slot: Fixed<Bits<2>>,
    k_slot_not_other: Fixed<Bits<2>>,
    k_other: Fixed<Bits<2>>,
}

impl<const W: usize> Targets<W> {
    /// A predictor of `sizes` for addresses of `address_bits` bits; higher bits are ignored.
    ///
    /// # Panics
    /// Unless 1 <= `address_bits` <= W and the sizes are those of its parts.
    pub fn new(sizes: &Log2, address_bits: usize) -> Self {
        assert!((1..=W).contains(&address_bits), "address_bits = {address_bits} is outside 1..={W}");
        let slot_bits = sizes.dictionary as usize;
        Self {
            target_tables: TargetTables::new(sizes.last as usize, sizes.paths.map(|n| n as usize), slot_bits),
            return_stack: Stack::new(sizes.stack as usize, address_bits),
            dictionary: Mem::new(slot_bits, address_bits),
            address_mask: Fixed::new(Bits::<W>::mask() >> (W - address_bits) as u64),
            slot_mask: Fixed::of((1u64 << slot_bits) - 1),
            shift: Fixed::of(slot_bits as u64),
            shift_twice: Fixed::of(2 * slot_bits as u64),
            k_slot: Fixed::of(SLOT),
            k_slot_not_other: Fixed::of(SLOT_NOT_OTHER),
            k_other: Fixed::of(OTHER),
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Targets<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, lookup_3, pop_3, target_3, slot_3, same_3, last, hit_4, form_4, sure_4, pop_4);
        clock!(self, clock, target_tables, return_stack, dictionary);

        // S2
        self.low.next = self.target.val() & self.address_mask.val();
        self.once.next = self.low.val() >> self.shift.val();
        self.twice.next = self.low.val() >> self.shift_twice.val();
        self.slot_2.next =
            (self.low.val().get_bits::<8>(0) ^ self.once.val().get_bits::<8>(0) ^ self.twice.val().get_bits::<8>(0))
                & self.slot_mask.val();
        self.dictionary.raddr.next = self.slot_2.val();
        self.target_tables.clear.next = self.clear.val();
        self.target_tables.step.next = self.step.val();
        self.target_tables.newest.next = self.newest.val();
        self.target_tables.recent.next = self.recent.val();
        self.target_tables.sweep.next = self.sweep.val();
        self.target_tables.at.next = self.at.val();
        self.target_tables.lookup.next = self.lookup.val();
        self.target_tables.pr.next = self.pr.val();
        self.target_tables.slot.next = self.slot_2.val();
        self.return_stack.clear.next = self.clear.val();
        self.return_stack.sweep.next = self.sweep.val();
        self.return_stack.at.next = self.at.val();
        self.return_stack.push.next = self.push.val();
        self.return_stack.pop.next = self.pop.val();
        self.return_stack.link.next = self.link.val() & self.address_mask.val();
        self.lookup_3.d.next = self.lookup.val() & !self.clear.val();
        self.pop_3.d.next = self.pop.val() & !self.clear.val();
        self.target_3.d.next = self.low.val();
        self.slot_3.d.next = self.slot_2.val();

        // S3
        self.entered.next = self.dictionary.rdata.val();
        if self.same_3.q.val() {
            self.entered.next = self.last.q.val();
        }
        self.listed.next = (self.entered.val() == self.target_3.q.val()) & self.same_upper.val();
        self.returns.next = (self.return_stack.top.val() == self.target_3.q.val()) & self.same_upper.val();
        self.predicted.next = self.listed.val() & self.target_tables.right.val();
        if self.pop_3.q.val() {
            self.predicted.next = self.returns.val();
        }
        self.hit_4.d.next = self.predicted.val();
        self.form_4.d.next = 0.into();
        self.sure_4.d.next = self.target_tables.sure.val() & self.lookup_3.q.val();
        self.pop_4.d.next = self.pop_3.q.val();
        if self.listed.val() {
            self.form_4.d.next = self.k_slot.val();
            if self.target_tables.has_other.val() & !self.pop_3.q.val() {
                self.form_4.d.next = self.k_slot_not_other.val();
                if self.target_tables.other_right.val() {
                    self.form_4.d.next = self.k_other.val();
                }
            }
        }
        self.enters.next = self.lookup_3.q.val() | (self.pop_3.q.val() & !self.returns.val());
        self.same_3.d.next = (self.slot_2.val() == self.slot_3.q.val()) & self.enters.val();
        self.last.d.next = self.target_3.q.val();
        self.dictionary.we.next = self.enters.val() | self.sweep.val();
        self.dictionary.waddr.next = self.slot_3.q.val();
        self.dictionary.wdata.next = self.target_3.q.val();
        if self.sweep.val() {
            // each slot begins with an address that belongs to it
            self.dictionary.waddr.next = self.at.val().get_bits::<8>(0);
            self.dictionary.wdata.next = bit_cast::<W, 8>(self.at.val().get_bits::<8>(0) & self.slot_mask.val());
        }

        // S4
        self.hit.next = self.hit_4.q.val();
        self.form.next = self.form_4.q.val();
        self.sure.next = self.sure_4.q.val();
        self.returned.next = self.pop_4.q.val();
    }
}
