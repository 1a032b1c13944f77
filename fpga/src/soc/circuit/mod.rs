//! Circuits of the SoC: trace output, host input, and the boot sequence
//!
//! Parameters are inputs here, which the emitted top module ties to constants, so that synthesis folds them.

pub mod boot;
pub mod crc;
pub mod host;
pub mod port;
pub mod ring;
pub mod uart;
