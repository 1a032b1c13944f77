//! Pair: measures the cycles between two events with the same key
//!
//! # Source
//! Paper 004 section 5.2, whose lock profile starts with it; contexts and loss counting are ours.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: clears the rules and the contexts |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! After a reset and after a write to the control register, the node clears its contexts, one per cycle, and accepts no
//! event. An event takes one cycle for each record that does not match, 13 and one per context for each that does, and
//! any time its results wait.
//!
//! Golden model: `sim::diag::node::pair`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum PairState {
    Clear,
    Wait,
    Search,
    Send,
    Open,
    Empty,
}

/// A set of up to 64 contexts.
#[derive(LogicBlock, Default)]
pub struct Pair {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    // valid bit, and the number of the rule
    tags: Mem<6, 5>,
    keys: Mem<6, 32>,
    times: Mem<6, 32>,
    node_state: DFF<PairState>,
    at: DFF<Bits<6>>,
    next_at: Signal<Local, Bits<6>>,
    tag: Signal<Local, Bits<5>>,
    time_now: Signal<Local, Bits<32>>,
    elapsed: Signal<Local, Bits<32>>,
    found: Signal<Local, Bit>,
    // a free context, and whether there is one
    free: DFF<Bits<6>>,
    has_free: DFF<Bit>,
    writes: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    lost: DFF<Bits<16>>,
    lose: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    last: Fixed<Bits<6>>,
    one: Fixed<Bits<6>>,
    one_16: Fixed<Bits<16>>,
    yes: Fixed<Bits<5>>,
    control: Fixed<Bits<12>>,
}

impl Pair {
    /// A set of 2^`log2_contexts` contexts.
    ///
    /// # Panics
    /// Unless 1 <= `log2_contexts` <= 6.
    pub fn new(log2_contexts: usize) -> Self {
        Self {
            rules: Rules::new(3),
            tags: Mem::new(log2_contexts, 5),
            keys: Mem::new(log2_contexts, 32),
            times: Mem::new(log2_contexts, 32),
            last: Fixed::of((1u64 << log2_contexts) - 1),
            one: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            yes: Fixed::of(16u64),
            control: Fixed::of(CONTROL),
            ..Default::default()
        }
    }
}

impl Logic for Pair {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, node_state, at, free, has_free, lost);
        clock!(self, clock, tags, keys, times);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next =
            self.event.valid.val() & !self.event.flush.val() & (self.node_state.q.val() != PairState::Clear);
        self.rules.every.next = false;
        self.event.ready.next = self.rules.finished.val() | (self.node_state.q.val() == PairState::Empty);
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        self.tag.next = bit_cast::<5, 4>(self.rules.extra.val().get_bits::<4>(0)) | self.yes.val();
        self.time_now.next = 0.into();
        if self.event.stamped.val() {
            self.time_now.next = self.event.stamp.val();
        }
        self.elapsed.next = self.time_now.val() - self.times.rdata.val();
        self.found.next = (self.tags.rdata.val() == self.tag.val()) & (self.keys.rdata.val() == self.rules.key.val());

        self.rules.step.next = false;
        self.writes.next = false;
        self.keeps.next = false;
        self.lose.next = false;
        self.next_at.next = self.at.q.val();
        match self.node_state.q.val() {
            PairState::Clear => {
                self.writes.next = true;
                self.lost.d.next = 0.into();
                self.next_at.next = self.at.q.val() + self.one.val();
                if self.at.q.val() == self.last.val() {
                    self.node_state.d.next = PairState::Wait;
                }
            }
            PairState::Wait => {
                self.next_at.next = 0.into();
                self.has_free.d.next = false;
                if self.rules.hit.val() {
                    self.node_state.d.next = PairState::Search;
                }
                if self.event.valid.val() & self.event.flush.val() {
                    self.node_state.d.next = PairState::Empty;
                }
            }
            PairState::Search => {
                self.next_at.next = self.at.q.val() + self.one.val();
                if !self.tags.rdata.val().get_bit(4) {
                    self.free.d.next = self.at.q.val();
                    self.has_free.d.next = true;
                }
                if self.found.val() {
                    self.next_at.next = self.at.q.val();
                    if self.rules.flags.val().get_bit(0) {
                        // restarts the measurement
                        self.writes.next = true;
                        self.keeps.next = true;
                        self.rules.step.next = true;
                        self.node_state.d.next = PairState::Wait;
                    } else if self.elapsed.val().get_bit(31) {
                        self.lose.next = true;
                        self.rules.step.next = true;
                        self.node_state.d.next = PairState::Wait;
                    } else {
                        self.node_state.d.next = PairState::Send;
                    }
                } else if self.at.q.val() == self.last.val() {
                    self.node_state.d.next = PairState::Open;
                }
            }
            PairState::Send => {
                if self.result.ready.val() {
                    self.writes.next = true;
                    self.lost.d.next = 0.into();
                    self.rules.step.next = true;
                    self.node_state.d.next = PairState::Wait;
                }
            }
            PairState::Open => {
                // a second event without a first is ignored
                self.lose.next = self.rules.flags.val().get_bit(0) & !self.has_free.q.val();
                self.writes.next = self.rules.flags.val().get_bit(0) & self.has_free.q.val();
                self.keeps.next = true;
                self.rules.step.next = true;
                self.node_state.d.next = PairState::Wait;
            }
            PairState::Empty => {
                self.node_state.d.next = PairState::Wait;
            }
        }
        if self.lose.val() & !self.lost.q.val().all() {
            self.lost.d.next = self.lost.q.val() + self.one_16.val();
        }
        if self.clears.val() {
            self.node_state.d.next = PairState::Clear;
            self.next_at.next = 0.into();
        }
        self.at.d.next = self.next_at.val();
        self.tags.raddr.next = self.next_at.val();
        self.keys.raddr.next = self.next_at.val();
        self.times.raddr.next = self.next_at.val();
        self.tags.waddr.next = self.at.q.val();
        self.keys.waddr.next = self.at.q.val();
        self.times.waddr.next = self.at.q.val();
        if self.node_state.q.val() == PairState::Open {
            self.tags.waddr.next = self.free.q.val();
            self.keys.waddr.next = self.free.q.val();
            self.times.waddr.next = self.free.q.val();
        }
        self.tags.we.next = self.writes.val();
        self.keys.we.next = self.writes.val();
        self.times.we.next = self.writes.val();
        self.tags.wdata.next = 0.into();
        if self.keeps.val() {
            self.tags.wdata.next = self.tag.val();
        }
        self.keys.wdata.next = self.rules.key.val();
        self.times.wdata.next = self.time_now.val();

        self.result.valid.next = self.node_state.q.val() == PairState::Send;
        self.result.dest.next = self.rules.dest.val();
        self.result.id.next = self.rules.to.val();
        self.result.core.next = self.event.core.val();
        self.result.lost.next = self.lost.q.val();
        self.result.stamped.next = self.event.stamped.val();
        self.result.stamp.next = self.event.stamp.val();
        self.result.count.next = 2.into();
        self.result.a0.next = self.rules.key.val();
        self.result.a1.next = self.elapsed.val();
        self.result.a2.next = 0.into();
        self.result.a3.next = 0.into();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.node_state.d.next = PairState::Clear;
            self.at.d.next = 0.into();
            self.lost.d.next = 0.into();
        }
    }
}
