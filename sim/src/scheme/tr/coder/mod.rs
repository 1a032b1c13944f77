//! Coders: the bits of message fields. Each coder is one file, and one line in the list at the end
//!
//! [`crate::scheme::fields`] defines which fields a message has, and their order. A coder gets one field at a time, may keep
//! state from message to message, and need not end a message at a whole bit.

use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use crate::platform::ParamError;
use crate::scheme::fields::{Code, Field};

/// Sizes of a coder.
pub trait CoderSizes: Copy {
    /// The code with these sizes.
    type Code: Code;
    /// Patterns of its names, for help and error messages.
    const FORMS: &'static [&'static str];
    /// Names for tests: its smallest and its largest sizes.
    const EXAMPLES: &'static [&'static str];
    /// Parses the part of a scheme's name before the set; `None` if it belongs to another coder. `targets`: the set predicts
    /// targets.
    fn parse(text: &str, targets: bool) -> Option<Self>;
    /// The text that [`CoderSizes::parse`] reads.
    fn name(&self, targets: bool) -> String;
    /// All sizes, for the parameter fingerprint.
    fn canonical(&self) -> String;
    /// Rejects sizes outside their ranges.
    fn check(&self) -> Result<(), ParamError>;
    /// State at the beginning of a stream.
    fn code(&self) -> Self::Code;
    /// Whether its circuit encodes one bit per cycle.
    const SERIAL: bool = false;
}

macro_rules! list {
    ($($(#[$doc:meta])* $name:ident($module:ident::$sizes:ident),)*) => {
        $(pub mod $module;)*

        /// A coder with its sizes. Coders may be added that have no circuit; code without one for a coder must reject it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum CoderParams {
            $($(#[$doc])* $name($module::$sizes),)*
        }

        /// The state of a coder.
        #[derive(Clone, Debug)]
        #[expect(clippy::large_enum_variant, reason = "one per stream; a box would be one more load per field")]
        pub enum Coder {
            $($(#[$doc])* $name(<$module::$sizes as CoderSizes>::Code),)*
        }

        impl CoderParams {
            /// Name patterns of all coders.
            pub const FORMS: &'static [&'static [&'static str]] = &[$(<$module::$sizes as CoderSizes>::FORMS,)*];

            /// Names for tests, of all coders.
            pub const EXAMPLES: &'static [&'static [&'static str]] =
                &[$(<$module::$sizes as CoderSizes>::EXAMPLES,)*];

            /// Parses the part of a scheme's name before the set.
            pub fn parse(text: &str, targets: bool) -> Option<Self> {
                None$(.or_else(|| $module::$sizes::parse(text, targets).map(Self::$name)))*
            }

            /// The text that [`CoderParams::parse`] reads.
            pub fn name(&self, targets: bool) -> String {
                match self { $(Self::$name(sizes) => sizes.name(targets),)* }
            }

            /// All sizes, for the parameter fingerprint.
            pub fn canonical(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.canonical(),)* }
            }

            /// Rejects sizes outside their ranges.
            pub fn check(&self) -> Result<(), ParamError> {
                match self { $(Self::$name(sizes) => sizes.check(),)* }
            }

            /// Whether its circuit encodes one bit per cycle.
            pub const fn is_serial(&self) -> bool {
                match self { $(Self::$name(_) => <$module::$sizes as CoderSizes>::SERIAL,)* }
            }

            /// State at the beginning of a stream.
            pub fn code(&self) -> Coder {
                match self { $(Self::$name(sizes) => Coder::$name(sizes.code()),)* }
            }
        }

        impl Code for Coder {
            #[inline]
            fn number(&mut self, field: Field, value: u64, out: &mut BitWriter) {
                match self { $(Self::$name(c) => c.number(field, value, out),)* }
            }

            #[inline]
            fn bits(&mut self, field: Field, value: u64, bits: u32, out: &mut BitWriter) {
                match self { $(Self::$name(c) => c.bits(field, value, bits, out),)* }
            }

            fn flush(&mut self, out: &mut BitWriter) {
                match self { $(Self::$name(c) => c.flush(out),)* }
            }

            #[inline(always)]
            fn read_number<I: Iterator<Item = u32>>(
                &mut self, field: Field, bits: u32, input: &mut BitReader<I>,
            ) -> Result<u64, CodingError> {
                match self { $(Self::$name(c) => c.read_number(field, bits, input),)* }
            }

            #[inline(always)]
            fn read_bits<I: Iterator<Item = u32>>(
                &mut self, field: Field, bits: u32, input: &mut BitReader<I>,
            ) -> Result<u64, CodingError> {
                match self { $(Self::$name(c) => c.read_bits(field, bits, input),)* }
            }

            fn read_flush<I: Iterator<Item = u32>>(&mut self, input: &mut BitReader<I>) -> Result<(), CodingError> {
                match self { $(Self::$name(c) => c.read_flush(input),)* }
            }
        }
    };
}

list! {
    /// Chunks with connect bits.
    Chunked(chunked::Coding),
    #[doc = "Exponential Golomb codes."] Golomb(golomb::Orders),
}
