//! Rules of a node: finds the records that match an event, one by one, with their operands
//!
//! The records are in one memory, 16 words each, and are scanned in order. When one matches the event, its key, value
//! and other fields are loaded and held until the node is done with them.
//!
//! # Source
//! Original to this project; the record: `sim::diag::registers`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: disables all records |
//! | `write` | in | | register writes |
//! | `go` | in | 1 | request to look up an event; holds until `finished` |
//! | `every` | in | 1 | 1: every record matches |
//! | `id`, `core`, `a0` to `a5` | in | 8, 4, 32 | of the event |
//! | `hit` | out | 1 | a record matches; the outputs below are valid |
//! | `index` | out | 7 | number of the record |
//! | `key`, `value`, `extra` | out | 32 | its key, its value, another 32 bits |
//! | `dest`, `to`, `flags` | out | 6, 8, 3 | destination of results, their identifier, flags |
//! | `step` | in | 1 | the node is done with the record; only while `hit` |
//! | `finished` | out | 1 | no more records, for one cycle |
//!
//! # Timing
//! One cycle for each record that does not match, 10 for each that does, and one at the end. All outputs come from
//! registers.
//!
//! Golden model: the nodes of `sim::diag::node`.

use super::ports::{EventIn, WriteIn};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// State of the lookup.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum RulesState {
    Idle,
    Look,
    Load,
    Hit,
    Finished,
}

/// Implements the join of an event to the ports of the rules that receive it unchanged.
macro_rules! operands {
    ($($port:ident),*) => {
        impl Operands {
            /// Joins the event of a node to the rules.
            pub fn join(event: &mut EventIn, rules: &mut Rules) {
                $(rules.$port.next = event.$port.val();)*
            }

            /// The same, for the Verilog writer.
            pub fn join_hdl(_: &str, event: &str, rules: &str) -> Vec<ast::VerilogLink> {
                let ports = [$(stringify!($port)),*].iter();
                let link = |port: &&str| ast::VerilogLinkDetails {
                    my_name: format!(".{port}"),
                    owner_name: event.into(),
                    other_name: rules.into(),
                };
                ports.map(|port| ast::VerilogLink::Forward(link(port))).collect()
            }
        }

        impl LogicJoin for Rules {
            fn join_connect(&mut self) {
                $(self.$port.connect();)*
            }
        }
    };
}

/// The fields of an event that the rules look up; in the kernel of a node: `Operands::join(&mut self.event, &mut
/// self.rules)`.
pub struct Operands;
operands!(id, core, a0, a1, a2, a3, a4, a5);

/// A memory of records, and the lookup in it.
#[derive(LogicBlock, Default)]
pub struct Rules {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub go: Signal<In, Bit>,
    pub every: Signal<In, Bit>,
    pub id: Signal<In, Bits<8>>,
    pub core: Signal<In, Bits<4>>,
    pub a0: Signal<In, Bits<32>>,
    pub a1: Signal<In, Bits<32>>,
    pub a2: Signal<In, Bits<32>>,
    pub a3: Signal<In, Bits<32>>,
    pub a4: Signal<In, Bits<32>>,
    pub a5: Signal<In, Bits<32>>,
    pub hit: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<7>>,
    pub key: Signal<Out, Bits<32>>,
    pub value: Signal<Out, Bits<32>>,
    pub extra: Signal<Out, Bits<32>>,
    pub dest: Signal<Out, Bits<6>>,
    pub to: Signal<Out, Bits<8>>,
    pub flags: Signal<Out, Bits<3>>,
    pub step: Signal<In, Bit>,
    pub finished: Signal<Out, Bit>,
    records: Mem<10, 16>,
    used: DFF<Bits<7>>,
    state: DFF<RulesState>,
    at: DFF<Bits<7>>,
    word: DFF<Bits<4>>,
    next_at: Signal<Local, Bits<7>>,
    next_word: Signal<Local, Bits<4>>,
    kind: Signal<Local, Bits<2>>,
    operand: Signal<Local, Bits<32>>,
    constant: DFF<Bit>,
    key_: DFF<Bits<32>>,
    value_: DFF<Bits<32>>,
    extra_: DFF<Bits<32>>,
    to_: DFF<Bits<14>>,
    flags_: DFF<Bits<3>>,
    control: Fixed<Bits<12>>,
    one: Fixed<Bits<7>>,
    one_4: Fixed<Bits<4>>,
}

