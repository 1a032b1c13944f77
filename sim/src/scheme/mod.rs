//! Schemes: the ways to report what a core did, and the only list of them
//!
//! A scheme is a folder here and a line in the list at the end of this file. The list generates [`FlowScheme`], its names,
//! its canonical line and its checks, the golden model of all cores and the replay. What all schemes share (counters,
//! sync, loss, stream header) is implemented once: [`crate::core_trace`], [`crate::system`], [`crate::replay`].
//!
//! | name | scheme |
//! | --- | --- |
//! | `tr_e:SET`, `tr_b:SET` | T-raptor with a predictor set, see [`tr::NAMED_SETS`] |
//! | `tr(bcnt=2,1;diffta=3,4;diffcc=4,2;icnt=2,2):SET` | T-raptor with other chunk sizes; omitted fields are those of `tr_e` |
//! | `golomb:SET`, `golomb(bcnt=2;diffta=4;diffcc=4;icnt=3):SET` | T-raptor with exponential Golomb codes, one order per field |
//! | `nx_b`, `nx_b(...)`, `nexs` | Nexus-like; omitted fields are those of `tr_b` |
//! | `taken` | one message per taken control-flow instruction, see [`taken`] |
//! | `tr_e:SET+shared`, and the same with every coder of T-raptor | one set of predictors for all cores; the stream includes their order |
//! | `follow:SET` | small predictors, see [`follow`]; a set is a name of [`follow::sizes::NAMED_SETS`] and options |
//! | `follow:SET+arithmetic` | the same predictors with an arithmetic coder, see [`follow::arithmetic`] |
//! | `sc-lsp:SHAPE` | stream cache: variant, sets and ways, as in `rbase-32x4` |
//!
//! A SET is a name or `OUTCOME/TARGET`, and may be followed by `+shiftN` (PC shift), `+upper12` and `+inferable`.
//!
//! | OUTCOME | outcome predictor |
//! | --- | --- |
//! | `512` | gshare with this number of counters, 256 to 4096 |
//! | `bimodal512` | counters indexed by address, 256 to 4096 |
//!
//! | TARGET | target predictor |
//! | --- | --- |
//! | `8/16` | return address stack (0 to 32 entries) and iBTB (0 to 64 entries) |
//! | `last32` | last target, indexed by address, without tags, 16 to 256 entries |
//!
//! A SHAPE may be followed by `+rightN` or `+leftN` (hash), `+slN` (bits of SL), `+upperN` (bits of the last-value
//! register) and `+runN` (bits of the one-length counter).

pub mod any;
pub mod cfiat;
pub mod cores;
pub mod fields;
pub mod follow;
pub mod inputs;
pub mod nexus;
pub mod sc_lsp;
pub mod shared;
pub mod taken;
pub mod tr;

use crate::bits::{BitReader, BitWriter};
use crate::core_trace::replay::{Harts, MessageError, ReplaySink};
use crate::core_trace::{Front, Rates, SyncPeriod};
use crate::lengths::FieldLengths;
use crate::message::{Body, CodingError, Kind, Message, Report, StreamStats};
use crate::platform::{ParamError, Platform};
use cores::Cores;
use retire::FlowEvent;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use tr::coder::chunked::Coding;

/// Cycles that [`Scheme::warm_up`] allows on top of the table size: the pipeline of a circuit, and a margin.
const WARM_UP_MARGIN: u32 = 16;

/// Option of a set: jumps are inferred.
const INFERABLE: &str = "inferable";

