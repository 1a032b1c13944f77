//! Record and replay: only what a core takes from outside is sent, and the host executes the rest
//!
//! Not in the list of flow schemes: it sends no control flow, and needs loads and stores in addition to events. Its stream has
//! a header of the same layout, with a flag for this scheme; `docs/reference/stream.md` describes it to the bit.
//!
//! | file | contents |
//! | --- | --- |
//! | [`params`] | [`InputsParams`] and their names |
//! | [`table`] | the tagged table of an episode's reads and writes |
//! | [`length`] | adaptive Rice code of lengths |
//! | [`start`] | the initial state of the cores, if a recording begins in the middle of a run |
//! | [`first`] | first accesses to RAM since then |
//! | [`last`] | last values by location, so that polling is a count |
//! | [`signature`] | checksum of the retired state |
//! | [`master`] | stores of bus masters that are not cores |
//! | [`message`] | messages and their bits |
//! | [`model`] | golden model: a sink of the retire stream |
//! | [`replay`] | re-executes the program with the recorded inputs |
//!
//! # Episodes
//! Each core has a table of the RAM blocks that its current episode read and wrote, and counts its references (loads,
//! stores, atomics; an atomic counts once). An episode ends before another core stores to a block in either set or loads
//! from a written block: a message with the count is sent. It also ends when the table is three quarters full.
//! Running the episodes in the order of their ends is a legal serialisation: two conflicting accesses are in episodes
//! that ended in the order of the accesses. A store that changes nothing counts as a read. Stores to devices count as
//! references too, so that stores of two cores to one device keep their order.
//!
//! # Source
//! Hower and Hill, "Rerun", ISCA 2008 (episodes); Pokam et al., MICRO 2009 and ISCA 2013 (chunks ended by conflicts);
//! the tagged table, the slots with predicted values and the check are this project's.

pub mod first;
pub mod last;
pub mod length;
pub mod master;
pub mod message;
pub mod model;
pub mod params;
pub mod replay;
pub mod signature;
pub mod start;
pub mod table;

pub use model::Recorder;
pub use params::InputsParams;

use crate::platform::{MAGIC, VERSION};

/// Flag in word 1 of the header: the stream is of this scheme.
pub const INPUTS: u32 = 1 << 18;

/// The three header words of a stream.
pub fn header(params: &InputsParams) -> [u32; 3] {
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | INPUTS, params.fingerprint()]
}

/// Location of a CSR in the table of last values: above all addresses.
pub(crate) fn csr_location(number: u32) -> u64 {
    1 << 32 | u64::from(number)
}

/// Location of an unmodelled instruction: its bits, above all other locations.
pub(crate) fn insn_location(insn: u32) -> u64 {
    1 << 33 | u64::from(insn)
}
