//! Stream cache and last stream predictor
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cache`] | stream cache: stream descriptors to indices |
//! | [`detector`] | stream detector: retired instructions to stream descriptors |
//! | [`encoder`] | encodes event entries as bits |
//! | [`entry`] | contents of event entries in this scheme |
//! | [`fields`] | selects the fields of an event entry |
//! | [`front`] | front end: retired instructions to event entries |
//! | [`lsp`] | last stream predictor |
//! | [`records`] | decides which records are sent, and when |

pub mod cache;
pub mod detector;
pub mod encoder;
pub mod entry;
pub mod fields;
mod flow;
pub mod front;
pub mod lsp;
pub mod records;
