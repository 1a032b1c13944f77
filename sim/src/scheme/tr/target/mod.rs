//! Target predictors: each is one file, and one line in the list at the end
//!
//! Organised like the outcome predictors ([`super::outcome`]). Addresses are passed without the upper bits that
//! [`super::model::Predictor`] keeps in a separate register.

use crate::platform::ParamError;
use retire::isa::Indirect;

pub mod ibtb;
pub mod ras;

/// Golden model of a predictor for the targets of indirect branches.
pub trait TargetPredictor {
    /// Returns to the state after reset.
    fn reset(&mut self);
    /// A direct conditional retired, or a conditional indirect branch that was not taken.
    fn conditional(&mut self, pc: u64, taken: bool);
    /// A direct call retired; `link` is the address after it.
    fn call(&mut self, link: u64);
    /// Predicted target of the indirect branch at `pc`; changes nothing.
    fn predict(&self, kind: Indirect, pc: u64) -> Option<u64>;
    /// The indirect branch at `pc` retired and went to `target`; `link` is the address after it.
    fn update(&mut self, kind: Indirect, pc: u64, target: u64, link: u64);
}

/// Sizes of a target predictor.
pub trait TargetSizes: Copy {
    /// The golden model.
    type Model: TargetPredictor;
    /// Names of its circuit blocks, which are their file names in every folder.
    const BLOCKS: &'static [&'static str];
    /// Names for tests: its smallest and its largest sizes.
    const EXAMPLES: &'static [&'static str];
    /// Parses the part of a set's name after the first `/`; `None` if it belongs to another predictor.
    fn parse(text: &str) -> Option<Result<Self, ParamError>>;
    /// The text that [`TargetSizes::parse`] reads.
    fn name(&self) -> String;
    /// All sizes, for the parameter fingerprint.
    fn canonical(&self) -> String;
    /// Rejects sizes that model and circuit do not support.
    fn check(&self) -> Result<(), ParamError>;
    /// Whether it predicts anything.
    fn predicts(&self) -> bool;
    /// Bits of state, as the papers count it, for targets of `bits` bits.
    fn state_bits(&self, bits: u32) -> u32;
    /// Cycles that a circuit takes to clear its tables.
    fn clear_clocks(&self) -> u32;
    /// The model in its reset state; addresses are shifted right by `pc_shift` before they are hashed.
    fn model(&self, pc_shift: u8) -> Self::Model;
}

macro_rules! list {
    ($($(#[$doc:meta])* $name:ident($module:ident::$sizes:ident),)*) => {
        $(pub mod $module;)*

        /// A target predictor with its sizes. Predictors may be added that have no circuit; code without one must reject them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum TargetParams {
            $($(#[$doc])* $name($module::$sizes),)*
        }

        /// The golden model of a target predictor.
        #[derive(Clone, Debug)]
        #[expect(clippy::large_enum_variant, reason = "one a core, and a box would be in the way of every branch")]
        pub enum Target {
            $($(#[$doc])* $name(<$module::$sizes as TargetSizes>::Model),)*
        }

        impl TargetParams {
            /// Names of the blocks of all predictors.
            pub const BLOCKS: &'static [&'static [&'static str]] = &[$(<$module::$sizes as TargetSizes>::BLOCKS,)*];

            /// Names for tests, of all predictors.
            pub const EXAMPLES: &'static [&'static [&'static str]] =
                &[$(<$module::$sizes as TargetSizes>::EXAMPLES,)*];

            /// Parses the part of a set's name after the first `/`.
            pub fn parse(text: &str) -> Option<Result<Self, ParamError>> {
                None$(.or_else(|| $module::$sizes::parse(text).map(|sizes| sizes.map(Self::$name))))*
            }

            /// Names of its circuit blocks, which are their file names in every folder.
            pub fn blocks(&self) -> &'static [&'static str] {
                match self { $(Self::$name(_) => <$module::$sizes as TargetSizes>::BLOCKS,)* }
            }

            /// The text that [`TargetParams::parse`] reads.
            pub fn name(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.name(),)* }
            }

            /// All sizes, for the parameter fingerprint.
            pub fn canonical(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.canonical(),)* }
            }

            /// Rejects sizes that model and circuit do not support.
            pub fn check(&self) -> Result<(), ParamError> {
                match self { $(Self::$name(sizes) => sizes.check(),)* }
            }

            /// Whether it predicts anything.
            pub fn predicts(&self) -> bool {
                match self { $(Self::$name(sizes) => sizes.predicts(),)* }
            }

            /// Bits of state, as the papers count it, for targets of `bits` bits.
            pub fn state_bits(&self, bits: u32) -> u32 {
                match self { $(Self::$name(sizes) => sizes.state_bits(bits),)* }
            }

            /// Cycles that a circuit takes to clear its tables.
            pub fn clear_clocks(&self) -> u32 {
                match self { $(Self::$name(sizes) => sizes.clear_clocks(),)* }
            }

            /// The model in its reset state.
            pub fn model(&self, pc_shift: u8) -> Target {
                match self { $(Self::$name(sizes) => Target::$name(sizes.model(pc_shift)),)* }
            }
        }

        impl TargetPredictor for Target {
            fn reset(&mut self) {
                match self { $(Self::$name(p) => p.reset(),)* }
            }

            #[inline]
            fn conditional(&mut self, pc: u64, taken: bool) {
                match self { $(Self::$name(p) => p.conditional(pc, taken),)* }
            }

            #[inline]
            fn call(&mut self, link: u64) {
                match self { $(Self::$name(p) => p.call(link),)* }
            }

            #[inline]
            fn predict(&self, kind: Indirect, pc: u64) -> Option<u64> {
                match self { $(Self::$name(p) => p.predict(kind, pc),)* }
            }

            #[inline]
            fn update(&mut self, kind: Indirect, pc: u64, target: u64, link: u64) {
                match self { $(Self::$name(p) => p.update(kind, pc, target, link),)* }
            }
        }
    };
}

list! {
    /// Return address stack and 2-way indirect branch target buffer.
    RasIbtb(ras_ibtb::RasIbtbSizes),
    #[doc = "Last target by address."] Last(last::LastSizes),
}
