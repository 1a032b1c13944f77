//! What the circuits of T-raptor are built from: predictors and coder of which there is a circuit

use super::coder::{coder, CoderIn};
use super::outcome::{outcome, OutcomeIn};
use super::target::{target, TargetIn};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{TrParams, TraceParams};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::outcome::OutcomeParams;
use sim::scheme::tr::target::TargetParams;

/// A scheme, or a part of one, that exists in software only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scheme {0} has a model and no circuit")]
pub struct NoCircuit(pub String);

/// Sizes of all parts.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Outcome predictor.
    outcome: OutcomeParams,
    /// Target predictor.
    target: TargetParams,
    /// s: right shift of the PC in all hashes.
    pub pc_shift: u8,
    /// Upper target bits in a register of their own.
    pub upper_bits: u8,
    /// Coder.
    coder: CoderParams,
    /// A message for every taken branch.
    pub nexus: bool,
}

impl Parts {
    /// Of predictors and coder, and whether every taken branch makes a message: what the scheme of `params` is made of.
    ///
    /// # Errors
    /// When it is made of none, or has a part without a circuit.
    pub fn of(params: &TraceParams, made_of: Option<(TrParams, bool)>) -> Result<Self, NoCircuit> {
        let none = || NoCircuit(params.flow.name());
        let (tr, nexus) = made_of.ok_or_else(none)?;
        outcome(&tr.outcome)
            .and(target::<64>(&tr.target, 32))
            .and(coder::<64>(&tr.coder, params, &Extras::NONE))
            .ok_or_else(none)?;
        Ok(Self {
            outcome: tr.outcome,
            target: tr.target,
            pc_shift: tr.pc_shift,
            upper_bits: tr.upper_bits,
            coder: tr.coder,
            nexus,
        })
    }

    /// Circuit of the outcome predictor.
    pub fn outcome(&self) -> Slot<OutcomeIn> {
        outcome(&self.outcome).expect("asked for in `of`")
    }

    /// Whether the target predictor is clear so long before the outcome predictor is that the latter says alone when both are.
    pub fn target_clears_sooner(&self) -> bool {
        2 * self.target.clear_clocks() <= self.outcome.clear_clocks()
    }

    /// Circuit of the coder, in systems of `params` with `extras`.
    pub fn coder<const W: usize>(&self, params: &TraceParams, extras: &Extras) -> Slot<CoderIn<W>> {
        coder(&self.coder, params, extras).expect("asked for in `of`")
    }

    /// Circuit of the target predictor, of targets of `address_bits` bits.
    pub fn target<const W: usize>(&self, address_bits: usize) -> Slot<TargetIn<W>> {
        target(&self.target, address_bits).expect("asked for in `of`")
    }
}
