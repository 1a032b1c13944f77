//! `hdl/src/bus/messages.rs` and `hdl/src/bus/pib/{pins,sink}.rs` against `sim::tci::pib`, cycle by cycle, and the pins as a trace probe reads them
//!
//! The probe in `probe.rs` is written from the texts of the specifications, and shares no code with the model.

pub(crate) mod encoder;
pub(crate) mod probe;

use encoder::Encoder;
use hdl::bus::pib::sink::PibSink;
use probe::{Line, Probe, Protocol};
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use sim::tci::pib::pins::Lines;
use sim::tci::pib::{Inputs, PibSink as Golden};
use sim::tci::pib_map::REGS;
use sim::tci::{Facts, Protocol as Format, Sink};
use testbenches::driver::{CheckVerilog, Driver};
use testbenches::gates::emit_checked;

/// Systems of every kind of framing.
fn systems() -> [(Protocol, Facts); 4] {
    let facts = |protocol, cores| Facts { protocol, cores, sink: Sink::Pib, ..Facts::default() };
    [
        (Protocol::NTrace, facts(Format::ntrace(0, 0), 1)),
        (Protocol::ETrace { source: 0 }, facts(Format::etrace(0), 1)),
        (Protocol::ETrace { source: 1 }, facts(Format::etrace(0), 2)),
        (Protocol::Words, facts(Format::vendor(false), 1)),
    ]
}

fn driver(facts: &Facts) -> Driver<PibSink> {
    Driver::new(PibSink::new(facts), |u, c| u.clock.next = c.into()).unwrap()
}

/// Runs one cycle of the circuit and returns its outputs: whether a word is taken, the pins, and the response to the access of the cycle
/// before.
fn clock(d: &mut Driver<PibSink>, i: &Inputs) -> (bool, Lines, u32) {
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.words.valid.next = i.word.is_some();
            u.words.data.next = u64::from(i.word.unwrap_or_default()).to_bits();
        },
        |u| {
            let lines = Lines { clk: u.clk.val(), data: u.data.val().to_u64() as u16 };
            (i.word.is_some() && u.words.ready.val(), lines, u.bus.rdata.val().to_u64() as u32)
        },
    )
    .unwrap()
}

#[test]
fn the_circuit_is_the_golden_model() {
    for (n, (protocol, facts)) in systems().into_iter().enumerate() {
        let mut s = Source::seeded(700 + n as u64);
        let mut encoder = Encoder::new(protocol, 710 + n as u64);
        let (mut d, mut golden) = (driver(&facts).recording(), Golden::new(facts));
        let (mut rate, mut writes, mut word) = (50, 10, None);
        let (mut taken, mut changes, mut modes, mut before) =
            (0, 0, std::collections::BTreeSet::new(), Lines::default());
        for cycle in 0..40_000 {
            if cycle % 512 == 0 {
                (rate, writes) = (*s.pick(&[3, 30, 100]), *s.pick(&[20, 300, 3_000]));
            }
            if word.is_none() && s.percent(rate) {
                // also bytes that are no messages
                word = Some(if s.percent(2) { s.bits(32) as u32 } else { encoder.word() });
            }
            let bits = s.bits(32) as u32;
            let mode = *s.pick(&[0, 4, 5, 8, 9, 10, 11, 12, bits & 15]);
            let control = *s.pick(&[0, 1, 3, 3, 3])
                | mode << 4
                | bits & 0x100
                | (u32::from(s.percent(10)) << 9)
                | s.pick(&[0, 0, 1, 2, 5, 30]) << 16;
            let i = Inputs {
                reset: s.per_64k(20),
                addr: if s.percent(10) { s.bits(10) as u32 } else { u32::from(s.pick(REGS).offset) / 4 },
                write: s.per_64k(writes),
                wdata: if s.percent(90) { control } else { bits },
                word,
            };
            let right = (word.is_some() && golden.takes(&i), golden.lines(), golden.rdata());
            assert_eq!(clock(&mut d, &i), right, "{protocol:?}, cycle {cycle}: {i:x?}");
            golden.step(&i);
            if right.0 {
                word = None;
                taken += 1;
            }
            changes += u32::from(right.1.data != before.data);
            before = right.1;
            modes.insert(right.2 >> 4 & 15);
        }
        assert!(taken > 2_000 && changes > 1_000, "{protocol:?}: {taken} words, {changes} changes");
        let expected = if protocol == Protocol::Words { 3 } else { 8 };
        assert!(modes.len() >= expected, "{protocol:?}: {modes:?}");
        d.check_verilog().unwrap();
    }
}

/// A tool of the specification, with the cycles that its accesses take.
struct Tool {
    d: Driver<PibSink>,
    probe: Vec<Line>,
}

