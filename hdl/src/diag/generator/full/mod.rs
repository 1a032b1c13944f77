//! Full event generator: instruction addresses, returns, data accesses and traps, with captured words
//!
//! Compares each retired instruction with all slots at once and writes it to a log. After the log come copies of the
//! registers, of stack words and of open calls; there the oldest instruction waits while its events are built, word by
//! word. An instruction that causes no event takes one cycle. If the log is about to overflow, events not built yet are
//! lost and counted; if that is not enough, the log is emptied, and values that its instructions write become unknown.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`generator`] | the complete generator |
//! | [`slots`] | trigger slots, and which of them an instruction hits |
//! | [`log`] | retired instructions that wait for their events, and when to drop them |
//! | [`registers`] | copy of the registers, as of the oldest instruction |
//! | [`stack`] | copy of stack words |
//! | [`calls`] | open calls, with the words captured at their entry |
//! | [`word`] | one captured word, from any of these |
//! | [`wide_word`] | the same for a core of 64 bits; the other parts have a width |
//! | [`control`] | processes the oldest instruction, step by step |
//! | [`outbox`] | events that wait for the ring, and how many were lost |
//! | [`ports`] | port bundles |
//!
//! Golden model of all of them: `sim::diag::full`, itself checked against `sim::diag::generator`.

pub mod calls;
pub mod control;
pub mod generator;
pub mod log;
pub mod outbox;
pub mod ports;
pub mod registers;
pub mod slots;
pub mod stack;
pub mod wide_word;
pub mod word;

pub use generator::{Full, WideFull};
