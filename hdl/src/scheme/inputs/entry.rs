//! Event entries of the scheme `inputs`, in the fields of [`crate::spine::entry`]
//!
//! One entry a clock and core at most: the end of an episode, and behind it one more message.
//!
//! | field | bits | meaning |
//! | --- | ---: | --- |
//! | `bcnt` | 24 | references of the episode that ends; 0: none does |
//! | `post` | 2 | bit 0: a message is behind it; bit 1: an input without a value, a failed `sc` |
//! | `pre` | 2 | its kind: [`INPUT`], [`TRAP`], [`CHECK`], [`STOP`] |
//! | `pc` | 32 | of an input `skipped`; of a trap and a stop `iCnt` |
//! | `target` | 32 | of an input the zigzag difference; of a trap its cause, above a bit that says whether it is an interrupt; of check and stop the signature |
//!
//! Of bus masters, behind the cores: [`INPUT`] is a store of a word, [`PART`] one of some bytes; `pc` is the zigzag number of
//! words further, of some bytes shifted by 4 above the mask, `target` that of the value's difference; of [`STOP`] `pc` counts
//! the stores.
//!
//! `icnt` and `cc` are not used. Fields that no message of an entry needs are arbitrary.
//!
//! # Source
//! `docs/reference/stream.md`, "Scheme `inputs`".

use crate::spine::entry::EntryLayout;

/// `pre`: a value that was not as expected.
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
pub const LAYOUT: EntryLayout =
    EntryLayout { count_bits: 24, address_bits: 32, cc_bits: 0, context_bits: 0, early: false, lands: false };
