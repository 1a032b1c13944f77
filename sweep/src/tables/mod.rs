//! Tables of measured points, next to the papers' published figures
//!
//! A plan in `sweep/plans` lists what to measure; a module here makes the tables. A table requests each of its points
//! by name: a point that was not measured, or not in the required way, is an error and never a figure.
//!
//! | module | page | plan |
//! | --- | --- | --- |
//! | [`results`] | docs/reference/results.md | [`RESULTS`] |
//! | [`papers`] | docs/reference/paper-tables.md | [`PAPERS`] |
//! | [`stream_caches`] | docs/reference/stream-cache-results.md | [`STREAM_CACHES`] |
//! | [`baselines`] | what `goshawk baselines` prints | [`BASELINES`] |
//! | [`baselines`] | what `goshawk compare` prints | [`COMPARE`] |

pub mod baselines;
pub mod papers;
mod published;
pub mod results;
pub mod stream_caches;

use crate::census::Census;
use crate::page::short;
use crate::plan::Plan;
use crate::point::{Point, Verified};
use crate::run::{run, Options};
use crate::store::MemoryStore;
use crate::SweepError;
use sim::analysis::ratio;
use sim::core_trace::Rates;
use sim::scheme::sc_lsp::Counts;

/// Plan of the tables of `docs/reference/results.md`.
pub const RESULTS: &str = include_str!("../../plans/results.toml");
/// Plan of the papers' tables.
pub const PAPERS: &str = include_str!("../../plans/papers.toml");
/// Plan of the tables of `docs/reference/stream-cache-results.md`.
pub const STREAM_CACHES: &str = include_str!("../../plans/stream-caches.toml");
/// Plan of the comparison with other compressors.
pub const BASELINES: &str = include_str!("../../plans/baselines.toml");
/// Plan of the comparison with the standard protocols.
pub const COMPARE: &str = include_str!("../../plans/compare.toml");

/// Parses one of the plans above; `traces`, if any, and the limit of instructions replace its own. A start-up is measured
/// apart for the built-in programs only, and is at most a tenth of the limit.
pub fn plan(text: &str, traces: &[String], instructions: Option<u64>) -> Result<Plan, SweepError> {
    let mut plan = Plan::parse(text).map_err(SweepError::Other)?;
    let own = traces.iter().any(|t| !t.starts_with(host::input::BUILTIN));
    plan.each(|p| {
        if !traces.is_empty() {
            p.traces = traces.to_vec();
        }
        p.settings.max_instructions = instructions.or(p.settings.max_instructions);
        // what is known to be long enough for it
        p.startup = if own { 0 } else { p.startup.min(instructions.map_or(u64::MAX, |n| n / 10)) };
    });
    plan.expand()?;
    Ok(plan)
}

/// Totals over some points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Length of the streams.
    pub bits: u64,
    /// Instructions of all harts.
    pub instructions: u64,
    /// Cycles.
    pub cycles: u64,
    /// One of the traces has no cycles.
    pub without_cycles: bool,
}

impl Sum {
    /// Bits per instruction.
    pub fn bpi(&self) -> f64 {
        ratio(self.bits, self.instructions)
    }

    /// Bits per cycle; none if a trace has no cycles.
    pub fn bpc(&self) -> Option<f64> {
        (!self.without_cycles).then(|| ratio(self.bits, self.cycles))
    }
}

/// A scheme with a number of harts, functional or time-stamped.
#[derive(Clone, Copy, Debug)]
pub struct Selection<'a> {
    /// Name of the scheme.
    pub scheme: &'a str,
    /// Harts.
    pub harts: u8,
    /// Time-stamped.
    pub timestamps: bool,
}

impl<'a> Selection<'a> {
    /// A functional trace.
    pub fn new(scheme: &'a str, harts: u8) -> Self {
        Self { scheme, harts, timestamps: false }
    }

    /// A functional trace with the fewest harts measured: one for a program, its own number for a recording.
    pub fn alone(scheme: &'a str) -> Self {
        Self::new(scheme, FEWEST_HARTS)
    }
}

/// The fewest harts with which a trace was measured.
pub const FEWEST_HARTS: u8 = 0;

/// The measured points from which tables are made.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Points in the order of the plan.
    pub points: Vec<Point>,
    /// File names of the traces or names of programs, in their order.
    traces: Vec<String>,
}

