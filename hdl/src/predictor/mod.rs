//! Predictors of one core: one block a file, of the names in `sim::golden`

pub mod gshare;
pub mod ibtb;
pub mod ras;
