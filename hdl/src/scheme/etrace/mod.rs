//! RISC-V E-Trace: packets of the standard, one encoder for each core
//!
//! | module | circuit |
//! | --- | --- |
//! | [`circuit`] | the system, with the spine |
//! | [`encoder`] | encodes packets as bits |
//! | [`entry`] | event entries of this scheme |
//! | [`field`] | last field of a packet |
//! | [`front`] | front end of a core |
//! | [`reports`] | branch map, and which packets are due |
//! | [`returns`] | return stack |
//! | [`size`] | bytes of a packet |

pub mod circuit;
pub mod encoder;
pub mod entry;
pub mod field;
pub mod front;
pub mod reports;
pub mod returns;
pub mod size;
