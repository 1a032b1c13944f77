//! Replay of real programs is exact, for every program, named set and encoding, and N = 1, 2, 4, 8
//!
//! The retire stream of the built-in simulator passes through the golden model; replay of the bits with the ELF must
//! give the same events, and thus the same instructions.

use programs::PROGRAMS;
use retire::elf::Program;
use retire::image::Image;
use retire::isa::{flow, Flow, Indirect};
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::beats::chain::Chain;
use sim::beats::{Expander, Retired};
use sim::params::{Platform, TraceParams, NAMED_SETS};
use sim::replay::{Events, Replay};
use sim::system::System;
use testbenches::check::{check_exact_replay, limit, run};

fn configs() -> Vec<(String, TraceParams)> {
    let mut out = Vec::new();
    let mut add = |name: String, timestamps| {
        let params = TraceParams::new(Platform { timestamps, ..Platform::RV32 }, name.parse().unwrap());
        out.push((format!("{name}{}", if timestamps { ", time-stamped" } else { "" }), params));
    };
    for set in NAMED_SETS {
        for encoding in ["tr_b", "tr_e"] {
            add(format!("{encoding}:{}", set.name), false);
            add(format!("{encoding}:{}", set.name), true);
        }
        add(format!("tr_e:{}+upper12", set.name), false);
    }
    add("nx_b".into(), false);
    add("nexs".into(), false);
    out
}

fn replays(harts: u8) {
    for info in PROGRAMS {
        let program = info.load().unwrap();
        let image = Image::new(&program);
        let (events, cycles) = run(&program, harts, limit(300_000));
        assert!(events.len() > 1000, "{}: {} events", info.name, events.len());
        for (name, mut params) in configs() {
            params.cores = harts;
            let place = format!("{}, {name}, N = {harts}", info.name);
            check_exact_replay(&image, &params, (&events, cycles), &place, |_, _| ());
        }
    }
}

#[test]
fn every_program_and_set_of_one_hart() {
    replays(1);
}

#[test]
fn every_program_and_set_of_two_harts() {
    replays(2);
}

#[test]
fn every_program_and_set_of_four_harts() {
    replays(4);
}

#[test]
fn every_program_and_set_of_eight_harts() {
    replays(8);
}

#[test]
fn a_trace_of_another_program_is_noticed() {
    let first = PROGRAMS[0].load().unwrap();
    let params = TraceParams::tr(NAMED_SETS[0].params);
    let (events, cycles) = run(&first, 1, limit(300_000));
    let mut system = System::new(&params).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(cycles);
    let words: Vec<u32> = system.drain().collect();
    let mut noticed = 0;
    for other in &PROGRAMS[1..] {
        let image = Image::new(&other.load().unwrap());
        let mut replayed: Vec<FlowEvent> = Vec::new();
        let result =
            Replay::new(&image, &params, words.iter().copied()).and_then(|r| r.run(&mut Events(&mut replayed)));
        // it may fit by chance; then the paths differ
        let same = replayed.len() == events.len() && replayed.iter().zip(&events).all(|(a, b)| a.same_flow(b));
        assert!(!same, "{}", other.name);
        noticed += usize::from(result.is_err());
    }
    assert!(noticed >= PROGRAMS.len() / 2, "{noticed} of {}", PROGRAMS.len() - 1);
    assert!(events.iter().any(|e| e.kind == FlowKind::Stop));
}

/// The events of core 0 after a PC chain, and the addresses that retired.
fn chained(program: &Program, events: &[FlowEvent]) -> (Vec<FlowEvent>, Vec<u64>) {
    let mut known: Vec<Retired> = Vec::new();
    let mut chain = Chain::new(32);
    let mut expander = Expander::new(program, 1);
    let mut each = |r: &Retired| known.extend(chain.push(r));
    events.iter().for_each(|e| expander.event(e, &mut each).unwrap());
    expander.finish(&mut each).unwrap();
    let (mut found, mut count) = (Vec::new(), 0);
    let mut tell = |kind, r: &Retired, len, count: &mut u32, target| {
        let (pc, count, cycle) = (r.pc, std::mem::take(count), r.cycle);
        found.push(FlowEvent { hart: 0, kind, len, count, pc, target, cycle });
    };
    for (i, r) in known.iter().enumerate() {
        match i {
            0 => tell(FlowKind::Start, r, 0, &mut count, r.pc),
            _ if r.trapped => tell(FlowKind::Trap { interrupt: false, cause: 0 }, r, 0, &mut count, r.pc),
            _ => {}
        }
        count += 1;
        let link = r.pc + u64::from(r.len);
        let kind = match flow(r.insn, 32) {
            Flow::Sequential => continue,
            Flow::Conditional { .. } => FlowKind::Conditional { taken: (link ^ r.next_pc) >> 1 & 0xfff != 0 },
            Flow::Jump { call: false, .. } => FlowKind::Jump,
            Flow::Jump { call: true, .. } => FlowKind::Call,
            Flow::Indirect(Indirect::Jump) => FlowKind::IndirectJump,
            Flow::Indirect(Indirect::Call) => FlowKind::IndirectCall,
            Flow::Indirect(Indirect::Return) => FlowKind::Return,
            Flow::Indirect(Indirect::CoSwap) => FlowKind::CoSwap,
            Flow::TrapReturn => FlowKind::TrapReturn,
        };
        tell(kind, r, r.len, &mut count, r.next_pc);
    }
    (found, known.iter().map(|r| r.pc).collect())
}

/// The addresses retired by `events`, including the code between them.
fn addresses(image: &Image, events: &[FlowEvent]) -> Vec<u64> {
    let (mut at, mut found) = (0, Vec::new());
    for e in events {
        for _ in 0..e.count {
            found.push(at);
            at += u64::from(image.instruction(at).unwrap().1);
        }
        at = e.target;
    }
    found
}

#[test]
fn behind_a_pc_chain_every_address_that_retired_comes_back() {
    let mut hidden = 0;
    for info in PROGRAMS {
        let program = info.load().unwrap();
        let image = Image::new(&program);
        let (events, cycles) = run(&program, 1, limit(100_000));
        let (told, retired) = chained(&program, &events);
        let traps = |list: &[FlowEvent]| list.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
        hidden += traps(&events) - traps(&told);
        for name in ["tr_e:small", "tr_b:large", "nx_b", "sc-lsp:rbase-32x4"] {
            let params = TraceParams::new(Platform::RV32, name.parse().unwrap());
            let mut system = System::new(&params).unwrap();
            told.iter().for_each(|e| system.event(e));
            system.finish(cycles);
            let mut replayed: Vec<FlowEvent> = Vec::new();
            let replay = Replay::new(&image, &params, system.drain()).unwrap();
            replay.run(&mut Events(&mut replayed)).unwrap_or_else(|e| panic!("{}, {name}: {e}", info.name));
            let found = addresses(&image, &replayed);
            let first = found.iter().zip(&retired).position(|(a, b)| a != b);
            assert_eq!(first, None, "{}, {name}", info.name);
            // instructions after the last event have no event of their own
            let missing = retired.len() - found.len();
            assert!(missing < 1_000, "{}, {name}: {missing} missing", info.name);
        }
    }
    assert!(hidden > 0, "no trap behind an indirect jump: nothing was tried");
}
