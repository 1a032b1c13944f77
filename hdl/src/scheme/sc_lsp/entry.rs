//! Event entries of the scheme `sc-lsp`: [`crate::spine::entry`] with other contents
//!
//! So the same event FIFOs and the same merger serve both schemes.
//!
//! # Fields
//! | field | meaning |
//! | --- | --- |
//! | `pre` | as there |
//! | `post` | [`POST_INDEX`], [`POST_MISS`], [`POST_MISS_START`], or 0: none; behind an exception or a sync [`POST_HIT`] in place of the third. With `PRE_CONTROL` as there, or [`CONTROL_BEHIND`] |
//! | `icnt` | iCnt of exception, stop, overflow and resync; that of a resync behind an exception is 1 |
//! | `bcnt` 9:0 | SCI or SL |
//! | `bcnt` 10 | the upper bits of the start are those of the last-value register; of exception, stop, overflow and resync: it is the first message behind a header that was sent again, and has a form of its own |
//! | `bcnt` 11 | the start of the stream that an escape breaks off is known |
//! | `bcnt` 19:12 | n - 1 of the predicted streams that go first |
//! | `bcnt` 23:20 | k of them; [`NO_RUN`]: there are none |
//! | `pc` | ETA, PC; `lost` of an overflow |
//! | `target` | start of the current stream |
//! | `landing` | as there |
//! | `cc` | as there |

use crate::spine::entry::{EntryLayout, COUNT_PORT_BITS};
use sim::params::TraceParams;

/// `post`: a stream of the stream cache.
pub const POST_INDEX: u8 = 1;
/// `post`: a missed stream, its start known.
pub const POST_MISS: u8 = 2;
/// `post`: a missed stream with its start.
pub const POST_MISS_START: u8 = 3;
/// `post` behind an exception, in `base`: one predicted stream.
pub const POST_HIT: u8 = 3;
/// `post` with `PRE_CONTROL`: an exception, and a resync behind it.
pub const CONTROL_BEHIND: u8 = 3;
/// k where no predicted streams wait.
pub const NO_RUN: u8 = 15;
/// Bits of SCI and SL in an entry.
pub const LENGTH_BITS: usize = 10;

/// Widths of the fields: both counts use all of their bits. An entry is completed while it waits, its addresses with it.
pub fn layout(params: &TraceParams) -> EntryLayout {
    EntryLayout { count_bits: COUNT_PORT_BITS, context_bits: 0, early: false, lands: true, ..EntryLayout::new(params) }
}
