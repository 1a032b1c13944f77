//! Message coders: messages to bits and back
//!
//! One file a scheme; each writes and reads the same [`Message`]s. [`Encoder`] and [`Decoder`] own what
//! a coder remembers per core (PTA).

pub mod chunk;
pub mod nexs;
pub mod tr;

use crate::analysis::FieldLengths;
use crate::bits::{BitReader, BitWriter};
use crate::message::{Body, Escape, Message};
use crate::params::{Scheme, TraceParams};

const NOT_HERE: &str = "the scheme sc-lsp has records of its own, in sim::stream_cache";

/// Why bits are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    /// The words end inside a message.
    #[error("the stream ends inside a message")]
    Truncated,
    /// A chunk sequence the encoder never makes.
    #[error("field {0} ends in a zero chunk, which is never sent")]
    ZeroChunk(&'static str),
    /// A number wider than its counter.
    #[error("field {field} needs more than {bits} bits")]
    TooWide {
        /// Field name.
        field: &'static str,
        /// Its width.
        bits: u32,
    },
    /// An escape kind of no meaning.
    #[error("escape kind {0} is not defined in format 1")]
    Kind(u64),
    /// A core that the system does not have.
    #[error("core index {found}, but the system has {cores} cores")]
    Core {
        /// Ti.
        found: u64,
        /// N.
        cores: u8,
    },
    /// An indirect branch without its target.
    #[error("an indirect branch is reported without a target")]
    NoTarget,
    /// A target behind a direct branch.
    #[error("a direct branch is reported with a target")]
    UnexpectedTarget,
    /// A stream that the stream cache does not hold.
    #[error("stream cache index {0} holds no stream")]
    NoStream(u32),
    /// Something the encoder never sends because the decoder knows it.
    #[error("{0} is sent, which is never needed")]
    Needless(&'static str),
    /// A negative zero.
    #[error("an address difference of 0 with a negative sign")]
    NegativeZero,
}

/// What a coder remembers of each core, with the widths it works in.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) params: TraceParams,
    pub(crate) pta: Vec<u64>,
}

impl State {
    fn new(params: &TraceParams) -> Self {
        Self { params: *params, pta: vec![0; usize::from(params.cores)] }
    }

    /// Mask of an address without its always-zero bits.
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.params.address_bits())
    }

    /// `|a - PTA|` and its sign, modulo the address width.
    fn distance(&self, core: u8, address: u64) -> (u64, bool) {
        let mask = self.mask();
        let diff = (address >> self.params.align & mask).wrapping_sub(self.pta[usize::from(core)]) & mask;
        let negative = diff >> (self.params.address_bits() - 1) & 1 == 1;
        (if negative { diff.wrapping_neg() & mask } else { diff }, negative)
    }

    /// As [`State::distance`]; sets PTA.
    pub(crate) fn difference(&mut self, core: u8, address: u64) -> (u64, bool) {
        let distance = self.distance(core, address);
        self.pta[usize::from(core)] = address >> self.params.align & self.mask();
        distance
    }

    /// The address that [`State::difference`] was given.
    pub(crate) fn address(&mut self, core: u8, diff: u64, negative: bool) -> u64 {
        let pta = self.pta[usize::from(core)];
        let address = if negative { pta.wrapping_sub(diff) } else { pta.wrapping_add(diff) } & self.mask();
        self.pta[usize::from(core)] = address;
        address << self.params.align
    }
}

/// Writes messages as bits.
#[derive(Clone, Debug)]
pub struct Encoder {
    state: State,
    /// Where they are asked for: counting costs a sixth of the speed.
    lengths: Option<Box<FieldLengths>>,
}

impl Encoder {
    /// For streams of these parameters.
    pub fn new(params: &TraceParams) -> Self {
        Self { state: State::new(params), lengths: None }
    }

    /// Counts the lengths of all fields from now on.
    pub fn count_lengths(&mut self) {
        self.lengths.get_or_insert_default();
    }

    /// Lengths of the fields written since they were asked for.
    pub fn lengths(&self) -> Option<&FieldLengths> {
        self.lengths.as_deref()
    }