/// Parameters of a scheme; creates its models.
pub trait Scheme: Copy {
    /// Family of the scheme.
    const FAMILY: Family;
    /// Whether it predicts outcomes and targets, so that [`Rates`] include mispredictions.
    const PREDICTS: bool;
    /// Whether its cores share predictors, in turns that the stream reports.
    const TURNS: bool = false;
    /// Value of register field `id.scheme`.
    const CODE: u8;
    /// Golden model of one core.
    type Front: Front<Body: Report>;
    /// Encoder of the messages of all cores.
    type Coder: Encode<<Self::Front as Front>::Body>;
    /// Decoder of the messages, with the program.
    type Replay<'a>: Decode<'a>;
    /// Patterns of its names, for help and error messages.
    fn forms() -> Vec<&'static str>;
    /// Names of the circuit blocks that only this scheme uses.
    fn blocks() -> Vec<&'static str>;
    /// Parses a name that is split at its last `:`; `None` if it belongs to another scheme.
    fn parse(head: &str, tail: Option<&str>) -> Option<Result<Self, ParamError>>;
    /// The name that [`Scheme::parse`] reads; includes only values that differ from the defaults.
    fn name(&self) -> String;
    /// Name of its set or shape, if it has one.
    fn set(&self) -> Option<String> {
        None
    }
    /// Its T-raptor predictors, and whether all cores share them.
    fn predictors(&self) -> Option<(tr::TrParams, bool)> {
        None
    }
    /// Whether its model distinguishes calls, returns and jumps.
    fn needs_call_types(&self) -> bool {
        true
    }
    /// Whether it infers jumps from the instruction before them, see [`crate::inference`].
    fn infers(&self) -> bool {
        false
    }
    /// Whether its circuit encodes one bit per cycle.
    fn is_serial(&self) -> bool {
        false
    }
    /// Its stream cache.
    fn stream_cache(&self) -> Option<sc_lsp::StreamCacheParams> {
        None
    }
    /// Chunk sizes, if all fields are chunked.
    fn chunks(&self) -> Option<Coding> {
        None
    }
    /// The same scheme with the default chunk sizes, if its fields are chunked: circuit size does not depend on them.
    fn with_default_chunks(&self) -> Self {
        *self
    }
    /// All parameters on one line, in a fixed order. Equal for all schemes that give the same stream.
    fn canonical(&self, platform: &Platform) -> String;
    /// Rejects parameters that model and circuit do not support.
    fn check(&self, platform: &Platform) -> Result<(), ParamError>;
    /// Bits of state of one core, as the papers count it.
    fn state_bits(&self, platform: &Platform) -> u32;
    /// The warm-up length K: the number of instructions after a resync in which nothing is predicted or learnt, so that a
    /// circuit can clear its tables while its core runs. At least the cycles that this takes, from the decision to the first
    /// look-up.
    fn warm_up(&self) -> u32;
    /// Golden model of one core in its reset state.
    fn front(&self, platform: &Platform) -> Self::Front;
    /// Encoder at the beginning of a stream.
    fn coder(&self, platform: &Platform) -> Self::Coder;
    /// Decoder at the beginning of a stream.
    fn replay<'a>(&self, platform: &Platform) -> Self::Replay<'a>;
}

/// An encoder: writes messages as bits.
pub trait Encode<B = Body> {
    /// Appends one message. May hold part of it back.
    fn encode(&mut self, message: &Message<B>, out: &mut BitWriter);
    /// Appends what was held back and returns to the initial state: after the last message, or before a repeated header.
    fn flush(&mut self, out: &mut BitWriter);
    /// Starts counting the lengths of all variable-length fields.
    fn count_lengths(&mut self);
    /// Lengths of the fields since counting was started.
    fn lengths(&self) -> Option<&FieldLengths>;
}

/// A decoder: reads messages from bits, with the program.
pub trait Decode<'a> {
    /// Reads and replays one message.
    fn message<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
    ) -> Result<Message, MessageError>;
    /// As [`Decode::message`], for callers that only count messages: returns core and kind, which stay in registers. The message
    /// itself, if it may be one that does not report a branch, is in `other`, which is empty before.
    #[inline(always)]
    fn counted<I: Iterator<Item = u32>>(
        &mut self,
        harts: &mut Harts<'a>,
        bits: &mut BitReader<I>,
        sink: &mut impl ReplaySink,
        other: &mut Option<Message>,
    ) -> Result<(u8, Kind), MessageError> {
        let message = other.insert(self.message(harts, bits, sink)?);
        Ok((message.core, message.body.kind()))
    }
    /// A repeated header follows the marker that was just read, or reading begins at such a header.
    fn header(&mut self);
    /// Reads what [`Encode::flush`] appended.
    fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError>;
    /// Whether nothing of what `core` sends can be decoded up to its next sync, so that its stop is not seen.
    fn skips(&self, _core: usize) -> bool {
        false
    }
}

