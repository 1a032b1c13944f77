//! Replay of real programs with stream caches is exact, for every program and variant, and N = 1, 2, 4, 8
//!
//! As `replay.rs`, for the scheme `sc-lsp`.

use programs::PROGRAMS;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::params::TraceParams;
use sim::scheme::sc_lsp::params::PRESETS;
use sim::scheme::sc_lsp::{Hash, StreamCacheParams, Variant};
use testbenches::check::{check_exact_replay, limit, run};

/// The precision of the cycle of a replayed event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Time {
    /// Unknown.
    None,
    /// Exact for traps and starts; for other events, not later than it was.
    Traps,
    /// Also exact where a stream ends: every stream has its own record.
    Streams,
}

impl Time {
    /// Panics if the time of `e`, a replayed event, is impossible.
    fn check(self, want: &FlowEvent, e: &FlowEvent, place: &str) {
        let exact = match e.kind {
            FlowKind::Trap { .. } | FlowKind::Start => true,
            FlowKind::Conditional { taken: false } | FlowKind::Jump | FlowKind::Call | FlowKind::Stop => false,
            _ => self == Time::Streams,
        };
        let right = self == Time::None || if exact { e.cycle == want.cycle } else { e.cycle <= want.cycle };
        assert!(right, "{place}:\n went in {want:?}\ncame back {e:?}");
    }
}

/// Configurations for N harts: all presets for one, a few for more, and some that no paper has; time stamps with a few.
fn configs(harts: u8) -> Vec<(TraceParams, Time)> {
    let mut out: Vec<StreamCacheParams> =
        PRESETS.iter().filter(|p| harts == 1 || p.to_string().ends_with("-32x4")).copied().collect();
    for p in Variant::ALL.map(|v| StreamCacheParams::new(v, 8, 4)) {
        out.push(StreamCacheParams { sl_bits: 6, hash: Hash::Left, ..p });
        out.push(StreamCacheParams { sl_bits: 12, shift: 0, ..p });
        out.push(StreamCacheParams { run_bits: p.run_bits.min(3), upper_bits: p.upper_bits.min(1), ..p });
    }
    let of = |shape| TraceParams::sc_lsp(shape).with(|p| p.cores = harts);
    let mut out: Vec<(TraceParams, Time)> = out.into_iter().map(|p| (of(p), Time::None)).collect();
    for variant in Variant::ALL {
        let timed = of(StreamCacheParams::new(variant, 32, 4)).timed();
        out.push((timed, if variant == Variant::Base { Time::Streams } else { Time::Traps }));
        // a saturating counter: the times are too early
        out.push((timed.with(|p| p.cc_bits = 16), Time::None));
    }
    out
}

fn replays(harts: u8) {
    for info in PROGRAMS {
        let program = info.load().unwrap();
        let image = Image::new(&program);
        let (events, cycles) = run(&program, harts, limit(300_000));
        assert!(events.len() > 1000, "{}: {} events", info.name, events.len());
        for (params, time) in configs(harts) {
            let place = format!("{}, {}", info.name, params.canonical());
            let also = |want: &FlowEvent, e: &FlowEvent| time.check(want, e, &place);
            check_exact_replay(&image, &params, (&events, cycles), &place, also);
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
