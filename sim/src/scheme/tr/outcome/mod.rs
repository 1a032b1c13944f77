//! Outcome predictors: one file an entry, and one line of it in the list at the end
//!
//! A predictor's sizes say what it is called in the name of a set, what it costs, and how it is built; its model
//! predicts and learns. Nothing is asked about when a circuit would answer, or how its tables are cleared.

use crate::platform::ParamError;

/// Predicts the outcomes of direct conditional branches.
pub trait OutcomePredictor {
    /// Back to the state after reset.
    fn reset(&mut self);
    /// Predicted outcome of the branch at `pc`; changes nothing.
    fn predict(&self, pc: u64) -> bool;
    /// The branch at `pc` retired with this outcome.
    fn update(&mut self, pc: u64, taken: bool);
    /// Predicts the branch at `pc`, asks `resolve` for its outcome given the prediction, learns that and returns it.
    #[inline]
    fn resolve(&mut self, pc: u64, resolve: impl FnOnce(bool) -> bool) -> bool {
        let taken = resolve(self.predict(pc));
        self.update(pc, taken);
        taken
    }
}

/// Sizes of an outcome predictor.
pub trait OutcomeSizes: Copy {
    /// The golden model.
    type Model: OutcomePredictor;
    /// Name of the block, in every folder.
    const BLOCK: &'static str;
    /// Names that tests run: its smallest and its greatest sizes.
    const EXAMPLES: &'static [&'static str];
    /// From its place in the name of a set, before the first `/`; `None` where another one is meant.
    fn parse(text: &str) -> Option<Self>;
    /// What [`OutcomeSizes::parse`] reads.
    fn name(&self) -> String;
    /// All sizes, for the parameter fingerprint.
    fn canonical(&self) -> String;
    /// Refuses sizes that model and circuit cannot honour.
    fn check(&self) -> Result<(), ParamError>;
    /// Bits of state, as the papers count it.
    fn state_bits(&self) -> u32;
    /// Clocks that a circuit takes to clear its tables, a counter a clock.
    fn clear_clocks(&self) -> u32;
    /// The model in its reset state; addresses are shifted right by `pc_shift` before they are hashed.
    fn model(&self, pc_shift: u8) -> Self::Model;
}

macro_rules! list {
    ($($(#[$doc:meta])* $name:ident($module:ident::$sizes:ident),)*) => {
        $(pub mod $module;)*

        /// An outcome predictor with its sizes. More may come: who has no circuit for one says so.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum OutcomeParams {
            $($(#[$doc])* $name($module::$sizes),)*
        }

        /// The golden model of an outcome predictor.
        #[derive(Clone, Debug)]
        pub enum Outcome {
            $($(#[$doc])* $name(<$module::$sizes as OutcomeSizes>::Model),)*
        }

        impl OutcomeParams {
            /// Names of the blocks of all predictors.
            pub const BLOCKS: &'static [&'static str] = &[$(<$module::$sizes as OutcomeSizes>::BLOCK,)*];

            /// Names that tests run, of all of them.
            pub const EXAMPLES: &'static [&'static [&'static str]] =
                &[$(<$module::$sizes as OutcomeSizes>::EXAMPLES,)*];

            /// From its place in the name of a set.
            pub fn parse(text: &str) -> Option<Self> {
                None$(.or_else(|| $module::$sizes::parse(text).map(Self::$name)))*
            }

            /// Name of the block, in every folder.
            pub fn block(&self) -> &'static str {
                match self { $(Self::$name(_) => <$module::$sizes as OutcomeSizes>::BLOCK,)* }
            }

            /// What [`OutcomeParams::parse`] reads.
            pub fn name(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.name(),)* }
            }

            /// All sizes, for the parameter fingerprint.
            pub fn canonical(&self) -> String {
                match self { $(Self::$name(sizes) => sizes.canonical(),)* }
            }

            /// Refuses sizes that model and circuit cannot honour.
            pub fn check(&self) -> Result<(), ParamError> {
                match self { $(Self::$name(sizes) => sizes.check(),)* }
            }

            /// Bits of state, as the papers count it.
            pub fn state_bits(&self) -> u32 {
                match self { $(Self::$name(sizes) => sizes.state_bits(),)* }
            }

            /// Clocks that a circuit takes to clear its tables.
            pub fn clear_clocks(&self) -> u32 {
                match self { $(Self::$name(sizes) => sizes.clear_clocks(),)* }
            }

            /// The model in its reset state.
            pub fn model(&self, pc_shift: u8) -> Outcome {
                match self { $(Self::$name(sizes) => Outcome::$name(sizes.model(pc_shift)),)* }
            }
        }

        impl OutcomePredictor for Outcome {
            fn reset(&mut self) {
                match self { $(Self::$name(p) => p.reset(),)* }
            }

            #[inline]
            fn predict(&self, pc: u64) -> bool {
                match self { $(Self::$name(p) => p.predict(pc),)* }
            }

            #[inline]
            fn update(&mut self, pc: u64, taken: bool) {
                match self { $(Self::$name(p) => p.update(pc, taken),)* }
            }

            // which predictor it is, is asked once a branch
            #[inline]
            fn resolve(&mut self, pc: u64, resolve: impl FnOnce(bool) -> bool) -> bool {
                match self { $(Self::$name(p) => p.resolve(pc, resolve),)* }
            }
        }
    };
}

list! {
    /// Counters by history and address.
    Gshare(gshare::GshareSizes),
    #[doc = "Counters by address."] Bimodal(bimodal::BimodalSizes),
}
