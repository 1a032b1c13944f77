//! Goshawk's trace hardware: circuits in rust-hdl, and the Verilog they emit
//!
//! One block a file. The rooms of a scheme have the names that its golden models have in `sim`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cores`] | front ends behind their ingress |
//! | [`any_top`] | a system of whatever type, as one block |
//! | [`diag`] | diagnosis on the chip: event generators and nodes |
//! | [`drive`] | runs a circuit in the calling thread, with a VCD if wanted |
//! | [`emit`] | Verilog of a trace system, chosen at run time |
//! | [`ingress`] | a core's port to retire beats |
//! | [`noc`] | the ring that carries diagnosis packets |
//! | [`options`] | the table of all options, and which go together |
//! | [`scheme`] | front ends, predictors, caches and encoders of each scheme |
//! | [`spine`] | event FIFO, merger, packer, registers: once for all schemes |
//! | [`top`] | trace systems |
//! | [`trace_sim`] | whole systems in the rust-hdl simulation, beside the golden model |
//! | [`verilog`] | Verilog as a person would write it |
//! | [`widget`] | memories, constants and arrays that rust-hdl does not have |

// a circuit's pins are named in the table at the head of its file
#![allow(missing_docs)]

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
pub mod top;
pub mod trace_sim;
pub mod verilog;
pub mod widget;
