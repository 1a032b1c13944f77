//! TCI: registers of a trace encoder as the RISC-V Trace Control Interface has them, in front of the system's own registers
//!
//! # Source
//! RISC-V Trace Control Interface 1.0; registers and fields are those of [`sim::tci::map`].
//!
//! # Ports
//! | port | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: inactive, as at power-up |
//! | `bus` | in | | register bus with word addresses of a page of 4 KiB |
//! | `out` | out | | register bus of the system, [`sim::regs`] |
//! | `waiting[i]` | in | 1 | with stall outputs: the system asks core i to stall |
//! | `stall[i]` | out | 1 | core i must stall: `waiting[i]`, if software allows it |
//! | `source[0]` | in | 4 | before a funnel: the number of the core in messages |
//! | `halted[i]` | in | 1 | with a time stamp unit and an ingress that reports it: core i is in debug mode |
//! | `time[0]`, `time_enable[0]` | out | 32, 1 | with a time stamp unit: its counter; messages have a time |
//!
//! # Timing
//! One access per cycle; `bus.rdata` follows `bus.addr` by one cycle. `out` comes from registers: a write reaches the system in the
//! next cycles. State of the system is up to five cycles old. `stall` follows `waiting` in the same cycle.
//!
//! Golden model: [`sim::tci::model`].

use super::time_unit::TimeUnit;
use super::{MapIn, MapOut};
use crate::widget::each::{each, when};
use crate::widget::fixed::Fixed;
use crate::LogicBlock;
use rust_hdl::prelude::*;
use sim::regs::{self, RegAccess};
use sim::tci::map::{register, Field};
use sim::tci::{Facts, ADDR_BITS, HALFWORDS, SYNC_MAX};

