//! Goshawk's model side: parameters, program sources, golden models, trace streams, decoder and replay
//!
//! Everything the circuits, the host tools and the documentation agree on is declared here once.
//! This crate builds without rust-hdl.

pub mod analysis;
pub mod baseline;
pub mod beats;
pub mod bits;
pub mod encoding;
pub mod file;
pub mod golden;
pub mod message;
pub mod params;
pub mod regmap;
pub mod regs;
pub mod replay;
pub mod rv32;
pub mod scheme;
pub mod stimulus;
pub mod stream_cache;
