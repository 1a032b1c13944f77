//! Goshawk's model side: parameters, program sources, golden models, trace streams, decoder and replay
//!
//! Everything the circuits, the host tools and the documentation agree on is declared here once.
//! This crate builds without rust-hdl.

pub mod addresses;
pub mod analysis;
pub mod baseline;
pub mod beats;
pub mod bits;
pub mod chunk;
pub mod diag;
pub mod file;
pub mod jtag;
pub mod lane;
pub mod lengths;
pub mod memory_port;
pub mod message;
pub mod params;
pub mod platform;
pub mod regmap;
pub mod regs;
pub mod replay;
pub mod riscv;
pub mod run_length;
pub mod scheme;
pub mod stimulus;
pub mod system;
pub mod timeline;
