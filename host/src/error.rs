//! Why something could not be done, in one line

use crate::measure::SchemeError;
use retire::elf::ElfError;
use retire::file::FileError;
use sim::params::ParamError;
use sim::replay::ReplayError;
use sim::riscv::MachineError;
use std::path::Path;

/// Why something could not be done: where, what was found, what would be right.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A program that cannot be used.
    #[error("{name}: {source}")]
    Program {
        /// As it was given.
        name: String,
        /// Why not.
        source: ElfError,
    },
    /// A program or a setting that the built-in simulator does not take.
    #[error("{name}: {source}{}", link_hint(source))]
    Machine {
        /// The program, as it was given.
        name: String,
        /// Why not.
        source: MachineError,
    },
    /// Illegal parameters.
    #[error(transparent)]
    Param(#[from] ParamError),
    /// Illegal parameters of a scheme.
    #[error("{name}: {source}")]
    Params {
        /// The scheme.
        name: String,
        /// Why not.
        source: ParamError,
    },
    /// A scheme that is not known.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
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
    /// A recorded run that cannot be replayed.
    #[error("{path}: {source}")]
    Inputs {
        /// The file.
        path: String,
        /// Why not.
        source: sim::scheme::inputs::replay::InputsError,
    },
    /// Load values that cannot be told again.
    #[error("{path}: {source}")]
    Values {
        /// The file.
        path: String,
        /// Why not.
        source: sim::scheme::cfiat::replay::ReplayError,
    },
    /// Anything else, said where it happened.
    #[error("{0}")]
    Other(String),
}

/// What mends a program that lies where it cannot: most often the linker put ELF headers in front of its code.
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

    /// `source` happened to the file or folder `path`.
    pub fn io(path: &Path, source: std::io::Error) -> Self {
        Self::File(FileError::Io { path: path.display().to_string(), source })
    }
}
