//! Golden models: what the circuits must do, written from the papers
//!
//! One file a block, of the block's name in `hdl`. The parts that later work will exchange have one
//! interface each: [`OutcomePredictor`], [`targets::Targets`] and the message coder of
//! [`crate::encoding`]; [`predictor::Predictor`] joins the first two, for encoder and replay alike.

pub mod core;
pub mod gshare;
pub mod ibtb;
pub mod predictor;
pub mod ras;
pub mod shared;
pub mod system;
pub mod targets;

/// Predicts the outcomes of direct conditional branches.
pub trait OutcomePredictor {
    /// Back to the state after reset.
    fn reset(&mut self);
    /// Predicted outcome of the branch at `pc`; changes nothing.
    fn predict(&self, pc: u64) -> bool;
    /// The branch at `pc` retired with this outcome.
    fn update(&mut self, pc: u64, taken: bool);
}
