//! The diagnosis NoC: a token ring of 16-bit words
//!
//! | module | what it is |
//! | --- | --- |
//! | [`ports`] | port bundles |
//! | [`ring`] | routers joined to a ring |
//! | [`router`] | a node's connection to the ring |
//!
//! Golden model: `sim::diag::ring`; why a token ring: `docs/maintainers/decisions/0011-token-ring.md`.

pub mod ports;
pub mod ring;
pub mod router;
