//! One predictor shared by all cores: misprediction rates only
//!
//! A decoder could follow a shared predictor only if it knew the order of *all* reported branches of all
//! cores, not just of the mispredicted ones, and that order is not in the stream. So this model makes
//! statistics and never a stream.
//!
//! # Source
//! Paper 003 sections 3 (figure 3.3) and 6.3 (shared T-raptor).

use super::core::{Core, Rates};
use crate::params::TraceParams;
use retire::{FlowEvent, RetireSink};

/// Runs the events of all cores through one set of predictors, in global commit order.
#[derive(Clone, Debug)]
pub struct SharedRates {
    core: Core,
}

impl SharedRates {
    /// In the reset state.
    pub fn new(params: &TraceParams) -> Self {
        Self { core: Core::new(0, params) }
    }

    /// What was counted so far, over all cores.
    pub fn rates(&self) -> Rates {
        self.core.rates()
    }
}

impl RetireSink for SharedRates {
    fn event(&mut self, event: &FlowEvent) {
        self.core.event(event, &mut |_| {});
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::system::System;
    use crate::params::{named_set, Coding};
    use retire::FlowKind;

    #[test]
    fn two_cores_share_what_one_has_learnt() {
        let mut params = TraceParams::tr(named_set("small").unwrap().predictor, Coding::TR_E);
        params.cores = 2;
        let mut shared = SharedRates::new(&params);
        let mut private = System::new(&params).unwrap();
        // both cores take the same branch in turn: one table learns twice as fast as two
        for i in 0..200 {
            let e = FlowEvent {
                hart: (i & 1) as u8,
                kind: FlowKind::Conditional { taken: true },
                len: 4,
                count: 1,
                pc: 0x8000_0000,
                target: 0x8000_0000,
                cycle: i,
            };
            shared.event(&e);
            private.event(&e);
        }
        let misses = private.rates().iter().map(|r| r.outcome_misses).sum::<u64>();
        // one miss for each history on the way to all ones
        assert_eq!((shared.rates().outcome_misses, misses), (10, 20));
    }
}
