//! Verilog of a trace system, chosen at run time
//!
//! A pure function: the same arguments give the same bytes.

use crate::any_top::AnyTop;
use crate::bus::wrap::Buses;
use crate::diag::chip::{ChipError, DiagChip, DiagParams, WideDiagChip};
use crate::ingress::blocks::{BlocksPins, BlocksTwoPins};
use crate::ingress::chain::ChainPins;
use crate::ingress::etrace::EtracePins;
use crate::ingress::pins::Pins;
use crate::ingress::rvfi::RvfiPins;
use crate::ingress::rvfi_wide::{RvfiFourPins, RvfiTwoPins};
use crate::options::describe;
use crate::scheme::tr::parts::NoCircuit;
use crate::scheme::{self, Circuit};
use crate::spine::{Extras, BLOCKS as BLOCKS_CODE};
use crate::top::System;
use crate::verilog::{self, Style, Unsupported};
use rust_hdl::prelude::*;
use sim::params::{ParamError, TraceParams};
use sim::scheme::any::{AnyScheme, SchemeName, TraceOptions};
use std::ops::RangeInclusive;

/// Numbers of cores for which circuits exist.
pub const CORES: RangeInclusive<u8> = 1..=8;
/// log2 of the depth of an event FIFO.
pub const LOG2_FIFO: RangeInclusive<u8> = 3..=8;
/// The same for the schemes `inputs` and `cfiat`, whose cores continue for some cycles after `hold`.
pub const LOG2_RECORD_FIFO: RangeInclusive<u8> = 4..=8;

/// The interface between core and trace system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingress {
    /// RISC-V Formal Interface.
    Rvfi,
    /// RISC-V E-Trace instruction trace interface, single instructions.
    Etrace,
    /// RISC-V E-Trace instruction trace interface, blocks of more than one instruction.
    Blocks,
    /// Only instructions and their addresses.
    PcChain,
}

impl Ingress {
    /// All variants.
    pub const ALL: [Self; 4] = [Self::Rvfi, Self::Etrace, Self::Blocks, Self::PcChain];

    /// Lower-case name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rvfi => "rvfi",
            Self::Etrace => "etrace",
            Self::Blocks => "etrace-blocks",
            Self::PcChain => "pc-chain",
        }
    }

    /// Code in register `status`.
    pub const fn code(self) -> u8 {
        match self {
            Self::Rvfi => 0,
            Self::Etrace => 1,
            Self::Blocks => BLOCKS_CODE,
            Self::PcChain => 3,
        }
    }
}

/// The options of a trace system's circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemOptions {
    /// Ingress of every core.
    pub ingress: Ingress,
    /// log2 of the depth of each event FIFO, which holds two entries fewer. 3..=8.
    pub fifo_address_bits: u8,
    /// Additional functions.
    pub extras: Extras,
}

impl SystemOptions {
    /// Depth of an event FIFO, in entries.
    pub const fn fifo_depth(&self) -> u32 {
        1 << self.fifo_address_bits
    }

    /// Entries that an event FIFO can hold.
    pub const fn fifo_entries(&self) -> u32 {
        self.fifo_depth() - 2
    }

    /// Text after the name of an ingress: its instructions or blocks per cycle, if more than one.
    pub fn channels_text(&self) -> String {
        let retire = self.extras.retire.filter(|r| r.per_cycle > 1);
        let what = if self.ingress == Ingress::Blocks { "blocks" } else { "instructions" };
        retire.map_or_else(String::new, |r| format!(", {} {what} per cycle", r.per_cycle))
    }

    /// Scale of the scheme's warm-up in such a system: the argument of [`sim::system::System::with_warm_up_scale`].
    pub fn warm_up_scale(&self, params: &TraceParams) -> u8 {
        Extras { ingress: self.ingress.code(), ..self.extras }.warm_up_scale(params)
    }

    /// The constant bits of register `status`.
    pub fn status(&self) -> u32 {
        Extras { ingress: self.ingress.code(), ..self.extras }.status()
    }
}

impl Default for SystemOptions {
    /// RVFI ingress, FIFOs of one iCE40 block RAM, no extras.
    fn default() -> Self {
        Self { ingress: Ingress::Rvfi, fifo_address_bits: 8, extras: Extras::default() }
    }
}

