//! Replay: goes straight ahead to the branch that ends a stream
//!
//! # Source
//! Paper 000 section 2.

use super::{nexs, NexusParams};
use crate::bits::BitReader;
use crate::core_trace::replay::{follow_straight, Hart, Harts, MessageError, Path, PathError, ReplaySink};
use crate::message::{Body, CodingError, Message};
use crate::platform::Platform;
use crate::scheme::fields::{Head, Reader};
use crate::scheme::tr::coder::chunked::Chunked;
use crate::scheme::Decode;
use retire::image::{Exit, ExitKind};
use retire::FlowKind;

/// Replay: reads the messages of all cores.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one per stream; a box would be one more load per field")]
pub enum Replay {
    /// `nx_b`.
    Chunks(Reader<Chunked>),
    /// `nexs`.
    Groups(nexs::Reader),
}

impl Replay {
    pub(super) fn new(params: &NexusParams, platform: &Platform) -> Self {
        match params {
            NexusParams::NxB(coding) => Self::Chunks(Reader::new(platform, Chunked::new(*coding))),
            NexusParams::NexS => Self::Groups(nexs::Reader::new(platform)),
        }
    }

    #[inline]
    fn head<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<Head, CodingError> {
        match self {
            Self::Chunks(r) => r.head(bits),
            Self::Groups(r) => r.head(bits),
        }
    }

    fn target<I: Iterator<Item = u32>>(&mut self, core: u8, bits: &mut BitReader<I>) -> Result<u64, CodingError> {
        match self {
            Self::Chunks(r) => r.target(core, bits),
            Self::Groups(r) => r.target(core, bits),
        }
    }

    fn no_target(&mut self) -> Result<(), CodingError> {
        match self {
            Self::Chunks(_) => Ok(()),
            Self::Groups(r) => r.no_target(),
        }
    }
}

/// The path between messages: no conditional branch is taken.
struct Straight;

impl Path for Straight {
    #[inline]
    fn follow(&mut self, hart: &mut Hart, exit: &Exit, sink: &mut impl ReplaySink) -> Result<(), PathError> {
        follow_straight(hart, exit, sink)
    }

    fn reset(&mut self) {}

    fn rejoin(&mut self) {}
}

impl<'a> Decode<'a> for Replay {
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError> {
        let (core, diff_cc, length) = match self.head(bits)? {
            Head::Count { core, diff_cc, count } => (core, diff_cc, count),
            Head::Escape(message) => {
                harts.escape(&message, &mut Straight, sink)?;
                return Ok(message);
            }
        };
        let (image, hart) = harts.running(core)?;
        hart.begin(diff_cc);
        let exit = hart.reach_stream_end(image, length, sink)?;
        hart.cycle += diff_cc;
        let target = if let ExitKind::Indirect(_, kind) = exit.kind {
            let target = self.target(core, bits)?;
            hart.report_exit(kind, exit, target, sink);
            Some(target)
        } else if let ExitKind::ConditionalIndirect(how) = exit.kind {
            let target = self.target(core, bits)?;
            hart.report_exit(FlowKind::ConditionalIndirect { how, taken: true }, exit, target, sink);
            Some(target)
        } else {
            self.no_target()?;
            hart.report_exit(FlowKind::Conditional { taken: true }, exit, exit.target, sink);
            None
        };
        Ok(Message { core, diff_cc, body: Body::Stream { length, target } })
    }

    // messages do not depend on earlier ones
    fn header(&mut self) {}

    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
        match self {
            Self::Chunks(r) => r.flush(bits),
            Self::Groups(_) => Ok(()),
        }
    }
}
