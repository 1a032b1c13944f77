//! Histogram: distribution of a value by key, in logarithmic buckets
//!
//! # Source
//! Paper 004 section 3.6, processing nodes; buckets as `hist` of bpftrace, with each power of two divided into four.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: clears the rules and the buckets |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! After a reset and after a write to the control register, the node clears its counters, one per cycle, and accepts no
//! event. An event takes one cycle for each rule that does not match, 14 for each that does, and any time its results
//! wait. A flush takes two cycles for each bucket of the keys in use, and any time its results wait.
//!
//! Golden model: `sim::diag::node::histogram`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum HistogramState {
    Clear,
    Wait,
    Find,
    Update,
    Full,
    Single,
    Look,
    Flush,
    Done,
}

/// Tables for up to 8 keys, with 128 buckets each.
#[derive(LogicBlock, Default)]
pub struct Histogram {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    counts: Mem<10, 32>,
    key: Vec<DFF<Bits<32>>>,
    to: Vec<DFF<Bits<14>>>,
    used: DFF<Bits<4>>,
    node_state: DFF<HistogramState>,
    at: DFF<Bits<11>>,
    next_at: Signal<Local, Bits<11>>,
    target: Signal<Local, Bits<14>>,
    highest: Signal<Local, Bits<5>>,
    below: Signal<Local, Bits<5>>,
    above: Signal<Local, Bits<5>>,
    parts: Signal<Local, Bits<32>>,
    bucket: Signal<Local, Bits<7>>,
    found: Signal<Local, Bit>,
    slot: Signal<Local, Bits<4>>,
    same: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    writes: Signal<Local, Bit>,
    more: Signal<Local, Bits<32>>,
    sent_key: Signal<Local, Bits<32>>,
    sent_to: Signal<Local, Bits<14>>,
    stop: Signal<Local, Bits<11>>,
    clears: Signal<Local, Bit>,
    last: Fixed<Bits<11>>,
    capacity: Fixed<Bits<4>>,
    most: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    one_4: Fixed<Bits<4>>,
    one_5: Fixed<Bits<5>>,
    two_5: Fixed<Bits<5>>,
    one_11: Fixed<Bits<11>>,
    control: Fixed<Bits<12>>,
    _keys: usize,
}

impl Histogram {
    /// Tables for 2^`log2_keys` keys, with counters that count to `most`.
    ///
    /// # Panics
    /// If `log2_keys` is more than 3.
    pub fn new(log2_keys: usize, most: u32) -> Self {
        assert!(log2_keys <= 3, "log2_keys = {log2_keys} is outside 0..=3");
        let keys = 1_usize << log2_keys;
        Self {
            rules: Rules::new(2),
            counts: Mem::new(7 + log2_keys, 32),
            key: each(keys),
            to: each(keys),
            last: Fixed::of(128 * keys as u64 - 1),
            capacity: Fixed::of(keys as u64),
            most: Fixed::of(most),
            one: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            one_5: Fixed::of(1u64),
            two_5: Fixed::of(2u64),
            one_11: Fixed::of(1u64),
            control: Fixed::of(CONTROL),
            _keys: keys,
            ..Default::default()
        }
    }
}

