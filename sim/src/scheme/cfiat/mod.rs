//! Load values: C-FIAT, a cache whose first-access flags show which loads the host already knows
//!
//! Separate from the list of flow schemes, like `inputs`: it needs loads and stores, and sends no control flow. Together with
//! a control-flow trace, each core can be re-executed ([`replay`]).
//!
//! | file | contents |
//! | --- | --- |
//! | [`params`] | [`CfiatParams`] and their names |
//! | [`cache`] | tags and first-access flags |
//! | [`message`] | records and their bits |
//! | [`signature`] | checksum of all values |
//! | [`model`] | golden model: a sink of the retire stream |
//! | [`stats`] | counts |
//! | [`descriptor`] | the descriptors of figure 4.36 |
//! | [`decoder`] | turns records back into values |
//! | [`replay`] | re-executes cores with their values |
//!
//! # Values
//! A core takes a sequence of **values** from outside: what it loads, what it reads from open CSRs, and whether an `sc`
//! stored (0 if it did, 1 if not). A record contains a value that the host does not know, and the number of values before it
//! that the host knows: loads whose first-access flags are all set, and successful `sc`. The thesis traces loads only; CSRs
//! and `sc` are included because a core cannot be executed without them.
//!
//! # Source
//! Paper 003 sections 3.3 and 4.4. Where this differs from it: `docs/maintainers/decisions/0014-load-values.md`.

pub mod cache;
pub mod decoder;
pub mod descriptor;
pub mod message;
pub mod model;
pub mod order;
pub mod params;
pub mod replay;
pub mod signature;
pub mod stats;

pub use model::Recorder;
pub use params::CfiatParams;

use crate::platform::{MAGIC, VERSION};

/// Flag in word 1 of the header: the stream is of this scheme.
pub const CFIAT: u32 = 1 << 19;

/// The three header words of a stream.
pub fn header(params: &CfiatParams) -> [u32; 3] {
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | CFIAT, params.fingerprint()]
}

/// Whether reads of a CSR take a value from outside: time, pending interrupts, and cause and value of a trap, since a
/// control-flow trace does not report causes.
pub fn is_open_csr(number: u32) -> bool {
    matches!(number, 0x342 | 0x343 | 0x344 | 0xb00 | 0xb80 | 0xc00 | 0xc80 | 0xc01 | 0xc81)
}
