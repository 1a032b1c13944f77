//! Predictors of the outcomes of conditional branches

pub mod gshare;
