//! T-raptor: predictors, messages of mispredictions, and their encoding
//!
//! | module | what it is |
//! | --- | --- |
//! | [`coder`] | coders: fields to bits |
//! | [`encoder`] | encodes event entries as bits |
//! | [`fields`] | selects the fields of an event entry |
//! | [`front`] | front end: retired instructions to event entries |
//! | [`messages`] | decides which messages are sent, and when |
//! | [`outcome`] | outcome predictors |
//! | [`parts`] | predictors and coder of a system |
//! | [`target`] | target predictors |

pub mod coder;
pub mod encoder;
pub mod fields;
pub(super) mod flow;
pub mod front;
pub mod messages;
pub mod outcome;
pub mod parts;
pub mod target;
