//! The stream cache among the schemes of the control flow

use super::entry::LENGTH_BITS;
use crate::emit::EmitError;
use crate::scheme::FlowCircuit;
use sim::params::{Chunks, StreamCacheParams, TraceParams};
use sim::scheme::sc_lsp::Variant;

impl FlowCircuit for StreamCacheParams {
    fn check(&self, _: &TraceParams) -> Result<(), EmitError> {
        if usize::from(self.sl_bits) > LENGTH_BITS {
            return Err(EmitError::StreamLength(self.sl_bits));
        }
        Ok(())
    }

    fn times(&self) -> Option<Chunks> {
        Some(Self::DIFF_CC)
    }

    // a record for each stream
    fn is_frequent(&self, many: bool, _: bool) -> bool {
        self.variant == Variant::Base && many
    }
}
