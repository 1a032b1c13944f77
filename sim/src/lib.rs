//! Goshawk's model side: parameters, program sources, golden models, trace streams, decoder and replay
//!
//! Everything the circuits, the host tools and the documentation agree on is declared here once.
//! This crate builds without rust-hdl.

pub mod elf;
pub mod isa;
pub mod params;
pub mod regs;
pub mod retire;
