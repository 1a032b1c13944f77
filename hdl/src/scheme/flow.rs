//! Circuits of the schemes of the control flow: what a trace system asks of each, and their list
//!
//! The front end of a core and the encoder are circuits in slots, so one system serves all schemes. What a scheme does not
//! say is that of T-raptor.

use crate::emit::EmitError;
use crate::scheme::tr::encoder::Encoder;
use crate::scheme::tr::front::FrontEnd;
use crate::scheme::tr::parts::{NoCircuit, Parts};
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::{Chunks, FlowScheme, TrParams, TraceParams};

/// What circuits ask of a scheme of the control flow.
pub(super) trait FlowCircuit {
    /// Refuses parameters that there is no circuit for.
    fn check(&self, params: &TraceParams) -> Result<(), EmitError> {
        Ok(Parts::of(params).map(|_| ())?)
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
        Slot::new(Box::new(FrontEnd::with(params, extras)))
    }
    /// The encoder of a system.
    fn encoder<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>>
    where
        Self: Sized,
    {
        Slot::new(Box::new(Encoder::with(params, extras)))
    }
}

macro_rules! flow {
    ($($name:ident,)*) => {
        /// The circuits of a scheme.
        fn of(flow: &FlowScheme) -> &dyn FlowCircuit {
            match flow { $(FlowScheme::$name(params) => params,)* }
        }

        /// The front end of a core.
        ///
        /// # Panics
        /// When `params` are refused, their `xlen` is not W, or there is no circuit of the scheme.
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

flow! { Tr, Nexus, ScLsp, TrShared, Taken, }

/// Whether the front end of a scheme must tell calls, returns and jumps apart.
pub fn needs_call_types(flow: &FlowScheme) -> bool {
    of(flow).needs_call_types()
}

/// Refuses a scheme that there is no circuit for.
pub(crate) fn check(params: &TraceParams) -> Result<(), EmitError> {
    of(&params.flow).check(params)
}

/// Predictors and coder of T-raptor's circuit that a scheme is made of.
pub(crate) fn parts(params: &TraceParams) -> Result<(TrParams, bool), NoCircuit> {
    of(&params.flow).parts().ok_or_else(|| NoCircuit(params.flow.name()))
}

/// The chunks of a scheme's times.
pub(crate) fn times(params: &TraceParams) -> Option<Chunks> {
    of(&params.flow).times()
}

/// Whether a system sends so many messages that each must go in a cycle or two.
pub(crate) fn is_frequent(params: &TraceParams, many: bool) -> bool {
    of(&params.flow).is_frequent(many, params.timestamps)
}

/// Whether a system's messages leave an encoder of four bits a cycle time enough.
pub(crate) fn is_seldom(params: &TraceParams) -> bool {
    of(&params.flow).is_seldom(params)
}

/// Widths of the entries from front end to encoder.
pub fn layout(params: &TraceParams) -> EntryLayout {
    of(&params.flow).layout(params)
}
