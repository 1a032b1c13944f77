//! Circuits of schemes. This is the one list of them
//!
//! A scheme is a folder of the name that it has in `sim`, and a line of a list here: [`circuit`] for what a whole system is
//! made of, and `flow!` for what is asked of a scheme of the control flow.
//!
//! | module | what it is |
//! | --- | --- |
//! | [`cfiat`] | load values by first-access flags |
//! | [`data`] | test vectors of those that take the cores' data |
//! | [`flow`] | the schemes of the control flow: what a system asks of each, and their list |
//! | [`inputs`] | record and replay |
//! | [`nexus`] | Nexus-like: T-raptor's circuit with a message for every taken branch |
//! | [`sc_lsp`] | stream cache and last stream predictor |
//! | [`shared`] | T-raptor with shared predictors, in software only |
//! | [`taken`] | the smallest one: a message for every taken control-flow instruction |
//! | [`tr`] | T-raptor |

pub mod cfiat;
pub mod data;
pub mod flow;
pub mod inputs;
pub mod nexus;
pub mod sc_lsp;
pub mod shared;
pub mod taken;
pub mod tr;

use crate::bus::wrap::{wrap, Buses};
use crate::emit::{EmitError, SystemOptions};
use crate::verilog::{self, Style};
use data::DataBench;
use rust_hdl::prelude::{check_all, Block};
use sim::params::{ParamError, Platform, TraceParams};
use sim::scheme::any::{AnyScheme, SchemeName};
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::InputsParams;

/// Parameters of a stream, of which a system can be built.
pub trait Circuit {
    /// What the system is called.
    fn title(&self) -> &'static str;
    /// What it takes from the cores, and how deep its FIFOs are.
    fn ports(&self, options: &SystemOptions) -> String;
    /// What it takes from the cores, in a few words.
    fn interface(&self, options: &SystemOptions) -> String;
    /// N: cores.
    fn cores(&self) -> u8;
    /// Refuses what there is no circuit for.
    ///
    /// # Errors
    /// What would be right.
    fn check(&self, options: &SystemOptions) -> Result<(), EmitError>;
    /// The system's Verilog, for parameters and options that [`Circuit::check`] accepts.
    ///
    /// # Errors
    /// A fault of this crate.
    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError>;
    /// All parameters of the stream on one line.
    fn canonical(&self) -> String;
    /// CRC-32 of [`Circuit::canonical`].
    fn fingerprint(&self) -> u32;
    /// The scheme's name.
    fn name(&self) -> String;
    /// Bits of state of one core, where the papers count them.
    fn state_bits(&self) -> Option<u64>;
    /// Test vectors of a system that takes the cores' data, of the golden model; `None`: it takes none.
    ///
    /// # Errors
    /// Parameters that the model does not honour.
    fn vectors(&self) -> Result<Option<DataBench>, ParamError> {
        Ok(None)
    }
    /// The parameters of a trace of the control flow.
    fn flow(&self) -> Option<&TraceParams> {
        None
    }
}

/// What [`Circuit::verilog`] does with a system.
///
/// # Errors
/// rust-hdl or the writer of Verilog refuse it: a fault of this crate.
pub fn write(mut top: impl Block, style: &Style, buses: Buses) -> Result<String, EmitError> {
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    Ok(wrap(verilog::write(&top, style)?, style, buses)?)
}

/// The parameters of the scheme of that name on a platform; `ram`: first byte and bytes of the cores' RAM.
///
/// # Errors
/// Parameters that the model cannot honour, or a scheme in software only.
pub fn circuit(name: &SchemeName, platform: &Platform, ram: (u32, u32)) -> Result<Box<dyn Circuit>, ParamError> {
    let (cores, xlen) = (platform.cores, platform.xlen);
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
        AnyScheme::Shared(_) | AnyScheme::Baseline(_) | AnyScheme::Etrace(_) => {
            return Err(ParamError::UnknownScheme {
                name: name.scheme.to_string(),
                forms: "tr_e:SET, nx_b, sc-lsp:SHAPE, inputs and cfiat, which have a circuit".into(),
            });
        }
    })
}
