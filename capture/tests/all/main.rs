//! Tests of `capture`: one program, so that shared code is compiled once

mod code;
mod common;
mod exact;
mod long;
mod parallel;
mod refused;
mod routines;
mod server;
mod shared;
mod system;
mod turns;