impl Tool {
    fn step(&mut self, i: &Inputs) -> (bool, u32) {
        let (takes, lines, rdata) = clock(&mut self.d, i);
        self.probe.push(Line { clk: lines.clk, data: lines.data });
        (takes, rdata)
    }

    fn run(&mut self, cycles: u32) {
        for _ in 0..cycles {
            self.step(&Inputs::default());
        }
    }

    fn write(&mut self, wdata: u32) {
        self.step(&Inputs { write: true, wdata, ..Inputs::default() });
    }

    fn read(&mut self, offset: u32) -> u32 {
        self.step(&Inputs { addr: offset / 4, ..Inputs::default() });
        self.step(&Inputs::default()).1
    }

    fn poll(&mut self, mask: u32, right: u32) {
        assert!((0..20_000).any(|_| self.read(0) & mask == right), "never {right:#x} in {mask:#x}");
    }

    fn activate(&mut self) {
        self.write(0);
        self.poll(1, 0);
        self.write(1);
        self.poll(1, 1);
    }
}

#[test]
fn a_tool_finds_the_fields() {
    for (protocol, facts) in systems() {
        let mut t = Tool { d: driver(&facts), probe: Vec::new() };
        let mut found = Vec::new();
        for offset in (0..0x1000).step_by(4) {
            let mut after = |value| {
                t.activate();
                t.step(&Inputs { addr: offset / 4, write: true, wdata: value, ..Inputs::default() });
                t.read(offset)
            };
            // all bits of the mode make an illegal one
            let (zeros, ones) = (after(u32::from(offset == 0)), after(u32::MAX));
            if zeros | ones != 0 {
                found.push((offset, zeros ^ ones, zeros & ones));
            }
        }
        assert_eq!(found, [(0, 0x0fff_0002, 0x9), (4, 0, 0xa01)], "{protocol:?}");
        let mut modes = Vec::new();
        for mode in 0..16 {
            t.activate();
            t.write(1 | mode << 4 | 0x300);
            let control = t.read(0);
            assert!([0, mode].contains(&(control >> 4 & 15)), "{control:#x}");
            if control >> 4 & 15 == mode {
                modes.push((mode, control >> 8 & 3, control >> 16));
            }
        }
        let serial = [(0, 0, 0), (4, 2, 0), (5, 2, 0)];
        let parallel = [(8, 3, 0), (9, 3, 0), (10, 3, 0), (11, 3, 0), (12, 3, 1)];
        let parallel = if protocol == Protocol::Words { &[][..] } else { &parallel[..] };
        assert_eq!(modes, [&serial[..], parallel].concat(), "{protocol:?}: mode, calibrate and clk_center, divider");
    }
}

/// One recording of the pins: the sequence of the specification, and what the probe gets.
fn session(protocol: Protocol, facts: &Facts, mode: u32, center: bool, divider: u32, seed: u64) {
    let label = format!("{protocol:?}, mode {mode}, center {center}, divider {divider}");
    let mut t = Tool { d: driver(facts), probe: Vec::new() };
    let (mut s, mut encoder) = (Source::seeded(seed), Encoder::new(protocol, seed));
    let set = 1 | mode << 4 | u32::from(center) << 8 | divider << 16;
    t.activate();
    t.probe.clear();
    t.write(set);
    assert_eq!(t.read(0), set | 8, "{label}");
    if mode < 8 {
        // a serial receiver is activated when the pins are idle
        t.probe.clear();
    }
    t.write(set | 2);
    let rate = *s.pick(&[2, 20, 100]);
    let mut word = None;
    let mut rest = 120;
    while rest > 0 || word.is_some() {
        if word.is_none() && s.percent(rate) && rest > 0 {
            word = Some(encoder.word());
            rest -= 1;
            if rest == 0 {
                encoder.end();
                rest += encoder.bytes.len() / 4;
            }
        }
        if t.step(&Inputs { word, ..Inputs::default() }).0 {
            word = None;
        }
    }
    t.write(set);
    t.poll(0xa, 8);
    t.run(4 * (divider + 1));
    let got = Probe { protocol, mode, cycles: divider as usize + 1 }.messages(&t.probe);
    assert!(got == encoder.messages, "{label}: {} messages, {} are right", got.len(), encoder.messages.len());
}

#[test]
fn a_probe_gets_the_messages_in_every_mode() {
    let mut seed = 720;
    for (protocol, facts) in systems() {
        for mode in [4, 5, 8, 9, 10, 11, 12] {
            if protocol == Protocol::Words && mode >= 8 {
                continue;
            }
            for center in [false, true] {
                for divider in [0, 1, 4] {
                    if center && mode < 8 || mode == 12 && divider == 0 {
                        continue;
                    }
                    session(protocol, &facts, mode, center, divider, seed);
                    seed += 1;
                }
            }
        }
    }
}

