//! Why a command could not do its work, in one line

use host::HostError;
use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use std::path::Path;

/// What a command that ran to its end found: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, or compared and equal: 0.
    Done,
    /// Compared and different: 1.
    Different,
    /// Done, but for what was left out, as was told: 2.
    Partial,
    /// The exit code that was asked for (`run --exit-code`).
    Code(u8),
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An input, parameters or a sweep.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Standard output or a temporary file; `main` ends quietly where it is a closed pipe.
    #[error("output: {0}")]
    Output(#[from] std::io::Error),
    /// Anything else, said where it happened.
    #[error("{0}")]
    Other(String),
}

impl From<FileError> for Failure {
    fn from(e: FileError) -> Self {
        Self::Host(e.into())
    }
}

impl From<ParamError> for Failure {
    fn from(e: ParamError) -> Self {
        Self::Host(e.into())
    }
}

impl Failure {
    /// There is no built-in program of that name.
    pub fn unknown_program(name: &str) -> Self {
        Self::Host(HostError::unknown_program(name))
    }

    /// `name` is no program that can be used.
    pub fn program(name: &str, source: ElfError) -> Self {
        Self::Host(HostError::Program { name: name.into(), source })
    }

    /// `source` happened to the file or folder `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Host(HostError::io(path, source))
    }

    /// The reader of standard output, or of the pipe that was to be written, has gone away.
    pub fn is_closed_pipe(&self) -> bool {
        let source = match self {
            Self::Output(source) | Self::Host(HostError::File(FileError::Io { source, .. })) => source,
            _ => return false,
        };
        source.kind() == std::io::ErrorKind::BrokenPipe
    }
}
