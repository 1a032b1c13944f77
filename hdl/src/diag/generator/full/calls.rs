//! Open calls, with the words captured at their entry
//!
//! Each open call has an entry in a memory: return address, stack pointer, time, captured words. Calls are looked up in
//! all entries at once by an 8-bit tag of return address and stack pointer; [`super::control`] then compares the full
//! words. The age of a call is kept in units of 2^31 cycles.
//!
//! # Source
//! Original to this project; paper 004 uses a stack of return addresses instead.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset`, `forget` | in | 1 | 1: closes all calls |
//! | `head` | in | | the oldest instruction in the log |
//! | `now` | in | W | the current cycle |
//! | `ra`, `sp` | in | W | registers at the oldest instruction |
//! | `call_op` | in | | what the control does for that instruction |
//! | `found` | out | | which calls match the lookup |
//!
//! Bundles: [`super::ports`]. Words of an entry: 0 the time, 1 to 5 captured words, 6 the return address, 7 the stack
//! pointer.
//!
//! # Timing
//! `found` follows `looking`, `phase`, `slot`, `at` and `ended` in the same cycle; words follow `read` by one cycle.
//!
//! Golden model: `sim::diag::full`.

use super::ports::{CallMatchOut, CallOpIn, HeadIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// A table of up to 16 open calls of a core of W bits.
#[derive(LogicBlock, Default)]
pub struct Calls<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub forget: Signal<In, Bit>,
    pub head: HeadIn<W>,
    pub now: Signal<In, Bits<W>>,
    pub ra: Signal<In, Bits<W>>,
    pub sp: Signal<In, Bits<W>>,
    pub call_op: CallOpIn<W>,
    pub found: CallMatchOut<W>,
    words: Mem<7, W>,
    valid: DFF<Bits<16>>,
    call_tag: Vec<DFF<Bits<8>>>,
    call_slot: Vec<DFF<Bits<4>>>,
    old_low: DFF<Bits<16>>,
    old_high: DFF<Bits<16>>,
    victim: DFF<Bits<4>>,
    half: DFF<Bit>,
    half_now: Signal<Local, Bit>,
    not_old: Signal<Local, Bits<16>>,
    is_tagged: Signal<Local, Bit>,
    is_mine: Signal<Local, Bit>,
    tag_matches: Signal<Local, Bits<16>>,
    same_slot: Signal<Local, Bits<16>>,
    ended_at: Signal<Local, Bits<4>>,
    slot_at: Signal<Local, Bits<4>>,
    wanted_to: Signal<Local, Bits<W>>,
    wanted_tag: Signal<Local, Bits<8>>,
    // calls that the oldest instruction may end
    ending_to: Signal<Local, Bits<W>>,
    ending_tag: Signal<Local, Bits<8>>,
    ending: Signal<Local, Bits<16>>,
    ends: Signal<Local, Bit>,
    dropped: Signal<Local, Bits<16>>,
    not_dropped: Signal<Local, Bits<16>>,
    not_valid: Signal<Local, Bits<16>>,
    entry_bit: Signal<Local, Bits<16>>,
    not_entry: Signal<Local, Bits<16>>,
    low_bits: Signal<Local, Bits<16>>,
    high_bits: Signal<Local, Bits<16>>,
    entry_mask: Fixed<Bits<16>>,
    last_entry: Fixed<Bits<4>>,
    one: Fixed<Bits<4>>,
    _calls: usize,
    _sixteen: usize,
}

