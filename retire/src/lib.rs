//! Common data types: retired instructions, where they come from, and files that store them
//!
//! The retire stream ([`FlowEvent`], [`DataEvent`] and the sinks that take them), the tables of the instruction set that
//! say what an instruction does to the PC ([`isa`]), programs ([`elf`], [`image`], [`stream`]), recorded streams
//! ([`mod@file`]) and the code that recordings carry ([`code`]). All other crates of Goshawk depend on this one, and a tool that only records needs no other. Its dependencies are
//! small; only the feature `zstd` compiles C.
//!
//! # Example
//! An image answers what every replay asks: how many instructions follow in sequence, and which one ends them.
//! ```
//! use retire::elf::{Program, Segment};
//! use retire::image::Image;
//!
//! // addi a0, a0, 1; addi a1, a1, -1; bne a1, zero, 0x80000000
//! let code = [0x0015_0513u32, 0xfff5_8593, 0xfe05_9ce3];
//! let bytes = code.iter().flat_map(|word| word.to_le_bytes()).collect();
//! let program = Program {
//!     xlen: 32,
//!     compressed: false,
//!     multiplies: true,
//!     zcm: false,
//!     tohost: None,
//!     entry: 0x8000_0000,
//!     segments: vec![Segment::code(0x8000_0000, bytes)],
//!     build_id: vec![],
//! };
//! let image = Image::new(&program);
//! let (instructions, exit) = image.run(0x8000_0000).expect("code is there");
//! assert_eq!((instructions, exit.pc, exit.target), (3, 0x8000_0008, 0x8000_0000));
//! ```

pub mod code;
pub mod elf;
mod event;
pub mod file;
pub mod image;
pub mod isa;
pub mod rebase;
pub mod stream;

pub use event::{Context, DataEvent, DataKind, FlowEvent, FlowKind, MasterStore, Note, NullSink, RetireSink};
