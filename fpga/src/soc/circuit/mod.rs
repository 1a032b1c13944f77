//! The SoC's own circuits on the trace's way out and the host's way in, and the boot sequence
//!
//! What would be a parameter is an input here, which the emitted top ties to its value: synthesis folds it.

pub mod boot;
pub mod crc;
pub mod host;
pub mod port;
pub mod ring;
pub mod uart;
