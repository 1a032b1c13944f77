//! Errors of capture

use retire::file::FileError;

/// Error of capturing a program: where, what was found, what would be right.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// A file that cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// Path of the file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A recording that cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The program is not one that QEMU can run.
    #[error("{program}: {what}")]
    Program {
        /// Path of the file.
        program: String,
        /// Value found and valid values.
        what: String,
    },
    /// QEMU is missing, or its version is not supported.
    #[error("{0}")]
    Qemu(String),
    /// Routines that cannot be traced together.
    #[error("{0}")]
    Routines(String),
    /// The error because of which a packed recording is incomplete.
    #[error("{0}")]
    Incomplete(String),
    /// An error of the host system.
    #[error("{0}: {1}")]
    System(&'static str, std::io::Error),
    /// The words of the ring make no sense.
    #[error("the plugin's data is damaged at word {at}: {what}")]
    Words {
        /// Position.
        at: u64,
        /// Invalid content.
        what: String,
    },
}
