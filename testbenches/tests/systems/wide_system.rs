//! `hdl/src/{cores,top}.rs`, emitted and under Verilator, against `sim/src/system.rs`: cores that retire up to four
//! instructions per cycle send the words of a core that retires one
//!
//! Programs are repacked: what an in-order core retired in successive cycles retires together. Times are cycles of the
//! wide core. Events of several cores are in the order in which `sim/src/beats/wide.rs` reports them.

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{build, emit, Ingress, SystemOptions};
use hdl::spine::{Extras, Retire};
use retire::elf::Program;
use retire::image::Image;
use retire::isa::{flow, Flow};
use retire::{FlowEvent, RetireSink};
use sim::beats::wide::{pace, Compressor, Pace, LATENCY};
use sim::beats::{Expander, Retired, Writer};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use sim::stimulus::{rounds, Source};
use sim::system::System;
use std::io::BufWriter;
use tempfile::NamedTempFile;
use testbenches::check::{check_around_gaps, run, run as run_program};
use testbenches::gates::emit_checked_system;

/// Cycles from activation to cycle 0 of the beat file, according to `status.active` and time stamps.
const ACTIVATION: u64 = 1 + LATENCY + 1;
/// Cycles from the write that ends tracing to the stop messages, counted from activation.
const STOPPING: u64 = 3;

/// How cores retire.
#[derive(Clone, Copy, Debug)]
enum Clocks {
    /// As many as there are channels, starting with the lowest.
    Paced(Pace),
    /// A random number, in any channels.
    Random(u64),
    /// The same in this percentage of cycles, slow enough for a scheme that predicts nothing.
    Slow(u64, u8),
}

/// A retired instruction of a core with several channels.
struct Wide {
    clock: u64,
    lane: u8,
    r: Retired,
}

/// What one core retires, in its new cycles.
fn widen(retired: Vec<Retired>, per_cycle: usize, clocks: Clocks) -> Vec<Wide> {
    let at: Vec<u64> = match clocks {
        Clocks::Paced(rule) => {
            let cycles: Vec<u64> = retired.iter().map(|r| r.cycle).collect();
            let goes_on: Vec<bool> = retired.iter().map(|r| r.next_pc == r.pc.wrapping_add(r.len.into())).collect();
            pace(&cycles, &goes_on, per_cycle, rule)
        }
        Clocks::Random(seed) | Clocks::Slow(seed, _) => {
            let idle = if let Clocks::Slow(_, busy) = clocks { 100 - busy } else { 70 };
            let mut s = Source::seeded(seed);
            let (mut clock, mut left) = (0, 0);
            let mut next = || {
                while left == 0 {
                    clock += 1;
                    // on average less than one event per cycle, which queues of depth 16 can carry
                    left = if s.percent(idle) { 0 } else { s.between(1, per_cycle as u64) };
                }
                left -= 1;
                clock
            };
            retired.iter().map(|_| next()).collect()
        }
    };
    let mut s = Source::seeded(retired.len() as u64);
    let mut out: Vec<Wide> = Vec::with_capacity(retired.len());
    let mut i = 0;
    while i < retired.len() {
        let n = at[i..].iter().take_while(|c| **c == at[i]).count();
        let mut free: Vec<u8> = (0..per_cycle as u8).collect();
        while free.len() > n && !matches!(clocks, Clocks::Paced(_)) {
            free.remove(s.below(free.len() as u64) as usize);
        }
        out.extend((0..n).map(|k| Wide { clock: at[i + k], lane: free[k], r: retired[i + k] }));
        i += n;
    }
    out
}

/// The beats of all cores as a file, with one core of the file per channel, in cycle order.
fn file(cores: &[Vec<Wide>], per_cycle: usize, xlen: u8) -> NamedTempFile {
    let mut all: Vec<Retired> = Vec::new();
    for (core, list) in cores.iter().enumerate() {
        all.extend(list.iter().map(|w| Retired { cycle: w.clock, hart: (core * per_cycle) as u8 + w.lane, ..w.r }));
    }
    all.sort_by_key(|r| (r.cycle, r.hart));
    let file = NamedTempFile::new().unwrap();
    let mut w = Writer::new(BufWriter::new(file.reopen().unwrap()), (cores.len() * per_cycle) as u8, xlen).unwrap();
    all.iter().for_each(|r| w.push(r).unwrap());
    w.finish().unwrap();
    file
}

