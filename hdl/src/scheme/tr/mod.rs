//! T-raptor: predictors, messages of what they missed, and their bits
//!
//! | module | what it is |
//! | --- | --- |
//! | [`encoder`] | event entries to bits |
//! | [`front`] | retired instructions to event entries |
//! | [`messages`] | what is sent, and when |
//! | [`outcome`] | predictors of outcomes |
//! | [`parts`] | which of them a system has |
//! | [`target`] | predictors of targets |

pub mod encoder;
pub mod front;
pub mod messages;
pub mod outcome;
pub mod parts;
pub mod target;
