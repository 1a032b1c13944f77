//! Common data types: retired instructions, where they come from, and files that store them
//!
//! The retire stream ([`FlowEvent`], [`DataEvent`] and the sinks that take them), the tables of the instruction set that
//! say what an instruction does to the PC ([`isa`]), programs ([`elf`], [`image`], [`stream`]), recorded streams
//! ([`mod@file`]) and the code that recordings carry ([`code`]). Everything else of Goshawk starts here, and so does a tool that only records: nothing heavy is linked,
//! and only the feature `zstd` builds C.

pub mod code;
pub mod elf;
mod event;
pub mod file;
pub mod image;
pub mod isa;
pub mod stream;

pub use event::{Context, DataEvent, DataKind, FlowEvent, FlowKind, MasterStore, Note, NullSink, RetireSink};
