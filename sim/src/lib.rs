//! Goshawk's model side: parameters, program sources, golden models, trace streams, decoder and replay
//!
//! Everything the circuits, the host tools and the documentation agree on is declared here once.
//! This crate builds without rust-hdl.
//!
//! # Example
//! The golden model traces 20,000 instructions of a program, and replay reconstructs them from the trace and the program.
//! ```
//! use retire::{image::Image, FlowEvent};
//! use sim::params::{Platform, TraceParams};
//! use sim::replay::{Events, Replay};
//! use sim::riscv::{Limits, Machine, MachineConfig};
//! use sim::system::System;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let program = programs::load("fft").expect("it is built in");
//! let params = TraceParams::new(Platform::RV32, "tr_e:small".parse()?);
//! let mut system = System::new(&params)?;
//! let limits = Limits { instructions: 20_000, ..Limits::default() };
//! let run = Machine::new(&program, MachineConfig::default())?.run(&mut system, limits)?;
//! system.finish(run.cycles);
//! let stream: Vec<u32> = system.drain().collect();
//!
//! let image = Image::new(&program);
//! let mut events: Vec<FlowEvent> = Vec::new();
//! let summary = Replay::new(&image, &params, stream.into_iter())?.run(&mut Events(&mut events))?;
//! assert_eq!(summary.instructions.iter().sum::<u64>(), run.instructions.iter().sum::<u64>());
//! # Ok(())
//! # }
//! ```

pub mod addresses;
pub mod analysis;
pub mod baseline;
pub mod beats;
pub mod bits;
pub mod chunk;
pub mod core_trace;
pub mod diag;
pub mod file;
pub mod inference;
pub mod jtag;
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
mod sequential;
pub mod standard;
pub mod stimulus;
pub mod stream_params;
pub mod system;
pub mod tci;
pub mod timeline;
