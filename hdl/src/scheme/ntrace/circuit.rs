//! The systems of N-Trace, and which parameters and options have one

use super::encoder::NtraceEncoder;
use super::front::{NtraceFront, TIME_LAG};
use super::layout;
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
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::params::{FlowScheme, Platform, TrParams, TraceParams};
use sim::standard::ntrace::{Modes, NtraceParams, System as Golden};

/// The platform of `params` for the ingress, with a scheme that needs the same addresses and reports the same contexts: with periodic
/// synchronization the target of every control-flow instruction, as for signatures, otherwise those of indirect jumps.
pub fn platform(params: &NtraceParams) -> TraceParams {
    let NtraceParams { cores, xlen, align, context, .. } = *params;
    let flow = FlowScheme::Tr(TrParams::sizes(512, 8, 0));
    TraceParams::new(Platform::RV32, flow).with(|p| {
        (p.cores, p.xlen, p.align, p.context) = (cores, xlen, align, context);
        // its counters are not those of this platform; a context shares their words
        p.count_bits = NtraceParams::CONTEXT_COUNT_BITS;
        p.signature = if params.modes.sync > 0 { 8 } else { 0 };
    })
}

/// The system for `params` and `options`.
///
/// # Errors
/// There is no circuit.
pub fn build(params: &NtraceParams, options: &SystemOptions) -> Result<AnyTop, EmitError> {
    check(params, options)?;
    Ok(match (params.xlen, options.ingress) {
        (32, Ingress::Etrace) => AnyTop::new(system::<EtracePins<32>, 32>(params, options)),
        (32, _) => AnyTop::new(system::<RvfiPins<32>, 32>(params, options)),
        (_, Ingress::Etrace) => AnyTop::new(system::<EtracePins<64>, 64>(params, options)),
        (..) => AnyTop::new(system::<RvfiPins<64>, 64>(params, options)),
    })
}

/// The system with these pins.
///
/// # Panics
/// If `xlen` is not W, or there is no circuit.
pub fn system<P: Pins<W>, const W: usize>(params: &NtraceParams, options: &SystemOptions) -> System<P, W> {
    let extras = Extras { ingress: P::CODE, source_input: params.funnel > 0, ..options.extras };
    let platform = platform(params);
    let parts = Parts {
        spine: Spine::with_stream(
            &Stream::from(params),
            &platform,
            &layout(params),
            options.fifo_address_bits.into(),
            extras,
        ),
        encoder: Slot::new(Box::new(NtraceEncoder::with(params, extras))),
    };
    let front = || Slot::<FrontPort<W>>::new(Box::new(NtraceFront::with(params, extras)));
    System::of(&platform, extras, &front, parts)
}

/// Checks that there is a circuit.
fn check(params: &NtraceParams, options: &SystemOptions) -> Result<(), EmitError> {
    params.check()?;
    let Modes { btm, returns, repeat, .. } = params.modes;
    if btm && repeat || !matches!(returns, 0 | 8 | 16 | 32) {
        return Err(EmitError::Data(
            params.modes.to_string(),
            "ntrace, with +btm or +rh, +ir8, +ir16 or +ir32, and +sync2 to +sync1048576",
        ));
    }
    check_standard(&params.modes.to_string(), options)?;
    match CORES.contains(&params.cores) {
        true => Ok(()),
        false => Err(EmitError::Cores(params.cores)),
    }
}

impl Circuit for NtraceParams {
    fn title(&self) -> &'static str {
        "N-Trace system"
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
        check(self, options)
    }

    fn standard(&self) -> Option<Standard<'_>> {
        let words = |program: &Program, events: &[FlowEvent], _: &[u8]| {
            let image = Image::new(program);
            let mut system = Golden::new(self, &image).map_err(|e| e.to_string())?;
            events.iter().for_each(|e| system.event(e));
            Ok(system.finish())
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
