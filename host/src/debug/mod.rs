//! Debugging of a recorded run or a trace, forwards and backwards: the GDB server, and the last writer of a word
//!
//! | file | what is there |
//! | --- | --- |
//! | [`accesses`] | memory accesses of an instruction |
//! | [`scene`] | what a debugger sees at a moment of a run or trace |
//! | [`flow`] | a control-flow trace as a sequence of moments |
//! | [`constant`] | memory that is constant during a run |
//! | [`motion`] | running forwards and backwards to breakpoints and watchpoints |
//! | `agent` | conditions of breakpoints |
//! | `arch` | registers in GDB's remote protocol |
//! | `packets` | what the library of the protocol does not know |
//! | [`tasks`] | tasks that wait, as they were when their core left them |
//! | `target` | a run or trace in GDB's remote protocol |
//! | [`server`] | the connection to GDB |
//! | [`why`] | the chain of instructions that made a value |
//! | [`writer`] | the last store to an address before a moment |

pub mod accesses;
mod agent;
mod arch;
pub mod constant;
pub mod flow;
pub mod motion;
mod packets;
pub mod scene;
pub mod server;
mod target;
pub mod tasks;
pub mod why;
pub mod writer;
