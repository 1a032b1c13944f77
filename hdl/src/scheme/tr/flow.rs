//! T-raptor among the schemes of the control flow, and what a trace system asks of each
//!
//! What a scheme does not say is that of T-raptor.

use super::encoder::Encoder;
use super::front::FrontEnd;
use super::parts::Parts;
use crate::emit::EmitError;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::pieces::fits;
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{Chunks, TrParams, TraceParams};
use sim::scheme::tr::coder::CoderParams;
use sim::scheme::tr::target::TargetParams;

/// What circuits ask of a scheme of the control flow.
pub(in crate::scheme) trait FlowCircuit {
    /// Refuses parameters that there is no circuit for.
    fn check(&self, params: &TraceParams) -> Result<(), EmitError> {
        Ok(Parts::of(params, self.parts()).map(|_| ())?)
    }
    /// Predictors and coder of T-raptor's circuit that it is made of, and whether every taken branch makes a message;
    /// `None`: it is made of none.
    fn parts(&self) -> Option<(TrParams, bool)> {
        None
    }
    /// Whether its front end must tell calls, returns and jumps apart.
    fn needs_call_types(&self) -> bool {
        true
    }
    /// The chunks of its times; `None`: its times are not chunks.
    fn times(&self) -> Option<Chunks> {
        None
    }
    /// Whether it sends so many messages that each must go in a cycle or two; `many`: of several cores, or of one that
    /// retires several instructions a cycle.
    fn is_frequent(&self, _many: bool, _timestamps: bool) -> bool {
        false
    }
    /// Whether its messages leave an encoder of four bits a cycle time enough.
    fn is_seldom(&self, _params: &TraceParams) -> bool {
        false
    }
    /// Widths of the entries from front end to encoder.
    fn layout(&self, params: &TraceParams) -> EntryLayout {
        EntryLayout::new(params)
    }
    /// The front end of a core.
    fn front<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>>
    where
        Self: Sized,
    {
        let parts = Parts::of(params, self.parts()).unwrap_or_else(|e| panic!("{e}"));
        Slot::new(Box::new(FrontEnd::with(params, extras, &parts)))
    }
    /// The encoder of a system.
    fn encoder<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>>
    where
        Self: Sized,
    {
        let parts = Parts::of(params, self.parts()).unwrap_or_else(|e| panic!("{e}"));
        Slot::new(Box::new(Encoder::with(params, extras, &parts)))
    }
}

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
