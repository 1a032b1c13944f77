//! Record and replay: what the cores take from outside, and the order between them
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | a core's ports and its front end |
//! | [`encoder`] | messages to bits |
//! | [`entry`] | event entries of this scheme |
//! | [`front`] | what a core's port tells, to event entries |
//! | [`last`] | last values by place |
//! | [`signature`] | check of the retired state |
//! | [`snoop`] | references of all cores where memory orders them |
//! | [`system`] | all of it, with the spine |
//! | [`table`] | reads and writes of an episode |

pub mod core;
pub mod encoder;
pub mod entry;
pub mod front;
pub mod last;
pub mod signature;
pub mod snoop;
pub mod system;
pub mod table;
