//! Times of the messages: TSTAMP, and the last time of each core
//!
//! # Source
//! RISC-V N-Trace 1.0, "Timestamping"; the choices: `docs/reference/ntrace.md`.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `enable` | in | 1 | with a time stamp unit: messages have a time |
//! | `core` | in | 4 | the core whose entry is next; with one core ignored |
//! | `timestamp` | in | 32 | time of the entry |
//! | `absolute` | in | 1 | the message is a synchronization |
//! | `sends` | in | 1 | TSTAMP of the message is taken |
//! | `has_time` | out | 1 | a message whose other fields end in this cycle has a TSTAMP |
//! | `stamp` | out | 32 | TSTAMP: `timestamp`, or its difference from that of the core's last message with a time |
//!
//! # Timing
//! `has_time` responds in the same cycle. A difference comes one cycle after `timestamp` and `core`, with more than one core two cycles
//! after `core`.
//!
//! After messages without a time, the next difference would count from a time that a decoder which begins there does not know. So a
//! core has times again from its next synchronization on.
//!
//! Golden model: [`sim::standard::ntrace::Encoder`].

use crate::widget::fixed::Fixed;
use crate::widget::mem::Mem;
use crate::LogicBlock;
use rust_hdl::prelude::*;

/// The times of all cores.
#[derive(LogicBlock, Default)]
pub struct NtraceTimes {
    pub clock: Signal<In, Clock>,
    pub enable: Signal<In, Bit>,
    pub core: Signal<In, Bits<4>>,
    pub timestamp: Signal<In, Bits<32>>,
    pub absolute: Signal<In, Bit>,
    pub sends: Signal<In, Bit>,
    pub has_time: Signal<Out, Bit>,
    pub stamp: Signal<Out, Bits<32>>,
    // that of the core's last message, and the difference
    times: Mem<4, 32>,
    own_time: DFF<Bits<32>>,
    last_time: Signal<Local, Bits<32>>,
    elapsed: DFF<Bits<32>>,
    // with a time stamp unit: cores whose last message had no time; with one core bit 0
    unknown: DFF<Bits<16>>,
    own_bit: Signal<Local, Bits<16>>,
    many: Fixed<Bit>,
    optional: Fixed<Bit>,
    one_16: Fixed<Bits<16>>,
    all: Fixed<Bits<16>>,
}

impl NtraceTimes {
    /// The block for this many cores; `optional`: with a time stamp unit.
    pub fn new(cores: u8, optional: bool) -> Self {
        let many = cores > 1;
        let ti_bits = u32::from(cores).next_power_of_two().trailing_zeros() as usize;
        Self {
            times: Mem::new(ti_bits.max(1), if many { 32 } else { 0 }),
            many: Fixed::new(many),
            optional: Fixed::new(optional),
            one_16: Fixed::of(1u8),
            all: Fixed::of((1u32 << cores) - 1),
            ..Default::default()
        }
    }
}

impl Logic for NtraceTimes {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, own_time, elapsed, unknown);
        clock!(self, clock, times);
        self.last_time.next = self.own_time.q.val();
        if self.many.val() {
            self.last_time.next = self.times.rdata.val();
        }
        self.elapsed.d.next = self.timestamp.val() - self.last_time.val();
        self.stamp.next = self.elapsed.q.val();
        if self.absolute.val() {
            self.stamp.next = self.timestamp.val();
        }
        self.times.raddr.next = self.core.val();
        self.times.waddr.next = self.core.val();
        self.times.wdata.next = self.timestamp.val();
        self.times.we.next = self.sends.val() & self.many.val();
        if self.sends.val() {
            self.own_time.d.next = self.timestamp.val();
        }

        // the number of one core may be that of an input
        self.own_bit.next = self.one_16.val();
        if self.many.val() {
            self.own_bit.next = self.one_16.val() << self.core.val();
        }
        self.has_time.next = true;
        if self.optional.val() {
            self.has_time.next =
                self.enable.val() & (self.absolute.val() | !(self.unknown.q.val() & self.own_bit.val()).any());
            if self.sends.val() & self.absolute.val() {
                self.unknown.d.next = self.unknown.q.val() & !self.own_bit.val();
            }
            if !self.enable.val() {
                self.unknown.d.next = self.all.val();
            }
        }
    }
}
