//! `hdl/src/scheme/ntrace/times.rs`, `hdl/src/spine/core_time.rs` and the front ends with the time of a time stamp unit, under Verilator, against
//! `sim/src/standard/ntrace/system.rs` with the counter of `sim/src/tci/time_unit.rs`
//!
//! Random writes of `trTsControl` in all states: the counter is stopped, reset, prescaled, and stops in debug mode. The model has the bytes where
//! times are enabled and disabled while nothing is on its way; where this is done at any time, the times that a decoder finds are those of
//! the counter.

use crate::ntrace::{bytes, decode, same};
use crate::ntrace_ports::{execution, options, timed, words_with, Shown, START};
use crate::system::compare;
use hdl::bus::wrap::{Buses, RegisterBus};
use hdl::emit::{emit_on, Ingress, SystemOptions};
use hdl::options::facts;
use hdl::scheme::ntrace::circuit::build;
use hdl::scheme::ntrace::front::TIME_LAG;
use hdl::scheme::Circuit;
use hdl::spine::Extras;
use hdl::verilog::Style;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::baseline::etrace::EtraceParams;
use sim::standard::ntrace::{read, Kind, NtraceParams, System};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::{rounds, Source};
use sim::tci::time_unit::TimeUnit;
use sim::tci::{Facts, Protocol};
use std::collections::HashSet;
use testbenches::verilog::verilator_lint_system;

const STEPS: usize = 5_000;
/// Cycles in which all messages leave.
const QUIET: usize = 700;
/// Fields of `trTsControl`.
const COUNT: u32 = 1 << 1;
const RESET: u32 = 1 << 2;
const ENABLE: u32 = 1 << 15;

/// The unit in each cycle: its counter, and whether messages have a time. `toggles`: cycles in which a write changes that.
pub(crate) fn times(
    seed: u64,
    cycles: usize,
    resets: bool,
    toggles: &dyn Fn(usize, &mut Source) -> bool,
) -> Vec<(u32, bool)> {
    let facts =
        Facts { protocol: Protocol { time_bits: 32, ..Protocol::ntrace(0, 0) }, debug: true, ..Facts::default() };
    let (mut s, mut unit) = (Source::seeded(seed), TimeUnit::new(&facts));
    let mut on = true;
    let step = |cycle| {
        let toggle = toggles(cycle, &mut s);
        on ^= toggle;
        let word = s.bits(32) as u32 & !(ENABLE | RESET | COUNT)
            | if on { ENABLE } else { 0 }
            | if resets && s.percent(10) { RESET } else { 0 }
            | if s.percent(80) { COUNT } else { 0 };
        let now = (unit.counter(), unit.is_enabled());
        unit.step(false, (toggle || s.per_64k(200)).then_some(word), s.percent(30));
        now
    };
    (0..cycles).map(step).collect()
}

/// A system with the time as an input plays `shown` at these times.
fn play(params: &NtraceParams, shown: &[Shown], slow: usize, times: &[(u32, bool)]) -> Vec<u32> {
    let top = build(params, &controlled()).unwrap();
    words_with(top, params.cores, (false, params.context.is_some()), shown, slow, |cycle| {
        let (time, on) = times[cycle];
        vec![("time_0".into(), time.into()), ("time_enable_0".into(), on.into())]
    })
}

struct Case {
    params: NtraceParams,
    model: Model,
    shown: Vec<Shown>,
    slow: usize,
    /// The events with their cycles, and with their times.
    events: Vec<(usize, FlowEvent)>,
    times: Vec<(u32, bool)>,
}

/// `quiet`: times are enabled and disabled while nothing is on its way, otherwise at any time.
fn case(name: &str, cores: u8, context: Option<u8>, seed: u64, quiet: bool, resets: bool) -> Case {
    let params = NtraceParams { context, timestamps: true, ..NtraceParams::new(cores, 32, name.parse().unwrap()) };
    let model = Model::new(&Shape::rv32(6));
    let slow = 12;
    let mut shown = execution(&model, cores, STEPS, seed, (false, context.is_some()));
    let every = STEPS / 12;
    if quiet {
        shown.iter_mut().skip(every).step_by(every).for_each(|s| s.pause = 2 * QUIET);
    }
    let cycle = |e: &FlowEvent| e.cycle as usize + START;
    let events: Vec<(usize, FlowEvent)> = timed(&shown, slow).iter().map(|e| (cycle(e), *e)).collect();
    // the middle of each pause
    let mut middles = HashSet::new();
    let mut clock = 100;
    for s in &shown {
        if s.pause == 2 * QUIET {
            middles.insert(clock + QUIET);
        }
        clock += s.pause + 1 + slow;
    }
    let toggles = |cycle, s: &mut Source| if quiet { middles.contains(&cycle) } else { s.per_64k(40) };
    let times = times(seed, clock + 3_200, resets, &toggles);
    let events = events.iter().map(|(c, e)| (*c, FlowEvent { cycle: times[c + TIME_LAG].0.into(), ..*e })).collect();
    Case { params, model, shown, slow, events, times }
}

fn matches_the_model(name: &str, cores: u8, context: Option<u8>) {
    for seed in 1..=rounds(1, 10) {
        let c = case(name, cores, context, seed, true, true);
        let place = format!("{}, seed {seed}", c.params.canonical());
        let got = play(&c.params, &c.shown, c.slow, &c.times);
        let image = Image::new(&c.model.program);
        let mut system = System::new(&c.params, &image).unwrap();
        for (cycle, e) in &c.events {
            system.enable_time(c.times[*cycle].1);
            system.event(e);
        }
        compare(&place, &system.finish(), &got);
        let (with, without) = stamped(&c.params, &got);
        assert!(with > 20 && without > 100, "{place}: {with} messages with a time, {without} without");
    }
}

