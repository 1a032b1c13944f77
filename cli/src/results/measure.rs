//! Measures: every program, number of harts, set and encoding to one point each

use rayon::prelude::*;
use retire::{FlowEvent, RetireSink};
use serde::Serialize;
use sim::golden::core::Rates;
use sim::golden::system::{StreamStats, System};
use sim::params::{named_set, Coding, Scheme, TraceParams};

/// Numbers of harts that are measured.
pub const HARTS: [u8; 4] = [1, 2, 4, 8];

/// A way of tracing.
#[derive(Clone, Debug)]
pub struct Config {
    /// Name as in tables: `nx_b`, `nexs`, `tr_e large`.
    pub name: String,
    /// Parameters, but for the cores.
    pub params: TraceParams,
}

/// All configurations that are measured.
pub fn configs() -> Vec<Config> {
    let mut out = Vec::new();
    for timestamps in [false, true] {
        let mut add = |name: String, set: &'static str, scheme| {
            let predictor = named_set(set).expect("named in this file").predictor;
            let mut params = TraceParams::tr(predictor, Coding::TR_E);
            (params.scheme, params.timestamps) = (scheme, timestamps);
            out.push(Config { name, params });
        };
        add("nx_b".into(), "small", Scheme::NxB(Coding::TR_B));
        add("nexs".into(), "small", Scheme::NexS);
        for set in ["small", "medium", "large", "s1", "m4", "b4"] {
            let tr_e = named_set(set).expect("named in this file").tr_e;
            add(format!("tr_b {set}"), set, Scheme::Tr(Coding::TR_B));
            add(format!("tr_e {set}"), set, Scheme::Tr(tr_e));
        }
    }
    out
}

/// What one configuration needs for one run.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// Program.
    pub program: String,
    /// N.
    pub harts: u8,
    /// Configuration.
    pub config: String,
    /// Time-stamped.
    pub timestamps: bool,
    /// Everything that shapes the stream.
    pub params: String,
    /// Instructions of all harts.
    pub instructions: u64,
    /// Cycles of the run.
    pub cycles: u64,
    /// Length of the stream, header and padding included.
    pub bits: u64,
    /// Messages and bits by kind.
    pub stream: StreamStats,
    /// Predictions, all harts.
    pub rates: Rates,
}

/// Encodes one run in every configuration.
pub fn measure(program: &str, harts: u8, cycles: u64, events: &[FlowEvent], configs: &[Config]) -> Vec<Point> {
    configs
        .par_iter()
        .map(|c| {
            let mut params = c.params;
            params.cores = harts;
            let mut system = System::new(&params).expect("the configurations are legal");
            for e in events {
                system.event(e);
            }
            system.finish(cycles);
            let mut rates = Rates::default();
            system.rates().into_iter().for_each(|r| rates += r);
            Point {
                program: program.to_string(),
                harts,
                config: c.name.clone(),
                timestamps: c.params.timestamps,
                params: params.canonical(),
                instructions: rates.instructions,
                cycles,
                bits: system.stats().bits,
                stream: system.stats().clone(),
                rates,
            }
        })
        .collect()
}
