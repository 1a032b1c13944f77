//! Sweeps: traces x harts x schemes x time stamps, measured in parallel
//!
//! A [`plan::Plan`] says what is to be measured. [`run::run`] produces each trace once, in blocks, and hands
//! every block to all schemes at work on it, so memory does not grow with the trace. Each finished
//! [`point::Point`] is a file of its own that appears complete or not at all ([`store::Store`]): a sweep that
//! is killed, or meets a full disk, keeps what it has and goes on from there.
//!
//! # Example
//! A plan, its points, and their measurement: how many bits T-raptor saves over a Nexus-like trace.
//! ```
//! use sweep::plan::Plan;
//! use sweep::run::{run, Options, Provenance};
//! use sweep::store::MemoryStore;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let plan = Plan::parse(
//!     r#"
//!     traces = ["builtin:fft"]
//!     harts = [1, 2]
//!     encodings = ["tr_e", "nx_b"]
//!     sets = ["small", "m4"]
//!     max_instructions = 20000
//!     "#,
//! )?;
//! let (jobs, left_out, unreadable) = plan.jobs()?;
//! assert_eq!(jobs.len(), 2, "the trace is produced once for each number of harts");
//! assert_eq!(jobs[0].tasks.len(), 3, "tr_e with two sets, and nx_b");
//! assert!(left_out.is_empty() && unreadable.is_empty());
//!
//! let store = MemoryStore::default();
//! let made = Provenance { tool: "example".into(), command: String::new() };
//! run(&jobs, &store, &Options::new(&made, &|_| ()))?;
//! let points = store.into_points(&jobs);
//! let bits = |scheme| points.iter().find(|p| p.scheme == scheme && p.harts == 2).and_then(|p| p.bits);
//! assert!(bits("tr_e:small") < bits("nx_b"));
//! # Ok(())
//! # }
//! ```

pub mod census;
pub mod circuits;
#[cfg(feature = "parquet")]
mod columns;
pub mod figures;
pub mod files;
pub mod gates;
pub mod page;
pub mod plan;
mod plan_errors;
pub mod point;
pub mod run;
pub mod spread;
pub mod store;
pub mod tables;
pub mod windows;

/// Why a sweep cannot go on.
pub use host::HostError as SweepError;
