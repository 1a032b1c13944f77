//! Tests of `retire`: one program, so that what they share is compiled once

mod elf;
mod files;
mod rbt1;
