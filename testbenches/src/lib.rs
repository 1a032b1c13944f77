//! Benches that hold the circuits of `hdl` to the golden models of `sim`
//!
//! | module | what it is for |
//! | --- | --- |
//! | [`beats`] | retired instructions one by one, as a file |
//! | [`cosim`] | runs the emitted Verilog on the same vectors, Verilated |
//! | [`driver`] | runs a rust-hdl circuit in the calling thread, with a VCD if wanted |
//! | [`programs`] | the checked-in RISC-V programs that the benches run |
//! | [`gates`] | all static checks of a circuit in one call |
//! | [`lint`] | finds what simulates right and emits wrong |
//! | [`stimulus`] | seeded random sources, stall patterns, programs with realistic control flow |
//! | [`tools`] | external tools: names, exit status, messages |
//! | [`trace_cosim`] | runs whole trace systems on beat files, Verilated |
//! | [`verilog`] | yosys and Verilator on emitted Verilog |

pub mod beats;
pub mod cosim;
pub mod driver;
pub mod gates;
pub mod lint;
pub mod programs;
pub mod stimulus;
pub mod tools;
pub mod trace_cosim;
mod vcd_sink;
pub mod verilog;
