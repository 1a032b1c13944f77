//! The arithmetic coder of `follow+arithmetic`
//!
//! | module | what it is |
//! | --- | --- |
//! | [`code`] | the code of one core: a coder, with a queue before it and a word after it |
//! | [`coder`] | decisions, escapes and plain bits to bytes |
//! | [`codes`] | the codes of all cores, and the words of the stream |
//! | [`contexts`] | contexts of decisions about targets |
//! | [`encoder`] | event entries to requests |
//! | [`entry`] | event entries of the scheme |
//! | [`order`] | which word is sent next |
//! | [`probabilities`] | probabilities of decisions, by context |
//! | [`queue`] | requests that wait for their coder |

pub mod code;
pub mod coder;
pub mod codes;
pub mod contexts;
pub mod encoder;
pub mod entry;
pub mod order;
pub mod probabilities;
pub mod queue;
