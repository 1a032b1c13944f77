//! Event entries of the scheme `cfiat`, in the fields of [`crate::spine::entry`]
//!
//! | field | bits | meaning |
//! | --- | ---: | --- |
//! | `pre` | 2 | log2 of a value's bytes |
//! | `post` | 2 | [`VALUE`], [`STOP`] |
//! | `pc` | 32 | `fahCnt` |
//! | `target` | 32 | the value; the signature of a stop |
//!
//! `bcnt`, `icnt` and `cc` are not used.
//!
//! # Source
//! `docs/reference/load-values.md`, "The stream to the bit".

use crate::spine::entry::EntryLayout;

/// `post`: a value that the host cannot know.
pub const VALUE: u8 = 0;
/// `post`: end of the core's trace.
pub const STOP: u8 = 1;

/// The widths of an entry.
pub const LAYOUT: EntryLayout = EntryLayout {
    count_bits: 16,
    address_bits: 32,
    cc_bits: 0,
    hist_bits: 0,
    context_bits: 0,
    early: false,
    uses_resync_pc: false,
};
