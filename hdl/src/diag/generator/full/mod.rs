//! Full event generator: addresses, returns, data and traps, with captured words
//!
//! Compares what retires with all slots at once and writes it into a log. Behind the log is a copy of registers and stack,
//! and of the calls that are open; there the oldest instruction waits until its events are made, a word after the other.
//! One that causes nothing takes a clock. Where the log would overflow, what is not made yet is lost and counted; where that
//! does not help, the log is emptied, and what its instructions write is not known.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`generator`] | all of them as one generator |
//! | [`slots`] | trigger slots, and which of them what retires hits |
//! | [`log`] | what retired and waits for its events; when it is given up |
//! | [`registers`] | copy of the registers, as they were at the oldest instruction |
//! | [`stack`] | copy of words of the stack |
//! | [`calls`] | open calls, with what was captured at their entry |
//! | [`word`] | a captured word, of any of those |
//! | [`control`] | what is done for the oldest instruction, step by step |
//! | [`outbox`] | events that wait for the ring, and how many were lost |
//! | [`ports`] | port bundles |
//!
//! Golden model of all of them: `sim::diag::full`, itself held to `sim::diag::generator`.

pub mod calls;
pub mod control;
pub mod generator;
pub mod log;
pub mod outbox;
pub mod ports;
pub mod registers;
pub mod slots;
pub mod stack;
pub mod word;

pub use generator::Full;
