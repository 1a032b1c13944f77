//! What the statistics files of mcfTrace and mlsTrace count
//!
//! # Source
//! Paper 003, figures 4.3 and 4.14, table 4.4.

use crate::descriptor;
use retire::{DataEvent, DataKind, FlowEvent};
use serde::Serialize;

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Statistics {
    /// Branches: unconditional indirect, unconditional direct, conditional direct taken, not taken.
    pub branches: [u64; 4],
    /// Loads of 1, 2, 4 and 8 bytes.
    pub loads: [u64; 4],
    /// Stores of 1, 2, 4 and 8 bytes.
    pub stores: [u64; 4],
}

/// Branches by kind, in the order of [`Statistics::branches`], as the thesis calls them.
pub const BRANCHES: [&str; 4] =
    ["unconditional indirect", "unconditional direct", "conditional direct, taken", "conditional direct, not taken"];
/// Operands by size, as the thesis calls them.
pub const OPERANDS: [&str; 4] = ["byte", "word", "doubleword", "quadword"];

impl Statistics {
    /// Counts an event.
    #[inline]
    pub fn event(&mut self, event: &FlowEvent) {
        if let Some(kind) = descriptor::kind(event.kind) {
            self.branches[usize::from(kind)] += 1;
        }
    }

    /// Counts a datum.
    #[inline]
    pub fn data(&mut self, data: &DataEvent) {
        let (counts, size) = match data.kind {
            DataKind::Load { size, .. } => (&mut self.loads, size),
            DataKind::Store { size, .. } => (&mut self.stores, size),
            DataKind::Csr { .. } | DataKind::Register { .. } | DataKind::Float { .. } | DataKind::Imported { .. } => {
                return
            }
        };
        counts[size.trailing_zeros().min(3) as usize] += 1;
    }
}
