//! Golden model of the trace encoder's registers: what they hold, and the accesses to the system's own registers, cycle by cycle
//!
//! # Behaviour
//! The registers of the specification are kept here; the system is controlled through its own register map ([`crate::regs`]), one access
//! per cycle. In each cycle the first that applies is done: `sync` is written if the interval differs from what was last written, then
//! `control` if tracing or its modes differ, then a bit of `overflow`, of `discontinuity` or of `request` that software asked for.
//! Otherwise `status`, `overflow` and `discontinuity` are read in turn.
//!
//! Software sees `empty` only when the system was seen idle after the last write of `control`.

use super::map::{register, Reg, REGS};
use super::time_unit::TimeUnit;
use super::{Facts, HALFWORDS};
use crate::regs::{self, RegAccess};

/// Inputs in one cycle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inputs {
    /// Returns to the state at power-up; all other inputs are ignored.
    pub reset: bool,
    /// Word address in the page.
    pub addr: u32,
    /// Write strobe.
    pub write: bool,
    /// Write data.
    pub wdata: u32,
    /// Read data of the system's own registers, for the address of the previous cycle.
    pub system: u32,
    /// Bit i: core i must stall, or trace is lost.
    pub waiting: u32,
    /// Bit i: core i is in debug mode; for a time stamp unit.
    pub halted: u32,
}

/// Outputs in one cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// Value of the register that was addressed at the previous edge.
    pub rdata: u32,
    /// Address of a register of the system.
    pub addr: u32,
    /// What is written to it, if anything.
    pub write: Option<u32>,
    /// Bit i: core i must stall.
    pub stall: u32,
    /// With a time stamp unit, its counter, and whether messages have a time.
    pub time: Option<(u32, bool)>,
}

/// Polled registers of the system, in turn.
const POLLED: [&str; 3] = ["status", "overflow", "discontinuity"];

/// State of the registers.
#[derive(Clone, Debug)]
pub struct Tci {
    facts: Facts,
    /// Number of the core in messages; 0 without a funnel.
    source: u32,
    /// What software wrote, for each of [`REGS`].
    words: Vec<u32>,
    /// The last values written to `control` and `sync`.
    control: u32,
    period: u32,
    /// Bits of `overflow`, `discontinuity` and `request` to be written.
    clear: u32,
    forget: u32,
    request: bool,
    /// The system was not seen idle since the last write of `control`.
    busy: bool,
    /// Polled values.
    status: u32,
    overflow: u32,
    discontinuity: u32,
    /// The next register to poll, and the one whose value comes in this cycle.
    turn: usize,
    polled: Option<usize>,
    read_data: u32,
    times: TimeUnit,
}

/// The accesses of one cycle to the system.
struct Access {
    addr: u32,
    write: Option<u32>,
}

impl Tci {
    /// The registers at power-up.
    pub fn new(facts: Facts) -> Self {
        Self::of_core(facts, 0)
    }

    /// As [`Tci::new`], of the encoder of core `source` before a funnel.
    pub fn of_core(facts: Facts, source: u32) -> Self {
        let words = REGS.iter().map(|r| stored_reset(r, &facts)).collect();
        Self {
            facts,
            source,
            words,
            control: 0,
            period: 0,
            clear: 0,
            forget: 0,
            request: false,
            busy: false,
            status: 0,
            overflow: 0,
            discontinuity: 0,
            turn: 0,
            polled: None,
            read_data: 0,
            times: TimeUnit::new(&facts),
        }
    }

    /// A field as software wrote it.
    fn get(&self, reg: &str, field: &str) -> u32 {
        let at = REGS.iter().position(|r| r.name == reg).unwrap_or_default();
        let f = REGS[at].field(field);
        (self.words[at] & f.mask()) >> f.lsb
    }

    fn set(&mut self, reg: &str, field: &str, value: u32) {
        let at = REGS.iter().position(|r| r.name == reg).unwrap_or_default();
        let f = REGS[at].field(field);
        self.words[at] = self.words[at] & !f.mask() | value << f.lsb & f.mask();
    }

    /// What `control` of the system must be.
    fn wanted(&self) -> u32 {
        let control = |field| self.get("control", field) != 0;
        if !(control("active") && control("enable") && control("inst_tracing")) {
            return 0;
        }
        let filter = |field| self.get("filter_0_control", field) != 0;
        let modes = match self.get("inst_filters", "filter_0") {
            0 => 15,
            _ if !filter("enable") => 0,
            _ if !filter("match_privilege") => 15,
            _ => self.get("filter_0_match_inst", "match_choice_privilege"),
        };
        modes << 8 | 1
    }

