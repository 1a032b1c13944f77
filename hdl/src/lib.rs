//! Goshawk's trace hardware: circuits in rust-hdl, and the Verilog they emit
//!
//! One block a file. The rooms of a scheme have the names that its golden models have in `sim`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cores`] | front ends behind their ingress |
//! | [`emit`] | Verilog of a trace system, chosen at run time |
//! | [`ingress`] | a core's port to retire beats |
//! | [`scheme`] | front ends, predictors, caches and encoders of each scheme |
//! | [`spine`] | event FIFO, merger, packer, registers: once for all schemes |
//! | [`top`] | trace systems |
//! | [`widget`] | memories, constants and arrays that rust-hdl does not have |

// a circuit's pins are named in the table at the head of its file
#![allow(missing_docs)]

pub mod cores;
pub mod emit;
pub mod ingress;
pub mod scheme;
pub mod spine;
pub mod top;
pub mod widget;
