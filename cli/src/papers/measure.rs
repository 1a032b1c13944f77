//! Measures: each program with 1 to 8 harts, in every configuration that a table asks for

use crate::Failure;
use programs::ProgramInfo;
use rayon::prelude::*;
use retire::stream::{self, End};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde::Serialize;
use sim::analysis::{ratio, FieldLengths};
use sim::golden::core::Rates;
use sim::golden::system::System;
use sim::params::{named_set, Coding, Scheme, TraceParams, NAMED_SETS};
use sim::rv32::{Limits, Machine, MachineConfig};
use sim::stream_cache::{StreamCacheParams, Variant};
use std::collections::HashMap;

/// Numbers of harts that are measured.
pub const HARTS: [u8; 4] = [1, 2, 4, 8];
/// Sizes of paper 001 table 2, entries.
pub const ENTRIES: [u16; 6] = [32, 64, 128, 256, 512, 1024];
/// Ways of paper 001 figure 3.
pub const WAYS: [u8; 4] = [1, 2, 4, 8];

/// A way of tracing, by its name: `nx_b`, `tr_e m4`, `base 32x4`; those of time-stamped traces begin with `t`.
struct Config {
    name: String,
    params: TraceParams,
}

fn configs(harts: u8) -> Vec<Config> {
    let mut out = Vec::new();
    let mut add = |name: String, set: &str, scheme: Option<Scheme>, timestamps: bool| {
        let set = named_set(set).expect("named in this file");
        let mut params = TraceParams::tr(set.predictor, set.tr_e);
        params.scheme = scheme.unwrap_or(params.scheme);
        (params.cores, params.timestamps) = (harts, timestamps);
        out.push(Config { name: if timestamps { format!("t{name}") } else { name }, params });
    };
    for timestamps in [false, true] {
        add("nx_b".into(), "small", Some(Scheme::NxB(Coding::TR_B)), timestamps);
        for set in ["small", "medium", "large"] {
            add(format!("tr_b {set}"), set, Some(Scheme::Tr(Coding::TR_B)), timestamps);
            add(format!("tr_e {set}"), set, None, timestamps);
        }
    }
    if harts == 1 {
        add("nexs".into(), "small", Some(Scheme::NexS), false);
        for set in &NAMED_SETS[3..] {
            add(format!("tr_e {}", set.name), set.name, None, false);
        }
        for entries in ENTRIES {
            for (variant, ways) in
                [(Variant::Ebase, 4), (Variant::Rbase, 4)].into_iter().chain(WAYS.map(|w| (Variant::Base, w)))
            {
                let sc = StreamCacheParams::new(variant, entries / u16::from(ways), ways);
                add(cache(variant, entries, ways), "small", Some(Scheme::ScLsp(sc)), false);
            }
        }
    }
    out
}

/// Name of a stream cache.
pub fn cache(variant: Variant, entries: u16, ways: u8) -> String {
    format!("{} {}x{ways}", variant.name(), entries / u16::from(ways))
}

/// What one configuration needs for one run.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Configuration.
    pub config: String,
    /// Everything that shapes the stream.
    pub params: String,
    /// Length of the stream, bits.
    pub bits: u64,
    /// Predictions, all harts.
    pub rates: Rates,
    /// Lengths of the fields, where the scheme has chunked ones.
    pub lengths: Option<FieldLengths>,
}

/// What a run is made of.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Workload {
    /// Direct jumps and calls.
    pub direct_unconditional: u64,
    /// Direct conditional branches.
    pub direct_conditional: u64,
    /// Indirect branches.
    pub indirect: u64,
    /// Traps.
    pub traps: u64,
    /// Different streams.
    pub unique: u64,
    /// Streams that a branch ends.
    pub streams: u64,
    /// Instructions of the longest stream, and of all.
    pub longest: u32,
    /// Instructions in streams.
    pub in_streams: u64,
    /// Different streams that are 90 % of the dynamic ones.
    pub cdf_90: u64,
}

fn workload(events: &[FlowEvent]) -> Workload {
    let mut w = Workload::default();
    for e in events {
        match e.kind {
            FlowKind::Jump | FlowKind::Call => w.direct_unconditional += 1,
            FlowKind::Conditional { .. } => w.direct_conditional += 1,
            FlowKind::Trap { .. } => w.traps += 1,
            FlowKind::Start | FlowKind::Stop | FlowKind::Gap { .. } => {}
            _ => w.indirect += 1,
        }
    }
    let mut seen: HashMap<(u64, u32), u64> = HashMap::new();
    for s in stream::streams(events, 1).into_iter().flatten().filter(|s| s.end == End::Branch) {
        *seen.entry((s.start, s.length)).or_default() += 1;
        w.streams += 1;
        w.longest = w.longest.max(s.length);
        w.in_streams += u64::from(s.length);
    }
    w.unique = seen.len() as u64;
    let mut counts: Vec<u64> = seen.into_values().collect();
    counts.sort_unstable_by_key(|n| std::cmp::Reverse(*n));
    let mut left = (w.streams * 9).div_ceil(10);
    for n in counts {
        if left == 0 {
            break;
        }
        left = left.saturating_sub(n);
        w.cdf_90 += 1;
    }
    w
}

/// One program with one number of harts.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Program.
    pub program: &'static str,
    /// N.
    pub harts: u8,
    /// Instructions of all harts.
    pub instructions: u64,
    /// Cycles.
    pub cycles: u64,
    /// With one hart.
    pub workload: Option<Workload>,
    /// By configuration.
    pub points: Vec<Point>,
}

