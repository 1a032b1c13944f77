//! Coders: turn the fields of messages into slices of bits; one file each, and one line in the list below
//!
//! | module | what it is |
//! | --- | --- |
//! | [`chunked`] | chunks with connect bits |
//! | [`golomb`] | exponential Golomb codes |
//! | [`digits`] | chunks with connect bits for one core, in four-bit digits from the event FIFO, two bits per cycle |
//!
//! # Ports
//! | port of [`CoderIn`] | dir | bits | meaning |
//! | --- | --- | ---: | --- |
//! | `reset` | in | 1 | 1: no field is partly sent |
//! | `valid` | in | 1 | a field is valid, and stays unchanged until `ready` |
//! | `kind` | in | 3 | kind of the field: [`RAW`] .. [`INSTRUCTIONS`] |
//! | `size` | in | 6 | number of bits of a [`RAW`] field, less one |
//! | `value` | in | W | the field; for [`ADDRESS`] the address; for [`RAW`], 0 above its size |
//! | `zero` | in | 1 | the field is 0, whatever `value` is: arrives late, and is used late |
//! | `minus` | in | W | for [`ADDRESS`], the complement of the last address: the magnitude of the difference, modulo the address width, and its sign are sent |
//! | `no_difference` | in | 1 | for [`ADDRESS`]: no address is subtracted; `minus` has the value for this, too |
//! | `lead` | in | 1 | the core index precedes the field |
//! | `core` | in | 4 | the core index |
//! | `ready` | out | 1 | the field is taken, if it is valid |
//! | `have` | out | 1 | bits are valid, and stay until `taken` |
//! | `count` | out | 4 | their number, 1 to 8 |
//! | `data` | out | 8 | the bits, the first one lowest; 0 above `count` |
//! | `taken` | in | 1 | the bits can be taken |
//! | `busy` | out | 1 | bits of fields that were taken are still to come |
//!
//! Golden models: [`sim::scheme::tr::coder`].

use crate::spine::slices::Slices;
use crate::spine::Extras;
use crate::widget::bundle::bundle;
use crate::widget::slot::Slot;
use rust_hdl::prelude::*;
use sim::params::TraceParams;
use sim::scheme::tr::coder::CoderParams;

/// `kind`: raw bits.
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
    /// The ports of a coder.
    CoderOut "CoderIn" CoderIn<W>
    {
        reset: Bit,
        valid: Bit,
        kind: Bits<3>,
        size: Bits<6>,
        value: Bits<W>,
        zero: Bit,
        minus: Bits<W>,
        no_difference: Bit,
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
                CoderParams::Chunked(coding) if Slices::of(params, extras) == Slices::Narrow => {
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
