//! Log buffer: keeps the last events before a trigger event
//!
//! # Source
//! Post-mortem buffers of trace hardware, such as ARM's ETB; paper 004 has none.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: disables the node and empties it |
//! | `write` | in | register writes |
//! | `event` | in | an event, or a flush |
//! | `result` | out | events to send |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`.
//!
//! # Timing
//! An event takes 10 cycles to store. Sending takes 10 cycles per event, and any time it waits.
//!
//! Golden model: `sim::diag::node::log`.

use crate::diag::ports::{EventIn, ResultOut, WriteIn};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::{CONTROL, RECORDS, TARGET};

/// State of the node.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum LogState {
    Wait,
    Keep,
    Load,
    Send,
    Done,
}

/// A log of up to 128 events.
#[derive(LogicBlock, Default)]
pub struct Log {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub event: EventIn,
    pub result: ResultOut,
    // words of an entry: 0 identifier, core, number of arguments and whether it has a time; 1 the time; 2 to 7
    // arguments
    words: Mem<10, 32>,
    set: DFF<Bit>,
    trigger: DFF<Bits<8>>,
    freezes: DFF<Bit>,
    target: DFF<Bits<14>>,
    node_state: DFF<LogState>,
    frozen: DFF<Bit>,
    length: DFF<Bits<8>>,
    write_at: DFF<Bits<8>>,
    read_at: Signal<Local, Bits<8>>,
    // word that is written or read
    k: DFF<Bits<4>>,
    next_k: Signal<Local, Bits<4>>,
    id: Signal<Local, Bits<8>>,
    triggers: Signal<Local, Bit>,
    head: DFF<Bits<16>>,
    held: Vec<DFF<Bits<32>>>,
    held_k: Signal<Local, Bits<4>>,
    capacity: Fixed<Bits<8>>,
    control: Fixed<Bits<12>>,
    targets: Fixed<Bits<12>>,
    record: Fixed<Bits<12>>,
    one_4: Fixed<Bits<4>>,
    one_8: Fixed<Bits<8>>,
    two: Fixed<Bits<4>>,
    _held: usize,
}

impl Log {
    /// A log of 2^`log2_events` events.
    ///
    /// # Panics
    /// Unless 1 <= `log2_events` <= 7.
    pub fn new(log2_events: usize) -> Self {
        assert!((1..=7).contains(&log2_events), "log2_events = {log2_events} is outside 1..=7");
        Self {
            words: Mem::new(3 + log2_events, 32),
            held: each(7),
            capacity: Fixed::of(1u64 << log2_events),
            control: Fixed::of(CONTROL),
            targets: Fixed::of(TARGET),
            record: Fixed::of(RECORDS),
            one_4: Fixed::of(1u64),
            one_8: Fixed::of(1u64),
            two: Fixed::of(2u64),
            _held: 7,
            ..Default::default()
        }
    }
}

