//! Filter: passes events whose arguments match, with a new identifier and destination
//!
//! # Source
//! Paper 004 section 3.6, processing nodes; terms and rules are ours.
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
//! After a reset and after a write to the control register, the node clears its counters, one per cycle, and accepts no
//! event. An event takes one cycle for each record that does not match, 12 for each that does, and any time its results
//! wait.
//!
//! Golden model: `sim::diag::node::filter`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum FilterState {
    Clear,
    Wait,
    Term,
    Rule,
    Send,
    Empty,
}

/// A filter of up to 16 rules and 64 records.
#[derive(LogicBlock, Default)]
pub struct Filter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    // by rule: matching events modulo the period of the rule; events passed
    since: Mem<4, 32>,
    passed: Mem<4, 32>,
    node_state: DFF<FilterState>,
    at: DFF<Bits<4>>,
    // AND and OR of the terms so far
    all: DFF<Bit>,
    any: DFF<Bit>,
    masked: Signal<Local, Bits<32>>,
    holds: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    next: Signal<Local, Bits<32>>,
    writes: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    one: Fixed<Bits<32>>,
    one_4: Fixed<Bits<4>>,
    control: Fixed<Bits<12>>,
}

impl Filter {
    /// An empty filter.
    pub fn new() -> Self {
        Self {
            rules: Rules::new(6),
            one: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            control: Fixed::of(CONTROL),
            ..Default::default()
        }
    }
}

impl Logic for Filter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, node_state, at, all, any);
        clock!(self, clock, since, passed);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next =
            self.event.valid.val() & !self.event.flush.val() & (self.node_state.q.val() != FilterState::Clear);
        self.rules.every.next = false;
        self.event.ready.next = self.rules.finished.val() | (self.node_state.q.val() == FilterState::Empty);
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        self.masked.next = self.rules.key.val() & self.rules.extra.val();
        self.holds.next = false;
        if self.rules.flags.val() == 0 {
            self.holds.next = self.masked.val() == self.rules.value.val();
        }
        if self.rules.flags.val() == 1 {
            self.holds.next = self.masked.val() != self.rules.value.val();
        }
        if self.rules.flags.val() == 2 {
            self.holds.next = self.masked.val() < self.rules.value.val();
        }
        if self.rules.flags.val() == 3 {
            self.holds.next = self.masked.val() <= self.rules.value.val();
        }
        if self.rules.flags.val() == 4 {
            self.holds.next = self.masked.val() > self.rules.value.val();
        }
        if self.rules.flags.val() == 5 {
            self.holds.next = self.masked.val() >= self.rules.value.val();
        }
        self.fits.next = self.all.q.val();
        if self.rules.flags.val().get_bit(0) {
            self.fits.next = self.any.q.val();
        }

        self.since.raddr.next = self.rules.extra.val().get_bits::<4>(0);
        self.passed.raddr.next = self.rules.extra.val().get_bits::<4>(0);
        self.since.waddr.next = self.rules.extra.val().get_bits::<4>(0);
        self.passed.waddr.next = self.rules.extra.val().get_bits::<4>(0);
        self.passes.next = !self.since.rdata.val().any()
            & (!self.rules.key.val().any() | (self.passed.rdata.val() < self.rules.key.val()));
        self.next.next = self.since.rdata.val() + self.one.val();
        self.since.wdata.next = self.next.val();
        if self.next.val() == self.rules.value.val() {
            self.since.wdata.next = 0.into();
        }
        self.passed.wdata.next = self.passed.rdata.val();
        if self.passes.val() & !self.passed.rdata.val().all() {
            self.passed.wdata.next = self.passed.rdata.val() + self.one.val();
        }

        self.rules.step.next = false;
        self.writes.next = false;
        match self.node_state.q.val() {
            FilterState::Clear => {
                self.writes.next = true;
                self.since.waddr.next = self.at.q.val();
                self.passed.waddr.next = self.at.q.val();
                self.since.wdata.next = 0.into();
                self.passed.wdata.next = 0.into();
                self.all.d.next = true;
                self.any.d.next = false;
                self.at.d.next = self.at.q.val() + self.one_4.val();
                if self.at.q.val().all() {
                    self.node_state.d.next = FilterState::Wait;
                }
            }
            FilterState::Wait => {
                if self.rules.hit.val() {
                    self.node_state.d.next = FilterState::Term;
                    if self.rules.flags.val().get_bits::<2>(1) == 3 {
                        self.node_state.d.next = FilterState::Rule;
                    }
                }
                if self.event.valid.val() & self.event.flush.val() {
                    self.node_state.d.next = FilterState::Empty;
                }
            }
            FilterState::Term => {
                self.all.d.next = self.all.q.val() & self.holds.val();
                self.any.d.next = self.any.q.val() | self.holds.val();
                self.rules.step.next = true;
                self.node_state.d.next = FilterState::Wait;
            }
            FilterState::Rule => {
                self.all.d.next = true;
                self.any.d.next = false;
                self.writes.next = self.fits.val();
                if self.fits.val() & self.passes.val() {
                    self.node_state.d.next = FilterState::Send;
                } else {
                    self.rules.step.next = true;
                    self.node_state.d.next = FilterState::Wait;
                }
            }
            FilterState::Send => {
                if self.result.ready.val() {
                    self.rules.step.next = true;
                    self.node_state.d.next = FilterState::Wait;
                }
            }
            FilterState::Empty => {
                self.node_state.d.next = FilterState::Wait;
            }
        }
        self.since.we.next = self.writes.val();
        self.passed.we.next = self.writes.val();
        if self.clears.val() {
            self.node_state.d.next = FilterState::Clear;
            self.at.d.next = 0.into();
        }

        self.result.valid.next = self.node_state.q.val() == FilterState::Send;
        self.result.dest.next = self.rules.dest.val();
        self.result.id.next = self.rules.to.val();
        self.result.core.next = self.event.core.val();
        self.result.lost.next = 0.into();
        self.result.stamped.next = self.event.stamped.val();
        self.result.stamp.next = self.event.stamp.val();
        self.result.count.next = self.event.count.val();
        self.result.a0.next = self.event.a0.val();
        self.result.a1.next = self.event.a1.val();
        self.result.a2.next = self.event.a2.val();
        self.result.a3.next = self.event.a3.val();
        self.result.a4.next = self.event.a4.val();
        self.result.a5.next = self.event.a5.val();
        if self.reset.val() {
            self.node_state.d.next = FilterState::Clear;
            self.at.d.next = 0.into();
        }
    }
}
