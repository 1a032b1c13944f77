//! Trigger slots, and which of them a retired instruction hits
//!
//! Every slot has its own comparators. The first slots are wide: they also have a range and a value, for data, traps
//! and entries. The plan of a slot, which lists the words of its events, is in a memory.
//!
//! # Source
//! Paper 004 section 4.1; the set of triggers is ours.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: disables all slots |
//! | `seen` | in | | retired instructions |
//! | `write` | in | | register writes, see `sim::diag::registers` |
//! | `hits` | out | | slots that the instruction hits |
//! | `points` | out | 16 | slots whose address matches, enabled or not, of any kind |
//! | `returns`, `entries` | out | 16, 4 | slots that wait for returns; for function entries |
//! | `plan_at` | in | 7 | slot * 8 + k: k = 0 the target, else captured word k |
//! | `plan` | out | 16 | that word of the plan, one cycle later |
//!
//! # Timing
//! `hits` and `points` follow `seen` in the same cycle; all other outputs come from registers.
//!
//! Golden model: `sim::diag::full`.

use super::ports::HitsOut;
use crate::diag::ports::{SeenIn, WriteIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// A set of up to 16 slots of a core of W bits, the first up to 4 of them wide.
#[derive(LogicBlock, Default)]
pub struct Slots<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub seen: SeenIn<W>,
    pub write: WriteIn,
    pub hits: HitsOut,
    pub points: Signal<Out, Bits<16>>,
    pub returns: Signal<Out, Bits<16>>,
    pub entries: Signal<Out, Bits<4>>,
    pub plan_at: Signal<In, Bits<7>>,
    pub plan: Signal<Out, Bits<16>>,
    used: DFF<Bits<5>>,
    low: Vec<DFF<Bits<16>>>,
    high: Vec<DFF<Bits<16>>>,
    kind: Vec<DFF<Bits<6>>>,
    end_low: Vec<DFF<Bits<16>>>,
    end_high: Vec<DFF<Bits<16>>>,
    value_low: Vec<DFF<Bits<16>>>,
    value_high: Vec<DFF<Bits<16>>>,
    // of a core of 64 bits, the upper halves of addresses and values
    top_low: Vec<DFF<Bits<16>>>,
    top_high: Vec<DFF<Bits<16>>>,
    end_top_low: Vec<DFF<Bits<16>>>,
    end_top_high: Vec<DFF<Bits<16>>>,
    value_top_low: Vec<DFF<Bits<16>>>,
    value_top_high: Vec<DFF<Bits<16>>>,
    top_write: Vec<Signal<Local, Bit>>,
    plans: Mem<7, 16>,
    slot_write: Signal<Local, Bit>,
    word_write: Signal<Local, Bits<4>>,
    alive: Signal<Local, Bit>,
    at_pc: Signal<Local, Bit>,
    is_hit: Signal<Local, Bit>,
    is_store_hit: Signal<Local, Bit>,
    in_range: Signal<Local, Bit>,
    touched: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<W>>,
    last_byte: Signal<Local, Bits<W>>,
    upper: Signal<Local, Bits<16>>,
    lower: Signal<Local, Bits<16>>,
    first_bound: Signal<Local, Bits<W>>,
    last_bound: Signal<Local, Bits<W>>,
    wanted: Signal<Local, Bits<W>>,
    hit: Signal<Local, Bits<16>>,
    point: Signal<Local, Bits<16>>,
    is_point: Signal<Local, Bit>,
    store_hit: Signal<Local, Bits<4>>,
    return_slots: Signal<Local, Bits<16>>,
    entry_slots: Signal<Local, Bits<4>>,
    // the previous instruction, and slots that wait for function entries
    before_pc: DFF<Bits<W>>,
    before_call: DFF<Bit>,
    before_xret: DFF<Bit>,
    follows_call: Signal<Local, Bit>,
    follows_xret: Signal<Local, Bit>,
    is_entry: Signal<Local, Bit>,
    at_first: Signal<Local, Bits<W>>,
    at_last: Signal<Local, Bits<W>>,
    control: Fixed<Bits<12>>,
    _slots: usize,
    _wide: usize,
    // 1 for a core of 64 bits, otherwise 0
    _tops: usize,
}

