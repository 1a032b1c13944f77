//! The error type: one line of text

use crate::measure::SchemeError;
use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use sim::replay::ReplayError;
use sim::riscv::MachineError;
use std::path::Path;

/// Error of the host: where, what was found, what would be right.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The program cannot be used.
    #[error("{name}: {source}")]
    Program {
        /// Name, as given by the user.
        name: String,
        /// Reason.
        source: ElfError,
    },
    /// The built-in simulator cannot run the program or has no such setting.
    #[error("{name}: {source}{}", link_hint(source))]
    Machine {
        /// Name of the program, as given by the user.
        name: String,
        /// Reason.
        source: MachineError,
    },
    /// The parameters are invalid.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// The parameters of a scheme are invalid.
    #[error("{name}: {source}")]
    Params {
        /// Name of the scheme.
        name: String,
        /// Reason.
        source: ParamError,
    },
    /// The scheme is unknown.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The stream cannot be replayed.
    #[error("{path}: {source}")]
    Replay {
        /// The trace file.
        path: String,
        /// Reason.
        source: ReplayError,
    },
    /// The recorded run cannot be replayed.
    #[error("{path}: {source}")]
    Inputs {
        /// The file.
        path: String,
        /// Reason.
        source: sim::scheme::inputs::replay::InputsError,
    },
    /// The load values cannot be replayed.
    #[error("{path}: {source}")]
    Values {
        /// The file.
        path: String,
        /// Reason.
        source: sim::scheme::cfiat::replay::ReplayError,
    },
    /// Any other error, with its location.
    #[error("{0}")]
    Other(String),
}

/// Hint for a program at an unusable address: most often the linker put ELF headers before its code.
fn link_hint(error: &MachineError) -> &'static str {
    match error {
        MachineError::OutsideRam { .. } | MachineError::Covers { .. } => {
            "; if the linker put ELF headers in front of the code, -Wl,-N keeps them out (docs/how-to/platform.md)"
        }
        _ => "",
    }
}

impl HostError {
    /// There is no built-in program of that name.
    pub fn unknown_program(name: &str) -> Self {
        Self::Other(format!("built-in program `{name}` is not known; `goshawk programs` lists them"))
    }

    /// `source` occurred with the file or folder `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::File(FileError::Io { path: path.display().to_string(), source })
    }
}
