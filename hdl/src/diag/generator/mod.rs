//! CPU event generators
//!
//! | module | what it is |
//! | --- | --- |
//! | [`lite`] | event generator that waits for addresses of instructions |
//! | [`full`] | event generator that waits for addresses, returns, data and traps, and captures words |
//! | [`observer`] | what a generator sees, of a core's RVFI port |
//!
//! Golden models: `sim::diag::generator`, `sim::diag::full`.

pub mod full;
pub mod lite;
pub mod observer;
