//! State machine in a table: for sequences, transactions, monitors
//!
//! # Source
//! Paper 004 section 5.1.3, which implements a transaction check in fixed logic; the table is ours.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: clears the rules and the states |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! An event takes one cycle for each class that does not match, 12 for each that does, and any time its report waits.
//! With one state per key, it takes 2 cycles more, and one for each key that is compared.
//!
//! Golden model: `sim::diag::node::machine`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::diag::rules::{Operands, Rules};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::packet::HOST;
use sim::diag::registers::{CONTROL, TARGET};

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum MachineState {
    Wait,
    Find,
    Store,
    Step,
    Send,
    Pass,
    Empty,
}

/// A state machine with 16 states and 16 event classes.
#[derive(LogicBlock, Default)]
pub struct Machine {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    rules: Rules,
    steps: Mem<8, 16>,
    target: DFF<Bits<15>>,
    node_state: DFF<MachineState>,
    // current state; with one state per key, that of the current key
    state: DFF<Bits<4>>,
    keys: Mem<4, 32>,
    states: Mem<4, 4>,
    used: DFF<Bits<5>>,
    at: DFF<Bits<5>>,
    next_at: Signal<Local, Bits<5>>,
    keyed: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    done: Signal<Local, Bit>,
    owner: DFF<Bits<32>>,
    other: Signal<Local, Bit>,
    next: Signal<Local, Bits<4>>,
    owns: Signal<Local, Bit>,
    reports: Signal<Local, Bit>,
    clears: Signal<Local, Bit>,
    host: Fixed<Bits<6>>,
    one_5: Fixed<Bits<5>>,
    control: Fixed<Bits<12>>,
    targets: Fixed<Bits<12>>,
}

impl Machine {
    /// A state machine with an empty table.
    pub fn new() -> Self {
        Self {
            rules: Rules::new(4),
            keys: Mem::new(4, 32),
            states: Mem::new(4, 4),
            host: Fixed::of(HOST),
            one_5: Fixed::of(1u64),
            control: Fixed::of(CONTROL),
            targets: Fixed::of(TARGET),
            ..Default::default()
        }
    }
}

