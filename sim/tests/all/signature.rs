//! Signatures: a correct stream is confirmed completely; with a wrong bit, nothing wrong goes unmarked

use crate::common;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::message::{Body, Message};
use sim::params::{Platform, TraceParams};
use sim::replay::{Replay, ReplayErrorKind, ReplaySink, ReplaySummary};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::{repeated_header, System};

const SCHEMES: [&str; 11] = [
    "tr_e:s0",
    "tr_e:small",
    "tr_b:m4+upper12",
    "golomb:bimodal256/last16",
    "tr_e:small+shared",
    "nx_b",
    "nexs",
    "taken",
    "follow:m",
    "follow:m+arithmetic",
    "sc-lsp:rbase-32x4",
];

#[derive(Default)]
struct Seen {
    events: Vec<FlowEvent>,
    signatures: usize,
}

impl ReplaySink for Seen {
    fn event(&mut self, event: &FlowEvent) {
        self.events.push(*event);
    }

    fn message(&mut self, _: u64, message: &Message) {
        self.signatures += usize::from(matches!(message.body, Body::Escape(e) if e.signature().is_some()));
    }
}

fn encode(p: &TraceParams, events: &[FlowEvent], period: Option<u8>) -> Vec<u32> {
    let period = period.map(|log2| SyncPeriod::new(log2).unwrap());
    let mut system = System::new(p).unwrap().sync_every(p, period);
    events.iter().for_each(|e| system.event(e));
    system.finish(events.last().unwrap().cycle);
    system.drain().collect()
}

fn run(program: &str, harts: u8, instructions: u64) -> (Image, Vec<FlowEvent>) {
    let program = programs::find(program).unwrap().load().unwrap();
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions, ..Limits::default() };
    Machine::new(&program, config).unwrap().run(&mut events, limits).unwrap();
    (Image::new(&program), events)
}

fn replay(
    image: &Image,
    p: &TraceParams,
    words: &[u32],
    resume: bool,
) -> (Seen, ReplaySummary, Option<ReplayErrorKind>) {
    let mut seen = Seen::default();
    let mut replay = match Replay::new(image, p, words.iter().copied()) {
        Ok(replay) => replay,
        Err(e) => return (seen, ReplaySummary::default(), Some(e.kind)),
    };
    let mut why = None;
    loop {
        match replay.step(&mut seen) {
            Ok(true) => {}
            Ok(false) => return (seen, replay.summary(), why),
            Err(e) => {
                why.get_or_insert(e.kind);
                if !resume || !replay.resume() {
                    return (seen, replay.summary(), why);
                }
            }
        }
    }
}

fn same(a: &[FlowEvent], b: &[FlowEvent]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_flow(b))
}

fn of(events: &[FlowEvent], hart: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == hart).copied().collect()
}

#[test]
fn of_a_right_stream_all_is_confirmed_whatever_the_scheme() {
    for (program, harts) in [("irq", 1), ("bank", 2), ("qsort", 1)] {
        let (image, events) = run(program, harts, 60_000);
        for (name, bits) in SCHEMES.into_iter().flat_map(|name| [(name, 8), (name, 16)]) {
            for period in [None, Some(12)].into_iter().filter(|p| p.is_none() || !name.ends_with("+shared")) {
                let platform = Platform { cores: harts, signature: bits, ..Platform::RV32 };
                let p = TraceParams::new(platform, name.parse().unwrap());
                let what = format!("{program}, {name}, {bits} bits, period {period:?}");
                let words = encode(&p, &events, period);
                let (seen, summary, why) = replay(&image, &p, &words, false);
                assert_eq!(why, None, "{what}");
                for hart in 0..harts {
                    assert!(same(&of(&events, hart), &of(&seen.events, hart)), "{what}");
                }
                assert_eq!(summary.confirmed.as_ref(), Some(&summary.instructions), "{what}");
                assert!(seen.signatures >= usize::from(harts) * if period.is_some() { 5 } else { 1 }, "{what}");
            }
        }
    }
}

/// Reading from any header of a right stream, no core is marked, and all but the last instructions of a core are confirmed, or those of a period.
#[test]
fn from_any_header_of_a_right_stream_nothing_is_marked() {
    let long = std::env::var_os("GOSHAWK_LONG").is_some();
    let (mut starts, mut confirmed) = (0, [0, 0]);
    for (seed, name) in (0..if long { 600 } else { 33 }).zip(SCHEMES.into_iter().cycle()) {
        if name.ends_with("+shared") {
            continue;
        }
        let image = Image::new(&common::program(seed, 60 + 40 * (seed as usize % 6)));
        for cores in [2, 3, 5] {
            let events = common::walk(&image, 60 + 40 * (seed as usize % 6), cores, seed, 7000);
            let signature = if seed % 2 == 0 { 16 } else { 8 };
            let platform = Platform { cores, signature, count_bits: 16, ..Platform::RV32 };
            let p = TraceParams::new(platform, name.parse().unwrap());
            let words = encode(&p, &events, Some(10));
            let header = repeated_header(&p);
            for from in (1..words.len()).filter(|&i| words[i..].starts_with(&header)) {
                let what = format!("seed {seed}, {name}, N = {cores}, word {from}");
                let (seen, summary, why) = replay(&image, &p, &words[from..], false);
                assert_eq!(why, None, "{what}");
                for hart in 0..cores {
                    let (all, got) = (of(&events, hart), of(&seen.events, hart));
                    // the first event is the start
                    let tail = &all[all.len() - got.len().saturating_sub(1).min(all.len())..];
                    assert!(got.is_empty() || same(tail, &got[1..]), "{what}, core {hart}");
                }
                confirmed[0] += summary.confirmed.unwrap().iter().sum::<u64>();
                confirmed[1] += summary.instructions.iter().sum::<u64>();
                starts += 1;
            }
        }
    }
    assert!(starts > 300, "{starts} headers are too few");
    assert!(confirmed[0] * 100 > confirmed[1] * 95, "{confirmed:?}");
}

