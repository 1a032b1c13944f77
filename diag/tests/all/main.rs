//! Tests of `diag`: a single program, so that shared code is compiled once

mod build;
mod chip_end;
mod clocks;
mod counts;
mod cuts;
mod documented;
mod harness;
mod language;
mod limit;
mod load;
mod ltl;
mod masters;
mod oracle;
mod order;
mod points;
mod processor;
mod programs;
mod rv64;
mod scripts;
mod second_decoder;
mod stall;
mod symbols;
