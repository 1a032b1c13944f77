//! Replay of real programs is exact: every program, every named set, every encoding, N = 1, 2, 4, 8
//!
//! The retire stream of the built-in simulator goes through the golden model; what replay makes of the
//! bits and the ELF must be the same events, and so, with the ELF, the same instructions.

use programs::PROGRAMS;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::{Platform, TraceParams, NAMED_SETS};
use sim::replay::{Events, Replay};
use sim::system::System;
use testbenches::check::{limit, replays_exactly, run};

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
            replays_exactly(&image, &params, (&events, cycles), &place, |_, _| ());
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
        // by chance it may fit; then the paths differ
        let same = replayed.len() == events.len() && replayed.iter().zip(&events).all(|(a, b)| a.same_flow(b));
        assert!(!same, "{}", other.name);
        noticed += usize::from(result.is_err());
    }
    assert!(noticed >= PROGRAMS.len() / 2, "{noticed} of {}", PROGRAMS.len() - 1);
    assert!(events.iter().any(|e| e.kind == FlowKind::Stop));
}
