//! The arithmetic coder of `follow+arithmetic`
//!
//! | module | what it is |
//! | --- | --- |
//! | [`coder`] | decisions, escapes and plain bits to bytes |
//! | [`probabilities`] | probabilities of decisions, by context |

pub mod coder;
pub mod probabilities;
