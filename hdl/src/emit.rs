//! Verilog of a trace system, chosen at run time
//!
//! A pure function of its arguments: the same ones give the same bytes.

use crate::any_top::AnyTop;
use crate::bus::wrap::{wrap, Buses};
use crate::diag::chip::{DiagChip, DiagParams, NoChip};
use crate::ingress::blocks::{BlocksPins, BlocksTwoPins};
use crate::ingress::chain::ChainPins;
use crate::ingress::etrace::EtracePins;
use crate::ingress::pins::Pins;
use crate::ingress::rvfi::RvfiPins;
use crate::ingress::rvfi_wide::{RvfiFourPins, RvfiTwoPins};
use crate::scheme::cfiat::filter::Filter;
use crate::scheme::cfiat::system::CfiatSystem;
use crate::scheme::inputs::first::KNOWN;
use crate::scheme::inputs::system::InputsSystem;
use crate::scheme::sc_lsp::entry::LENGTH_BITS;
use crate::scheme::tr::parts::{NoCircuit, Parts};
use crate::spine::{Extras, Retire, BLOCKS as BLOCKS_CODE};
use crate::top::System;
use crate::verilog::{self, Refused, Style};
use rust_hdl::prelude::*;
use sim::params::{FlowScheme, ParamError, TraceParams};
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::InputsParams;
use sim::scheme::tr::target::TargetParams;
use std::ops::RangeInclusive;

