//! Record and replay: records the external inputs of the cores, and the order between the cores
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | a core's ports and its front end |
//! | [`encoder`] | encodes messages as bits |
//! | [`entry`] | event entries of this scheme |
//! | [`first`] | first accesses after a start in the middle of a run |
//! | [`front`] | front end of a core |
//! | [`last`] | last-value table |
//! | [`level`] | fill level of an event FIFO |
//! | [`master`] | stores of bus masters other than cores |
//! | [`signature`] | signature of the retired state |
//! | [`snoop`] | references of all cores in memory order |
//! | [`start`], [`state`] | start in the middle of a run; the state of the cores that is sent then |
//! | [`system`] | the system, with the spine |
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
