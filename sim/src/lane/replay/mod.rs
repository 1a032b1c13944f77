//! Replay's half of a lane: harts between two messages, and the escape messages, once for all schemes
//!
//! | file | what it has |
//! | --- | --- |
//! | `error` | why a message is refused |
//! | `hart` | one hart: it follows the program from message to message |
//! | `lanes` | all harts of a stream, and the escape messages |
//! | `signed` | what signatures confirm of a hart |
//!
//! # Source
//! Paper 000 figure 6, paper 002 figure 4.

mod error;
mod hart;
mod lanes;
mod signed;

pub use error::{PathError, Refused};
pub use hart::Hart;
pub use lanes::{Images, Lanes};

use crate::message::Message;
use retire::image::{Exit, ExitKind};
use retire::{FlowEvent, FlowKind};

/// Takes what replay finds.
pub trait ReplaySink {
    /// Takes events before the rest of their message has been checked, also those of a message that is then refused. Only
    /// for sinks whose result does not depend on events.
    const UNCHECKED: bool = false;
    /// The next control-flow event of a hart. Its cycle is exact where a message reports it, else that
    /// of the hart's last message (0 in functional streams); the cause of traps is not known.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let _ = event;
    }
    /// All that the message that is read has told so far is wrong.
    #[inline]
    fn retract(&mut self) {}
    /// The header that was sent again, at this bit: times of all cores count from that of core 0.
    fn header(&mut self, bit: u64) {
        let _ = bit;
    }
    /// The message that was just replayed, and the bit at which it began.
    fn message(&mut self, bit: u64, message: &Message) {
        let _ = (bit, message);
    }
}

/// What a scheme knows of the path between messages.
pub trait Path {
    /// Takes `exit`, which already counts as retired, as the scheme does where no message tells.
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError>;
    /// A sync: back to the state after reset.
    fn reset(&mut self);
    /// A sync behind a gap: what was learnt stays.
    fn rejoin(&mut self);
}

/// Takes the straight line: conditionals not taken; indirect branches are always told.
pub(crate) fn follow_straight(hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
    let link = exit.pc + u64::from(exit.len);
    let (kind, target) = match exit.kind {
        ExitKind::Jump => (FlowKind::Jump, exit.target),
        ExitKind::Call => (FlowKind::Call, exit.target),
        ExitKind::Conditional => (FlowKind::Conditional { taken: false }, link),
        ExitKind::ConditionalIndirect(how) => (FlowKind::ConditionalIndirect { how, taken: false }, link),
        ExitKind::Indirect(..) => return Err(PathError::NoPrediction(exit.pc)),
        ExitKind::End => return Err(PathError::OutsideCode(exit.pc)),
    };
    hart.tell_exit(kind, exit, target, sink);
    Ok(())
}
