//! Measures how fast this machine simulates, encodes and replays
//!
//! It is in this crate and not in the command, so that the measured code is compiled like the code in use.

mod clock;
pub mod etrace;
mod inputs;
pub mod process;

use crate::input::Named;
use crate::HostError;
use clock::Stopwatch;
pub use clock::Time;
use retire::file::scratch;
use retire::image::runs::Addresses;
use retire::image::{Image, Position};
use retire::{FlowEvent, FlowKind, NullSink, RetireSink};
use serde::Serialize;
use sim::core_trace::CoreTrace;
use sim::params::{named_set, Platform, TraceParams};
use sim::replay::{Ignore, Replay, ReplaySink};
use sim::riscv::{Limits, Machine, MachineConfig, Timing};
use sim::scheme::tr::model::Front;
use sim::system::System;
use std::time::{Duration, Instant};

/// One measured speed.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// What was measured.
    pub what: String,
    /// Rate in `unit` per second, the best of the repetitions.
    pub per_second: f64,
    /// As `per_second`, per second of CPU time, all threads together.
    pub per_cpu_second: f64,
    /// Unit.
    pub unit: &'static str,
}

impl Speed {
    /// That of `n` units in `time`.
    pub fn of(what: String, n: u64, unit: &'static str, time: Time) -> Self {
        let per = |time: Duration| n as f64 / time.as_secs_f64();
        Self { what, per_second: per(time.wall), per_cpu_second: per(time.cpu), unit }
    }
}

/// How often a measurement is repeated: the best time counts.
#[derive(Clone, Copy, Debug)]
pub struct Repeat {
    /// Runs, at least.
    pub runs: u32,
    /// Time of all of them, at least.
    pub time: Duration,
}

impl Repeat {
    /// Three times, and for half a second.
    pub const USUAL: Self = Self { runs: 3, time: Duration::from_millis(500) };
    /// For commands, which take longer.
    pub const COMMANDS: Self = Self { runs: 5, time: Duration::ZERO };
    /// Once.
    pub const ONCE: Self = Self { runs: 1, time: Duration::ZERO };

    /// The best time of `work`.
    pub fn best(self, mut work: impl FnMut()) -> Time {
        self.best_of(|| {
            let start = Stopwatch::start();
            work();
            start.time()
        })
    }

    /// As [`Repeat::best`], for work that returns its own time.
    fn best_of(self, mut work: impl FnMut() -> Time) -> Time {
        let begin = Instant::now();
        let mut best = Time::MAX;
        let mut runs = 0;
        while runs < self.runs || (begin.elapsed() < self.time && runs < 1000) {
            best = best.min(work());
            runs += 1;
        }
        best
    }
}

/// Hashes every address on the path: the same work as a listener of the other decoder.
struct PathHash<'a> {
    image: &'a Image,
    addresses: Addresses,
    position: Position,
    hash: u64,
    instructions: u64,
}

impl ReplaySink for PathHash<'_> {
    const EVENTS_ONLY: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        for pc in self.addresses.of(self.image, self.position, e.count) {
            self.hash = etrace::path_hash(self.hash, *pc);
        }
        self.instructions += u64::from(e.count);
        self.position.pass(e);
    }
}

/// Replays a stream of one core and visits every address; returns the number of instructions, and the hash.
fn visit(image: &Image, params: &TraceParams, words: &[u32]) -> (u64, u64) {
    let (addresses, position) = (Addresses::default(), Position::default());
    let mut sink = PathHash { image, addresses, position, hash: 0, instructions: 0 };
    let replay = Replay::new(image, params, words.iter().copied()).expect("own stream");
    replay.run(&mut sink).expect("own stream");
    (sink.instructions, sink.hash)
}

/// Replaces all events up to `last` by a start.
fn begin_after(events: &mut Vec<FlowEvent>, last: Option<usize>) {
    if let Some(last) = last {
        let start = FlowEvent { kind: FlowKind::Start, count: 0, pc: events[last].target, ..events[last] };
        events.splice(..=last, [start]);
    }
}

