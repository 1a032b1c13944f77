//! Load values: which of them the host knows already
//!
//! | module | what it is |
//! | --- | --- |
//! | [`filter`] | tags and first-access flags of a core, accesses in, records out |

pub mod filter;
