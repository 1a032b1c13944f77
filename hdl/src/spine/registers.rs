//! Registers: control and status of a trace system on a small bus
//!
//! # Source
//! The map is [`sim::regs`]; addresses, fields and constants are taken from there.
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: disabled, no overflow noted |
//! | `bus.addr` | in | 3 | register |
//! | `bus.write` | in | 1 | 1: write `bus.wdata` |
//! | `bus.wdata` | in | 32 | what to write |
//! | `bus.rdata` | out | 32 | the register addressed by `bus.addr` in the cycle before |
//! | `ready`, `active`, `idle` | in | 1 | for `status` |
//! | `overflow` | in | 16 | bit i: core i is losing instructions |
//! | `loses` | in | 16 | bit i: core i loses an instruction in this cycle |
//! | `more[i]` | in | 10 | number of further instructions that core i loses with it, where several retire per cycle and losses are counted; else 0 |
//! | `discontinuity` | in | 16 | bit i: an instruction of core i does not follow from the one before |
//! | `enable` | out | 1 | `control.enable` |
//! | `modes` | out | 4 | `control.modes`; 0 without a filter |
//! | `period` | out | 5 | `sync.period` |
//! | `bytes` | out | 5 | `sync.bytes` |
//! | `request` | out | 1 | `request.sync` is written 1 |
//!
//! # Timing
//! One access per cycle; a write takes effect in the next cycle. A lost instruction is counted two cycles later, and the new count
//! can be read from the cycle after that.

use super::ports::BusIn;
use super::{Extras, Stream};
use crate::widget::each::each;
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::regmap::id;
use sim::regs::register;

/// Least significant bit of `control.modes`.
const MODES_LSB: usize = 8;

/// Least significant bit of `sync.bytes`.
const BYTES_LSB: u8 = 8;

/// The control and status registers of a trace system.
#[derive(LogicBlock, Default)]
pub struct Registers {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: BusIn,
    pub ready: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub idle: Signal<In, Bit>,
    pub overflow: Signal<In, Bits<16>>,
    pub loses: Signal<In, Bits<16>>,
    pub more: Vec<Signal<In, Bits<10>>>,
    _cores: usize,
    pub discontinuity: Signal<In, Bits<16>>,
    pub enable: Signal<Out, Bit>,
    pub modes: Signal<Out, Bits<4>>,
    pub period: Signal<Out, Bits<5>>,
    pub bytes: Signal<Out, Bits<5>>,
    pub request: Signal<Out, Bit>,
    enabled: DFF<Bit>,
    modes_value: DFF<Bits<4>>,
    period_value: DFF<Bits<5>>,
    bytes_value: DFF<Bits<5>>,
    requested: DFF<Bit>,
    overflow_flags: DFF<Bits<16>>,
    discontinuity_flags: DFF<Bits<16>>,
    clear_flags: Signal<Local, Bits<16>>,
    keep_flags: Signal<Local, Bits<16>>,
    read_data: DFF<Bits<32>>,
    // lost in the cycle before, and since tracing began; the sum's top bit: overflow
    lost_before: DFF<Bits<5>>,
    sum: Signal<Local, Bits<5>>,
    count: DFF<Bits<24>>,
    after: Signal<Local, Bits<25>>,
    // the same where a core can lose several per cycle
    lost_before_wide: DFF<Bits<15>>,
    sum_wide: Signal<Local, Bits<15>>,
    one_15: Fixed<Bits<15>>,
    one_more: Signal<Local, Bits<10>>,
    many: Fixed<Bit>,
    traced: DFF<Bit>,
    lost_at: Fixed<Bits<6>>,
    one_5: Fixed<Bits<5>>,
    most: Fixed<Bits<24>>,
    lost: Fixed<Bit>,
    clear: Signal<Local, Bits<16>>,
    keep: Signal<Local, Bits<16>>,
    status: Signal<Local, Bits<32>>,
    control: Signal<Local, Bits<32>>,
    id_addr: Fixed<Bits<3>>,
    params_addr: Fixed<Bits<3>>,
    control_addr: Fixed<Bits<3>>,
    status_addr: Fixed<Bits<3>>,
    overflow_addr: Fixed<Bits<3>>,
    sync_addr: Fixed<Bits<3>>,
    request_addr: Fixed<Bits<3>>,
    discontinuity_addr: Fixed<Bits<3>>,
    sync: Fixed<Bit>,
    filter: Fixed<Bit>,
    check: Fixed<Bit>,
    id: Fixed<Bits<32>>,
    // constant fields of `status`
    constant_status: Fixed<Bits<32>>,
    fingerprint: Fixed<Bits<32>>,
    cores: Fixed<Bits<16>>,
    zero: Fixed<Bits<32>>,
    modes_lsb: Fixed<Bits<5>>,
    bytes_lsb: Fixed<Bits<5>>,
    one: Fixed<Bits<32>>,
    ready_bit: Fixed<Bits<32>>,
    active_bit: Fixed<Bits<32>>,
    idle_bit: Fixed<Bits<32>>,
}