    /// Counts the lengths of the message's fields.
    #[inline(never)]
    fn count(&mut self, message: &Message) {
        let Some(l) = &mut self.lengths else { return };
        if self.state.params.timestamps {
            l.diff_cc.add(message.diff_cc);
        }
        let target = match message.body {
            // of the scheme `sc-lsp`, which has a coder of its own
            Body::Hits { .. } | Body::Index { .. } | Body::Descriptor { .. } => None,
            Body::Outcome { count } | Body::NotTaken { count } => {
                l.b_cnt.add(count);
                None
            }
            Body::Target { count, target } | Body::Taken { count, target } => {
                l.b_cnt.add(count);
                Some(target)
            }
            Body::Stream { length, target } => {
                l.b_cnt.add(length);
                target
            }
            Body::Escape(escape) => {
                l.b_cnt.add(0);
                let (i_cnt, target) = match escape {
                    Escape::Exception { i_cnt, target } | Escape::Sync { i_cnt, pc: target } => (i_cnt, Some(target)),
                    Escape::Overflow { i_cnt, lost } => {
                        l.i_cnt.add(lost);
                        (i_cnt, None)
                    }
                    Escape::Stop { i_cnt } | Escape::Progress { i_cnt } => (i_cnt, None),
                };
                l.i_cnt.add(i_cnt);
                target
            }
        };
        if let Some(target) = target {
            l.diff_ta.add(self.state.distance(message.core, target).0);
        }
    }

    /// Appends one message.
    pub fn write(&mut self, message: &Message, out: &mut BitWriter) {
        if let Body::Escape(Escape::Sync { .. }) = message.body {
            self.state.pta[usize::from(message.core)] = 0;
        }
        if self.lengths.is_some() {
            self.count(message);
        }
        match self.state.params.scheme {
            Scheme::Tr(coding) | Scheme::NxB(coding) => tr::write(&mut self.state, &coding, message, out),
            Scheme::NexS => nexs::write(&mut self.state, message, out),
            Scheme::ScLsp(_) => unreachable!("{NOT_HERE}"),
        }
    }
}

/// The part of a message that stands before what only the program can tell: whether the branch that
/// it reports is direct or indirect is not in the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Head {
    /// A branch is reported; for an indirect one, [`Decoder::target`] must be read next.
    Count {
        /// Core index Ti.
        core: u8,
        /// Cycles since the previous message of this core.
        diff_cc: u64,
        /// bCnt, or SL in the Nexus-like schemes.
        count: u64,
    },
    /// A complete escape message.
    Escape(Message),
}

/// Reads messages from bits.
#[derive(Clone, Debug)]
pub struct Decoder {
    state: State,
    /// `nexs` only: the head just read said that a target follows.
    target_follows: bool,
}

impl Decoder {
    /// For streams of these parameters.
    pub fn new(params: &TraceParams) -> Self {
        Self { state: State::new(params), target_follows: false }
    }

    /// Reads the head of the next message.
    #[inline]
    pub fn head<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<Head, CodingError> {
        match self.state.params.scheme {
            Scheme::Tr(coding) | Scheme::NxB(coding) => tr::head(&mut self.state, &coding, bits),
            Scheme::NexS => nexs::head(&mut self.state, &mut self.target_follows, bits),
            Scheme::ScLsp(_) => unreachable!("{NOT_HERE}"),
        }
    }

    /// Reads the target behind a head that reports an indirect branch of `core`.
    pub fn target<I: Iterator<Item = u32>>(&mut self, core: u8, bits: &mut BitReader<I>) -> Result<u64, CodingError> {
        match self.state.params.scheme {
            Scheme::Tr(coding) | Scheme::NxB(coding) => tr::address(&mut self.state, &coding, core, bits),
            Scheme::NexS if self.target_follows => nexs::address(&mut self.state, core, bits),
            Scheme::NexS => Err(CodingError::NoTarget),
            Scheme::ScLsp(_) => unreachable!("{NOT_HERE}"),
        }
    }

    /// Says that the reported branch was direct; for schemes that mark a target, that none was sent.
    pub fn no_target(&mut self) -> Result<(), CodingError> {
        if std::mem::take(&mut self.target_follows) {
            Err(CodingError::UnexpectedTarget)
        } else {
            Ok(())
        }
    }

    /// Reads the taken bit behind a head that reports a conditional indirect branch.
    pub fn taken<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<bool, CodingError> {
        bits.take(1).map(|b| b == 1).ok_or(CodingError::Truncated)
    }
}