impl Measured {
    /// The collection of these points.
    pub fn new(points: Vec<Point>) -> Self {
        let mut traces: Vec<String> = Vec::new();
        for p in &points {
            if !traces.contains(&p.trace) {
                traces.push(p.trace.clone());
            }
        }
        Self { points, traces }
    }

    /// Measures a plan, and returns what it had to omit.
    pub fn take(plan: &Plan, options: &Options) -> Result<(Self, Vec<String>), SweepError> {
        let (jobs, left_out, bad) = plan.jobs()?;
        let memory = MemoryStore::default();
        let bad = bad.into_iter().chain(run(&jobs, &memory, options)?);
        // a table is of all traces or of none
        if let Some(e) = bad.into_iter().next() {
            return Err(e);
        }
        Ok((Self::new(memory.into_points(&jobs)), left_out))
    }

    /// The traces, in the order of the plan.
    pub fn traces(&self) -> impl Iterator<Item = &str> {
        self.traces.iter().map(String::as_str)
    }

    /// Numbers of harts that were measured, ascending.
    pub fn harts(&self) -> Vec<u8> {
        let harts: std::collections::BTreeSet<u8> = self.points.iter().map(|p| p.harts).collect();
        harts.into_iter().collect()
    }

    /// The number of harts that `harts` means for a trace.
    fn resolve_harts(&self, trace: &str, harts: u8) -> u8 {
        let mine = self.points.iter().filter(|p| p.trace == trace);
        if harts == FEWEST_HARTS {
            mine.map(|p| p.harts).min().unwrap_or(1)
        } else {
            harts
        }
    }

    /// Error: a point that a table requested was not measured.
    fn missing(&self, what: &str, trace: &str, way: Selection<'_>) -> SweepError {
        let Selection { scheme, timestamps, .. } = way;
        let harts = self.resolve_harts(trace, way.harts);
        let (s, time) = (if harts == 1 { "" } else { "s" }, if timestamps { ", time-stamped" } else { "" });
        SweepError::Other(format!(
            "{what} of {scheme} on {trace}, {harts} hart{s}{time}, was not measured: no table is made"
        ))
    }

    /// Whether a trace was measured with this number of harts, time-stamped or not: a recording has its own number of harts,
    /// and one without cycles has no time stamps.
    pub fn has(&self, trace: &str, harts: u8, timestamps: bool) -> bool {
        let harts = self.resolve_harts(trace, harts);
        self.points.iter().any(|p| p.trace == trace && p.harts == harts && p.platform.timestamps == timestamps)
    }

    /// Whether any trace was measured with such a scheme.
    pub fn measured(&self, scheme: impl Fn(&Point) -> bool) -> bool {
        self.points.iter().any(scheme)
    }

    /// Whether a trace was measured with a scheme: schemes that need the program are omitted for recordings.
    pub fn knows(&self, trace: &str, scheme: &str) -> bool {
        self.points.iter().any(|p| p.trace == trace && p.scheme == scheme)
    }

    /// The point of a trace.
    pub fn point(&self, trace: &str, way: Selection<'_>) -> Result<&Point, SweepError> {
        let harts = self.resolve_harts(trace, way.harts);
        let mine = |p: &&Point| {
            p.trace == trace
                && (p.scheme.as_str(), p.harts) == (way.scheme, harts)
                && p.platform.timestamps == way.timestamps
        };
        self.points.iter().find(mine).ok_or_else(|| self.missing("a stream", trace, way))
    }