/// Measures simulator, golden model, encoder and replay in memory, on a single-hart run of at most `limit`
/// instructions; `name` is an ELF or `builtin:NAME`.
///
/// # Errors
/// There is no such program, or it has too few branches.
pub fn models(name: &str, limit: u64, repeat: Repeat) -> Result<Vec<Speed>, HostError> {
    let program = Named::open(name)?.program;
    let machine = |e| HostError::Machine { name: name.into(), source: e };
    let mut speeds = Vec::new();
    let mut add = |what: String, n: u64, unit, time: Time| speeds.push(Speed::of(what, n, unit, time));
    let limits = Limits { instructions: limit, ..Limits::default() };
    for (label, timing) in
        [("one cycle an instruction", Timing::functional()), ("caches and latencies", Timing::default())]
    {
        for harts in [1, 4] {
            let config = MachineConfig { harts, timing: timing.clone(), ..MachineConfig::default() };
            let mut ran = Ok(0);
            let time = repeat.best_of(|| {
                let made = Machine::new(&program, config.clone());
                let start = Stopwatch::start();
                let summary = made.and_then(|mut m| m.run(&mut NullSink, limits));
                ran = summary.map(|s| s.instructions.iter().sum());
                start.time()
            });
            let n = ran.map_err(machine)?;
            add(
                format!("simulator, {label}, {harts} hart{}, no tracing", if harts == 1 { "" } else { "s" }),
                n,
                "instructions",
                time,
            );
        }
    }
    let mut events: Vec<FlowEvent> = Vec::new();
    let config = MachineConfig { timing: Timing::functional(), ..MachineConfig::default() };
    let summary = Machine::new(&program, config).and_then(|mut m| m.run(&mut events, limits)).map_err(machine)?;
    // E-Trace is measured without traps: after those of the start-up code
    let last = events.iter().rposition(|e| matches!(e.kind, FlowKind::Trap { .. }));
    begin_after(&mut events, last);
    if events.len() < 100_000 {
        return Err(HostError::Other(format!(
            "{name}: has {} branches after its last trap; at least 100,000 are needed",
            events.len()
        )));
    }
    let instructions: u64 = events.iter().map(|e| u64::from(e.count)).sum();
    let reported = events
        .iter()
        .filter(|e| {
            !matches!(
                e.kind,
                FlowKind::Start | FlowKind::Jump | FlowKind::Call | FlowKind::Stop | FlowKind::Trap { .. }
            )
        })
        .count() as u64;
    let image = Image::new(&program);
    for set in ["small", "medium", "large"] {
        let named = named_set(set)?;
        let params = TraceParams::tr(named.params);
        let time = repeat.best(|| {
            let mut core = CoreTrace::new(0, &Platform::RV32, Front::new(&named.params, &Platform::RV32));
            events.iter().for_each(|e| {
                core.event(e, &mut |m| {
                    std::hint::black_box(m);
                })
            });
        });
        add(format!("golden model, {set}"), reported, "reported branches", time);
        let mut words = Vec::new();
        let time = repeat.best(|| {
            let mut system = System::new(&params).expect("a named set");
            events.iter().for_each(|e| system.event(e));
            system.finish(summary.cycles);
            words = system.drain().collect();
        });
        add(format!("encode to tr_e, {set}"), instructions, "instructions", time);
        let time = repeat.best(|| {
            let replay = Replay::new(&image, &params, words.iter().copied()).expect("own stream");
            replay.run(&mut Ignore).expect("own stream");
        });
        add(format!("replay of tr_e, {set}"), instructions, "instructions", time);
        if set == "small" {
            let mut ours = (0, 0);
            let time = repeat.best(|| ours = visit(&image, &params, &words));
            add("replay of tr_e, small, every address visited".into(), instructions, "instructions", time);
            let other = |e: etrace::EtraceError| HostError::Other(e.to_string());
            let packets = etrace::encode(&image, &events).map_err(other)?;
            let mut decoded = Ok((0, 0));
            let time = repeat.best(|| decoded = etrace::decode(&program, &packets));
            let theirs = decoded.map_err(other)?;
            add("riscv-etrace decoding its E-Trace of the same run".into(), theirs.0, "instructions", time);
            if theirs != ours {
                return Err(HostError::Other(format!(
                    "the two decoders differ: {} instructions, hash {:016x} here, {} and {:016x} there",
                    ours.0, ours.1, theirs.0, theirs.1
                )));
            }
        }
    }
    Ok(speeds)
}

