//! Predictors of the targets of indirect branches: one file each, and one line of it in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`ibtb`] | targets by path and address, part of a predictor |
//! | [`last`] | the last target by address |
//! | [`ras`] | return addresses, part of a predictor |
//! | [`ras_ibtb`] | both |
//!
//! # Ports
//! | port of [`TargetIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `live` | in | 1 | this cycle is traced |
//! | `look` | in | 1 | an indirect branch that is not a return is here |
//! | `push`, `pop` | in | 1 | a call, only with `live`; a return; both: pops, then pushes |
//! | `branch`, `taken` | in | 1 | a direct conditional; its outcome |
//! | `hash` | in | 14 | PC >> s, low bits |
//! | `link`, `target` | in | W | the address after the instruction; where it went |
//! | `clear` | in | 1 | 1: back to the reset state; takes as long as `ready` is 0. `live` is 0 from two clocks later on |
//! | `ready` | out | 1 | in use |
//! | `hit` | out | 1 | the indirect branch that was here [`crate::widget::slot::Part::latency`] clocks ago was predicted |
//!
//! # Timing
//! A branch a clock. Power-up counts as `clear`. Bits of a target that its register of upper bits holds do not count.

use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::scheme::tr::target::TargetParams;

bundle!(
    /// Ports of a target predictor.
    TargetOut "TargetIn" TargetIn<W>
    {
        live: Bit,
        look: Bit,
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

        /// The circuit of a predictor, of targets of `address_bits` bits; `None`: there is only a model.
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
