//! Exit status and error of a command

use host::HostError;
use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use std::path::Path;

/// Result of a command that ran to its end, with its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done, or compared and equal: 0.
    Done,
    /// Compared and different: 1.
    Different,
    /// Done except for parts that were reported as missing: 2.
    Partial,
    /// The program's exit code (`run --exit-code`).
    Code(u8),
}

/// Error of a command: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An error of the library.
    #[error(transparent)]
    Host(#[from] HostError),
    /// Standard output or a temporary file failed; `main` ends without a message if a pipe was closed.
    #[error("output: {}", retire::file::system_error(.0))]
    Output(#[from] std::io::Error),
    /// Any other error, with its location.
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
    #[cfg(feature = "hardware")]
    pub fn unknown_program(name: &str) -> Self {
        Self::Host(HostError::unknown_program(name))
    }

    /// There is no built-in program of that name, of the option `--program`.
    pub fn unknown_program_option(name: &str) -> Self {
        Self::Other(format!("`--program {name}`: {}", HostError::unknown_program(name)))
    }

    /// `name` is not a usable program.
    pub fn program(name: &str, source: ElfError) -> Self {
        Self::Host(HostError::Program { name: name.into(), source })
    }

    /// `source` occurred with the file or folder `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Host(HostError::io(path, source))
    }

    /// Whether the reader of standard output, or of an output pipe, has closed it.
    pub fn is_closed_pipe(&self) -> bool {
        let source = match self {
            Self::Output(source) | Self::Host(HostError::File(FileError::Io { source, .. })) => source,
            _ => return false,
        };
        source.kind() == std::io::ErrorKind::BrokenPipe
    }
}
