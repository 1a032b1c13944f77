//! Event generators of traced cores
//!
//! | module | what it is |
//! | --- | --- |
//! | [`lite`] | event generator with instruction addresses as its only triggers |
//! | [`full`] | event generator with addresses, returns, data accesses and traps as triggers, and captured words |
//! | [`observer`] | what a generator sees at a core's RVFI port |
//! | [`crossing`] | the pins of a core with another clock, in the clock of the chip |
//! | [`master`] | what a generator sees of a bus master's stores |
//! | [`window`] | which instructions a trace must hide, between two triggers |
//!
//! Golden models: `sim::diag::generator`, `sim::diag::crossing`, `sim::diag::full`, `sim::diag::master`, `sim::diag::window`.

pub mod crossing;
pub mod full;
pub mod lite;
pub mod master;
pub mod observer;
pub mod window;