#[test]
fn contexts_gaps_and_the_order_of_what_an_instruction_makes_are_in_it() {
    let flow = |kind, count, pc, target| FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 };
    let jump = |pc, target| flow(FlowKind::Jump, 1, pc, target);
    let context =
        |n, alone, pc| FlowEvent { len: 0, ..flow(FlowKind::Context { context: Context(n), alone }, 0, pc, pc) };
    let start = FlowEvent { len: 0, ..flow(FlowKind::Start, 0, 0x100, 0x100) };
    let trap = |pc, target| FlowEvent { len: 0, ..flow(FlowKind::Trap { interrupt: false, cause: 0 }, 0, pc, target) };
    let signature = |events: &[FlowEvent]| {
        let p = TraceParams::new(
            Platform { signature: 16, context: Some(4), ..Platform::RV32 },
            "tr_e:small".parse().unwrap(),
        );
        let mut system = System::new(&p).unwrap();
        events.iter().for_each(|e| system.event(e));
        system.finish(0);
        let words: Vec<u32> = system.drain().collect();
        words[3..].to_vec()
    };
    let base = signature(&[start, jump(0x100, 0x200), trap(0x200, 0x300), jump(0x300, 0x100)]);
    let others = [
        vec![start, jump(0x100, 0x200), trap(0x200, 0x304), jump(0x304, 0x100)],
        vec![start, jump(0x100, 0x200), context(7, false, 0x300), trap(0x200, 0x300), jump(0x300, 0x100)],
        vec![start, jump(0x100, 0x300), context(7, true, 0x300), jump(0x300, 0x100)],
        vec![start, jump(0x100, 0x300), jump(0x300, 0x100)],
    ];
    let all: Vec<Vec<u32>> = std::iter::once(base).chain(others.iter().map(|o| signature(o))).collect();
    for (i, a) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|b| a != b), "stream {i}");
    }
}

#[test]
fn no_wrong_bit_goes_unnoticed() {
    let (image, events) = run("irq", 1, 20_000);
    let mut without = 0;
    for name in SCHEMES {
        for (bits, period) in [(0, None), (16, None), (16, Some(11))] {
            if period.is_some() && name.ends_with("+shared") {
                continue;
            }
            let p = TraceParams::new(Platform { signature: bits, ..Platform::RV32 }, name.parse().unwrap());
            let words = encode(&p, &events, period);
            // bits after the header
            let all = 32 * (words.len() - 3);
            let (mut silent, mut signed) = (0, 0);
            for n in 0..200 {
                let bit = 96 + (all * n / 200 + 7 * n) % all;
                let mut damaged = words.clone();
                damaged[bit / 32] ^= 1 << (bit % 32);
                let (seen, _, why) = replay(&image, &p, &damaged, false);
                silent += usize::from(why.is_none() && !same(&events, &seen.events));
                signed += usize::from(why.is_some_and(|why| why.to_string().contains("signature")));
            }
            if bits == 0 {
                without += silent;
            } else {
                assert_eq!(silent, 0, "{name}, period {period:?}");
                assert!(period.is_some() || signed > 0 || name == "taken", "{name}: {signed}");
            }
        }
    }
    // checks that the faults are relevant
    assert!(without > 20, "{without}");
}

#[test]
fn instructions_after_a_wrong_interval_are_confirmed() {
    let (image, events) = run("irq", 1, 60_000);
    let p = TraceParams::new(Platform { signature: 16, ..Platform::RV32 }, "tr_e:small".parse().unwrap());
    let words = encode(&p, &events, Some(11));
    let all = 32 * (words.len() - 3);
    let total = replay(&image, &p, &words, false).1.instructions[0];
    let mut by_signature = 0;
    for n in 0..120 {
        let bit = 96 + all / 8 + all / 2 * n / 120;
        let mut damaged = words.clone();
        damaged[bit / 32] ^= 1 << (bit % 32);
        let (_, summary, why) = replay(&image, &p, &damaged, true);
        let Some(why) = why else { continue };
        let confirmed = summary.confirmed.unwrap()[0];
        by_signature += usize::from(why.to_string().contains("signature"));
        // one period and what precedes its resync
        assert!(confirmed < total && total - confirmed < 3 * 2048, "bit {bit}: {confirmed} of {total}, {why}");
    }
    assert!(by_signature > 5, "{by_signature}");
}
