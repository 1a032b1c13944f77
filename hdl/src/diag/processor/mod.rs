//! The diagnosis processor: a node whose work is a program
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | a core of RV32I |
//! | [`dma`] | packets of the ring to slots, and what the core sends to packets |
//! | [`node`] | both with run queue, watchdog and memories |
//!
//! Memory map and registers: `sim::diag::processor`.

pub mod core;
pub mod dma;
pub mod node;
