//! Event entries of the scheme `sc-lsp`: [`crate::spine::entry`] with other contents
//!
//! The same event FIFOs and the same merger therefore serve both schemes.
//!
//! # Fields
//! | field | meaning |
//! | --- | --- |
//! | `pre` | as in [`crate::spine::entry`] |
//! | `post` | [`POST_INDEX`], [`POST_MISS`], [`POST_MISS_START`], or 0: none; after an exception or a sync [`POST_HIT`] instead of the third. With `PRE_CONTROL` as in [`crate::spine::entry`], or [`CONTROL_EXCEPTION_RESYNC`] |
//! | `icnt` | iCnt of exception, stop, overflow and resync; 1 for a resync after an exception |
//! | `bcnt` 9:0 | SCI or SL; of a stop and a resync, the low bits of the signature |
//! | `bcnt` 10 | the upper bits of the start equal the last-value register; for exception, stop, overflow and resync: it is the first message after a repeated header, and has a form of its own |
//! | `bcnt` 11 | the start of the stream that an escape interrupts is known |
//! | `bcnt` 19:12 | n - 1 of the predicted streams that are sent first |
//! | `bcnt` 23:20 | k of them; [`NO_RUN`]: there are none |
//! | `belongs` 5:0 | of a stop and a resync, the bits of a signature above those |
//! | `pc` | ETA, PC; `lost` of an overflow |
//! | `target` | start of the current stream |
//! | `resync_pc` | as in [`crate::spine::entry`] |
//! | `cc` | as in [`crate::spine::entry`] |

use crate::spine::entry::{EntryLayout, COUNT_PORT_BITS};
use sim::params::TraceParams;

/// `post`: a stream in the stream cache.
pub const POST_INDEX: u8 = 1;
/// `post`: a missed stream with a known start.
pub const POST_MISS: u8 = 2;
/// `post`: a missed stream with its start.
pub const POST_MISS_START: u8 = 3;
/// `post` after an exception, in `base`: one predicted stream.
pub const POST_HIT: u8 = 3;
/// `post` with `PRE_CONTROL`: an exception, and a resync after it.
pub const CONTROL_EXCEPTION_RESYNC: u8 = 3;
/// k where no predicted streams are pending.
pub const NO_RUN: u8 = 15;
/// Width of SCI and SL in an entry, in bits.
pub const LENGTH_BITS: usize = 10;

/// The widths of the fields. Both counts use all of their bits. An entry is completed while it waits, so its addresses come with it.
pub fn layout(params: &TraceParams) -> EntryLayout {
    EntryLayout {
        count_bits: COUNT_PORT_BITS,
        context_bits: usize::from(params.signature).saturating_sub(LENGTH_BITS),
        early: false,
        uses_resync_pc: true,
        ..EntryLayout::new(params)
    }
}
