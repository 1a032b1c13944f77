//! Tests of `sweep`: one program, so that shared code is compiled once

mod page;
mod plan_errors;
mod sweeps;
mod tables;
