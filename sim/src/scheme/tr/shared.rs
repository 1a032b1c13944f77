//! One predictor shared by all cores: misprediction rates only
//!
//! A stream with a shared predictor must include the order of the cores: that is [`scheme::shared`](crate::scheme::shared). This
//! module counts, alongside any other scheme, what one shared predictor would have mispredicted.
//!
//! # Source
//! Paper 003 sections 3 (figure 3.3) and 6.3 (shared T-raptor).

use super::model::Front;
use super::TrParams;
use crate::core_trace::{CoreTrace, Rates};
use crate::platform::Platform;
use retire::{FlowEvent, FlowKind, RetireSink};

/// A sink that runs the events of all cores through one set of predictors, in global commit order.
#[derive(Clone, Debug)]
pub struct SharedRates {
    core_trace: CoreTrace<Front>,
}

impl SharedRates {
    /// State after reset.
    pub fn new(params: &TrParams, platform: &Platform) -> Self {
        Self { core_trace: CoreTrace::new(0, platform, Front::new(params, platform)) }
    }

    /// Counts so far, over all cores.
    pub fn rates(&self) -> Rates {
        self.core_trace.rates()
    }
}

impl RetireSink for SharedRates {
    fn event(&mut self, event: &FlowEvent) {
        // the start of a core must not clear what the others have learnt
        if event.kind != FlowKind::Start {
            self.core_trace.event(event, &mut |_| {});
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_cores_share_what_one_has_learnt() {
        let params = TrParams::set("small").unwrap();
        let front = || Front::new(&params, &Platform::RV32);
        let mut shared = SharedRates::new(&params, &Platform::RV32);
        let mut private = [0, 1].map(|core| CoreTrace::new(core, &Platform::RV32, front()));
        let event = |hart, kind, count, cycle| {
            let (pc, target) = (0x8000_0000, 0x8000_0000);
            FlowEvent { hart, kind, len: 4, count, pc, target, cycle }
        };
        // both cores take the same branch alternately: one table learns twice as fast as two, even if a core starts late
        let mut events: Vec<FlowEvent> =
            (0..200).map(|i| event((i & 1) as u8, FlowKind::Conditional { taken: true }, 1, i)).collect();
        events.insert(101, event(1, FlowKind::Start, 0, 100));
        for e in &events {
            shared.event(e);
            if e.kind != FlowKind::Start {
                private[usize::from(e.hart)].event(e, &mut |_| {});
            }
        }
        let misses = private.iter().map(|core_trace| core_trace.rates().outcome_misses).sum::<u64>();
        // one miss per history on the way to all ones
        assert_eq!((shared.rates().outcome_misses, misses), (10, 20));
    }
}
