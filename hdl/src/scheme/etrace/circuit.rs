//! The scheme `etrace` in the list of all schemes' circuits

use super::encoder::EtraceEncoder;
use super::entry::layout;
use super::front::{EtraceFront, TIME_LAG};
use crate::any_top::AnyTop;
use crate::bus::wrap::Buses;
use crate::emit::{EmitError, Ingress, SystemOptions, CORES};
use crate::ingress::etrace::EtracePins;
use crate::ingress::pins::Pins;
use crate::ingress::rvfi::RvfiPins;
use crate::scheme::{self, check_standard, Circuit, Standard};
use crate::spine::front_port::FrontPort;
use crate::spine::join::Spine;
use crate::spine::{Extras, Stream};
use crate::top::{Parts, System};
use crate::verilog::Style;
use crate::widget::slot::Slot;
use retire::elf::Program;
use retire::FlowEvent;
use sim::baseline::etrace::{words, EtraceParams};
use sim::params::{Platform, TraceParams};
use sim::scheme::taken::TakenParams;
use sim::scheme::FlowScheme;

/// The platform of `params` for the ingress, with any scheme.
fn platform(params: &EtraceParams) -> TraceParams {
    let EtraceParams { cores, xlen, context, .. } = *params;
    // its counters are not those of this platform; with the largest ones, there is less room for a context
    let count_bits = if context.is_some() { EtraceParams::CONTEXT_COUNT_BITS } else { Platform::RV32.count_bits };
    let platform = Platform { cores, xlen, context, count_bits, ..Platform::RV32 };
    TraceParams::new(platform, FlowScheme::Taken(TakenParams))
}

/// The system for `params` and `options`.
///
/// # Errors
/// The first value that has no circuit, and the values that have.
pub fn build(params: &EtraceParams, options: &SystemOptions) -> Result<AnyTop, EmitError> {
    Circuit::check(params, options)?;
    Ok(match (params.xlen, options.ingress) {
        (32, Ingress::Etrace) => system::<EtracePins<32>, 32>(params, options),
        (32, _) => system::<RvfiPins<32>, 32>(params, options),
        (_, Ingress::Etrace) => system::<EtracePins<64>, 64>(params, options),
        (..) => system::<RvfiPins<64>, 64>(params, options),
    })
}

fn system<P: Pins<W>, const W: usize>(params: &EtraceParams, options: &SystemOptions) -> AnyTop {
    let extras = Extras { ingress: P::CODE, source_input: params.funnel > 0, ..options.extras };
    let (platform, layout) = (platform(params), layout(params));
    let parts = Parts {
        spine: Spine::with_stream(&Stream::from(params), &platform, &layout, options.fifo_address_bits.into(), extras),
        encoder: Slot::new(Box::new(EtraceEncoder::new(params, extras.filter))),
    };
    let front = || Slot::<FrontPort<W>>::new(Box::new(EtraceFront::with(params, extras)));
    AnyTop::new(System::<P, W>::of(&platform, extras, &front, parts))
}

impl Circuit for EtraceParams {
    fn title(&self) -> &'static str {
        "E-Trace system"
    }

    fn ports(&self, options: &SystemOptions) -> String {
        format!(
            "ingress {}, event FIFOs of {} entries{}",
            options.ingress.name(),
            options.fifo_entries(),
            options.extras
        )
    }

    fn interface(&self, options: &SystemOptions) -> String {
        format!("RV{}, {} ingress", self.xlen, options.ingress.name())
    }

    fn check(&self, options: &SystemOptions) -> Result<(), EmitError> {
        self.check()?;
        if self.options.predictors > 12 || self.options.jump_targets > 8 {
            return Err(EmitError::Data(
                self.options.to_string(),
                "etrace, with +ir2 to +ir32, +bp2 to +bp4096, +jtc2 to +jtc256, +sync2 to +sync1048576, +full",
            ));
        }
        check_standard(&self.options.to_string(), options)?;
        match CORES.contains(&self.cores) {
            true => Ok(()),
            false => Err(EmitError::Cores(self.cores)),
        }
    }

    fn standard(&self) -> Option<Standard<'_>> {
        let words = |program: &Program, events: &[FlowEvent], order: &[u8]| {
            Ok(words(&self.ordered_bytes(program, events, order.iter().copied()).map_err(|e| e.to_string())?))
        };
        Some(Standard { platform: platform(self), time_lag: TIME_LAG, words: Box::new(words) })
    }

    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError> {
        let session = options.extras.session || buses.words.has_packets();
        let time_input = self.timestamps && buses.tci.is_some_and(|facts| facts.unit_time());
        let extras = Extras { session, time_input, ..options.extras };
        scheme::write(build(self, &SystemOptions { extras, ..*options })?, style, buses)
    }
}