    /// What `sync.period` of the system must be: half as many instructions as halfwords.
    fn interval(&self) -> u32 {
        if !self.facts.sync {
            return 0;
        }
        match self.get("control", "inst_sync_mode") {
            HALFWORDS => self.get("control", "inst_sync_max") + 3,
            _ => 0,
        }
    }

    fn access(&self) -> Access {
        let of = |name: &str, write| Access { addr: regs::register(name).addr.into(), write };
        if self.interval() != self.period {
            of("sync", Some(self.interval()))
        } else if self.wanted() != self.control {
            of("control", Some(self.wanted()))
        } else if self.clear != 0 {
            of("overflow", Some(self.clear))
        } else if self.forget != 0 {
            of("discontinuity", Some(self.forget))
        } else if self.request {
            of("request", Some(1))
        } else {
            of(POLLED[self.turn], None)
        }
    }

    fn settled(&self) -> bool {
        !self.busy && self.wanted() == self.control
    }

    /// Outputs of this cycle; they depend on registers and `waiting` only.
    pub fn outputs(&self, waiting: u32) -> Outputs {
        let Access { addr, write } = self.access();
        let cores = (1 << self.facts.cores) - 1;
        let stall = if self.get("control", "inst_stall_ena") != 0 { waiting & cores } else { 0 };
        let time = self.facts.time_unit().then(|| (self.times.counter(), self.times.is_enabled()));
        Outputs { rdata: self.read_data, addr, write, stall, time }
    }

    /// Takes a rising edge of the clock.
    pub fn step(&mut self, i: &Inputs) {
        let read_data = self.read(i.addr);
        if i.reset {
            *self = Self { read_data, ..Self::of_core(self.facts, self.source) };
            return;
        }
        let before = self.clone();
        self.read_data = read_data;
        self.turn_to_system(&before, i);

        let stalled = before.outputs(i.waiting).stall != 0;
        if stalled || before.overflow != 0 {
            self.set("control", "inst_stall_or_overflow", 1);
        }
        let addressed = REGS.iter().position(|r| u32::from(r.offset) == 4 * i.addr).filter(|_| i.write);
        if let Some(at) = addressed {
            self.write(at, i.wdata, before.get("control", "active") != 0);
        }
        if stalled {
            self.set("control", "inst_stall_or_overflow", 1);
        }
        let times = (i.write && 4 * i.addr == u32::from(register("ts_control").offset)).then_some(i.wdata);
        // the times of what is still to come do not change
        let (active, clear) = (before.get("control", "active") != 0, before.settled());
        let all = (1 << self.facts.cores) - 1;
        self.times.step(!active && clear, times.filter(|_| active), i.halted & all == all);
        if self.get("control", "active") == 0 {
            self.words = Self::new(self.facts).words;
            (self.overflow, self.discontinuity, self.forget, self.request) = (0, 0, 0, false);
        }
    }

    /// One access to the system, and the value of the previous one.
    fn turn_to_system(&mut self, before: &Self, i: &Inputs) {
        let at = |name: &str| u32::from(regs::register(name).addr);
        let Access { addr, write } = before.access();
        self.polled = None;
        match write {
            None => {
                self.polled = Some(before.turn);
                self.turn = (before.turn + 1) % POLLED.len();
            }
            Some(value) if addr == at("sync") => self.period = value,
            Some(value) if addr == at("control") => self.control = value,
            Some(_) if addr == at("overflow") => self.clear = 0,
            Some(_) if addr == at("discontinuity") => self.forget = 0,
            Some(_) => self.request = false,
        }
        let active = before.get("control", "active") != 0;
        match before.polled.map(|n| POLLED[n]) {
            Some("status") => {
                self.status = i.system;
                self.busy = i.system & 4 == 0;
            }
            // a value from before a bit was cleared is not taken
            Some("overflow") if active && before.clear == 0 => self.overflow = i.system & 0xffff,
            Some("discontinuity") if active && before.forget == 0 && self.facts.check => {
                self.discontinuity = i.system & 0xffff;
            }
            _ => {}
        }
        if write.is_some() && addr == at("control") {
            self.busy = true;
        }
    }

