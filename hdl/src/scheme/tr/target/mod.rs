//! Predictors of the targets of indirect branches

pub mod ibtb;
pub mod ras;
