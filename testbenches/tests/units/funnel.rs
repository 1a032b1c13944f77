//! `hdl/src/bus/{funnel,components}.rs` against `sim::tci::funnel` and the map, cycle by cycle

use crate::pib_sink::encoder::Encoder;
use crate::pib_sink::probe::Protocol;
use hdl::bus::components::Components;
use hdl::bus::funnel::Funnel;
use rust_hdl::prelude::*;
use sim::stimulus::Source;
use sim::tci::funnel::{Funnel as Golden, Inputs};
use sim::tci::funnel_map::REGS;
use sim::tci::{Facts, Protocol as Format, Sink, ADDR_BITS, FUNNEL_PAGE};
use testbenches::driver::{CheckVerilog, Driver};

/// Systems of both standards, with odd numbers of cores, and with a time stamp unit of each kind.
fn systems() -> [(Protocol, Facts); 5] {
    let facts = |protocol, funnel| Facts { protocol, cores: 1, funnel, ..Facts::default() };
    let timed = |protocol| Format { time_bits: 32, ..protocol };
    [
        (Protocol::NTrace, facts(Format::ntrace(0, 2), 2)),
        (Protocol::ETrace { source: 1 }, facts(Format::etrace(0), 3)),
        (Protocol::NTrace, Facts { debug: true, ..facts(timed(Format::ntrace(0, 4)), 5) }),
        (Protocol::ETrace { source: 1 }, Facts { debug: true, ..facts(timed(Format::etrace(0)), 2) }),
        (Protocol::NTrace, facts(timed(Format::ntrace(0, 4)), 8)),
    ]
}

fn driver(facts: &Facts) -> Driver<Funnel> {
    Driver::new(Funnel::new(facts), |u, c| u.clock.next = c.into()).unwrap()
}

/// What the circuit shows in a cycle.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    takes: Vec<bool>,
    word: Option<u32>,
    rdata: u32,
    time: Option<(u32, bool)>,
}

fn clock(d: &mut Driver<Funnel>, i: &Inputs) -> Shown {
    d.cycle(
        |u| {
            u.reset.next = i.reset;
            u.bus.addr.next = u64::from(i.addr).to_bits();
            u.bus.write.next = i.write;
            u.bus.wdata.next = u64::from(i.wdata).to_bits();
            u.out.ready.next = i.ready;
            for (words, word) in u.words.iter_mut().zip(&i.words) {
                words.valid.next = word.is_some();
                words.data.next = u64::from(word.unwrap_or_default()).to_bits();
            }
            u.halted.iter_mut().enumerate().for_each(|(n, halted)| halted.next = i.halted >> n & 1 == 1);
        },
        |u| Shown {
            takes: u.words.iter().zip(&i.words).map(|(w, word)| word.is_some() && w.ready.val()).collect(),
            word: u.out.valid.val().then(|| u.out.data.val().to_u64() as u32),
            rdata: u.bus.rdata.val().to_u64() as u32,
            time: u.time.first().map(|t| (t.val().to_u64() as u32, u.time_enable[0].val())),
        },
    )
    .unwrap()
}

fn right(golden: &Golden, i: &Inputs) -> Shown {
    Shown {
        takes: (0..i.words.len()).map(|n| i.words[n].is_some() && golden.takes(i, n)).collect(),
        word: golden.word(),
        rdata: golden.rdata(),
        time: golden.time(),
    }
}

/// Every input at random, in all states: also words that are no messages.
#[test]
fn the_circuit_is_the_golden_model() {
    for (n, (protocol, facts)) in systems().into_iter().enumerate() {
        let mut s = Source::seeded(900 + n as u64);
        let inputs = usize::from(facts.funnel);
        let mut encoders: Vec<_> = (0..inputs).map(|c| Encoder::new(protocol, 910 + c as u64)).collect();
        let (mut d, mut golden) = (driver(&facts).recording(), Golden::new(facts));
        let (mut rates, mut ready, mut writes, mut enabled) = (vec![50; inputs], 90, 10, 3);
        let mut words = vec![None; inputs];
        let (mut out, mut taken) = (0, vec![0; inputs]);
        for cycle in 0..40_000 {
            if cycle % 512 == 0 {
                rates.iter_mut().for_each(|rate| *rate = *s.pick(&[0, 2, 10, 100]));
                ready = *s.pick(&[5, 50, 100, 100]);
                writes = *s.pick(&[200, 600, 6_000]);
                enabled = *s.pick(&[1, 3, 3, 3]);
            }
            for c in 0..inputs {
                if words[c].is_none() && s.percent(rates[c]) {
                    words[c] = Some(if s.per_64k(100) { s.bits(32) as u32 } else { encoders[c].word() });
                }
            }
            let addr = if s.percent(10) { s.bits(10) as u32 } else { u32::from(s.pick(REGS).offset) / 4 };
            let wdata = match 4 * addr {
                0 if s.percent(90) => enabled,
                8 if s.percent(70) => 0,
                _ => s.bits(32) as u32,
            };
            let i = Inputs {
                reset: s.per_64k(20),
                addr,
                write: s.per_64k(writes),
                wdata,
                words: words.clone(),
                ready: s.percent(ready),
                halted: if s.percent(50) { u32::MAX } else { s.bits(8) as u32 },
            };
            let right = right(&golden, &i);
            assert_eq!(clock(&mut d, &i), right, "{protocol:?}, cycle {cycle}: {i:x?}");
            golden.step(&i);
            for c in 0..inputs {
                if right.takes[c] {
                    words[c] = None;
                    taken[c] += 1;
                }
            }
            out += u32::from(right.word.is_some() && i.ready);
        }
        assert!(out > 2_000 && taken.iter().all(|n| *n > 500), "{protocol:?}: {out} words out, {taken:?} in");
        d.check_verilog().unwrap();
    }
}

