//! Record and replay: only what a core takes from outside is sent, and the host executes the rest
//!
//! Not one of the list of flow schemes: it sends no control flow, and needs loads and stores, not events alone. Its
//! stream has a header of the same shape, with a bit of its own; `docs/reference/stream.md` has it to the bit.
//!
//! | file | what is there |
//! | --- | --- |
//! | [`params`] | [`InputsParams`] and their names |
//! | [`table`] | the tagged table of an episode's reads and writes |
//! | [`length`] | adaptive Rice code of lengths |
//! | [`start`] | what is told of the cores where a recording begins in the middle of a run |
//! | [`first`] | first accesses to RAM since then |
//! | [`last`] | last values by place, so that polling is a count |
//! | [`signature`] | the check of the retired state |
//! | [`master`] | stores of bus masters that are no cores |
//! | [`message`] | messages and their bits |
//! | [`model`] | golden model: a sink of the retire stream |
//! | [`replay`] | the program executed again with what was sent |
//!
//! # Episodes
//! Each core has a table of the RAM blocks that its current episode read and wrote, and counts its references (loads,
//! stores, atomics; an atomic is one). Another core's store that hits either set, or its load that hits the written
//! ones, ends the episode before that access: a message with the count. So does a table that is three quarters full.
//! Running the episodes in the order of their ends is a legal serialisation: two conflicting accesses are in episodes
//! that ended in the order of the accesses. A store that changes nothing counts as a read. Stores to devices count as
//! references too, so that what two cores write to one device keeps its order.
//!
//! # Source
//! Hower and Hill, "Rerun", ISCA 2008 (episodes); Pokam et al., MICRO 2009 and ISCA 2013 (chunks ended by conflicts);
//! the tagged table, the slots with predicted values and the check are ours.

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

/// In word 1 of the header: the stream is of this scheme.
pub const INPUTS: u32 = 1 << 18;

/// The three header words of a stream.
pub fn header(params: &InputsParams) -> [u32; 3] {
    [MAGIC, u32::from(VERSION) | u32::from(params.cores) << 8 | INPUTS, params.fingerprint()]
}

/// The place of a CSR in the table of last values: above all addresses.
pub(crate) fn csr_place(number: u32) -> u64 {
    1 << 32 | u64::from(number)
}

/// The place of an instruction that is not modelled: its bits, above all others.
pub(crate) fn insn_place(insn: u32) -> u64 {
    1 << 33 | u64::from(insn)
}
