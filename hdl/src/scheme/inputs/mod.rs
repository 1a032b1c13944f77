//! Record and replay: what the cores take from outside, and the order between them
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | a core's ports and its front end |
//! | [`encoder`] | messages to bits |
//! | [`entry`] | event entries of this scheme |
//! | [`first`] | what the host does not know behind a start in the middle of a run |
//! | [`front`] | what a core's port tells, to event entries |
//! | [`last`] | last values by place |
//! | [`level`] | how full an event FIFO is |
//! | [`master`] | stores of bus masters that are no cores |
//! | [`signature`] | check of the retired state |
//! | [`snoop`] | references of all cores where memory orders them |
//! | [`start`], [`state`] | the start in the middle of a run; the state that is told there |
//! | [`system`] | all of it, with the spine |
//! | [`table`] | reads and writes of an episode |

mod circuit;
pub mod core;
pub mod encoder;
pub mod entry;
pub mod first;
pub mod front;
pub mod last;
pub mod level;
pub mod master;
pub mod signature;
pub mod snoop;
pub mod start;
pub mod state;
pub mod system;
pub mod table;
mod vectors;
