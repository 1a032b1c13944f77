//! Parts of a T-raptor circuit: its predictors and its coder

use super::coder::{coder, CoderIn};
use super::outcome::{outcome, OutcomeIn};
use super::target::{target, TargetIn};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{TrParams, TraceParams};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::outcome::OutcomeParams;
use sim::scheme::tr::target::TargetParams;

/// Error of a scheme, or a part of one, that exists in software only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("scheme {0} has a model and no circuit")]
pub struct NoCircuit(pub String);

/// The sizes of all parts.
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
    /// The parts of the scheme of `params`; `made_of`: predictors and coder, and whether every taken branch makes a message.
    ///
    /// # Errors
    /// When `made_of` is `None`, or a part has no circuit.
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

    /// The circuit of the outcome predictor.
    pub fn outcome(&self) -> Slot<OutcomeIn> {
        outcome(&self.outcome).expect("asked for in `of`")
    }

    /// Whether the target predictor is cleared so early that the outcome predictor alone determines when both are.
    pub fn target_clears_first(&self) -> bool {
        2 * self.target.clear_clocks() <= self.outcome.clear_clocks()
    }

    /// The circuit of the coder, in systems of `params` with `extras`.
    pub fn coder<const W: usize>(&self, params: &TraceParams, extras: &Extras) -> Slot<CoderIn<W>> {
        coder(&self.coder, params, extras).expect("asked for in `of`")
    }

    /// The circuit of the target predictor, for targets of `address_bits` bits.
    pub fn target<const W: usize>(&self, address_bits: usize) -> Slot<TargetIn<W>> {
        target(&self.target, address_bits).expect("asked for in `of`")
    }
}
