//! Capture: what the threads of a real program do, under QEMU
//!
//! An unmodified Linux program of RISC-V, x86-64 or Arm runs in QEMU's user mode with a plugin of ours. The plugin
//! reports blocks of instructions by number, in shared memory that this side owns; what that means for the control flow
//! is derived here, and reported as a retire stream.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`layout`] | the shared memory, as both sides see it |
//! | `arm` | what instructions of 32-bit ARM do to the pc |
//! | `flow` | what an instruction does to the pc |
//! | [`machine`] | machines, their QEMU, and what their instructions do to the pc |
//! | [`schedule`] | which thread runs, and how long |
//! | [`routines`] | routines by name, for those that alone are traced |
//! | [`follow`] | further processes of a run |
//! | `recorder` | the ring of one process is read and kept |
//! | [`run`] | a program is run, and what the plugin reports is kept in a file without a name |
//! | [`state`] | in which state 32-bit ARM begins a block |
//! | `pack` | those words, packed |
//! | [`packed`] | a file of those words, from which the others can be made later |
//! | [`words`] | what the words of the ring say |
//! | [`code`] | which code ran, and when it changed |
//! | [`expand`] | blocks to events, data and branches |
//! | [`harts`] | which hart a thread is |
//! | [`memory`] | what memory held, for the value that an atomic loads |
//! | [`descriptor`] | the descriptors of mcfTrace and mlsTrace |
//! | [`statistics`] | branches by kind, operands by size |
//! | [`cost`] | what capture costs in CPU time |
//! | [`outputs`] | all files that one run becomes |
//!
//! # Example
//! The control flow of the last instruction of a block, from its bytes. A capture itself needs QEMU: [`run::capture`].
//! ```
//! use capture::machine::{Flow, Machine};
//!
//! // jal ra, 16
//! let call = 0x0100_00ef_u32.to_le_bytes();
//! assert_eq!(Machine::Riscv64.flow(&[&call], 0x1000, 0), Flow::Call(0x1010));
//! // jne +2
//! assert_eq!(Machine::X86.flow(&[&[0x75, 0x02]], 0x1000, 0), Flow::Conditional(0x1004));
//! ```
//!
//! # Source
//! A. R. Myers, "A Binary Instrumentation Tool Suite For Capturing and Compressing Traces" (paper 003), chapter 4. Its
//! tools stand on Pin. What is exact here and what is not: `docs/how-to/capture.md`.

mod arm;
pub mod boot;
pub mod border;
pub mod code;
mod console;
pub mod cost;
pub mod descriptor;
mod error;
pub mod expand;
mod flow;
pub mod follow;
pub mod harts;
#[path = "../plugin/src/layout.rs"]
pub mod layout;
pub mod machine;
pub mod memory;
pub mod outputs;
mod pack;
pub mod packed;
mod prediction_state;
mod recorder;
pub mod routines;
pub mod run;
pub mod schedule;
mod shadow;
mod shared;
#[cfg(test)]
#[path = "../plugin/src/spaces.rs"]
mod spaces;
mod spool;
#[path = "../plugin/src/state.rs"]
pub mod state;
pub mod statistics;
mod unpack;
pub mod words;
mod x86;

pub use error::CaptureError;
