//! Decoder and replay: from a stream and the ELF, every retired PC of every core again
//!
//! Whether a message carries a target depends on the branch that it reports, so decoding and replay go
//! together: a message's head is read, its core is advanced to the branch, and the rest is read as the
//! branch demands. Messages are taken as they stand in the stream, so what is told is in the stream's
//! order (global commit order of the messages), and memory does not grow with the trace.
//!
//! # Source
//! Paper 000 figure 6 and section 3, paper 002 figure 4; the stream: `docs/stream.md`.

use crate::bits::BitReader;
use crate::lane::replay::{Lanes, Refused};
pub use crate::lane::replay::{PathError, ReplaySink};
use crate::message::{CodingError, StreamStats};
use crate::params::TraceParams;
use crate::scheme::{self, Decode};
use crate::system;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};

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

impl From<Refused> for ReplayErrorKind {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Coding(e) => Self::Coding(e),
            Refused::Path(e) => Self::Path(e),
        }
    }
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
    bits: BitReader<I>,
    lanes: Lanes<'a>,
    scheme: scheme::Replay<'a>,
    stats: StreamStats,
}

impl<'a, I: Iterator<Item = u32>> Replay<'a, I> {
    /// Begins: reads and checks the header.
    pub fn new(image: &'a Image, params: &TraceParams, words: I) -> Result<Self, ReplayError> {
        let mut bits = BitReader::new(words);
        check_header(params, &mut bits).map_err(|kind| ReplayError { bit: 0, message: 0, core: None, kind })?;
        Ok(Self {
            bits,
            lanes: Lanes::new(image, &params.platform),
            scheme: params.flow.replay(&params.platform),
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
        self.lanes.current = None;
        self.message(bit, sink).map_err(|kind| ReplayError {
            bit,
            message: self.stats.messages(),
            core: self.lanes.current,
            kind,
        })
    }

    /// What was replayed so far.
    pub fn summary(&self) -> ReplaySummary {
        ReplaySummary {
            instructions: self.lanes.instructions(),
            stats: StreamStats { bits: self.bits.position(), ..self.stats.clone() },
        }
    }

    #[inline]
    fn message(&mut self, bit: u64, sink: &mut impl ReplaySink) -> Result<bool, ReplayErrorKind> {
        let message = self.scheme.message(&mut self.lanes, &mut self.bits, sink)?;
        self.lanes.hart(message.core).message_done();
        sink.message(bit, &message);
        self.stats.count(message.body.kind(), self.bits.position() - bit);
        if !self.lanes.ended() {
            return Ok(true);
        }
        self.scheme.end(&mut self.bits)?;
        if self.bits.rest_of_word().0 != 0 || !self.bits.at_end() {
            return Err(ReplayErrorKind::Trailing);
        }
        Ok(false)
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