/// Bits of `status.lost`.
const COUNT_BITS: u8 = 24;

fn field_bit(reg: &str, field: &str) -> u64 {
    1 << register(reg).field(field).lsb
}

impl Registers {
    /// The registers of a system that sends `stream`. Registers of features that are not in `extras` read as 0.
    pub fn new(stream: &Stream, extras: Extras) -> Self {
        let addr = |name| Fixed::of(register(name).addr);
        let word = Fixed::<Bits<32>>::of::<u64>;
        let bit = |field| word(field_bit("status", field));
        for (reg, field) in [("control", "enable"), ("sync", "period"), ("request", "sync")] {
            assert_eq!(field_bit(reg, field), 1, "{field} begins at bit 0 of {reg}");
        }
        assert_eq!(field_bit("control", "modes"), 1 << MODES_LSB, "where control.modes begins");
        assert_eq!(field_bit("sync", "bytes"), 1 << BYTES_LSB, "where sync.bytes begins");
        let lost = register("status").field("lost");
        assert_eq!((lost.bits, lost.lsb), (COUNT_BITS, 32 - COUNT_BITS), "status.lost");
        Self {
            id_addr: addr("id"),
            params_addr: addr("params"),
            control_addr: addr("control"),
            status_addr: addr("status"),
            overflow_addr: addr("overflow"),
            sync_addr: addr("sync"),
            request_addr: addr("request"),
            discontinuity_addr: addr("discontinuity"),
            sync: Fixed::new(extras.sync),
            filter: Fixed::new(extras.filter),
            check: Fixed::new(extras.check),
            lost: Fixed::new(extras.lost),
            lost_at: Fixed::of(lost.lsb),
            one_5: Fixed::of(1u8),
            one_15: Fixed::of(1u8),
            more: each(stream.senders.into()),
            _cores: stream.senders.into(),
            many: Fixed::new(extras.counts_wide_losses()),
            most: Fixed::of((1u64 << COUNT_BITS) - 1),
            id: word(id(stream.cores, stream.scheme).into()),
            constant_status: word(extras.status().into()),
            fingerprint: word(stream.header[2].into()),
            cores: Fixed::of((1u64 << stream.senders) - 1),
            zero: word(0),
            modes_lsb: Fixed::of(MODES_LSB as u64),
            bytes_lsb: Fixed::of(BYTES_LSB),
            one: word(1),
            ready_bit: bit("ready"),
            active_bit: bit("active"),
            idle_bit: bit("idle"),
            ..Default::default()
        }
    }
}

