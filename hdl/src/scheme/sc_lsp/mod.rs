//! Stream cache and last stream predictor
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cache`] | stream descriptors to indices |
//! | [`detector`] | retired instructions to stream descriptors |
//! | [`encoder`] | event entries to bits |
//! | [`entry`] | what event entries hold here |
//! | [`fields`] | event entries to fields |
//! | [`front`] | retired instructions to event entries |
//! | [`lsp`] | whether the stream that came last time came again |
//! | [`records`] | what is sent, and when |

pub mod cache;
pub mod detector;
pub mod encoder;
pub mod entry;
pub mod fields;
mod flow;
pub mod front;
pub mod lsp;
pub mod records;
