//! Tests of `host`: one program, so that what they share is compiled once

mod cut;
mod far_back;
mod flow;
mod gdb;
mod inputs;
mod port;
mod race;
mod views;
mod waves;
