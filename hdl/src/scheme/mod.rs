//! Schemes: the circuits of all trace schemes, and their list
//!
//! A scheme is a folder with its name in `sim`, and a line in a list here: [`circuit`] lists the whole systems,
//! and `flow!` the circuits of the control-flow schemes.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cfiat`] | load values by first-access flags |
//! | [`data`] | test vectors of the schemes that trace the cores' data |
//! | [`etrace`] | RISC-V E-Trace |
//! | [`flow`] | list of the circuits of the control-flow schemes |
//! | [`follow`] | predictors that follow the past |
//! | [`inputs`] | record and replay |
//! | [`ntrace`] | RISC-V N-Trace |
//! | [`nexus`] | Nexus-like: T-raptor's circuit with a message for every taken branch |
//! | [`sc_lsp`] | stream cache and last stream predictor |
//! | [`shared`] | T-raptor with shared predictors, in software only |
//! | [`taken`] | the smallest scheme: a message for every taken control-flow instruction |
//! | [`tr`] | T-raptor |

pub mod cfiat;
pub mod data;
pub mod etrace;
pub mod flow;
pub mod follow;
pub mod inputs;
pub mod nexus;
pub mod ntrace;
pub mod sc_lsp;
pub mod shared;
pub mod taken;
pub mod tr;

use crate::bus::wrap::{wrap, Buses};
use crate::emit::{EmitError, Ingress, SystemOptions, LOG2_FIFO};
use crate::spine::Extras;
use crate::verilog::{self, Style};
use data::DataBench;
use retire::elf::Program;
use retire::FlowEvent;
use rust_hdl::prelude::{check_all, Block};
use sim::baseline::etrace::EtraceParams;
use sim::params::{ParamError, Platform, TraceParams};
use sim::scheme::any::{AnyScheme, SchemeName};
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::InputsParams;
use sim::standard::ntrace::NtraceParams;
use sim::stream_params::StreamParams;

/// The golden model of a system that sends a standard protocol: its ports from the cores are those of any other control-flow trace.
pub struct Standard<'a> {
    /// The platform, with any scheme.
    pub platform: TraceParams,
    /// Cycles from the one in which an instruction retires to the one whose time its message has, where the time is an input.
    pub time_lag: usize,
    /// The words of the events of a program up to the stop of each core, or why the model refuses them. The bytes are the core of each
    /// instruction, in the order in which they retire.
    pub words: Box<WordsOf<'a>>,
}

/// Words of events.
pub type WordsOf<'a> = dyn Fn(&Program, &[FlowEvent], &[u8]) -> Result<Vec<u32>, String> + 'a;

/// Refuses the options that no circuit of a standard protocol has; `scheme` is its name.
fn check_standard(scheme: &str, options: &SystemOptions) -> Result<(), EmitError> {
    let none = |what: &str| Err(EmitError::Options(format!("{scheme}: no circuit with {what}")));
    if !matches!(options.ingress, Ingress::Rvfi | Ingress::Etrace) {
        return none(&format!("`--ingress {}`; rvfi and etrace have one", options.ingress.name()));
    }
    let Extras { sync, retire, addresses, .. } = options.extras;
    for (given, name) in [(sync, "--sync"), (retire.is_some(), "--retire"), (addresses.is_some(), "--address-bits")] {
        if given {
            return none(&format!("`{name}`"));
        }
    }
    match LOG2_FIFO.contains(&options.fifo_address_bits) {
        true => Ok(()),
        false => {
            Err(EmitError::Options(format!("event FIFO of 2^{} entries, expected 8 to 256", options.fifo_address_bits)))
        }
    }
}

/// The parameters of a stream for which a system can be built.
pub trait Circuit: StreamParams {
    /// Title of the system.
    fn title(&self) -> &'static str;
    /// Ports from the cores, and depths of the FIFOs.
    fn ports(&self, options: &SystemOptions) -> String;
    /// Ports from the cores, in a few words.
    fn interface(&self, options: &SystemOptions) -> String;
    /// Checks that there is a circuit for these parameters and options.
    ///
    /// # Errors
    /// The first value that has no circuit, and the values that have.
    fn check(&self, options: &SystemOptions) -> Result<(), EmitError>;
    /// The system's Verilog, for parameters and options that [`Circuit::check`] accepts.
    ///
    /// # Errors
    /// When rust-hdl or the Verilog writer refuses the circuit, which is a fault of this crate.
    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError>;
    /// The golden model of a system that sends a standard protocol; `None` for other systems.
    fn standard(&self) -> Option<Standard<'_>> {
        None
    }
    /// Test vectors of a system that traces the cores' data, from the golden model; `None` for other systems.
    ///
    /// # Errors
    /// When the model does not support these parameters.
    fn vectors(&self) -> Result<Option<DataBench>, ParamError> {
        Ok(None)
    }
}

/// Writes the Verilog of a system for [`Circuit::verilog`].
///
/// # Errors
/// When rust-hdl or the Verilog writer refuses the circuit, which is a fault of this crate.
pub fn write(mut top: impl Block, style: &Style, buses: Buses) -> Result<String, EmitError> {
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    Ok(wrap(verilog::write(&top, style)?, style, buses)?)
}

/// The parameters of the scheme `name` on a platform; `ram`: first byte and size of the cores' RAM. `funnel`: the system is one of those of
/// one core each before a trace funnel with this number of inputs.
///
/// # Errors
/// When the model does not support these parameters, or the scheme exists in software only.
pub fn circuit(
    name: &SchemeName,
    platform: &Platform,
    ram: (u32, u32),
    funnel: u8,
) -> Result<Box<dyn Circuit>, ParamError> {
    let (cores, xlen) = (if funnel > 0 { 1 } else { platform.cores }, platform.xlen);
    Ok(match name.scheme {
        AnyScheme::Flow(flow) => {
            let params = TraceParams::new(*platform, flow);
            params.check()?;
            Box::new(params)
        }
        AnyScheme::Inputs(sizes) => {
            let params = InputsParams::new(cores, xlen, ram, sizes);
            params.check()?;
            Box::new(params)
        }
        AnyScheme::Cfiat(sizes) => {
            let params = CfiatParams { xlen, ..CfiatParams::new(cores, ram, sizes) };
            params.check()?;
            Box::new(params)
        }
        AnyScheme::Etrace(options) => {
            let params = EtraceParams {
                context: platform.context,
                timestamps: platform.timestamps,
                funnel,
                ..EtraceParams::new(cores, xlen, options)
            };
            params.check()?;
            Box::new(params)
        }
        AnyScheme::Ntrace(modes) => {
            let params = NtraceParams {
                align: platform.align,
                timestamps: platform.timestamps,
                context: platform.context,
                funnel,
                ..NtraceParams::new(cores, xlen, modes)
            };
            params.check()?;
            Box::new(params)
        }
        AnyScheme::Shared(_) | AnyScheme::Baseline(_) => {
            return Err(ParamError::UnknownScheme {
                name: name.scheme.to_string(),
                forms: "tr_e:SET, nx_b, sc-lsp:SHAPE, inputs, cfiat, ntrace and etrace, which have a circuit".into(),
            });
        }
    })
}
