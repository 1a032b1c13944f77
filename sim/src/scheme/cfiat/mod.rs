//! Load values: C-FIAT, a cache with first-access flags that says which loads the host knows already
//!
//! A room of its own beside the list of flow schemes, as `inputs` is: it needs loads and stores, and sends no control
//! flow. With a trace of the control flow beside it each core is executed again ([`replay`]).
//!
//! | file | what is there |
//! | --- | --- |
//! | [`params`] | [`CfiatParams`] and their names |
//! | [`cache`] | tags and first-access flags |
//! | [`message`] | records and their bits |
//! | [`signature`] | the check of all values |
//! | [`model`] | golden model: a sink of the retire stream |
//! | [`stats`] | what is counted |
//! | [`descriptor`] | the descriptors of figure 4.36 |
//! | [`decoder`] | records back to values |
//! | [`replay`] | cores executed again with their values |
//!
//! # Values
//! A core takes a sequence of **values** from outside: what it loads, what open CSRs read, and whether an `sc` stored
//! (0, or 1 where it did not). A record stands for one that the host does not know, and counts those before it that it
//! does: loads whose first-access flags are all set, and `sc` that stored. The thesis traces loads only; CSRs and `sc` are
//! there because a core cannot be executed without them.
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

/// In word 1 of the header: the stream is of this scheme.
pub const CFIAT: u32 = 1 << 19;

/// The three header words of a stream.
pub fn header(params: &CfiatParams) -> [u32; 3] {
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | CFIAT, params.fingerprint()]
}

/// Whether a CSR is one whose reads come from outside: time, pending interrupts, and what a trap left there, since a
/// trace of the control flow does not tell causes.
pub fn is_open_csr(number: u32) -> bool {
    matches!(number, 0x342 | 0x343 | 0x344 | 0xb00 | 0xb80 | 0xc00 | 0xc80 | 0xc01 | 0xc81)
}
