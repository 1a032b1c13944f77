//! A measured point, and its row in the table of results

use crate::census::Census;
use host::machine::Settings;
use serde::{Deserialize, Serialize};
use sim::analysis::ratio;
use sim::core_trace::Rates;
use sim::lengths::FieldLengths;
use sim::platform::Platform;
use sim::scheme::sc_lsp::Counts;
use sim::scheme::{Family, FlowScheme};
use std::collections::BTreeMap;

/// State of verification: whether the stream was decoded and compared with the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verified {
    /// Decoded and equal.
    Equal,
    /// Not requested, or there is no decoder.
    Unverified,
    /// The scheme produces no stream.
    NoStream,
}

/// The begin of a run, measured apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Startup {
    /// Instructions of all harts.
    pub instructions: u64,
    /// Its last cycle.
    pub cycle: u64,
    /// Bits of the stream; none if they are only known at the end of the run.
    pub bits: Option<u64>,
}

/// All results of one point, with how it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Version of the tool.
    pub tool: String,
    /// Command line.
    pub command: String,
    /// The trace, as given.
    pub trace: String,
    /// Identity of the trace: contents and settings.
    pub identity: String,
    /// Digest of its events, hex.
    pub trace_hash: String,
    /// Harts.
    pub harts: u8,
    /// How the program ran; none for a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<Settings>,
    /// Name of the scheme.
    pub scheme: String,
    /// Part of the name before the set.
    pub encoding: String,
    /// Set or shape; empty if there is none.
    pub set: String,
    /// Family of the scheme.
    pub family: Family,
    /// Traced platform.
    pub platform: Platform,
    /// The scheme with all its parameters, if a trace module can implement it.
    pub flow: Option<FlowScheme>,
    /// Instructions, all harts.
    pub instructions: u64,
    /// Last cycle; 0 for a recording without cycles.
    pub cycles: u64,
    /// Control-flow events of the trace.
    pub events: u64,
    /// Length of the stream, bits; none if the scheme produces no stream.
    pub bits: Option<u64>,
    /// Messages and bits by kind, for the kinds that occur.
    pub kinds: BTreeMap<String, (u64, u64)>,
    /// Prediction statistics, all cores.
    pub rates: Rates,
    /// Lengths of the fields.
    pub lengths: Option<FieldLengths>,
    /// For a stream cache, statistics of its streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<Counts>,
    /// Statistics of the run, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub census: Option<Census>,
    /// The part of the run that was measured apart, if requested; none if the run ended in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub startup: Option<Startup>,
    /// Bits of state of the system; a predictor that all cores share counts once.
    pub state_bits: u64,
    /// Whether the stream was decoded.
    pub verified: Verified,
    /// Length of a window, cycles.
    pub window_cycles: u64,
    /// Instructions at the end of each window.
    pub window_instructions: Vec<u64>,
    /// Bits at the end of each window; empty if they are only known at the end.
    pub window_bits: Vec<u64>,
    /// Time that this scheme took without its decoder, seconds.
    pub seconds: f64,
}

/// Seed and name of the recording `NAME.seedN.EXTENSION`: N, and `NAME.EXTENSION`.
fn recorded_seed(name: &str) -> Option<(u64, String)> {
    let (head, tail) = name.rsplit_once(".seed")?;
    let (seed, extension) = tail.split_once('.')?;
    Some((seed.parse().ok()?, format!("{head}.{extension}")))
}

/// A row of `results.csv`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// See [`Point`].
    pub trace: String,
    /// See [`Point`].
    pub harts: u8,
    /// See [`Point`].
    pub scheme: String,
    /// See [`Point`].
    pub encoding: String,
    /// See [`Point`].
    pub set: String,
    /// Time-stamped.
    pub timestamps: bool,
    /// See [`Point`].
    pub instructions: u64,
    /// See [`Point`].
    pub cycles: u64,
    /// Length of the stream, bits.
    pub bits: Option<u64>,
    /// Bits per instruction.
    pub bpi: Option<f64>,
    /// Bits per clock cycle.
    pub bpc: Option<f64>,
    /// Messages of all kinds.
    pub messages: u64,
    /// Direct conditional branches.
    pub conditionals: u64,
    /// Mispredictions among them, if the scheme predicts.
    pub outcome_misses: Option<u64>,
    /// Misprediction rate, percent.
    pub outcome_miss_percent: Option<f64>,
    /// Indirect branches.
    pub indirects: u64,
    /// Mispredictions among them, if the scheme predicts.
    pub target_misses: Option<u64>,
    /// Misprediction rate, percent.
    pub target_miss_percent: Option<f64>,
    /// Exceptions and interrupts.
    pub traps: u64,
    /// Bits of state of the system.
    pub state_bits: u64,
    /// Gates by the papers' rule, 1.5 per bit of state.
    pub rule_gates: u64,
    /// Whether the stream was decoded.
    pub verified: Verified,
    /// Digest of the events.
    pub trace_hash: String,
    /// Time that the scheme took, seconds.
    pub seconds: f64,
    /// File of the point, which contains how it was made.
    pub file: String,
    /// Seed of the schedule; see [`Point::seed`].
    pub seed: Option<u64>,
    /// Instructions of the start-up, if it is measured apart.
    pub startup_instructions: Option<u64>,
    /// Bits of the start-up.
    pub startup_bits: Option<u64>,
}

