//! Entries of the scheme: which packets the encoder sends, and their fields
//!
//! | field | meaning |
//! | --- | --- |
//! | `pre` | [`PRE_NONE`], [`PRE_REPORT`], [`PRE_FULL`] or [`PRE_SYNC`]: a packet about the instruction at `pc` |
//! | `post` | [`POST_NONE`], [`POST_EPC`], [`POST_LOST`] or [`POST_ENDED`]: a packet after it |
//! | `bcnt` | bits 0 to 4: branches in the map; then [`UPDISCON`], [`ANNOUNCE`], [`BRANCH`], [`REPORTED`], [`TRAP`], [`NOTIFY`], [`IRREPORT`], [`DEPTH`], [`VIA`], [`COUNTED`], [`FAILED`], [`INDEXED`], [`NEWEST`], [`HIDDEN`] |
//! | `icnt`, `context_value` | the low 24 bits of the map, the upper 7; oldest branch lowest, 1: not taken; with [`COUNTED`] the field `branch_count` |
//! | `pc` | address of a report or synchronization |
//! | `target` | of [`POST_EPC`]; with [`VIA`] an address that is reported before `pc`, with the branches |
//! | `cc` | with time stamps, the time of a synchronization |
//! | `hist` | where contexts are reported, that of the instruction at `pc`: the privilege mode in bits 1:0, above it the address space |
//!
//! The support packet of [`ANNOUNCE`] comes before both.

use crate::spine::entry::{EntryLayout, COUNT_PORT_BITS};
use sim::baseline::etrace::{EtraceParams, TIME_BITS};

/// `pre`: no packet.
pub const PRE_NONE: u8 = 0;
/// `pre`: an address, with the branches before it (formats 1 and 2).
pub const PRE_REPORT: u8 = 1;
/// `pre`: 31 branches without an address (format 1).
pub const PRE_FULL: u8 = 2;
/// `pre`: a synchronization (formats 3.0 and 3.1).
pub const PRE_SYNC: u8 = 3;

/// `post`: no packet.
pub const POST_NONE: u8 = 0;
/// `post`: a trap at the target of a jump, whose handler follows as a synchronization (format 3.1).
pub const POST_EPC: u8 = 1;
/// `post`: instructions were lost (format 3.3).
pub const POST_LOST: u8 = 2;
/// `post`: the trace ends (format 3.3).
pub const POST_ENDED: u8 = 3;

/// Bit of `bcnt`: a report precedes a trap or a loss, and a jump leads to its address.
pub const UPDISCON: usize = 5;
/// Bit of `bcnt`: a support packet comes first; the trace begins.
pub const ANNOUNCE: usize = 6;
/// Bit of `bcnt`: the field `branch` of a synchronization.
pub const BRANCH: usize = 7;
/// Bit of `bcnt`: the last address was reported for the end of the trace only.
pub const REPORTED: usize = 8;
/// Bit of `bcnt`: the synchronization is that of a trap handler.
pub const TRAP: usize = 9;

/// Bit of `bcnt`: an address is reported though no jump that must be reported leads to it, and not only for branches.
pub const NOTIFY: usize = 10;
/// Bit of `bcnt`: a return that the return stack did not predict leads to the address.
pub const IRREPORT: usize = 11;
/// First of six bits of `bcnt`: with [`IRREPORT`] the entries of the return stack, sign-extended from the width of `irdepth`.
pub const DEPTH: usize = 12;

/// Bit of `bcnt`: before the report, the target of the last predicted return is reported.
pub const VIA: usize = 18;

/// Bit of `bcnt`: in place of a map, a count of correct predictions above 31 is sent (format 0.0).
pub const COUNTED: usize = 19;
/// Bit of `bcnt`: with [`COUNTED`]: the branch after these was not predicted.
pub const FAILED: usize = 20;
/// Bit of `bcnt`: the address is sent as an index in the jump target cache (format 0.1).
pub const INDEXED: usize = 21;
/// Bit of `bcnt`: the newest bit of the map.
pub const NEWEST: usize = 22;
/// Bit of `bcnt`: with [`POST_LOST`]: a filter hid the instructions, and none was lost.
pub const HIDDEN: usize = 23;

/// Most branches of a map.
pub const FULL: u8 = 31;

/// The widths of entries for `params`.
pub fn layout(params: &EtraceParams) -> EntryLayout {
    EntryLayout {
        count_bits: COUNT_PORT_BITS,
        address_bits: usize::from(params.xlen) - 1,
        cc_bits: if params.timestamps { usize::from(TIME_BITS) } else { 0 },
        hist_bits: params.context.map_or(0, |bits| 2 + usize::from(bits)),
        context_bits: usize::from(FULL) - COUNT_PORT_BITS,
        early: false,
        uses_resync_pc: false,
    }
}

// the encoder reads these bits one by one
const _: () = assert!(UPDISCON == 5 && ANNOUNCE == 6 && BRANCH == 7 && REPORTED == 8 && TRAP == 9);
const _: () = assert!(NOTIFY == 10 && IRREPORT == 11 && DEPTH == 12 && VIA == 18);
const _: () = assert!(COUNTED == 19 && FAILED == 20 && INDEXED == 21 && NEWEST == 22 && HIDDEN == 23);
