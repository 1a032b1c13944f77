//! Schemes: ways to tell what a core did. This is the one list of them
//!
//! A scheme is a folder here, and a line of the list at the end; the list makes [`FlowScheme`], its names, its
//! canonical line and its checks, the golden model of all cores and the replay. What is around a scheme (counters,
//! sync, loss, the stream's header) is written once: [`crate::lane`], [`crate::system`], [`crate::replay`].
//!
//! | name | scheme |
//! | --- | --- |
//! | `tr_e:SET`, `tr_b:SET` | T-raptor with a predictor set, see [`tr::NAMED_SETS`] |
//! | `tr(bcnt=2,1;diffta=3,4;diffcc=4,2;icnt=2,2):SET` | the same in other chunk sizes; fields left out are those of `tr_e` |
//! | `golomb:SET`, `golomb(bcnt=2;diffta=4;diffcc=4;icnt=3):SET` | the same in exponential Golomb codes, an order a field |
//! | `nx_b`, `nx_b(...)`, `nexs` | Nexus-like; fields left out are those of `tr_b` |
//! | `taken` | a message for every taken control-flow instruction, see [`taken`] |
//! | `tr_e:SET+shared`, and so on with every coder of T-raptor | one set of predictors for all cores, and their order |
//! | `sc-lsp:SHAPE` | stream cache: variant, sets and ways as `rbase-32x4` |
//!
//! A SET is a name or `OUTCOME/TARGET`, and may be followed by `+shiftN` (PC shift) and `+upper12`.
//!
//! | OUTCOME | outcome predictor |
//! | --- | --- |
//! | `512` | gshare of so many counters, 256 to 4096 |
//! | `bimodal512` | counters by address, 256 to 4096 |
//!
//! | TARGET | target predictor |
//! | --- | --- |
//! | `8/16` | return address stack (0 to 32) and iBTB (0 to 64) of so many entries |
//! | `last32` | last target by address, no tags, 16 to 256 entries |
//!
//! A SHAPE may be followed by `+rightN` or `+leftN` (hash), `+slN` (bits of SL), `+upperN` (bits of the last-value
//! register) and `+runN` (bits of the one-length counter).

pub mod any;
pub mod cfiat;
pub mod cores;
pub mod fields;
pub mod inputs;
pub mod nexus;
pub mod sc_lsp;
pub mod shared;
pub mod taken;
pub mod tr;

use crate::bits::{BitReader, BitWriter};
use crate::lane::replay::{Lanes, Refused, ReplaySink};
use crate::lane::{Front, Rates, SyncPeriod};
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Message, Report, StreamStats};
use crate::platform::{ParamError, Platform};
use cores::Cores;
use retire::FlowEvent;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tr::coder::chunked::Coding;

/// Clocks of a circuit's pipeline, and some to spare, that [`Scheme::settle`] has over those of the tables.
const SETTLE_MARGIN: u32 = 16;

