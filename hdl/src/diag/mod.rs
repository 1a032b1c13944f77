//! On-chip diagnosis: event generators, processing nodes and their connection to the ring
//!
//! | module | what it is |
//! | --- | --- |
//! | [`chip`] | ring of generators and nodes with the host's interface |
//! | [`client`] | a generator or a node with its network interface |
//! | [`framer`] | packets for the host to frames of bytes |
//! | [`line`](mod@line) | frames of bytes to packets from the host, and requests for lost frames |
//! | [`generator`] | event generators |
//! | [`link_queue`] | the queue of a generator for packets that leave the chip |
//! | [`node`] | processing nodes, which reduce events |
//! | [`port`] | network interface: packets to events and register accesses, and back |
//! | [`ports`] | port bundles |
//! | [`processor`] | a programmable node |
//! | [`rules`] | the records of a node, looked up by event |
//!
//! Golden models: `sim::diag`.

pub mod chip;
pub mod client;
pub mod framer;
pub mod generator;
pub mod line;
pub mod link_queue;
pub mod node;
pub mod port;
pub mod ports;
pub mod processor;
pub mod rules;
