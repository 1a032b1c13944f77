//! What observes a run: a chip with its trace, or the application alone, together with a trace system

use ::diag::session::{OnChip, Reference};
use retire::{FlowEvent, RetireSink};
use sim::system::System;

/// A chip with a trace system, and the events that its cores retired.
pub struct TracedChip {
    /// The chip.
    pub chip: OnChip,
    pub(super) flow: Vec<FlowEvent>,
}

impl RetireSink for TracedChip {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.flow.push(*event);
        self.chip.event(event);
    }

    retire::forward!(chip: data, master);
}

/// The application alone and a trace system, both of which observe a run.
pub(super) struct Measured {
    pub(super) reference: Reference,
    pub(super) system: Option<System>,
    /// Words that the trace system sent.
    pub(super) words: usize,
}

impl Measured {
    /// Gives the trace system, if there is one, something to do.
    pub(super) fn take(&mut self, make: impl FnOnce(&mut System)) {
        if let Some(system) = &mut self.system {
            make(system);
            self.words += system.drain().len();
        }
    }
}

impl RetireSink for Measured {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.reference.event(event);
        self.take(|system| system.event(event));
    }

    retire::forward!(reference: data, master);
}
