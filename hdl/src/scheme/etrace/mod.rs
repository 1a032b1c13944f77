//! RISC-V E-Trace: packets of the standard, one encoder for each core
//!
//! | module | circuit |
//! | --- | --- |
//! | [`circuit`] | the system, with the spine |
//! | [`encoder`] | encodes packets as bits |
//! | [`entry`] | event entries of this scheme |
//! | [`field`] | last field of a packet |
//! | [`front`] | front end of a core |
//! | [`head`] | fields of a packet before its map and last field |
//! | [`predictors`] | branch predictors |
//! | [`reports`] | branch map, and which packets are due |
//! | [`returns`] | return stack |
//! | [`rows`] | rows of a table that each synchronization resets |
//! | [`size`] | bytes of a packet |
//! | [`slice`](mod@slice) | bits of a packet as slices of words |
//! | [`step`] | steps of the encoder |
//! | [`targets`] | jump target cache |

pub mod circuit;
pub mod encoder;
pub mod entry;
pub mod field;
pub mod front;
pub mod head;
pub mod predictors;
pub mod reports;
pub mod returns;
pub mod rows;
pub mod size;
pub mod slice;
pub mod step;
pub mod targets;