impl<const W: usize> Slots<W> {
    /// A set of `slots` slots, `wide` of them wide.
    ///
    /// # Panics
    /// If `slots` is not in 1..=16, or `wide` is more than 4.
    pub fn new(slots: u8, wide: u8) -> Self {
        assert!((1..=16).contains(&slots), "slots = {slots} is outside 1..=16");
        assert!(wide <= 4 && wide <= slots, "wide = {wide} is outside 0..=4, or more than {slots} slots");
        let (slots, wide, tops) = (usize::from(slots), usize::from(wide), usize::from(W == 64));
        Self {
            low: each(slots),
            high: each(slots),
            kind: each(slots),
            end_low: each(wide),
            end_high: each(wide),
            value_low: each(wide),
            value_high: each(wide),
            top_low: each(tops * slots),
            top_high: each(tops * slots),
            end_top_low: each(tops * wide),
            end_top_high: each(tops * wide),
            value_top_low: each(tops * wide),
            value_top_high: each(tops * wide),
            top_write: each(tops),
            plans: Mem::new(7, 16),
            control: Fixed::of(CONTROL),
            _slots: slots,
            _wide: wide,
            _tops: tops,
            ..Default::default()
        }
    }
}

impl<const W: usize> Logic for Slots<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, before_pc, before_call, before_xret);
        clock!(self, clock, plans);
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.used.d.next = 0.into();
            if self.write.data.val().get_bit(0) {
                self.used.d.next = self.write.data.val().get_bits::<5>(8);
            }
        }
        self.slot_write.next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 4);
        self.word_write.next = self.write.addr.val().get_bits::<4>(0);
        self.plans.we.next = self.slot_write.val() & (self.word_write.val().get_bit(3) | !self.word_write.val().any());
        self.plans.waddr.next = (bit_cast::<7, 4>(self.write.addr.val().get_bits::<4>(4)) << 3)
            | bit_cast::<7, 3>(self.word_write.val().get_bits::<3>(0));
        self.plans.wdata.next = self.write.data.val();
        self.bytes.next = 0.into();
        if self.seen.size.val() == 1 {
            self.bytes.next = 1.into();
        }
        if self.seen.size.val() == 2 {
            self.bytes.next = 3.into();
        }
        for t in 0..self._tops {
            self.top_write[t].next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 6);
            if self.seen.size.val() == 3 {
                self.bytes.next = 7.into();
            }
        }
        self.last_byte.next = self.seen.addr.val() + self.bytes.val();
        self.hit.next = 0.into();
        self.store_hit.next = 0.into();
        self.return_slots.next = 0.into();
        self.point.next = 0.into();
        for i in 0..self._slots {
            self.low[i].clock.next = self.clock.val();
            self.high[i].clock.next = self.clock.val();
            self.kind[i].clock.next = self.clock.val();
            self.low[i].d.next = self.low[i].q.val();
            self.high[i].d.next = self.high[i].q.val();
            self.kind[i].d.next = self.kind[i].q.val();
            if self.slot_write.val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                if self.word_write.val() == 1 {
                    self.kind[i].d.next = self.write.data.val().get_bits::<6>(0);
                }
                if self.word_write.val() == 2 {
                    self.low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 3 {
                    self.high[i].d.next = self.write.data.val();
                }
            }
            self.at_pc.next = (self.low[i].q.val() == self.seen.pc.val().get_bits::<16>(0))
                & (self.high[i].q.val() == self.seen.pc.val().get_bits::<16>(16));
            for t in 0..self._tops {
                self.top_low[i].clock.next = self.clock.val();
                self.top_high[i].clock.next = self.clock.val();
                self.top_low[i].d.next = self.top_low[i].q.val();
                self.top_high[i].d.next = self.top_high[i].q.val();
                if self.top_write[t].val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                    if self.word_write.val() == 2 {
                        self.top_low[i].d.next = self.write.data.val();
                    }
                    if self.word_write.val() == 3 {
                        self.top_high[i].d.next = self.write.data.val();
                    }
                }
                self.at_pc.next = self.at_pc.val()
                    & (self.top_low[i].q.val() == self.seen.pc.val().get_bits::<16>(32))
                    & (self.top_high[i].q.val() == self.seen.pc.val().get_bits::<16>(48));
            }
            self.is_point.next = self.seen.valid.val() & self.at_pc.val();
            self.point.next = self.point.val().replace_bit(i, self.is_point.val());
            self.alive.next = self.seen.valid.val() & (self.used.q.val() > i.to_bits::<5>());
            self.is_hit.next = self.alive.val()
                & (((self.kind[i].q.val().get_bits::<2>(1) == 0) & self.at_pc.val())
                    | (self.kind[i].q.val().get_bit(2) & self.seen.xret.val()));
            self.hit.next = self.hit.val().replace_bit(i, self.is_hit.val());
            self.is_hit.next = self.kind[i].q.val().get_bits::<3>(0) == 1;
            self.return_slots.next = self.return_slots.val().replace_bit(i, self.is_hit.val());
        }
        // the previous instruction, for function entries; there is none before the first after a reset
        self.follows_call.next = self.before_call.q.val() | self.seen.first.val();
        self.follows_xret.next = self.before_xret.q.val() & !self.seen.first.val();
        if self.seen.valid.val() {
            self.before_pc.d.next = self.seen.pc.val();
            self.before_call.d.next = self.seen.call.val();
            self.before_xret.d.next = self.seen.xret.val();
        }
        self.hits.resumed.next = self.follows_xret.val() & !self.seen.trap.val();
        self.entry_slots.next = 0.into();
        for i in 0..self._wide {
            self.end_low[i].clock.next = self.clock.val();
            self.end_high[i].clock.next = self.clock.val();
            self.value_low[i].clock.next = self.clock.val();
            self.value_high[i].clock.next = self.clock.val();
            self.end_low[i].d.next = self.end_low[i].q.val();
            self.end_high[i].d.next = self.end_high[i].q.val();
            self.value_low[i].d.next = self.value_low[i].q.val();
            self.value_high[i].d.next = self.value_high[i].q.val();
            if self.slot_write.val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                if self.word_write.val() == 4 {
                    self.end_low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 5 {
                    self.end_high[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 6 {
                    self.value_low[i].d.next = self.write.data.val();
                }
                if self.word_write.val() == 7 {
                    self.value_high[i].d.next = self.write.data.val();
                }
            }
            self.upper.next = self.high[i].q.val();
            self.lower.next = self.low[i].q.val();
            self.first_bound.next = (bit_cast::<W, 16>(self.upper.val()) << 16) | bit_cast::<W, 16>(self.lower.val());
            self.upper.next = self.end_high[i].q.val();
            self.lower.next = self.end_low[i].q.val();
            self.last_bound.next = (bit_cast::<W, 16>(self.upper.val()) << 16) | bit_cast::<W, 16>(self.lower.val());
            self.upper.next = self.value_high[i].q.val();
            self.lower.next = self.value_low[i].q.val();
            self.wanted.next = (bit_cast::<W, 16>(self.upper.val()) << 16) | bit_cast::<W, 16>(self.lower.val());
            for t in 0..self._tops {
                self.end_top_low[i].clock.next = self.clock.val();
                self.end_top_high[i].clock.next = self.clock.val();
                self.value_top_low[i].clock.next = self.clock.val();
                self.value_top_high[i].clock.next = self.clock.val();
                self.end_top_low[i].d.next = self.end_top_low[i].q.val();
                self.end_top_high[i].d.next = self.end_top_high[i].q.val();
                self.value_top_low[i].d.next = self.value_top_low[i].q.val();
                self.value_top_high[i].d.next = self.value_top_high[i].q.val();
                if self.top_write[t].val() & (self.write.addr.val().get_bits::<4>(4) == i.to_bits::<4>()) {
                    if self.word_write.val() == 4 {
                        self.end_top_low[i].d.next = self.write.data.val();
                    }
                    if self.word_write.val() == 5 {
                        self.end_top_high[i].d.next = self.write.data.val();
                    }
                    if self.word_write.val() == 6 {
                        self.value_top_low[i].d.next = self.write.data.val();
                    }
                    if self.word_write.val() == 7 {
                        self.value_top_high[i].d.next = self.write.data.val();
                    }
                }
                self.upper.next = self.top_high[i].q.val();
                self.lower.next = self.top_low[i].q.val();
                self.first_bound.next = self.first_bound.val()
                    | (bit_cast::<W, 16>(self.upper.val()) << 48)
                    | (bit_cast::<W, 16>(self.lower.val()) << 32);
                self.upper.next = self.end_top_high[i].q.val();
                self.lower.next = self.end_top_low[i].q.val();
                self.last_bound.next = self.last_bound.val()
                    | (bit_cast::<W, 16>(self.upper.val()) << 48)
                    | (bit_cast::<W, 16>(self.lower.val()) << 32);
                self.upper.next = self.value_top_high[i].q.val();
                self.lower.next = self.value_top_low[i].q.val();
                self.wanted.next = self.wanted.val()
                    | (bit_cast::<W, 16>(self.upper.val()) << 48)
                    | (bit_cast::<W, 16>(self.lower.val()) << 32);
            }
            self.alive.next = self.seen.valid.val() & (self.used.q.val() > i.to_bits::<5>());
            // slots of function entries; not those of returns, for which the control stores an open call only once anyway
            self.is_entry.next = self.kind[i].q.val().get_bits::<4>(0) == 8;
            self.entry_slots.next = self.entry_slots.val().replace_bit(i, self.is_entry.val());
            self.is_entry.next = self.kind[i].q.val().get_bit(3) & (self.kind[i].q.val().get_bits::<2>(1) == 0);
            self.at_first.next = self.seen.addr.val();
            self.at_last.next = self.last_byte.val();
            if self.is_entry.val() {
                self.at_first.next = self.before_pc.q.val();
                self.at_last.next = self.before_pc.q.val();
            }
            self.in_range.next =
                (self.at_first.val() <= self.last_bound.val()) & (self.at_last.val() >= self.first_bound.val());
            self.touched.next = self.alive.val() & (self.kind[i].q.val().get_bits::<3>(0) == 2) & self.in_range.val();
            // a jump back to the function's first instruction is not a call
            if self.is_entry.val()
                & self.in_range.val()
                & !self.follows_call.val()
                & !self.follows_xret.val()
                & !self.seen.trap.val()
            {
                self.hit.next = self.hit.val().replace_bit(i, false);
            }
            self.is_hit.next = self.touched.val()
                & self.seen.load.val()
                & self.kind[i].q.val().get_bit(3)
                & (!self.kind[i].q.val().get_bit(5) | (self.seen.loaded.val() == self.wanted.val()));
            self.is_store_hit.next = self.touched.val()
                & self.seen.store.val()
                & self.kind[i].q.val().get_bit(4)
                & (!self.kind[i].q.val().get_bit(5) | (self.seen.stored.val() == self.wanted.val()));
            if self.alive.val()
                & (self.kind[i].q.val().get_bits::<3>(0) == 3)
                & self.seen.trap.val()
                & (!self.low[i].q.val().get_bit(0)
                    | (self.low[i].q.val().get_bit(1) == self.seen.cause.val().get_bit(8)))
                & (!self.low[i].q.val().get_bit(2)
                    | (self.low[i].q.val().get_bits::<8>(8) == self.seen.cause.val().get_bits::<8>(0)))
            {
                self.is_hit.next = true;
            }
            if self.is_hit.val() {
                self.hit.next = self.hit.val().replace_bit(i, true);
            }
            self.store_hit.next = self.store_hit.val().replace_bit(i, self.is_store_hit.val());
        }

        self.hits.hits.next = self.hit.val();
        self.points.next = self.point.val();
        self.hits.stores.next = self.store_hit.val();
        self.returns.next = self.return_slots.val();
        self.entries.next = self.entry_slots.val();
        self.plans.raddr.next = self.plan_at.val();
        self.plan.next = self.plans.rdata.val();
        if self.reset.val() {
            self.used.d.next = 0.into();
            self.before_call.d.next = true;
            self.before_xret.d.next = false;
        }
    }
}
