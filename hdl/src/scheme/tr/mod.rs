//! T-raptor: predictors, messages of what they missed, and their bits
//!
//! | module | what it is |
//! | --- | --- |
//! | [`coder`] | fields to bits |
//! | [`encoder`] | event entries to bits |
//! | [`fields`] | event entries to fields |
//! | [`front`] | retired instructions to event entries |
//! | [`messages`] | what is sent, and when |
//! | [`outcome`] | predictors of outcomes |
//! | [`parts`] | which of them a system has |
//! | [`target`] | predictors of targets |

pub mod coder;
pub mod encoder;
pub mod fields;
pub(super) mod flow;
pub mod front;
pub mod messages;
pub mod outcome;
pub mod parts;
pub mod target;
