//! T-raptor with one set of predictors for all cores: there is a model and no circuit

use super::tr::flow::FlowCircuit;
use sim::scheme::shared::SharedParams;

impl FlowCircuit for SharedParams {}