/// Cores that circuits exist for.
pub const CORES: RangeInclusive<u8> = 1..=8;
/// log2 of the entries that a core's event FIFO can have.
pub const LOG2_FIFO: RangeInclusive<u8> = 3..=8;
/// Instructions that a core can retire in a clock, of more than one.
pub const LANES: [u8; 2] = [2, 4];
/// Blocks that it can retire in a clock.
pub const BLOCKS: [u8; 2] = [1, 2];
/// log2 of the fewest entries with which a core that may be stalled loses nothing.
pub const LOG2_STALL: u8 = 4;
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
    /// A check of an ingress that does not say where an instruction went.
    #[error("the discontinuity check is of the RVFI ingress; {0}")]
    NoCheck(&'static str),
    /// A filter of an ingress that does not tell an instruction in the clock in which it retires.
    #[error(
        "a filter is of the ingresses rvfi, etrace and etrace-blocks; {0} tells an instruction when the next one comes"
    )]
    NoFilter(&'static str),
    /// Contexts of an ingress that has no ports for them.
    #[error("contexts are of the ingresses rvfi, etrace and etrace-blocks; {0} has none")]
    NoContext(&'static str),
    /// Ranges without what hides.
    #[error("ranges and address spaces are of a filter, which is not built in")]
    NoVeil,
    /// An ingress, or something beside it, that needs registers of its own.
    #[error("ports that come from registers have no circuit with {0}; leave one of them out")]
    Registered(&'static str),
    /// Several instructions a clock of an ingress or scheme, or with something, that has no circuit for them.
    #[error("{0} has no circuit for several instructions a clock; {1}")]
    Retire(&'static str, &'static str),
    /// Blocks without a queue, or not one or two a clock.
    #[error("the etrace-blocks ingress takes 1 or 2 blocks a clock, not {0}")]
    Blocks(u8),
    /// A queue that counts more instructions than its numbers hold.
    #[error("a queue of 2^{0} words behind two blocks a clock is outside 2^2 to 2^3")]
    BlockQueue(u8),
    /// An `itype` of 3 bits of another ingress.
    #[error("an itype of 3 bits is of the etrace-blocks ingress; {0} has none")]
    NoItype(&'static str),
    /// Predictors that must know calls and returns.
    #[error("an itype of 3 bits does not tell calls, returns and jumps apart: {0} does not do; tr with neither a return address stack nor targets (sets s0, m0 and b0, or sizes as 512/0/0) and nx_b do")]
    Itype(String),
    /// A number of instructions a clock that there is no circuit for.
    #[error("retire = {0}; circuits exist for 1, 2 and 4 instructions a clock")]
    Lanes(u8),
    /// A queue outside its range.
    #[error("a queue of 2^{0} words is outside 2^2 to 2^4")]
    Queue(u8),
    /// A FIFO that is full before a core waits.
    #[error("stall outputs take FIFOs of 16 places or more, log2_fifo = 4; there are 8")]
    Stall,
    /// The same of cores that retire several instructions a clock.
    #[error("stall outputs take FIFOs of {most} places or more where {lanes} instructions a clock come in (a block counts as two); there are {places}", most = 1 << .0, lanes = .1, places = 1 << .2)]
    StallWide(u8, u8, u8),
    /// A queue that is full before such a core waits.
    #[error("stall outputs take a queue of 8 places or more, log2_words = 3; there are 4")]
    StallQueue,
    /// A FIFO outside its range.
    #[error("log2_fifo = {0} is outside {from} to {to}", from = LOG2_FIFO.start(), to = LOG2_FIFO.end())]
    Fifo(u8),
    /// A FIFO outside the range of systems whose cores wait.
    #[error("log2_fifo = {0} is outside {from} to {to}, the range of the schemes inputs and cfiat", from = LOG2_RECORD_FIFO.start(), to = LOG2_RECORD_FIFO.end())]
    RecordFifo(u8),
    /// A record system that exists in software only.
    #[error("{0} of the scheme inputs has no circuit; {1}")]
    Inputs(&'static str, &'static str),
    /// A system of load values that exists in software only.
    #[error("{0}")]
    Cfiat(String),
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
    params.check()?;
    if !LOG2_FIFO.contains(&options.log2_fifo) {
        return Err(EmitError::Fifo(options.log2_fifo));
    }
    if let Some(addresses) = options.extras.addresses {
        addresses.check(params.xlen)?;
    }
    if options.extras.stall && options.log2_fifo < LOG2_STALL {
        return Err(EmitError::Stall);
    }
    match options.ingress {
        Ingress::Etrace if options.extras.check => {
            return Err(EmitError::NoCheck("E-Trace does not say where an instruction went"));
        }
        Ingress::PcChain if options.extras.filter => return Err(EmitError::NoFilter("a PC chain")),
        Ingress::PcChain if options.extras.check => return Err(EmitError::NoCheck("a PC chain is always checked")),
        Ingress::Blocks if options.extras.check => {
            return Err(EmitError::NoCheck("E-Trace does not say where an instruction went"));
        }
        Ingress::Blocks if options.extras.retire.is_none() => return Err(EmitError::Blocks(0)),
        Ingress::Rvfi | Ingress::Etrace | Ingress::Blocks | Ingress::PcChain => {}
    }
    if params.context.is_some() {
        match options.ingress {
            Ingress::Rvfi | Ingress::Etrace | Ingress::Blocks => {}
            Ingress::PcChain => return Err(EmitError::NoContext(options.ingress.name())),
        }
    }
    if (options.extras.range || options.extras.space) && !options.extras.filter {
        return Err(EmitError::NoVeil);
    }
    if options.extras.itype3 {
        check_itype3(params, options.ingress)?;
    }
    if options.extras.registered {
        let has = [
            (options.ingress == Ingress::Etrace, "the etrace ingress"),
            (options.ingress == Ingress::PcChain, "the pc-chain ingress"),
            (params.context.is_some(), "contexts"),
            (options.extras.filter, "a filter"),
            (options.extras.retire.is_some(), "several instructions a clock"),
        ];
        if let Some((_, what)) = has.iter().find(|h| h.0) {
            return Err(EmitError::Registered(what));
        }
    }
    if let Some(retire) = options.extras.retire {
        check_wide(options, retire)?;
    }
    let depth = usize::from(options.log2_fifo);
    match params.flow {
        FlowScheme::ScLsp(sc) if usize::from(sc.sl_bits) > LENGTH_BITS => {
            return Err(EmitError::StreamLength(sc.sl_bits));
        }
        FlowScheme::ScLsp(_) => {}
        FlowScheme::Tr(_) | FlowScheme::Nexus(_) | FlowScheme::TrShared(_) => {
            Parts::of(params)?;
        }
    }
    if !CORES.contains(&params.cores) {
        return Err(EmitError::Cores(params.cores));
    }
    Ok(match params.xlen {
        32 => of_width::<32>(params, options, depth),
        _ => of_width::<64>(params, options, depth),
    })
}

/// Whether there is a circuit for several instructions a clock.
fn check_wide(options: &SystemOptions, retire: Retire) -> Result<(), EmitError> {
    match options.ingress {
        Ingress::Rvfi => {}
        Ingress::Blocks => {}
        Ingress::Etrace => return Err(EmitError::Retire("the etrace ingress", "rvfi has one")),
        Ingress::PcChain => return Err(EmitError::Retire("the pc-chain ingress", "rvfi has one")),
    }
    if options.ingress == Ingress::Blocks {
        if !BLOCKS.contains(&retire.lanes) {
            return Err(EmitError::Blocks(retire.lanes));
        }
        // two blocks of 15 instructions a clock, as long as eight words are told, are what ten bits count
        if retire.lanes == 2 && retire.log2_words > 3 {
            return Err(EmitError::BlockQueue(retire.log2_words));
        }
    } else if !LANES.contains(&retire.lanes) {
        return Err(EmitError::Lanes(retire.lanes));
    }
    if !(2..=4).contains(&retire.log2_words) {
        return Err(EmitError::Queue(retire.log2_words));
    }
    if options.extras.stall {
        let lanes = retire.lanes << u8::from(options.ingress == Ingress::Blocks);
        let least = if lanes == 4 { LOG2_STALL + 2 } else { LOG2_STALL + 1 };
        if options.log2_fifo < least {
            return Err(EmitError::StallWide(least, lanes, options.log2_fifo));
        }
        if retire.log2_words < 3 {
            return Err(EmitError::StallQueue);
        }
    }
    Ok(())
}

/// Whether a system needs no more than an `itype` of 3 bits tells.
fn check_itype3(params: &TraceParams, ingress: Ingress) -> Result<(), EmitError> {
    if ingress != Ingress::Blocks {
        return Err(EmitError::NoItype(ingress.name()));
    }
    let targets = match &params.flow {
        FlowScheme::Tr(tr) => !matches!(tr.target, TargetParams::RasIbtb(sizes) if sizes.ras == 0 && sizes.ibtb == 0),
        FlowScheme::Nexus(_) => false,
        FlowScheme::ScLsp(_) | FlowScheme::TrShared(_) => true,
    };
    match targets {
        true => Err(EmitError::Itype(params.flow.name())),
        false => Ok(()),
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

/// The record system for `params`, with event FIFOs of 2^`log2_fifo` places.
pub fn build_inputs(params: &InputsParams, log2_fifo: u8) -> Result<InputsSystem, EmitError> {
    params.check()?;
    if params.xlen != 32 {
        return Err(EmitError::Inputs("xlen = 64", "32 has one"));
    }
    if params.sizes.unmodelled.is_some() {
        return Err(EmitError::Inputs("a mask", "the scheme without one has one"));
    }
    if params.sizes.known > KNOWN {
        return Err(EmitError::Inputs("known above 65536", "up to 65536 has one"));
    }
    if !LOG2_RECORD_FIFO.contains(&log2_fifo) {
        return Err(EmitError::RecordFifo(log2_fifo));
    }
    Ok(InputsSystem::new(params, log2_fifo.into()))
}

/// The Verilog of the record system for `params`, as [`emit_on`] gives it.
pub fn emit_inputs(params: &InputsParams, log2_fifo: u8, style: &Style, buses: Buses) -> Result<String, EmitError> {
    let mut top = build_inputs(params, log2_fifo)?;
    if buses.words.has_packets() {
        top = top.with_session();
    }
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    let verilog = wrap(verilog::write(&top, style)?, style, buses)?;
    Ok(format!(
        "// Goshawk record system, version {}\n// ingress rvfi with data, event FIFOs of {} entries{buses}\n// {}\n// fingerprint 0x{:08x}\n\n{verilog}",
        env!("CARGO_PKG_VERSION"),
        (1u32 << log2_fifo) - 2,
        params.canonical(),
        params.fingerprint(),
    ))
}

/// The system of load values for `params`, with access queues and event FIFOs of 2^`log2_fifo` places.
pub fn build_cfiat(params: &CfiatParams, log2_fifo: u8) -> Result<CfiatSystem, EmitError> {
    params.check()?;
    let none =
        |what: &str, has: &str| Err(EmitError::Cfiat(format!("scheme cfiat: {what} has no circuit; {has} has one")));
    if params.xlen != 32 {
        return none("xlen = 64", "32");
    }
    if params.ram_last - params.ram_base < 3 {
        return none("memory of less than a word", "a word or more");
    }
    if params.sizes.shared && params.cores > 1 {
        return none("+shared", "a cache of each core");
    }
    if let Some(why) = Filter::why_not(&params.sizes) {
        return Err(EmitError::Cfiat(why));
    }
    if !CORES.contains(&params.cores) {
        return Err(EmitError::Cores(params.cores));
    }
    if !LOG2_RECORD_FIFO.contains(&log2_fifo) {
        return Err(EmitError::RecordFifo(log2_fifo));
    }
    Ok(CfiatSystem::new(params, log2_fifo.into()))
}

/// The Verilog of the system of load values for `params`, as [`emit_on`] gives it.
pub fn emit_cfiat(params: &CfiatParams, log2_fifo: u8, style: &Style, buses: Buses) -> Result<String, EmitError> {
    let mut top = build_cfiat(params, log2_fifo)?;
    if buses.words.has_packets() {
        top = top.with_session();
    }
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    let verilog = wrap(verilog::write(&top, style)?, style, buses)?;
    Ok(format!(
        "// Goshawk system of load values, version {}\n// ingress rvfi with data, queues and event FIFOs of {} entries{buses}\n// {}\n// fingerprint 0x{:08x}\n\n{verilog}",
        env!("CARGO_PKG_VERSION"),
        (1u32 << log2_fifo) - 2,
        params.canonical(),
        params.fingerprint(),
    ))
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

/// The Verilog of the system for `params`, behind a comment that says what it is.
pub fn emit(params: &TraceParams, options: &SystemOptions) -> Result<String, EmitError> {
    emit_as(params, options, &Style::default())
}

/// As [`emit`], in a style of one's own.
pub fn emit_as(params: &TraceParams, options: &SystemOptions, style: &Style) -> Result<String, EmitError> {
    emit_on(params, options, style, Buses::default())
}

/// As [`emit_as`], on the buses of a chip.
pub fn emit_on(
    params: &TraceParams,
    options: &SystemOptions,
    style: &Style,
    buses: Buses,
) -> Result<String, EmitError> {
    let session = options.extras.session || buses.words.has_packets();
    let extras = Extras { session, ..options.extras };
    let mut top = build(params, &SystemOptions { extras, ..*options })?;
    top.connect_all();
    check_all(&top).map_err(|e| EmitError::Check(format!("{e:?}")))?;
    let verilog = wrap(verilog::write(&top, style)?, style, buses)?;
    Ok(format!(
        "// Goshawk trace system, version {}\n// ingress {}, event FIFOs of {} entries{}{buses}\n// {}\n// fingerprint 0x{:08x}\n\n{verilog}",
        env!("CARGO_PKG_VERSION"),
        options.ingress.name(),
        options.fifo_entries(),
        extras,
        params.canonical(),
        params.fingerprint(),
    ))
}