/// The events in the order in which they are reported, with the cycles of the wide cores.
fn reported(cores: &[Vec<Wide>], events: &[FlowEvent], log2_words: u8, xlen: u8) -> Vec<FlowEvent> {
    let mut all: Vec<(u64, u8, FlowEvent)> = Vec::new();
    for (hart, list) in cores.iter().enumerate() {
        // when each event is reported
        let mut queue = Compressor::new(log2_words);
        let mut at = vec![u64::MAX; list.len()];
        let mut i = 0;
        for clock in 0..=list.last().map_or(0, |w| w.clock) + 200 {
            let from = i;
            i += list[i..].iter().take_while(|w| w.clock == clock).count();
            let event = |r: &Retired| r.trapped || flow(r.insn, xlen) != Flow::Sequential;
            let row = queue.clock((from..i).map(|k| (k, event(&list[k].r))), true);
            assert!(!row.beat_lost, "core {hart}, clock {clock}: the queue is full");
            if let Some(k) = row.event {
                at[k] = clock;
            }
        }
        let mut retired = 0;
        for e in events.iter().filter(|e| usize::from(e.hart) == hart) {
            retired += e.count as usize;
            // a start or trap is reported with the instruction after it
            let k = if e.len != 0 { retired - 1 } else { retired };
            let (tell, cycle) = list.get(k).map_or((u64::MAX, u64::MAX), |w| (at[k], w.clock));
            all.push((tell, hart as u8, FlowEvent { cycle, ..*e }));
        }
    }
    all.sort_by_key(|(tell, hart, _)| (*tell, *hart));
    all.into_iter().map(|(.., e)| e).collect()
}

struct Case {
    scheme: &'static str,
    cores: u8,
    timestamps: bool,
    xlen: u8,
    retire: Retire,
    fifo_address_bits: u8,
}

impl Case {
    fn params(&self) -> TraceParams {
        let platform = Platform { cores: self.cores, timestamps: self.timestamps, xlen: self.xlen, ..Platform::RV32 };
        // with signatures, except for some schemes
        let signature = match self.scheme {
            "tr_e:small" | "sc-lsp:rbase-32x4" => 0,
            "sc-lsp:ebase-32x4" => 8,
            _ => 16,
        };
        TraceParams::new(Platform { signature, ..platform }, self.scheme.parse().unwrap())
    }

    fn options(&self) -> SystemOptions {
        let extras = Extras { retire: Some(self.retire), ..Extras::default() };
        SystemOptions { fifo_address_bits: self.fifo_address_bits, extras, ..SystemOptions::default() }
    }

    fn build(&self) -> TraceCosim {
        self.build_as(&self.options())
    }

    fn build_as(&self, options: &SystemOptions) -> TraceCosim {
        let per_cycle = usize::from(self.retire.per_cycle);
        let name = |i: usize, name: &str| format!("rvfi{}_{name}_{}", i % per_cycle, i / per_cycle);
        let ports = TracePorts::rvfi(usize::from(self.cores) * per_cycle, self.xlen, name, |name| name.into());
        TraceCosim::build(&emit(&self.params(), options).unwrap(), &ports).unwrap()
    }

    /// Options with resyncs.
    fn options_with_resyncs(&self) -> SystemOptions {
        let options = self.options();
        SystemOptions { extras: Extras { sync: true, ..options.extras }, ..options }
    }

    fn widen(&self, retired: &[Retired], clocks: Clocks) -> Vec<Vec<Wide>> {
        let per_cycle = usize::from(self.retire.per_cycle);
        let of = |hart| retired.iter().filter(|r| r.hart == hart).copied().collect();
        (0..self.cores).map(|hart| widen(of(hart), per_cycle, clocks)).collect()
    }

    /// Plays what all cores retired and compares every word with the golden model's. Returns the number of words, if
    /// nothing was lost.
    fn play(
        &self,
        place: &str,
        sim: &TraceCosim,
        retired: &[Retired],
        events: &[FlowEvent],
        clocks: Clocks,
    ) -> Option<usize> {
        self.play_with_resyncs(place, sim, retired, events, clocks, None)
    }

