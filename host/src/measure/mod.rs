//! Measures and verifies schemes on a run: those of trace modules, and those that they are compared with
//!
//! A [`SchemeSpec`] names a scheme; [`SchemeSpec::build`] makes a [`TraceScheme`] from it for a platform. Events are
//! pushed in batches, so the cost of the dynamic call is negligible.
//!
//! | name | scheme |
//! | --- | --- |
//! | see [`sim::scheme`] | a scheme of a trace module |
//! | `tslz(256x12,9)`, `edmtf(192,4)`, `gzip-9`, `zstd-19`, `xz-9`, ... | baselines, see [`sim::baseline`] |
//! | `etrace`, `etrace+ir8+bp512+jtc64`, ... | RISC-V E-Trace, see [`sim::baseline::etrace`]; needs the program |
//! | `ntrace`, `ntrace+btm`, `ntrace+ir8+rh`, ... | RISC-V N-Trace, see [`sim::standard::ntrace`]; needs the program |
//! | `shared:SET` | one T-raptor predictor for all cores: misprediction rates, no stream |
//!
//! | module | what is there |
//! | --- | --- |
//! | `spec` | scheme names |
//! | `stream` | schemes of trace modules, and rates of a shared predictor |
//! | `baseline`, `etrace`, `ntrace` | software compressors |
//! | `kept` | storage of a stream until it is verified |
//! | `digest` | digest for comparing two streams of events |

mod baseline;
mod digest;
mod etrace;
mod kept;
mod ntrace;
mod spec;
mod stream;

pub use digest::FlowDigest;
pub use spec::{SchemeError, SchemeSpec};

use retire::image::Image;
use retire::FlowEvent;
use serde::Serialize;
use sim::baseline::Encoded;
use sim::core_trace::Rates;
use sim::lengths::FieldLengths;
use sim::message::StreamStats;
use sim::scheme::sc_lsp::Counts;

/// Measurements of a scheme on a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Length of the stream, bits; `None` if the scheme makes no stream.
    pub bits: Option<u64>,
    /// Messages by kind.
    pub stats: StreamStats,
    /// Prediction rates, all cores.
    pub rates: Rates,
    /// Lengths of the fields, if the scheme has chunked fields.
    pub lengths: Option<FieldLengths>,
    /// Stream counts, for a stream cache.
    pub streams: Option<Counts>,
}

impl Measured {
    /// Measurements of a software compressor: the streams of all harts.
    fn of_harts(encoded: &[Encoded]) -> Self {
        let instructions = encoded.iter().map(|e| e.stats.instructions).sum();
        Self {
            bits: Some(encoded.iter().map(|e| e.bits).sum()),
            rates: Rates { instructions, ..Rates::default() },
            ..Self::default()
        }
    }
}

/// A scheme that is applied to a run.
pub trait TraceScheme: Send {
    /// Takes the next events, in global commit order.
    fn push(&mut self, events: &[FlowEvent]);
    /// Bits sent so far; `None` if unknown before the end.
    fn bits(&self) -> Option<u64>;
    /// Ends the run in `cycle`.
    ///
    /// # Errors
    /// The reason, if the scheme failed.
    fn finish(&mut self, cycle: u64) -> Result<Measured, String>;
    /// Decodes the finished stream with the program; `None` if there is no stream, or it was not kept.
    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>>;
}