    /// A write to register `at`. Only `active` can be written while it is 0.
    fn write(&mut self, at: usize, wdata: u32, active: bool) {
        let reg = &REGS[at];
        if !active {
            if reg.name == "control" && wdata & 1 != 0 {
                self.set("control", "active", 1);
                // what was lost before does not count
                self.clear = 0xffff;
            }
            return;
        }
        if reg.name == "ts_control" {
            return;
        }
        for f in reg.fields {
            let value = (wdata & f.mask()) >> f.lsb;
            match (f.access_in(&self.facts), reg.name) {
                (RegAccess::Ro | RegAccess::ReadNext, _) => {}
                (RegAccess::Rw, _) => self.set(reg.name, f.name, (f.legal)(value)),
                (RegAccess::W1c, "control") if value != 0 => {
                    self.set("control", f.name, 0);
                    (self.overflow, self.clear) = (0, 0xffff);
                }
                (RegAccess::W1c, "control") => {}
                (RegAccess::W1c, _) => {
                    if value != 0 {
                        self.discontinuity &= !value;
                        self.forget |= value;
                    }
                }
                (RegAccess::Once, _) => self.request |= value != 0,
            }
        }
    }

    fn read(&self, addr: u32) -> u32 {
        let Some(at) = REGS.iter().position(|r| u32::from(r.offset) == 4 * addr) else { return 0 };
        let word = self.words[at] | constants(&REGS[at], &self.facts);
        match REGS[at].name {
            "control" => {
                let field = |name: &str, on: bool| u32::from(on) << register("control").field(name).lsb;
                word | field("empty", self.settled()) | field("active", !self.settled())
            }
            "inst_features" => word | self.source << register("inst_features").field("src_id").lsb,
            "ts_control" if self.facts.protocol.time_bits > 0 => {
                let active = u32::from(self.get("control", "active") != 0 || !self.settled());
                constants(&REGS[at], &self.facts) | self.times.word() | active
            }
            "ts_counter_low" => self.times.counter(),
            "goshawk_status" => word | self.status & if self.facts.lost { 0xffff_ff07 } else { 7 },
            "goshawk_overflow" => self.overflow,
            "goshawk_discontinuity" => self.discontinuity,
            _ => word,
        }
    }
}

/// The constant fields of a register. `empty` is a state.
fn constants(reg: &Reg, facts: &Facts) -> u32 {
    let of = |f: &super::map::Field| match f.access_in(facts) {
        RegAccess::Ro if f.name != "empty" => f.reset_in(facts) << f.lsb,
        _ => 0,
    };
    reg.fields.iter().map(of).sum()
}

