//! Diagnosis on the chip: event generators, nodes and what joins them to the ring
//!
//! | module | what it is |
//! | --- | --- |
//! | [`chip`] | ring of generators and nodes with the host's interface |
//! | [`client`] | a generator or a node with its network interface |
//! | [`framer`] | packets for the host to frames of bytes |
//! | [`line`](mod@line) | frames of bytes to packets of the host, and requests for those that were lost |
//! | [`generator`] | event generators |
//! | [`node`] | nodes that turn events into fewer events |
//! | [`port`] | network interface: packets to events and register accesses, and back |
//! | [`ports`] | port bundles |
//! | [`processor`] | a node whose work is a program |
//! | [`rules`] | the records of a node, found by event |
//!
//! Golden models: `sim::diag`.

pub mod chip;
pub mod client;
pub mod framer;
pub mod generator;
pub mod line;
pub mod node;
pub mod port;
pub mod ports;
pub mod processor;
pub mod rules;
