//! The circuits of each flow scheme, in slots: systems are the same for all of them

use crate::scheme::sc_lsp::encoder::StreamEncoder;
use crate::scheme::sc_lsp::entry;
use crate::scheme::sc_lsp::front::StreamFront;
use crate::scheme::tr::encoder::Encoder;
use crate::scheme::tr::front::FrontEnd;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{FlowScheme, TraceParams};

/// The front end of a core.
///
/// # Panics
/// When `params` are refused, their `xlen` is not W, or there is no circuit of the scheme.
pub fn front<const W: usize>(params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
    match params.flow {
        FlowScheme::ScLsp(_) => Slot::new(Box::new(StreamFront::with(params, extras))),
        FlowScheme::Tr(_) | FlowScheme::Nexus(_) | FlowScheme::TrShared(_) => {
            Slot::new(Box::new(FrontEnd::with(params, extras)))
        }
    }
}

/// The encoder of a system.
///
/// # Panics
/// As [`front`].
pub fn encoder<const W: usize>(params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>> {
    match params.flow {
        FlowScheme::ScLsp(_) => Slot::new(Box::new(StreamEncoder::with(params, extras))),
        FlowScheme::Tr(_) | FlowScheme::Nexus(_) | FlowScheme::TrShared(_) => {
            Slot::new(Box::new(Encoder::with(params, extras)))
        }
    }
}

/// Widths of the entries from the one to the other.
pub fn layout(params: &TraceParams) -> EntryLayout {
    match params.flow {
        FlowScheme::ScLsp(_) => entry::layout(params),
        FlowScheme::Tr(_) | FlowScheme::Nexus(_) | FlowScheme::TrShared(_) => EntryLayout::new(params),
    }
}
