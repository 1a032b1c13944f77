//! Target predictors of indirect branches: one file each, and one line in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`ibtb`] | indirect branch target buffer, part of a predictor |
//! | [`last`] | last target by address |
//! | [`ras`] | return address stack, part of a predictor |
//! | [`ras_ibtb`] | return address stack and iBTB |
//!
//! # Ports
//! | port of [`TargetIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live` | in | 1 | this cycle is traced |
//! | `lookup` | in | 1 | an indirect branch that is not a return is valid |
//! | `push`, `pop` | in | 1 | a call, only with `live`; a return; both: pops, then pushes |
//! | `branch`, `taken` | in | 1 | a direct conditional branch; its outcome |
//! | `hash` | in | 14 | PC >> s, low bits |
//! | `link`, `target` | in | W | the address after the instruction; its actual target |
//! | `clear` | in | 1 | 1: back to the reset state; in progress while `ready` is 0. `live` is 0 from two cycles later on |
//! | `ready` | out | 1 | ready for use |
//! | `hit` | out | 1 | the indirect branch [`crate::widget::slot::Part::latency`] cycles ago was predicted |
//!
//! # Timing
//! One branch per cycle. Power-up acts as `clear`. Bits of a target that are in the register of upper bits are ignored.

use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::TargetParams;

bundle!(
    /// The ports of a target predictor.
    TargetOut "TargetIn" TargetIn<W>
    {
        live: Bit,
        lookup: Bit,
        push: Bit,
        pop: Bit,
        branch: Bit,
        taken: Bit,
        hash: Bits<14>,
        link: Bits<W>,
        target: Bits<W>,
        clear: Bit,
    }
    { ready: Bit, hit: Bit, }
);

pub mod ibtb;
pub mod ras;

macro_rules! list {
    ($($name:ident: $module:ident::$block:ident,)*) => {
        $(pub mod $module;)*

        /// The circuit of a predictor, for targets of `address_bits` bits; `None`: there is only a model.
        pub fn target<const W: usize>(params: &TargetParams, address_bits: usize) -> Option<Slot<TargetIn<W>>> {
            match params {
                $(TargetParams::$name(sizes) => {
                    Some(Slot::new(Box::new($module::$block::<W>::new(sizes, address_bits))))
                })*
                _ => None,
            }
        }
    };
}

list! {
    Last: last::Last,
    RasIbtb: ras_ibtb::RasIbtb,
}
