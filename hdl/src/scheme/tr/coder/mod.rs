//! Coders: fields of messages to pieces of their bits; one file each, and one line of it in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`chunked`] | chunks with connect bits |
//! | [`golomb`] | exponential Golomb codes |
//! | [`digits`] | chunks with connect bits for one core, digits out of the event FIFO, two bits a clock |
//!
//! # Ports
//! | port of [`CoderIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: nothing half sent |
//! | `valid` | in | 1 | a field is there, and stays as it is until `ready` |
//! | `kind` | in | 3 | what it is: [`RAW`] .. [`INSTRUCTIONS`] |
//! | `size` | in | 6 | of a [`RAW`] field its bits, but one |
//! | `value` | in | W | the field; of an [`ADDRESS`] the address; of a [`RAW`] one, 0 above its size |
//! | `zero` | in | 1 | the field is 0, whatever stands in `value`: known late, and used late |
//! | `minus` | in | W | of an [`ADDRESS`] the complement of the one before: sent are the magnitude of the difference, modulo the address width, and its sign |
//! | `fresh` | in | 1 | of an [`ADDRESS`]: nothing is subtracted; `minus` says so, too |
//! | `lead` | in | 1 | the core index goes before the field |
//! | `core` | in | 4 | the core index |
//! | `ready` | out | 1 | the field is taken |
//! | `have` | out | 1 | bits are there, and stay until `taken` |
//! | `count` | out | 4 | how many, 1 to 8 |
//! | `data` | out | 8 | they, the first one lowest; 0 above |
//! | `taken` | in | 1 | they can be taken |
//! | `busy` | out | 1 | of what was taken, bits are still to come |
//!
//! Golden models: [`sim::scheme::tr::coder`].

use crate::spine::pieces::Pieces;
use crate::spine::Extras;
use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::tr::coder::CoderParams;

/// `kind`: bits as they are.
pub const RAW: u8 = 0;
/// `kind`: bCnt.
pub const COUNT: u8 = 1;
/// `kind`: diffTA.
pub const ADDRESS: u8 = 2;
/// `kind`: diffCC.
pub const CYCLES: u8 = 3;
/// `kind`: iCnt, and instructions lost.
pub const INSTRUCTIONS: u8 = 4;

bundle!(
    /// Ports of a coder.
    CoderOut "CoderIn" CoderIn<W>
    {
        reset: Bit,
        valid: Bit,
        kind: Bits<3>,
        size: Bits<6>,
        value: Bits<W>,
        zero: Bit,
        minus: Bits<W>,
        fresh: Bit,
        lead: Bit,
        core: Bits<4>,
        taken: Bit,
    }
    { ready: Bit, have: Bit, count: Bits<4>, data: Bits<8>, busy: Bit, }
);

pub mod digits;

macro_rules! list {
    ($($name:ident: $module:ident::$block:ident,)*) => {
        $(pub mod $module;)*

        /// The circuit of a coder for systems of `params` with `extras`; `None`: there is only a model.
        pub fn coder<const W: usize>(
            coder: &CoderParams,
            params: &TraceParams,
            extras: &Extras,
        ) -> Option<Slot<CoderIn<W>>> {
            match coder {
                CoderParams::Chunked(coding) if Pieces::of(params, extras) == Pieces::Narrow => {
                    Some(Slot::new(Box::new(digits::Digits::<W>::new(coding, params))))
                }
                $(CoderParams::$name(sizes) => {
                    Some(Slot::new(Box::new($module::$block::<W>::new(sizes, params))))
                })*
                _ => None,
            }
        }
    };
}

list! {
    Chunked: chunked::Chunked,
    Golomb: golomb::Golomb,
}
