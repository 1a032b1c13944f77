//! List of the circuits of the control-flow schemes
//!
//! The front end of a core and the encoder are circuits in slots, so one system serves all schemes.

use crate::emit::EmitError;
use crate::scheme::tr::flow::FlowCircuit;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{Chunks, FlowScheme, TraceParams};

macro_rules! flow {
    ($($name:ident,)*) => {
        /// The circuits of a scheme.
        fn of(flow: &FlowScheme) -> &dyn FlowCircuit {
            match flow { $(FlowScheme::$name(params) => params,)* }
        }

        /// The front end of a core.
        ///
        /// # Panics
        /// When `params` are refused, their `xlen` is not W, or the scheme has no circuit.
        pub fn front<const W: usize>(params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
            match &params.flow { $(FlowScheme::$name(scheme) => scheme.front(params, extras),)* }
        }

        /// The encoder of a system.
        ///
        /// # Panics
        /// As [`front`].
        pub fn encoder<const W: usize>(params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>> {
            match &params.flow { $(FlowScheme::$name(scheme) => scheme.encoder(params, extras),)* }
        }
    };
}

flow! { Tr, Nexus, ScLsp, TrShared, Taken, FollowArithmetic, Follow, }

/// Checks that the scheme of `params` has a circuit.
pub(crate) fn check(params: &TraceParams) -> Result<(), EmitError> {
    of(&params.flow).check(params)
}

/// The chunks of a scheme's time stamps.
pub(crate) fn times(params: &TraceParams) -> Option<Chunks> {
    of(&params.flow).times()
}

/// Whether a system sends messages so often that each must be sent in one or two cycles.
pub(crate) fn is_frequent(params: &TraceParams, many: bool) -> bool {
    of(&params.flow).is_frequent(many, params.timestamps)
}

/// Whether a system sends few enough messages for an encoder of four bits per cycle.
pub(crate) fn is_seldom(params: &TraceParams) -> bool {
    of(&params.flow).is_seldom(params)
}

/// The widths of the entries from front end to encoder.
pub fn layout(params: &TraceParams) -> EntryLayout {
    of(&params.flow).layout(params)
}
