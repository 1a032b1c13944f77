//! Trace messages before they are encoded
//!
//! For their meaning and when they are sent, see `docs/reference/stream.md`.

use retire::Context;
use serde::Serialize;

/// A message of one core; `B` is the type of a scheme's message contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<B = Body> {
    /// Core index Ti.
    pub core: u8,
    /// Cycles since the previous message of this core; 0 in functional streams.
    pub diff_cc: u64,
    /// Contents.
    pub body: B,
}

/// Contents of a message. Addresses are byte addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A mispredicted outcome: `count` reported branches since the last message, including this one.
    Outcome {
        /// bCnt.
        count: u64,
    },
    /// A mispredicted target.
    Target {
        /// bCnt.
        count: u64,
        /// TA.
        target: u64,
    },
    /// A conditional indirect branch that was not taken.
    NotTaken {
        /// bCnt.
        count: u64,
    },
    /// A conditional indirect branch that was taken to a mispredicted target.
    Taken {
        /// bCnt.
        count: u64,
        /// TA.
        target: u64,
    },
    /// Nexus-like schemes: a stream of `length` instructions ends in a taken direct conditional
    /// (no target) or in an indirect branch.
    Stream {
        /// SL, instructions.
        length: u64,
        /// TA of an indirect branch.
        target: Option<u64>,
    },
    /// Scheme `sc-lsp`: the next streams are those predicted.
    Hits {
        /// Number of streams.
        count: u32,
    },
    /// Scheme `sc-lsp`: a stream in the stream cache.
    Index {
        /// SCI.
        index: u32,
    },
    /// Scheme `sc-lsp`: a stream that is not in the stream cache.
    Descriptor {
        /// SL as it is encoded.
        length: u32,
        /// SA, if it is sent.
        start: Option<u64>,
    },
    /// Shared predictors: the turn of the core ends. Its counts restart with its next turn.
    Turn {
        /// Control-flow instructions that it retired in the turn.
        length: u64,
        /// Core whose turn is next.
        next: u8,
    },
    /// Scheme `follow` with an arithmetic coder: a word of the code of the core.
    Word {
        /// The word.
        word: u32,
    },
    /// An escape message.
    Escape(Escape),
}

/// Escape messages, which follow bCnt = 0 (SL = 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Exception or interrupt after `i_cnt` instructions.
    Exception {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Address of the first handler instruction that retires.
        target: u64,
        /// Context of that instruction, if contexts are reported.
        context: Option<Context>,
    },
    /// Replay starts or resumes here with all predictors in their reset state.
    Sync {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Address of the next instruction.
        pc: u64,
        /// Context of the next instruction, if contexts are reported; in a resync, that of the instruction before it.
        context: Option<Context>,
    },
    /// Messages were lost.
    Overflow {
        /// Instructions since the last message, up to and including the one whose message was lost.
        i_cnt: u64,
        /// Lost instructions, of which nothing is known.
        lost: u64,
    },
    /// A sync follows, and nothing is lost: the last of these instructions is a control-flow instruction, whose target is
    /// the PC of the sync. Encoded as an overflow of 0 lost instructions. That of core 0 is followed by the header.
    Resync {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, if messages carry one, including that instruction and its target.
        signature: Option<u16>,
    },
    /// The next instruction is the first in another context, which neither an exception nor a sync reports.
    Context {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Context from that instruction on.
        context: Context,
    },
    /// The stream of the core ends.
    Stop {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, if messages carry one.
        signature: Option<u16>,
    },
    /// A counter would overflow; all these instructions are as predicted.
    Progress {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, if messages carry one.
        signature: Option<u16>,
    },
}

impl Escape {
    /// Instructions since the last message.
    pub const fn i_cnt(&self) -> u64 {
        match *self {
            Self::Exception { i_cnt, .. }
            | Self::Sync { i_cnt, .. }
            | Self::Overflow { i_cnt, .. }
            | Self::Resync { i_cnt, .. }
            | Self::Context { i_cnt, .. }
            | Self::Stop { i_cnt, .. }
            | Self::Progress { i_cnt, .. } => i_cnt,
        }
    }

    /// The signature that it carries.
    pub const fn signature(&self) -> Option<u16> {
        match *self {
            Self::Resync { signature, .. } | Self::Stop { signature, .. } | Self::Progress { signature, .. } => {
                signature
            }
            Self::Exception { .. } | Self::Sync { .. } | Self::Overflow { .. } | Self::Context { .. } => None,
        }
    }
}

