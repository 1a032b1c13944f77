//! Stream cache and last stream predictor: the trace scheme `sc-lsp`
//!
//! The instructions of a core are cut into streams that end where the flow leaves the straight line. A
//! stream is named by its start address and length; the stream cache turns the name into an index, the last
//! stream predictor the index into one bit where the stream that came last time comes again.
//!
//! # Source
//! Paper 001; what it leaves open and how it is settled here: `docs/stream-cache.md`. The bits:
//! `docs/stream.md`, "Messages (scheme `sc-lsp`)".

pub mod cache;
pub mod core;
pub mod encoder;
pub mod params;
pub mod reader;
pub mod record;
pub mod run_length;
pub mod tables;

pub use self::core::{Core, Counts};
pub use encoder::Encoder;
pub use params::{Hash, StreamCacheParams, Variant};
pub use record::Record;
