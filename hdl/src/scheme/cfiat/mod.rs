//! Load values: records of the values that the host does not know yet
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | decodes a core's accesses |
//! | [`encoder`] | encodes records as bits |
//! | [`entry`] | event entries of this scheme |
//! | [`filter`] | first-access filter of a core: accesses in, records out |
//! | [`front`] | front end of all cores: accesses in retire order, through the filters |
//! | [`queue`] | access queue of a core |
//! | [`system`] | the system, with the spine |

mod circuit;
pub mod core;
pub mod encoder;
pub mod entry;
pub mod filter;
pub mod front;
pub mod queue;
pub mod system;
mod vectors;
