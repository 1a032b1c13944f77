//! Totals over traces, with their spread over schedules and windows
//!
//! A row has one configuration: scheme, harts, time stamps, platform, and settings of the simulator but for the seed.
//! With several seeds, each figure is computed for each seed over all traces, and the row has their mean and the half
//! width of its 95 % confidence interval by Student's t distribution. A trace with one run counts in each of them.
//!
//! | figure | how |
//! | --- | --- |
//! | total | all bits by all instructions: a trace weighs as its instructions |
//! | arithmetic, geometric | means of the traces' bits per instruction |
//! | least, greatest | of the traces' means |
//! | windows | least and greatest of [`WINDOWS`] equal parts of a run, all runs |
//!
//! A start-up that is measured apart is in none of them, and has its own total.

use crate::point::Point;
use serde::Serialize;
use sim::analysis::ratio;
use std::collections::{BTreeMap, BTreeSet};

/// Number of windows of a run.
pub const WINDOWS: usize = 8;

/// A mean, and the half width of its 95 % confidence interval if there are several values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mean {
    /// Arithmetic mean.
    pub mean: f64,
    /// Half width of the interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci95: Option<f64>,
}

/// The quantile 0.975 of Student's t distribution, for 1 degree of freedom and up.
const T: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The quantile 0.975 for `degrees` of freedom, at least 1. Beyond the table, within 0.001 of the true one.
fn quantile(degrees: usize) -> f64 {
    T.get(degrees - 1).copied().unwrap_or(1.96 + 2.4 / degrees as f64)
}

impl Mean {
    /// The mean of values; none if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        if n == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / n as f64;
        let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
        let ci95 = (n > 1).then(|| quantile(n - 1) * (squares / (n - 1) as f64 / n as f64).sqrt());
        Some(Self { mean, ci95 })
    }

    /// As text with some decimals: `0.1234 ± 0.0005`.
    pub fn text(&self, decimals: usize) -> String {
        let mean = format!("{:.decimals$}", self.mean);
        self.ci95.map_or(mean.clone(), |half| format!("{mean} ± {half:.decimals$}"))
    }
}

/// Geometric mean; none if a value is 0.
fn geometric(values: &[f64]) -> Option<f64> {
    (!values.is_empty() && values.iter().all(|v| *v > 0.0))
        .then(|| (values.iter().map(|v| v.ln()).sum::<f64>() / values.len() as f64).exp())
}

/// A row: one configuration over all its traces and runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Name of the scheme.
    pub scheme: String,
    /// Harts.
    pub harts: u8,
    /// Time-stamped.
    pub timestamps: bool,
    /// What distinguishes it from other rows of the same scheme: platform and settings of the simulator.
    pub configuration: String,
    /// Number of traces.
    pub traces: u64,
    /// Runs of each trace, at most.
    pub runs: u64,
    /// Seeds of the runs.
    pub seeds: BTreeSet<u64>,
    /// Instructions of all runs, without start-up.
    pub instructions: u64,
    /// Bits of all runs, without start-up.
    pub bits: u64,
    /// All bits by all instructions.
    pub bits_per_instruction: f64,
    /// The same by seed.
    pub total: Mean,
    /// Arithmetic mean of the traces.
    pub arithmetic: Mean,
    /// Geometric mean of the traces; none if a trace has no bits.
    pub geometric: Option<Mean>,
    /// Least and greatest of the traces.
    pub range: (f64, f64),
    /// Least and greatest window; none if bits are only known at the end of the runs.
    pub windows: Option<(f64, f64)>,
    /// Bits per instruction of the start-up, all runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<f64>,
}

/// Bits per instruction of [`WINDOWS`] parts of a run after its start-up, as equal in instructions as its records allow.
pub fn windows(point: &Point) -> Vec<f64> {
    let from = point.startup.map_or((0, 0), |s| (s.instructions, s.bits.unwrap_or(0)));
    let records = point.window_instructions.iter().copied().zip(point.window_bits.iter().copied());
    let last = point.bits.map(|bits| (point.instructions, bits));
    let records: Vec<(u64, u64)> = records.filter(|r| r.0 > from.0 && r.0 < point.instructions).chain(last).collect();
    if point.window_bits.is_empty() || records.len() < WINDOWS {
        return Vec::new();
    }
    let length = (point.instructions - from.0) as f64 / WINDOWS as f64;
    let (mut before, mut found) = (from, Vec::new());
    for record in records {
        let border = from.0 as f64 + length * (found.len() + 1) as f64;
        if record.0 as f64 >= border && record.0 > before.0 {
            // the last bits, of the ends of messages, may be written late but never taken back
            found.push(ratio(record.1.saturating_sub(before.1), record.0 - before.0));
            before = record;
        }
    }
    found
}

/// What distinguishes configurations of a scheme with the same harts and time stamps.
pub fn configuration(p: &Point) -> String {
    let mut text = format!("RV{}, align {}", p.platform.xlen, p.platform.align);
    if p.run.is_none() {
        text = format!("{} bits, align {}", p.platform.xlen, p.platform.align);
    }
    if let Some(run) = &p.run {
        text = format!(
            "{text}, {}",
            host::machine::Settings { seed: 0, ..run.clone() }.describe().replace(", seed 0", "")
        );
    }
    text
}

