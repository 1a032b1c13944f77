//! Which systems send their bits in small pieces: those of one core whose predictors leave it a message in dozens of clocks
//!
//! A coder is asked for pieces of at most four bits there ([`digits`](crate::scheme::tr::coder::digits)), and the packer takes no
//! more of them in a clock ([`packer`](super::packer)); both read it here.

use super::Extras;
use sim::params::{Chunks, Coding, FlowScheme, TraceParams};
use sim::scheme::tr::coder::CoderParams;

/// Most address bits: ten clocks for a difference.
pub const MOST_BITS: u32 = 40;

/// Whether such a coder does for systems of `params` with these chunks: further ones have two or four bits, a count that is 0 is
/// one piece, and no times are sent.
pub fn fits(coding: &Coding, params: &TraceParams) -> bool {
    let first = |c: &Chunks, most| c.first <= most && matches!(c.next, 2 | 4);
    params.cores == 1
        && !params.timestamps
        && params.address_bits() <= MOST_BITS
        && first(&coding.b_cnt, 3)
        && first(&coding.i_cnt, 3)
        && first(&coding.diff_ta, 4)
}

/// Whether pieces of the bits of `params` have at most four. Without a target predictor, with a message for every taken branch,
/// with a time in each message, or of a core that retires several instructions a clock, an event FIFO of 16 places would fill up.
pub fn narrow(params: &TraceParams, extras: &Extras) -> bool {
    if extras.retire.is_some() {
        return false;
    }
    let FlowScheme::Tr(scheme) = params.flow else { return false };
    // a context is longer than its fields that are sent as they are
    scheme.target.predicts()
        && params.context.is_none()
        && matches!(scheme.coder, CoderParams::Chunked(coding) if fits(&coding, params))
}
