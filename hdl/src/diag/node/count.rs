//! Count: counts events, and sends an event when a counter reaches its limit
//!
//! # Source
//! Paper 004 section 3.6, processing nodes; rules and overflow are ours.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: clears the rules and the counters |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! After a reset and after a write to the control register, the node clears the counters, one per cycle, and accepts no
//! event. An event takes one cycle for each rule that does not match, 12 for each that does, and any time its results
//! wait.
//!
//! Golden model: `sim::diag::node::count`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum CountState {
    Clear,
    Wait,
    Count,
    Full,
    Reached,
    Look,
    Send,
}

/// A set of up to 128 counters.
#[derive(LogicBlock, Default)]
pub struct Count {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    counts: Mem<7, 32>,
    node_state: DFF<CountState>,
    // counter of core 0, or of the rule; while clearing, the next counter
    at: DFF<Bits<8>>,
    core: DFF<Bits<4>>,
    index: Signal<Local, Bits<8>>,
    more: Signal<Local, Bits<32>>,
    overflows: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    last: Fixed<Bits<8>>,
    most: Fixed<Bits<32>>,
    one: Fixed<Bits<32>>,
    one_8: Fixed<Bits<8>>,
    one_4: Fixed<Bits<4>>,
    control: Fixed<Bits<12>>,
}

impl Count {
    /// A set of 2^`log2_counters` counters that count to `most`.
    ///
    /// # Panics
    /// Unless 1 <= `log2_counters` <= 7.
    pub fn new(log2_counters: usize, most: u32) -> Self {
        Self {
            rules: Rules::new(4),
            counts: Mem::new(log2_counters, 32),
            last: Fixed::of((1u64 << log2_counters) - 1),
            most: Fixed::of(most),
            one: Fixed::of(1u64),
            one_8: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            control: Fixed::of(CONTROL),
            ..Default::default()
        }
    }
}

impl Logic for Count {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, node_state, at, core);
        clock!(self, clock, counts);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next = self.event.valid.val() & (self.node_state.q.val() != CountState::Clear);
        self.rules.every.next = self.event.flush.val();
        self.event.ready.next = self.rules.finished.val();
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        // rules that count by core use the core as their key
        self.index.next = self.rules.value.val().get_bits::<8>(0) + self.rules.key.val().get_bits::<8>(0);
        if self.event.flush.val() {
            self.index.next = self.rules.value.val().get_bits::<8>(0) + bit_cast::<8, 4>(self.core.q.val());
        }
        self.counts.raddr.next = self.index.val().get_bits::<7>(0);
        self.counts.waddr.next = self.index.val().get_bits::<7>(0);
        self.counts.we.next = false;
        self.counts.wdata.next = 0.into();
        self.overflows.next = self.counts.rdata.val() == self.most.val();
        self.more.next = self.counts.rdata.val() + self.one.val();
        self.rules.step.next = false;
        match self.node_state.q.val() {
            CountState::Clear => {
                self.counts.we.next = true;
                self.counts.waddr.next = self.at.q.val().get_bits::<7>(0);
                self.at.d.next = self.at.q.val() + self.one_8.val();
                if self.at.q.val() == self.last.val() {
                    self.node_state.d.next = CountState::Wait;
                }
            }
            CountState::Wait => {
                self.core.d.next = 0.into();
                if self.rules.hit.val() {
                    self.node_state.d.next = CountState::Count;
                    if self.event.flush.val() {
                        self.node_state.d.next = CountState::Look;
                    }
                }
            }
            CountState::Count => {
                if self.overflows.val() {
                    self.node_state.d.next = CountState::Full;
                } else if self.more.val() == self.rules.extra.val() {
                    self.node_state.d.next = CountState::Reached;
                } else {
                    self.counts.we.next = true;
                    self.counts.wdata.next = self.more.val();
                    self.rules.step.next = true;
                    self.node_state.d.next = CountState::Wait;
                }
            }
            CountState::Full => {
                // sent; the counter restarts from 0
                if self.result.ready.val() {
                    self.counts.we.next = true;
                    self.node_state.d.next = CountState::Wait;
                }
            }
            CountState::Reached => {
                if self.result.ready.val() {
                    self.counts.we.next = true;
                    self.rules.step.next = true;
                    self.node_state.d.next = CountState::Wait;
                }
            }
            CountState::Look => {
                self.node_state.d.next = CountState::Send;
            }
            CountState::Send => {
                if !self.counts.rdata.val().any() | self.result.ready.val() {
                    self.counts.we.next = self.result.ready.val();
                    self.core.d.next = self.core.q.val() + self.one_4.val();
                    self.node_state.d.next = CountState::Look;
                    if !self.rules.flags.val().get_bit(0) | self.core.q.val().all() {
                        self.rules.step.next = true;
                        self.node_state.d.next = CountState::Wait;
                    }
                }
            }
        }
        if self.clears.val() {
            self.node_state.d.next = CountState::Clear;
            self.at.d.next = 0.into();
        }

        self.result.valid.next = (self.node_state.q.val() == CountState::Full)
            | (self.node_state.q.val() == CountState::Reached)
            | ((self.node_state.q.val() == CountState::Send) & self.counts.rdata.val().any());
        self.result.dest.next = self.rules.dest.val();
        self.result.id.next = self.rules.to.val();
        self.result.core.next = 0.into();
        self.result.lost.next = 0.into();
        self.result.stamped.next = false;
        self.result.stamp.next = 0.into();
        self.result.count.next = 2.into();
        self.result.a0.next = bit_cast::<32, 8>(self.index.val());
        self.result.a1.next = self.counts.rdata.val();
        if self.node_state.q.val() == CountState::Reached {
            self.result.a1.next = self.more.val();
        }
        self.result.a2.next = 0.into();
        self.result.a3.next = 0.into();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.node_state.d.next = CountState::Clear;
            self.at.d.next = 0.into();
        }
    }
}
