//! Decoder and replay: from a stream and the ELF, every retired PC of every core again
//!
//! Whether a message carries a target depends on the branch that it reports, so decoding and replay go
//! together: a message's head is read, its core is advanced to the branch, and the rest is read as the
//! branch demands. Messages are taken as they stand in the stream, so what is told is in the stream's
//! order (global commit order of the messages), and memory does not grow with the trace.
//!
//! # Source
//! Paper 000 figure 6 and section 3, paper 002 figure 4; the stream: `docs/stream.md`.

mod hart;
mod streams;

use crate::bits::BitReader;
use crate::encoding::{CodingError, Decoder, Head};
use crate::golden::system::{self, StreamStats};
use crate::message::{Body, Escape, Message};
use crate::params::{Scheme, TraceParams};
pub use hart::PathError;
use hart::{Hart, State};
use retire::image::{ExitKind, Image};
use retire::{FlowEvent, FlowKind, RetireSink};

/// Takes what replay finds.
pub trait ReplaySink {
    /// The next control-flow event of a hart. Its cycle is exact where a message reports it, else that
    /// of the hart's last message (0 in functional streams); the cause of traps is not known.
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let _ = event;
    }
    /// The message that was just replayed, and the bit at which it began.
    fn message(&mut self, bit: u64, message: &Message) {
        let _ = (bit, message);
    }
}

/// Hands the events on to a [`RetireSink`].
#[derive(Debug)]
pub struct Events<S>(pub S);

impl<S: RetireSink> ReplaySink for Events<S> {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.0.event(event);
    }
}

/// Counts only.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

impl ReplaySink for Ignore {}

/// Why a stream cannot be replayed, with the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bit {bit}, message {message}{}: {kind}", core.map(|c| format!(", core {c}")).unwrap_or_default())]
pub struct ReplayError {
    /// First bit of the message.
    pub bit: u64,
    /// Its number, from 0.
    pub message: u64,
    /// Its core, where that is known.
    pub core: Option<u8>,
    /// What is wrong.
    pub kind: ReplayErrorKind,
}

/// What is wrong with a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayErrorKind {
    /// The header is not one of this format.
    #[error("the stream begins with 0x{0:08x}; a trace stream begins with 0x{magic:08x}", magic = system::MAGIC)]
    Magic(u32),
    /// Another format version, or other parameters than those it is replayed with.
    #[error("{field} in the stream header is {found}, but the parameters in use say {right}")]
    Header {
        /// What differs.
        field: &'static str,
        /// In the stream.
        found: String,
        /// In the parameters.
        right: String,
    },
    /// The bits are no message.
    #[error("{0}")]
    Coding(#[from] CodingError),
    /// The messages do not fit the program.
    #[error("{0}; the trace is not of this ELF, or it is damaged")]
    Path(#[from] PathError),
    /// Bits behind the last stop.
    #[error("after the last stop message the word must be filled with zeros and be the last")]
    Trailing,
}

/// What was replayed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Instructions by core.
    pub instructions: Vec<u64>,
    /// Messages and bits.
    pub stats: StreamStats,
}

/// Replays one stream.
#[derive(Debug)]
pub struct Replay<'a, I> {
    image: &'a Image,
    params: TraceParams,
    bits: BitReader<I>,
    decoder: Decoder,
    /// Of the scheme `sc-lsp`, in place of the decoder.
    streams: Option<streams::Streams<'a>>,
    harts: Vec<Hart>,
    stopped: usize,
    stats: StreamStats,
}

impl<'a, I: Iterator<Item = u32>> Replay<'a, I> {
    /// Begins: reads and checks the header.
    pub fn new(image: &'a Image, params: &TraceParams, words: I) -> Result<Self, ReplayError> {
        let mut bits = BitReader::new(words);
        check_header(params, &mut bits).map_err(|kind| ReplayError { bit: 0, message: 0, core: None, kind })?;
        Ok(Self {
            image,
            params: *params,
            bits,
            decoder: Decoder::new(params),
            streams: params.stream_cache().map(|_| streams::Streams::new(params)),
            harts: (0..params.cores).map(|i| Hart::new(i, params)).collect(),
            stopped: 0,
            stats: StreamStats::default(),
        })
    }

    /// Replays to the end of the stream.
    pub fn run(mut self, sink: &mut impl ReplaySink) -> Result<ReplaySummary, ReplayError> {
        while self.step(sink)? {}
        Ok(self.summary())
    }

    /// Replays one message; false when the stream has ended.
    #[inline]
    pub fn step(&mut self, sink: &mut impl ReplaySink) -> Result<bool, ReplayError> {
        let bit = self.bits.position();
        let mut core = None;
        self.message(bit, &mut core, sink).map_err(|kind| ReplayError {
            bit,
            message: self.stats.messages(),
            core,
            kind,
        })
    }

    /// What was replayed so far.
    pub fn summary(&self) -> ReplaySummary {
        ReplaySummary {
            instructions: self.harts.iter().map(|h| h.instructions).collect(),
            stats: StreamStats { bits: self.bits.position(), ..self.stats.clone() },
        }
    }

    #[inline]
    fn message(
        &mut self,
        bit: u64,
        core: &mut Option<u8>,
        sink: &mut impl ReplaySink,
    ) -> Result<bool, ReplayErrorKind> {
        if self.streams.is_some() {
            let message = self.record(core, sink)?;
            return self.done(bit, &message, sink);
        }
        let head = self.decoder.head(&mut self.bits)?;
        let message = match head {
            Head::Count { core: c, diff_cc, count } => {
                *core = Some(c);
                Message { core: c, diff_cc, body: self.branch(c, diff_cc, count, sink)? }
            }
            Head::Escape(message) => {
                *core = Some(message.core);
                self.escape(&message, sink)?;
                message
            }
        };
        self.done(bit, &message, sink)
    }

