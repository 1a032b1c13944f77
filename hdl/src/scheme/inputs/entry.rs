//! Event entries of the scheme `inputs`, in the fields of [`crate::spine::entry`]
//!
//! A core makes at most one entry per cycle: the end of an episode, and one more message after it.
//!
//! | field | bits | meaning |
//! | --- | ---: | --- |
//! | `bcnt` | 24 | references of the episode that ends; 0: none ends |
//! | `post` | 2 | bit 0: a message follows; bit 1: an input without a value, a failed `sc` |
//! | `pre` | 2 | kind of the message: [`INPUT`], [`TRAP`], [`CHECK`], [`STOP`] |
//! | `pc` | 32 | `skipped` of an input; `iCnt` of a trap and a stop |
//! | `target` | 32 | zigzag difference of an input; cause of a trap, above a bit that is 1 for an interrupt; signature of check and stop |
//!
//! Bus masters come after the cores. For them [`INPUT`] is a store of a word, [`PART`] a store of some bytes. `pc` is the zigzag
//! distance in words, for some bytes shifted by 4 above the mask. `target` is the zigzag difference of the value. For [`STOP`], `pc`
//! is the number of stores.
//!
//! `icnt` and `cc` are not used. Fields that no message of an entry needs are arbitrary.
//!
//! # Source
//! `docs/reference/stream.md`, "Scheme `inputs`".

use crate::spine::entry::EntryLayout;

/// `pre`: a value that was not predicted.
pub const INPUT: u8 = 0;
/// `pre`: an interrupt, or a refused access.
pub const TRAP: u8 = 1;
/// `pre` of bus masters: a store of some bytes.
pub const PART: u8 = TRAP;
/// `pre`: a check of the state.
pub const CHECK: u8 = 2;
/// `pre`: the end.
pub const STOP: u8 = 3;

/// The widths of an entry.
pub const LAYOUT: EntryLayout = EntryLayout {
    count_bits: 24,
    address_bits: 32,
    cc_bits: 0,
    hist_bits: 0,
    context_bits: 0,
    early: false,
    uses_resync_pc: false,
};