    /// The same with resyncs every 2^`period` instructions.
    fn play_with_resyncs(
        &self,
        place: &str,
        sim: &TraceCosim,
        retired: &[Retired],
        events: &[FlowEvent],
        clocks: Clocks,
        period: Option<u8>,
    ) -> Option<usize> {
        let cores = self.widen(retired, clocks);
        let beats = file(&cores, self.retire.per_cycle.into(), self.xlen);
        let options = TraceOptions { gap: 100, sync: period.unwrap_or(0).into(), ..TraceOptions::default() };
        let mut got = Vec::new();
        let summary = sim.run(beats.path(), &options, |w| got.push(w)).unwrap();
        if summary.overflow != 0 {
            return None;
        }
        assert_eq!(summary.beats, retired.len() as u64, "{place}");
        let params = self.params();
        let (warm_up_scale, every) =
            (self.options_with_resyncs().warm_up_scale(&params), period.map(|p| SyncPeriod::new(p).unwrap()));
        let golden = System::with_warm_up_scale(&params, if period.is_some() { warm_up_scale } else { 0 }).unwrap();
        let mut golden = golden.sync_every(&params, every);
        for e in reported(&cores, events, self.retire.log2_words, self.xlen) {
            golden.event(&FlowEvent { cycle: e.cycle.saturating_add(ACTIVATION), ..e });
        }
        golden.finish(summary.stop + STOPPING);
        let want: Vec<u32> = golden.drain().collect();
        let first = want.iter().zip(&got).position(|(w, g)| w != g);
        assert_eq!(first, None, "{place}: words differ, of {} and {}", want.len(), got.len());
        assert_eq!(want.len(), got.len(), "{place}");
        if self.cores == 1 && !self.timestamps && period.is_none() {
            assert!(
                got == single(&self.params(), events),
                "{place}: not the words of a core of one instruction a clock"
            );
        }
        Some(got.len())
    }
}

/// Words of a core that retires one instruction per cycle.
fn single(params: &TraceParams, events: &[FlowEvent]) -> Vec<u32> {
    let mut golden = System::new(params).unwrap();
    events.iter().for_each(|e| golden.event(e));
    golden.finish(events.last().map_or(0, |e| e.cycle));
    golden.drain().collect()
}

/// Expands events to instructions.
fn expand(program: &Program, cores: u8, events: &[FlowEvent]) -> Vec<Retired> {
    let (mut x, mut all) = (Expander::new(program, cores), Vec::new());
    events.iter().for_each(|e| x.event(e, &mut |r| all.push(*r)).unwrap());
    x.finish(&mut |r| all.push(*r)).unwrap();
    all
}

const fn retire(per_cycle: u8, log2_words: u8) -> Retire {
    Retire { per_cycle, log2_words }
}

/// Every program with event FIFOs of 16 entries: nothing is lost.
#[test]
fn programs_send_the_words_of_a_narrow_core() {
    let case =
        |scheme, cores, timestamps, retire| Case { scheme, cores, timestamps, xlen: 32, retire, fifo_address_bits: 4 };
    let usual = [
        (case("tr_e:small", 1, false, retire(2, 2)), Pace::Timed),
        (case("tr_e:small", 1, true, retire(4, 2)), Pace::Timed),
        (case("sc-lsp:rbase-32x4", 1, false, retire(2, 2)), Pace::Timed),
        (case("sc-lsp:ebase-32x4", 1, true, retire(4, 2)), Pace::Timed),
    ];
    let more = [
        // with depth 16, `parse` loses messages of this one
        (Case { fifo_address_bits: 5, ..case("sc-lsp:base-32x4", 1, false, retire(4, 2)) }, Pace::Timed),
        (case("sc-lsp:rbase-32x4", 2, true, retire(2, 2)), Pace::Timed),
        (case("tr_e:large", 1, true, retire(2, 2)), Pace::Timed),
        (case("tr_e:small", 1, false, retire(2, 2)), Pace::Timed),
        (case("tr_e:small", 1, false, retire(4, 2)), Pace::Timed),
        (case("tr_e:small", 1, true, retire(4, 2)), Pace::Timed),
        (case("tr_e:small", 1, false, retire(2, 3)), Pace::Block),
        (case("tr_e:large", 2, false, retire(2, 2)), Pace::Timed),
        // without stalls, more is sent at once: this needs larger event FIFOs
        (Case { fifo_address_bits: 8, ..case("tr_e:small", 1, true, retire(2, 3)) }, Pace::Block),
        (case("tr_e:m4+upper12", 2, true, retire(4, 2)), Pace::Timed),
    ];
    let usual = usual.map(|(case, rule)| (case, rule, 20_000));
    let more = more.map(|(case, rule)| (case, rule, 100_000));
    let cases: Vec<_> = usual.into_iter().chain(rounds(None, Some(more)).into_iter().flatten()).collect();
    let mut lost = Vec::new();
    for (case, rule, instructions) in cases {
        let sim = case.build();
        for info in programs::PROGRAMS {
            let program = info.load().unwrap();
            let (events, _) = run(&program, case.cores, instructions);
            let retired = expand(&program, case.cores, &events);
            let place = format!("{}, {}, {rule:?}, {} a clock", info.name, case.scheme, case.retire.per_cycle);
            if case.play(&place, &sim, &retired, &events, Clocks::Paced(rule)).is_none() {
                lost.push(format!("{place}, {} entries", case.options().fifo_entries()));
            }
        }
    }
    assert!(lost.is_empty(), "something was lost: {}", lost.join("; "));
}

