//! Views of an execution, from a control-flow trace or a recorded run
//!
//! All take the replayed control flow as a stream. Their memory grows with the program, not with the run.
//!
//! | file | what is there |
//! | --- | --- |
//! | [`source`] | opens and replays a trace or a recorded run by its name |
//! | [`stack`] | call stack of each core |
//! | [`loops`] | where each core is at the end, and since when it has been in its loops |
//! | [`usage`] | how deep stacks went, and overflows |
//! | [`show`] | instructions under their source lines |
//! | [`profile`] | instructions by function, and by stack for flame graphs |
//! | [`line_profile`] | instructions by stack of source lines, for pprof |
//! | [`perfetto`] | a timeline of bounded size in Perfetto's format |
//! | [`pprof`] | a profile in pprof's format |
//! | [`speedscope`] | a profile in speedscope's format |
//! | [`heap`] | blocks that are never freed, freed twice, or used without being allocated |
//! | [`locks`] | who held locks, who waited, and orders in which they were taken |
//! | [`races`] | accesses of two cores that nothing orders |
//! | [`vcd`] | pc and function of each core over time, for waveform viewers |
//! | [`processes`] | instructions by address space and privilege mode |
//! | [`tasks`] | instructions by task of an operating system |
//! | [`latency`] | how long interrupts take to reach the tasks that they make ready |
//! | [`thinned`] | functions, tasks and traps over time, of bounded size |
//! | [`timeline`] | functions of all cores on one time axis, as JSON for Perfetto and Chrome |
//! | [`diff`] | first differences of two executions |
//! | [`lines`] | source lines of addresses |
//! | [`paths`] | which source files a result has |
//! | [`conditions`] | conditions of the source of a branch |
//! | [`coverage`] | executed lines and branches, in lcov's format |

pub mod conditions;
pub mod coverage;
pub mod diff;
pub mod heap;
pub mod latency;
pub mod line_profile;
pub mod lines;
pub mod locks;
pub mod loops;
pub mod paths;
pub mod perfetto;
pub mod pprof;
pub mod processes;
pub mod profile;
pub mod races;
pub mod show;
pub mod source;
pub mod speedscope;
pub mod stack;
pub mod tasks;
pub mod thinned;
pub mod timeline;
pub mod usage;
pub mod vcd;
