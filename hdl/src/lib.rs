//! Goshawk's trace hardware: circuits in rust-hdl, and the Verilog they emit
//!
//! One file per block. The folders and files of a scheme have the names of its golden models in `sim`.
//!
//! # Example
//! The Verilog of a trace system for two RV32 cores.
//! ```
//! use hdl::emit::{emit, SystemOptions};
//! use sim::params::{Platform, TraceParams};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let params = TraceParams::new(Platform { cores: 2, ..Platform::RV32 }, "tr_e:small".parse()?);
//! let verilog = emit(&params, &SystemOptions::default())?;
//! assert!(verilog.contains("module goshawk"));
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cores`] | front ends with their ingress |
//! | [`any_top`] | a system of any type, as one block |
//! | [`diag`] | diagnosis on the chip: event generators and nodes |
//! | [`drive`] | runs a circuit in the calling thread, with a VCD if wanted |
//! | [`emit`] | Verilog of a trace system, chosen at run time |
//! | [`ingress`] | from a core's port to retired instructions |
//! | [`noc`] | the ring that carries diagnosis packets |
//! | [`options`] | the system that given options describe |
//! | [`scheme`] | front ends, predictors, caches and encoders of each scheme |
//! | [`spine`] | event FIFO, merger, packer, registers: once for all schemes |
//! | [`sweep`] | what the derive macro of circuits does with fields |
//! | [`top`] | trace systems |
//! | [`trace_sim`] | whole systems in the rust-hdl simulation, compared with the golden model |
//! | [`verilog`] | writer of readable Verilog |
//! | [`widget`] | memories, constants and arrays that rust-hdl does not have |

// a circuit's pins are named in the table at the head of its file
#![allow(missing_docs)]

// so that what the derive macro writes names this crate in the same way in every crate
extern crate self as hdl;

pub use hdl_derive::LogicBlock;

pub mod any_top;
pub mod bus;
pub mod cores;
pub mod diag;
pub mod drive;
pub mod emit;
pub mod ingress;
pub mod noc;
pub mod options;
pub mod scheme;
pub mod spine;
pub mod sweep;
pub mod top;
pub mod trace_sim;
pub mod verilog;
pub mod widget;
