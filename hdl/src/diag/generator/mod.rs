//! CPU event generators
//!
//! | module | what it is |
//! | --- | --- |
//! | [`lite`] | event generator that waits for addresses of instructions |
//!
//! Golden model: `sim::diag::generator`.

pub mod lite;
