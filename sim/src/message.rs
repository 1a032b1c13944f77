//! Trace messages, before they are bits
//!
//! What each says and when it is sent: `docs/reference/stream.md`.

use retire::Context;
use serde::Serialize;

/// One message of one core; `B` is what a scheme's messages say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<B = Body> {
    /// Core index Ti.
    pub core: u8,
    /// Cycles since the previous message of this core; 0 in functional streams.
    pub diff_cc: u64,
    /// What is reported.
    pub body: B,
}

/// What a message reports. Addresses are byte addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// A mispredicted outcome: `count` reported branches since the last message, this one included.
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
    /// Scheme `sc-lsp`: the next streams are as predicted.
    Hits {
        /// Streams.
        count: u32,
    },
    /// Scheme `sc-lsp`: a stream that the stream cache holds.
    Index {
        /// SCI.
        index: u32,
    },
    /// Scheme `sc-lsp`: a stream that the stream cache does not hold.
    Descriptor {
        /// SL as it is sent.
        length: u32,
        /// SA, where it is sent.
        start: Option<u64>,
    },
    /// Shared predictors: the turn of the core ends. Counts begin anew with its next one.
    Turn {
        /// Control-flow instructions that it retired in it.
        length: u64,
        /// Whose turn it is now.
        next: u8,
    },
    /// An escape message.
    Escape(Escape),
}

/// Messages behind bCnt = 0 (SL = 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Exception or interrupt after `i_cnt` instructions.
    Exception {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Address of the first handler instruction that retires.
        target: u64,
        /// What it is in, where contexts are told.
        context: Option<Context>,
    },
    /// Replay (re)starts here with all predictors in their reset state.
    Sync {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Address of the next instruction.
        pc: u64,
        /// What it is in, where contexts are told; of a resync what the instruction before it is in.
        context: Option<Context>,
    },
    /// Messages were lost.
    Overflow {
        /// Instructions since the last message up to the one whose message was lost.
        i_cnt: u64,
        /// Instructions that nothing is known of.
        lost: u64,
    },
    /// A sync follows, and nothing is lost: the last of these instructions is a control-flow instruction, and went to
    /// the PC of the sync. In the stream an overflow of 0 lost instructions. Behind that of core 0 stands the header.
    Resync {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, where messages carry one: with that instruction and where it went.
        signature: Option<u16>,
    },
    /// The next instruction is the first in another context, and neither exception nor sync tells it.
    Context {
        /// Instructions since the last message.
        i_cnt: u64,
        /// What follows is in it.
        context: Context,
    },
    /// The core's stream ends.
    Stop {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, where messages carry one.
        signature: Option<u16>,
    },
    /// A counter would overflow: so many instructions, all as predicted.
    Progress {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Signature of the core, where messages carry one.
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

    /// Signature that it carries.
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
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 14] = [
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
        }
    }
}

impl Body {
    /// Its kind.
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
            Self::Escape(Escape::Exception { .. }) => Kind::Exception,
            Self::Escape(Escape::Sync { .. } | Escape::Resync { .. }) => Kind::Sync,
            Self::Escape(Escape::Overflow { .. }) => Kind::Overflow,
            Self::Escape(Escape::Context { .. }) => Kind::Context,
            Self::Escape(Escape::Stop { .. }) => Kind::Stop,
            Self::Escape(Escape::Progress { .. }) => Kind::Progress,
        }
    }
}

/// What a scheme's messages are counted as.
pub trait Report {
    /// The kind of message that says this.
    fn kind(&self) -> Kind;
    /// Whether it is the marker of a resync.
    fn is_resync(&self) -> bool;
    /// The end of a turn, where messages can say one.
    fn turn(length: u64, next: u8) -> Option<Self>
    where
        Self: Sized,
    {
        let _ = (length, next);
        None
    }
}

impl Report for Body {
    fn kind(&self) -> Kind {
        Body::kind(self)
    }

    fn is_resync(&self) -> bool {
        matches!(self, Self::Escape(Escape::Resync { .. }))
    }

    fn turn(length: u64, next: u8) -> Option<Self> {
        Some(Self::Turn { length, next })
    }
}

/// Messages and bits of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KindCount {
    /// Messages.
    pub messages: u64,
    /// Their bits.
    pub bits: u64,
}

/// What a stream holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct StreamStats {
    /// By [`Kind`], in the order of [`Kind::ALL`]. A message counts the bits that the stream grew by with it; a coder
    /// that holds bits back counts them with a later one.
    pub kinds: [KindCount; Kind::ALL.len()],
    /// All bits, header and padding included: 32 times the words.
    pub bits: u64,
}

impl StreamStats {
    /// Counts one message.
    pub fn count(&mut self, kind: Kind, bits: u64) {
        let k = &mut self.kinds[kind as usize];
        k.messages += 1;
        k.bits += bits;
    }

    /// Messages of all kinds.
    pub fn messages(&self) -> u64 {
        self.kinds.iter().map(|k| k.messages).sum()
    }
}

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
    /// The cause of the trap before, where there was none.
    #[error("a trap has the cause of the one before, and there is none")]
    NoCause,
    /// A message of bus masters that is none, or a store of no byte.
    #[error("a message of bus masters has a kind that is none, or stores no byte")]
    MasterKind,
    /// A negative zero.
    #[error("an address difference of 0 with a negative sign")]
    NegativeZero,
}
