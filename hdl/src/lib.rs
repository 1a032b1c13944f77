//! Goshawk's trace hardware: circuits in rust-hdl, and the Verilog they emit
//!
//! One block a file, of the name that its golden model has in `sim::golden` and its bench in
//! `testbenches/tests`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`entry`] | event entries: the interface between front ends and back end |

pub mod entry;