/// Registers of the trace encoder component.
#[derive(LogicBlock, Default)]
pub struct Tci {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub bus: MapIn<10>,
    pub out: MapOut<3>,
    pub waiting: Vec<Signal<In, Bit>>,
    pub stall: Vec<Signal<Out, Bit>>,
    pub source: Vec<Signal<In, Bits<4>>>,
    pub halted: Vec<Signal<In, Bit>>,
    pub time: Vec<Signal<Out, Bits<32>>>,
    pub time_enable: Vec<Signal<Out, Bit>>,
    _stalls: usize,
    _sources: usize,
    _halts: usize,
    _times: usize,
    time_unit: TimeUnit,
    all_halted: Signal<Local, Bit>,
    has_unit: Fixed<Bit>,
    // trTeControl
    active: DFF<Bit>,
    enable: DFF<Bit>,
    tracing: DFF<Bit>,
    mark: DFF<Bit>,
    stall_ena: DFF<Bit>,
    periodic: DFF<Bit>,
    sync_max: DFF<Bits<4>>,
    // filter 0
    filter: DFF<Bit>,
    filter_enable: DFF<Bit>,
    match_privilege: DFF<Bit>,
    choice: DFF<Bits<4>>,
    // last values written to the system: control.enable and modes, sync.period
    on: DFF<Bit>,
    modes: DFF<Bits<4>>,
    period: DFF<Bits<5>>,
    // bits to be cleared in the system, and a request
    clear: DFF<Bit>,
    forget: DFF<Bits<16>>,
    request: DFF<Bit>,
    // what was read from the system
    busy: DFF<Bit>,
    status: DFF<Bits<32>>,
    overflow: DFF<Bits<16>>,
    discontinuity: DFF<Bits<16>>,
    // the register to poll next, 0 to 2; the one whose value comes now, 1 to 3, or none: 0
    poll_step: DFF<Bits<2>>,
    polled: DFF<Bits<2>>,
    read_data: DFF<Bits<32>>,
    at_control: Signal<Local, Bit>,
    writes_control: Signal<Local, Bit>,
    // reset, inactive, or made inactive
    off: Signal<Local, Bit>,
    traces: Signal<Local, Bit>,
    wanted_modes: Signal<Local, Bits<4>>,
    differs: Signal<Local, Bit>,
    settled: Signal<Local, Bit>,
    max: Signal<Local, Bits<4>>,
    wanted_period: Signal<Local, Bits<5>>,
    stalled: Signal<Local, Bit>,
    commands: Signal<Local, Bit>,
    cleared: Signal<Local, Bits<16>>,
    still_forget: Signal<Local, Bits<16>>,
    seen: Signal<Local, Bits<16>>,
    filter_word: Signal<Local, Bits<32>>,
    control: Signal<Local, Bits<32>>,
    fields: Signal<Local, Bits<32>>,
    number: Signal<Local, Bits<4>>,
    features: Signal<Local, Bits<32>>,
    // fields that the system has
    has_sync: Fixed<Bit>,
    has_stall: Fixed<Bit>,
    has_filter: Fixed<Bit>,
    has_check: Fixed<Bit>,
    has_times: Fixed<Bit>,
    // constant words and bits
    control_word: Fixed<Bits<32>>,
    impl_word: Fixed<Bits<32>>,
    features_word: Fixed<Bits<32>>,
    times_word: Fixed<Bits<32>>,
    id_word: Fixed<Bits<32>>,
    params_word: Fixed<Bits<32>>,
    status_word: Fixed<Bits<32>>,
    status_mask: Fixed<Bits<32>>,
    active_bit: Fixed<Bits<32>>,
    enable_bit: Fixed<Bits<32>>,
    tracing_bit: Fixed<Bits<32>>,
    empty_bit: Fixed<Bits<32>>,
    mark_bit: Fixed<Bits<32>>,
    stall_bit: Fixed<Bits<32>>,
    sync_bits: Fixed<Bits<32>>,
    match_bit: Fixed<Bits<32>>,
    one_word: Fixed<Bits<32>>,
    halfwords: Fixed<Bits<2>>,
    least: Fixed<Bits<4>>,
    three: Fixed<Bits<5>>,
    all_modes: Fixed<Bits<4>>,
    all_cores: Fixed<Bits<32>>,
    one: Fixed<Bits<2>>,
    two: Fixed<Bits<2>>,
    last: Fixed<Bits<2>>,
    yes: Fixed<Bit>,
    // addresses here
    control_at: Fixed<Bits<10>>,
    impl_at: Fixed<Bits<10>>,
    features_at: Fixed<Bits<10>>,
    filters_at: Fixed<Bits<10>>,
    times_at: Fixed<Bits<10>>,
    counter_at: Fixed<Bits<10>>,
    filter_at: Fixed<Bits<10>>,
    match_at: Fixed<Bits<10>>,
    id_at: Fixed<Bits<10>>,
    params_at: Fixed<Bits<10>>,
    status_at: Fixed<Bits<10>>,
    overflow_at: Fixed<Bits<10>>,
    discontinuity_at: Fixed<Bits<10>>,
    request_at: Fixed<Bits<10>>,
    // addresses in the system
    to_control: Fixed<Bits<3>>,
    to_status: Fixed<Bits<3>>,
    to_overflow: Fixed<Bits<3>>,
    to_sync: Fixed<Bits<3>>,
    to_request: Fixed<Bits<3>>,
    to_discontinuity: Fixed<Bits<3>>,
}

/// Positions that the kernel has as numbers: register, field, lowest bit.
const POSITIONS: [(&str, &str, u8); 14] = [
    ("ts_control", "active", 0),
    ("control", "active", 0),
    ("control", "enable", 1),
    ("control", "inst_tracing", 2),
    ("control", "inst_stall_or_overflow", 12),
    ("control", "inst_stall_ena", 13),
    ("control", "inst_sync_mode", 16),
    ("control", "inst_sync_max", 20),
    ("inst_features", "src_id", 16),
    ("inst_filters", "filter_0", 0),
    ("filter_0_control", "enable", 0),
    ("filter_0_control", "match_privilege", 1),
    ("filter_0_match_inst", "match_choice_privilege", 0),
    ("goshawk_request", "sync", 0),
];

