//! CPU event generators
//!
//! | module | what it is |
//! | --- | --- |
//! | [`lite`] | event generator that waits for addresses of instructions |
//! | [`full`] | event generator that waits for addresses, returns, data and traps, and captures words |
//! | [`observer`] | what a generator sees, of a core's RVFI port |
//! | [`window`] | which instructions a trace must not tell, between triggers |
//!
//! Golden models: `sim::diag::generator`, `sim::diag::full`, `sim::diag::window`.

pub mod full;
pub mod lite;
pub mod observer;
pub mod window;