impl Run {
    /// The point of a configuration.
    pub fn point(&self, config: &str) -> Option<&Point> {
        self.points.iter().find(|p| p.config == config)
    }
}

/// Runs a program with 1 to 8 harts.
pub fn program(info: &ProgramInfo, instructions: Option<u64>) -> Result<Vec<Run>, Failure> {
    let name = || format!("builtin:{}", info.name);
    let program = info.load().map_err(|source| Failure::Program { name: name(), source })?;
    let mut runs = Vec::new();
    for harts in HARTS {
        let config = MachineConfig { harts, ..MachineConfig::default() };
        let limits = Limits { instructions: instructions.unwrap_or(u64::MAX), ..Limits::default() };
        let mut events: Vec<FlowEvent> = Vec::new();
        let summary = Machine::new(&program, config)
            .and_then(|mut m| m.run(&mut events, limits))
            .map_err(|source| Failure::Machine { name: name(), source })?;
        let points = configs(harts).par_iter().map(|c| point(c, &events, summary.cycles)).collect();
        runs.push(Run {
            program: info.name,
            harts,
            instructions: summary.instructions.iter().sum(),
            cycles: summary.cycles,
            workload: (harts == 1).then(|| workload(&events)),
            points,
        });
    }
    Ok(runs)
}

fn point(config: &Config, events: &[FlowEvent], cycles: u64) -> Point {
    let mut system = System::new(&config.params).expect("the configurations are legal");
    system.count_lengths();
    for e in events {
        system.event(e);
        system.drain();
    }
    system.finish(cycles);
    let mut rates = Rates::default();
    system.rates().into_iter().for_each(|r| rates += r);
    Point {
        config: config.name.clone(),
        params: config.params.canonical(),
        bits: system.stats().bits,
        rates,
        lengths: system.field_lengths().cloned(),
    }
}

/// Bits, instructions and cycles of a configuration in the runs of `harts` harts: of one program, or of all.
pub fn sum(runs: &[Run], program: Option<&str>, harts: u8, config: &str) -> Option<(u64, u64, u64)> {
    let of = runs.iter().filter(|r| r.harts == harts && program.is_none_or(|p| p == r.program));
    of.map(|r| r.point(config).map(|p| (p.bits, r.instructions, r.cycles)))
        .collect::<Option<Vec<_>>>()
        .map(|all| all.into_iter().fold((0, 0, 0), |t, r| (t.0 + r.0, t.1 + r.1, t.2 + r.2)))
}

/// Bits per instruction, to be printed.
pub fn bpi(runs: &[Run], program: Option<&str>, harts: u8, config: &str) -> String {
    sum(runs, program, harts, config).map_or("-".into(), |(bits, n, _)| number(ratio(bits, n)))
}

/// A figure to three places, or to two that count where it is small.
pub fn number(value: f64) -> String {
    if value == 0.0 || value >= 0.01 {
        format!("{value:.3}")
    } else {
        format!("{value:.4}")
    }
}

/// Programs, in the order of the runs.
pub fn programs(runs: &[Run]) -> impl Iterator<Item = &Run> {
    runs.iter().filter(|r| r.harts == 1)
}

/// A published row: its name behind the paper's, and figures as they are printed.
pub fn published<const N: usize>(name: &str, figures: [&str; N]) -> Vec<String> {
    let cell = |f: &str| if f.is_empty() { String::new() } else { format!("*{f}*") };
    std::iter::once(cell(name)).chain(figures.map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_counted_as_by_hand() {
        let event = |kind, count, pc, target| FlowEvent { hart: 0, kind, len: 4, count, pc, target, cycle: 0 };
        let taken = FlowKind::Conditional { taken: true };
        let mut events = vec![event(FlowKind::Start, 0, 0x100, 0x100)];
        events.extend([event(taken, 5, 0x110, 0x100); 17]); // one stream, 17 times
        events.push(event(FlowKind::Conditional { taken: false }, 5, 0x110, 0x114));
        events.push(event(FlowKind::Jump, 1, 0x114, 0x200));
        events.push(event(FlowKind::IndirectJump, 2, 0x204, 0x300)); // 0x100, 8 instructions
        events.push(event(FlowKind::Return, 3, 0x308, 0x100)); // 0x300, 3 instructions
        events.push(event(FlowKind::Trap { interrupt: true, cause: 7 }, 1, 0x104, 0x400)); // of no branch
        events.push(event(taken, 1, 0x400, 0x400));
        let w = workload(&events);
        assert_eq!((w.direct_unconditional, w.direct_conditional, w.indirect, w.traps), (1, 19, 2, 1));
        assert_eq!((w.streams, w.unique, w.longest, w.in_streams), (20, 4, 8, 17 * 5 + 8 + 3 + 1));
        // 17 of 20 are 85 %, one more of them is 90 %
        assert_eq!(w.cdf_90, 2);
    }

    #[test]
    fn figures_have_three_places_or_two_that_count() {
        assert_eq!([0.0, 0.0061, 0.0123, 1.25].map(number), ["0.000", "0.0061", "0.012", "1.250"]);
    }

    #[test]
    fn a_table_has_every_configuration_that_it_asks_for() {
        let names: Vec<String> = configs(1).into_iter().map(|c| c.name).collect();
        for name in ["nx_b", "tnx_b", "nexs", "tr_e m4", "tr_b large", "ttr_e large", "base 32x4", "rbase 256x4"] {
            assert!(names.iter().any(|n| n == name), "{name}");
        }
        let mut unique = names.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), names.len());
    }
}
