//! Outcome and target predictor of one core, as encoder and replay both run them

use super::gshare::Gshare;
use super::targets::Targets;
use super::OutcomePredictor;
use crate::params::TraceParams;
use retire::isa::Indirect;

/// The predictors of one core.
#[derive(Clone, Debug)]
pub struct Predictor {
    outcome: Gshare,
    targets: Targets,
}

impl Predictor {
    /// In the reset state.
    pub fn new(params: &TraceParams) -> Self {
        Self { outcome: Gshare::new(&params.predictor), targets: Targets::new(params) }
    }

    /// Back to the state after reset.
    pub fn reset(&mut self) {
        self.outcome.reset();
        self.targets.reset();
    }

    /// A direct conditional at `pc`: predicts, asks `resolve` for the outcome given the prediction,
    /// learns, and returns the outcome.
    #[inline]
    pub fn conditional(&mut self, pc: u64, resolve: impl FnOnce(bool) -> bool) -> bool {
        let taken = resolve(self.outcome.predict(pc));
        self.outcome.update(pc, taken);
        self.targets.conditional(pc, taken);
        taken
    }

    /// A direct call; `link` is the address after it.
    #[inline]
    pub fn call(&mut self, link: u64) {
        self.targets.call(link);
    }

    /// An indirect branch at `pc`: predicts, asks `resolve` for the target given the prediction, learns,
    /// and returns the target. `link` is the address after the branch. A `None` from `resolve` learns
    /// nothing and is handed on.
    #[inline]
    pub fn indirect(
        &mut self,
        kind: Indirect,
        pc: u64,
        link: u64,
        resolve: impl FnOnce(Option<u64>) -> Option<u64>,
    ) -> Option<u64> {
        let target = resolve(self.targets.predict(kind, pc))?;
        self.targets.update(kind, pc, target, link);
        Some(target)
    }

    /// A conditional indirect branch at `pc` that was not taken.
    #[inline]
    pub fn indirect_not_taken(&mut self, pc: u64) {
        self.targets.not_taken(pc);
    }
}