/// Whole systems, in which the counter of the registers is the time of the cores.
#[test]
fn verilator_reports_nothing_for_systems_with_a_unit() {
    let ntrace =
        |name: &str, cores| NtraceParams { timestamps: true, ..NtraceParams::new(cores, 32, name.parse().unwrap()) };
    let etrace = EtraceParams { timestamps: true, ..EtraceParams::new(2, 64, "etrace+ir8".parse().unwrap()) };
    let systems: [(&dyn Circuit, Ingress); 3] = [
        (&ntrace("ntrace+ir8", 1), Ingress::Rvfi),
        (&ntrace("ntrace+ir8+rh+sync64", 3), Ingress::Etrace),
        (&etrace, Ingress::Etrace),
    ];
    for (params, ingress) in systems {
        let options = SystemOptions { ingress, ..options(false) };
        let buses = Buses { registers: RegisterBus::Apb, tci: Some(facts(params, &options)), ..Buses::default() };
        let style = Style { name: "top".into(), ..Style::default() };
        let verilog = emit_on(params, &options, &style, buses).unwrap();
        assert!(verilog.contains("wire        time_enable_0;"), "the time is inside of the module");
        verilator_lint_system(&verilog).unwrap_or_else(|e| panic!("{}: {e}", params.canonical()));
    }
}

/// The options of a system with the time as an input.
fn controlled() -> SystemOptions {
    let options = options(false);
    SystemOptions { extras: Extras { time_input: true, ..options.extras }, ..options }
}

/// Messages with a time, and without one.
fn stamped(params: &NtraceParams, words: &[u32]) -> (usize, usize) {
    let messages = messages(params, words);
    let with = messages.iter().filter(|m| m.2.is_some()).count();
    (with, messages.len() - with)
}

/// Core, whether it is a synchronization, and TSTAMP of each message.
fn messages(params: &NtraceParams, words: &[u32]) -> Vec<(u16, bool, Option<u64>)> {
    let all = bytes(words);
    let parts = all.split_inclusive(|b| b & 3 == 3).filter(|m| m[0] != 0xff);
    parts
        .map(|m| {
            let m = read(m, &params.decoder()).unwrap();
            (m.source, matches!(m.kind, Kind::Sync { .. }), m.time)
        })
        .collect()
}

#[test]
fn times_of_a_unit_match_the_model() {
    for (name, cores, context) in [
        ("ntrace", 1, None),
        ("ntrace+ir8+rh+sync64", 3, None),
        ("ntrace+btm+ir8+sync16", 2, None),
        ("ntrace+ir8+sync16", 5, Some(4)),
    ] {
        matches_the_model(name, cores, context);
    }
}

#[test]
fn times_that_are_disabled_at_any_time_are_those_of_the_counter() {
    for (name, cores, resets) in
        [("ntrace+sync16", 1, false), ("ntrace+ir8+rh+sync64", 3, false), ("ntrace+ir8+sync16", 2, true)]
    {
        for seed in 1..=rounds(1, 10) {
            let c = case(name, cores, None, seed, false, resets);
            let place = format!("{}, seed {seed}", c.params.canonical());
            let got = play(&c.params, &c.shown, c.slow, &c.times);
            let image = Image::new(&c.model.program);
            let (found, losses) = decode(&c.params, &image, &got);
            assert_eq!(losses, 0, "{place}");
            let (with, without) = stamped(&c.params, &got);
            assert!(with > 100 && without > 100, "{place}: {with} messages with a time, {without} without");
            for hart in 0..cores {
                let want: Vec<FlowEvent> = c.events.iter().map(|e| e.1).filter(|e| e.hart == hart).collect();
                let found: Vec<FlowEvent> = found.iter().filter(|e| e.hart == hart).copied().collect();
                let wrong = found.iter().zip(&want).position(|(f, w)| !same(f, w));
                assert_eq!((wrong, found.len()), (None, want.len()), "{place}, hart {hart}");
                // a reader that knows the rules of the text only: the time of a synchronization, and differences from the last one
                let at: HashSet<u32> = want.iter().map(|e| e.cycle as u32).collect();
                let (mut now, mut first) = (None, true);
                for (_, sync, time) in messages(&c.params, &got).iter().filter(|m| m.0 == u16::from(hart)) {
                    let Some(time) = time else { continue };
                    now = if *sync { Some(*time as u32) } else { now.map(|t: u32| t.wrapping_add(*time as u32)) };
                    assert!(!first || *sync, "{place}: the first time is that of a synchronization");
                    first = false;
                    assert!(now.is_some_and(|t| at.contains(&t)), "{place}, hart {hart}: {now:?}");
                }
                let strange = found.iter().find(|f| f.cycle > 0 && !at.contains(&(f.cycle as u32)));
                assert_eq!(strange, None, "{place}, hart {hart}");
                // traps are messages of their own: their times are right while messages have times
                let on = |e: &FlowEvent, f: &FlowEvent| e.cycle as u32 == f.cycle as u32;
                let traps = || want.iter().zip(&found).filter(|(w, _)| matches!(w.kind, FlowKind::Trap { .. }));
                let right = traps().filter(|(w, f)| on(w, f)).count();
                assert!(right > 5, "{place}: {right} of {} traps", traps().count());
            }
        }
    }
}
