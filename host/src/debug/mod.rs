//! Questions to a recorded run, forwards and backwards: the GDB server, and who wrote a word
//!
//! | file | what is there |
//! | --- | --- |
//! | [`accesses`] | what an instruction read and wrote |
//! | [`motion`] | going on and back to breakpoints and watchpoints |
//! | `target` | the same as GDB's remote protocol has it |
//! | [`server`] | the connection |
//! | [`writer`] | the last store to an address before a moment |

pub mod accesses;
pub mod motion;
pub mod server;
mod target;
pub mod writer;
