//! `hdl/src/bus/{tci,time_unit}.rs` against `sim::tci::model`, cycle by cycle, and against the specification's offsets
//!
//! Registers of the page are written and read in any order, with any value, and the system answers with random words. The discovery
//! test knows offsets of the specification only: it writes ones and zeros to every word of the page, and finds the fields that there are.

use hdl::bus::tci::Tci;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use sim::tci::map::REGS;
use sim::tci::model::{Inputs, Outputs, Tci as Golden};
use sim::tci::{Facts, Protocol, Sink};
use testbenches::driver::{CheckVerilog, Driver, DriverError};
use testbenches::gates::emit_checked;

/// Two cores with everything.
const ALL: Facts = Facts {
    protocol: Protocol::vendor(true),
    cores: 2,
    funnel: 0,
    id: 0x6754_0201,
    fingerprint: 0x89ab_cdef,
    status: 0x28,
    sync: true,
    stall: true,
    filter: true,
    lost: true,
    check: true,
    debug: true,
    sink: Sink::None,
};

/// N-Trace without options.
const LEAST: Facts = Facts {
    protocol: Protocol::ntrace(0, 0),
    funnel: 0,
    cores: 1,
    id: 0x6754_c101,
    fingerprint: 3,
    status: 0,
    sync: false,
    stall: false,
    filter: false,
    lost: false,
    check: false,
    debug: false,
    sink: Sink::None,
};

/// N-Trace with time stamps.
const TIMED: Facts = Facts { protocol: Protocol { time_bits: 32, ..LEAST.protocol }, ..LEAST };

fn driver(facts: &Facts) -> Driver<Tci> {
    Driver::new(Tci::new(facts), |u, c| u.clock.next = c.into()).unwrap()
}

/// Runs one cycle of the circuit.
fn clock(d: &mut Driver<Tci>, i: &Inputs) -> Result<Outputs, DriverError> {
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.out.rdata.next = u64::from(i.system).to_bits();
            for (core, waiting) in u.waiting.iter_mut().enumerate() {
                waiting.next = i.waiting >> core & 1 == 1;
            }
            for (core, halted) in u.halted.iter_mut().enumerate() {
                halted.next = i.halted >> core & 1 == 1;
            }
        },
        |u| Outputs {
            rdata: u.bus.rdata.val().to_u64() as u32,
            addr: u.out.addr.val().to_u64() as u32,
            write: u.out.write.val().then(|| u.out.wdata.val().to_u64() as u32),
            stall: u.stall.iter().enumerate().fold(0, |all, (core, s)| all | u32::from(s.val()) << core),
            time: u.time.first().map(|t| (t.val().to_u64() as u32, u.time_enable[0].val())),
        },
    )
}

/// An address: mostly of a register.
fn address(s: &mut Source) -> u32 {
    match s.below(10) {
        0 => s.bits(10) as u32,
        1..=4 => 0,
        _ => u32::from(REGS[s.below(REGS.len() as u64) as usize].offset) / 4,
    }
}

/// A value: of `control` mostly one that leaves the encoder active.
fn value(s: &mut Source) -> u32 {
    let bits = s.bits(32) as u32;
    match s.below(8) {
        0 => bits,
        1 => 0x0033_0007,
        2 => u32::MAX,
        _ => bits | 1,
    }
}