impl Tci {
    /// The registers of a system with these properties.
    ///
    /// # Panics
    /// If positions in the maps are not those of the circuit.
    pub fn new(facts: &Facts) -> Self {
        for (reg, field, lsb) in POSITIONS {
            assert_eq!(register(reg).field(field).lsb, lsb, "{reg}.{field}");
        }
        for (reg, field, lsb) in [("control", "enable", 0), ("control", "modes", 8), ("status", "idle", 2)] {
            assert_eq!(regs::register(reg).field(field).lsb, lsb, "{reg}.{field}");
        }
        assert_eq!(ADDR_BITS, 10);
        let at = |name| Fixed::of(register(name).offset / 4);
        let to = |name| Fixed::of(regs::register(name).addr);
        let bits = |field| Fixed::<Bits<32>>::of(register("control").field(field).mask());
        let word = |name, without: &[&str]| {
            let fields = register(name).fields.iter().filter(|f: &&Field| !without.contains(&f.name));
            Fixed::<Bits<32>>::of(fields.fold(0, |w, f| w | f.reset_in(facts) << f.lsb))
        };
        // what is not constant; without a register for the interval, it is
        let states: &[&str] = if facts.sync { &["empty", "inst_sync_max"] } else { &["empty"] };
        // fields that software writes are those of the unit
        let written =
            register("ts_control").fields.iter().filter(|f| f.access_in(facts) != RegAccess::Ro).map(|f| f.name);
        let written: Vec<&str> = written.collect();
        let times = usize::from(facts.time_unit());
        let halts = if facts.time_unit() && facts.debug { usize::from(facts.cores) } else { 0 };
        let stalls = if facts.stall { usize::from(facts.cores) } else { 0 };
        Self {
            waiting: each(stalls),
            stall: each(stalls),
            source: each((facts.funnel > 0).into()),
            halted: each(halts),
            time: each(times),
            time_enable: each(times),
            _stalls: stalls,
            _sources: (facts.funnel > 0).into(),
            _halts: halts,
            _times: times,
            time_unit: when(facts.time_unit(), || TimeUnit::new(facts)),
            has_unit: Fixed::new(facts.time_unit()),
            has_sync: Fixed::new(facts.sync),
            has_stall: Fixed::new(facts.stall),
            has_filter: Fixed::new(facts.filter),
            has_check: Fixed::new(facts.check),
            has_times: Fixed::new(facts.protocol.time_bits > 0),
            control_word: word("control", states),
            impl_word: word("impl", &[]),
            features_word: word("inst_features", &[]),
            times_word: word("ts_control", &written),
            id_word: word("goshawk_id", &[]),
            params_word: word("goshawk_params", &[]),
            status_word: word("goshawk_status", &[]),
            status_mask: Fixed::of(if facts.lost { 0xffff_ff07_u32 } else { 7 }),
            active_bit: bits("active"),
            enable_bit: bits("enable"),
            tracing_bit: bits("inst_tracing"),
            empty_bit: bits("empty"),
            mark_bit: bits("inst_stall_or_overflow"),
            stall_bit: bits("inst_stall_ena"),
            sync_bits: Fixed::of(HALFWORDS << 16),
            match_bit: Fixed::of(register("filter_0_control").field("match_privilege").mask()),
            one_word: Fixed::of(1u8),
            halfwords: Fixed::of(HALFWORDS),
            least: Fixed::of(*SYNC_MAX.start()),
            three: Fixed::of(3u8),
            all_modes: Fixed::of(15u8),
            all_cores: Fixed::of(0xffff_u32),
            one: Fixed::of(1u8),
            two: Fixed::of(2u8),
            last: Fixed::of(3u8),
            yes: Fixed::new(true),
            control_at: at("control"),
            impl_at: at("impl"),
            features_at: at("inst_features"),
            filters_at: at("inst_filters"),
            times_at: at("ts_control"),
            counter_at: at("ts_counter_low"),
            filter_at: at("filter_0_control"),
            match_at: at("filter_0_match_inst"),
            id_at: at("goshawk_id"),
            params_at: at("goshawk_params"),
            status_at: at("goshawk_status"),
            overflow_at: at("goshawk_overflow"),
            discontinuity_at: at("goshawk_discontinuity"),
            request_at: at("goshawk_request"),
            to_control: to("control"),
            to_status: to("status"),
            to_overflow: to("overflow"),
            to_sync: to("sync"),
            to_request: to("request"),
            to_discontinuity: to("discontinuity"),
            ..Default::default()
        }
    }
}