/// A computation that is generic in the scheme, for [`FlowScheme::visit`].
pub trait SchemeVisitor {
    /// Type of the result.
    type Output;
    /// Computes the result for one scheme.
    fn of<S: Scheme>(self, scheme: &S) -> Self::Output;
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $name:ident($module:ident::$params:ident),)*) => {
        /// A control-flow scheme: which events make a message, and how it is encoded.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum FlowScheme {
            $($(#[$doc])* $name($module::$params),)*
        }

        /// Family of a scheme.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Family {
            $($(#[$doc])* $name,)*
            /// A software compressor, without time.
            Baseline,
            /// One predictor for all cores; counts only, no stream.
            Shared,
        }

        impl FlowScheme {
            /// Name patterns of all schemes.
            pub fn forms() -> Vec<&'static str> {
                [$(<$module::$params as Scheme>::forms(),)*].concat()
            }

            /// Names of the circuit blocks that only one scheme uses, for all schemes.
            pub fn blocks() -> Vec<&'static str> {
                [$(<$module::$params as Scheme>::blocks(),)*].concat()
            }

            /// Finds the scheme with that name, see the table above; `None` if no scheme has such names.
            pub fn find(name: &str) -> Option<Result<Self, ParamError>> {
                let (head, tail) = name.rsplit_once(':').map_or((name, None), |(head, tail)| (head, Some(tail)));
                None$(.or_else(|| {
                    <$module::$params as Scheme>::parse(head, tail).map(|params| params.map(Self::$name))
                }))*
            }

            /// Family of the scheme.
            pub fn family(&self) -> Family {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::FAMILY,)* }
            }

            /// Whether its cores share predictors, in turns that the stream reports.
            pub fn takes_turns(&self) -> bool {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::TURNS,)* }
            }

            /// Whether it predicts outcomes and targets, so that [`Rates`] include mispredictions.
            pub fn predicts(&self) -> bool {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::PREDICTS,)* }
            }

            /// The name that [`FlowScheme::find`] reads; includes only values that differ from the defaults.
            pub fn name(&self) -> String {
                match self { $(Self::$name(params) => Scheme::name(params),)* }
            }

            /// Name of its set or shape, if it has one.
            pub fn set(&self) -> Option<String> {
                match self { $(Self::$name(params) => Scheme::set(params),)* }
            }

            /// Value of register field `id.scheme`.
            pub fn code(&self) -> u8 {
                match self { $(Self::$name(_) => <$module::$params as Scheme>::CODE,)* }
            }

            /// Its T-raptor predictors, and whether all cores share them.
            pub fn predictors(&self) -> Option<(tr::TrParams, bool)> {
                match self { $(Self::$name(params) => Scheme::predictors(params),)* }
            }

            /// Whether its model distinguishes calls, returns and jumps.
            pub fn needs_call_types(&self) -> bool {
                match self { $(Self::$name(params) => Scheme::needs_call_types(params),)* }
            }

            /// Whether it infers jumps from the instruction before them, see [`crate::inference`].
            pub fn infers(&self) -> bool {
                match self { $(Self::$name(params) => Scheme::infers(params),)* }
            }

            /// Whether its circuit encodes one bit per cycle.
            pub fn is_serial(&self) -> bool {
                match self { $(Self::$name(params) => Scheme::is_serial(params),)* }
            }

            /// Its stream cache.
            pub fn stream_cache(&self) -> Option<sc_lsp::StreamCacheParams> {
                match self { $(Self::$name(params) => Scheme::stream_cache(params),)* }
            }

            /// Chunk sizes, if all fields are chunked.
            pub fn chunks(&self) -> Option<Coding> {
                match self { $(Self::$name(params) => Scheme::chunks(params),)* }
            }

            /// The same scheme with the default chunk sizes, if its fields are chunked: circuit size does not depend on them.
            #[must_use]
            pub fn with_default_chunks(&self) -> Self {
                match self { $(Self::$name(params) => Self::$name(Scheme::with_default_chunks(params)),)* }
            }

            /// All parameters on one line, in a fixed order. Equal for all schemes that give the same stream.
            pub fn canonical(&self, platform: &Platform) -> String {
                match self { $(Self::$name(params) => Scheme::canonical(params, platform),)* }
            }

            /// Rejects parameters that model and circuit do not support.
            pub fn check(&self, platform: &Platform) -> Result<(), ParamError> {
                match self { $(Self::$name(params) => Scheme::check(params, platform),)* }
            }

            /// Bits of state of one core, as the papers count it.
            pub fn state_bits(&self, platform: &Platform) -> u32 {
                match self { $(Self::$name(params) => Scheme::state_bits(params, platform),)* }
            }

            /// Warm-up length: instructions after a resync in which nothing is predicted or learnt.
            pub fn warm_up(&self) -> u32 {
                match self { $(Self::$name(params) => Scheme::warm_up(params),)* }
            }

            /// Evaluates `question` for this scheme.
            pub fn visit<Q: SchemeVisitor>(&self, question: Q) -> Q::Output {
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
            /// Takes the next event of any core, in global commit order.
            #[inline]
            pub fn event(&mut self, e: &FlowEvent, out: &mut BitWriter, stats: &mut StreamStats) {
                match self { $(Self::$name(cores) => cores.event(e, out, stats),)* }
            }

            /// Tracing is disabled in `cycle`: sends the stop messages of all cores and flushes the coder.
            pub fn finish(&mut self, cycle: u64, out: &mut BitWriter, stats: &mut StreamStats) {
                match self { $(Self::$name(cores) => cores.finish(cycle, out, stats),)* }
            }

            /// What [`crate::system::System::lose`] says.
            pub fn lose(&mut self, core: u8, before: u32, lost: u32) {
                match self { $(Self::$name(cores) => cores.lose(core, before, lost),)* }
            }

            /// Resynchronises all cores every `period`, with `header` repeated; the warm-up is 2^`warm_up_scale` times the scheme's.
            pub fn sync_every(&mut self, period: SyncPeriod, header: [u32; 3], warm_up_scale: u8) {
                match self { $(Self::$name(cores) => cores.sync_every(period, header, warm_up_scale),)* }
            }

            /// Requests a resync at the next control-flow instruction of core 0.
            pub fn request(&mut self) {
                match self { $(Self::$name(cores) => cores.request(),)* }
            }

            /// Counts so far, by core.
            pub fn rates(&self) -> Vec<Rates> {
                match self { $(Self::$name(cores) => cores.rates(),)* }
            }

            /// Starts counting the lengths of all variable-length fields.
            pub fn count_lengths(&mut self) {
                match self { $(Self::$name(cores) => cores.end.coder.count_lengths(),)* }
            }

            /// Lengths of the fields since counting was started.
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
            #[inline(always)]
            fn message<I: Iterator<Item = u32>>(
                &mut self,
                harts: &mut Harts<'a>,
                bits: &mut BitReader<I>,
                sink: &mut impl ReplaySink,
            ) -> Result<Message, MessageError> {
                match self { $(Self::$name(replay) => replay.message(harts, bits, sink),)* }
            }

            #[inline(always)]
            fn counted<I: Iterator<Item = u32>>(
                &mut self,
                harts: &mut Harts<'a>,
                bits: &mut BitReader<I>,
                sink: &mut impl ReplaySink,
                other: &mut Option<Message>,
            ) -> Result<(u8, Kind), MessageError> {
                match self { $(Self::$name(replay) => replay.counted(harts, bits, sink, other),)* }
            }

            fn header(&mut self) {
                match self { $(Self::$name(replay) => replay.header(),)* }
            }

            fn end<I: Iterator<Item = u32>>(&mut self, bits: &mut BitReader<I>) -> Result<(), CodingError> {
                match self { $(Self::$name(replay) => replay.end(bits),)* }
            }

            fn skips(&self, core: usize) -> bool {
                match self { $(Self::$name(replay) => replay.skips(core),)* }
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
    /// The predictors of `follow`, and an arithmetic coder for each core.
    FollowArithmetic(follow::ArithmeticParams),
    /// Small predictors, one of which follows the past.
    Follow(follow::FollowParams),
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

/// A scheme for the values that a core loads, in a separate stream. Files store it by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum DataScheme {
    /// First-access flags.
    Cfiat(cfiat::params::Sizes),
}

impl DataScheme {
    /// Whether `name` belongs to this list, valid or not.
    pub fn is_name(name: &str) -> bool {
        cfiat::params::Sizes::is_name(name)
    }

    /// Rejects values that cannot be re-executed with a control-flow trace of `platform`.
    pub fn check(&self, _: &Platform) -> Result<(), ParamError> {
        match self {
            Self::Cfiat(sizes) => {
                sizes.check()?;
                let gran = sizes.granule.into();
                ParamError::unless(sizes.can_decode(), "gran", gran, "1, which +touched requires")
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