#[test]
fn the_circuit_is_the_golden_model() {
    let fixed = Protocol { fixed_sync: 6, ..LEAST.protocol };
    for (seed, facts) in [
        (70, ALL),
        (71, LEAST),
        (72, Facts { sync: false, lost: false, ..ALL }),
        (73, Facts { protocol: fixed, ..LEAST }),
        (74, TIMED),
        (75, Facts { cores: 2, debug: true, ..TIMED }),
        (76, Facts { protocol: Protocol { time_bits: 32, ..Protocol::etrace(0) }, debug: true, ..LEAST }),
        (77, Facts { protocol: Protocol { time_bits: 20, ..Protocol::vendor(false) }, debug: true, ..LEAST }),
    ] {
        let mut s = Source::seeded(seed);
        let (mut d, mut golden) = (driver(&facts).recording(), Golden::new(facts));
        let (mut controls, mut busy) = (0, 0);
        for cycle in 0..12_000 {
            // pauses, in which the system is idle and everything can be seen to end
            let pause = cycle / 64 % 4 == 0;
            let i = Inputs {
                reset: s.per_64k(60),
                addr: address(&mut s),
                write: s.percent(if pause { 2 } else { 30 }),
                wdata: value(&mut s),
                system: if pause || s.percent(40) { 4 } else { s.bits(32) as u32 },
                waiting: if s.percent(20) { s.bits(2) as u32 } else { 0 },
                halted: if s.percent(70) { 3 } else { s.bits(2) as u32 },
            };
            let right = golden.outputs(i.waiting);
            let got = clock(&mut d, &i).unwrap();
            assert_eq!(got, right, "seed {seed}, cycle {cycle}: {i:x?}");
            controls += u32::from(got.write.is_some() && got.addr == 2);
            busy += u32::from(got.rdata & 0xf == 1);
            golden.step(&i);
        }
        assert!(controls > 300 && busy > 100, "{controls} writes of control, {busy} times active and not empty");
        d.check_verilog().unwrap();
    }
}

/// A debugger that knows the specification: it accesses the page, and the system is idle four cycles after it was disabled.
struct Tool {
    d: Driver<Tci>,
    asked: u32,
    enabled: bool,
    since: u32,
}

impl Tool {
    fn new(facts: &Facts) -> Self {
        Self { d: driver(facts), asked: 0, enabled: false, since: 9 }
    }

    fn cycle(&mut self, offset: u32, write: Option<u32>) -> u32 {
        let idle = !self.enabled && self.since > 4;
        let system = if self.asked == 3 { u32::from(idle) << 2 } else { 0 };
        let (write, wdata) = (write.is_some(), write.unwrap_or_default());
        let out = clock(&mut self.d, &Inputs { addr: offset / 4, write, wdata, system, ..Inputs::default() }).unwrap();
        self.asked = out.addr;
        self.since += 1;
        if let (2, Some(value)) = (out.addr, out.write) {
            (self.enabled, self.since) = (value & 1 != 0, 0);
        }
        out.rdata
    }

    fn write(&mut self, offset: u32, value: u32) {
        self.cycle(offset, Some(value));
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.cycle(offset, None);
        self.cycle(offset, None)
    }

    /// Reads until the bits are those.
    fn poll(&mut self, offset: u32, mask: u32, right: u32) {
        assert!((0..40).any(|_| self.read(offset) & mask == right), "{offset:#x}: never {right:#x} in {mask:#x}");
    }

    /// The reset sequence of the specification.
    fn activate(&mut self) {
        self.write(0, 0);
        self.poll(0, 1, 0);
        self.write(0, 1);
        self.poll(0, 1, 1);
    }

    /// The words of the page that are not 0: offset, bits that can be written, and the others that read as 1. Bits outside the
    /// specification's registers are those of the vendor, from 0xe00 on.
    fn discover(&mut self) -> Vec<(u32, u32, u32)> {
        let mut found = Vec::new();
        for offset in (0..0x1000).step_by(4) {
            self.activate();
            // the encoder must stay active to be examined
            let active = u32::from(offset == 0);
            self.write(offset, u32::MAX);
            let ones = self.read(offset);
            self.write(offset, active);
            self.poll(0, 8, 8);
            let zeros = self.read(offset);
            if ones | zeros != 0 {
                found.push((offset, ones ^ zeros, ones & zeros));
            }
        }
        found
    }
}

