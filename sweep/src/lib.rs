//! Sweeps: traces x harts x schemes x time stamps, measured in parallel
//!
//! A [`plan::Plan`] says what is to be measured. [`run::run`] produces each trace once, in blocks, and hands
//! every block to all schemes at work on it, so memory does not grow with the trace. Each finished
//! [`point::Point`] is a file of its own that appears complete or not at all ([`store::Store`]): a sweep that
//! is killed, or meets a full disk, keeps what it has and goes on from there.

pub mod figures;
pub mod gates;
pub mod page;
pub mod plan;
pub mod point;
pub mod run;
pub mod source;
pub mod store;
pub mod windows;

use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use sim::rv32::MachineError;
use sim::scheme::SchemeError;

/// Finds a built-in program by name: the bytes of its ELF.
pub type Builtin = fn(&str) -> Option<&'static [u8]>;

/// Why a sweep cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A program that cannot be used.
    #[error("{name}: {source}")]
    Program {
        /// As it was given.
        name: String,
        /// Why not.
        source: ElfError,
    },
    /// A program or a setting that the built-in simulator does not take.
    #[error("{name}: {source}")]
    Machine {
        /// The program, as it was given.
        name: String,
        /// Why not.
        source: MachineError,
    },
    /// A scheme that is not known.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// Illegal parameters.
    #[error("{name}: {source}")]
    Params {
        /// The scheme.
        name: String,
        /// Why not.
        source: ParamError,
    },
    /// Anything else, said where it happened.
    #[error("{0}")]
    Other(String),
}

impl SweepError {
    /// `source` happened to `path`.
    pub fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File(FileError::Io { path: path.display().to_string(), source })
    }
}
