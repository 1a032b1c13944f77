//! N-Trace: messages, and the path that they determine
//!
//! | module | content |
//! | --- | --- |
//! | `params` | parameters of an encoder, by the names of its control fields |
//! | `message` | fields of a message |
//! | `decoder` | from the messages of a hart to its events |
//! | `encoder` | golden encoder |
//! | `modes` | its modes by name, for measurements |
//! | `system` | golden model of the circuit: the encoders of all cores, and their words |
//! | `stream` | from a byte stream to the events of all harts |
//!
//! # Source
//! RISC-V N-Trace, version 1.0, a subset of IEEE-ISTO 5001 (Nexus) with extensions.

mod decoder;
mod encoder;
mod message;
mod modes;
mod params;
mod stream;
mod system;

pub use decoder::Decoder;
pub use encoder::{Encoder, Options};
pub use message::{read, Kind, Message, MAX_MESSAGE};
pub use modes::{Modes, UnknownModes};
pub use params::Parameters;
pub use stream::{Scan, Trace};
pub use system::{NtraceParams, System, CODE, TIME_BITS};