/// The reset value of the fields that software writes.
fn stored_reset(reg: &Reg, facts: &Facts) -> u32 {
    reg.reset(facts)
        & !constants(reg, facts)
        & !if reg.name == "control" { register("control").field("empty").mask() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::super::Protocol;
    use super::*;

    const FACTS: Facts = Facts {
        protocol: Protocol::vendor(false),
        cores: 2,
        funnel: 0,
        id: 1,
        fingerprint: 2,
        status: 0,
        sync: true,
        stall: true,
        filter: true,
        lost: true,
        check: true,
        debug: true,
        sink: crate::tci::Sink::None,
    };

    /// The registers in front of a system that is idle three cycles after it was disabled.
    struct Bench {
        tci: Tci,
        control: u32,
        off: u32,
        asked: u32,
        writes: Vec<(u32, u32)>,
    }

    impl Bench {
        fn new(facts: Facts) -> Self {
            Self { tci: Tci::new(facts), control: 0, off: 9, asked: 0, writes: Vec::new() }
        }

        fn cycle(&mut self, addr: u32, write: Option<u32>) -> u32 {
            let out = self.tci.outputs(0);
            let idle = self.control & 1 == 0 && self.off > 3;
            let system = if self.asked == 3 { u32::from(idle) << 2 } else { 0 };
            self.asked = out.addr;
            self.writes.extend(out.write.map(|value| (out.addr, value)));
            self.off += 1;
            if let (2, Some(value)) = (out.addr, out.write) {
                (self.control, self.off) = (value, 0);
            }
            let (write, wdata) = (write.is_some(), write.unwrap_or_default());
            self.tci.step(&Inputs { addr: addr / 4, write, wdata, system, ..Inputs::default() });
            self.tci.outputs(0).rdata
        }

        fn write(&mut self, addr: u32, value: u32) {
            self.cycle(addr, Some(value));
        }

        fn read(&mut self, addr: u32) -> u32 {
            self.cycle(addr, None)
        }
    }

    #[test]
    fn the_sequence_of_the_specification() {
        let mut b = Bench::new(FACTS);
        assert_eq!(b.read(0), 0x0770_0078);
        b.write(0, 6);
        assert_eq!(b.read(0), 0x0770_0078, "not active: nothing else is written");
        b.write(0, 1);
        assert_eq!(b.read(0) & 15, 9);
        b.write(0, 3);
        b.write(0, 0x0073_0007);
        assert_eq!(b.read(0) & 15, 7, "it traces, and is not empty");
        for _ in 0..9 {
            b.read(0);
        }
        assert_eq!(b.writes, [(4, 0xffff), (5, 10), (2, 0xf01)]);
        b.write(0, 0x0073_0005);
        assert_eq!(b.read(0) & 15, 5);
        let waited = (0..20).position(|_| b.read(0) & 8 != 0);
        assert!(waited.is_some_and(|n| (3..15).contains(&n)), "{waited:?}");
        b.write(0, 0);
        assert_eq!(b.read(0), 0x0770_0078);
        assert_eq!(b.writes[3..], [(2, 0), (5, 0)]);
    }

    #[test]
    fn inactive_reads_active_until_the_trace_has_left() {
        let mut b = Bench::new(FACTS);
        for value in [1, 7, 0] {
            b.write(0, value);
        }
        assert_eq!(b.read(0) & 15, 1);
        let waited = (0..20).position(|_| b.read(0) & 15 == 8);
        assert!(waited.is_some_and(|n| n >= 3), "{waited:?}");
    }

    #[test]
    fn illegal_values_become_legal_ones() {
        let mut b = Bench::new(FACTS);
        b.write(0, 1);
        b.write(0, 0xffff_ffff);
        assert_eq!(b.read(0), 0x07f3_2077);
        b.write(0, 1 | 2 << 16 | 3 << 20);
        assert_eq!(b.read(0) >> 16, 0x0770);
        let none = Facts { sync: false, stall: false, filter: false, check: false, ..FACTS };
        let mut b = Bench::new(none);
        b.write(0, 1);
        b.write(0, 0xffff_ffff);
        assert_eq!(b.read(0), 0x0700_0077);
        for addr in [0xc, 0x400, 0x404, 0xe10, 0xe14, 0x40, 0x50, 0xffc] {
            b.write(addr, 0xffff_ffff);
            assert_eq!(b.read(addr), 0, "{addr:#x}");
        }
    }

    #[test]
    fn a_fixed_interval_is_read_and_not_written() {
        let control = |fixed_sync| {
            let protocol = Protocol { fixed_sync, ..Protocol::ntrace(0, 0) };
            let facts = Facts { protocol, sync: false, stall: false, filter: false, check: false, ..FACTS };
            let mut b = Bench::new(facts);
            assert_eq!(b.read(0) & 0x00f3_0000, facts_word(&facts), "2^{fixed_sync}");
            for value in [1, 0xffff_ffff, 7] {
                b.write(0, value);
            }
            assert_eq!(b.read(0) & 0x00f3_0000, facts_word(&facts), "2^{fixed_sync}");
            (0..20).for_each(|_| _ = b.read(0));
            assert!(
                b.writes.iter().all(|w| w.0 != u32::from(regs::register("sync").addr)),
                "there is no such register"
            );
            facts_word(&facts) >> 16
        };
        // 1,024 instructions are at most 2^(7 + 4) halfwords
        assert_eq!(control(10), 0x73);
        assert_eq!((control(1), control(18), control(19), control(0)), (3, 0xf3, 0, 0));
    }

    fn facts_word(facts: &Facts) -> u32 {
        let of = |name: &str| register("control").field(name).reset_in(facts) << register("control").field(name).lsb;
        of("inst_sync_mode") | of("inst_sync_max")
    }

    #[test]
    fn filter_0_selects_modes() {
        let mut b = Bench::new(FACTS);
        b.write(0, 1);
        b.write(0x404, 0b1000);
        b.write(0x400, 3);
        b.write(0xc, 1);
        b.write(0, 7);
        for (at, value) in [(0x400, 1), (0x400, 0), (0xc, 0)] {
            (0..6).for_each(|_| _ = b.read(0));
            b.write(at, value);
        }
        (0..6).for_each(|_| _ = b.read(0));
        let control: Vec<u32> = b.writes.iter().filter(|w| w.0 == 2).map(|w| w.1).collect();
        assert_eq!(control, [0x801, 0xf01, 1, 0xf01]);
    }
}
