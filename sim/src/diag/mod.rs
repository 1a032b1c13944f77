//! Diagnosis on the chip: packets, event generators, the ring that joins them, and the nodes that reduce events
//!
//! What circuits, host and documents agree on is declared here once, as golden models in plain integers.
//!
//! | module | what is there |
//! | --- | --- |
//! | [`packet`] | events and register accesses as 16-bit words |
//! | [`trigger`] | what an event generator waits for and what it captures |
//! | [`generator`] | the CPU event generator, full and lite |
//! | [`full`] | the circuit of the full one, clock by clock |
//! | [`returns`], [`shadow`] | its memory of open calls; its copy of registers and stack |
//! | [`ring`] | the diagnosis NoC: a token ring of 16-bit words |
//! | [`interface`] | what packets ask of generators and nodes, and results as packets |
//! | [`registers`] | registers of generators and nodes |
//! | [`describe`] | packets and registers as a page |
//! | [`node`] | filter, counters, pair, aggregate, histogram, state machine, tick, log buffer |
//! | [`processor`] | the diagnosis processor |
//! | [`frame`] | frames of the link to the host |
//! | [`chip`] | all of them on one ring, with the link to the host |
//!
//! # Source
//! Paper 004 (DiaSys) sections 3.3 to 4.2. Addresses and captured words have 32 bits: RV32.

pub mod chip;
pub mod describe;
pub mod frame;
pub mod full;
pub mod generator;
pub mod interface;
pub mod node;
pub mod packet;
pub mod processor;
pub mod registers;
pub mod returns;
pub mod ring;
pub mod shadow;
pub mod trigger;
pub mod window;
