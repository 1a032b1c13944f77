//! Verilog of a trace system, chosen at run time
//!
//! A pure function of its arguments: the same ones give the same bytes.

use crate::any_top::AnyTop;
use crate::bus::wrap::Buses;
use crate::diag::chip::{DiagChip, DiagParams, NoChip};
use crate::ingress::blocks::{BlocksPins, BlocksTwoPins};
use crate::ingress::chain::ChainPins;
use crate::ingress::etrace::EtracePins;
use crate::ingress::pins::Pins;
use crate::ingress::rvfi::RvfiPins;
use crate::ingress::rvfi_wide::{RvfiFourPins, RvfiTwoPins};
use crate::options::Given;
use crate::scheme::tr::parts::NoCircuit;
use crate::scheme::{self, Circuit};
use crate::spine::{Extras, BLOCKS as BLOCKS_CODE};
use crate::top::System;
use crate::verilog::{self, Refused, Style};
use rust_hdl::prelude::*;
use sim::params::{ParamError, TraceParams};
use sim::scheme::any::{AnyScheme, SchemeName, Stated};
use std::ops::RangeInclusive;

/// Cores that circuits exist for.
pub const CORES: RangeInclusive<u8> = 1..=8;
/// log2 of the entries that a core's event FIFO can have.
pub const LOG2_FIFO: RangeInclusive<u8> = 3..=8;
/// log2 of the entries that it can have in a system of the schemes `inputs` and `cfiat`, where cores go on for some clocks behind `hold`.
pub const LOG2_RECORD_FIFO: RangeInclusive<u8> = 4..=8;

/// How retired instructions come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ingress {
    /// RISC-V formal interface.
    Rvfi,
    /// RISC-V E-Trace instruction trace interface.
    Etrace,
    /// The same, of blocks of several instructions.
    Blocks,
    /// Instructions and their addresses alone.
    PcChain,
}

impl Ingress {
    /// All of them.
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

    /// As register `status` has it.
    pub const fn code(self) -> u8 {
        match self {
            Self::Rvfi => 0,
            Self::Etrace => 1,
            Self::Blocks => BLOCKS_CODE,
            Self::PcChain => 3,
        }
    }
}

/// What a system has besides its stream's parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemOptions {
    /// Ingress of every core.
    pub ingress: Ingress,
    /// log2 of the places of each event FIFO, two more than the entries that fit. 3..=8.
    pub log2_fifo: u8,
    /// What else is built in.
    pub extras: Extras,
}

impl SystemOptions {
    /// Entries that fit an event FIFO.
    pub const fn fifo_entries(&self) -> u32 {
        (1 << self.log2_fifo) - 2
    }

    /// Behind the name of an ingress: how many instructions a cycle, where they are several.
    pub fn several(&self) -> String {
        let retire = self.extras.retire.filter(|r| r.lanes > 1);
        let what = if self.ingress == Ingress::Blocks { "blocks" } else { "instructions" };
        retire.map_or_else(String::new, |r| format!(", {} {what} per cycle", r.lanes))
    }

    /// How much longer than the scheme's K is, of such a system with `params`: what [`sim::system::System::of_haste`] takes.
    pub fn haste(&self, params: &TraceParams) -> u8 {
        Extras { ingress: self.ingress.code(), ..self.extras }.haste(params)
    }

    /// What register `status` always has of it.
    pub fn status(&self) -> u32 {
        Extras { ingress: self.ingress.code(), ..self.extras }.status()
    }
}

impl Default for SystemOptions {
    /// RVFI, the depth of an iCE40 block RAM, nothing else.
    fn default() -> Self {
        Self { ingress: Ingress::Rvfi, log2_fifo: 8, extras: Extras::default() }
    }
}

