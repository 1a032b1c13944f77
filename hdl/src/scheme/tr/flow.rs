//! T-raptor among the schemes of the control flow

use crate::scheme::flow::FlowCircuit;
use crate::spine::pieces::fits;
use sim::params::{Chunks, TrParams, TraceParams};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::target::TargetParams;

impl FlowCircuit for TrParams {
    fn parts(&self) -> Option<(TrParams, bool)> {
        Some((*self, false))
    }

    fn needs_call_types(&self) -> bool {
        !matches!(self.target, TargetParams::RasIbtb(sizes) if sizes.ras == 0 && sizes.ibtb == 0)
    }

    fn times(&self) -> Option<Chunks> {
        match self.coder {
            CoderParams::Chunked(coding) => Some(coding.diff_cc),
            _ => None,
        }
    }

    // a message for each return
    fn is_frequent(&self, many: bool, timestamps: bool) -> bool {
        !self.target.predicts() && (many || timestamps)
    }

    // a context is longer than its fields that are sent as they are
    fn is_seldom(&self, params: &TraceParams) -> bool {
        self.target.predicts()
            && params.context.is_none()
            && matches!(self.coder, CoderParams::Chunked(coding) if fits(&coding, params))
    }
}
