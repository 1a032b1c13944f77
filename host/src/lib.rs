//! What cores did, on the host: opened, run, encoded, replayed and compared
//!
//! All commands and sweeps open their inputs here, so that the same name means the same run with the same derived
//! parameters everywhere. Nothing is printed; long operations report to a [`progress::Progress`].
//!
//! # Example
//! Runs a built-in program on two harts, and collects its events.
//! ```
//! use host::input::Input;
//! use host::machine::Settings;
//! use host::progress::Quiet;
//! use retire::FlowEvent;
//!
//! # fn main() -> Result<(), host::HostError> {
//! let input = Input::open("builtin:fft")?;
//! let settings = Settings { max_instructions: Some(10_000), ..Settings::default() };
//! let run = input.run(2, &settings)?;
//! let mut events: Vec<FlowEvent> = Vec::new();
//! let totals = run.report_to(&mut events, &Quiet)?;
//! assert_eq!(totals.events, events.len() as u64);
//! # Ok(())
//! # }
//! ```
//!
//! | module | what is there |
//! | --- | --- |
//! | [`input`] | [`Input`](input::Input): a built-in program, an ELF or a recording, by its name |
//! | [`machine`] | how a program is run |
//! | [`run`] | [`Run`](run::Run): an input with its harts, passed to a sink event by event or in blocks |
//! | [`section`] | a section of a run, between two addresses |
//! | [`recording`] | readers of retire files and branch traces |
//! | [`import`] | traces of QEMU, Spike, ChampSim and MBPlib, to branch traces |
//! | [`fault`] | the cause of a crash |
//! | [`foreign`] | programs of other machines, which give names only |
//! | [`halt`] | where the cores are when a run ends early |
//! | [`missing`] | what an illegal instruction needs |
//! | [`assembly`] | instructions as text |
//! | [`symbols`] | names of code addresses |
//! | [`trace`] | a trace file with its program, replayed |
//! | [`contexts`] | which processes and privilege modes are selected, and their programs |
//! | [`contradiction`] | events of a recording that its program does not have |
//! | [`changes`] | code that is not in the program: memory, and side files of patches |
//! | [`words`] | raw trace words of hardware |
//! | [`inputs`] | record and replay: the inputs of the cores, and execution from them |
//! | [`values`] | load values, and execution from them |
//! | [`debug`] | GDB and questions over a recorded run, forwards and backwards |
//! | [`encode`] | a run to a trace file |
//! | [`descriptors`] | a run to the descriptors of mcfTRaptor |
//! | [`check`] | compares a replay with a recording |
//! | [`filter`] | which instructions are listed |
//! | [`listing`] | a replay as text, one instruction per line |
//! | [`views`] | profile, coverage, timeline |
//! | [`port`] | checks a log of a core's trace port |
//! | [`measure`] | bits of several schemes for one run, each verified by replay |
//! | [`speed`] | speed of all of these on this machine |

pub mod assembly;
pub mod changes;
pub mod check;
pub mod code;
pub mod contexts;
pub mod contradiction;
pub mod debug;
pub mod descriptors;
mod disassembly;
mod drain;
pub mod encode;
mod error;
pub mod fault;
pub mod filter;
pub mod foreign;
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
pub mod section;
pub mod speed;
mod stop;
pub mod symbols;
pub mod text;
pub mod trace;
pub mod values;
pub mod views;
pub mod words;

pub use error::HostError;

/// Name and version, as files carry it.
pub const TOOL: &str = concat!("goshawk ", env!("CARGO_PKG_VERSION"));