/// As [`models`], for record and replay with one core and with four, and for running backwards as a debugger does.
///
/// # Errors
/// As [`models`], or a file cannot be written.
pub fn inputs(name: &str, limit: u64, repeat: Repeat) -> Result<Vec<Speed>, HostError> {
    let folder = folder()?;
    let of = |harts| inputs::measure(name, (harts, limit), repeat, &folder.path().join("inputs.gtr"));
    Ok([of(1)?, of(4)?].concat())
}

/// A temporary folder.
///
/// # Errors
/// It cannot be made.
pub fn folder() -> Result<scratch::Folder, HostError> {
    scratch::Folder::new().map_err(|e| HostError::Other(format!("a temporary folder: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest part of a run without traps, starting with a start event.
    fn without_traps(events: &[FlowEvent]) -> Vec<FlowEvent> {
        let trap = |e: &FlowEvent| matches!(e.kind, FlowKind::Trap { .. });
        let longest = events.split_inclusive(trap).scan(0, |from, part| {
            *from += part.len();
            Some((*from - part.len(), part))
        });
        let (from, part) = longest.max_by_key(|(_, part)| part.len()).expect("a run has events");
        let mut stretch: Vec<FlowEvent> = part.iter().filter(|e| !trap(e)).copied().collect();
        if let Some(before) = from.checked_sub(1) {
            stretch.insert(0, events[before]);
            begin_after(&mut stretch, Some(0));
        }
        stretch
    }

    /// The first `n` instructions, ended by a stop as in the simulator at a limit.
    fn cut(events: &[FlowEvent], image: &Image, n: u64) -> Vec<FlowEvent> {
        let (mut left, mut kept) = (n, Vec::new());
        for e in events {
            if u64::from(e.count) > left || matches!(e.kind, FlowKind::Stop) {
                let last: &FlowEvent = kept.last().expect("a start comes first");
                let count = (left as u32).min(e.count);
                let pc = image.skip(last.target, count).expect("code of the program");
                kept.push(FlowEvent { kind: FlowKind::Stop, len: 0, count, pc, target: pc, ..*e });
                break;
            }
            left -= u64::from(e.count);
            kept.push(*e);
        }
        kept
    }

    #[test]
    fn both_decoders_find_the_same_path_in_every_program_wherever_it_is_cut() {
        let named = named_set("small").unwrap();
        let params = TraceParams::tr(named.params);
        for info in programs::PROGRAMS {
            let program = info.load().unwrap();
            let image = Image::new(&program);
            let config = MachineConfig { timing: Timing::functional(), ..MachineConfig::default() };
            let mut events: Vec<FlowEvent> = Vec::new();
            let limits = Limits { instructions: 30_000, ..Limits::default() };
            Machine::new(&program, config).unwrap().run(&mut events, limits).unwrap();
            let stretch = without_traps(&events);
            let whole: u64 = stretch.iter().map(|e| u64::from(e.count)).sum();
            assert!(whole > 300, "{}: {whole} instructions without a trap", info.name);
            // consecutive cuts, so that they include straight code, branches and jump targets
            for n in (1..whole).filter(|n| n % (whole / 6) < 40) {
                let run = cut(&stretch, &image, n);
                let mut system = System::new(&params).unwrap();
                run.iter().for_each(|e| system.event(e));
                system.finish(0);
                let words: Vec<u32> = system.drain().collect();
                let packets = etrace::encode(&image, &run).unwrap();
                let theirs = etrace::decode(&program, &packets).unwrap();
                let ours = visit(&image, &params, &words);
                assert_eq!((ours.0, ours), (n, theirs), "{} cut after {n} instructions", info.name);
            }
        }
    }
}