impl Logic for Registers {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            enabled,
            modes_value,
            period_value,
            bytes_value,
            requested,
            overflow_flags,
            discontinuity_flags,
            read_data,
            count,
            traced
        );
        dff_setup!(self, clock, lost_before, lost_before_wide);
        self.clear.next = 0.into();
        if self.bus.write.val() {
            if self.bus.addr.val() == self.control_addr.val() {
                self.enabled.d.next = self.bus.wdata.val().get_bit(0);
                if self.filter.val() {
                    self.modes_value.d.next = self.bus.wdata.val().get_bits::<4>(8);
                }
            }
            if self.bus.addr.val() == self.overflow_addr.val() {
                self.clear.next = self.bus.wdata.val().get_bits::<16>(0);
            }
        }
        self.keep.next = !self.clear.val();
        self.requested.d.next = false;
        if self.sync.val() & self.bus.write.val() {
            if self.bus.addr.val() == self.sync_addr.val() {
                self.period_value.d.next = self.bus.wdata.val().get_bits::<5>(0);
                self.bytes_value.d.next = self.bus.wdata.val().get_bits::<5>(8);
            }
            if self.bus.addr.val() == self.request_addr.val() {
                self.requested.d.next = self.bus.wdata.val().get_bit(0);
            }
        }
        self.clear_flags.next = 0.into();
        if self.bus.write.val() & (self.bus.addr.val() == self.discontinuity_addr.val()) {
            self.clear_flags.next = self.bus.wdata.val().get_bits::<16>(0);
        }
        self.keep_flags.next = !self.clear_flags.val();
        if self.check.val() {
            self.discontinuity_flags.d.next = ((self.discontinuity_flags.q.val() & self.keep_flags.val())
                | self.discontinuity.val())
                & self.cores.val();
        }
        // bits of cores that the system does not have stay 0, and take no gates
        self.overflow_flags.d.next =
            ((self.overflow_flags.q.val() & self.keep.val()) | self.overflow.val()) & self.cores.val();
        // since tracing began
        self.sum.next = 0.into();
        for i in 0..16 {
            if self.loses.val().get_bit(i) {
                self.sum.next = self.sum.val() + self.one_5.val();
            }
        }
        self.after.next = bit_cast::<25, 24>(self.count.q.val()) + bit_cast::<25, 5>(self.lost_before.q.val());
        self.sum_wide.next = 0.into();
        self.one_more.next = 0.into();
        for w in 0..self._cores {
            self.one_more.next = self.more[w].val();
            if self.loses.val().get_bit(w) {
                self.sum_wide.next = self.sum_wide.val() + bit_cast::<15, 10>(self.one_more.val()) + self.one_15.val();
            }
        }
        if self.many.val() {
            self.after.next =
                bit_cast::<25, 24>(self.count.q.val()) + bit_cast::<25, 15>(self.lost_before_wide.q.val());
        }
        if self.lost.val() {
            self.lost_before.d.next = self.sum.val();
            self.lost_before_wide.d.next = self.sum_wide.val();
            self.count.d.next = self.after.val().get_bits::<24>(0);
            if self.after.val().get_bit(24) {
                self.count.d.next = self.most.val();
            }
            self.traced.d.next = self.active.val();
            if self.active.val() & !self.traced.q.val() {
                self.count.d.next = 0.into();
            }
        }
        self.status.next = 0.into();
        if self.lost.val() {
            self.status.next = bit_cast::<32, 24>(self.count.q.val()) << self.lost_at.val();
        }
        if self.constant_status.val().any() {
            self.status.next = self.status.val() | self.constant_status.val();
        }
        if self.ready.val() {
            self.status.next = self.status.val() | self.ready_bit.val();
        }
        if self.active.val() {
            self.status.next = self.status.val() | self.active_bit.val();
        }
        if self.idle.val() {
            self.status.next = self.status.val() | self.idle_bit.val();
        }
        self.read_data.d.next = self.zero.val();
        if self.bus.addr.val() == self.id_addr.val() {
            self.read_data.d.next = self.id.val();
        }
        if self.bus.addr.val() == self.params_addr.val() {
            self.read_data.d.next = self.fingerprint.val();
        }
        self.control.next = 0.into();
        if self.filter.val() {
            self.control.next = bit_cast::<32, 4>(self.modes_value.q.val()) << self.modes_lsb.val();
        }
        if self.enabled.q.val() {
            self.control.next = self.control.val() | self.one.val();
        }
        if self.bus.addr.val() == self.control_addr.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.status_addr.val() {
            self.read_data.d.next = self.status.val();
        }
        if self.bus.addr.val() == self.overflow_addr.val() {
            self.read_data.d.next = bit_cast::<32, 16>(self.overflow_flags.q.val());
        }
        if self.check.val() & (self.bus.addr.val() == self.discontinuity_addr.val()) {
            self.read_data.d.next = bit_cast::<32, 16>(self.discontinuity_flags.q.val());
        }
        if self.sync.val() & (self.bus.addr.val() == self.sync_addr.val()) {
            self.read_data.d.next = bit_cast::<32, 5>(self.period_value.q.val())
                | (bit_cast::<32, 5>(self.bytes_value.q.val()) << self.bytes_lsb.val());
        }
        if self.reset.val() {
            self.enabled.d.next = false;
            self.modes_value.d.next = 0.into();
            self.period_value.d.next = 0.into();
            self.bytes_value.d.next = 0.into();
            self.requested.d.next = false;
            self.overflow_flags.d.next = 0.into();
            self.discontinuity_flags.d.next = 0.into();
            self.lost_before.d.next = 0.into();
            self.lost_before_wide.d.next = 0.into();
            self.count.d.next = 0.into();
            self.traced.d.next = false;
        }
        self.bus.rdata.next = self.read_data.q.val();
        self.enable.next = self.enabled.q.val();
        self.modes.next = self.modes_value.q.val();
        self.period.next = self.period_value.q.val();
        self.bytes.next = self.bytes_value.q.val();
        self.request.next = self.requested.q.val();
    }
}
