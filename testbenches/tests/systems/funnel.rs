//! Systems with a trace funnel (`hdl/src/bus/{encoders,funnel,components}.rs`, `source_0` of the encoders), under Verilator: what leaves of each
//! core are the bytes of the model of its encoder, and the decoder finds what retired
//!
//! The cores take turns, one instruction per cycle over all of them, or retire in every cycle; the sink takes all words, or few of them, so
//! that cores are stalled or lose instructions.

use crate::etrace_system::{decoded, of_core};
use crate::ntrace::{bytes, decode};
use crate::ntrace_ports::{execution, Shown};
use hdl::emit::SystemOptions;
use hdl::spine::Extras;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;
use sim::stimulus::run::Retired;
use sim::tci::Sink;
use testbenches::funnel::{emitted, FunnelSystem, Pace, Played, Scheme, ACTIVE};
use testbenches::verilog::verilator_lint_system;

/// What the decoder finds.
fn decoded_of(scheme: &Scheme, program: &Program, words: &[u32]) -> Vec<FlowEvent> {
    match scheme {
        Scheme::E(params) => decoded(params, program, words),
        Scheme::N(params) => decode(params, &Image::new(program), words).0,
    }
}

fn options(stall: bool, fifo_address_bits: u8) -> SystemOptions {
    let extras = Extras { stall, ..Extras::default() };
    SystemOptions { fifo_address_bits, extras, ..SystemOptions::default() }
}

/// The instructions of `shown`.
fn retired(shown: &[Shown]) -> Vec<Retired> {
    shown.iter().map(|s| s.retired).collect()
}

/// The events with the times of the counter.
fn timed(scheme: &Scheme, shown: &[Shown], played: &Played) -> Vec<FlowEvent> {
    let lag = scheme.circuit().standard().unwrap().time_lag;
    let time = |cycle: usize| (cycle + lag - ACTIVE - 1) as u64;
    let of = |(s, cycle): (&Shown, &usize)| {
        let at = |e: &FlowEvent| match e.kind {
            // the write reaches the encoder one cycle later, and the trace ends two cycles after that
            FlowKind::Stop => FlowEvent { cycle: time(played.disabled[usize::from(e.hart)] + 3), ..*e },
            _ => FlowEvent { cycle: time(*cycle), ..*e },
        };
        s.events.iter().map(at).collect::<Vec<_>>()
    };
    shown.iter().zip(&played.cycles).flat_map(of).collect()
}

/// The messages of each core are those of the model, in its order; and the decoder finds what retired.
fn check(scheme: &Scheme, funnel: u8, place: &str, model: &Model, events: &[FlowEvent], words: &[u32]) {
    let all = bytes(words);
    let messages = scheme.messages(&all);
    for core in 0..funnel {
        let got: Vec<u8> = messages.iter().filter(|m| m.0 == core).flat_map(|m| m.1).copied().collect();
        let want = scheme.golden(core, &model.program, events);
        let wrong = got.iter().zip(&want).position(|(g, w)| g != w);
        assert_eq!((wrong, got.len()), (None, want.len()), "{place}, core {core}");
    }
    assert!(messages.windows(2).filter(|m| m[0].0 != m[1].0).count() > 30, "{place}: cores take turns");
    let alone = |core| {
        let bytes = scheme.golden(core, &model.program, events);
        let word = |b: &[u8]| u32::from_le_bytes(std::array::from_fn(|i| b.get(i).copied().unwrap_or(scheme.idle())));
        let words: Vec<u32> = bytes.chunks(4).map(word).collect();
        (of_core(events, core), of_core(&decoded_of(scheme, &model.program, &words), 0))
    };
    let found = decoded_of(scheme, &model.program, words);
    for core in 0..funnel {
        let (events, alone) = alone(core);
        let found: Vec<FlowEvent> = of_core(&found, core).iter().map(|e| FlowEvent { hart: 0, ..*e }).collect();
        assert!(found == alone, "{place}, core {core}: found with the other cores as alone");
        assert!(10 * found.len() > 9 * events.len(), "{place}, core {core}: {} of {}", found.len(), events.len());
    }
}

