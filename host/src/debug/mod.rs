//! Questions to a recorded run or a trace, forwards and backwards: the GDB server, and who wrote a word
//!
//! | file | what is there |
//! | --- | --- |
//! | [`accesses`] | what an instruction read and wrote |
//! | [`scene`] | what a debugger sees of a moment, of either |
//! | [`flow`] | a trace of the control flow as a line of moments |
//! | [`constant`] | what memory holds all through a run |
//! | [`motion`] | going on and back to breakpoints and watchpoints |
//! | `arch` | registers as GDB's remote protocol has them |
//! | `target` | the same as GDB's remote protocol has it |
//! | [`server`] | the connection |
//! | [`writer`] | the last store to an address before a moment |

pub mod accesses;
mod arch;
pub mod constant;
pub mod flow;
pub mod motion;
pub mod scene;
pub mod server;
mod target;
pub mod writer;
