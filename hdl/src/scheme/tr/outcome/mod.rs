//! Outcome predictors of conditional branches: one file each, and one line in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`bimodal`] | counters by address |
//! | [`gshare`] | counters by history and address |
//!
//! # Ports
//! | port of [`OutcomeIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `branch`, `taken` | in | 1 | a direct conditional branch is valid; its outcome |
//! | `hash` | in | 14 | its PC >> s, low bits |
//! | `clear` | in | 1 | 1: back to the reset state; in progress while `ready` is 0 |
//! | `ready` | out | 1 | ready for use; until then `branch` has no effect |
//! | `miss` | out | 1 | the branch [`crate::widget::slot::Part::latency`] cycles ago is mispredicted |
//!
//! # Timing
//! One branch per cycle. Power-up acts as `clear`.

use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::scheme::tr::outcome::OutcomeParams;

bundle!(
    /// The ports of an outcome predictor.
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
