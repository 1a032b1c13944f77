//! What cores did, on the host: opened, run, encoded, replayed and compared
//!
//! Every command and every sweep takes its input here, so the same words mean the same run with the same derived
//! parameters everywhere. Nothing is printed; long work tells a [`progress::Progress`].
//!
//! | module | what is there |
//! | --- | --- |
//! | [`input`] | [`Input`](input::Input): a built-in program, an ELF or a recording, by its name |
//! | [`machine`] | how a program is run |
//! | [`run`] | [`Run`](run::Run): an input with its harts, told to a sink or in blocks |
//! | [`recording`] | readers of retire files and branch traces |
//! | [`import`] | traces of QEMU, Spike, ChampSim and MBPlib, to branch traces |
//! | [`fault`] | why a program crashed |
//! | [`halt`] | where the cores are when a run ends early |
//! | [`missing`] | what an illegal instruction needs |
//! | [`assembly`] | instructions as text |
//! | [`symbols`] | names of code addresses |
//! | [`trace`] | a trace file with its program, replayed |
//! | [`words`] | words of own hardware, which are no trace file |
//! | [`inputs`] | record and replay: a run to what its cores took from outside, and back |
//! | [`values`] | what cores loaded, and cores executed again with it |
//! | [`debug`] | GDB and questions over a recorded run, forwards and backwards |
//! | [`encode`] | a run to a trace file |
//! | [`descriptors`] | a run to the descriptors of mcfTRaptor |
//! | [`check`] | what replay tells, held to a recording |
//! | [`filter`] | which instructions are listed |
//! | [`listing`] | what replay tells, an instruction a line |
//! | [`views`] | profile, coverage, timeline |
//! | [`port`] | checks a log of a core's trace port |
//! | [`measure`] | schemes at work on a run, measured and verified |
//! | [`speed`] | how fast this machine does all that |

pub mod assembly;
pub mod check;
pub mod code;
pub mod debug;
pub mod descriptors;
mod drain;
pub mod encode;
mod error;
pub mod fault;
pub mod filter;
pub mod halt;
pub mod import;
pub mod input;
pub mod inputs;
pub mod listing;
pub mod machine;
pub mod measure;
pub mod missing;
pub mod port;
pub mod progress;
pub mod recording;
pub mod run;
pub mod speed;
mod stop;
pub mod symbols;
pub mod trace;
pub mod values;
pub mod views;
pub mod words;

pub use error::HostError;

/// Name and version, as files carry it.
pub const TOOL: &str = concat!("goshawk ", env!("CARGO_PKG_VERSION"));
