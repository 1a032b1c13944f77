//! Decoder and replay: reconstructs every retired PC of every core from a stream and the ELF
//!
//! Whether a message carries a target depends on the branch that it reports, so decoding and replay are one process: read
//! the head of a message, advance its core to the branch, and read the rest as the branch requires. Messages are
//! processed in stream order, so events come out in that order (the global commit order of the messages), and memory does
//! not grow with the trace.
//!
//! A stream may begin anywhere: words before its first header are skipped, see "Periodic synchronisation" in `docs/reference/stream.md`.
//!
//! # Source
//! Paper 000 figure 6 and section 3, paper 002 figure 4; the stream: `docs/reference/stream.md`.

pub mod parallel;
mod watch;

use crate::bits::BitReader;
use crate::core_trace::replay::{Harts, MessageError};
pub use crate::core_trace::replay::{Images, PathError, ReplaySink};
use crate::message::{CodingError, Kind, Message, Report, StreamStats};
use crate::params::TraceParams;
use crate::scheme::{self, Decode};
use crate::system;
use retire::{FlowEvent, RetireSink};
use watch::{HeaderMatch, HeaderScanner};

/// A sink that forwards events to a [`RetireSink`].
#[derive(Debug)]
pub struct Events<S>(pub S);

impl<S: RetireSink> ReplaySink for Events<S> {
    const EVENTS_ONLY: bool = true;

    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.0.event(event);
    }
}

/// A sink that ignores events: replay only counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ignore;

impl ReplaySink for Ignore {
    const UNCHECKED: bool = true;
    const EVENTS_ONLY: bool = true;
}

/// Events of the message that is being read. The sink gets them once the whole message is accepted; a refused message
/// leaves nothing. At most one event per instruction that a message can count.
#[derive(Clone, Debug, Default)]
struct Pending(Vec<FlowEvent>);

impl ReplaySink for Pending {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.0.push(*event);
    }

    fn retract(&mut self) {
        self.0.clear();
    }
}

/// Error of a stream that cannot be replayed, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bit {bit}, message {message}{}: {kind}", core.map(|c| format!(", core {c}")).unwrap_or_default())]
pub struct ReplayError {
    /// First bit of the message.
    pub bit: u64,
    /// Its number, from 0.
    pub message: u64,
    /// Its core, if known.
    pub core: Option<u8>,
    /// What went wrong.
    pub kind: ReplayErrorKind,
}

/// Kind of an error in a stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayErrorKind {
    /// The header is not one of this format.
    #[error("the stream begins with 0x{0:08x} and contains no header; expected 0x{magic:08x}", magic = system::MAGIC)]
    Magic(u32),
    /// Another format version, or other parameters than those it is replayed with.
    #[error("{field} in the stream header is {found}, but in the parameters it is {right}")]
    Header {
        /// Name of the field.
        field: &'static str,
        /// Value in the stream.
        found: String,
        /// Value in the parameters.
        right: String,
    },
    /// The bits are not a valid message.
    #[error("{0}")]
    Coding(#[from] CodingError),
    /// The messages do not fit the program.
    #[error("{path}; {causes}", path = .0, causes = .0.causes())]
    Path(#[from] PathError),
    /// A header that no marker announces.
    #[error("a header is inside a message")]
    UnexpectedHeader,
    /// No header after the marker that announces it.
    #[error("after the resync of core 0 the word must be padded with zeros, and the header must follow")]
    NoHeader,
    /// Bits after the last stop message.
    #[error("after the last stop message the word must be filled with zeros and be the last")]
    Trailing,
}

impl From<MessageError> for ReplayErrorKind {
    fn from(refused: MessageError) -> Self {
        match refused {
            MessageError::Coding(e) => Self::Coding(e),
            MessageError::Path(e) => Self::Path(e),
        }
    }
}

/// Totals of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaySummary {
    /// Words before the first header.
    pub skipped: u64,
    /// Times that replay failed and resumed at a later header.
    pub damaged: u64,
    /// Headers, including the first.
    pub headers: u64,
    /// Instructions by core.
    pub instructions: Vec<u64>,
    /// Of these, instructions that signatures have confirmed, by core; `None` if messages carry no signatures.
    pub confirmed: Option<Vec<u64>>,
    /// Messages and bits.
    pub stats: StreamStats,
}

impl ReplaySummary {
    /// Instructions that signatures have confirmed, and all others; `None` if messages carry no signatures.
    pub fn confirmation(&self) -> Option<(u64, u64)> {
        let confirmed = self.confirmed.as_ref()?.iter().sum();
        Some((confirmed, self.instructions.iter().sum::<u64>() - confirmed))
    }
}

/// Replay of one stream. A clone continues from the point where it was made, as do its words.
#[derive(Clone, Debug)]
pub struct Replay<'a, I> {
    bits: BitReader<HeaderScanner<I>>,
    params: TraceParams,
    harts: Harts<'a>,
    scheme: scheme::Replay<'a>,
    pending: Pending,
    stats: StreamStats,
    skipped: u64,
    damaged: u64,
    headers: u64,
    /// First bit of the message that was read last.
    message_start: u64,
    /// A valid message that contradicts the path of its core, with its first bit; processed when replay resumes.
    contradiction: Option<(u64, Message)>,
}

