//! Entries of the scheme: those of [`crate::spine::entry`], with the form of a target above the context
//!
//! `context_value` has three more bits, above those of the context: `form` of a mispredicted target, see [`super::targets`]. It is arbitrary in
//! entries without one.

use crate::spine::entry::EntryLayout;
use sim::params::TraceParams;

/// Widest `context_value`.
const CONTEXT_PORT_BITS: usize = 19;

/// Position of the form in `context_value`.
pub fn form_at(params: &TraceParams) -> usize {
    params.context.map_or(0, |_| params.context_bits() as usize + 1)
}

/// The widths for `params`.
pub fn layout(params: &TraceParams) -> EntryLayout {
    EntryLayout { context_bits: form_at(params) + 3, ..EntryLayout::new(params) }
}

/// Whether an entry has enough bits for the form.
pub fn fits(params: &TraceParams) -> bool {
    let layout = layout(params);
    layout.context_bits <= CONTEXT_PORT_BITS && layout.count_bits + layout.context_bits.max(4) <= layout.address_bits
}
