//! The SoC: softcores with trace modules, as Verilog, in simulation and on boards
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | softcores: source, wrapper, retirement adapter |
//! | [`circuit`] | trace port, circular buffer, serial line, boot sequence: rust-hdl |
//! | [`top`] | the emitted top from one description |
//! | [`package`] | softcore sources in Python packages |
//! | [`emitted`] | a circuit of its own as Verilog |
//! | [`verilate`], [`image`], [`run`] | the simulation: built, loaded, run |
//! | [`diag`] | the simulation with a diagnosis chip at the cores |
//! | [`board`], [`pll`], [`build`] | boards, their clocks, and the way to a bitstream |
//! | [`blocks`] | what of the netlist belongs to which part |
//! | [`frame`] | frames of the serial line |
//! | [`ring`] | the circular trace buffer's halves |
//! | [`log`], [`check`], [`part`] | the cores' retire log, and the trace, or a part of one, held to it |
//! | [`data`], [`record`] | the log with registers and memory, and a recorded run held to it |
//! | [`values`] | load values held to it, and the cores executed again with them |
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
