//! Errors of replay: why a message is refused

use crate::message::CodingError;
use retire::image::{Image, When};

/// Error of a message that does not fit the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The program has no code at this address.
    #[error("no code is known at pc 0x{0:08x}: it is in no executable segment of the program")]
    OutsideCode(u64),
    /// The code was learned from a recording, which never was there.
    #[error(
        "no code is known at pc 0x{0:08x}: the recording from which the code is reconstructed has no run from there"
    )]
    NotRecorded(u64),
    /// The code has several versions, and the number of instructions is not known that says which one ran.
    #[error("the code at pc 0x{0:08x} changes during the run, and it is not known which version ran")]
    UnknownVersion(u64),
    /// An indirect branch that is said to be predicted, where the predictors predict nothing.
    #[error("the indirect branch at pc 0x{0:08x} is reported as predicted, but its predictor is empty")]
    NoPrediction(u64),
    /// A control-flow instruction that always makes a message was passed without one.
    #[error("the jump at pc 0x{0:08x} has no message, but in this scheme every jump has one")]
    NoMessage(u64),
    /// A counter passes more instructions than it can count.
    #[error("no message for {0} instructions: the counters of the trace module cannot count that many")]
    NoProgress(u64),
    /// A stream of a Nexus-like scheme ends where no branch is.
    #[error("the instruction stream ends at pc 0x{0:08x}, which is not a branch that could end it")]
    NoBranch(u64),
    /// Scheme `sc-lsp`: a stream does not begin where the previous one ended.
    #[error("the instruction stream starts at pc 0x{start:08x}, but the path has reached pc 0x{pc:08x}")]
    StartMismatch {
        /// SA.
        start: u64,
        /// Address that the path has reached.
        pc: u64,
    },
    /// A sync of a running core at another address than the path.
    #[error("the core is synced at pc 0x{sync:08x}, but the path has reached pc 0x{pc:08x}")]
    SyncMismatch {
        /// PC of the sync.
        sync: u64,
        /// Address that the path has reached.
        pc: u64,
    },
    /// The path fits the messages but is not that of the core.
    #[error("the signature is 0x{sent:04x}, that of the path is 0x{path:04x}: the {instructions} instructions since the last good one are damaged")]
    Signature {
        /// Value in the trace.
        sent: u16,
        /// Value for the path.
        path: u16,
        /// Instructions of the core that were not confirmed.
        instructions: u64,
    },
    /// A message before the first sync, after the stop, or between an overflow and its sync.
    #[error("{0}")]
    OutOfPlace(&'static str),
}

impl PathError {
    /// `image` has no code at `pc`.
    pub(super) fn no_code(image: &Image, pc: u64, when: When) -> Self {
        if image.is_ambiguous(pc, when) {
            return Self::UnknownVersion(pc);
        }
        match image.is_of_recording() {
            true => Self::NotRecorded(pc),
            false => Self::OutsideCode(pc),
        }
    }

    /// Possible causes, for the error message.
    pub fn causes(&self) -> &'static str {
        match self {
            Self::OutsideCode(_) => {
                "code that was loaded or written at run time, a trace of another program, or damage of the trace"
            }
            Self::UnknownVersion(_) => {
                "the trace begins in the middle, instructions before were lost without a count, or the time of a change is not known"
            }
            Self::NotRecorded(_) => "a trace of another run, or damage of the trace",
            _ => "the trace is not of this ELF, or it is damaged",
        }
    }
}

/// Error of a message that cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageError {
    /// The bits are not a valid message.
    Coding(CodingError),
    /// The message does not fit the program.
    Path(PathError),
}

impl From<CodingError> for MessageError {
    fn from(e: CodingError) -> Self {
        Self::Coding(e)
    }
}

impl From<PathError> for MessageError {
    fn from(e: PathError) -> Self {
        Self::Path(e)
    }
}
