//! Diagnosis on the chip: packets, event generators, the ring that connects them, and the nodes that reduce events
//!
//! Circuits, host and documents share the declarations here: golden models in plain integers.
//!
//! | module | content |
//! | --- | --- |
//! | [`packet`] | events and register accesses as 16-bit words |
//! | [`trigger`] | trigger conditions of an event generator, and the words that it captures |
//! | [`generator`] | the CPU event generator, full and lite |
//! | [`master`] | stores of bus masters that are not cores, as a generator observes them |
//! | [`crossing`] | what a core with another clock retires, in the clock of the chip |
//! | [`full`] | the circuit of the full one, cycle by cycle |
//! | [`returns`], [`shadow`] | its table of open calls; its copy of registers and stack |
//! | [`ring`] | the diagnosis NoC: a token ring of 16-bit words |
//! | [`interface`] | decodes packets to generators and nodes, encodes their results |
//! | [`link_queue`] | the queue of a generator for events that leave the chip |
//! | [`registers`] | registers of generators and nodes |
//! | [`describe`] | packets and registers as a reference page |
//! | [`node`] | filter, counters, pair, aggregate, histogram, state machine, tick, log buffer |
//! | [`processor`] | the diagnosis processor |
//! | [`frame`] | frames of the host link |
//! | [`chip`] | all of them on one ring, with the host link |
//!
//! # Source
//! Paper 004 (DiaSys) sections 3.3 to 4.2. Addresses and registers have 32 or 64 bits, captured words always 32.

pub mod chip;
pub mod crossing;
pub mod describe;
pub mod frame;
pub mod framer;
pub mod full;
pub mod generator;
pub mod interface;
pub mod link_queue;
pub mod master;
pub mod node;
pub mod packet;
pub mod processor;
pub mod registers;
pub mod returns;
pub mod ring;
pub mod shadow;
pub mod trigger;
pub mod window;