fn extremes(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |range: Option<(f64, f64)>, v| Some(range.map_or((v, v), |(a, b)| (a.min(v), b.max(v)))))
}

/// A figure of bits and instructions of traces.
type Figure<'a> = dyn Fn(&[(u64, u64)]) -> Option<f64> + 'a;

fn row(points: &[&Point]) -> Option<Spread> {
    let first = points.first()?;
    // the runs of each trace, by seed
    let mut traces: BTreeMap<String, BTreeMap<u64, (u64, u64)>> = BTreeMap::new();
    let mut seeds = BTreeSet::new();
    for p in points {
        seeds.extend(p.seed());
        traces.entry(p.workload()).or_default().insert(p.seed().unwrap_or(0), p.steady()?);
    }
    // seeds with which each trace ran, or the only run of one
    let several = |runs: &BTreeMap<u64, _>| runs.len() > 1;
    let common: Vec<u64> = match traces.values().filter(|r| several(r)).map(|r| r.keys().copied()).next() {
        Some(keys) => keys.filter(|s| traces.values().all(|r| !several(r) || r.contains_key(s))).collect(),
        None => Vec::new(),
    };
    let pick = |seed: Option<u64>| -> Vec<(u64, u64)> {
        let of = |runs: &BTreeMap<u64, (u64, u64)>| {
            seed.and_then(|s| runs.get(&s)).or_else(|| runs.values().next()).copied().unwrap_or_default()
        };
        traces.values().map(of).collect()
    };
    let samples: Vec<Vec<(u64, u64)>> =
        if common.is_empty() { vec![pick(None)] } else { common.iter().map(|s| pick(Some(*s))).collect() };
    let bpi = |r: &(u64, u64)| ratio(r.0, r.1);
    let sum = |runs: &[(u64, u64)]| runs.iter().fold((0, 0), |a, r| (a.0 + r.0, a.1 + r.1));
    let each = |f: &Figure<'_>| Mean::of(&samples.iter().map(|s| f(s)).collect::<Option<Vec<_>>>()?);
    let values = |runs: &[(u64, u64)]| runs.iter().map(bpi).collect::<Vec<_>>();
    let all: Vec<(u64, u64)> = traces.values().flat_map(|r| r.values().copied()).collect();
    let (bits, instructions) = sum(&all);
    let means = traces.values().map(|runs| values(&runs.values().copied().collect::<Vec<_>>()));
    let started: Vec<_> = points.iter().filter_map(|p| p.startup).collect();
    let startup = started.iter().map(|s| s.bits).collect::<Option<Vec<_>>>().filter(|b| !b.is_empty());
    Some(Spread {
        scheme: first.scheme.clone(),
        harts: first.harts,
        timestamps: first.platform.timestamps,
        configuration: configuration(first),
        traces: traces.len() as u64,
        runs: traces.values().map(|r| r.len() as u64).max()?,
        seeds,
        instructions,
        bits,
        bits_per_instruction: ratio(bits, instructions),
        total: each(&|runs| Some(bpi(&sum(runs))))?,
        arithmetic: each(&|runs| Some(Mean::of(&values(runs))?.mean))?,
        geometric: each(&|runs| geometric(&values(runs))),
        range: extremes(means.filter_map(|v| Some(Mean::of(&v)?.mean)))?,
        windows: extremes(points.iter().flat_map(|p| windows(p))),
        startup: startup.map(|bits| ratio(bits.iter().sum(), started.iter().map(|s| s.instructions).sum())),
    })
}

