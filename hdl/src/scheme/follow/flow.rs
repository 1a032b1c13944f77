//! The scheme `follow` in the list of the control-flow schemes

use super::arithmetic::encoder::ArithmeticEncoder;
use super::encoder::FollowEncoder;
use super::entry::{fits, layout};
use super::front::FollowFront;
use crate::emit::EmitError;
use crate::scheme::tr::flow::FlowCircuit;
use crate::spine::entry::EntryLayout;
use crate::spine::front_port::{EncoderPort, FrontPort};
use crate::spine::Extras;
use crate::widget::slot::Slot;
use sim::params::TraceParams;
use sim::scheme::follow::{ArithmeticParams, FollowParams};

impl FlowCircuit for ArithmeticParams {
    fn check(&self, _: &TraceParams) -> Result<(), EmitError> {
        Ok(())
    }

    fn front<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
        Slot::new(Box::new(FollowFront::with(params, extras, &self.0, true)))
    }

    fn encoder<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>> {
        Slot::new(Box::new(ArithmeticEncoder::with(params, extras, &self.0)))
    }
}

impl FlowCircuit for FollowParams {
    fn check(&self, params: &TraceParams) -> Result<(), EmitError> {
        if fits(params) {
            return Ok(());
        }
        let (count, context) = (params.count_bits, params.context_bits());
        Err(EmitError::Options(format!(
            "scheme {} with counts of {count} bits and contexts of {context}; the circuit needs three more bits in an entry",
            params.flow.name()
        )))
    }

    fn layout(&self, params: &TraceParams) -> EntryLayout {
        layout(params)
    }

    fn front<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<FrontPort<W>> {
        Slot::new(Box::new(FollowFront::with(params, extras, &self.0, false)))
    }

    fn encoder<const W: usize>(&self, params: &TraceParams, extras: Extras) -> Slot<EncoderPort<W>> {
        Slot::new(Box::new(FollowEncoder::with(params, extras, &self.0)))
    }
}
