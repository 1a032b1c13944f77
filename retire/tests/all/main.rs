//! Tests of `retire`: one program, so that shared code is compiled once

mod code;
mod elf;
mod files;
mod rbt1;