/// Synthetic programs with traps, in any channels, any number per cycle, on one and two cores.
#[test]
fn random_retirement_sends_the_words_of_the_model() {
    for (scheme, cores, timestamps, xlen, per_cycle) in [
        ("tr_e:m4", 2, true, 32, 4),
        ("nx_b", 1, true, 64, 2),
        ("tr_e:small", 2, false, 32, 2),
        ("sc-lsp:rbase-16x4", 2, true, 32, 4),
        ("sc-lsp:base-32x4", 1, true, 64, 2),
        ("sc-lsp:ebase-8x8", 2, false, 32, 2),
        ("follow:m", 2, true, 32, 4),
        ("follow:l", 1, false, 64, 2),
        ("follow:s+arithmetic", 1, false, 32, 2),
    ] {
        let case = Case { scheme, cores, timestamps, xlen, retire: retire(per_cycle, 4), fifo_address_bits: 8 };
        let shape = if xlen == 64 { Shape::rv64(5) } else { Shape::rv32(5) };
        let model = Model::new(&shape);
        let run = record(&model, &Config::new(cores, 7), rounds(20_000, 400_000));
        let place = format!("{scheme}, N = {cores}, {per_cycle} a clock");
        let words = case.play(&place, &case.build(), &run.retired, &run.events, Clocks::Random(9)).unwrap();
        assert!(words > 500, "{place}: {words} words");
    }
}

/// Resyncs occur at the same events as for a core of one instruction per cycle, and nothing is predicted for K
/// instructions.
#[test]
fn resyncs_are_those_of_the_model() {
    for (scheme, cores, timestamps, per_cycle, period) in [
        ("nx_b", 1, true, 4, 10),
        ("nx_b", 3, true, 2, 10),
        ("tr_e:small", 1, false, 2, 12),
        ("tr_e:small", 2, true, 4, 13),
        ("golomb:m4", 3, true, 2, 11),
        ("sc-lsp:rbase-32x4", 1, false, 4, 11),
        ("sc-lsp:base-8x8", 2, true, 2, 10),
        ("sc-lsp:ebase-8x4", 2, true, 4, 10),
        ("follow:m", 2, true, 2, 12),
    ] {
        let case = Case { scheme, cores, timestamps, xlen: 32, retire: retire(per_cycle, 4), fifo_address_bits: 8 };
        let sim = case.build_as(&case.options_with_resyncs());
        let place = format!("{scheme}, N = {cores}, {per_cycle} a clock");
        let run = record(&Model::new(&Shape::rv32(5)), &Config::new(cores, 7), rounds(30_000, 600_000));
        // nothing is predicted after a resync; busy cores are reported late, which affects where the header is repeated
        let busy = if period == 10 && scheme != "nx_b" { 9 } else { 3 };
        let words =
            case.play_with_resyncs(&place, &sim, &run.retired, &run.events, Clocks::Slow(9, busy), Some(period));
        let words = words.unwrap_or_else(|| panic!("{place}: something was lost"));
        assert!(words > 500, "{place}: {words} words");
        if (scheme == "nx_b" || period == 10) && cores > 1 {
            // sends more than the port carries
            continue;
        }
        let program = programs::find("vm").unwrap().load().unwrap();
        let (events, _) = run_program(&program, cores, 20_000);
        let retired = expand(&program, cores, &events);
        let words = case.play_with_resyncs(&place, &sim, &retired, &events, Clocks::Paced(Pace::Timed), Some(period));
        assert!(words.is_some(), "{place}: something was lost");
    }
}

