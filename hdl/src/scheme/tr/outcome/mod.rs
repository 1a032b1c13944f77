//! Predictors of the outcomes of conditional branches: one file each, and one line of it in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`bimodal`] | counters by address |
//! | [`gshare`] | counters by history and address |
//!
//! # Ports
//! | port of [`OutcomeIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `branch`, `taken` | in | 1 | a direct conditional branch is here; its outcome |
//! | `hash` | in | 14 | its PC >> s, low bits |
//! | `clear` | in | 1 | 1: back to the reset state; takes as long as `ready` is 0 |
//! | `ready` | out | 1 | in use; `branch` has no effect before |
//! | `miss` | out | 1 | the branch that was here [`crate::widget::slot::Part::latency`] clocks ago is mispredicted |
//!
//! # Timing
//! A branch a clock. Power-up counts as `clear`.

use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::scheme::tr::outcome::OutcomeParams;

bundle!(
    /// Ports of an outcome predictor.
    OutcomeOut "OutcomeIn" OutcomeIn
    { branch: Bit, taken: Bit, hash: Bits<14>, clear: Bit, }
    { ready: Bit, miss: Bit, }
);

macro_rules! list {
    ($($name:ident: $module:ident::$block:ident,)*) => {
        $(pub mod $module;)*

        /// The circuit of a predictor; `None`: there is only a model.
        pub fn outcome(params: &OutcomeParams) -> Option<Slot<OutcomeIn>> {
            match params {
                $(OutcomeParams::$name(sizes) => Some(Slot::new(Box::new($module::$block::new(sizes)))),)*
                _ => None,
            }
        }
    };
}

list! {
    Bimodal: bimodal::Bimodal,
    Gshare: gshare::Gshare,
}
