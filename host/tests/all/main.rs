//! Tests of `host`: a single program, so that shared code is compiled once

mod cut;
mod far_back;
mod flow;
mod gdb;
mod inferable;
mod inputs;
mod latency;
mod listing;
mod port;
mod race;
mod running;
mod server;
mod stacks;
mod traps;
mod views;
mod waves;
