//! Why a command could not do its work, in one line

use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use sim::replay::ReplayError;
use sim::rv32::MachineError;

/// What a command that ran to its end found: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, or compared and equal: 0.
    Done,
    /// Compared and different: 1.
    Different,
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
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
    /// Illegal parameters.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// A file that cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A stream that cannot be replayed.
    #[error("{path}: {source}")]
    Replay {
        /// The trace file.
        path: String,
        /// Why not.
        source: ReplayError,
    },
    /// Standard output or a temporary file; a closed pipe is told apart in `main`.
    #[error("output: {0}")]
    Output(#[from] std::io::Error),
    /// A sweep that cannot go on.
    #[error(transparent)]
    Sweep(#[from] ::sweep::SweepError),
    /// Anything else, said where it happened.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// There is no built-in program of that name.
    pub fn unknown_program(name: &str) -> Self {
        Self::Other(format!("built-in program `{name}` is not known; `goshawk programs` lists them"))
    }

    /// `source` happened to the file or folder `path`.
    pub fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Self::File(FileError::Io { path: path.display().to_string(), source })
    }

    /// The reader of standard output has gone away.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Output(e) if e.kind() == std::io::ErrorKind::BrokenPipe)
    }
}
