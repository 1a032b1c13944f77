//! Slices: the number of bits that a system sends per cycle, from its encoder to its packer
//!
//! | | bits | which systems |
//! | --- | ---: | --- |
//! | [`Slices::Narrow`] | 4 | of one core, with predictors that leave one message in dozens of cycles: [`digits`](crate::scheme::tr::coder::digits) |
//! | [`Slices::Octet`] | 8 | all others |
//! | [`Slices::Wide`] | 15 | with messages so frequent that each must be sent in one or two cycles: a short time stamp is sent in one slice with the next field, and the packer does not wait for a word |
//!
//! Encoder, coder and packer take the size from here. Which systems need wide slices was measured: `docs/maintainers/decisions/0031-broad.md`.

use super::Extras;
use crate::scheme;
use sim::params::{Chunks, Coding, TraceParams};

/// The size of the slices: most bits per cycle from an encoder to its packer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slices {
    /// Four.
    Narrow,
    /// Eight.
    #[default]
    Octet,
    /// Fifteen: eight after a time stamp of one chunk.
    Wide,
}

impl Slices {
    /// The slices of systems of `params` with `extras`.
    pub fn of(params: &TraceParams, extras: &Extras) -> Self {
        if narrow(params, extras) {
            Self::Narrow
        } else if needs_wide(params, extras) {
            Self::Wide
        } else {
            Self::Octet
        }
    }

    /// Most bits of a slice.
    pub fn max_bits(self) -> u8 {
        match self {
            Self::Narrow => 4,
            Self::Octet => 8,
            Self::Wide => 15,
        }
    }
}

/// Most address bits: a difference takes ten cycles.
pub const MAX_ADDRESS_BITS: u32 = 40;

/// Whether the coder [`digits`](crate::scheme::tr::coder::digits) supports systems of `params` with these chunks: further chunks of
/// two or four bits, a count of 0 in one slice, and no time stamps.
pub fn fits(coding: &Coding, params: &TraceParams) -> bool {
    let first = |c: &Chunks, max_bits| c.first <= max_bits && matches!(c.next, 2 | 4);
    params.cores == 1
        && !params.timestamps
        && params.address_bits() <= MAX_ADDRESS_BITS
        && first(&coding.b_cnt, 3)
        && first(&coding.i_cnt, 3)
        && first(&coding.diff_ta, 4)
}

/// Whether slices of at most four bits are enough for `params`. An event FIFO of 16 entries would overflow without a target predictor,
/// with a message for every taken branch, with time stamps, or with a core that retires several instructions per cycle.
fn narrow(params: &TraceParams, extras: &Extras) -> bool {
    extras.retire.is_none() && scheme::flow::is_seldom(params)
}

/// Most bits of the first chunk of a time stamp that precedes a slice of eight bits.
const MAX_TIME_BITS: u8 = 6;

/// The chunks of time stamps that can share a slice with the next field; `None`: time stamps, if any, are fields of their own.
pub fn stamp(params: &TraceParams, extras: &Extras) -> Option<Chunks> {
    let chunks = scheme::flow::times(params)?;
    (params.timestamps && Slices::of(params, extras) == Slices::Wide).then_some(chunks)
}

/// Whether more than eight bits per cycle are needed: with a record for each stream, or a message for each return, of more than one
/// core or of a core that retires several instructions per cycle; or with such messages and time stamps.
fn needs_wide(params: &TraceParams, extras: &Extras) -> bool {
    let many = params.cores > 1 || extras.retire.is_some();
    scheme::flow::is_frequent(params, many)
        && scheme::flow::times(params).is_some_and(|time| !params.timestamps || time.first <= MAX_TIME_BITS)
}
