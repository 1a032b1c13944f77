//! Load values: which of them the host knows already
//!
//! | module | what it is |
//! | --- | --- |
//! | [`core`] | a core's ports to accesses |
//! | [`encoder`] | records to bits |
//! | [`entry`] | event entries of this scheme |
//! | [`filter`] | tags and first-access flags of a core, accesses in, records out |
//! | [`front`] | accesses of all cores in their order, through the filters |
//! | [`queue`] | accesses of a core until the filters take them |
//! | [`system`] | all of it, with the spine |

mod circuit;
pub mod core;
pub mod encoder;
pub mod entry;
pub mod filter;
pub mod front;
pub mod queue;
pub mod system;
mod vectors;