/// Kinds of messages, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Outcome mispredicted.
    Outcome,
    /// Target mispredicted.
    Target,
    /// Conditional indirect.
    ConditionalIndirect,
    /// Stream of a Nexus-like scheme.
    Stream,
    /// Exception or interrupt.
    Exception,
    /// Synchronisation.
    Sync,
    /// Overflow.
    Overflow,
    /// Stop.
    Stop,
    /// Progress.
    Progress,
    /// Predicted streams.
    Hits,
    /// Stream cache index.
    Index,
    /// Stream descriptor.
    Descriptor,
    /// Change of context.
    Context,
    /// End of a turn: the order of the cores.
    Turn,
    /// Word of an arithmetic coder.
    Word,
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 15] = [
        Self::Outcome,
        Self::Target,
        Self::ConditionalIndirect,
        Self::Stream,
        Self::Exception,
        Self::Sync,
        Self::Overflow,
        Self::Stop,
        Self::Progress,
        Self::Hits,
        Self::Index,
        Self::Descriptor,
        Self::Context,
        Self::Turn,
        Self::Word,
    ];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Target => "target",
            Self::ConditionalIndirect => "conditional indirect",
            Self::Stream => "stream",
            Self::Exception => "exception",
            Self::Sync => "sync",
            Self::Overflow => "overflow",
            Self::Stop => "stop",
            Self::Progress => "progress",
            Self::Hits => "predicted streams",
            Self::Index => "stream index",
            Self::Descriptor => "stream descriptor",
            Self::Context => "context",
            Self::Turn => "turn",
            Self::Word => "word",
        }
    }
}

impl Body {
    /// Kind of the message.
    #[inline]
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Outcome { .. } => Kind::Outcome,
            Self::Target { .. } => Kind::Target,
            Self::NotTaken { .. } | Self::Taken { .. } => Kind::ConditionalIndirect,
            Self::Stream { .. } => Kind::Stream,
            Self::Hits { .. } => Kind::Hits,
            Self::Index { .. } => Kind::Index,
            Self::Descriptor { .. } => Kind::Descriptor,
            Self::Turn { .. } => Kind::Turn,
            Self::Word { .. } => Kind::Word,
            Self::Escape(Escape::Exception { .. }) => Kind::Exception,
            Self::Escape(Escape::Sync { .. } | Escape::Resync { .. }) => Kind::Sync,
            Self::Escape(Escape::Overflow { .. }) => Kind::Overflow,
            Self::Escape(Escape::Context { .. }) => Kind::Context,
            Self::Escape(Escape::Stop { .. }) => Kind::Stop,
            Self::Escape(Escape::Progress { .. }) => Kind::Progress,
        }
    }
}

/// Message contents that can be counted by kind.
pub trait Report {
    /// Kind of the message with these contents.
    fn kind(&self) -> Kind;
    /// Whether it is the marker of a resync.
    fn is_resync(&self) -> bool;
    /// The end of a turn; `None` if the type has no such message.
    fn turn(length: u64, next: u8) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (length, next);
        None
    }
}

impl Report for Body {
    #[inline]
    fn kind(&self) -> Kind {
        Body::kind(self)
    }

    #[inline]
    fn is_resync(&self) -> bool {
        matches!(self, Self::Escape(Escape::Resync { .. }))
    }

    fn turn(length: u64, next: u8) -> Option<Self> {
        Some(Self::Turn { length, next })
    }
}

/// Counts of messages of one kind, and of their bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// Messages.
    pub messages: u64,
    /// Their bits.
    pub bits: u64,
}

/// Counts of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StreamStats {
    /// By [`Kind`], in the order of [`Kind::ALL`]. The bits of a message are those by which the stream grew with it; if a coder
    /// holds bits back, they are counted with a later message.
    pub kinds: [KindCount; Kind::ALL.len()],
    /// Total bits, including header and padding: 32 times the number of words.
    pub bits: u64,
}

impl StreamStats {
    /// Counts one message.
    #[inline]
    pub fn count(&mut self, kind: Kind, bits: u64) {
        let k = &mut self.kinds[kind as usize];
        k.messages += 1;
        k.bits += bits;
    }

    /// Total number of messages.
    pub fn messages(&self) -> u64 {
        self.kinds.iter().map(|k| k.messages).sum()
    }
}

/// Error of bits that are not a valid message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodingError {
    /// The words end inside a message.
    #[error("the stream ends inside a message")]
    Truncated,
    /// A chunk sequence that the encoder never produces.
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
    /// An undefined escape kind.
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
    /// An indirect branch without a target.
    #[error("an indirect branch is reported without a target")]
    NoTarget,
    /// A target after a direct branch.
    #[error("a direct branch is reported with a target")]
    UnexpectedTarget,
    /// A stream that is not in the stream cache.
    #[error("stream cache index {0} holds no stream")]
    NoStream(u32),
    /// Something that the encoder never sends, because the decoder knows it.
    #[error("{0} is sent, which is never needed")]
    Redundant(&'static str),
    /// A trap with the cause of the previous one, but there was none.
    #[error("a trap has the cause of the one before, and there is none")]
    NoCause,
    /// An undefined message of bus masters, or a store without bytes.
    #[error("a message of bus masters has a kind that is none, or stores no byte")]
    MasterKind,
    /// A negative zero.
    #[error("an address difference of 0 with a negative sign")]
    NegativeZero,
}