fn matches_the_models(name: &str, funnel: u8, xlen: u8, timestamps: bool) {
    let scheme = Scheme::new(name, funnel, xlen, timestamps);
    let system = FunnelSystem::new(scheme.circuit(), funnel, &options(false, 6));
    let model = Model::new(&if xlen == 64 { Shape::rv64(6) } else { Shape::rv32(6) });
    for seed in 1..=rounds(1, 8) {
        let place = format!("{}, seed {seed}", scheme.circuit().canonical());
        let shown = execution(&model, funnel, 5_000, seed, (false, false));
        let pace = Pace::InTurn { slow: if timestamps { 12 } else { 8 } };
        let played = system.play(&retired(&shown), pace, 256);
        check(&scheme, funnel, &place, &model, &timed(&scheme, &shown, &played), &played.words);
    }
}

#[test]
fn messages_of_each_core_are_those_of_its_model() {
    for (name, funnel, xlen) in [
        ("ntrace", 2, 32),
        ("ntrace+ir8+rh+sync64", 5, 64),
        ("ntrace+btm+ir8", 3, 32),
        ("etrace", 3, 32),
        ("etrace+ir8+bp16+jtc8+sync64", 8, 32),
        ("etrace+full", 2, 64),
    ] {
        matches_the_models(name, funnel, xlen, false);
    }
}

#[test]
fn all_cores_have_the_time_of_the_funnel() {
    for (name, funnel) in [("ntrace+ir8+rh+sync64", 3), ("ntrace+btm", 2), ("etrace+ir8+sync64", 5)] {
        matches_the_models(name, funnel, 32, true);
    }
}

/// The cores retire in every cycle in which they are not stalled, and the sink takes few words: nothing is lost.
#[test]
fn stalled_cores_lose_nothing() {
    for (name, funnel) in [("ntrace+ir8", 3), ("etrace+ir8+sync64", 2)] {
        let scheme = Scheme::new(name, funnel, 32, false);
        let system = FunnelSystem::new(scheme.circuit(), funnel, &options(true, 5));
        let model = Model::new(&Shape::rv32(6));
        let place = format!("{}, stalls", scheme.circuit().canonical());
        let shown = execution(&model, funnel, 5_000, 9, (false, false));
        let played = system.play(&retired(&shown), Pace::Free, 8);
        check(&scheme, funnel, &place, &model, &timed(&scheme, &shown, &played), &played.words);
    }
}

/// Without stalls, cores lose instructions: the stream says so for each core, and what is found between losses is what retired.
#[test]
fn losses_are_those_of_each_core() {
    let funnel = 3;
    for name in ["ntrace+ir8", "etrace+ir8"] {
        let scheme = Scheme::new(name, funnel, 32, false);
        let system = FunnelSystem::new(scheme.circuit(), funnel, &options(false, 4));
        let model = Model::new(&Shape::rv32(6));
        let shown = execution(&model, funnel, 40_000, 5, (false, false));
        let played = system.play(&retired(&shown), Pace::Free, 50);
        let found = decoded_of(&scheme, &model.program, &played.words);
        for core in 0..funnel {
            let place = format!("{name}, core {core}");
            let gap = |e: &FlowEvent| matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Start | FlowKind::Stop);
            let all = of_core(&found, core);
            let gaps = all.iter().filter(|e| matches!(e.kind, FlowKind::Gap { .. })).count();
            assert!(gaps > 4, "{place}: {gaps} gaps");
            let events: Vec<FlowEvent> = shown.iter().flat_map(|s| of_core(&s.events, core)).collect();
            let mut at = 0;
            for part in all.split(gap).filter(|part| !part.is_empty()) {
                let same = |want: &[FlowEvent]| {
                    want.iter().zip(part).all(|(w, f)| {
                        let trap = matches!(w.kind, FlowKind::Trap { .. });
                        w.pc == f.pc && w.target == f.target && (w.kind == f.kind || trap)
                    })
                };
                let begins = events[at..].windows(part.len()).position(same);
                at += begins.unwrap_or_else(|| panic!("{place}: {:x?} did not retire", part[0])) + part.len();
            }
            assert!(at > 100, "{place}: {at} of {} events", events.len());
        }
    }
}

#[test]
fn verilator_reports_nothing() {
    for (name, funnel, timestamps, sink) in [
        ("ntrace+ir8+rh+sync64", 4, false, Sink::None),
        ("etrace+ir8", 3, true, Sink::None),
        ("ntrace", 8, true, Sink::None),
    ] {
        let scheme = Scheme::new(name, funnel, 32, timestamps);
        let verilog = emitted(scheme.circuit(), funnel, &options(true, 5), sink);
        verilator_lint_system(&verilog).unwrap_or_else(|e| panic!("{name}: {e}"));
    }
}