/// Error of a system without a circuit.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Invalid parameters.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// A scheme that has only a software model.
    #[error("{0}")]
    Scheme(#[from] NoCircuit),
    /// A number of cores for which there is no circuit.
    #[error("cores = {0}; circuits exist for {from} to {to} cores", from = CORES.start(), to = CORES.end())]
    Cores(u8),
    /// A stream length that is too wide for the circuits.
    #[error("sl_bits = {0}; circuits exist for 6 to 10 bits")]
    StreamLength(u8),
    /// Options that cannot be combined, or invalid values.
    #[error("{0}")]
    Options(String),
    /// Parameters of a scheme that records data, of which there is a model and no circuit.
    #[error("scheme {0} has no circuit, {1} has")]
    Data(String, &'static str),
    /// A FIFO outside the range of systems whose cores wait.
    #[error("event FIFO of {} entries, expected a power of two from {} to {} with schemes that record data", 1u64.checked_shl((*.0).into()).unwrap_or(u64::MAX), 1 << LOG2_RECORD_FIFO.start(), 1 << LOG2_RECORD_FIFO.end())]
    RecordFifo(u8),
    /// A diagnosis chip that has no circuit.
    #[error("{0}")]
    Diag(#[from] ChipError),
    /// rust-hdl refused the circuit, which is a bug of this crate.
    #[error("rust-hdl refuses the circuit: {0}")]
    Check(String),
    /// The Verilog writer refused the circuit, which is a bug of this crate.
    #[error("Verilog of the circuit: {0}")]
    Verilog(#[from] Unsupported),
}

/// The system for `params` and `options`.
pub fn build(params: &TraceParams, options: &SystemOptions) -> Result<AnyTop, EmitError> {
    check(params, options)?;
    let depth = usize::from(options.fifo_address_bits);
    Ok(match params.xlen {
        32 => of_width::<32>(params, options, depth),
        _ => of_width::<64>(params, options, depth),
    })
}

/// Checks that there is a circuit.
pub(crate) fn check(params: &TraceParams, options: &SystemOptions) -> Result<(), EmitError> {
    params.check()?;
    let name = SchemeName { scheme: AnyScheme::Flow(params.flow), data: None, stated: TraceOptions::default() };
    describe(params, options).check(&name, true).map_err(EmitError::Options)?;
    if options.ingress == Ingress::Blocks && options.extras.retire.is_none() {
        return Err(EmitError::Options("the etrace-blocks ingress has a retire queue, and none is given".into()));
    }
    if (options.extras.range || options.extras.space) && !options.extras.filter {
        return Err(EmitError::Options(
            "a filter by address range or space is part of a filter, which is not built in".into(),
        ));
    }
    if let Some(addresses) = options.extras.addresses {
        addresses.check(params.xlen)?;
    }
    scheme::flow::check(params)?;
    match CORES.contains(&params.cores) {
        true => Ok(()),
        false => Err(EmitError::Cores(params.cores)),
    }
}

fn of_width<const W: usize>(params: &TraceParams, options: &SystemOptions, depth: usize) -> AnyTop {
    match (options.ingress, options.extras.retire.map_or(1, |r| r.per_cycle)) {
        (Ingress::Rvfi, 2) => system::<RvfiTwoPins<W>, W>(params, options, depth),
        (Ingress::Rvfi, 4) => system::<RvfiFourPins<W>, W>(params, options, depth),
        (Ingress::Rvfi, _) => system::<RvfiPins<W>, W>(params, options, depth),
        (Ingress::Etrace, _) => system::<EtracePins<W>, W>(params, options, depth),
        (Ingress::Blocks, 2) => system::<BlocksTwoPins<W>, W>(params, options, depth),
        (Ingress::Blocks, _) => system::<BlocksPins<W>, W>(params, options, depth),
        (Ingress::PcChain, _) => system::<ChainPins<W>, W>(params, options, depth),
    }
}

fn system<P: Pins<W>, const W: usize>(params: &TraceParams, options: &SystemOptions, depth: usize) -> AnyTop {
    AnyTop::new(System::<P, W>::new(params, depth, options.extras))
}

impl Circuit for TraceParams {
    fn title(&self) -> &'static str {
        "trace system"
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
        format!("RV{}, {} ingress{}", self.xlen, options.ingress.name(), options.channels_text())
    }

    fn check(&self, options: &SystemOptions) -> Result<(), EmitError> {
        check(self, options)
    }

    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError> {
        let session = options.extras.session || buses.words.has_packets();
        let extras = Extras { session, ..options.extras };
        scheme::write(build(self, &SystemOptions { extras, ..*options })?, style, buses)
    }
}

/// Verilog of a diagnosis chip, with a comment at the top that describes it.
pub fn emit_diag(params: &DiagParams, style: &Style) -> Result<String, EmitError> {
    let text = match params.generator.xlen {
        64 => checked(&mut WideDiagChip::new(params)?, style)?,
        _ => checked(&mut DiagChip::new(params)?, style)?,
    };
    Ok(format!("// Goshawk diagnosis chip, version {}\n// {params}\n\n{text}", env!("CARGO_PKG_VERSION")))
}

fn checked(top: &mut impl Block, style: &Style) -> Result<String, EmitError> {
    top.connect_all();
    check_all(top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    Ok(verilog::write(top, style)?.text)
}

/// Verilog of the system for `circuit`, with a comment at the top that describes it.
pub fn emit(circuit: &dyn Circuit, options: &SystemOptions) -> Result<String, EmitError> {
    emit_as(circuit, options, &Style::default())
}

/// As [`emit`], in a given style.
pub fn emit_as(circuit: &dyn Circuit, options: &SystemOptions, style: &Style) -> Result<String, EmitError> {
    emit_on(circuit, options, style, Buses::default())
}

/// As [`emit_as`], connected to the buses of a chip.
pub fn emit_on(
    circuit: &dyn Circuit,
    options: &SystemOptions,
    style: &Style,
    buses: Buses,
) -> Result<String, EmitError> {
    circuit.check(options)?;
    let verilog = circuit.verilog(options, style, buses)?;
    Ok(format!(
        "// Goshawk {}, version {}\n// {}{buses}\n// {}\n// fingerprint 0x{:08x}\n\n{verilog}",
        circuit.title(),
        env!("CARGO_PKG_VERSION"),
        circuit.ports(options),
        circuit.canonical(),
        circuit.fingerprint(),
    ))
}
