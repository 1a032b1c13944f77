//! Nexus-like schemes: `nx_b` is T-raptor's circuit with its smallest predictors, whose results are not used

use super::tr::flow::FlowCircuit;
use sim::params::{NexusParams, TrParams};

impl FlowCircuit for NexusParams {
    fn parts(&self) -> Option<(TrParams, bool)> {
        match self {
            Self::NxB(coding) => Some((TrParams::sizes(256, 0, 0).coded(*coding), true)),
            Self::NexS => None,
        }
    }
}
