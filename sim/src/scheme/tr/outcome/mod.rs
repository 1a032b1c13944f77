//! Outcome predictors: each is one file, and one line in the list at the end
//!
//! The sizes of a predictor define its name in a set, its cost, and how it is built; its model predicts and learns. The
//! latency of a circuit and how it clears its tables are not modelled.

use crate::platform::ParamError;

/// Golden model of a predictor for the outcomes of direct conditional branches.
pub trait OutcomePredictor {
    /// Returns to the state after reset.
    fn reset(&mut self);
    /// Predicted outcome of the branch at `pc`; changes nothing.
    fn predict(&self, pc: u64) -> bool;
    /// Updates the predictor: the branch at `pc` retired with this outcome.
    fn update(&mut self, pc: u64, taken: bool);
    /// Predicts the branch at `pc`, calls `resolve` with the prediction to get its outcome, learns the outcome and returns it.
    #[inline]
    fn resolve(&mut self, pc: u64, resolve: impl FnOnce(bool) -> bool) -> bool {
        let taken = resolve(self.predict(pc));
        self.update(pc, taken);
        taken
    }
    /// The history of branches, if it has one.
    fn history(&self) -> u32 {
        0
    }
    /// Replaces the history.
    fn set_history(&mut self, _: u32) {}
    /// Predicts the branch at `pc`, learns that the prediction is right, and returns it. The history is `history` and not the own
    /// one, so that a loop over many branches keeps it in a register.
    #[inline(always)]
    fn predicted(&mut self, history: &mut u32, pc: u64) -> bool {
        let _ = history;
        self.resolve(pc, |predicted| predicted)
    }
}

/// Sizes of an outcome predictor.
pub trait OutcomeSizes: Copy {
    /// The golden model.
    type Model: OutcomePredictor;
    /// Name of its circuit block, which is its file name in every folder.
    const BLOCK: &'static str;
    /// Names for tests: its smallest and its largest sizes.
    const EXAMPLES: &'static [&'static str];
    /// Parses the part of a set's name before the first `/`; `None` if it belongs to another predictor.
    fn parse(text: &str) -> Option<Self>;
    /// The text that [`OutcomeSizes::parse`] reads.
    fn name(&self) -> String;
    /// All sizes, for the parameter fingerprint.
    fn canonical(&self) -> String;
    /// Rejects sizes that model and circuit do not support.
    fn check(&self) -> Result<(), ParamError>;
    /// Bits of state, as the papers count it.
    fn state_bits(&self) -> u32;
    /// Cycles that a circuit takes to clear its tables, at one counter per cycle.
    fn clear_clocks(&self) -> u32;
    /// The model in its reset state; addresses are shifted right by `pc_shift` before they are hashed.
    fn model(&self, pc_shift: u8) -> Self::Model;
}

macro_rules! list {
    ($($(#[$doc:meta])* $name:ident($module:ident::$sizes:ident),)*) => {
        $(pub mod $module;)*

        /// An outcome predictor with its sizes. Predictors may be added that have no circuit; code without one must reject them.
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

            /// Names for tests, of all predictors.
            pub const EXAMPLES: &'static [&'static [&'static str]] =
                &[$(<$module::$sizes as OutcomeSizes>::EXAMPLES,)*];

            /// Parses the part of a set's name before the first `/`.
            pub fn parse(text: &str) -> Option<Self> {
                None$(.or_else(|| $module::$sizes::parse(text).map(Self::$name)))*
            }

            /// Name of its circuit block, which is its file name in every folder.
            pub fn block(&self) -> &'static str {
                match self { $(Self::$name(_) => <$module::$sizes as OutcomeSizes>::BLOCK,)* }
            }

            /// The text that [`OutcomeParams::parse`] reads.
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

            /// Bits of state, as the papers count it.
            pub fn state_bits(&self) -> u32 {
                match self { $(Self::$name(sizes) => sizes.state_bits(),)* }
            }

            /// Cycles that a circuit takes to clear its tables.
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

            // dispatches only once per branch
            #[inline]
            fn resolve(&mut self, pc: u64, resolve: impl FnOnce(bool) -> bool) -> bool {
                match self { $(Self::$name(p) => p.resolve(pc, resolve),)* }
            }

            #[inline]
            fn history(&self) -> u32 {
                match self { $(Self::$name(p) => p.history(),)* }
            }

            #[inline]
            fn set_history(&mut self, history: u32) {
                match self { $(Self::$name(p) => p.set_history(history),)* }
            }

            #[inline(always)]
            fn predicted(&mut self, history: &mut u32, pc: u64) -> bool {
                match self { $(Self::$name(p) => p.predicted(history, pc),)* }
            }
        }
    };
}

list! {
    /// Counters by history and address.
    Gshare(gshare::GshareSizes),
    #[doc = "Counters by address."] Bimodal(bimodal::BimodalSizes),
}
