//! `hdl/src/scheme/sc_lsp/{front,records}.rs` with `hdl/src/spine/{trace_fsm,warm_up}.rs` against `sim/src/scheme/sc_lsp/model.rs`
//!
//! As in `front_end.rs`: a synthetic program's instructions go through each ingress adapter into the front end; the
//! resulting entries must be the records of the golden model, with their times.

use crate::front_end_harness::bench::spin;
use crate::front_end_harness::golden::Streaming;
use crate::front_end_harness::ingress::{ChainCore, EtraceCore, RvfiCore};
use hdl::spine::Extras;
use sim::message::{Escape, Message};
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{Hash, Record, StreamCacheParams, Variant};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::Config;
use sim::stimulus::{long, rounds};
use testbenches::driver::CheckVerilog;
use testbenches::gates::emit_checked_system;

type Bench<T> = crate::front_end_harness::bench::Bench<T, Streaming>;

/// Every choice that changes the circuit, at least once.
fn variants() -> Vec<TraceParams> {
    let of = |variant, sets, ways| StreamCacheParams::new(variant, sets, ways);
    let sc = TraceParams::sc_lsp;
    let timed = TraceParams::timed;
    use Variant::{Base, Ebase, Rbase};
    vec![
        sc(of(Rbase, 32, 4)),
        sc(of(Ebase, 8, 8)),
        timed(sc(of(Base, 64, 1))),
        sc(StreamCacheParams { sl_bits: 6, shift: 0, ..of(Base, 16, 2) }),
        sc(StreamCacheParams {
            sl_bits: 10,
            hash: Hash::Left,
            shift: 2,
            upper_bits: 1,
            run_bits: 2,
            ..of(Rbase, 8, 4)
        })
        .with(|p| p.signature = 16),
        timed(sc(of(Ebase, 256, 4))).with(|p| (p.align, p.count_bits, p.signature) = (2, 16, 8)),
        timed(sc(of(Rbase, 16, 4))).with(|p| p.cc_bits = 16),
        timed(sc(StreamCacheParams { upper_bits: 40, ..of(Rbase, 32, 4) })).with(|p| (p.xlen, p.signature) = (64, 16)),
        sc(of(Base, 32, 4)).with(|p| p.xlen = 64),
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
fn all_adapters(p: &TraceParams, config: &Config, steps: impl Fn(usize) -> usize, verilog: impl Fn(usize) -> bool) {
    let m = model(p, config.seed);
    macro_rules! one {
        ($w:literal, $core:ident, $adapter:literal) => {
            let steps = steps($adapter);
            if steps > 0 {
                let place = format!("{}, {}", stringify!($core), p.canonical());
                let mut bench = Bench::new($core::<$w>::with(p, Extras::default()), p).unwrap();
                let n = bench.play(&m, config, steps).unwrap_or_else(|e| panic!("{place}: {e}"));
                assert!(n > steps / 100, "{place}: {n} records are too few to trust this run");
                if verilog($adapter) {
                    bench.d.check_verilog_from_random(5).unwrap_or_else(|e| panic!("{place}: {e}"));
                }
            }
        };
    }
    if p.xlen == 32 {
        one!(32, RvfiCore, 0);
        one!(32, EtraceCore, 1);
        one!(32, ChainCore, 2);
    } else {
        one!(64, RvfiCore, 0);
        one!(64, EtraceCore, 1);
        one!(64, ChainCore, 2);
    }
}

#[test]
fn every_variant_matches_golden_at_one_instruction_a_clock() {
    for (i, p) in variants().iter().enumerate() {
        let most = if p.xlen == 64 { rounds(1_000, 3_000) } else { rounds(3_000, 10_000) };
        let steps = |adapter| if of_variant(i)(adapter) { most } else { 1_000 };
        all_adapters(p, &busy(i as u64, 100), steps, of_variant(i));
    }
}

#[test]
fn gaps_between_instructions_change_nothing_but_times() {
    for (i, p) in variants().iter().enumerate().filter(|(_, p)| p.xlen == 32) {
        // another adapter than the one with most steps in the test above
        let steps = |adapter| if of_variant(i + 1)(adapter) { rounds(1_500, 5_000) } else { 0 };
        all_adapters(p, &busy(100 + i as u64, 40), steps, |_| false);
    }
}

#[test]
fn long_runs_match_golden() {
    let steps = rounds(20_000, 60_000);
    for (seed, p) in [(7, variants()[0]), (8, variants()[1])] {
        let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
        let n = bench.play(&model(&p, seed), &busy(seed, 100), steps).unwrap();
        assert!(n > steps / 30, "{n} records");
    }
}

#[test]
fn a_full_fifo_loses_whole_records_and_says_how_many_instructions() {
    let mut runs = 0;
    for (i, p) in variants().iter().enumerate().filter(|(_, p)| p.xlen == 32) {
        let m = model(p, 3);
        let mut bench = Bench::new(RvfiCore::<32>::with(p, Extras::default()), p).unwrap();
        bench.full_per_64k = rounds(120, 60);
        let place = p.canonical();
        let n =
            bench.play(&m, &busy(200 + i as u64, 90), rounds(5_000, 25_000)).unwrap_or_else(|e| panic!("{place}: {e}"));
        assert!(n > 20 && bench.overflows > 2, "{place}: {n} records, {} overflows are too few", bench.overflows);
        // predicted streams that were waiting when the FIFO filled up are still reported
        let with_run = |w: &[Message<Record>]| {
            matches!(w[0].body, Record::Hits { .. })
                && matches!(w[1].body, Record::Escape { escape: Escape::Overflow { .. }, .. })
        };
        runs += bench.messages.windows(2).filter(|w| with_run(w)).count();
        if i < 3 {
            bench.d.check_verilog().unwrap();
        }
    }
    assert!(runs > 5, "{runs} overflows behind predicted streams");
}

/// All extras.
const ALL: Extras = Extras { sync: true, check: true, filter: true, ..Extras::NONE };

/// Whether a message has the form of the first one after a repeated header; whether it has that form with predicted
/// streams waiting.
fn is_after_repeated_header(m: &Message<Record>) -> (bool, bool) {
    let hits = if let Record::Escape { hits, .. } = m.body { hits } else { None };
    (hits.is_some(), hits > Some(0))
}

/// Statistics of a bench with resyncs: messages of each kind in that form, resyncs after an exception, and overflows.
#[derive(Debug, Default)]
struct Seen {
    resyncs: usize,
    behind: usize,
    is_after_repeated_header: [usize; 4],
    waiting: usize,
    overflows: usize,
}

impl Seen {
    fn add(&mut self, messages: &[Message<Record>]) {
        for (i, m) in messages.iter().enumerate() {
            let Record::Escape { escape, .. } = m.body else { continue };
            let (own, waits) = is_after_repeated_header(m);
            let kind = match escape {
                Escape::Resync { .. } => 0,
                Escape::Exception { .. } => 1,
                Escape::Overflow { .. } => 2,
                Escape::Stop { .. } => 3,
                _ => continue,
            };
            self.is_after_repeated_header[kind] += usize::from(own);
            self.waiting += usize::from(waits);
            let before = i.checked_sub(1).map(|i| messages[i].body);
            let trap = matches!(before, Some(Record::Escape { escape: Escape::Exception { .. }, .. }));
            self.behind += usize::from(kind == 0 && trap);
        }
    }
}

#[test]
fn resyncs_wait_for_control_flow_and_start_the_warm_up() {
    let mut seen = Seen::default();
    for (i, p) in variants().iter().enumerate() {
        let m = model(p, 5);
        // rarely, so that tables are used again; in time for the next; always
        for (k, rate) in [150, 800, 20_000].into_iter().enumerate() {
            macro_rules! one {
                ($w:literal) => {{
                    let mut bench = Bench::new(RvfiCore::<$w>::with(p, ALL), p).unwrap();
                    (bench.sync_per_64k, bench.unsignalled_traps) = (rate, true);
                    bench.full_per_64k = [0, 60, 20][(i + k) % 3];
                    let place = format!("{}, {rate}", p.canonical());
                    // again after a stop, and one run without instructions
                    for (run, steps) in
                        [[if $w == 64 { 1_000 } else { 3_000 }, 1_000, 500][k], 0, 300, 300].into_iter().enumerate()
                    {
                        let seed = 300 + (9 * i + 3 * k + run) as u64;
                        bench.play(&m, &busy(seed, 95), steps).unwrap_or_else(|e| panic!("{place}, run {run}: {e}"));
                        seen.add(&bench.messages);
                    }
                    assert!(bench.resyncs > 0, "{place}: no resync");
                    (seen.resyncs, seen.overflows) = (seen.resyncs + bench.resyncs, seen.overflows + bench.overflows);
                    if k == i % 4 {
                        bench.d.check_verilog_from_random(7).unwrap_or_else(|e| panic!("{place}: {e}"));
                    }
                }};
            }
            match p.xlen {
                32 => one!(32),
                _ => one!(64),
            }
        }
    }
    let enough = seen.resyncs > 1_000 && seen.behind > 5 && seen.overflows > 30 && seen.waiting > 3;
    assert!(enough && seen.is_after_repeated_header.iter().all(|n| *n > 3), "{seen:?}");
}

#[test]
fn hidden_instructions_are_counted_and_nothing_else_is_lost() {
    for (i, p) in variants().iter().enumerate().filter(|(_, p)| p.xlen == 32) {
        let (m, place) = (model(p, 6), p.canonical());
        let extras = Extras { filter: true, ..if i % 2 == 0 { ALL } else { Extras::default() } };
        let mut bench = Bench::new(RvfiCore::<32>::with(p, extras), p).unwrap();
        (bench.hide_per_64k, bench.idle_before_stop) = ([300, 2_000][i % 2], 2 + i % 4);
        for seed in 0..3 {
            let busy = busy(400 + 3 * i as u64 + seed, 95);
            bench.play(&m, &busy, rounds(1_200, 2_000)).unwrap_or_else(|e| panic!("{place}, {seed}: {e}"));
        }
        assert!(bench.hidden.len() > 3, "{place}: {} stretches", bench.hidden.len());
        let other = bench.hidden.iter().find(|(hidden, lost)| hidden != lost);
        assert_eq!(other, None, "{place}: hidden, and told to be lost");
        (bench.full_per_64k, bench.unsignalled_traps) = (60, extras.check);
        bench.sync_per_64k = if extras.sync { 150 } else { 0 };
        let steps = rounds(2_000, 3_000);
        bench.play(&m, &busy(500 + i as u64, 95), steps).unwrap_or_else(|e| panic!("{place}, full: {e}"));
        if i % 4 == 0 {
            bench.d.check_verilog_from_random(9).unwrap_or_else(|e| panic!("{place}: {e}"));
        }
    }
}

#[test]
fn tracing_that_is_disabled_and_enabled_again_begins_from_nothing() {
    let p = variants()[6];
    let m = model(&p, 8);
    let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
    for seed in 0..12 {
        bench.full_per_64k = if seed % 3 == 2 { 200 } else { 0 };
        bench.idle_before_stop = (seed % 4) as usize;
        bench.play(&m, &busy(seed, 95), 1_500 + seed as usize).unwrap_or_else(|e| panic!("run {seed}: {e}"));
    }
    bench.d.check_verilog().unwrap();
}

#[test]
fn instructions_after_the_end_are_never_reported() {
    for (i, p) in variants().iter().enumerate().filter(|(_, p)| p.xlen == 32) {
        let (m, place) = (model(p, 9), p.canonical());
        let extras = if i % 2 == 0 { ALL } else { Extras::default() };
        let mut bench = Bench::new(RvfiCore::<32>::with(p, extras), p).unwrap();
        bench.unsignalled_traps = extras.check;
        (bench.full_per_64k, bench.hide_per_64k) = (2_000, if extras.filter { 300 } else { 0 });
        // a trace rarely ends in a gap
        let (mut seed, few) = (0, rounds(12, 40));
        while seed < few || bench.stops_in_gaps <= 5 && seed < 40 {
            bench.cycles_after_end = 40 + 3 * seed as usize;
            bench.sync_per_64k = if extras.sync { [0, 800][seed as usize % 2] } else { 0 };
            let busy = busy(700 + 40 * i as u64 + seed, [100, 95, 40][seed as usize % 3]);
            bench.play(&m, &busy, rounds(300, 500)).unwrap_or_else(|e| panic!("{place}, {seed}: {e}"));
            seed += 1;
        }
        assert!(bench.stops_in_gaps > 5, "{place}: {} traces ended in a gap", bench.stops_in_gaps);
        if i % 4 == 1 {
            bench.d.check_verilog_from_random(15).unwrap_or_else(|e| panic!("{place}: {e}"));
        }
    }
}

#[test]
fn nothing_retired_makes_a_stop_only() {
    let p = variants()[0];
    let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
    assert_eq!(bench.play(&model(&p, 1), &busy(1, 100), 0).unwrap(), 1);
}

/// `j .`, forever: streams of maximum length, all but the first two predicted.
#[test]
fn streams_without_a_conditional_end_by_their_length_and_slow_ones_are_sent_early() {
    let p = TraceParams::sc_lsp(StreamCacheParams::new(Variant::Rbase, 32, 4))
        .with(|p| (p.timestamps, p.cc_bits) = (true, 16));
    for (n, gap, early) in [(40_000, 1, false), (1_100, 150, true), (800, 330, true)] {
        let mut bench = Bench::new(RvfiCore::<32>::with(&p, Extras::default()), &p).unwrap();
        bench.play_steps(&spin(n, gap)).unwrap_or_else(|e| panic!("gap {gap}: {e}"));
        // a run that is not full, with streams of 254 instructions between this record and the previous one
        let short = |m: &Message<Record>| matches!(m.body, Record::Hits { count, bits } if count < 1 << bits && m.diff_cc >= 1 << 15);
        assert_eq!(bench.messages.iter().any(short), early, "gap {gap}: {:?}", bench.messages);
    }
}

#[test]
fn every_variant_passes_the_static_gates() {
    for (i, p) in variants().into_iter().enumerate() {
        macro_rules! gates {
            ($w:literal) => {{
                let passed = [
                    of_variant(i)(0).then(|| emit_checked_system(&mut RvfiCore::<$w>::with(&p, Extras::default()))),
                    of_variant(i)(1).then(|| emit_checked_system(&mut EtraceCore::<$w>::with(&p, Extras::default()))),
                    of_variant(i)(2).then(|| emit_checked_system(&mut ChainCore::<$w>::with(&p, Extras::default()))),
                    ($w == 32).then(|| emit_checked_system(&mut RvfiCore::<$w>::with(&p, ALL))),
                ];
                for (adapter, passed) in passed.into_iter().enumerate() {
                    passed.transpose().unwrap_or_else(|e| panic!("{}, adapter {adapter}: {e}", p.canonical()));
                }
            }};
        }
        match p.xlen {
            32 => gates!(32),
            _ => gates!(64),
        }
    }
}
