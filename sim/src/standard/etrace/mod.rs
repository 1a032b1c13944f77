//! E-Trace: containers, packets, and the path that they determine
//!
//! | module | content |
//! | --- | --- |
//! | `params` | parameters of an encoder, by the specification's names |
//! | `container` | packets in a byte stream |
//! | `packet` | fields of a packet |
//! | `tables` | branch predictors, jump target cache, return stack |
//! | `decoder` | from the packets of a hart to its events |
//! | `stream` | from a byte stream to the events of all harts |
//!
//! # Source
//! Efficient Trace for RISC-V, version 2.0.

mod branchless;
mod container;
mod decoder;
mod packet;
mod params;
mod stream;
mod tables;

pub use container::{Container, Frame, Frames, MAX_FRAME};
pub use decoder::Decoder;
pub use packet::{read, Address, ContextFields, Outcomes, Packet, Status, To, MAX_PAYLOAD};
pub use params::{Mode, Modes, Parameters};
pub use stream::{Scan, Trace};