/// Why there is no circuit.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// Impossible parameters.
    #[error("{0}")]
    Params(#[from] ParamError),
    /// A scheme that exists in software only.
    #[error("{0}")]
    Scheme(#[from] NoCircuit),
    /// More cores than there are circuits for.
    #[error("cores = {0}; circuits exist for {from} to {to} cores", from = CORES.start(), to = CORES.end())]
    Cores(u8),
    /// A stream length that is too wide.
    #[error("sl_bits = {0}; circuits exist for 6 to 10 bits")]
    StreamLength(u8),
    /// Options that do not go together, or values that they do not take.
    #[error("{0}")]
    Options(String),
    /// Parameters of a scheme that records data, of which there is a model and no circuit.
    #[error("scheme {0} has no circuit, {1} has")]
    Data(String, &'static str),
    /// A FIFO outside the range of systems whose cores wait.
    #[error("log2_fifo = {0}, expected {from} to {to} with schemes that record data", from = LOG2_RECORD_FIFO.start(), to = LOG2_RECORD_FIFO.end())]
    RecordFifo(u8),
    /// There is no such chip of diagnosis.
    #[error("{0}")]
    Diag(#[from] NoChip),
    /// rust-hdl refused the circuit: a fault of this crate.
    #[error("rust-hdl refuses the circuit: {0}")]
    Check(String),
    /// The writer of Verilog did: a fault of this crate.
    #[error("Verilog of the circuit: {0}")]
    Verilog(#[from] Refused),
}

/// The system for `params`, of whatever type they ask for.
pub fn build(params: &TraceParams, options: &SystemOptions) -> Result<AnyTop, EmitError> {
    check(params, options)?;
    let depth = usize::from(options.log2_fifo);
    Ok(match params.xlen {
        32 => of_width::<32>(params, options, depth),
        _ => of_width::<64>(params, options, depth),
    })
}

/// Refuses what there is no circuit for.
pub(crate) fn check(params: &TraceParams, options: &SystemOptions) -> Result<(), EmitError> {
    params.check()?;
    let name = SchemeName { scheme: AnyScheme::Flow(params.flow), data: None, stated: Stated::default() };
    Given::of(params, options).check(&name, true).map_err(EmitError::Options)?;
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
    match (options.ingress, options.extras.retire.map_or(1, |r| r.lanes)) {
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
        format!("RV{}, {} ingress{}", self.xlen, options.ingress.name(), options.several())
    }

    fn cores(&self) -> u8 {
        self.cores
    }

    fn check(&self, options: &SystemOptions) -> Result<(), EmitError> {
        check(self, options)
    }

    fn verilog(&self, options: &SystemOptions, style: &Style, buses: Buses) -> Result<String, EmitError> {
        let session = options.extras.session || buses.words.has_packets();
        let extras = Extras { session, ..options.extras };
        scheme::write(build(self, &SystemOptions { extras, ..*options })?, style, buses)
    }

    fn canonical(&self) -> String {
        self.canonical()
    }

    fn fingerprint(&self) -> u32 {
        self.fingerprint()
    }

    fn name(&self) -> String {
        self.flow.name()
    }

    fn state_bits(&self) -> Option<u64> {
        Some(self.state_bits().into())
    }

    fn flow(&self) -> Option<&TraceParams> {
        Some(self)
    }
}

/// The Verilog of a chip of diagnosis, behind a comment that says what it is.
pub fn emit_diag(params: &DiagParams, style: &Style) -> Result<String, EmitError> {
    let mut top = DiagChip::new(params)?;
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    Ok(format!(
        "// Goshawk diagnosis chip, version {}\n// {params}\n\n{}",
        env!("CARGO_PKG_VERSION"),
        verilog::write(&top, style)?.text
    ))
}

/// The Verilog of the system for `circuit`, behind a comment that says what it is.
pub fn emit(circuit: &dyn Circuit, options: &SystemOptions) -> Result<String, EmitError> {
    emit_as(circuit, options, &Style::default())
}

/// As [`emit`], in a style of one's own.
pub fn emit_as(circuit: &dyn Circuit, options: &SystemOptions, style: &Style) -> Result<String, EmitError> {
    emit_on(circuit, options, style, Buses::default())
}

/// As [`emit_as`], on the buses of a chip.
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