/// A row for each configuration with a stream, in the order of the points.
pub fn spreads<'a>(points: impl IntoIterator<Item = &'a Point>) -> Vec<Spread> {
    type Key = (String, u8, bool, String);
    let mut groups: Vec<(Key, Vec<&Point>)> = Vec::new();
    for p in points.into_iter().filter(|p| p.steady().is_some()) {
        let key = (p.scheme.clone(), p.harts, p.platform.timestamps, configuration(p));
        match groups.iter_mut().find(|g| g.0 == key) {
            Some(group) => group.1.push(p),
            None => groups.push((key, vec![p])),
        }
    }
    groups.iter().filter_map(|g| row(&g.1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::{Startup, Verified};
    use host::machine::Settings;
    use sim::platform::Platform;
    use sim::scheme::Family;

    /// A point of a program; a seed of `None` makes it one of a recording.
    fn point(trace: &str, seed: Option<u64>, bits: u64, instructions: u64) -> Point {
        Point {
            tool: String::new(),
            command: String::new(),
            trace: trace.into(),
            identity: String::new(),
            trace_hash: String::new(),
            harts: 2,
            run: seed.map(|seed| Settings { seed, ..Settings::default() }),
            scheme: "nexs".into(),
            encoding: "nexs".into(),
            set: String::new(),
            family: Family::Nexus,
            platform: Platform { cores: 2, ..Platform::RV32 },
            flow: None,
            instructions,
            cycles: 0,
            events: 0,
            bits: Some(bits),
            kinds: BTreeMap::new(),
            rates: sim::core_trace::Rates::default(),
            lengths: None,
            streams: None,
            census: None,
            startup: None,
            state_bits: 0,
            verified: Verified::Equal,
            window_cycles: 1,
            window_instructions: Vec::new(),
            window_bits: Vec::new(),
            seconds: 0.0,
        }
    }

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-6, "{a} {b}");
    }

    #[test]
    fn a_mean_has_the_interval_of_a_text_book() {
        // 5 values, s = 1.5811, t = 2.776: 2.776 * 1.5811 / sqrt(5)
        let mean = Mean::of(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        near(mean.mean, 3.0);
        near(mean.ci95.unwrap(), 2.776 * 2.5f64.sqrt() / 5f64.sqrt());
        assert_eq!(mean.text(2), "3.00 ± 1.96");
        assert_eq!(Mean::of(&[4.0]).unwrap().text(1), "4.0");
        assert_eq!(Mean::of(&[]), None);
        // published: 2.021 for 40, 1.984 for 100
        near((quantile(40) * 1000.0).round(), 2020.0);
        near((quantile(100) * 1000.0).round(), 1984.0);
    }

    #[test]
    fn means_are_of_the_seeds_and_a_recording_counts_in_each() {
        let points = [
            point("a", Some(1), 100, 1000),
            point("a", Some(2), 300, 1000),
            point("r.ret", None, 400, 1000),
            point("b", Some(1), 900, 1000),
            point("b", Some(2), 100, 1000),
        ];
        let mut rows = spreads(&points);
        // a recording is another configuration: its machine is another one
        assert_eq!(rows.len(), 2);
        let recorded = rows.remove(1);
        assert_eq!((recorded.traces, recorded.runs, recorded.total), (1, 1, Mean { mean: 0.4, ci95: None }));
        let row = &rows[0];
        assert_eq!((row.traces, row.runs, row.bits, row.instructions), (2, 2, 1400, 4000));
        assert_eq!(row.seeds, BTreeSet::from([1, 2]));
        // seed 1: 1000 of 2000, seed 2: 400 of 2000
        near(row.total.mean, 0.35);
        near(row.total.ci95.unwrap(), 12.706 * 0.15);
        near(row.arithmetic.mean, 0.35);
        near(row.geometric.unwrap().mean, (0.3 + 0.03f64.sqrt()) / 2.0);
        assert_eq!(row.range, (0.2, 0.5));
        assert_eq!(row.windows, None);
    }

    #[test]
    fn recordings_with_seeds_in_their_names_are_runs_of_one_trace() {
        let names = ["fft.seed1.ret", "fft.seed2.ret", "fft.seed3.ret"];
        let points: Vec<Point> = (1..).zip(names).map(|(i, n)| point(n, None, 100 * i, 1000)).collect();
        let rows = spreads(&points);
        assert_eq!((rows.len(), rows[0].traces, rows[0].runs), (1, 1, 3));
        near(rows[0].total.mean, 0.2);
        near(rows[0].total.ci95.unwrap(), 4.303 * 0.1 / 3f64.sqrt());
        // not a seed
        assert_eq!(point("fft.seedx.ret", None, 1, 1).workload(), "fft.seedx.ret");
    }

    #[test]
    fn settings_and_platforms_are_rows_of_their_own() {
        let other = |change: &dyn Fn(&mut Point)| {
            let mut p = point("b", Some(0), 1, 10);
            change(&mut p);
            spreads(&[point("a", Some(0), 1, 10), p]).len()
        };
        assert_eq!(other(&|_| ()), 1);
        assert_eq!(other(&|p| p.platform.align = 0), 2);
        assert_eq!(other(&|p| p.platform.xlen = 64), 2);
        assert_eq!(other(&|p| p.harts = 4), 2);
        assert_eq!(other(&|p| p.run.as_mut().unwrap().max_instructions = Some(5)), 2);
        assert_eq!(other(&|p| p.bits = None), 1);
    }

    #[test]
    fn windows_are_equal_parts_after_the_start_up() {
        let mut p = point("a", Some(0), 0, 1700);
        // 100 instructions with 500 bits, then 16 records of 100, with 10 bits each and 30 in the last two
        p.startup = Some(Startup { instructions: 100, cycle: 0, bits: Some(500) });
        p.window_instructions = (1..=16).map(|i| 100 * i).collect();
        p.window_bits = (1..=16).map(|i| 490 + 10 * i).collect();
        p.bits = Some(680);
        let found = windows(&p);
        assert_eq!(found.len(), WINDOWS);
        near(found[0], 0.1);
        near(found[WINDOWS - 1], 0.2);
        let row = &spreads(&[p.clone()])[0];
        assert_eq!((row.bits, row.instructions), (180, 1600));
        near(row.startup.unwrap(), 5.0);
        assert_eq!(row.windows, Some((found[0], found[WINDOWS - 1])));
        p.window_bits.clear();
        assert_eq!(windows(&p), Vec::<f64>::new());
    }
}
