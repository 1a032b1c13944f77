//! Pieces: in how many bits at a time a system sends its messages
//!
//! | | bits | which systems |
//! | --- | ---: | --- |
//! | [`Pieces::Narrow`] | 4 | those of one core whose predictors leave it a message in dozens of clocks: [`digits`](crate::scheme::tr::coder::digits) |
//! | [`Pieces::Octet`] | 8 | all others |
//! | [`Pieces::Broad`] | 15 | those that send so many messages that each must go in a clock or two: a short time goes in one piece with the field behind it, and no word keeps the packer waiting |
//!
//! Encoder, coder and packer read it here. What makes a system broad was measured: `docs/maintainers/decisions/0031-broad.md`.

use super::Extras;
use crate::scheme;
use sim::params::{Chunks, Coding, TraceParams};

/// How many bits go from an encoder to its packer in a clock at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pieces {
    /// Four.
    Narrow,
    /// Eight.
    #[default]
    Octet,
    /// Fifteen: eight behind a time of one chunk.
    Broad,
}

impl Pieces {
    /// Those of systems of `params` with `extras`.
    pub fn of(params: &TraceParams, extras: &Extras) -> Self {
        if narrow(params, extras) {
            Self::Narrow
        } else if broad(params, extras) {
            Self::Broad
        } else {
            Self::Octet
        }
    }

    /// Most bits of a piece.
    pub fn most(self) -> u8 {
        match self {
            Self::Narrow => 4,
            Self::Octet => 8,
            Self::Broad => 15,
        }
    }
}

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
fn narrow(params: &TraceParams, extras: &Extras) -> bool {
    extras.retire.is_none() && scheme::flow::is_seldom(params)
}

/// Most bits of the first chunk of a time that goes before a piece of eight bits.
const MOST_TIME: u8 = 6;

/// The chunks of the times that can go before the field behind them; `None`: times, if there are any, are fields of their own.
pub fn stamp(params: &TraceParams, extras: &Extras) -> Option<Chunks> {
    let chunks = scheme::flow::times(params)?;
    (params.timestamps && Pieces::of(params, extras) == Pieces::Broad).then_some(chunks)
}

/// Whether those with many messages are asked for more than eight bits a clock: a record for each stream, or a message for each return,
/// of more than one core, or of a core that retires several instructions a clock; or such a message with its time.
fn broad(params: &TraceParams, extras: &Extras) -> bool {
    let many = params.cores > 1 || extras.retire.is_some();
    scheme::flow::is_frequent(params, many)
        && scheme::flow::times(params).is_some_and(|time| !params.timestamps || time.first <= MOST_TIME)
}
