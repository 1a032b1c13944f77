//! Taken: the smallest scheme, with a front end of its own and T-raptor's encoder
//!
//! | module | circuit |
//! | --- | --- |
//! | [`front`] | front end of a core |

pub mod front;

use super::tr::flow::FlowCircuit;
use crate::spine::front_port::FrontPort;
use crate::spine::Extras;
use crate::widget::slot::Slot;
use front::TakenFront;
use sim::params::{Chunks, TrParams, TraceParams};
use sim::scheme::taken::TakenParams;

impl FlowCircuit for TakenParams {
    // for coder and counters; the front end has no predictors
    fn parts(&self) -> Option<(TrParams, bool)> {
        Some((TrParams::sizes(256, 0, 0).coded(Self::CODING), true))
    }

    fn times(&self) -> Option<Chunks> {
        Some(Self::CODING.diff_cc)
    }

    // a message for each taken branch
    fn is_frequent(&self, many: bool, timestamps: bool) -> bool {
        many || timestamps
    }

    fn front<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
        Slot::new(Box::new(TakenFront::with(params, extras)))
    }
}
