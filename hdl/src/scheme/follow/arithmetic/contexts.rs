//! Contexts of the decisions about targets
//!
//! Conditionals use 60 of the 64 contexts, see [`super::super::contexts`]; these are the others. Which number a context has is not visible in
//! the code, because all start with the same probability.
//!
//! Golden model: [`sim::scheme::follow::arithmetic::probability`].

/// A return.
pub const RETURN: u8 = 0x36;
/// Whether a mispredicted target is in the dictionary.
pub const IN_DICTIONARY: u8 = 0x37;
/// Another indirect branch; 4 more if the table that predicts is sure.
pub const INDIRECT: u8 = 0x3a;