/// Trace encoders of both kinds, as a tool sees them with 0 and with all ones. In `trTeControl`, `trTeEmpty` is 1 only of the zeros.
#[test]
fn a_tool_discovers_every_field_by_writing() {
    let own = |facts: &Facts| vec![(0xe00, 0, facts.id), (0xe04, 0, facts.fingerprint)];
    let mut found = Tool::new(&ALL).discover();
    let state = found.iter().position(|f| f.0 == 0xe08).unwrap();
    assert_eq!(found.remove(state).1, 0, "status is not written");
    let mut right = vec![
        // Active 1, Enable, InstTracing, Empty, Mode 7, Context 1, StallEna, SyncMode 0 or 3, SyncMax 7 to 15, Format 7
        (0x000, 0x0083_200e, 0x0770_0271),
        // interface 1.0, trace encoder, protocol: version 1 of the streams
        (0x004, 0, 0x0001_0101),
        (0x00c, 1, 0),
        (0x400, 3, 0),
        (0x404, 15, 0),
    ];
    right.extend(own(&ALL));
    assert_eq!(found, right);

    let mut found = Tool::new(&LEAST).discover();
    let state = found.iter().position(|f| f.0 == 0xe08).unwrap();
    assert_eq!(found.remove(state).1, 0, "status is not written");
    let mut right = vec![(0x000, 0xe, 0x0100_0061), (0x004, 0, 0x0001_0101)];
    right.extend(own(&LEAST));
    assert_eq!(found, right);

    // the circuit synchronizes after 1,024 instructions: SyncMode 3, SyncMax 7
    let fixed = Facts { protocol: Protocol { fixed_sync: 10, ..LEAST.protocol }, ..LEAST };
    let found = Tool::new(&fixed).discover();
    assert_eq!(found[0], (0x000, 0xe, 0x0173_0061));

    // time stamps of 32 bits: Active, Count, RunInDebug, Mode 3, Prescale, Enable, Width 32
    let found = |facts: Facts| Tool::new(&facts).discover().into_iter().find(|f| f.0 == 0x040);
    assert_eq!(found(TIMED), Some((0x040, 0x8302, 0x2000_0039)));
    assert_eq!(found(Facts { debug: true, ..TIMED }), Some((0x040, 0x830a, 0x2000_0031)));
    // a packet of E-Trace does not say whether it has a time
    let etrace = Protocol { time_bits: 32, ..Protocol::etrace(0) };
    assert_eq!(found(Facts { protocol: etrace, ..LEAST }), Some((0x040, 0x302, 0x2000_8039)));
    // a format of the vendor has no unit
    let vendor = Protocol { time_bits: 20, ..Protocol::vendor(false) };
    assert_eq!(found(Facts { protocol: vendor, ..LEAST }), Some((0x040, 0, 0x1400_803b)));
    assert_eq!(found(LEAST), None);
}

/// The order of the specification: reset, check, configure, enable, read back, trace; then disable and wait until all is sent.
#[test]
fn the_sequences_of_the_specification_end() {
    let mut tool = Tool::new(&ALL);
    for session in 0..3 {
        tool.activate();
        assert_eq!(tool.read(4) & 0xfff, 0x101);
        for offset in [0x008, 0x00c, 0x050, 0x054] {
            tool.write(offset, 0);
            assert_eq!(tool.read(offset), 0);
        }
        tool.write(0, 0x0063_0061);
        tool.write(0, 0x0073_0063);
        assert_eq!(tool.read(0) & 0x00f3_008f, 0x0073_000b, "session {session}: enabled and not tracing: empty");
        tool.write(0, 0x0073_0067);
        tool.poll(0, 0xf, 7);
        assert!(tool.enabled, "session {session}");
        tool.write(0, 0x0073_0065);
        assert_eq!(tool.read(0) & 8, 0, "session {session}: trace is left");
        tool.poll(0, 8, 8);
        assert!(!tool.enabled && tool.since > 4, "session {session}");
        tool.write(0, 0);
        tool.poll(0, 0xf, 8);
    }
}

#[test]
fn the_registers_pass_the_static_gates() {
    for facts in [ALL, LEAST, TIMED, Facts { cores: 2, debug: true, ..TIMED }] {
        emit_checked(&mut Tci::new(&facts)).unwrap();
    }
}
