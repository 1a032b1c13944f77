//! Goshawk's trace hardware: circuits in rust-hdl, and the Verilog they emit
//!
//! One block a file, of the name that its golden model has in `sim::golden` and its bench in
//! `testbenches/tests`.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`back_end`] | event FIFO, encoder, packer, registers |
//! | [`entry`] | event entries: the interface between front ends and back end |
//! | [`front_end`] | ingress adapters and the front end of one core |
//! | [`predictor`] | gshare, return address stack, indirect branch target buffer |
//! | [`widget`] | memory with its size chosen at run time |

// a circuit's pins are named in the table at the head of its file
#![allow(missing_docs)]

pub mod back_end;
pub mod emit;
pub mod entry;
pub mod front_end;
pub mod predictor;
pub mod stream_cache;
pub mod system;
pub mod widget;
