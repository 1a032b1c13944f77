//! T-raptor in the list of the control-flow schemes, and the trait of these schemes' circuits
//!
//! The default methods are those of T-raptor.

use super::encoder::Encoder;
use super::front::FrontEnd;
use super::parts::Parts;
use crate::emit::EmitError;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::slices::fits;
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{Chunks, TrParams, TraceParams};
use sim::scheme::tr::coder::CoderParams;

/// The circuits of a control-flow scheme.
pub(in crate::scheme) trait FlowCircuit {
    /// Checks that there is a circuit for `params`.
    fn check(&self, params: &TraceParams) -> Result<(), EmitError> {
        Ok(Parts::of(params, self.parts()).map(|_| ())?)
    }
    /// Predictors and coder of the T-raptor circuit of which the scheme consists, and whether every taken branch makes a message;
    /// `None`: it consists of other circuits.
    fn parts(&self) -> Option<(TrParams, bool)> {
        None
    }
    /// The chunks of its time stamps; `None`: its time stamps are not chunks.
    fn times(&self) -> Option<Chunks> {
        None
    }
    /// Whether it sends messages so often that each must be sent in one or two cycles; `many`: with several cores, or one that
    /// retires several instructions per cycle.
    fn is_frequent(&self, _many: bool, _timestamps: bool) -> bool {
        false
    }
    /// Whether it sends few enough messages for an encoder of four bits per cycle.
    fn is_seldom(&self, _params: &TraceParams) -> bool {
        false
    }
    /// The widths of the entries from front end to encoder.
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

    // a context is longer than the raw fields of a narrow coder
    fn is_seldom(&self, params: &TraceParams) -> bool {
        self.target.predicts()
            && params.context.is_none()
            && matches!(self.coder, CoderParams::Chunked(coding) if fits(&coding, params))
    }
}
