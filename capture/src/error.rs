//! Why a program could not be captured

use retire::file::FileError;

/// Why a program could not be captured: where, what was found, what would be right.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A recording that cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The program is not one that QEMU runs.
    #[error("{program}: {what}")]
    Program {
        /// The file.
        program: String,
        /// What was found and what would be right.
        what: String,
    },
    /// No QEMU, or one that is not known.
    #[error("{0}")]
    Qemu(String),
    /// Routines that cannot be traced together.
    #[error("{0}")]
    Routines(String),
    /// Something of this machine.
    #[error("{0}: {1}")]
    System(&'static str, std::io::Error),
    /// The words of the ring make no sense.
    #[error("the plugin's data is damaged at word {at}: {what}")]
    Words {
        /// Place.
        at: u64,
        /// What was found.
        what: String,
    },
}