    /// A message was replayed.
    #[inline]
    fn done(&mut self, bit: u64, message: &Message, sink: &mut impl ReplaySink) -> Result<bool, ReplayErrorKind> {
        self.harts[usize::from(message.core)].message_done();
        sink.message(bit, message);
        self.stats.count(message.body.kind(), self.bits.position() - bit);
        if self.stopped < self.harts.len() {
            return Ok(true);
        }
        if self.bits.rest_of_word().0 != 0 || !self.bits.at_end() {
            return Err(ReplayErrorKind::Trailing);
        }
        Ok(false)
    }

    #[inline]
    fn branch(
        &mut self,
        core: u8,
        diff_cc: u64,
        count: u64,
        sink: &mut impl ReplaySink,
    ) -> Result<Body, ReplayErrorKind> {
        let hart = &mut self.harts[usize::from(core)];
        if hart.state != State::Running {
            return Err(PathError::OutOfPlace("a branch is reported outside a sync").into());
        }
        let nexus = !matches!(self.params.scheme, Scheme::Tr(_));
        let reported = if nexus {
            hart.reach_stream_end(self.image, count, sink)?
        } else {
            hart.reach_branch(self.image, count, sink)?
        };
        hart.cycle += diff_cc;
        let target = if reported.exit.kind == ExitKind::Conditional {
            self.decoder.no_target()?;
            hart.resolve_conditional(reported.exit, sink);
            None
        } else {
            let target = self.decoder.target(core, &mut self.bits)?;
            hart.resolve_indirect(reported.exit, target, sink);
            Some(target)
        };
        Ok(match (nexus, target) {
            (true, target) => Body::Stream { length: count, target },
            (false, Some(target)) => Body::Target { count, target },
            (false, None) => Body::Outcome { count },
        })
    }

    fn escape(&mut self, message: &Message, sink: &mut impl ReplaySink) -> Result<(), ReplayErrorKind> {
        let Body::Escape(escape) = message.body else { return Ok(()) };
        let hart = &mut self.harts[usize::from(message.core)];
        let i_cnt = match escape {
            Escape::Exception { i_cnt, .. }
            | Escape::Sync { i_cnt, .. }
            | Escape::Overflow { i_cnt, .. }
            | Escape::Stop { i_cnt }
            | Escape::Progress { i_cnt } => i_cnt,
        };
        let misplaced = match (hart.state, &escape) {
            (State::Stopped, _) => Some("a message follows the stop message of its core"),
            (State::Waiting, Escape::Sync { .. } | Escape::Stop { .. }) => None,
            (State::Waiting, _) => Some("a message stands before the first sync of its core"),
            (State::Lost(_), Escape::Sync { .. } | Escape::Stop { .. }) => None,
            (State::Lost(_), _) => Some("an overflow message is not followed by a sync"),
            (State::Running, _) => None,
        };
        if let Some(why) = misplaced {
            return Err(PathError::OutOfPlace(why).into());
        }
        if hart.state == State::Running {
            hart.forward(self.image, i_cnt, sink)?;
        } else if i_cnt != 0 {
            return Err(PathError::OutOfPlace("instructions are counted outside a sync").into());
        }
        hart.cycle += message.diff_cc;
        let pc = hart.pc;
        match escape {
            Escape::Exception { target, .. } => {
                hart.tell(FlowKind::Trap { interrupt: false, cause: 0 }, pc, 0, target, sink);
            }
            Escape::Sync { pc: target, .. } => {
                match hart.state {
                    State::Waiting => hart.tell(FlowKind::Start, target, 0, target, sink),
                    State::Lost(lost) => hart.tell(FlowKind::Gap { lost }, pc, 0, target, sink),
                    State::Running | State::Stopped => hart.pc = target,
                }
                hart.predictor.reset();
                hart.state = State::Running;
            }
            Escape::Overflow { lost, .. } => hart.state = State::Lost(lost.try_into().unwrap_or(u32::MAX)),
            Escape::Stop { .. } => {
                match hart.state {
                    State::Running => hart.tell(FlowKind::Stop, pc, 0, pc, sink),
                    // the trace ends inside a gap: where the hart stood then is not known
                    State::Lost(lost) => hart.tell(FlowKind::Gap { lost }, pc, 0, pc, sink),
                    State::Waiting | State::Stopped => {}
                }
                hart.state = State::Stopped;
                self.stopped += 1;
            }
            Escape::Progress { .. } => {}
        }
        Ok(())
    }
}

fn check_header<I: Iterator<Item = u32>>(params: &TraceParams, bits: &mut BitReader<I>) -> Result<(), ReplayErrorKind> {
    let right = system::header(params);
    let mut word = || bits.take(32).map(|w| w as u32).ok_or(CodingError::Truncated);
    let magic = word()?;
    if magic != right[0] {
        return Err(ReplayErrorKind::Magic(magic));
    }
    let shape = word()?;
    let fields: [(&str, u32, u32); 3] = [("format version", 0, 0xff), ("cores", 8, 0xff), ("time-stamped", 16, 0xffff)];
    for (field, lsb, mask) in fields {
        let (found, want) = (shape >> lsb & mask, right[1] >> lsb & mask);
        if found != want {
            return Err(ReplayErrorKind::Header { field, found: found.to_string(), right: want.to_string() });
        }
    }
    let fingerprint = word()?;
    if fingerprint != right[2] {
        return Err(ReplayErrorKind::Header {
            field: "the parameter fingerprint",
            found: format!("0x{fingerprint:08x}"),
            right: format!("0x{:08x} ({})", right[2], params.canonical()),
        });
    }
    Ok(())
}
