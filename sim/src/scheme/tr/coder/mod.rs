//! Coders: how the fields of a message become bits; one file an entry, and one line of it in the list at the end
//!
//! Which fields a message has, and in which order, is written once, in [`crate::scheme::fields`]. A coder sees one
//! field after the other, may keep what it likes from message to message, and need not end a message at a bit.

use crate::bits::{BitReader, BitWriter};
use crate::message::CodingError;
use crate::platform::ParamError;
use crate::scheme::fields::{Code, Field};

/// Sizes of a coder.
pub trait CoderSizes: Copy {
    /// Writes and reads.
    type Code: Code;
    /// How its names look, for people.
    const FORMS: &'static [&'static str];
    /// Names that tests run: its smallest and its greatest sizes.
    const EXAMPLES: &'static [&'static str];
    /// From the part of a scheme's name before the set; `None` where another coder is meant. `targets` says whether
    /// the set predicts targets.
    fn parse(text: &str, targets: bool) -> Option<Self>;
    /// What [`CoderSizes::parse`] reads.
    fn name(&self, targets: bool) -> String;
    /// All sizes, for the parameter fingerprint.
    fn canonical(&self) -> String;
    /// Refuses sizes outside their ranges.
    fn check(&self) -> Result<(), ParamError>;
    /// At the beginning of a stream.
    fn code(&self) -> Self::Code;
}

macro_rules! list {
    ($($(#[$doc:meta])* $name:ident($module:ident::$sizes:ident),)*) => {
        $(pub mod $module;)*

        /// A coder with its sizes. More may come: who has no circuit for one says so.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum CoderParams {
            $($(#[$doc])* $name($module::$sizes),)*
        }

        /// A coder at work.
        #[derive(Clone, Debug)]
        pub enum Coder {
            $($(#[$doc])* $name(<$module::$sizes as CoderSizes>::Code),)*
        }

        impl CoderParams {
            /// How the names look, of all coders.
            pub const FORMS: &'static [&'static [&'static str]] = &[$(<$module::$sizes as CoderSizes>::FORMS,)*];

            /// Names that tests run, of all of them.
            pub const EXAMPLES: &'static [&'static [&'static str]] =
                &[$(<$module::$sizes as CoderSizes>::EXAMPLES,)*];

            /// From the part of a scheme's name before the set.
            pub fn parse(text: &str, targets: bool) -> Option<Self> {
                None$(.or_else(|| $module::$sizes::parse(text, targets).map(Self::$name)))*
            }

            /// What [`CoderParams::parse`] reads.
            pub fn name(&self, targets: bool) -> String {
                match self { $(Self::$name(sizes) => sizes.name(targets),)* }
            }

            /// All sizes, for the parameter fingerprint.
            pub fn canonical(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.canonical(),)* }
            }

            /// Refuses sizes outside their ranges.
            pub fn check(&self) -> Result<(), ParamError> {
                match self { $(Self::$name(sizes) => sizes.check(),)* }
            }

            /// At the beginning of a stream.
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

            #[inline]
            fn read_number<I: Iterator<Item = u32>>(
                &mut self, field: Field, bits: u32, input: &mut BitReader<I>,
            ) -> Result<u64, CodingError> {
                match self { $(Self::$name(c) => c.read_number(field, bits, input),)* }
            }

            #[inline]
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
