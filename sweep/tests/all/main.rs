//! Tests of `sweep`: one program, so that what they share is compiled once

mod page;
mod sweeps;
mod tables;
