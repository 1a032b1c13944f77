//! The scheme `sc-lsp` in the list of the control-flow schemes

use super::encoder::StreamEncoder;
use super::entry::{self, LENGTH_BITS};
use super::front::StreamFront;
use crate::emit::EmitError;
use crate::scheme::tr::flow::FlowCircuit;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::Extras;
use crate::widget::slot::Slot;
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

    fn layout(&self, params: &TraceParams) -> EntryLayout {
        entry::layout(params)
    }

    fn front<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
        Slot::new(Box::new(StreamFront::with(params, extras)))
    }

    fn encoder<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>> {
        Slot::new(Box::new(StreamEncoder::with(params, extras)))
    }
}
