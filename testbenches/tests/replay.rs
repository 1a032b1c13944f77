//! Replay of real programs is exact: every program, every named set, every encoding, N = 1, 2, 4, 8
//!
//! The retire stream of the built-in simulator goes through the golden model; what replay makes of the
//! bits and the ELF must be the same events, and so, with the ELF, the same instructions.

use sim::golden::system::System;
use sim::params::{Coding, Scheme, TraceParams, NAMED_SETS};
use sim::replay::image::Image;
use sim::replay::{Events, Replay};
use sim::retire::{FlowEvent, FlowKind, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig};
use testbenches::programs::PROGRAMS;

/// Compares what comes back with what went in, hart by hart, in the order of each hart.
struct Check<'a> {
    want: Vec<std::slice::Iter<'a, FlowEvent>>,
    place: String,
}

impl RetireSink for Check<'_> {
    fn event(&mut self, e: &FlowEvent) {
        let want = self.want[usize::from(e.hart)].next();
        assert!(want.is_some_and(|w| w.same_flow(e)), "{}:\n went in {want:?}\ncame back {e:?}", self.place);
    }
}

fn run(program: &sim::elf::Program, harts: u8) -> (Vec<FlowEvent>, u64) {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events = Vec::new();
    let mut machine = Machine::new(program, config).unwrap();
    let summary = machine.run(&mut events, Limits { instructions: limit(), ..Limits::default() }).unwrap();
    (events, summary.cycles)
}

/// Instructions of each run: all of them in the long run.
fn limit() -> u64 {
    if std::env::var_os("GOSHAWK_LONG").is_some() {
        u64::MAX
    } else {
        300_000
    }
}

fn configs() -> Vec<(String, TraceParams)> {
    let mut out = Vec::new();
    for set in NAMED_SETS {
        for (name, scheme) in [("tr_b", Scheme::Tr(Coding::TR_B)), ("tr_e", Scheme::Tr(set.tr_e))] {
            for timestamps in [false, true] {
                let mut p = TraceParams::tr(set.predictor, set.tr_e);
                (p.scheme, p.timestamps) = (scheme, timestamps);
                out.push((format!("{} {name}{}", set.name, if timestamps { ", time-stamped" } else { "" }), p));
            }
        }
        let mut upper = TraceParams::tr(set.predictor, set.tr_e);
        upper.predictor.upper_bits = 12;
        out.push((format!("{} tr_e, upper bits apart", set.name), upper));
    }
    for (name, scheme) in [("nx_b", Scheme::NxB(Coding::TR_B)), ("nexs", Scheme::NexS)] {
        let mut p = TraceParams::tr(NAMED_SETS[0].predictor, Coding::TR_E);
        p.scheme = scheme;
        out.push((name.to_string(), p));
    }
    out
}

fn replays(harts: u8) {
    for info in PROGRAMS {
        let program = info.load().unwrap();
        let image = Image::new(&program);
        let (events, cycles) = run(&program, harts);
        assert!(events.len() > 1000, "{}: {} events", info.name, events.len());
        let by_hart: Vec<Vec<FlowEvent>> =
            (0..harts).map(|h| events.iter().filter(|e| e.hart == h).copied().collect()).collect();
        for (name, mut params) in configs() {
            params.cores = harts;
            let place = format!("{}, {name}, N = {harts}", info.name);
            let mut system = System::new(&params).unwrap();
            events.iter().for_each(|e| system.event(e));
            system.finish(cycles);
            let bits = system.stats().bits;
            let words: Vec<u32> = system.drain().collect();
            assert_eq!(bits, 32 * words.len() as u64, "{place}: bits reported are bits counted");
            let mut check = Check { want: by_hart.iter().map(|e| e.iter()).collect(), place };
            let summary = Replay::new(&image, &params, words.into_iter())
                .and_then(|r| r.run(&mut Events(&mut check)))
                .unwrap_or_else(|e| panic!("{}: {e}", check.place));
            for (hart, rest) in check.want.iter().enumerate() {
                assert_eq!(rest.as_slice(), [], "{}: hart {hart} did not come back to its end", check.place);
            }
            let went_in: u64 = events.iter().map(|e| u64::from(e.count)).sum();
            assert_eq!(summary.instructions.iter().sum::<u64>(), went_in, "{}", check.place);
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
    let params = TraceParams::tr(NAMED_SETS[0].predictor, Coding::TR_E);
    let (events, cycles) = run(&first, 1);
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
