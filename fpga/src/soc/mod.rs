//! The SoC: softcores with trace modules, as Verilog, in simulation and on boards
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | softcores: source, wrapper, retirement adapter |
//! | [`circuit`] | trace port, circular buffer, serial line, boot sequence: rust-hdl |
//! | [`top`] | the emitted top module from one description |
//! | [`package`] | softcore sources in Python packages |
//! | [`emitted`] | a circuit of the SoC as Verilog |
//! | [`verilate`], [`image`], [`run`] | the simulation: build, memory image, run |
//! | [`diag`] | the simulation with a diagnosis chip at the cores |
//! | [`board`], [`pll`], [`build`] | boards, their clocks, and bitstreams |
//! | [`blocks`] | LUTs and flip-flops by part |
//! | [`frame`] | frames of the serial line |
//! | [`ring`] | the two halves of the circular trace buffer |
//! | [`log`], [`check`], [`part`] | the cores' retire log; checks of a trace, or a part of one, against it |
//! | [`data`], [`record`] | the log with registers and memory; checks of a recorded run against it |
//! | [`values`] | checks of load values against it, by executing the cores again |
//!
//! `docs/how-to/soc.md` has the memory map and says how to add a core.

pub mod blocks;
pub mod board;
pub mod build;
pub mod check;
pub mod circuit;
pub mod core;
pub mod data;
pub mod diag;
pub mod emitted;
pub mod frame;
pub mod image;
pub mod log;
pub mod package;
pub mod part;
pub mod pll;
pub mod record;
pub mod ring;
pub mod run;
pub mod top;
pub mod values;
pub mod verilate;
