//! Tests of `sweep`: one program, so that shared code is compiled once

mod page;
mod sweeps;
mod tables;
