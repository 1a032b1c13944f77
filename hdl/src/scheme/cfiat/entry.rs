//! Event entries of the scheme `cfiat`, in the fields of [`crate::spine::entry`]
//!
//! | field | bits | meaning |
//! | --- | ---: | --- |
//! | `pre` | 2 | of a value log2 of its bytes |
//! | `post` | 2 | [`VALUE`], [`STOP`] |
//! | `pc` | 32 | `fahCnt` |
//! | `target` | 32 | the value; of a stop the signature |
//!
//! `bcnt`, `icnt` and `cc` are not used.
//!
//! # Source
//! `docs/reference/load-values.md`, "The stream to the bit".

use crate::spine::entry::EntryLayout;

/// `post`: a value that the host does not know.
pub const VALUE: u8 = 0;
/// `post`: the end of the core.
pub const STOP: u8 = 1;

/// The widths of an entry.
pub const LAYOUT: EntryLayout =
    EntryLayout { count_bits: 16, address_bits: 32, cc_bits: 0, context_bits: 0, early: false, lands: false };
