//! Aggregate: count, sum, minimum and maximum of a value by key
//!
//! A direct-mapped table. The index of a key is the upper part of its product with a constant, which a shift-and-add
//! multiplier computes bit by bit.
//!
//! # Source
//! Paper 004 section 5.2, whose lock profile this node computes on the chip; Knuth, TAOCP 3, 6.4 (multiplicative
//! hashing).
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: clears the rules and the table |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! After a reset and after a write to the control register, the node clears the table, one entry per cycle, and accepts
//! no event. An event takes one cycle for each rule that does not match, 46 for each that does, and any time its
//! results wait. A flush takes two cycles per entry, and any time its results wait.
//!
//! Golden model: `sim::diag::node::aggregate`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::node::aggregate::HASH;
use sim::diag::registers::CONTROL;

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum AggregateState {
    Clear,
    Wait,
    Hash,
    Store,
    Update,
    Evict,
    Look,
    Flush,
    Done,
}

/// A table of up to 256 entries.
#[derive(LogicBlock, Default)]
pub struct Aggregate {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    keys: Mem<8, 32>,
    // valid bit and target
    targets: Mem<8, 15>,
    counts: Mem<8, 32>,
    sums: Mem<8, 48>,
    leasts: Mem<8, 32>,
    greatests: Mem<8, 32>,
    node_state: DFF<AggregateState>,
    // index of the key, or of the next entry
    at: DFF<Bits<8>>,
    next_at: Signal<Local, Bits<8>>,
    product: DFF<Bits<32>>,
    factor: DFF<Bits<32>>,
    twice: Signal<Local, Bits<32>>,
    mixed: Signal<Local, Bits<32>>,
    placed: Signal<Local, Bits<32>>,
    bit_index: DFF<Bits<5>>,
    target: Signal<Local, Bits<15>>,
    entry_valid: Signal<Local, Bit>,
    other: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    count: Signal<Local, Bits<32>>,
    sum: Signal<Local, Bits<49>>,
    least: Signal<Local, Bits<32>>,
    greatest: Signal<Local, Bits<32>>,
    above: Signal<Local, Bits<49>>,
    clears: Signal<Local, Bit>,
    shift: Fixed<Bits<6>>,
    last: Fixed<Bits<8>>,
    most: Fixed<Bits<32>>,
    no_sum: Fixed<Bits<49>>,
    constant: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    one_8: Fixed<Bits<8>>,
    one_5: Fixed<Bits<5>>,
    control: Fixed<Bits<12>>,
    yes: Fixed<Bits<15>>,
}

impl Aggregate {
    /// A table of 2^`log2_entries` entries, whose counts end at `most` and whose sums have `sum_bits` bits.
    ///
    /// # Panics
    /// Unless 1 <= `log2_entries` <= 8 and 33 <= `sum_bits` <= 48.
    pub fn new(log2_entries: usize, most: u32, sum_bits: u32) -> Self {
        assert!((33..=48).contains(&sum_bits), "sum_bits = {sum_bits} is outside 33..=48");
        Self {
            rules: Rules::new(4),
            keys: Mem::new(log2_entries, 32),
            targets: Mem::new(log2_entries, 15),
            counts: Mem::new(log2_entries, 32),
            sums: Mem::new(log2_entries, 48),
            leasts: Mem::new(log2_entries, 32),
            greatests: Mem::new(log2_entries, 32),
            shift: Fixed::of(32 - log2_entries as u64),
            last: Fixed::of((1u64 << log2_entries) - 1),
            most: Fixed::of(most),
            no_sum: Fixed::of((u64::MAX >> 15 << sum_bits) & (u64::MAX >> 15)),
            constant: Fixed::of(HASH),
            one: Fixed::of(1u64),
            one_8: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            control: Fixed::of(CONTROL),
            yes: Fixed::of(0x4000u64),
            ..Default::default()
        }
    }
}

