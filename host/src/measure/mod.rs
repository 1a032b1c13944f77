//! Schemes at work on a run, measured and verified: those of trace modules, and what they are compared with
//!
//! A [`SchemeSpec`] says by name what is to be run; [`SchemeSpec::build`] makes a [`TraceScheme`] of it for one
//! platform. Events are pushed in batches, so the dynamic call costs nothing beside the work.
//!
//! | name | scheme |
//! | --- | --- |
//! | see [`sim::scheme`] | of a trace module |
//! | `tslz(256x12,9)`, `edmtf(192,4)`, `gzip-9`, `zstd-19`, `xz-9`, ... | baselines, see [`sim::baseline`] |
//! | `etrace`, `etrace+ir8+bp512+jtc64`, ... | RISC-V E-Trace, see [`sim::baseline::etrace`]; needs the program |
//! | `shared:SET` | one T-raptor predictor for all cores: misprediction rates and no stream |
//!
//! | module | what is there |
//! | --- | --- |
//! | `spec` | names, and what they stand for |
//! | `stream` | schemes of the trace modules: streams, and rates of a shared predictor |
//! | `baseline`, `etrace` | compressors in software |
//! | `kept` | a stream until it is verified |
//! | `digest` | what two streams of events are compared by |

mod baseline;
mod digest;
mod etrace;
mod kept;
mod spec;
mod stream;

pub use digest::FlowDigest;
pub use spec::{SchemeError, SchemeSpec};

use retire::image::Image;
use retire::FlowEvent;
use serde::Serialize;
use sim::baseline::Encoded;
use sim::lane::Rates;
use sim::lengths::FieldLengths;
use sim::message::StreamStats;
use sim::scheme::sc_lsp::Counts;

/// What a scheme was asked to do, measured on the stream itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Length of the stream, bits; `None` where a scheme makes none.
    pub bits: Option<u64>,
    /// Messages by kind.
    pub stats: StreamStats,
    /// Predictions, all cores.
    pub rates: Rates,
    /// Lengths of the fields, where the scheme has chunked ones.
    pub lengths: Option<FieldLengths>,
    /// What became of the streams, of a stream cache.
    pub streams: Option<Counts>,
}

impl Measured {
    /// Of compressors in software: the streams of all harts.
    fn of_harts(encoded: &[Encoded]) -> Self {
        let instructions = encoded.iter().map(|e| e.stats.instructions).sum();
        Self {
            bits: Some(encoded.iter().map(|e| e.bits).sum()),
            rates: Rates { instructions, ..Rates::default() },
            ..Self::default()
        }
    }
}

/// One scheme at work on one run.
pub trait TraceScheme: Send {
    /// The next events, in global commit order.
    fn push(&mut self, events: &[FlowEvent]);
    /// Bits sent so far; `None` where that is not known before the end.
    fn bits(&self) -> Option<u64>;
    /// The run ends in `cycle`.
    ///
    /// # Errors
    /// When the scheme could not do its work, in words.
    fn finish(&mut self, cycle: u64) -> Result<Measured, String>;
    /// Decodes the finished stream with the program; `None` where no stream is made, or it was not kept.
    fn verify(&self, image: &Image) -> Option<Result<FlowDigest, String>>;
}
