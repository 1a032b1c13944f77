//! `hdl/src/scheme/tr/{front,messages}.rs`, `hdl/src/scheme/tr/target/ras_ibtb.rs`, `hdl/src/spine/trace_fsm.rs`,
//! `hdl/src/spine/{warm_up,signature}.rs`, `hdl/src/ingress/{chain,rvfi,etrace,context_tracker,mode_filter}.rs` and `hdl/src/cores.rs` against `sim/src/scheme/tr/model.rs` in `sim/src/lane`
//!
//! A synthetic program's instructions go through each ingress adapter into the front end; the resulting entries must be
//! the messages of the golden model, with their times.

use crate::front_end_harness::bench::spin;
use crate::front_end_harness::decoder::{chain_matches, decoder_matches, registered_is_the_same};
use crate::front_end_harness::golden::Predicting;
use crate::front_end_harness::ingress::{ChainCore, EtraceCore, RvfiCore};
use hdl::spine::Extras;
use sim::message::{Body, Escape};
use sim::params::{named_set, Platform, TrParams, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::Config;
use sim::stimulus::{long, rounds};
use testbenches::driver::CheckVerilog;
use testbenches::gates::emit_checked_system;

type Bench<T> = crate::front_end_harness::bench::Bench<T, Predicting>;

/// All extras; for an E-Trace port, without the check, since it does not report where an instruction went.
const ALL: Extras = Extras { sync: true, check: true, filter: true, ..Extras::NONE };
const REPORTED: Extras = Extras { check: false, ..ALL };

fn tr(p: TrParams) -> TraceParams {
    TraceParams::tr(p)
}

fn set(name: &str) -> TraceParams {
    tr(named_set(name).unwrap().params)
}

/// Every choice that changes the circuit, at least once.
fn variants() -> Vec<(&'static str, TraceParams)> {
    let sizes = TrParams::sizes;
    let shifted = |shift, p| TrParams { pc_shift: shift, ..p };
    let upper = |p| TrParams { upper_bits: 12, ..p };
    vec![
        ("small", set("small")),
        ("medium", set("medium")),
        ("large, timed", set("large").timed()),
        ("s0", set("s0")),
        ("no return stack, shift 0", tr(shifted(0, sizes(2048, 0, 32)))),
        ("upper bits, shift 4, timed", tr(shifted(4, upper(sizes(512, 8, 16)))).timed()),
        ("no C, shift 0", tr(shifted(0, sizes(256, 16, 16))).with(|p| p.align = 2)),
        ("no C, shift 3", tr(shifted(3, sizes(256, 8, 16))).with(|p| p.align = 2)),
        ("rv64", set("s2").with(|p| p.xlen = 64)),
        (
            "rv64, no C, upper bits, timed",
            tr(upper(sizes(256, 8, 16))).with(|p| (p.xlen, p.align, p.timestamps) = (64, 2, true)),
        ),
        ("nexus-like", TraceParams::new(Platform::RV32, "nx_b(bcnt=4,4)".parse().unwrap())),
        ("narrow counters, timed", set("s2").with(|p| (p.timestamps, p.count_bits, p.cc_bits) = (true, 16, 16))),
        ("wide counters", set("s2").with(|p| p.count_bits = 24)),
        ("signature", set("small").with(|p| p.signature = 16)),
        ("signature of 8 bits, rv64, timed", set("s2").timed().with(|p| (p.xlen, p.signature) = (64, 8))),
        (
            "signature of 8 bits, nexus-like, no C",
            TraceParams::new(Platform { align: 2, signature: 8, ..Platform::RV32 }, "nx_b".parse().unwrap()),
        ),
    ]
}

fn model(p: &TraceParams, seed: u64) -> Model {
    let shape = if p.xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
    Model::new(&Shape { compressed: p.align == 1, ..shape })
}

/// A run in which traps and co-routine swaps are frequent.
fn busy(seed: u64, retire_percent: u8) -> Config {
    Config { retire_percent, wait_per_64k: 4, trap_per_64k: 400, ..Config::new(1, seed) }
}

/// Selects adapters for variant `i`: one, in rotation; all in long runs.
fn of_variant(i: usize) -> impl Fn(usize) -> bool {
    let all = long();
    move |adapter| all || adapter == i % 3
}

/// Plays `steps(adapter)` instructions through each adapter, and checks the Verilog of those that `verilog` selects.
fn all_adapters(
    name: &str,
    p: &TraceParams,
    config: &Config,
    steps: impl Fn(usize) -> usize,
    verilog: impl Fn(usize) -> bool,
) {
    let m = model(p, config.seed);
    macro_rules! one {
        ($w:literal, $core:ident, $adapter:literal) => {
            let steps = steps($adapter);
            if steps > 0 {
                let mut bench = Bench::new($core::<$w>::with(p, Extras::default()), p).unwrap();
                let n = bench.play(&m, config, steps).unwrap_or_else(|e| panic!("{name}, {}: {e}", stringify!($core)));
                assert!(n > steps / 200, "{name}: {n} messages are too few to trust this run");
                if verilog($adapter) {
                    let e = |e| panic!("{name}, {}: {e}", stringify!($core));
                    bench.d.check_verilog_from_random(5).unwrap_or_else(e);
                }
            }
        };
    }
    match p.xlen {
        32 => {
            one!(32, RvfiCore, 0);
            one!(32, EtraceCore, 1);
            one!(32, ChainCore, 2);
        }
        _ => {
            one!(64, RvfiCore, 0);
            one!(64, EtraceCore, 1);
            one!(64, ChainCore, 2);
        }
    }
}

#[test]
fn every_variant_matches_golden_at_one_instruction_a_clock() {
    for (i, (name, p)) in variants().iter().enumerate() {
        let most = if p.xlen == 64 { rounds(1_000, 3_000) } else { rounds(3_000, 10_000) };
        let steps = |adapter| if of_variant(i)(adapter) { most } else { 1_000 };
        all_adapters(name, p, &busy(i as u64, 100), steps, of_variant(i));
    }
}

#[test]
fn gaps_between_instructions_change_nothing_but_times() {
    for (i, (name, p)) in variants().iter().enumerate().filter(|(_, (_, p))| p.xlen == 32) {
        // another adapter than the one with most steps in the test above
        let steps = |adapter| if of_variant(i + 1)(adapter) { rounds(1_500, 5_000) } else { 0 };
        all_adapters(name, p, &busy(100 + i as u64, 40), steps, |_| false);
    }
}

#[test]
fn a_full_fifo_loses_whole_messages_and_says_how_many_instructions() {
    for (i, (name, p)) in variants().iter().enumerate().filter(|(_, (_, p))| p.xlen == 32) {
        let m = model(p, 3);
        macro_rules! one {
            ($core:ident) => {{
                let mut bench = Bench::new($core::<32>::with(p, Extras::default()), p).unwrap();
                bench.full_per_64k = rounds(120, 60);
                let n = bench
                    .play(&m, &busy(200 + i as u64, 90), rounds(5_000, 25_000))
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let overflows = bench.overflows;
                assert!(n > 20 && overflows > 2, "{name}: {n} messages, {overflows} overflows are too few");
                if i < 3 {
                    bench.d.check_verilog().unwrap();
                }
            }};
        }
        one!(RvfiCore);
        if i % 3 == 1 {
            one!(EtraceCore);
        }
    }
}

#[test]
fn resyncs_wait_for_control_flow_and_start_the_warm_up() {
    for (i, (name, p)) in variants().iter().enumerate() {
        let m = model(p, 5);
        // rarely, so that tables are used again; in time for the next; always
        for (k, (rate, steps)) in [(150, 3_000), (800, 1_500), (20_000, 800)].into_iter().enumerate() {
            macro_rules! one {
                ($w:literal, $core:ident, $extras:expr) => {{
                    let mut bench = Bench::new($core::<$w>::with(p, $extras), p).unwrap();
                    bench.sync_per_64k = rate;
                    (bench.unsignalled_traps, bench.all_need_target) = ($extras.check, true);
                    bench.target_from_code = true;
                    bench.full_per_64k = [0, 60, 20][(i + k) % 3];
                    let seed = 300 + (3 * i + k) as u64;
                    let steps = rounds(if $w == 64 { steps / 2 } else { steps }, if $w == 64 { 2_500 } else { 5_000 });
                    bench.play(&m, &busy(seed, 95), steps).unwrap_or_else(|e| panic!("{name}, {rate}: {e}"));
                    assert!(bench.resyncs > 1, "{name}, {rate}: {} resyncs", bench.resyncs);
                    if k == 1 && i % 3 == 0 {
                        bench.d.check_verilog_from_random(7).unwrap_or_else(|e| panic!("{name}, {rate}: {e}"));
                    }
                }};
            }
            match p.xlen {
                32 => one!(32, RvfiCore, ALL),
                _ => one!(64, RvfiCore, ALL),
            }
            match p.xlen {
                32 if k == i % 3 => one!(32, EtraceCore, REPORTED),
                64 if k == i % 3 => one!(64, EtraceCore, REPORTED),
                32 if k == (i + 1) % 3 => one!(32, ChainCore, REPORTED),
                64 if k == (i + 1) % 3 => one!(64, ChainCore, REPORTED),
                _ => {}
            }
        }
    }
}

#[test]
fn hidden_instructions_are_counted_and_nothing_else_is_lost() {
    for (i, (name, p)) in variants().iter().enumerate() {
        let m = model(p, 6);
        macro_rules! one {
            ($w:literal, $core:ident, $all:expr) => {{
                let extras = Extras { filter: true, ..if i % 2 == 0 { $all } else { Extras::default() } };
                let mut bench = Bench::new($core::<$w>::with(p, extras), p).unwrap();
                bench.all_need_target |= extras.sync;
                bench.target_from_code |= extras.sync;
                (bench.hide_per_64k, bench.idle_before_stop) = ([300, 2_000][i % 2], 2 + i % 4);
                // with space for everything: exactly what is hidden is lost
                for seed in 0..3 {
                    let n = bench
                        .play(&m, &busy(400 + 3 * i as u64 + seed, 95), rounds(1_200, 2_000))
                        .unwrap_or_else(|e| panic!("{name}, {seed}: {e}"));
                    assert!(n > 10, "{name}: {n} messages are too few");
                }
                assert!(bench.hidden.len() > 2, "{name}: {} stretches", bench.hidden.len());
                let other = bench.hidden.iter().find(|(hidden, lost)| hidden != lost);
                assert_eq!(other, None, "{name}: hidden, and told to be lost");
                // with other losses and resyncs as well
                (bench.full_per_64k, bench.unsignalled_traps) = (60, extras.check);
                bench.sync_per_64k = if extras.sync { 150 } else { 0 };
                bench
                    .play(&m, &busy(500 + i as u64, 95), rounds(2_000, 3_000))
                    .unwrap_or_else(|e| panic!("{name}, full: {e}"));
                if i % 4 == 0 {
                    bench.d.check_verilog_from_random(9).unwrap_or_else(|e| panic!("{name}: {e}"));
                }
            }};
        }
        match p.xlen {
            32 => one!(32, RvfiCore, ALL),
            _ => one!(64, RvfiCore, ALL),
        }
        // with all extras and without them
        if long() || i % 4 < 2 {
            match p.xlen {
                32 => one!(32, EtraceCore, REPORTED),
                _ => one!(64, EtraceCore, REPORTED),
            }
        }
        if long() || i % 4 > 1 {
            match p.xlen {
                32 => one!(32, ChainCore, REPORTED),
                _ => one!(64, ChainCore, REPORTED),
            }
        }
    }
}

#[test]
fn context_changes_are_reported_before_their_first_instruction() {
    let (mut contexts, mut overflows, mut resyncs) = (0, 0, 0);
    for (i, (name, p)) in variants().iter().enumerate() {
        let most = 16.min(p.xlen - p.align - p.count_bits - 3);
        let p = &p.with(|p| p.context = Some([most, 2, 0][i % 3]));
        let m = model(p, 7);
        // rarely; often, with losses; almost always, with resyncs; with everything; two of these for each variant
        for k in [i % 4, (i + 2) % 4] {
            let (rate, retire_percent) = [(1_000, 100), (4_000, 40), (40_000, 95), (2_000, 95)][k];
            macro_rules! one {
                ($w:literal, $core:ident, $all:expr) => {{
                    let extras = if k > 1 { $all } else { Extras::default() };
                    let mut bench = Bench::new($core::<$w>::with(p, extras), p).unwrap();
                    bench.all_need_target |= extras.sync;
                    bench.target_from_code |= extras.sync;
                    bench.context_per_64k = rate;
                    bench.full_per_64k = [0, 60, 0, 60][k];
                    (bench.sync_per_64k, bench.hide_per_64k) = [(0, 0), (0, 0), (800, 0), (200, 300)][k];
                    bench.unsignalled_traps = extras.check;
                    let seed = 600 + (4 * i + k) as u64;
                    let steps = if $w == 64 { 1_200 } else { 2_000 };
                    bench.play(&m, &busy(seed, retire_percent), steps).unwrap_or_else(|e| panic!("{name}, {k}: {e}"));
                    let told = |b: &Body| matches!(b, Body::Escape(Escape::Context { .. }));
                    contexts += bench.messages.iter().filter(|m| told(&m.body)).count();
                    (overflows, resyncs) = (overflows + bench.overflows, resyncs + bench.resyncs);
                    if (i + k) % 8 == 0 {
                        bench.d.check_verilog_from_random(11).unwrap_or_else(|e| panic!("{name}, {k}: {e}"));
                    }
                }};
            }
            match p.xlen {
                32 => one!(32, RvfiCore, ALL),
                _ => one!(64, RvfiCore, ALL),
            }
            match p.xlen {
                32 if k == i % 4 => one!(32, EtraceCore, REPORTED),
                64 if k == i % 4 => one!(64, EtraceCore, REPORTED),
                32 => one!(32, ChainCore, REPORTED),
                64 => one!(64, ChainCore, REPORTED),
                _ => {}
            }
        }
    }
    let seen = (contexts, overflows, resyncs);
    assert!(contexts > 1_000 && overflows > 30 && resyncs > 30, "{seen:?}: contexts, overflows, resyncs are too few");
}

#[test]
fn tracing_that_is_disabled_and_enabled_again_begins_from_nothing() {
    let p = set("s2").timed();
    let m = model(&p, 8);
    macro_rules! one {
        ($core:ident) => {{
            let mut bench = Bench::new($core::<32>::with(&p, Extras::default()), &p).unwrap();
            for seed in 0..12 {
                bench.full_per_64k = if seed % 3 == 2 { 200 } else { 0 };
                bench.idle_before_stop = (seed % 4) as usize;
                bench.play(&m, &busy(seed, 95), 1_500 + seed as usize).unwrap();
            }
            bench.d.check_verilog().unwrap();
        }};
    }
    one!(RvfiCore);
    one!(EtraceCore);
}

#[test]
fn instructions_after_the_end_are_never_reported() {
    for (i, (name, p)) in variants().iter().enumerate() {
        let m = model(p, 9);
        macro_rules! one {
            ($w:literal, $core:ident, $all:expr) => {{
                let extras = if i % 2 == 0 { $all } else { Extras::default() };
                let mut bench = Bench::new($core::<$w>::with(p, extras), p).unwrap();
                (bench.all_need_target, bench.unsignalled_traps) = (bench.all_need_target || extras.sync, extras.check);
                (bench.full_per_64k, bench.hide_per_64k) = (2_000, if extras.filter { 300 } else { 0 });
                // a trace rarely ends in a gap
                let (mut seed, few) = (0, rounds(16, 60));
                while seed < few || bench.stops_in_gaps <= 5 && seed < 60 {
                    bench.cycles_after_end = 40 + 3 * seed as usize;
                    bench.sync_per_64k = if extras.sync { [0, 800][seed as usize % 2] } else { 0 };
                    let config = busy(700 + 60 * i as u64 + seed, [100, 95, 40][seed as usize % 3]);
                    bench
                        .play(&m, &config, rounds(300, 500))
                        .unwrap_or_else(|e| panic!("{name}, {}, {seed}: {e}", stringify!($core)));
                    seed += 1;
                }
                let ended = bench.stops_in_gaps;
                assert!(ended > 5, "{name}, {}: {ended} traces ended in a gap", stringify!($core));
                if i % 4 == 1 {
                    bench.d.check_verilog_from_random(15).unwrap_or_else(|e| panic!("{name}: {e}"));
                }
            }};
        }
        match (p.xlen, i % 3) {
            (32, 0) => one!(32, EtraceCore, REPORTED),
            (32, 1) if !p.timestamps => one!(32, ChainCore, Extras::default()),
            (32, _) => one!(32, RvfiCore, ALL),
            _ => one!(64, RvfiCore, ALL),
        }
    }
}

#[test]
fn nothing_retired_makes_a_stop_only() {
    let p = set("small");
    let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
    assert_eq!(bench.play(&model(&p, 1), &busy(1, 100), 0).unwrap(), 1);
}

#[test]
fn a_long_way_without_a_message_makes_progress_messages() {
    let p = set("small").with(|p| (p.count_bits, p.cc_bits) = (16, 16));
    for (p, count) in [(p, 2), (p.timed(), rounds(1, 2)), (p.with(|p| p.signature = 16), rounds(1, 2))] {
        // `j .`, forever
        let steps = spin(33_000 * count + 1_000, 1);
        let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
        bench.play_steps(&steps).unwrap();
        let progress = |b: &Body| matches!(b, Body::Escape(Escape::Progress { i_cnt: 32_768..=32_769, .. }));
        assert_eq!(bench.messages.iter().filter(|m| progress(&m.body)).count(), count);
    }
    // time alone has the same effect; and the cycle count stops at its maximum
    let p = p.timed();
    for (steps, gap, count) in [(rounds(34, 62), 1_100, rounds(31, 30)), (3, 66_000, 1)] {
        let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
        bench.play_steps(&spin(steps, gap)).unwrap();
        let progress = |b: &Body| matches!(b, Body::Escape(Escape::Progress { i_cnt, .. }) if *i_cnt == count);
        assert!(bench.messages.iter().any(|m| progress(&m.body)), "gap {gap}: {:?}", bench.messages);
    }
}

#[test]
fn the_decoder_agrees_with_the_model_on_every_kind_of_instruction() {
    // most encodings are compressed
    for (p, usual) in [
        (set("small"), 60_000),
        (set("small").with(|p| p.xlen = 64), 20_000),
        (set("small").with(|p| p.align = 2), 20_000),
    ] {
        decoder_matches(&p, rounds(usual, 60_000));
    }
}

#[test]
fn ports_from_registers_make_the_beats_of_an_adapter_with_registers() {
    for (i, p) in
        [set("small"), set("small").with(|p| p.xlen = 64), set("small").with(|p| p.align = 2)].iter().enumerate()
    {
        registered_is_the_same(p, false, rounds(3_000, 6_000));
        registered_is_the_same(p, true, if i == 0 { rounds(3_000, 6_000) } else { 1_000 });
    }
}

#[test]
fn a_pc_chain_knows_what_cannot_follow_from_every_kind_of_instruction() {
    for (p, usual) in [
        (set("small"), 30_000),
        (set("small").with(|p| p.xlen = 64), 10_000),
        (set("small").with(|p| p.align = 2), 10_000),
    ] {
        chain_matches(&p, rounds(usual, 30_000));
    }
}

#[test]
fn every_variant_passes_the_static_gates() {
    for (i, (name, p)) in variants().into_iter().enumerate() {
        macro_rules! gates {
            ($w:literal) => {{
                let passed = [
                    of_variant(i)(0).then(|| emit_checked_system(&mut RvfiCore::<$w>::with(&p, Extras::default()))),
                    of_variant(i)(1).then(|| emit_checked_system(&mut EtraceCore::<$w>::with(&p, Extras::default()))),
                    of_variant(i)(2).then(|| emit_checked_system(&mut ChainCore::<$w>::with(&p, Extras::default()))),
                    ($w == 32).then(|| emit_checked_system(&mut RvfiCore::<$w>::with(&p, ALL))),
                ];
                for (adapter, passed) in passed.into_iter().enumerate() {
                    passed.transpose().unwrap_or_else(|e| panic!("{name}, adapter {adapter}: {e}"));
                }
            }};
        }
        match p.xlen {
            32 => gates!(32),
            _ => gates!(64),
        }
    }
}