impl Rules {
    /// A memory of 2^`log2_records` records.
    ///
    /// # Panics
    /// If `log2_records` is more than 6.
    pub fn new(log2_records: usize) -> Self {
        assert!(log2_records <= 6, "log2_records = {log2_records} is outside 0..=6");
        Self {
            records: Mem::new(4 + log2_records, 16),
            control: Fixed::of(CONTROL),
            one: Fixed::of(1u64),
            one_4: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Rules {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, used, state, at, word, constant, key_, value_, extra_, to_, flags_);
        clock!(self, clock, records);

        self.records.we.next = self.write.we.val() & (self.write.addr.val().get_bits::<2>(10) == 1);
        self.records.waddr.next = self.write.addr.val().get_bits::<10>(0);
        self.records.wdata.next = self.write.data.val();
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.used.d.next = 0.into();
            if self.write.data.val().get_bit(0) {
                self.used.d.next = self.write.data.val().get_bits::<7>(8);
            }
        }

        // the operand that the word selects
        self.kind.next = self.records.rdata.val().get_bits::<2>(11);
        self.operand.next = 0.into();
        if !self.kind.val().any() {
            if self.records.rdata.val().get_bits::<3>(8) == 0 {
                self.operand.next = self.a0.val();
            }
            if self.records.rdata.val().get_bits::<3>(8) == 1 {
                self.operand.next = self.a1.val();
            }
            if self.records.rdata.val().get_bits::<3>(8) == 2 {
                self.operand.next = self.a2.val();
            }
            if self.records.rdata.val().get_bits::<3>(8) == 3 {
                self.operand.next = self.a3.val();
            }
            if self.records.rdata.val().get_bits::<3>(8) == 4 {
                self.operand.next = self.a4.val();
            }
            if self.records.rdata.val().get_bits::<3>(8) == 5 {
                self.operand.next = self.a5.val();
            }
        }
        if self.kind.val() == 1 {
            self.operand.next = bit_cast::<32, 4>(self.core.val());
        }

        self.next_at.next = self.at.q.val();
        self.next_word.next = self.word.q.val();
        match self.state.q.val() {
            RulesState::Idle => {
                self.next_at.next = 0.into();
                self.next_word.next = 0.into();
                if self.go.val() {
                    self.state.d.next = RulesState::Look;
                }
            }
            RulesState::Look => {
                self.key_.d.next = self.operand.val();
                self.constant.d.next = self.kind.val().get_bit(1);
                self.flags_.d.next = self.records.rdata.val().get_bits::<3>(13);
                if self.at.q.val() == self.used.q.val() {
                    self.state.d.next = RulesState::Finished;
                } else if self.every.val() | (self.records.rdata.val().get_bits::<8>(0) == self.id.val()) {
                    self.state.d.next = RulesState::Load;
                    self.next_word.next = 1.into();
                } else {
                    self.next_at.next = self.at.q.val() + self.one.val();
                }
            }
            RulesState::Load => {
                self.next_word.next = self.word.q.val() + self.one_4.val();
                if self.word.q.val() == 1 {
                    self.to_.d.next = self.records.rdata.val().get_bits::<14>(0);
                }
                if self.constant.q.val() & (self.word.q.val() == 2) {
                    self.key_.d.next = bit_cast::<32, 16>(self.records.rdata.val());
                }
                if self.constant.q.val() & (self.word.q.val() == 3) {
                    self.key_.d.next = self.key_.q.val() | (bit_cast::<32, 16>(self.records.rdata.val()) << 16);
                }
                if self.word.q.val() == 4 {
                    self.value_.d.next = self.operand.val();
                    self.constant.d.next = self.kind.val().get_bit(1);
                }
                if self.constant.q.val() & (self.word.q.val() == 5) {
                    self.value_.d.next = bit_cast::<32, 16>(self.records.rdata.val());
                }
                if self.constant.q.val() & (self.word.q.val() == 6) {
                    self.value_.d.next = self.value_.q.val() | (bit_cast::<32, 16>(self.records.rdata.val()) << 16);
                }
                if self.word.q.val() == 7 {
                    self.extra_.d.next = bit_cast::<32, 16>(self.records.rdata.val());
                }
                if self.word.q.val() == 8 {
                    self.extra_.d.next = self.extra_.q.val() | (bit_cast::<32, 16>(self.records.rdata.val()) << 16);
                    self.state.d.next = RulesState::Hit;
                }
            }
            RulesState::Hit => {
                if self.step.val() {
                    self.next_at.next = self.at.q.val() + self.one.val();
                    self.next_word.next = 0.into();
                    self.state.d.next = RulesState::Look;
                }
            }
            RulesState::Finished => {
                self.state.d.next = RulesState::Idle;
                self.next_at.next = 0.into();
                self.next_word.next = 0.into();
            }
        }
        self.at.d.next = self.next_at.val();
        self.word.d.next = self.next_word.val();
        self.records.raddr.next =
            (bit_cast::<10, 7>(self.next_at.val()) << 4) | bit_cast::<10, 4>(self.next_word.val());

        self.hit.next = self.state.q.val() == RulesState::Hit;
        self.finished.next = self.state.q.val() == RulesState::Finished;
        self.index.next = self.at.q.val();
        self.key.next = self.key_.q.val();
        self.value.next = self.value_.q.val();
        self.extra.next = self.extra_.q.val();
        self.dest.next = self.to_.q.val().get_bits::<6>(8);
        self.to.next = self.to_.q.val().get_bits::<8>(0);
        self.flags.next = self.flags_.q.val();
        if self.reset.val() {
            self.state.d.next = RulesState::Idle;
            self.used.d.next = 0.into();
            self.at.d.next = 0.into();
            self.word.d.next = 0.into();
        }
    }
}
