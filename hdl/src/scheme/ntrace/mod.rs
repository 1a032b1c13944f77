//! RISC-V N-Trace: branch history messages of every core, through the common spine
//!
//! | module | circuit |
//! | --- | --- |
//! | [`circuit`] | the systems, and which parameters and options have one |
//! | [`encoder`] | event entries to the bytes of their messages |
//! | [`front`] | front end of a core |
//! | [`records`] | counters and history of a core, and the decision which messages an instruction makes |

pub mod circuit;
pub mod encoder;
pub mod front;
pub mod records;

use crate::spine::entry::EntryLayout;
use sim::standard::ntrace::NtraceParams;

/// Bits of I-CNT.
pub const ICNT_BITS: usize = 22;

/// The widths of the entries from front end to encoder; the field of the time is HIST.
pub fn layout(params: &NtraceParams) -> EntryLayout {
    EntryLayout {
        count_bits: ICNT_BITS,
        address_bits: usize::from(params.xlen - params.align),
        cc_bits: 32,
        context_bits: 0,
        early: true,
        uses_resync_pc: false,
    }
}