impl Point {
    /// Reported branches: direct conditionals and indirects.
    pub fn reported(&self) -> u64 {
        self.rates.conditionals + self.rates.indirects
    }

    /// Trace bits per instruction, if there is a stream.
    pub fn bpi(&self) -> Option<f64> {
        self.bits.map(|b| ratio(b, self.instructions))
    }

    /// Gates per core by the papers' rule, 1.5 per bit of state of the system.
    pub fn rule_gates(&self) -> f64 {
        1.5 * self.state_bits as f64 / f64::from(self.harts)
    }

    /// What ran: the name of the trace. A recording `NAME.seedN.ret` is the run of `NAME.ret` with the seed N.
    pub fn workload(&self) -> String {
        match (&self.run, recorded_seed(&self.trace)) {
            (None, Some((_, name))) => name,
            _ => self.trace.clone(),
        }
    }

    /// Seed of the schedule: that of the simulator, or that in the name of a recording.
    pub fn seed(&self) -> Option<u64> {
        match &self.run {
            Some(settings) => Some(settings.seed),
            None => recorded_seed(&self.trace).map(|found| found.0),
        }
    }

    /// The part after the start-up, bits and instructions: what is compared between runs. The whole run if the start-up is
    /// not measured apart.
    pub fn steady(&self) -> Option<(u64, u64)> {
        let Some(startup) = self.startup else { return Some((self.bits?, self.instructions)) };
        Some((self.bits?.checked_sub(startup.bits?)?, self.instructions.checked_sub(startup.instructions)?))
    }

    /// Whether its mispredictions are meaningful: the other schemes have no outcome and target predictors.
    pub fn predicts(&self) -> bool {
        self.flow.map_or(self.family == Family::Shared, |flow| flow.predicts())
    }

    /// Whether all cores share one predictor.
    pub fn shares(&self) -> bool {
        self.flow.map_or(self.family == Family::Shared, |flow| flow.takes_turns())
    }

    /// Its row of the table.
    pub fn row(&self, file: &str) -> Row {
        let (r, predicts) = (&self.rates, self.predicts());
        Row {
            trace: self.trace.clone(),
            harts: self.harts,
            scheme: self.scheme.clone(),
            encoding: self.encoding.clone(),
            set: self.set.clone(),
            timestamps: self.platform.timestamps,
            instructions: self.instructions,
            cycles: self.cycles,
            bits: self.bits,
            bpi: self.bpi(),
            bpc: self.bits.filter(|_| self.cycles > 0).map(|b| ratio(b, self.cycles)),
            messages: self.kinds.values().map(|k| k.0).sum(),
            conditionals: r.conditionals,
            outcome_misses: predicts.then_some(r.outcome_misses),
            outcome_miss_percent: predicts.then(|| 100.0 * ratio(r.outcome_misses, r.conditionals)),
            indirects: r.indirects,
            target_misses: predicts.then_some(r.target_misses),
            target_miss_percent: predicts.then(|| 100.0 * ratio(r.target_misses, r.indirects)),
            traps: r.traps,
            state_bits: self.state_bits,
            rule_gates: self.state_bits * 3 / 2,
            verified: self.verified,
            trace_hash: self.trace_hash.clone(),
            seconds: self.seconds,
            file: file.to_string(),
            seed: self.seed(),
            startup_instructions: self.startup.map(|s| s.instructions),
            startup_bits: self.startup.and_then(|s| s.bits),
        }
    }
}