impl Logic for Histogram {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, node_state, at);
        clock!(self, clock, counts);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next =
            self.event.valid.val() & !self.event.flush.val() & (self.node_state.q.val() != HistogramState::Clear);
        self.rules.every.next = false;
        self.event.ready.next = self.rules.finished.val() | (self.node_state.q.val() == HistogramState::Done);
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        // the bucket of a value: its highest set bit, and the two bits below it
        self.highest.next = 0.into();
        for i in 2..32 {
            if self.rules.value.val().get_bit(i) {
                self.highest.next = i.to_bits::<5>();
            }
        }
        self.below.next = self.highest.val() - self.two_5.val();
        self.above.next = self.highest.val() - self.one_5.val();
        self.parts.next = self.rules.value.val() >> self.below.val();
        self.bucket.next =
            (bit_cast::<7, 5>(self.above.val()) << 2) | bit_cast::<7, 2>(self.parts.val().get_bits::<2>(0));
        if !self.highest.val().any() {
            self.bucket.next = bit_cast::<7, 2>(self.rules.value.val().get_bits::<2>(0));
        }

        // the table of a key
        self.target.next = (bit_cast::<14, 6>(self.rules.dest.val()) << 8) | bit_cast::<14, 8>(self.rules.to.val());
        self.found.next = false;
        self.slot.next = self.used.q.val();
        self.sent_key.next = 0.into();
        self.sent_to.next = 0.into();
        for i in 0..self._keys {
            self.same.next = (self.used.q.val() > i.to_bits::<4>())
                & (self.key[i].q.val() == self.rules.key.val())
                & (self.to[i].q.val() == self.target.val());
            if self.same.val() {
                self.found.next = true;
                self.slot.next = i.to_bits::<4>();
            }
            if self.at.q.val().get_bits::<4>(7) == i.to_bits::<4>() {
                self.sent_key.next = self.key[i].q.val();
                self.sent_to.next = self.to[i].q.val();
            }
        }
        self.full.next = self.used.q.val() == self.capacity.val();
        self.more.next = self.counts.rdata.val() + self.one.val();
        self.stop.next = bit_cast::<11, 4>(self.used.q.val()) << 7;

        self.rules.step.next = false;
        self.writes.next = false;
        self.opens.next = false;
        self.next_at.next = self.at.q.val();
        self.counts.wdata.next = 0.into();
        match self.node_state.q.val() {
            HistogramState::Clear => {
                self.writes.next = true;
                self.used.d.next = 0.into();
                self.next_at.next = self.at.q.val() + self.one_11.val();
                if self.at.q.val() == self.last.val() {
                    self.node_state.d.next = HistogramState::Wait;
                }
            }
            HistogramState::Wait => {
                if self.rules.hit.val() {
                    self.node_state.d.next = HistogramState::Find;
                }
                if self.event.valid.val() & self.event.flush.val() {
                    self.next_at.next = 0.into();
                    self.node_state.d.next = HistogramState::Look;
                }
            }
            HistogramState::Find => {
                self.next_at.next = (bit_cast::<11, 4>(self.slot.val()) << 7) | bit_cast::<11, 7>(self.bucket.val());
                self.node_state.d.next = HistogramState::Update;
                if !self.found.val() {
                    self.opens.next = !self.full.val();
                    if self.full.val() {
                        self.node_state.d.next = HistogramState::Single;
                    }
                }
            }
            HistogramState::Update => {
                if self.counts.rdata.val() == self.most.val() {
                    self.node_state.d.next = HistogramState::Full;
                } else {
                    self.writes.next = true;
                    self.counts.wdata.next = self.more.val();
                    self.rules.step.next = true;
                    self.node_state.d.next = HistogramState::Wait;
                }
            }
            HistogramState::Full => {
                // sent; the bucket restarts from 0
                if self.result.ready.val() {
                    self.writes.next = true;
                    self.node_state.d.next = HistogramState::Look;
                }
            }
            HistogramState::Single => {
                if self.result.ready.val() {
                    self.rules.step.next = true;
                    self.node_state.d.next = HistogramState::Wait;
                }
            }
            HistogramState::Look => {
                self.node_state.d.next = HistogramState::Flush;
                if !self.event.flush.val() {
                    self.node_state.d.next = HistogramState::Update;
                }
            }
            HistogramState::Flush => {
                if self.at.q.val() == self.stop.val() {
                    self.used.d.next = 0.into();
                    self.node_state.d.next = HistogramState::Done;
                } else if !self.counts.rdata.val().any() | self.result.ready.val() {
                    self.writes.next = self.counts.rdata.val().any();
                    self.next_at.next = self.at.q.val() + self.one_11.val();
                    self.node_state.d.next = HistogramState::Look;
                }
            }
            HistogramState::Done => {
                self.node_state.d.next = HistogramState::Wait;
            }
        }
        if self.opens.val() {
            self.used.d.next = self.used.q.val() + self.one_4.val();
        }
        for i in 0..self._keys {
            self.key[i].clock.next = self.clock.val();
            self.to[i].clock.next = self.clock.val();
            self.key[i].d.next = self.key[i].q.val();
            self.to[i].d.next = self.to[i].q.val();
            if self.opens.val() & (self.used.q.val() == i.to_bits::<4>()) {
                self.key[i].d.next = self.rules.key.val();
                self.to[i].d.next = self.target.val();
            }
        }
        if self.clears.val() {
            self.node_state.d.next = HistogramState::Clear;
            self.next_at.next = 0.into();
        }
        self.at.d.next = self.next_at.val();
        self.counts.raddr.next = self.next_at.val().get_bits::<10>(0);
        self.counts.waddr.next = self.at.q.val().get_bits::<10>(0);
        self.counts.we.next = self.writes.val();

        self.result.valid.next = (self.node_state.q.val() == HistogramState::Full)
            | (self.node_state.q.val() == HistogramState::Single)
            | ((self.node_state.q.val() == HistogramState::Flush)
                & (self.at.q.val() != self.stop.val())
                & self.counts.rdata.val().any());
        self.result.dest.next = self.rules.dest.val();
        self.result.id.next = self.rules.to.val();
        self.result.core.next = 0.into();
        self.result.lost.next = 0.into();
        self.result.stamped.next = false;
        self.result.stamp.next = 0.into();
        self.result.count.next = 3.into();
        self.result.a0.next = self.rules.key.val();
        self.result.a1.next = bit_cast::<32, 7>(self.bucket.val());
        self.result.a2.next = self.counts.rdata.val();
        if self.node_state.q.val() == HistogramState::Single {
            self.result.a2.next = self.one.val();
        }
        if self.event.flush.val() {
            self.result.dest.next = self.sent_to.val().get_bits::<6>(8);
            self.result.id.next = self.sent_to.val().get_bits::<8>(0);
            self.result.a0.next = self.sent_key.val();
            self.result.a1.next = bit_cast::<32, 7>(self.at.q.val().get_bits::<7>(0));
        }
        self.result.a3.next = 0.into();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.node_state.d.next = HistogramState::Clear;
            self.at.d.next = 0.into();
        }
    }
}
