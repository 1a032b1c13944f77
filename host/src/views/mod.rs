//! Views of an execution, from a trace of the control flow or a recorded run alike
//!
//! All take the replayed control flow as it comes and keep what grows with the program, not with the run.
//!
//! | file | what is there |
//! | --- | --- |
//! | [`source`] | a trace or a recorded run, opened by its name and told |
//! | [`stack`] | the functions that each core is in |
//! | [`show`] | instructions under their source lines |
//! | [`profile`] | instructions by function, and by stack for flame graphs |
//! | [`pprof`] | a profile as pprof reads it |
//! | [`vcd`] | where each core is over time, for waveform viewers |
//! | [`timeline`] | functions of all cores on one axis, for Perfetto |
//! | [`diff`] | where two executions part |
//! | [`lines`] | source lines of addresses |
//! | [`coverage`] | lines and branches that ran, as lcov has them |

pub mod coverage;
pub mod diff;
pub mod lines;
pub mod pprof;
pub mod profile;
pub mod show;
pub mod source;
pub mod stack;
pub mod timeline;
pub mod vcd;
