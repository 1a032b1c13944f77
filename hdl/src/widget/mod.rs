//! Building parts that rust-hdl does not have
//!
//! | module | what it is |
//! | --- | --- |
//! | `bundle` | port bundles, declared once for both of their ends |
//! | [`delay`] | delay line, its length chosen at run time |
//! | [`mod@each`] | as many signals or blocks as the parameters ask for |
//! | [`field_mem`] | memory that is written whole and read field by field |
//! | [`pair_mem`] | the same of two fields |
//! | [`fixed`] | constant with a default |
//! | [`mem`] | memory, its size chosen at run time |
//! | [`slot`] | a place for one of several circuits with the same ports |

pub(crate) mod bundle;
pub mod delay;
pub mod each;
pub mod field_mem;
pub mod fixed;
pub mod mem;
pub mod pair_mem;
pub mod slot;
