//! Goshawk's tool flows: Yosys, nextpnr and Verilator, gate counts, LUTs and clock rates
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cosim`] | emitted Verilog, Verilated: vectors of any block, and whole trace systems |
//! | [`flow`] | finds and runs the external tools |
//! | [`gates`] | NAND2 equivalents by block, memory bits apart |
//! | [`path`] | the longest path of what was placed |
//! | [`place`] | LUTs, flip-flops, block RAM and Fmax on iCE40 and ECP5 |
//! | `records` | what a running simulation says |
//! | [`soc`] | softcores with trace modules: simulation and boards |
//! | [`tile`] | RV64 cores with a memory of their own and trace modules: simulation |
//!
//! # Example
//! The top module of a board, with a PLL for the clock of the cores.
//! ```
//! use fpga::soc::board;
//!
//! let board = board::find("ulx3s_85f").expect("it is in the list");
//! let (verilog, khz) = board.top(50_000).expect("the PLL can make 50 MHz");
//! assert_eq!(khz, 50_000);
//! assert!(verilog.contains("EHXPLLL"));
//! assert!(board.constraints.contains("LOCATE COMP"));
//! ```

pub mod cosim;
pub mod flow;
pub mod gates;
mod parts;
pub mod path;
pub mod place;
mod records;
pub mod soc;
pub mod tile;