/// Parameters of a scheme, and what is made from them.
pub trait Scheme: Copy {
    /// What kind of thing it is.
    const FAMILY: Family;
    /// Whether it predicts outcomes and targets, so that [`Rates`] tell of mispredictions.
    const PREDICTS: bool;
    /// Whether its cores use the same predictors, in turns that the stream tells.
    const TURNS: bool = false;
    /// What field `id.scheme` of a system's registers holds.
    const CODE: u8;
    /// Golden model of one core.
    type Front: Front<Body: Report>;
    /// Writes the messages of all cores.
    type Coder: Encode<<Self::Front as Front>::Body>;
    /// Reads them, with the program.
    type Replay<'a>: Decode<'a>;
    /// How its names look, for people.
    fn forms() -> Vec<&'static str>;
    /// Names of the blocks that its circuit has for itself.
    fn blocks() -> Vec<&'static str>;
    /// From a name, cut at its last `:`; `None` where another scheme is meant.
    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>>;
    /// The name that [`Scheme::parse`] reads, with all that differs from what is meant without.
    fn name(&self) -> String;
    /// What its set or shape is called, where it is one of those that have names.
    fn set(&self) -> Option<String> {
        None
    }
    /// The predictors of T-raptor that it has, and whether all cores use them together.
    fn predictors(&self) -> Option<(tr::TrParams, bool)> {
        None
    }
    /// The stream cache that it is.
    fn stream_cache(&self) -> Option<sc_lsp::StreamCacheParams> {
        None
    }
    /// The chunks of its fields, where all are chunked.
    fn chunks(&self) -> Option<Coding> {
        None
    }
    /// The same with the usual chunks, where its fields are chunked: such schemes are one circuit, in size.
    fn with_usual_chunks(&self) -> Self {
        *self
    }
    /// All parameters on one line, in a fixed order; the same for all that give the same stream.
    fn canonical(&self, platform: &Platform) -> String;
    /// Refuses what model and circuit cannot honour.
    fn check(&self, platform: &Platform) -> Result<(), ParamError>;
    /// Bits of state of one core, as the papers count it.
    fn state_bits(&self, platform: &Platform) -> u32;
    /// K: instructions behind a resync in which nothing is predicted or learnt, so that a circuit can clear its
    /// tables while its core goes on. At least its clocks to do so, from the decision to the first look-up.
    fn settle(&self) -> u32;
    /// Golden model of one core in its reset state.
    fn front(&self, platform: &Platform) -> Self::Front;
    /// At the beginning of a stream.
    fn coder(&self, platform: &Platform) -> Self::Coder;
    /// At the beginning of a stream.
    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a>;
}

/// Writes messages as bits.
pub trait Encode<B = Body> {
    /// Appends one message, or keeps some of it back for later.
    fn encode(&mut self, message: &Message<B>, out: &mut BitWriter);
    /// The last message was written, or the header comes again: appends what was kept back, and is as at the beginning.
    fn flush(&mut self, out: &mut BitWriter);
    /// Counts the lengths of all fields from now on, where they are numbers of any length.
    fn count_lengths(&mut self);
    /// Lengths of the fields since they were asked for.
    fn lengths(&self) -> Option<&FieldLengths>;
}

/// Reads messages from bits, with the program.
pub trait Decode<'a> {
    /// Reads and replays one message.
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        lanes: &mut Lanes<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, Refused>;
    /// The header stands again behind the marker that was just read, or reading begins at such a header.
    fn header(&mut self);
    /// Reads what [`Encode::flush`] appended.
    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError>;
}