/// Four instructions per cycle of any kind produce more than one event per cycle: losses in the queue are reported.
#[test]
fn what_the_queue_loses_is_reported() {
    for (scheme, name, words) in [
        ("tr_e:small", "matmul", 2),
        ("tr_e:small", "fsm", 4),
        ("tr_e:small", "vm", 3),
        ("sc-lsp:rbase-32x4", "fsm", 2),
        ("sc-lsp:base-32x4", "vm", 4),
        ("follow:m", "fsm", 4),
    ] {
        let retire = retire(4, words);
        let case = Case { scheme, cores: 1, timestamps: true, xlen: 32, retire, fifo_address_bits: 6 };
        let program = programs::find(name).unwrap().load().unwrap();
        let (events, _) = run(&program, 1, 100_000);
        let cores = case.widen(&expand(&program, 1, &events), Clocks::Paced(Pace::Full));
        let beats = file(&cores, 4, 32);
        let mut got = Vec::new();
        let options = TraceOptions { gap: 100, ..TraceOptions::default() };
        let summary = case.build().run(beats.path(), &options, |w| got.push(w)).unwrap();
        assert_eq!(summary.overflow, 1, "{name}: nothing was lost");
        let (gaps, reported) = check_around_gaps(&Image::new(&program), &case.params(), got.into_iter(), &events);
        eprintln!("{name}: {gaps} gaps, {reported} of 100000 instructions told");
        assert!(gaps > 10 && reported > 5_000, "{name}: {gaps} gaps, {reported} told");
    }
}

#[test]
fn systems_pass_the_static_checks() {
    for (scheme, per_cycle, timestamps, cores) in [
        ("tr_e:small", 2, true, 2),
        ("nx_b", 4, false, 1),
        ("sc-lsp:rbase-32x4", 2, true, 1),
        ("sc-lsp:base-8x8", 4, false, 2),
        ("follow:m", 2, true, 2),
    ] {
        let case = Case { scheme, cores, timestamps, xlen: 32, retire: retire(per_cycle, 3), fifo_address_bits: 4 };
        emit_checked_system(&mut build(&case.params(), &case.options()).unwrap()).unwrap();
    }
}

#[test]
fn what_has_no_circuit_is_refused() {
    let of = |scheme: &str, ingress, extras| {
        let params = TraceParams::new(Platform::RV32, scheme.parse().unwrap());
        build(&params, &SystemOptions { ingress, extras, ..SystemOptions::default() }).err().map(|e| e.to_string())
    };
    let two = Extras { retire: Some(retire(2, 3)), ..Extras::default() };
    assert_eq!(of("tr_e:small", Ingress::Rvfi, two), None);
    let etrace = of("tr_e:small", Ingress::Etrace, two).unwrap();
    assert_eq!(etrace, "`--retire 2`: only with `--ingress rvfi` or `etrace-blocks`, not `--ingress etrace`; other ingresses have one channel");
    assert_eq!(of("sc-lsp:base-32x4", Ingress::Rvfi, two), None);
    assert_eq!(of("sc-lsp:base-32x4", Ingress::Rvfi, Extras { sync: true, ..two }), None);
    assert_eq!(of("tr_e:small", Ingress::Rvfi, Extras { sync: true, ..two }), None);
    assert_eq!(of("nx_b", Ingress::Blocks, Extras { filter: true, sync: true, ..two }), None);
    assert_eq!(of("sc-lsp:base-32x4", Ingress::Rvfi, Extras { lost: true, filter: true, ..two }), None);
    assert_eq!(of("sc-lsp:base-32x4", Ingress::Rvfi, Extras { check: true, ..two }), None);
    assert_eq!(of("sc-lsp:base-32x4", Ingress::Blocks, two), None);
    let three = of("tr_e:small", Ingress::Rvfi, Extras { retire: Some(retire(3, 3)), ..two }).unwrap();
    assert_eq!(three, "`--retire 3`: expected 1, 2 or 4");
    let deep = of("tr_e:small", Ingress::Rvfi, Extras { retire: Some(retire(2, 5)), ..two }).unwrap();
    assert_eq!(deep, "`--retire-queue 32`: expected 4, 8 or 16");
}