impl Logic for Machine {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, target, node_state, state, used, at, owner);
        clock!(self, clock, steps, keys, states);
        WriteIn::link(&mut self.write, &mut self.rules.write);
        self.rules.clock.next = self.clock.val();
        self.rules.reset.next = self.reset.val();
        Operands::join(&mut self.event, &mut self.rules);
        self.rules.go.next = self.event.valid.val() & !self.event.flush.val();
        self.rules.every.next = false;
        // the node holds nothing that a flush could send
        self.event.ready.next = self.rules.finished.val() | (self.node_state.q.val() == MachineState::Empty);

        self.steps.we.next = self.write.we.val() & (self.write.addr.val().get_bits::<4>(8) == 8);
        self.steps.waddr.next = self.write.addr.val().get_bits::<8>(0);
        self.steps.wdata.next = self.write.data.val();
        if self.write.we.val() & (self.write.addr.val() == self.targets.val()) {
            self.target.d.next = self.write.data.val().get_bits::<15>(0);
        }
        self.clears.next = self.write.we.val() & (self.write.addr.val() == self.control.val());

        self.steps.raddr.next =
            (bit_cast::<8, 4>(self.state.q.val()) << 4) | bit_cast::<8, 4>(self.rules.index.val().get_bits::<4>(0));
        self.other.next = self.rules.key.val() != self.owner.q.val();
        self.next.next = self.steps.rdata.val().get_bits::<4>(0);
        self.owns.next = self.steps.rdata.val().get_bit(4);
        self.reports.next = self.steps.rdata.val().get_bit(5);
        if self.other.val() {
            self.next.next = self.steps.rdata.val().get_bits::<4>(8);
            self.owns.next = self.steps.rdata.val().get_bit(12);
            self.reports.next = self.steps.rdata.val().get_bit(13);
        }
        self.keyed.next = self.target.q.val().get_bit(14);
        self.next_at.next = self.at.q.val();
        self.done.next = false;
        match self.node_state.q.val() {
            MachineState::Wait => {
                self.next_at.next = 0.into();
                if self.rules.hit.val() {
                    self.node_state.d.next = MachineState::Step;
                    if self.keyed.val() {
                        self.node_state.d.next = MachineState::Find;
                    }
                }
                if self.event.valid.val() & self.event.flush.val() {
                    self.node_state.d.next = MachineState::Empty;
                }
            }
            MachineState::Empty => {
                self.node_state.d.next = MachineState::Wait;
            }
            MachineState::Find => {
                self.state.d.next = self.states.rdata.val();
                if self.at.q.val() == self.used.q.val() {
                    // a new key, if there is a free entry
                    self.state.d.next = 0.into();
                    self.node_state.d.next = MachineState::Store;
                    if self.used.q.val().get_bit(4) {
                        self.node_state.d.next = MachineState::Pass;
                    } else {
                        self.used.d.next = self.used.q.val() + self.one_5.val();
                    }
                } else if self.keys.rdata.val() == self.rules.key.val() {
                    self.node_state.d.next = MachineState::Store;
                } else {
                    self.next_at.next = self.at.q.val() + self.one_5.val();
                }
            }
            MachineState::Store => {
                self.node_state.d.next = MachineState::Step;
            }
            MachineState::Step => {
                if self.reports.val() {
                    self.node_state.d.next = MachineState::Send;
                } else {
                    self.done.next = true;
                }
            }
            MachineState::Send => {
                self.done.next = self.result.ready.val();
            }
            MachineState::Pass => {
                if self.result.ready.val() {
                    self.node_state.d.next = MachineState::Wait;
                }
            }
        }
        if self.done.val() {
            self.node_state.d.next = MachineState::Wait;
            self.state.d.next = self.next.val();
            if self.owns.val() {
                self.owner.d.next = self.rules.key.val();
            }
        }
        self.passes.next = self.node_state.q.val() == MachineState::Pass;
        self.rules.step.next = self.done.val() | (self.passes.val() & self.result.ready.val());
        if self.clears.val() {
            self.state.d.next = 0.into();
            self.owner.d.next = 0.into();
            self.used.d.next = 0.into();
        }
        self.at.d.next = self.next_at.val();
        self.keys.raddr.next = self.next_at.val().get_bits::<4>(0);
        self.keys.waddr.next = self.at.q.val().get_bits::<4>(0);
        self.keys.wdata.next = self.rules.key.val();
        // the key of an existing entry is written again, unchanged
        self.keys.we.next = self.node_state.q.val() == MachineState::Store;
        self.states.raddr.next = self.next_at.val().get_bits::<4>(0);
        self.states.waddr.next = self.at.q.val().get_bits::<4>(0);
        self.states.wdata.next = self.next.val();
        self.states.we.next = self.done.val();

        self.result.valid.next = (self.node_state.q.val() == MachineState::Send) | self.passes.val();
        self.result.dest.next = self.target.q.val().get_bits::<6>(8);
        self.result.id.next = self.target.q.val().get_bits::<8>(0);
        self.result.core.next = self.event.core.val();
        self.result.lost.next = 0.into();
        self.result.stamped.next = self.event.stamped.val();
        self.result.stamp.next = self.event.stamp.val();
        self.result.count.next = 4.into();
        self.result.a0.next = bit_cast::<32, 4>(self.state.q.val());
        self.result.a1.next = bit_cast::<32, 7>(self.rules.index.val());
        self.result.a2.next = self.rules.key.val();
        self.result.a3.next = self.owner.q.val();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.passes.val() {
            self.result.dest.next = self.host.val();
            self.result.id.next = self.event.id.val();
            self.result.count.next = self.event.count.val();
            self.result.a0.next = self.event.a0.val();
            self.result.a1.next = self.event.a1.val();
            self.result.a2.next = self.event.a2.val();
            self.result.a3.next = self.event.a3.val();
            self.result.a4.next = self.event.a4.val();
            self.result.a5.next = self.event.a5.val();
        }
        if self.reset.val() {
            self.node_state.d.next = MachineState::Wait;
            self.target.d.next = 0.into();
            self.state.d.next = 0.into();
            self.owner.d.next = 0.into();
            self.used.d.next = 0.into();
        }
    }
}
