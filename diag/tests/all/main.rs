//! Tests of `diag`: one program, so that what they share is compiled once

mod build;
mod cuts;
mod limit;
mod load;
mod ltl;
mod points;
mod processor;
mod programs;
mod scripts;