impl<const W: usize> Calls<W> {
    /// A table of `calls` open calls.
    ///
    /// # Panics
    /// If `calls` is not in 1..=16.
    pub fn new(calls: u8) -> Self {
        assert!((1..=16).contains(&calls), "returns = {calls} is outside 1..=16");
        Self {
            words: Mem::new(7, W),
            call_tag: each(calls.into()),
            call_slot: each(calls.into()),
            entry_mask: Fixed::of((1u64 << calls) - 1),
            last_entry: Fixed::of(u64::from(calls) - 1),
            one: Fixed::of(1u64),
            _calls: calls.into(),
            _sixteen: 16,
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Calls<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid, old_low, old_high, victim, half);
        clock!(self, clock, words);
        self.words.raddr.next = self.call_op.read.val();
        self.words.we.next = self.call_op.we.val();
        self.words.waddr.next = self.call_op.write.val();
        self.words.wdata.next = self.call_op.data.val();

        // tags of the call that is looked up, and of the calls that the oldest instruction may end; the latter are
        // known late
        self.wanted_to.next = self.ra.val();
        if self.call_op.phase.val() == 1 {
            self.wanted_to.next = self.head.value.val();
        }
        if self.call_op.phase.val() == 2 {
            self.wanted_to.next = self.head.address.val();
        }
        self.ending_to.next = self.head.address.val();
        if self.head.call.val() {
            self.ending_to.next = self.head.value.val();
        }
        self.ending_tag.next = self.ending_to.val().get_bits::<8>(1) ^ self.sp.val().get_bits::<8>(4);
        self.ending.next = 0.into();
        self.wanted_tag.next = self.wanted_to.val().get_bits::<8>(1) ^ self.sp.val().get_bits::<8>(4);
        self.tag_matches.next = 0.into();
        self.same_slot.next = 0.into();
        self.ended_at.next = 0.into();
        for i in 0..self._calls {
            self.is_tagged.next = self.valid.q.val().get_bit(i) & (self.call_tag[i].q.val() == self.wanted_tag.val());
            self.tag_matches.next = self.tag_matches.val().replace_bit(i, self.is_tagged.val());
            self.is_tagged.next = self.valid.q.val().get_bit(i) & (self.call_tag[i].q.val() == self.ending_tag.val());
            self.ending.next = self.ending.val().replace_bit(i, self.is_tagged.val());
            self.is_mine.next = self.call_slot[i].q.val() == self.call_op.slot.val();
            self.same_slot.next = self.same_slot.val().replace_bit(i, self.is_mine.val());
            if self.is_mine.val() & self.call_op.ended.val().get_bit(i) {
                self.ended_at.next = i.to_bits::<4>();
            }
        }
        self.ends.next = (self.head.call.val() | self.head.back.val()) & self.ending.val().any();
        self.dropped.next = 0.into();
        if self.head.call.val() | self.head.back.val() {
            self.dropped.next = self.ending.val();
        }
        if self.head.call.val() & self.head.back.val() {
            self.ends.next = self.valid.q.val().any();
            self.dropped.next = self.valid.q.val();
        }
        if !self.call_op.looking.val() & (self.call_op.phase.val() == 3) {
            self.dropped.next = 0.into();
        }
        if self.head.drop_all.val() {
            self.dropped.next = self.valid.q.val();
        }
        self.not_dropped.next = !self.dropped.val();
        self.not_valid.next = !self.valid.q.val();
        self.entry_bit.next = 0.into();
        for i in 0..self._sixteen {
            if self.call_op.at.val() == i.to_bits::<4>() {
                self.entry_bit.next = self.entry_bit.val().replace_bit(i, true);
            }
        }
        self.not_entry.next = !self.entry_bit.val();
        self.slot_at.next = 0.into();
        for i in 0..self._calls {
            if self.entry_bit.val().get_bit(i) {
                self.slot_at.next = self.slot_at.val() | self.call_slot[i].q.val();
            }
        }

        // age of open calls, in halves of 2^32 cycles
        self.half_now.next = self.half.q.val();
        if self.head.shown.val() {
            self.half_now.next = self.head.stamp.val().get_bit(31);
        } else if !self.head.waits.val() {
            self.half_now.next = self.now.val().get_bit(31);
        }
        self.half.d.next = self.half_now.val();
        self.not_old.next = !self.old_low.q.val();
        if self.half_now.val() != self.half.q.val() {
            self.old_high.d.next = self.old_high.q.val() | self.old_low.q.val();
            self.old_low.d.next = self.not_old.val() | self.old_high.q.val();
        }
        self.low_bits.next = self.old_low.q.val() >> self.call_op.at.val();
        self.high_bits.next = self.old_high.q.val() >> self.call_op.at.val();

        for i in 0..self._calls {
            self.call_tag[i].clock.next = self.clock.val();
            self.call_slot[i].clock.next = self.clock.val();
            self.call_tag[i].d.next = self.call_tag[i].q.val();
            self.call_slot[i].d.next = self.call_slot[i].q.val();
            if self.call_op.keep.val() & self.entry_bit.val().get_bit(i) {
                self.call_tag[i].d.next = self.wanted_tag.val();
                self.call_slot[i].d.next = self.call_op.slot.val();
            }
        }
        if self.call_op.keep.val() {
            self.valid.d.next = self.valid.q.val() | self.entry_bit.val();
            self.old_low.d.next = self.old_low.q.val() & self.not_entry.val();
            self.old_high.d.next = self.old_high.q.val() & self.not_entry.val();
        }
        if self.call_op.close.val() {
            self.valid.d.next = self.valid.q.val() & self.not_entry.val();
        }
        if self.call_op.evict.val() {
            self.victim.d.next = self.victim.q.val() + self.one.val();
            if self.victim.q.val() == self.last_entry.val() {
                self.victim.d.next = 0.into();
            }
            for i in 0..self._calls {
                if self.victim.q.val() == i.to_bits::<4>() {
                    self.valid.d.next = self.valid.q.val().replace_bit(i, false);
                }
            }
        }
        if self.call_op.cut.val() {
            self.valid.d.next = self.valid.q.val() & self.not_dropped.val();
            self.victim.d.next = self.victim.q.val();
        }

        self.found.tag_matches.next = self.tag_matches.val();
        self.found.same_slot.next = self.same_slot.val();
        self.found.ends.next = self.ends.val();
        self.found.dropped.next = self.dropped.val();
        self.found.free.next = self.not_valid.val() & self.entry_mask.val();
        self.found.victim.next = self.victim.q.val();
        self.found.ended_at.next = self.ended_at.val();
        self.found.slot_at.next = self.slot_at.val();
        self.found.entry_bit.next = self.entry_bit.val();
        self.found.same_to.next = self.words.rdata.val() == self.wanted_to.val();
        self.found.same_sp.next = self.words.rdata.val() == self.sp.val();
        self.found.word.next = self.words.rdata.val();
        self.found.half.next = self.low_bits.val().get_bit(0);
        self.found.full.next = self.high_bits.val().get_bit(0);
        if self.forget.val() | self.reset.val() {
            self.valid.d.next = 0.into();
            self.victim.d.next = 0.into();
        }
    }
}
