//! Stimulus: seeded random sources, stall patterns, and synthetic programs with realistic control flow
//!
//! Everything except [`long`] and [`rounds`] is a pure function of its seed, so a failure can be reproduced from its
//! one-line message.

pub mod hits;
mod insn;
mod layout;
pub mod pairs;
pub mod program;
mod random;
mod rounds;
pub mod run;
mod stall;

pub use random::Source;
pub use rounds::{long, rounds};
pub use stall::{Stall, Stalls};