    /// The points of a trace, or of all traces measured with this number of harts.
    fn each(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Vec<&Point>, SweepError> {
        let all = self.traces().filter(|t| match trace {
            Some(name) => name == *t,
            None => self.has(t, way.harts, way.timestamps),
        });
        all.map(|t| self.point(t, way)).collect()
    }

    /// As [`Measured::sum`]; none if the trace was not measured with this number of harts.
    fn some_sum(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Option<Sum>, SweepError> {
        match trace {
            Some(trace) if !self.has(trace, way.harts, way.timestamps) => Ok(None),
            _ => self.sum(trace, way).map(Some),
        }
    }

    /// Bits, instructions and cycles of a trace, or of all.
    pub fn sum(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Sum, SweepError> {
        let mut sum = Sum::default();
        for p in self.each(trace, way)? {
            sum.bits += p.bits.ok_or_else(|| self.missing("the length of a stream", &p.trace, way))?;
            sum.instructions += p.instructions;
            sum.cycles += p.cycles;
            sum.without_cycles |= p.cycles == 0;
        }
        Ok(sum)
    }

    /// As [`Measured::sum`], but every stream must have been decoded and compared.
    pub fn decoded(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Sum, SweepError> {
        let not = |p: &&&Point| p.verified != Verified::Equal;
        match self.each(trace, way)?.iter().find(not) {
            Some(p) => Err(self.missing("a decoded stream", &p.trace, way)),
            None => self.sum(trace, way),
        }
    }

    /// Prediction statistics of a trace, or of all.
    pub fn rates(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Rates, SweepError> {
        let mut sum = Rates::default();
        for p in self.each(trace, way)? {
            if !p.predicts() {
                return Err(self.missing("the predictions", &p.trace, way));
            }
            sum += p.rates;
        }
        Ok(sum)
    }

    /// Lengths of the fields, over all traces.
    pub fn lengths(&self, way: Selection<'_>) -> Result<sim::lengths::FieldLengths, SweepError> {
        let mut sum = sim::lengths::FieldLengths::default();
        for p in self.each(None, way)? {
            sum += p.lengths.as_ref().ok_or_else(|| self.missing("the lengths of the fields", &p.trace, way))?;
        }
        Ok(sum)
    }

    /// Statistics of the streams of a stream cache, for a trace or for all.
    pub fn streams(&self, trace: Option<&str>, way: Selection<'_>) -> Result<Counts, SweepError> {
        let mut sum = Counts::default();
        for p in self.each(trace, way)? {
            sum += p.streams.ok_or_else(|| self.missing("the hits of a stream cache", &p.trace, way))?;
        }
        Ok(sum)
    }

    /// Statistics of a run.
    pub fn census(&self, trace: &str, harts: u8) -> Result<&Census, SweepError> {
        let harts = self.resolve_harts(trace, harts);
        let mine = self.points.iter().filter(|p| p.trace == trace && p.harts == harts);
        mine.filter_map(|p| p.census.as_ref())
            .next()
            .ok_or_else(|| self.missing("the census", trace, Selection::new("a run", harts)))
    }

    /// Number of instructions of a run.
    pub fn instructions(&self, trace: &str, harts: u8) -> Result<u64, SweepError> {
        let harts = self.resolve_harts(trace, harts);
        let found = self.points.iter().find(|p| p.trace == trace && p.harts == harts);
        found.map(|p| p.instructions).ok_or_else(|| self.missing("a stream", trace, Selection::new("a run", harts)))
    }
}

/// A scheme under the name used in tables: `tr_e m4`.
fn label(scheme: &str) -> String {
    scheme.replace("sc-lsp:rbase-", "rbase ").replace(':', " ")
}

fn heads(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| t.to_string()).collect()
}

fn percent(n: u64, of: u64) -> String {
    format!("{:.2} %", 100.0 * ratio(n, of))
}

/// A figure with three decimals, or with two significant digits if it is small.
fn number(value: f64) -> String {
    if value == 0.0 || value >= 0.01 {
        format!("{value:.3}")
    } else {
        format!("{value:.4}")
    }
}

/// All traces by name, and their total.
fn rows(m: &Measured) -> impl Iterator<Item = (String, Option<&str>)> {
    m.traces().map(|t| (short(t), Some(t))).chain([("all".into(), None)])
}

/// A figure that may not have been measured.
fn cell<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".into(), text)
}

/// A published row: its name after the paper's, and figures as printed.
fn published_row<const N: usize>(name: &str, figures: [&str; N]) -> Vec<String> {
    let cell = |f: &str| if f.is_empty() { String::new() } else { format!("*{f}*") };
    std::iter::once(cell(name)).chain(figures.map(cell)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::baseline::{etrace, Params};

    #[test]
    fn figures_have_three_places_or_two_that_count() {
        assert_eq!([0.0, 0.0061, 0.0123, 1.25].map(number), ["0.000", "0.0061", "0.012", "1.250"]);
    }

    #[test]
    fn the_plans_have_every_baseline() {
        let names: Vec<String> = Params::ALL
            .iter()
            .map(Params::to_string)
            .chain(etrace::Options::ALL.iter().map(|o| o.to_string()))
            .collect();
        for (text, part) in [(PAPERS, Some(3)), (BASELINES, None)] {
            let plan = plan(text, &[], None).unwrap();
            let encodings = part.map_or(&plan.encodings, |i: usize| &plan.part[i].encodings);
            let missing: Vec<_> = names.iter().filter(|n| !encodings.contains(n)).collect();
            assert!(missing.is_empty(), "{missing:?}");
        }
    }
}
