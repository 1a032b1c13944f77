//! Replay of real programs with stream caches is exact: every program, every variant, N = 1, 2, 4, 8
//!
//! As `replay.rs`, for the scheme `sc-lsp`.

use sim::golden::system::System;
use sim::params::TraceParams;
use sim::replay::image::Image;
use sim::replay::{Events, Replay};
use sim::retire::{FlowEvent, FlowKind, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig};
use sim::stream_cache::params::PRESETS;
use sim::stream_cache::{Hash, StreamCacheParams, Variant};
use testbenches::programs::PROGRAMS;

/// Compares what comes back with what went in, hart by hart, in the order of each hart.
struct Check<'a> {
    want: Vec<std::slice::Iter<'a, FlowEvent>>,
    place: String,
    time: Time,
}

/// What is known of the cycle of an event that comes back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// Nothing.
    None,
    /// That of a trap or a start is exact, any other is not later than it was.
    Traps,
    /// And exact where a stream ends: every stream has its own record.
    Streams,
}

impl RetireSink for Check<'_> {
    fn event(&mut self, e: &FlowEvent) {
        let want = self.want[usize::from(e.hart)].next();
        assert!(want.is_some_and(|w| w.same_flow(e)), "{}:\n went in {want:?}\ncame back {e:?}", self.place);
        let exact = match e.kind {
            FlowKind::Trap { .. } | FlowKind::Start => true,
            FlowKind::Conditional { taken: false } | FlowKind::Jump | FlowKind::Call | FlowKind::Stop => false,
            _ => self.time == Time::Streams,
        };
        let cycle = want.map_or(0, |w| w.cycle);
        let told = self.time == Time::None || if exact { e.cycle == cycle } else { e.cycle <= cycle };
        assert!(told, "{}:\n went in {want:?}\ncame back {e:?}", self.place);
    }
}

/// Instructions of each run: all of them in the long run.
fn limit() -> u64 {
    if std::env::var_os("GOSHAWK_LONG").is_some() {
        u64::MAX
    } else {
        300_000
    }
}

fn run(program: &sim::elf::Program, harts: u8) -> (Vec<FlowEvent>, u64) {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events = Vec::new();
    let mut machine = Machine::new(program, config).unwrap();
    let summary = machine.run(&mut events, Limits { instructions: limit(), ..Limits::default() }).unwrap();
    (events, summary.cycles)
}

/// For N harts: all presets for one, a few for more, and some that no paper has; time stamps with a few.
fn configs(harts: u8) -> Vec<(TraceParams, Time)> {
    let mut out: Vec<StreamCacheParams> =
        PRESETS.iter().filter(|p| harts == 1 || p.to_string().ends_with("-32x4")).copied().collect();
    for p in Variant::ALL.map(|v| StreamCacheParams::new(v, 8, 4)) {
        out.push(StreamCacheParams { sl_bits: 6, hash: Hash::Left, ..p });
        out.push(StreamCacheParams { sl_bits: 12, shift: 0, ..p });
        out.push(StreamCacheParams { run_bits: p.run_bits.min(3), upper_bits: p.upper_bits.min(1), ..p });
    }
    let of = |shape| TraceParams { cores: harts, ..TraceParams::sc_lsp(shape) };
    let mut out: Vec<(TraceParams, Time)> = out.into_iter().map(|p| (of(p), Time::None)).collect();
    for variant in Variant::ALL {
        let timed = TraceParams { timestamps: true, ..of(StreamCacheParams::new(variant, 32, 4)) };
        out.push((timed, if variant == Variant::Base { Time::Streams } else { Time::Traps }));
        // a counter that stops: the times are too early
        out.push((TraceParams { cc_bits: 16, ..timed }, Time::None));
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
        for (params, time) in configs(harts) {
            let place = format!("{}, {}", info.name, params.canonical());
            let mut system = System::new(&params).unwrap();
            events.iter().for_each(|e| system.event(e));
            system.finish(cycles);
            let bits = system.stats().bits;
            let words: Vec<u32> = system.drain().collect();
            assert_eq!(bits, 32 * words.len() as u64, "{place}: bits reported are bits counted");
            let mut check = Check { want: by_hart.iter().map(|e| e.iter()).collect(), place, time };
            let summary = Replay::new(&image, &params, words.into_iter())
                .and_then(|r| r.run(&mut Events(&mut check)))
                .unwrap_or_else(|e| panic!("{}: {e}", check.place));
            for (hart, rest) in check.want.iter().enumerate() {
                assert_eq!(rest.as_slice(), [], "{}: hart {hart} did not come back to its end", check.place);
            }
            let went_in: u64 = events.iter().map(|e| u64::from(e.count)).sum();
            assert_eq!(summary.instructions.iter().sum::<u64>(), went_in, "{}", check.place);
            assert_eq!(summary.stats, *system.stats(), "{}: messages and bits by kind", check.place);
        }
    }
}

#[test]
fn every_program_and_preset_of_one_hart() {
    replays(1);
}

#[test]
fn every_program_and_variant_of_two_harts() {
    replays(2);
}

#[test]
fn every_program_and_variant_of_four_harts() {
    replays(4);
}

#[test]
fn every_program_and_variant_of_eight_harts() {
    replays(8);
}