/// Splits bytes into messages, without idle bytes.
fn split(protocol: Protocol, bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    let mut rest = bytes;
    while let [first, ..] = rest {
        let length = match protocol {
            Protocol::NTrace if *first == 0xff => 0,
            Protocol::NTrace => rest.iter().position(|b| b & 3 == 3).expect("an end") + 1,
            Protocol::ETrace { .. } if first & 31 == 0 => 0,
            Protocol::ETrace { source } => usize::from(1 + source + (first & 31)),
            Protocol::Words => 4,
        };
        messages.extend((length > 0).then(|| rest[..length].to_vec()));
        rest = &rest[length.max(1)..];
    }
    messages
}

/// A tool of the specification: all messages of each encoder leave in their order, those of disabled inputs as a whole or not at all, and a
/// funnel that is disabled becomes empty.
#[test]
fn messages_are_whole_whenever_inputs_and_funnel_are_disabled() {
    for (n, (protocol, facts)) in systems().into_iter().enumerate() {
        for (changes, seed) in [(false, 0), (true, 1), (true, 2)] {
            let inputs = usize::from(facts.funnel);
            let mut s = Source::seeded(930 + seed + 10 * n as u64);
            let mut encoders: Vec<_> =
                (0..inputs).map(|c| Encoder::new(protocol, 940 + 100 * c as u64 + seed)).collect();
            let mut d = driver(&facts);
            let none = Inputs { words: vec![None; inputs], ready: true, ..Inputs::default() };
            let write = |addr: u32, wdata| Inputs { addr: addr / 4, write: true, wdata, ..none.clone() };
            for (addr, value) in [(0, 0), (0, 1), (8, 0), (0, 3)] {
                clock(&mut d, &write(addr, value));
            }
            let mut words: Vec<Vec<u32>> = encoders
                .iter_mut()
                .map(|e| {
                    let mut words: Vec<u32> = (0..400).map(|_| e.word()).collect();
                    e.end();
                    words.extend(e.bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
                    words
                })
                .collect();
            words.iter_mut().for_each(|w| w.reverse());
            let mut bytes = Vec::new();
            let mut quiet = 0;
            while quiet < 400 {
                let set = if !changes || !s.percent(2) {
                    none.clone()
                } else if s.percent(30) {
                    write(0, 1 + 2 * u32::from(s.percent(70)))
                } else {
                    write(8, if s.percent(60) { 0 } else { s.bits(facts.funnel.into()) as u32 })
                };
                let next = words.iter().map(|w| w.last().copied().filter(|_| s.percent(60))).collect();
                let i = Inputs { words: next, ready: s.percent(80), ..set };
                let shown = clock(&mut d, &i);
                bytes.extend(shown.word.filter(|_| i.ready).map(u32::to_le_bytes).into_iter().flatten());
                words.iter_mut().zip(&shown.takes).filter(|w| *w.1).for_each(|(w, _)| _ = w.pop());
                quiet = if words.iter().all(Vec::is_empty) { quiet + 1 } else { 0 };
            }
            clock(&mut d, &write(0, 1));
            let mut waited = 0;
            loop {
                let shown = clock(&mut d, &none);
                bytes.extend(shown.word.map(u32::to_le_bytes).into_iter().flatten());
                if waited > 2 && shown.rdata & 8 == 8 {
                    break;
                }
                waited += 1;
                assert!(waited < 4_000, "{protocol:?}: never empty");
            }
            let got = split(protocol, &bytes);
            let mut at = vec![0; inputs];
            for message in &got {
                // an encoder whose next messages contain it
                let from = (0..inputs).find_map(|c| {
                    let skip = encoders[c].messages[at[c]..].iter().position(|m| m == message)?;
                    Some((c, at[c] + skip + 1))
                });
                let (c, next) = from.unwrap_or_else(|| panic!("{protocol:?}: {message:x?} is no message"));
                at[c] = next;
            }
            let all: usize = encoders.iter().map(|e| e.messages.len()).sum();
            match changes {
                false => assert_eq!(got.len(), all, "{protocol:?}: nothing is discarded"),
                true => assert!(got.len() < all && got.len() > all / 20, "{protocol:?}: {} of {all}", got.len()),
            }
        }
    }
}

/// A tool that knows nothing but the specification finds the fields that can be written.
#[test]
fn a_tool_finds_the_fields() {
    for (protocol, facts) in systems() {
        let mut d = driver(&facts);
        let none = Inputs { words: vec![None; facts.funnel.into()], ready: true, ..Inputs::default() };
        let mut found = Vec::new();
        for offset in (0..0x1000u32).step_by(4) {
            let mut after = |value| {
                for (addr, wdata) in [(0, 0), (0, 1), (offset, value)] {
                    clock(&mut d, &Inputs { addr: addr / 4, write: true, wdata, ..none.clone() });
                }
                clock(&mut d, &Inputs { addr: offset / 4, ..none.clone() });
                clock(&mut d, &none).rdata
            };
            let (zeros, ones) = (after(u32::from(offset == 0)), after(u32::MAX));
            // a counter counts
            if zeros | ones != 0 && offset != 0x48 {
                found.push((offset, zeros ^ ones, zeros & ones));
            }
        }
        let mut right = vec![(0, 0x2, 0x9), (4, 0, 0x801), (8, (1 << facts.funnel) - 1, 0)];
        if facts.shared_time() {
            let optional = if facts.protocol.format == 1 { 0x8000 } else { 0 };
            let debug = if facts.debug { 8 } else { 0 };
            right.push((0x40, 0x302 | optional | debug, 0x2000_0021 | (0x8000 ^ optional) | (8 ^ debug)));
        }
        assert_eq!(found, right, "{protocol:?}");
    }
}

/// Every access reaches the component whose page it is in, and no other.
#[test]
fn each_component_has_its_page() {
    for (funnel, sink) in [(2, Sink::None), (3, Sink::Sram(256)), (8, Sink::Memory)] {
        let facts = Facts { cores: 1, funnel, sink, ..Facts::default() };
        let mut d = Driver::new(Components::new(&facts), |u, c| u.clock.next = c.into()).unwrap().recording();
        let mut s = Source::seeded(960 + u64::from(funnel));
        let mut before = 0;
        let page = |d: u64| (d >> ADDR_BITS) as u8;
        // what each component answers
        let answer = |n: usize| 0x1111_1111 * (n as u64 + 1);
        let component = |page: u8| match page {
            page if page < funnel => Some(usize::from(page)),
            FUNNEL_PAGE => Some(funnel.into()),
            page if page == facts.sink_page() && sink != Sink::None => Some(usize::from(funnel) + 1),
            _ => None,
        };
        for _ in 0..4_000 {
            let (addr, write, read) = (s.bits(14), s.percent(50), s.percent(50));
            let (writes, reads, rdata) = d
                .cycle(
                    |u| {
                        u.reset.next = false;
                        u.bus.addr.next = addr.to_bits();
                        u.bus.write.next = write;
                        u.bus.wdata.next = (addr ^ 0x5555).to_bits();
                        u.reads.iter_mut().for_each(|r| r.next = read);
                        for (n, e) in u.encoder.iter_mut().enumerate() {
                            e.rdata.next = answer(n).to_bits();
                        }
                        u.funnel.rdata.next = answer(funnel.into()).to_bits();
                        u.sink.iter_mut().for_each(|s| s.rdata.next = answer(usize::from(funnel) + 1).to_bits());
                    },
                    |u| {
                        let mut writes: Vec<bool> = u.encoder.iter().map(|e| e.write.val()).collect();
                        writes.push(u.funnel.write.val());
                        writes.extend(u.sink.iter().map(|s| s.write.val()));
                        let reads: Vec<bool> = u.sink_reads.iter().map(|r| r.val()).collect();
                        assert_eq!(u.funnel.addr.val().to_u64(), addr & 0x3ff);
                        assert_eq!(u.encoder[1].wdata.val().to_u64(), addr ^ 0x5555);
                        (writes, reads, u.bus.rdata.val().to_u64())
                    },
                )
                .unwrap();
            let here = component(page(addr));
            for (n, writes) in writes.iter().enumerate() {
                assert_eq!(*writes, write && here == Some(n), "{addr:#x}");
            }
            assert_eq!(rdata, component(page(before)).map_or(0, answer), "{before:#x}");
            let strobe = read && here == Some(usize::from(funnel) + 1);
            assert!(reads.iter().all(|r| *r == strobe) && reads.len() == usize::from(sink.sram() > 0), "{addr:#x}");
            before = addr;
        }
        d.check_verilog().unwrap();
    }
}
