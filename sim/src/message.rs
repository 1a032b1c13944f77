//! Trace messages, before they are bits
//!
//! What each says and when it is sent: `docs/stream.md`.

/// One message of one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Core index Ti.
    pub core: u8,
    /// Cycles since the previous message of this core; 0 in functional streams.
    pub diff_cc: u64,
    /// What is reported.
    pub body: Body,
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
    },
    /// Replay (re)starts here with all predictors in their reset state.
    Sync {
        /// Instructions since the last message.
        i_cnt: u64,
        /// Address of the next instruction.
        pc: u64,
    },
    /// Messages were lost.
    Overflow {
        /// Instructions since the last message up to the one whose message was lost.
        i_cnt: u64,
        /// Instructions that nothing is known of.
        lost: u64,
    },
    /// The core's stream ends.
    Stop {
        /// Instructions since the last message.
        i_cnt: u64,
    },
    /// A counter would overflow: so many instructions, all as predicted.
    Progress {
        /// Instructions since the last message.
        i_cnt: u64,
    },
}

/// Kinds of messages, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
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
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 12] = [
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
            Self::Escape(Escape::Exception { .. }) => Kind::Exception,
            Self::Escape(Escape::Sync { .. }) => Kind::Sync,
            Self::Escape(Escape::Overflow { .. }) => Kind::Overflow,
            Self::Escape(Escape::Stop { .. }) => Kind::Stop,
            Self::Escape(Escape::Progress { .. }) => Kind::Progress,
        }
    }
}
