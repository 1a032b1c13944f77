//! Stimulus: seeded random sources, stall patterns, and programs that behave like programs
//!
//! Everything here but [`long`] and [`rounds`] is a pure function of its seed, so a failure can be replayed from its one line.

pub mod hits;
mod insn;
mod layout;
pub mod program;
mod random;
mod rounds;
pub mod run;
mod stall;

pub use random::Source;
pub use rounds::{long, rounds};
pub use stall::{Stall, Stalls};