impl Logic for Aggregate {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, node_state, at, product, factor, bit_index);
        clock!(self, clock, keys, targets, counts, sums, leasts, greatests);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next =
            self.event.valid.val() & !self.event.flush.val() & (self.node_state.q.val() != AggregateState::Clear);
        self.rules.every.next = false;
        self.event.ready.next = self.rules.finished.val() | (self.node_state.q.val() == AggregateState::Done);
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        // index of the key
        self.mixed.next = self.rules.key.val() ^ (bit_cast::<32, 8>(self.rules.to.val()) << 24);
        self.twice.next = self.product.q.val() << 1;
        self.placed.next = self.product.q.val() >> self.shift.val();

        // the entry at that index, and its new value
        self.target.next =
            (bit_cast::<15, 6>(self.rules.dest.val()) << 8) | bit_cast::<15, 8>(self.rules.to.val()) | self.yes.val();
        self.entry_valid.next = self.targets.rdata.val().get_bit(14);
        self.other.next =
            (self.keys.rdata.val() != self.rules.key.val()) | (self.targets.rdata.val() != self.target.val());
        self.sum.next = bit_cast::<49, 48>(self.sums.rdata.val()) + bit_cast::<49, 32>(self.rules.value.val());
        self.above.next = self.sum.val() & self.no_sum.val();
        self.full.next = (self.counts.rdata.val() == self.most.val()) | self.above.val().any();
        self.count.next = self.counts.rdata.val() + self.one.val();
        self.least.next = self.leasts.rdata.val();
        if self.rules.value.val() < self.leasts.rdata.val() {
            self.least.next = self.rules.value.val();
        }
        self.greatest.next = self.greatests.rdata.val();
        if self.rules.value.val() > self.greatests.rdata.val() {
            self.greatest.next = self.rules.value.val();
        }
        if !self.entry_valid.val() {
            self.count.next = self.one.val();
            self.sum.next = bit_cast::<49, 32>(self.rules.value.val());
            self.least.next = self.rules.value.val();
            self.greatest.next = self.rules.value.val();
        }

        self.rules.step.next = false;
        self.writes.next = false;
        self.keeps.next = false;
        self.next_at.next = self.at.q.val();
        match self.node_state.q.val() {
            AggregateState::Clear => {
                self.writes.next = true;
                self.next_at.next = self.at.q.val() + self.one_8.val();
                if self.at.q.val() == self.last.val() {
                    self.node_state.d.next = AggregateState::Wait;
                }
            }
            AggregateState::Wait => {
                self.product.d.next = 0.into();
                self.factor.d.next = self.constant.val();
                self.bit_index.d.next = 0.into();
                if self.rules.hit.val() {
                    self.node_state.d.next = AggregateState::Hash;
                }
                if self.event.valid.val() & self.event.flush.val() {
                    self.next_at.next = 0.into();
                    self.node_state.d.next = AggregateState::Look;
                }
            }
            AggregateState::Hash => {
                self.product.d.next = self.twice.val();
                if self.factor.q.val().get_bit(31) {
                    self.product.d.next = self.twice.val() + self.mixed.val();
                }
                self.factor.d.next = self.factor.q.val() << 1;
                self.bit_index.d.next = self.bit_index.q.val() + self.one_5.val();
                if self.bit_index.q.val().all() {
                    self.node_state.d.next = AggregateState::Store;
                }
            }
            AggregateState::Store => {
                self.next_at.next = self.placed.val().get_bits::<8>(0);
                self.node_state.d.next = AggregateState::Update;
            }
            AggregateState::Update => {
                if self.entry_valid.val() & (self.other.val() | self.full.val()) {
                    self.node_state.d.next = AggregateState::Evict;
                } else {
                    self.writes.next = true;
                    self.keeps.next = true;
                    self.rules.step.next = true;
                    self.node_state.d.next = AggregateState::Wait;
                }
            }
            AggregateState::Evict => {
                // the entry is now empty, and is looked up again
                if self.result.ready.val() {
                    self.writes.next = true;
                    self.node_state.d.next = AggregateState::Store;
                }
            }
            AggregateState::Look => {
                self.node_state.d.next = AggregateState::Flush;
            }
            AggregateState::Flush => {
                if !self.entry_valid.val() | self.result.ready.val() {
                    self.writes.next = self.entry_valid.val();
                    self.next_at.next = self.at.q.val() + self.one_8.val();
                    self.node_state.d.next = AggregateState::Look;
                    if self.at.q.val() == self.last.val() {
                        self.node_state.d.next = AggregateState::Done;
                    }
                }
            }
            AggregateState::Done => {
                self.node_state.d.next = AggregateState::Wait;
            }
        }
        if self.clears.val() {
            self.node_state.d.next = AggregateState::Clear;
            self.next_at.next = 0.into();
        }
        self.at.d.next = self.next_at.val();
        self.keys.raddr.next = self.next_at.val();
        self.targets.raddr.next = self.next_at.val();
        self.counts.raddr.next = self.next_at.val();
        self.sums.raddr.next = self.next_at.val();
        self.leasts.raddr.next = self.next_at.val();
        self.greatests.raddr.next = self.next_at.val();
        self.keys.waddr.next = self.at.q.val();
        self.targets.waddr.next = self.at.q.val();
        self.counts.waddr.next = self.at.q.val();
        self.sums.waddr.next = self.at.q.val();
        self.leasts.waddr.next = self.at.q.val();
        self.greatests.waddr.next = self.at.q.val();
        self.keys.we.next = self.writes.val();
        self.targets.we.next = self.writes.val();
        self.counts.we.next = self.writes.val();
        self.sums.we.next = self.writes.val();
        self.leasts.we.next = self.writes.val();
        self.greatests.we.next = self.writes.val();
        self.keys.wdata.next = self.rules.key.val();
        self.targets.wdata.next = 0.into();
        if self.keeps.val() {
            self.targets.wdata.next = self.target.val();
        }
        self.counts.wdata.next = self.count.val();
        self.sums.wdata.next = self.sum.val().get_bits::<48>(0);
        self.leasts.wdata.next = self.least.val();
        self.greatests.wdata.next = self.greatest.val();

        self.result.valid.next = (self.node_state.q.val() == AggregateState::Evict)
            | ((self.node_state.q.val() == AggregateState::Flush) & self.targets.rdata.val().get_bit(14));
        self.result.dest.next = self.targets.rdata.val().get_bits::<6>(8);
        self.result.id.next = self.targets.rdata.val().get_bits::<8>(0);
        self.result.core.next = 0.into();
        self.result.lost.next = 0.into();
        self.result.stamped.next = false;
        self.result.stamp.next = 0.into();
        self.result.count.next = 6.into();
        self.result.a0.next = self.keys.rdata.val();
        self.result.a1.next = self.counts.rdata.val();
        self.result.a2.next = self.sums.rdata.val().get_bits::<32>(0);
        self.result.a3.next = bit_cast::<32, 16>(self.sums.rdata.val().get_bits::<16>(32));
        self.result.a4.next = self.leasts.rdata.val();
        self.result.a5.next = self.greatests.rdata.val();
        if self.reset.val() {
            self.node_state.d.next = AggregateState::Clear;
            self.at.d.next = 0.into();
        }
    }
}
