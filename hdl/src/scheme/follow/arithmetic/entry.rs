//! Entries of the scheme: those of [`crate::spine::entry`], with a decision in `bcnt`
//!
//! | bits of `bcnt` | of a branch |
//! | --- | --- |
//! | 5:0 | context |
//! | 6 | the prediction is right |
//! | 7 | undecided: no context |
//! | 10:8 | form of the target, see [`super::super::targets`] |
//!
//! Bit 11 is 1 if the sync of the entry clears the probabilities; a resync always does. A resync after an exception, a control and a progress message
//! have their own `bcnt`.

/// Position of the form.
pub const FORM_AT: usize = 8;
/// Position of the bit for a sync that clears the probabilities.
pub const RESETS_AT: usize = 11;