/// Disabled in the middle of a message and enabled in the middle of another one: all messages that the probe gets are whole.
#[test]
fn messages_are_whole_whenever_the_sink_is_disabled() {
    for (n, (protocol, facts)) in systems().into_iter().enumerate() {
        for mode in [4, 5, 10, 11, 12] {
            if protocol == Protocol::Words && mode >= 8 {
                continue;
            }
            let seed = 800 + n as u64;
            let (mut s, mut encoder) = (Source::seeded(seed), Encoder::new(protocol, seed));
            let mut t = Tool { d: driver(&facts), probe: Vec::new() };
            t.activate();
            let set = 1 | mode << 4 | 1 << 16;
            t.probe.clear();
            t.write(set);
            if mode < 8 {
                t.read(0);
                t.probe.clear();
            }
            let (mut word, mut gaps) = (None, 0);
            for _ in 0..12_000 {
                word = word.or_else(|| s.percent(60).then(|| encoder.word()));
                let write = s.percent(1);
                let wdata = set | s.pick(&[0, 2, 2]);
                gaps += u32::from(write && wdata & 2 == 0);
                if t.step(&Inputs { word, write, wdata, ..Inputs::default() }).0 {
                    word = None;
                }
            }
            t.write(set);
            t.poll(0xa, 8);
            t.run(40);
            let got = Probe { protocol, mode, cycles: 2 }.messages(&t.probe);
            let mut sent = encoder.messages.iter();
            let in_order = got.iter().all(|message| sent.any(|m| m == message));
            assert!(in_order, "{protocol:?}, mode {mode}: a message that was not sent");
            let (got, all) = (got.len(), encoder.messages.len());
            assert!(gaps > 20 && got > 15 && got < all, "{protocol:?}, mode {mode}: {got} of {all}, {gaps} gaps");
        }
    }
}

/// What the text prints: patterns for calibration, while words wait; an idle sink discards words, and its pins are idle.
#[test]
fn a_tool_calibrates() {
    let (protocol, facts) = systems()[0];
    for (mode, bits) in [(8, 1), (9, 2), (10, 4), (11, 8), (12, 16)] {
        let mut t = Tool { d: driver(&facts), probe: Vec::new() };
        t.activate();
        let set = 1 | mode << 4 | 1 << 9 | 1 << 16;
        t.write(set);
        t.probe.clear();
        t.write(set | 2);
        for _ in 0..400 {
            assert!(!t.step(&Inputs { word: Some(7), ..Inputs::default() }).0, "a word is taken");
        }
        t.write(set);
        t.poll(0xa, 8);
        let beats = probe::beats(&t.probe);
        let pattern: &[u16] = match bits {
            1 => &[0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1],
            2 => &[2, 1, 2, 1, 2, 1, 2, 1, 0, 3, 0, 3, 3, 0, 3, 0],
            4 => &[0xa, 5, 0xa, 5, 0, 0xf, 0xf, 0],
            8 => &[0xaa, 0x55, 0, 0xff],
            _ => &[0xaaaa, 0x5555, 0, 0xffff],
        };
        let idle = u16::MAX >> (16 - bits);
        let first = beats.iter().position(|b| *b != idle).unwrap();
        let periods: Vec<&[u16]> = beats[first..].chunks(pattern.len()).take_while(|c| *c == pattern).collect();
        assert!(periods.len() > 4, "{protocol:?}, mode {mode}: {} periods", periods.len());
        let rest = &beats[first + periods.len() * pattern.len()..];
        assert!(rest.iter().all(|b| *b == idle), "whole patterns, then idle: {rest:x?}");
    }
    for mode in [4, 5] {
        let mut t = Tool { d: driver(&facts), probe: Vec::new() };
        t.activate();
        t.write(1 | mode << 4 | 1 << 9);
        t.read(0);
        t.probe.clear();
        t.write(3 | mode << 4);
        t.run(600);
        t.write(1 | mode << 4 | 1 << 9);
        t.poll(0xa, 8);
        t.run(8);
        // the write that enabled the sink ended the calibration
        let level = u16::from(mode == 5);
        assert!(t.probe.iter().all(|l| l.data == level), "idle");
        t.write(1 | mode << 4 | 1 << 9);
        t.write(3 | mode << 4 | 1 << 9);
        t.probe.clear();
        t.run(900);
        let bytes = Probe { protocol: Protocol::Words, mode, cycles: 1 }.messages(&t.probe).concat();
        assert!(bytes.len() > 32 && bytes.chunks(4).all(|c| [0xaa, 0x55, 0, 0xff].starts_with(c)), "{bytes:x?}");
    }
}

#[test]
fn the_sink_passes_the_static_gates() {
    for (_, facts) in systems() {
        emit_checked(&mut PibSink::new(&facts)).unwrap();
    }
}