impl Logic for Tci {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, active, enable, tracing, mark, stall_ena, periodic, sync_max);
        dff_setup!(self, clock, filter, filter_enable, match_privilege, choice, on, modes, period);
        dff_setup!(
            self,
            clock,
            clear,
            forget,
            request,
            busy,
            status,
            overflow,
            discontinuity,
            poll_step,
            polled,
            read_data
        );

        clock!(self, clock, time_unit);

        // what the system must do
        self.traces.next = self.active.q.val() & self.enable.q.val() & self.tracing.q.val();
        self.wanted_modes.next = self.all_modes.val();
        if self.filter.q.val() {
            if self.match_privilege.q.val() {
                self.wanted_modes.next = self.choice.q.val();
            }
            if !self.filter_enable.q.val() {
                self.wanted_modes.next = 0.into();
            }
        }
        if !self.traces.val() {
            self.wanted_modes.next = 0.into();
        }
        self.differs.next = (self.traces.val() != self.on.q.val()) | (self.wanted_modes.val() != self.modes.q.val());
        self.settled.next = !self.busy.q.val() & !self.differs.val();
        self.max.next = self.sync_max.q.val();
        if self.sync_max.q.val() < self.least.val() {
            self.max.next = self.least.val();
        }
        self.wanted_period.next = 0.into();
        if self.periodic.q.val() {
            self.wanted_period.next = bit_cast::<5, 4>(self.max.val()) + self.three.val();
        }

        // one access to the system
        self.commands.next = false;
        self.polled.d.next = 0.into();
        self.still_forget.next = self.forget.q.val();
        self.out.write.next = self.yes.val();
        self.out.wdata.next = self.one_word.val();
        if self.wanted_period.val() != self.period.q.val() {
            self.out.addr.next = self.to_sync.val();
            self.out.wdata.next = bit_cast::<32, 5>(self.wanted_period.val());
            self.period.d.next = self.wanted_period.val();
        } else if self.differs.val() {
            self.out.addr.next = self.to_control.val();
            self.out.wdata.next =
                bit_cast::<32, 1>(self.traces.val().into()) | (bit_cast::<32, 4>(self.wanted_modes.val()) << 8);
            self.on.d.next = self.traces.val();
            self.modes.d.next = self.wanted_modes.val();
            self.commands.next = true;
        } else if self.clear.q.val() {
            self.out.addr.next = self.to_overflow.val();
            self.out.wdata.next = self.all_cores.val();
            self.clear.d.next = false;
        } else if self.forget.q.val().any() {
            self.out.addr.next = self.to_discontinuity.val();
            self.out.wdata.next = bit_cast::<32, 16>(self.forget.q.val());
            self.still_forget.next = 0.into();
        } else if self.request.q.val() {
            self.out.addr.next = self.to_request.val();
            self.request.d.next = false;
        } else {
            self.out.write.next = false;
            self.polled.d.next = self.poll_step.q.val() + self.one.val();
            self.poll_step.d.next = self.poll_step.q.val() + self.one.val();
            self.out.addr.next = self.to_status.val();
            if self.poll_step.q.val() == self.one.val() {
                self.out.addr.next = self.to_overflow.val();
            }
            if self.poll_step.q.val() == self.two.val() {
                self.out.addr.next = self.to_discontinuity.val();
                self.poll_step.d.next = 0.into();
            }
        }

        // the value of the access before; one from before a bit was cleared is not taken
        if self.polled.q.val() == self.one.val() {
            self.status.d.next = self.out.rdata.val() & self.status_mask.val();
            self.busy.d.next = !self.out.rdata.val().get_bit(2);
        }
        if (self.polled.q.val() == self.two.val()) & !self.clear.q.val() {
            self.overflow.d.next = self.out.rdata.val().get_bits::<16>(0);
        }
        self.seen.next = self.discontinuity.q.val();
        if self.has_check.val() & (self.polled.q.val() == self.last.val()) & !self.forget.q.val().any() {
            self.seen.next = self.out.rdata.val().get_bits::<16>(0);
        }
        if self.commands.val() {
            self.busy.d.next = true;
        }

        // stalls
        self.stalled.next = false;
        for i in 0..self._stalls {
            self.stall[i].next = self.waiting[i].val() & self.stall_ena.q.val();
            if self.waiting[i].val() & self.stall_ena.q.val() {
                self.stalled.next = true;
            }
        }
        if self.overflow.q.val().any() {
            self.mark.d.next = true;
        }

        // writes
        self.at_control.next = self.bus.addr.val() == self.control_at.val();
        self.writes_control.next = self.bus.write.val() & self.at_control.val();
        self.cleared.next = 0.into();
        if self.bus.write.val() & self.active.q.val() {
            if self.at_control.val() {
                self.active.d.next = self.bus.wdata.val().get_bit(0);
                self.enable.d.next = self.bus.wdata.val().get_bit(1);
                self.tracing.d.next = self.bus.wdata.val().get_bit(2);
                if self.bus.wdata.val().get_bit(12) {
                    self.mark.d.next = false;
                    self.overflow.d.next = 0.into();
                    self.clear.d.next = true;
                }
                if self.has_stall.val() {
                    self.stall_ena.d.next = self.bus.wdata.val().get_bit(13);
                }
                if self.has_sync.val() {
                    self.periodic.d.next = self.bus.wdata.val().get_bits::<2>(16) == self.halfwords.val();
                    self.sync_max.d.next = self.bus.wdata.val().get_bits::<4>(20);
                }
            }
            if self.has_filter.val() {
                if self.bus.addr.val() == self.filters_at.val() {
                    self.filter.d.next = self.bus.wdata.val().get_bit(0);
                }
                if self.bus.addr.val() == self.filter_at.val() {
                    self.filter_enable.d.next = self.bus.wdata.val().get_bit(0);
                    self.match_privilege.d.next = self.bus.wdata.val().get_bit(1);
                }
                if self.bus.addr.val() == self.match_at.val() {
                    self.choice.d.next = self.bus.wdata.val().get_bits::<4>(0);
                }
            }
            if self.has_check.val() & (self.bus.addr.val() == self.discontinuity_at.val()) {
                self.cleared.next = self.bus.wdata.val().get_bits::<16>(0);
            }
            if self.has_sync.val() & self.bus.wdata.val().get_bit(0) & (self.bus.addr.val() == self.request_at.val()) {
                self.request.d.next = true;
            }
        }
        self.forget.d.next = self.still_forget.val() | self.cleared.val();
        self.discontinuity.d.next = self.seen.val() & !self.cleared.val();
        if self.stalled.val() {
            self.mark.d.next = true;
        }
        self.off.next =
            self.reset.val() | !self.active.q.val() | (self.writes_control.val() & !self.bus.wdata.val().get_bit(0));
        if self.off.val() {
            self.enable.d.next = false;
            self.tracing.d.next = false;
            self.mark.d.next = false;
            self.stall_ena.d.next = false;
            self.periodic.d.next = false;
            self.sync_max.d.next = 0.into();
            self.filter.d.next = false;
            self.filter_enable.d.next = false;
            self.match_privilege.d.next = false;
            self.choice.d.next = 0.into();
            self.forget.d.next = 0.into();
            self.request.d.next = false;
            self.overflow.d.next = 0.into();
            self.discontinuity.d.next = 0.into();
        }
        // what was lost before does not count
        if self.writes_control.val() & !self.active.q.val() & self.bus.wdata.val().get_bit(0) {
            self.active.d.next = true;
            self.clear.d.next = true;
        }

        // the time stamp unit; the times of what is still to come do not change
        self.all_halted.next = self.has_unit.val();
        for h in 0..self._halts {
            if !self.halted[h].val() {
                self.all_halted.next = false;
            }
        }
        self.time_unit.halted.next = self.all_halted.val();
        self.time_unit.clear.next = self.reset.val() | (!self.active.q.val() & self.settled.val());
        self.time_unit.write.next =
            self.bus.write.val() & self.active.q.val() & (self.bus.addr.val() == self.times_at.val());
        self.time_unit.wdata.next = self.bus.wdata.val();
        for t in 0..self._times {
            self.time[t].next = self.time_unit.counter.val();
            self.time_enable[t].next = self.time_unit.enable.val();
        }

        // reads
        self.control.next = self.control_word.val();
        if self.active.q.val() | !self.settled.val() {
            self.control.next = self.control.val() | self.active_bit.val();
        }
        if self.enable.q.val() {
            self.control.next = self.control.val() | self.enable_bit.val();
        }
        if self.tracing.q.val() {
            self.control.next = self.control.val() | self.tracing_bit.val();
        }
        if self.settled.val() {
            self.control.next = self.control.val() | self.empty_bit.val();
        }
        if self.mark.q.val() {
            self.control.next = self.control.val() | self.mark_bit.val();
        }
        if self.stall_ena.q.val() {
            self.control.next = self.control.val() | self.stall_bit.val();
        }
        if self.periodic.q.val() {
            self.control.next = self.control.val() | self.sync_bits.val();
        }
        if self.has_sync.val() {
            self.control.next = self.control.val() | (bit_cast::<32, 4>(self.max.val()) << 20);
        }
        self.fields.next = self.times_word.val();
        if self.has_unit.val() {
            self.fields.next = self.times_word.val() | self.time_unit.word.val();
        }
        self.read_data.d.next = 0.into();
        if self.at_control.val() {
            self.read_data.d.next = self.control.val();
        }
        if self.bus.addr.val() == self.impl_at.val() {
            self.read_data.d.next = self.impl_word.val();
        }
        self.number.next = 0.into();
        for s in 0..self._sources {
            self.number.next = self.source[s].val();
        }
        self.features.next = self.features_word.val() | (bit_cast::<32, 4>(self.number.val()) << 16);
        if self.bus.addr.val() == self.features_at.val() {
            self.read_data.d.next = self.features.val();
        }
        if self.has_times.val() & (self.bus.addr.val() == self.times_at.val()) {
            self.read_data.d.next = self.fields.val();
            if self.active.q.val() | !self.settled.val() {
                self.read_data.d.next = self.fields.val() | self.one_word.val();
            }
        }
        if self.has_unit.val() & (self.bus.addr.val() == self.counter_at.val()) {
            self.read_data.d.next = self.time_unit.counter.val();
        }
        if self.filter.q.val() & (self.bus.addr.val() == self.filters_at.val()) {
            self.read_data.d.next = self.one_word.val();
        }
        self.filter_word.next = 0.into();
        if self.match_privilege.q.val() {
            self.filter_word.next = self.match_bit.val();
        }
        if self.filter_enable.q.val() {
            self.filter_word.next = self.filter_word.val() | self.one_word.val();
        }
        if self.bus.addr.val() == self.filter_at.val() {
            self.read_data.d.next = self.filter_word.val();
        }
        if self.bus.addr.val() == self.match_at.val() {
            self.read_data.d.next = bit_cast::<32, 4>(self.choice.q.val());
        }
        if self.bus.addr.val() == self.id_at.val() {
            self.read_data.d.next = self.id_word.val();
        }
        if self.bus.addr.val() == self.params_at.val() {
            self.read_data.d.next = self.params_word.val();
        }
        if self.bus.addr.val() == self.status_at.val() {
            self.read_data.d.next = self.status.q.val() | self.status_word.val();
        }
        if self.bus.addr.val() == self.overflow_at.val() {
            self.read_data.d.next = bit_cast::<32, 16>(self.overflow.q.val());
        }
        if self.bus.addr.val() == self.discontinuity_at.val() {
            self.read_data.d.next = bit_cast::<32, 16>(self.discontinuity.q.val());
        }
        self.bus.rdata.next = self.read_data.q.val();

        if self.reset.val() {
            self.active.d.next = false;
            self.on.d.next = false;
            self.modes.d.next = 0.into();
            self.period.d.next = 0.into();
            self.clear.d.next = false;
            self.busy.d.next = false;
            self.status.d.next = 0.into();
            self.poll_step.d.next = 0.into();
            self.polled.d.next = 0.into();
        }
    }
}
