//! RISC-V N-Trace: branch history messages of every core, through the common spine
//!
//! | module | circuit |
//! | --- | --- |
//! | [`circuit`] | the systems, and which parameters and options have one |
//! | [`encoder`] | event entries to the bytes of their messages |
//! | [`front`] | front end of a core |
//! | [`head`] | TCODE, SRC and fixed fields of a message |
//! | [`records`] | counters and history of a core, and the decision which messages an instruction makes |
//! | [`repeat`] | the last full history of each core, and how often it came |
//! | [`step`] | steps of the encoder |
//! | [`times`] | times of the messages |

pub mod circuit;
pub mod encoder;
pub mod front;
pub mod head;
pub mod records;
pub mod repeat;
pub mod step;
pub mod times;

use crate::spine::entry::EntryLayout;
use sim::standard::ntrace::{NtraceParams, TIME_BITS};

/// Bits of I-CNT.
pub const ICNT_BITS: usize = 22;

/// Width of the field of I-CNT in the entries. With BTM and periodic synchronization, two bits above I-CNT say which message a
/// synchronization is.
pub fn count_bits(params: &NtraceParams) -> usize {
    ICNT_BITS + if params.modes.btm && params.modes.sync > 0 { 2 } else { 0 }
}

/// The widths of the entries from front end to encoder. BTM has no HIST.
pub fn layout(params: &NtraceParams) -> EntryLayout {
    EntryLayout {
        count_bits: count_bits(params),
        address_bits: usize::from(params.xlen - params.align),
        cc_bits: if params.timestamps { usize::from(TIME_BITS) } else { 0 },
        hist_bits: if params.modes.btm { 0 } else { 32 },
        context_bits: 0,
        early: true,
        uses_resync_pc: false,
    }
}