impl Logic for Log {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, set, trigger, freezes, target, node_state, frozen, length, write_at, k, head);
        clock!(self, clock, words);

        // the stored form of an event; the trigger event gets another identifier
        self.triggers.next = self.event.id.val() == self.trigger.q.val();
        self.id.next = self.event.id.val();
        if self.triggers.val() {
            self.id.next = self.target.q.val().get_bits::<8>(0);
        }
        self.words.we.next = self.node_state.q.val() == LogState::Keep;
        self.words.waddr.next =
            (bit_cast::<10, 8>(self.write_at.q.val()) << 3) | bit_cast::<10, 3>(self.k.q.val().get_bits::<3>(0));
        self.words.wdata.next = bit_cast::<32, 8>(self.id.val())
            | (bit_cast::<32, 4>(self.event.core.val()) << 8)
            | (bit_cast::<32, 3>(self.event.count.val()) << 12)
            | (bit_cast::<32, 1>(self.event.stamped.val().into()) << 15);
        if self.k.q.val() == 1 {
            self.words.wdata.next = self.event.stamp.val();
        }
        if self.k.q.val() == 2 {
            self.words.wdata.next = self.event.a0.val();
        }
        if self.k.q.val() == 3 {
            self.words.wdata.next = self.event.a1.val();
        }
        if self.k.q.val() == 4 {
            self.words.wdata.next = self.event.a2.val();
        }
        if self.k.q.val() == 5 {
            self.words.wdata.next = self.event.a3.val();
        }
        if self.k.q.val() == 6 {
            self.words.wdata.next = self.event.a4.val();
        }
        if self.k.q.val() == 7 {
            self.words.wdata.next = self.event.a5.val();
        }

        self.next_k.next = self.k.q.val() + self.one_4.val();
        self.k.d.next = 0.into();
        self.event.ready.next = self.node_state.q.val() == LogState::Done;
        match self.node_state.q.val() {
            LogState::Wait => {
                if self.event.valid.val() {
                    self.node_state.d.next = LogState::Done;
                    if self.event.flush.val() {
                        self.frozen.d.next = false;
                        if self.frozen.q.val() & self.length.q.val().any() {
                            self.node_state.d.next = LogState::Load;
                        }
                    } else if self.set.q.val() & !self.frozen.q.val() {
                        self.node_state.d.next = LogState::Keep;
                    }
                }
            }
            LogState::Keep => {
                self.k.d.next = self.next_k.val();
                if self.k.q.val() == 7 {
                    self.k.d.next = 0.into();
                    self.write_at.d.next = self.write_at.q.val() + self.one_8.val();
                    if self.length.q.val() != self.capacity.val() {
                        self.length.d.next = self.length.q.val() + self.one_8.val();
                    }
                    self.node_state.d.next = LogState::Done;
                    if self.triggers.val() {
                        self.frozen.d.next = self.freezes.q.val();
                        if !self.freezes.q.val() {
                            self.node_state.d.next = LogState::Load;
                        }
                    }
                }
            }
            LogState::Load => {
                self.k.d.next = self.next_k.val();
                if self.k.q.val() == 8 {
                    self.node_state.d.next = LogState::Send;
                    self.k.d.next = 0.into();
                }
            }
            LogState::Send => {
                if self.result.ready.val() {
                    self.length.d.next = self.length.q.val() - self.one_8.val();
                    self.node_state.d.next = LogState::Load;
                    if self.length.q.val() == self.one_8.val() {
                        self.node_state.d.next = LogState::Done;
                    }
                }
            }
            LogState::Done => {
                self.node_state.d.next = LogState::Wait;
            }
        }

        // reading: word k arrives one cycle after its request
        self.read_at.next = self.write_at.q.val() - self.length.q.val();
        self.words.raddr.next =
            (bit_cast::<10, 8>(self.read_at.val()) << 3) | bit_cast::<10, 3>(self.k.q.val().get_bits::<3>(0));
        if (self.node_state.q.val() == LogState::Load) & (self.k.q.val() == 1) {
            self.head.d.next = self.words.rdata.val().get_bits::<16>(0);
        }
        self.held_k.next = self.k.q.val() - self.two.val();
        for i in 0..self._held {
            self.held[i].clock.next = self.clock.val();
            self.held[i].d.next = self.held[i].q.val();
            if (self.node_state.q.val() == LogState::Load) & (self.held_k.val() == i.to_bits::<4>()) {
                self.held[i].d.next = self.words.rdata.val();
            }
        }

        if self.write.we.val() & (self.write.addr.val() == self.targets.val()) {
            self.target.d.next = self.write.data.val().get_bits::<14>(0);
        }
        if self.write.we.val() & (self.write.addr.val() == self.record.val()) {
            self.trigger.d.next = self.write.data.val().get_bits::<8>(0);
            self.freezes.d.next = self.write.data.val().get_bit(13);
            self.frozen.d.next = self.frozen.q.val() | (self.set.q.val() & self.write.data.val().get_bit(14));
        }
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.set.d.next = self.write.data.val().get_bit(0);
            self.length.d.next = 0.into();
            self.frozen.d.next = false;
        }

        self.result.valid.next = self.node_state.q.val() == LogState::Send;
        self.result.dest.next = self.target.q.val().get_bits::<6>(8);
        self.result.id.next = self.head.q.val().get_bits::<8>(0);
        self.result.core.next = self.head.q.val().get_bits::<4>(8);
        self.result.lost.next = 0.into();
        self.result.stamped.next = self.head.q.val().get_bit(15);
        self.result.stamp.next = self.held[0].q.val();
        self.result.count.next = self.head.q.val().get_bits::<3>(12);
        self.result.a0.next = self.held[1].q.val();
        self.result.a1.next = self.held[2].q.val();
        self.result.a2.next = self.held[3].q.val();
        self.result.a3.next = self.held[4].q.val();
        self.result.a4.next = self.held[5].q.val();
        self.result.a5.next = self.held[6].q.val();
        if self.reset.val() {
            self.set.d.next = false;
            self.frozen.d.next = false;
            self.length.d.next = 0.into();
            self.write_at.d.next = 0.into();
            self.k.d.next = 0.into();
            self.node_state.d.next = LogState::Wait;
        }
    }
}
