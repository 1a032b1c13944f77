//! Tick: a periodic event, with flushes of tables
//!
//! # Source
//! Original to this project: in paper 004 section 3.6 the host polls the nodes.
//!
//! # Ports
//! | port | dir | meaning |
//! | --- | --- | --- |
//! | `reset` | in | 1: disables the node; sets the time to 0 |
//! | `write` | in | register writes |
//! | `result` | out | events to send; with bit 0 of `core` 1: a flush, with the number in `a0` |
//!
//! Bundles: [`crate::diag::ports`]; registers: `sim::diag::registers`. Registers may be written only while the node is
//! off.
//!
//! # Timing
//! The first tick is due one period after the write to the control register, and is sent two cycles later; times are
//! counted from the end of the reset. Each result follows one cycle after the previous one was taken. All outputs come
//! from registers.
//!
//! Golden model: `sim::diag::node::tick`.

use crate::diag::ports::{ResultOut, WriteIn};
use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::diag::registers::CONTROL;

/// A periodic source of events and of flushes for up to 63 nodes.
#[derive(LogicBlock, Default)]
pub struct Tick {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub write: WriteIn,
    pub result: ResultOut,
    // target of the event, then of the flushes
    targets: Mem<6, 14>,
    used: DFF<Bits<7>>,
    period: DFF<Bits<32>>,
    clocks: DFF<Bits<32>>,
    count: DFF<Bits<32>>,
    due: DFF<Bit>,
    due_1: Signal<Local, Bit>,
    stamp: DFF<Bits<32>>,
    missed: DFF<Bits<16>>,
    missed_1: Signal<Local, Bits<16>>,
    number: DFF<Bits<16>>,
    sending: DFF<Bit>,
    at: DFF<Bits<7>>,
    after: Signal<Local, Bits<7>>,
    next_at: Signal<Local, Bits<7>>,
    flushes: Signal<Local, Bit>,
    last: Signal<Local, Bits<7>>,
    held_stamp: DFF<Bits<32>>,
    held_lost: DFF<Bits<16>>,
    of_record: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    word: Signal<Local, Bits<4>>,
    low: Signal<Local, Bits<16>>,
    high: Signal<Local, Bits<16>>,
    control: Fixed<Bits<12>>,
    one_7: Fixed<Bits<7>>,
    one_16: Fixed<Bits<16>>,
    one_32: Fixed<Bits<32>>,
}

impl Tick {
    /// A tick that flushes up to 2^`log2_records` - 1 nodes.
    ///
    /// # Panics
    /// Unless 1 <= `log2_records` <= 6.
    pub fn new(log2_records: usize) -> Self {
        Self {
            targets: Mem::new(log2_records, 14),
            control: Fixed::of(CONTROL),
            one_7: Fixed::of(1u64),
            one_16: Fixed::of(1u64),
            one_32: Fixed::of(1u64),
            ..Default::default()
        }
    }
}

impl Logic for Tick {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, used, period, clocks, count, due, stamp, missed, number, sending, at, held_stamp, held_lost
        );
        clock!(self, clock, targets);
        self.clocks.d.next = self.clocks.q.val() + self.one_32.val();

        // register writes
        self.of_record.next = self.write.we.val() & (self.write.addr.val().get_bits::<2>(10) == 1);
        self.first.next = self.of_record.val() & !self.write.addr.val().get_bits::<6>(4).any();
        self.word.next = self.write.addr.val().get_bits::<4>(0);
        self.targets.we.next = self.of_record.val() & (self.word.val() == 1);
        self.targets.waddr.next = self.write.addr.val().get_bits::<6>(4);
        self.targets.wdata.next = self.write.data.val().get_bits::<14>(0);
        self.low.next = self.period.q.val().get_bits::<16>(0);
        self.high.next = self.period.q.val().get_bits::<16>(16);
        if self.first.val() & (self.word.val() == 7) {
            self.low.next = self.write.data.val();
        }
        if self.first.val() & (self.word.val() == 8) {
            self.high.next = self.write.data.val();
        }
        self.period.d.next = (bit_cast::<32, 16>(self.high.val()) << 16) | bit_cast::<32, 16>(self.low.val());

        // results
        self.due_1.next = self.due.q.val();
        self.missed_1.next = self.missed.q.val();
        self.next_at.next = self.at.q.val();
        self.after.next = self.at.q.val() + self.one_7.val();
        if self.sending.q.val() {
            if self.result.ready.val() {
                self.next_at.next = self.after.val();
                if self.after.val() >= self.used.q.val() {
                    self.next_at.next = 0.into();
                    self.sending.d.next = false;
                }
            }
        } else if self.due.q.val() {
            self.sending.d.next = true;
            self.number.d.next = self.number.q.val() + self.one_16.val();
            self.held_stamp.d.next = self.stamp.q.val();
            self.held_lost.d.next = self.missed.q.val();
            self.due_1.next = false;
            self.missed_1.next = 0.into();
        }
        self.at.d.next = self.next_at.val();
        self.targets.raddr.next = self.next_at.val().get_bits::<6>(0);

        // the period
        if self.used.q.val().any() {
            self.count.d.next = self.count.q.val() + self.one_32.val();
            if self.count.q.val() == self.period.q.val() {
                self.count.d.next = self.one_32.val();
                if !self.due_1.val() {
                    self.stamp.d.next = self.clocks.q.val();
                } else if !self.missed_1.val().all() {
                    self.missed_1.next = self.missed_1.val() + self.one_16.val();
                }
                self.due_1.next = true;
            }
        }
        if self.write.we.val() & (self.write.addr.val() == self.control.val()) {
            self.used.d.next = 0.into();
            if self.write.data.val().get_bit(0) {
                self.used.d.next = self.write.data.val().get_bits::<7>(8);
            }
            self.count.d.next = self.one_32.val();
            self.due_1.next = false;
            self.missed_1.next = 0.into();
        }
        self.due.d.next = self.due_1.val();
        self.missed.d.next = self.missed_1.val();

        self.flushes.next = self.at.q.val().any();
        self.last.next = self.used.q.val() - self.one_7.val();
        self.result.valid.next = self.sending.q.val();
        self.result.dest.next = self.targets.rdata.val().get_bits::<6>(8);
        self.result.id.next = self.targets.rdata.val().get_bits::<8>(0);
        self.result.core.next = bit_cast::<4, 1>(self.flushes.val().into());
        self.result.stamp.next = self.held_stamp.q.val();
        self.result.lost.next = self.held_lost.q.val();
        self.result.stamped.next = true;
        self.result.count.next = 2.into();
        self.result.a0.next = bit_cast::<32, 16>(self.number.q.val());
        self.result.a1.next = bit_cast::<32, 7>(self.last.val());
        if self.flushes.val() {
            self.result.lost.next = 0.into();
            self.result.stamped.next = false;
            self.result.count.next = 1.into();
            self.result.a1.next = 0.into();
        }
        self.result.a2.next = 0.into();
        self.result.a3.next = 0.into();
        self.result.a4.next = 0.into();
        self.result.a5.next = 0.into();
        if self.reset.val() {
            self.used.d.next = 0.into();
            self.clocks.d.next = 0.into();
            self.due.d.next = false;
            self.missed.d.next = 0.into();
            self.number.d.next = 0.into();
            self.sending.d.next = false;
            self.at.d.next = 0.into();
        }
    }
}