impl<'a, I: Iterator<Item = u32>> Replay<'a, I> {
    /// Begins at the first header, which is checked if it is the first word. `images`: the code, for all contexts or by context.
    pub fn new(images: impl Into<Images<'a>>, params: &TraceParams, words: I) -> Result<Self, ReplayError> {
        let mut bits = BitReader::new(HeaderScanner::new(words, system::header(params)));
        let begins = |kind| ReplayError { bit: 0, message: 0, core: None, kind };
        let (skipped, found) = match check_header(params, &mut bits) {
            Ok(found) => (0, found),
            Err(kind @ ReplayErrorKind::Magic(_)) => {
                let HeaderMatch { end, found } = next_header(&mut bits, 0).ok_or_else(|| begins(kind))?;
                ((end - HEADER_BITS).div_ceil(32), found)
            }
            Err(kind) => return Err(begins(kind)),
        };
        let harts = Harts::new(images.into(), &params.platform, params.flow.warm_up());
        let mut replay = Self {
            bits,
            params: *params,
            harts: if params.flow.infers() { harts.inferring(params.xlen) } else { harts },
            scheme: params.flow.replay(&params.platform),
            pending: Pending::default(),
            stats: StreamStats::default(),
            skipped,
            damaged: 0,
            headers: 0,
            message_start: 0,
            contradiction: None,
        };
        replay.begin(found);
        Ok(replay)
    }

    /// Begins after a header, the first or a repeated one.
    fn begin(&mut self, found: HeaderFlags) {
        self.headers += 1;
        self.harts.set_warm_up(self.params.flow.warm_up() << found.warm_up_scale);
        self.harts.join(found.repeated);
        if found.repeated {
            self.scheme.header();
        }
    }

    /// Resumes after a failed step, at the next header after the beginning of the refused message, at any byte. If that message
    /// is valid and the path of its core was wrong, replay resumes at once, and that core at its sync. Up to its next sync,
    /// each affected core has a gap of 0 instructions, which means an unknown number. Returns false if there is no header.
    pub fn resume(&mut self) -> bool {
        self.damaged += 1;
        if self.contradiction.is_some() {
            return true;
        }
        let words = self.bits.words();
        let header_match = words.take_header();
        // the first words of a header can be in the message before, which was accepted
        let first = self.message_start.saturating_sub(HEADER_BITS - 1);
        words.rewind(header_match.map_or(first, |p| p.end - HEADER_BITS) / 32);
        let Some(HeaderMatch { found, .. }) = next_header(&mut self.bits, self.message_start) else { return false };
        self.scheme = self.params.flow.replay(&self.params.platform);
        self.begin(found);
        true
    }

    /// First bit after the last message.
    #[inline]
    fn position(&self) -> u64 {
        self.bits.position()
    }

    /// Whether only the padding of the last word follows.
    fn ends_here(&self) -> bool
    where
        I: Clone,
    {
        let mut rest = self.clone();
        rest.scheme.end(&mut rest.bits).is_ok() && rest.bits.rest_of_word().0 == 0 && rest.bits.at_end()
    }

    /// Replays to the end of the stream.
    pub fn run(mut self, sink: &mut impl ReplaySink) -> Result<ReplaySummary, ReplayError> {
        while self.step(sink)? {}
        Ok(self.summary())
    }

    /// Replays one message; returns false at the end of the stream. `sink` gets its events when the whole message is valid and
    /// follows the program.
    #[inline(always)]
    pub fn step<S: ReplaySink>(&mut self, sink: &mut S) -> Result<bool, ReplayError> {
        let bit = self.bits.position();
        self.message_start = bit;
        self.harts.current = None;
        self.message(bit, sink).map_err(|kind| ReplayError {
            bit,
            message: self.stats.messages(),
            core: self.harts.current,
            kind,
        })
    }

    /// Totals so far.
    pub fn summary(&self) -> ReplaySummary {
        ReplaySummary {
            skipped: self.skipped,
            damaged: self.damaged,
            headers: self.headers,
            instructions: self.harts.instructions(),
            confirmed: self.harts.confirmed(),
            stats: StreamStats { bits: self.bits.position(), ..self.stats.clone() },
        }
    }

