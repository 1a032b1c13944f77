//! Event entries: the values that a front end writes to its event FIFO and the encoder reads
//!
//! A core makes at most one entry per cycle. It holds one control message, or up to two messages of one retired instruction: `pre`
//! (about the time before it) and `post` (about the instruction itself). A resync is two messages, marker and sync, in one
//! `post`.
//!
//! # Fields
//! | field | port bits | used bits | meaning |
//! | --- | ---: | ---: | --- |
//! | `push` | 1 | | 1: the other fields are an entry to be written at this clock edge |
//! | `pre` | 2 | 2 | [`PRE_NONE`], [`PRE_EXCEPTION`], [`PRE_SYNC`], [`PRE_CONTROL`] |
//! | `post` | 2 | 2 | [`POST_NONE`], [`POST_OUTCOME`], [`POST_TARGET`], [`POST_PROGRESS`]; with `PRE_CONTROL` instead [`CONTROL_STOP`], [`CONTROL_OVERFLOW`], [`CONTROL_RESYNC`]; with `PRE_EXCEPTION` instead of progress [`POST_RESYNC`] |
//! | `icnt` | 24 | `count_bits` | iCnt of exception, sync (0), stop, overflow, progress and resync |
//! | `belongs` | 19 | `context_bits` and 1 | where contexts are reported: the context of an exception or a sync; the bit above it is 1 if the exception is a change of context instead |
//! | `bcnt` | 24 | `count_bits` | bCnt (schemes `nx`: SL) of outcome and target, also with a `pre`; `lost` of an overflow; iCnt of a resync after an exception |
//! | `pc` | W | `address_bits` | ETA of an exception, PC of a sync |
//! | `target` | W | `address_bits` | TA of a target; PC of the sync of a resync |
//! | `resync_pc` | W | `address_bits` | with [`EntryLayout::uses_resync_pc`], in the cycle in which a resync is decided: PC of its sync. Not part of the entry, see [`super::resync_pc`] |
//! | `cc` | 32 | `cc_bits` | diffCC of the first message of the entry (of the second it is 0); 0 without time stamps |
//! | `hist` | 32 | `hist_bits` | HIST of N-Trace, see [`crate::scheme::ntrace::records`]; of other schemes 0 |
//!
//! Each count has a field of its own: the block RAM is wide enough, and a multiplexer before it would cost area in every core.
//! Addresses come without their `align` low bits. Bits of a port above the used ones are 0. Fields that no message of the entry
//! needs are arbitrary.
//!
//! # Timing
//! An entry is at the ports in the cycle in which it is decided or, if it comes from registers, in the next one. The decision
//! uses the input `full` of its cycle, so `full` must be 1 whenever fewer than two entries are free by the FIFO's
//! registered count. While `push` is 0 the other fields are arbitrary. With [`EntryLayout::early`], `pc` and `target` are at
//! the ports in the cycle before `push`: they are written to the next free entry, and remain there if it is pushed.
//!
//! # Source
//! `docs/reference/stream.md`, `docs/explanation/trace-module.md`.

use sim::params::TraceParams;

/// `pre`: no message.
pub const PRE_NONE: u8 = 0;
/// `pre`: exception or interrupt; `icnt`, `pc`.
pub const PRE_EXCEPTION: u8 = 1;
/// `pre`: sync; `icnt` (0), `pc`.
pub const PRE_SYNC: u8 = 2;
/// `pre`: the entry is a control message; `post` is its kind.
pub const PRE_CONTROL: u8 = 3;

/// `post`: no message.
pub const POST_NONE: u8 = 0;
/// `post`: outcome mispredicted (schemes `nx`: taken conditional); `bcnt`.
pub const POST_OUTCOME: u8 = 1;
/// `post`: target mispredicted (schemes `nx`: indirect branch); `bcnt`, `target`.
pub const POST_TARGET: u8 = 2;
/// `post`: progress; `icnt`. Never together with a `pre`.
pub const POST_PROGRESS: u8 = 3;
/// `post` with [`PRE_EXCEPTION`]: resync; its iCnt in `bcnt`, `target`.
pub const POST_RESYNC: u8 = 3;

/// `post` with [`PRE_CONTROL`]: stop; `icnt`.
pub const CONTROL_STOP: u8 = 0;
/// `post` with [`PRE_CONTROL`]: overflow; `icnt`, `lost` in `bcnt`.
pub const CONTROL_OVERFLOW: u8 = 1;
/// `post` with [`PRE_CONTROL`]: resync; `icnt`, `target`.
pub const CONTROL_RESYNC: u8 = 2;

/// Width of the ports `icnt` and `bcnt`, bits: the largest legal `count_bits`.
pub const COUNT_PORT_BITS: usize = 24;
/// Width of the port `cc`, bits: the largest legal `cc_bits`.
pub const CC_PORT_BITS: usize = 32;

/// The used widths of an entry's fields, which size the memory that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryLayout {
    /// Bits of `icnt` and of `bcnt`. 16..=24.
    pub count_bits: usize,
    /// Bits of `pc` and of `target`. 30, 31, 62 or 63.
    pub address_bits: usize,
    /// Bits of `cc`. 16..=32, or 0 without time stamps.
    pub cc_bits: usize,
    /// Bits of `hist`. 0..=32.
    pub hist_bits: usize,
    /// Bits of `belongs`, the bit above the context included: 3..=19, or 0 where contexts are not reported. They are above `icnt`.
    pub context_bits: usize,
    /// `pc` and `target` are at the ports one cycle before `push`.
    pub early: bool,
    /// The target of a resync is reported outside the entry, at `resync_pc`.
    pub uses_resync_pc: bool,
}

impl EntryLayout {
    /// The widths for `params`; addresses come early.
    pub fn new(params: &TraceParams) -> Self {
        Self {
            count_bits: params.count_bits.into(),
            address_bits: params.address_bits() as usize,
            cc_bits: if params.timestamps { params.cc_bits.into() } else { 0 },
            hist_bits: 0,
            context_bits: params.context.map_or(0, |_| params.context_bits() as usize + 1),
            early: true,
            uses_resync_pc: false,
        }
    }
}
