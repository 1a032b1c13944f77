//! Diagnosis processor: a programmable node
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | an RV32I core |
//! | [`dma`] | packets from the ring to slots, and events of the core to packets |
//! | [`node`] | both of them, with run queue, watchdog and memories |
//!
//! Memory map and registers: `sim::diag::processor`.

pub mod core;
pub mod dma;
pub mod node;