    #[inline(always)]
    fn message<S: ReplaySink>(&mut self, bit: u64, sink: &mut S) -> Result<bool, ReplayErrorKind> {
        if let Some((bit, message)) = self.contradiction.take() {
            return self.accept(bit, &message, sink);
        }
        self.pending.0.clear();
        let mut other = None;
        let counted = if S::EVENTS_ONLY && S::UNCHECKED {
            self.scheme.counted(&mut self.harts, &mut self.bits, sink, &mut other)
        } else if S::EVENTS_ONLY {
            self.scheme.counted(&mut self.harts, &mut self.bits, &mut self.pending, &mut other)
        } else {
            let message = if S::UNCHECKED {
                self.scheme.message(&mut self.harts, &mut self.bits, sink)
            } else {
                self.scheme.message(&mut self.harts, &mut self.bits, &mut self.pending)
            };
            message.map(|message| {
                let message = other.insert(message);
                (message.core, message.body.kind())
            })
        };
        let (core, kind) = match counted {
            Err(MessageError::Coding(CodingError::Truncated)) if self.ends_unseen() => return Ok(false),
            counted => counted?,
        };
        if self.bits.words().has_header() {
            return Err(ReplayErrorKind::UnexpectedHeader);
        }
        let Some(message) = other else {
            self.count(bit, core, kind, sink);
            return Ok(true);
        };
        if let Some(e) = self.harts.contradiction() {
            self.contradiction = Some((bit, message));
            return Err(e.into());
        }
        self.accept(bit, &message, sink)
    }

    /// Counts a message that is valid and follows the program, and passes its events on.
    #[inline(always)]
    fn count(&mut self, bit: u64, core: u8, kind: Kind, sink: &mut impl ReplaySink) {
        self.pending.0.iter().for_each(|event| sink.event(event));
        self.harts.hart(core).accept();
        self.stats.count(kind, self.bits.position() - bit);
    }

    /// Whether the stream ends here, with stop messages that cannot be decoded.
    #[cold]
    fn ends_unseen(&mut self) -> bool {
        let Self { harts, scheme, bits, .. } = self;
        harts.ended_but(|core| scheme.skips(core)) && bits.rest_of_word().0 == 0 && bits.at_end()
    }

    /// Accepts a message that is valid and follows the program.
    #[inline(always)]
    fn accept(&mut self, bit: u64, message: &Message, sink: &mut impl ReplaySink) -> Result<bool, ReplayErrorKind> {
        self.count(bit, message.core, message.body.kind(), sink);
        sink.message(bit, message);
        if message.core == 0 && message.body.is_resync() {
            self.header(sink)?;
        }
        if !self.harts.ended() {
            return Ok(true);
        }
        self.scheme.end(&mut self.bits)?;
        if self.bits.rest_of_word().0 != 0 || !self.bits.at_end() {
            return Err(ReplayErrorKind::Trailing);
        }
        Ok(false)
    }

    /// Reads the header after the marker of core 0.
    fn header(&mut self, sink: &mut impl ReplaySink) -> Result<(), ReplayErrorKind> {
        self.scheme.end(&mut self.bits)?;
        let zeros = self.bits.rest_of_word().0 == 0;
        let bit = self.bits.position();
        let repeated = matches!(check_header(&self.params, &mut self.bits), Ok(HeaderFlags { repeated: true, .. }));
        if !zeros || !repeated {
            return Err(ReplayErrorKind::NoHeader);
        }
        self.headers += 1;
        self.harts.header();
        self.scheme.header();
        sink.header(bit);
        Ok(())
    }
}

/// Contents of a header other than the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeaderFlags {
    /// It is a repeated header.
    repeated: bool,
    /// See [`system::warm_up_scale`].
    warm_up_scale: u8,
}

impl HeaderFlags {
    /// Splits word 1 into the rest and these fields.
    const fn of(shape: u32) -> (u32, Self) {
        let (rest, warm_up_scale) = system::split_scale(shape);
        (rest & !system::REPEATED, Self { repeated: shape & system::REPEATED != 0, warm_up_scale })
    }
}

/// Bits of a header.
const HEADER_BITS: u64 = 96;

/// Searches for the next header that ends after bit `after`, from the next word on; reading continues after it.
fn next_header<I: Iterator<Item = u32>>(bits: &mut BitReader<HeaderScanner<I>>, after: u64) -> Option<HeaderMatch> {
    let mut header_match = bits.words().search()?;
    while header_match.end <= after {
        header_match = bits.words().search()?;
    }
    bits.words().rewind(header_match.end / 32);
    bits.continue_at(header_match.end);
    Some(header_match)
}

/// Reads and checks a header; returns its contents other than the parameters.
fn check_header<I: Iterator<Item = u32>>(
    params: &TraceParams,
    bits: &mut BitReader<HeaderScanner<I>>,
) -> Result<HeaderFlags, ReplayErrorKind> {
    let right = system::header(params);
    let mut word = || bits.take(32).map(|w| w as u32).ok_or(CodingError::Truncated);
    let magic = word()?;
    if magic != right[0] {
        return Err(ReplayErrorKind::Magic(magic));
    }
    let (shape, found_here) = HeaderFlags::of(word()?);
    let fields: [(&str, u32, u32); 3] =
        [("the format version", 0, 0xff), ("the number of cores", 8, 0xff), ("the flag of time stamps", 16, 0xffff)];
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
    bits.words().take_header();
    Ok(found_here)
}
