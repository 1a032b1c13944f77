//! Replay of core traces: harts between two messages, and the escape messages, for all schemes
//!
//! | file | contents |
//! | --- | --- |
//! | `error` | why a message is refused |
//! | `hart` | one hart: follows the program from message to message |
//! | `harts` | all harts of a stream, and the escape messages |
//! | `signature_check` | what signatures confirm for a hart |
//! | `stride` | a hart in the registers of a loop |
//!
//! # Source
//! Paper 000 figure 6, paper 002 figure 4.

mod error;
mod hart;
mod harts;
mod signature_check;
mod stride;

pub use error::{MessageError, PathError};
pub use hart::Hart;
pub use harts::{Harts, Images};

use crate::message::Message;
use retire::image::{Exit, ExitKind, Image};
use retire::{FlowEvent, FlowKind};

/// A sink for the results of replay.
pub trait ReplaySink {
    /// Whether the sink takes events before the rest of their message is checked, even if the message is then refused. Only
    /// for sinks whose result does not depend on events.
    const UNCHECKED: bool = false;
    /// Whether the sink takes only events, not headers and messages: then several threads can replay.
    const EVENTS_ONLY: bool = false;
    /// Takes the next control-flow event of a hart. Its cycle is exact if a message reports it, otherwise that
    /// of the hart's last message (0 in functional streams). The cause of traps is not known.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let _ = event;
    }
    /// Discards the events of the current message so far: they are wrong.
    #[inline]
    fn retract(&mut self) {}
    /// Takes a repeated header at this bit: the times of all cores restart from that of core 0.
    fn header(&mut self, bit: u64) {
        let _ = bit;
    }
    /// Takes the message that was just replayed, and its first bit.
    fn message(&mut self, bit: u64, message: &Message) {
        let _ = (bit, message);
    }
}

/// The path that a scheme infers between messages.
pub trait Path {
    /// Takes `exit`, which already counts as retired, in the direction that the scheme infers without a message.
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError>;
    /// Advances up to the branch that is the last of the next `count` reported ones, which counts as retired but is not yet resolved,
    /// or less far: `count` is then what is left. A loop for what happens often; [`Path::follow`] does what it leaves out, errors
    /// among it.
    #[inline(always)]
    fn stride<'a>(
        &mut self,
        hart: &mut Hart,
        image: &'a Image,
        count: &mut u64,
        sink: &mut impl ReplaySink,
    ) -> Option<&'a Exit> {
        let _ = (hart, image, count, sink);
        None
    }
    /// A sync: returns to the state after reset.
    fn reset(&mut self);
    /// A sync after a gap: what was learnt is kept.
    fn rejoin(&mut self);
}

/// Goes straight ahead: conditional branches are not taken. Indirect branches are always reported.
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
    hart.report_exit(kind, exit, target, sink);
    Ok(())
}