/// A question that is generic in the scheme, for [`FlowScheme::answer`].
pub trait Question {
    /// What the answer is.
    type Answer;
    /// The answer for one scheme.
    fn of<S: Scheme>(self, scheme: &S) -> Self::Answer;
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $name:ident($module:ident::$params:ident),)*) => {
        /// What is sent: which events make a message, and how it is written.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum FlowScheme {
            $($(#[$doc])* $name($module::$params),)*
        }

        /// What kind of thing a scheme is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Family {
            $($(#[$doc])* $name,)*
            /// A compressor in software, which knows no time.
            Baseline,
            /// One predictor for all cores, counted only, without a stream.
            Shared,
        }

        impl FlowScheme {
            /// How names look, of all schemes.
            pub fn forms() -> Vec<&'static str> {
                [$(<$module::$params as Scheme>::forms(),)*].concat()
            }

            /// Names of the blocks that the circuits of all schemes have for themselves.
            pub fn blocks() -> Vec<&'static str> {
                [$(<$module::$params as Scheme>::blocks(),)*].concat()
            }

            /// The scheme of that name, see the table above; `None` where no scheme's names look like this.
            pub fn find(name: &str) -> Option<Result<Self, ParamError>> {
                let (head, tail) = name.rsplit_once(':').map_or((name, None), |(head, tail)| (head, Some(tail)));
                None$(.or_else(|| {
                    <$module::$params as Scheme>::parse(head, tail).map(|params| params.map(Self::$name))
                }))*
            }

            /// What kind of thing it is.
            pub fn family(&self) -> Family {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::FAMILY,)* }
            }

            /// Whether its cores use the same predictors, in turns that the stream tells.
            pub fn takes_turns(&self) -> bool {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::TURNS,)* }
            }

            /// Whether it predicts outcomes and targets, so that [`Rates`] tell of mispredictions.
            pub fn predicts(&self) -> bool {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::PREDICTS,)* }
            }

            /// The name that [`FlowScheme::find`] reads, with all that differs from what is meant without.
            pub fn name(&self) -> String {
                match self { $(Self::$name(params) => Scheme::name(params),)* }
            }

            /// What its set or shape is called, where it is one of those that have names.
            pub fn set(&self) -> Option<String> {
                match self { $(Self::$name(params) => Scheme::set(params),)* }
            }

            /// What field `id.scheme` of a system's registers holds.
            pub fn code(&self) -> u8 {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::CODE,)* }
            }

            /// The predictors of T-raptor that it has, and whether all cores use them together.
            pub fn predictors(&self) -> Option<(tr::TrParams, bool)> {
                match self { $(Self::$name(params) => Scheme::predictors(params),)* }
            }

            /// The stream cache that it is.
            pub fn stream_cache(&self) -> Option<sc_lsp::StreamCacheParams> {
                match self { $(Self::$name(params) => Scheme::stream_cache(params),)* }
            }

            /// The chunks of its fields, where all are chunked.
            pub fn chunks(&self) -> Option<Coding> {
                match self { $(Self::$name(params) => Scheme::chunks(params),)* }
            }

            /// The same with the usual chunks, where its fields are chunked: such schemes are one circuit, in size.
            #[must_use]
            pub fn with_usual_chunks(&self) -> Self {
                match self { $(Self::$name(params) => Self::$name(Scheme::with_usual_chunks(params)),)* }
            }

            /// All parameters on one line, in a fixed order: the same for all that give the same stream.
            pub fn canonical(&self, platform: &Platform) -> String {
                match self { $(Self::$name(params) => Scheme::canonical(params, platform),)* }
            }

            /// Refuses what model and circuit cannot honour.
            pub fn check(&self, platform: &Platform) -> Result<(), ParamError> {
                match self { $(Self::$name(params) => Scheme::check(params, platform),)* }
            }

            /// Bits of state of one core, as the papers count it.
            pub fn state_bits(&self, platform: &Platform) -> u32 {
                match self { $(Self::$name(params) => Scheme::state_bits(params, platform),)* }
            }

            /// Instructions behind a resync in which nothing is predicted or learnt.
            pub fn settle(&self) -> u32 {
                match self { $(Self::$name(params) => Scheme::settle(params),)* }
            }

            /// What `question` says of the scheme that it is.
            pub fn answer<Q: Question>(&self, question: Q) -> Q::Answer {
                match self { $(Self::$name(params) => question.of(params),)* }
            }

            /// The golden model in its reset state.
            pub fn model(&self, platform: &Platform) -> Model {
                match self { $(Self::$name(params) => Model::$name(Cores::new(params, platform)),)* }
            }

            /// Replay at the beginning of a stream.
            pub fn replay<'a>(&self, platform: &Platform) -> Replay<'a> {
                match self { $(Self::$name(params) => Replay::$name(Scheme::replay(params, platform)),)* }
            }
        }

        /// Golden model of all cores.
        #[derive(Clone, Debug)]
        pub enum Model {
            $($(#[$doc])* $name(Cores<$module::$params>),)*
        }

        impl Model {
            /// The next event, of one of the cores, in global commit order.
            #[inline]
            pub fn event(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
                match self { $(Self::$name(cores) => cores.event(e, out, stats),)* }
            }

            /// Tracing is disabled in `cycle`: the stop messages of all cores, and what the coder kept back.
            pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
                match self { $(Self::$name(cores) => cores.finish(cycle, out, stats),)* }
            }

            /// What [`crate::system::System::lose`] says.
            pub fn lose(&mut self, core: u8, before: u32, lost: u32) {
                match self { $(Self::$name(cores) => cores.lose(core, before, lost),)* }
            }

            /// Every core is told of anew every `period`, behind `header`; K is 2^`haste` times the scheme's.
            pub fn sync_every(&mut self, period: SyncPeriod, header: [u32; 3], haste: u8) {
                match self { $(Self::$name(cores) => cores.sync_every(period, header, haste),)* }
            }

            /// A resync is due at the next control-flow instruction of core 0.
            pub fn request(&mut self) {
                match self { $(Self::$name(cores) => cores.request(),)* }
            }

            /// What was counted so far, by core.
            pub fn rates(&self) -> Vec<Rates> {
                match self { $(Self::$name(cores) => cores.rates(),)* }
            }

            /// Counts the lengths of all fields from now on, where they are numbers of any length.
            pub fn count_lengths(&mut self) {
                match self { $(Self::$name(cores) => cores.end.coder.count_lengths(),)* }
            }

            /// Lengths of the fields since they were asked for.
            pub fn lengths(&self) -> Option<&FieldLengths> {
                match self { $(Self::$name(cores) => cores.end.coder.lengths(),)* }
            }
        }

        /// Replay of all cores.
        #[derive(Clone, Debug)]
        pub enum Replay<'a> {
            $($(#[$doc])* $name(<$module::$params as Scheme>::Replay<'a>),)*
        }

        impl<'a> Decode<'a> for Replay<'a> {
            #[inline]
            fn message<I: Iterator<Item = u32>>(
                &mut self,
                lanes: &mut Lanes<'a>,
                bits: &mut BitReader<I>,
                sink: &mut impl ReplaySink,
            ) -> Result<Message, Refused> {
                match self { $(Self::$name(replay) => replay.message(lanes, bits, sink),)* }
            }

            fn header(&mut self) {
                match self { $(Self::$name(replay) => replay.header(),)* }
            }

            fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
                match self { $(Self::$name(replay) => replay.end(bits),)* }
            }
        }
    };
}

