//! Targets of indirect branches: two tables that refer to a dictionary, and the return addresses
//!
//! A target is predicted if its slot contains it and the tables predict that slot. So each bank of the dictionary is read once, at the slot of
//! the target in it. The first addresses are in both banks: the slot in bank 1 counts only when bank 0 has lost them, so that a table that
//! predicts it has seen that.
//!
//! # Source
//! `docs/reference/stream.md`, "Messages (scheme `follow`)". With 2^n slots in each bank and t in units of two bytes: slot
//! `t ^ t >> (n + b) ^ t >> 2 (n + b)` of bank b.
//!
//! # Ports
//! Addresses are in units of two bytes.
//!
//! | port | dir | bits | stage | meaning |
//! | --- | --- | ---: | --- | --- |
//! | `clear` | in | 1 | | 1: back to the reset state; the tables are cleared by `sweep` |
//! | `sweep`, `at` | in | 1, 12 | | 1: entry `at` of every table is cleared; no branch may be in S2 to S4 |
//! | `step`, `newest`, `recent` | in | 1, 1, 22 | S2 | a bit enters the history, which was `recent` before |
//! | `lookup`, `pop` | in | 1 | S2 | an indirect jump or call; a return |
//! | `push`, `link` | in | 1, W | S2 | a call, direct or indirect, or a return that is one, too; the address after it |
//! | `pr`, `target` | in | 16, W | S2 | hashed address of the branch; its target |
//! | `same_upper` | in | 1 | S3 | the upper bits of the target, which are in no table, are as predicted |
//! | `hit` | out | 1 | S4 | the target of the branch in S2 two cycles before was predicted |
//! | `sure`, `returned` | out | 1 | S4 | the table that predicted it is sure; it is that of a return |
//! | `form` | out | 3 | S4 | how it is sent if it was not: bits 1:0 are [`DIFFERENCE`] .. [`OTHER`]; bit 2 is the bank of the slot |
//!
//! # Timing
//! One branch per cycle. S2: places in the dictionary, which is read. S3: comparisons; places in the target tables, which are read, and the
//! return stack. S4: results, combinational from registers and the target tables; dictionary and target tables are written. What the two
//! branches before write to the place that is read is the target of one of them, with which the target is compared in S2.
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
    pub form: Signal<Out, Bits<3>>,
    pub sure: Signal<Out, Bit>,
    pub returned: Signal<Out, Bit>,
    target_tables: TargetTables,
    return_stack: Stack<W>,
    bank_0: Mem<8, W>,
    bank_1: Mem<8, W>,
    // S2
    low: Signal<Local, Bits<W>>,
    once_0: Signal<Local, Bits<W>>,
    twice_0: Signal<Local, Bits<W>>,
    once_1: Signal<Local, Bits<W>>,
    twice_1: Signal<Local, Bits<W>>,
    at_0: Signal<Local, Bits<8>>,
    at_1: Signal<Local, Bits<8>>,
    // S3
    lookup_3: DFF<Bit>,
    pop_3: DFF<Bit>,
    target_3: DFF<Bits<W>>,
    at_0_3: DFF<Bits<8>>,
    at_1_3: DFF<Bits<8>>,
    // the place is that of the branch before; its target is
    same_0_3: DFF<Bit>,
    same_1_3: DFF<Bit>,
    again_3: DFF<Bit>,
    // the branch before that one writes the place; its target is the same
    written_0_3: DFF<Bit>,
    written_1_3: DFF<Bit>,
    again_2_3: DFF<Bit>,
    // the bank of the next new address
    turn: DFF<Bit>,
    in_0: Signal<Local, Bit>,
    in_1: Signal<Local, Bit>,
    bank: Signal<Local, Bit>,
    returns: Signal<Local, Bit>,
    enters: Signal<Local, Bit>,
    is_new: Signal<Local, Bit>,
    // S4
    lookup_4: DFF<Bit>,
    pop_4: DFF<Bit>,
    listed_4: DFF<Bit>,
    returns_4: DFF<Bit>,
    bank_4: DFF<Bit>,
    slot_4: DFF<Bits<8>>,
    new_4: DFF<Bit>,
    at_0_4: DFF<Bits<8>>,
    at_1_4: DFF<Bits<8>>,
    target_4: DFF<Bits<W>>,
    predicted: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    address_mask: Fixed<Bits<W>>,
    at_mask: Fixed<Bits<8>>,
    bank_bit: Fixed<Bits<8>>,
    shift_0: Fixed<Bits<5>>,
    shift_twice_0: Fixed<Bits<5>>,
    shift_1: Fixed<Bits<5>>,
    shift_twice_1: Fixed<Bits<5>>,
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
        let bank_bits = slot_bits - 1;
        Self {
            target_tables: TargetTables::new(sizes.last as usize, sizes.paths.map(|n| n as usize), slot_bits),
            return_stack: Stack::new(sizes.stack as usize, address_bits),
            bank_0: Mem::new(bank_bits, address_bits),
            bank_1: Mem::new(bank_bits, address_bits),
            address_mask: Fixed::new(Bits::<W>::mask() >> (W - address_bits) as u64),
            at_mask: Fixed::of((1u64 << bank_bits) - 1),
            bank_bit: Fixed::of(1u64 << bank_bits),
            shift_0: Fixed::of(bank_bits as u64),
            shift_twice_0: Fixed::of(2 * bank_bits as u64),
            shift_1: Fixed::of(slot_bits as u64),
            shift_twice_1: Fixed::of(2 * slot_bits as u64),
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
        dff_setup!(self, clock, lookup_3, pop_3, target_3, at_0_3, at_1_3, same_0_3, same_1_3, again_3, turn);
        dff_setup!(self, clock, written_0_3, written_1_3, again_2_3, lookup_4, pop_4, listed_4, returns_4, bank_4);
        dff_setup!(self, clock, slot_4, new_4, at_0_4, at_1_4, target_4);
        clock!(self, clock, target_tables, return_stack, bank_0, bank_1);

        // S2
        self.low.next = self.target.val() & self.address_mask.val();
        self.once_0.next = self.low.val() >> self.shift_0.val();
        self.twice_0.next = self.low.val() >> self.shift_twice_0.val();
        self.once_1.next = self.low.val() >> self.shift_1.val();
        self.twice_1.next = self.low.val() >> self.shift_twice_1.val();
        self.at_0.next = (self.low.val().get_bits::<8>(0)
            ^ self.once_0.val().get_bits::<8>(0)
            ^ self.twice_0.val().get_bits::<8>(0))
            & self.at_mask.val();
        self.at_1.next = (self.low.val().get_bits::<8>(0)
            ^ self.once_1.val().get_bits::<8>(0)
            ^ self.twice_1.val().get_bits::<8>(0))
            & self.at_mask.val();
        self.bank_0.raddr.next = self.at_0.val();
        self.bank_1.raddr.next = self.at_1.val();
        self.target_tables.clear.next = self.clear.val();
        self.target_tables.step.next = self.step.val();
        self.target_tables.newest.next = self.newest.val();
        self.target_tables.recent.next = self.recent.val();
        self.target_tables.sweep.next = self.sweep.val();
        self.target_tables.at.next = self.at.val();
        self.target_tables.lookup.next = self.lookup.val();
        self.target_tables.pr.next = self.pr.val();
        self.return_stack.clear.next = self.clear.val();
        self.return_stack.sweep.next = self.sweep.val();
        self.return_stack.at.next = self.at.val();
        self.return_stack.push.next = self.push.val();
        self.return_stack.pop.next = self.pop.val();
        self.return_stack.link.next = self.link.val() & self.address_mask.val();
        self.lookup_3.d.next = self.lookup.val() & !self.clear.val();
        self.pop_3.d.next = self.pop.val() & !self.clear.val();
        self.target_3.d.next = self.low.val();
        self.at_0_3.d.next = self.at_0.val();
        self.at_1_3.d.next = self.at_1.val();
        self.again_3.d.next = self.low.val() == self.target_3.q.val();

        self.same_0_3.d.next = self.at_0.val() == self.at_0_3.q.val();
        self.same_1_3.d.next = self.at_1.val() == self.at_1_3.q.val();
        self.again_2_3.d.next = self.low.val() == self.target_4.q.val();
        self.written_0_3.d.next = (self.at_0.val() == self.at_0_4.q.val()) & self.new_4.q.val() & !self.bank_4.q.val();
        self.written_1_3.d.next = (self.at_1.val() == self.at_1_4.q.val()) & self.new_4.q.val() & self.bank_4.q.val();

        // S3
        self.in_0.next = self.bank_0.rdata.val() == self.target_3.q.val();
        if self.written_0_3.q.val() {
            self.in_0.next = self.again_2_3.q.val();
        }
        if self.same_0_3.q.val() & self.new_4.q.val() & !self.bank_4.q.val() {
            self.in_0.next = self.again_3.q.val();
        }
        self.in_1.next = self.bank_1.rdata.val() == self.target_3.q.val();
        if self.written_1_3.q.val() {
            self.in_1.next = self.again_2_3.q.val();
        }
        if self.same_1_3.q.val() & self.new_4.q.val() & self.bank_4.q.val() {
            self.in_1.next = self.again_3.q.val();
        }
        self.bank.next = !self.in_0.val() & (self.in_1.val() | self.turn.q.val());
        self.returns.next = (self.return_stack.top.val() == self.target_3.q.val()) & self.same_upper.val();
        self.enters.next = (self.lookup_3.q.val() | (self.pop_3.q.val() & !self.returns.val())) & !self.clear.val();
        self.is_new.next = self.enters.val() & !self.in_0.val() & !self.in_1.val();
        self.turn.d.next = (self.turn.q.val() ^ self.is_new.val()) & !self.clear.val();
        self.lookup_4.d.next = self.lookup_3.q.val();
        self.pop_4.d.next = self.pop_3.q.val();
        self.listed_4.d.next = (self.in_0.val() | self.in_1.val()) & self.same_upper.val();
        self.returns_4.d.next = self.returns.val();
        self.bank_4.d.next = self.bank.val();
        self.slot_4.d.next = self.at_0_3.q.val();
        if self.bank.val() {
            self.slot_4.d.next = self.at_1_3.q.val() | self.bank_bit.val();
        }
        self.new_4.d.next = self.is_new.val();
        self.at_0_4.d.next = self.at_0_3.q.val();
        self.at_1_4.d.next = self.at_1_3.q.val();
        self.target_4.d.next = self.target_3.q.val();

        // S4
        self.target_tables.slot.next = self.slot_4.q.val();
        self.predicted.next = self.listed_4.q.val() & self.target_tables.right.val();
        if self.pop_4.q.val() {
            self.predicted.next = self.returns_4.q.val();
        }
        self.kind.next = 0.into();
        if self.listed_4.q.val() {
            self.kind.next = self.k_slot.val();
            if self.target_tables.has_other.val() & !self.pop_4.q.val() {
                self.kind.next = self.k_slot_not_other.val();
                if self.target_tables.other_right.val() {
                    self.kind.next = self.k_other.val();
                }
            }
        }
        self.bank_0.we.next = (self.new_4.q.val() & !self.bank_4.q.val()) | self.sweep.val();
        self.bank_0.waddr.next = self.at_0_4.q.val();
        self.bank_0.wdata.next = self.target_4.q.val();
        self.bank_1.we.next = (self.new_4.q.val() & self.bank_4.q.val()) | self.sweep.val();
        self.bank_1.waddr.next = self.at_1_4.q.val();
        self.bank_1.wdata.next = self.target_4.q.val();
        if self.sweep.val() {
            // each slot begins with an address that belongs to it
            self.bank_0.waddr.next = self.at.val().get_bits::<8>(0);
            self.bank_0.wdata.next = bit_cast::<W, 8>(self.at.val().get_bits::<8>(0) & self.at_mask.val());
            self.bank_1.waddr.next = self.at.val().get_bits::<8>(0);
            self.bank_1.wdata.next = bit_cast::<W, 8>(self.at.val().get_bits::<8>(0) & self.at_mask.val());
        }

        self.hit.next = self.predicted.val();
        self.form.next = bit_cast::<3, 2>(self.kind.val()) | (bit_cast::<3, 1>(self.bank_4.q.val().into()) << 2);
        self.sure.next = self.target_tables.sure.val() & self.lookup_4.q.val();
        self.returned.next = self.pop_4.q.val();
    }
}
