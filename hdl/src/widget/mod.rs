//! Building blocks that rust-hdl does not provide
//!
//! | module | what it is |
//! | --- | --- |
//! | `bundle` | port bundles, declared once for both ends |
//! | [`cross_mem`] | memory written with one clock and read with another |
//! | [`delay`] | delay line with a length chosen at run time |
//! | [`mod@each`] | arrays of signals or blocks, with a length that depends on the parameters |
//! | [`field_mem`] | memory written one entry at a time and read one field at a time |
//! | [`pair_mem`] | the same with two fields |
//! | [`fixed`] | constant with a default |
//! | [`mem`] | memory with depth and width chosen at run time |
//! | [`slot`] | a slot for one of several circuits with the same ports |

pub(crate) mod bundle;
pub mod cross_mem;
pub mod delay;
pub mod each;
pub mod field_mem;
pub mod fixed;
pub mod mem;
pub mod pair_mem;
pub mod slot;