schemes! {
    /// T-raptor: mispredictions only.
    Tr(tr::TrParams),
    /// Nexus-like: every taken conditional and every indirect branch.
    Nexus(nexus::NexusParams),
    /// Stream cache and last stream predictor (paper 001).
    ScLsp(sc_lsp::StreamCacheParams),
    /// T-raptor with one set of predictors for all cores.
    TrShared(shared::SharedParams),
    /// Every taken control-flow instruction.
    Taken(taken::TakenParams),
}

impl FromStr for FlowScheme {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, ParamError> {
        Self::find(name)
            .unwrap_or_else(|| Err(ParamError::UnknownScheme { name: name.into(), forms: Self::forms().join(", ") }))
    }
}

impl TryFrom<String> for FlowScheme {
    type Error = ParamError;

    fn try_from(name: String) -> Result<Self, ParamError> {
        name.parse()
    }
}

impl From<FlowScheme> for String {
    fn from(scheme: FlowScheme) -> Self {
        scheme.name()
    }
}

impl fmt::Display for FlowScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// A way to tell the values that a core loads, in a stream of its own beside that of the control flow; in files its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DataScheme {
    /// First-access flags.
    Cfiat(cfiat::params::Sizes),
}

impl DataScheme {
    /// Whether a name is of this list, right or wrong.
    pub fn is_name(name: &str) -> bool {
        cfiat::params::Sizes::is_name(name)
    }

    /// Refuses what cannot be executed again beside a trace of the control flow of `platform`.
    pub fn check(&self, _: &Platform) -> Result<(), ParamError> {
        match self {
            Self::Cfiat(sizes) => {
                sizes.check()?;
                let gran = sizes.granule.into();
                ParamError::unless(sizes.can_decode(), "gran", gran, "1, which +touched has beside a control flow")
            }
        }
    }
}

impl FromStr for DataScheme {
    type Err = ParamError;

    fn from_str(name: &str) -> Result<Self, ParamError> {
        name.parse().map(Self::Cfiat)
    }
}

impl TryFrom<String> for DataScheme {
    type Error = ParamError;

    fn try_from(name: String) -> Result<Self, ParamError> {
        name.parse()
    }
}

impl From<DataScheme> for String {
    fn from(scheme: DataScheme) -> Self {
        scheme.to_string()
    }
}

impl fmt::Display for DataScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cfiat(sizes) => sizes.fmt(f),
        }
    }
}
