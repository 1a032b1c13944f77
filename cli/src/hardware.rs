//! Which circuit: what `gen` writes, and `gates` counts

use crate::args::range;
use crate::Failure;
use clap::{Args, ValueEnum};
use fpga::soc::core::CoreKind;
use hdl::emit::{SystemOptions, CORES, LANES, LOG2_FIFO};
use hdl::spine::{Extras, Retire};
use hdl::verilog::Style;
use sim::addresses::Addresses;
use sim::scheme::cfiat::params::Sizes as ValueSizes;
use sim::scheme::cfiat::CfiatParams;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::InputsParams;

/// A name that Verilog takes for a module.
pub fn module_name(name: &str) -> Result<String, String> {
    Style::check(name).map(|()| name.to_string())
}

/// Interface between core and trace module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ingress {
    /// RISC-V Formal Interface
    Rvfi,
    /// Instruction trace ingress port of the RISC-V E-Trace specification
    Etrace,
    /// The same, of blocks of several instructions a clock; with the C extension their number too
    EtraceBlocks,
    /// Instructions and their addresses alone: where one went is where the next one is
    PcChain,
}

impl From<Ingress> for hdl::emit::Ingress {
    fn from(i: Ingress) -> Self {
        match i {
            Ingress::Rvfi => Self::Rvfi,
            Ingress::Etrace => Self::Etrace,
            Ingress::EtraceBlocks => Self::Blocks,
            Ingress::PcChain => Self::PcChain,
        }
    }
}

/// A trace system beside its parameters.
#[derive(Args, Clone, Copy, Debug)]
pub struct HardwareArgs {
    #[arg(long, value_name = "N", default_value_t = 1, help = format!("Cores that are traced, {}", range(&CORES)))]
    pub cores: u8,
    /// Address width of the cores: 32 or 64
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    pub xlen: u8,
    /// What the cores show of a retired instruction
    #[arg(long, value_enum, default_value = "rvfi")]
    ingress: Ingress,
    /// Instructions that a core retires in a clock, at most: 1, 2 or 4; RVFI. Of --ingress etrace-blocks blocks: 1 or 2. The
    /// stream is that of one a clock
    #[arg(long, value_name = "N", default_value = "1", value_parser = retire)]
    retire: u8,
    /// Of --retire 2 or 4, and of --ingress etrace-blocks: places for clocks whose events wait, 4, 8 or 16; 4 or 8 of two
    /// blocks a clock
    #[arg(long, value_name = "N", default_value = "8", value_parser = queue)]
    retire_queue: u8,
    /// Of --ingress etrace-blocks: bits of `itype`. 3 tell no call, return or jump from another: sets s0, m0, b0 and nx_b take them
    #[arg(long, value_name = "BITS", default_value = "4", value_parser = itype)]
    itype: u8,
    #[arg(long = "fifo", value_name = "N", default_value = "16", value_parser = places, help = fifo_help())]
    log2_fifo: u8,
    /// Build in periodic synchronisation and synchronisation on request (registers `sync` and `request`)
    #[arg(long)]
    sync: bool,
    /// Build in the discontinuity check: an instruction that does not follow from the one before is told as an exception
    /// and noted in register `discontinuity`; RVFI only
    #[arg(long)]
    check: bool,
    /// Build in an output for each core that asks it to wait before its FIFO is full: then nothing is lost; FIFOs of 16 places or
    /// more, where two come in a clock 32, four 64, and a --retire-queue of 8 or 16
    #[arg(long)]
    stall: bool,
    /// Build in a filter: which privilege modes are told is for software (`control.modes`) and for the inputs `allow_modes`, and an
    /// input for each core hides what retires in a clock; not pc-chain
    #[arg(long)]
    filter: bool,
    /// As --filter, and two inputs for each core say from where to where instructions are told
    #[arg(long)]
    filter_range: bool,
    /// As --filter, and inputs for each core say of which address space instructions are told: number and mask
    #[arg(long)]
    filter_space: bool,
    /// The cores' RVFI ports come from registers: leave out those of the ingress. The stream is the same, the circuit smaller;
    /// RVFI only, without --filter and --retire
    #[arg(long)]
    registered_ports: bool,
    /// Build in a counter of lost instructions, field `lost` of register `status`
    #[arg(long)]
    count_lost: bool,
    /// Address bits of the cores that differ, 16 to 31 of 32, and where they begin besides at 0; of --xlen 64, 22 to 63, the
    /// bits above as the highest of them. The stream is the same, the circuit smaller
    #[arg(long, value_name = "BITS[@BASE]")]
    address_bits: Option<Addresses>,
    /// RAM of the cores, of the schemes `inputs` and `cfiat`: a load from elsewhere is recorded [default: 0x80000000+0x1000000]
    #[arg(long, value_name = "BASE+BYTES", value_parser = ram)]
    ram: Option<(u32, u32)>,
}

/// Instructions a clock.
fn retire(text: &str) -> Result<u8, String> {
    let number = text.parse().ok().filter(|n| *n == 1 || LANES.contains(n));
    number.ok_or_else(|| "1, 2 or 4 are right".into())
}

/// Bits of `itype`.
fn itype(text: &str) -> Result<u8, String> {
    text.parse().ok().filter(|n| [3, 4].contains(n)).ok_or_else(|| "3 or 4 are right".into())
}

/// log2 of the places of the queue behind several instructions a clock.
fn queue(text: &str) -> Result<u8, String> {
    let log2 = text.parse::<u8>().ok().filter(|n| [4, 8, 16].contains(n)).map(|n| n.trailing_zeros() as u8);
    log2.ok_or_else(|| "4, 8 or 16 are right".into())
}

/// RAM where the built-in simulator and the SoC have it, 16 MiB.
const RAM: (u32, u32) = (0x8000_0000, 1 << 24);

/// A first byte and a number of bytes.
fn ram(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let both = text.split_once('+').and_then(|(base, bytes)| Some((number(base)?, number(bytes)?)));
    both.ok_or_else(|| "its first byte, + and its bytes are right, as 0x80000000+0x1000000".into())
}

impl HardwareArgs {
    /// The options of the system.
    pub fn options(&self) -> SystemOptions {
        SystemOptions {
            ingress: self.ingress.into(),
            log2_fifo: self.log2_fifo,
            extras: Extras {
                sync: self.sync,
                check: self.check,
                session: false,
                stall: self.stall,
                filter: self.filter || self.filter_range || self.filter_space,
                range: self.filter_range,
                space: self.filter_space,
                lost: self.count_lost,
                registered: self.registered_ports,
                retire: (self.retire > 1 || self.ingress == Ingress::EtraceBlocks)
                    .then_some(Retire { lanes: self.retire, log2_words: self.retire_queue }),
                itype3: self.itype == 3,
                addresses: self.address_bits,
                ingress: 0,
            },
        }
    }

    /// Refuses what is of a trace of the control flow, beside a scheme that sends none.
    fn no_flow(&self, scheme: &str) -> Result<(), Failure> {
        let given = [
            ("--sync", self.sync),
            ("--check", self.check),
            ("--stall", self.stall),
            ("--retire", self.retire > 1),
            ("--itype", self.itype == 3),
            ("--filter", self.filter),
            ("--filter-range", self.filter_range),
            ("--filter-space", self.filter_space),
            ("--count-lost", self.count_lost),
            ("--registered-ports", self.registered_ports),
            ("--address-bits", self.address_bits.is_some()),
            ("--ingress", self.ingress != Ingress::Rvfi),
        ];
        match given.into_iter().find(|g| g.1) {
            Some((option, _)) => Err(Failure::Other(format!(
                "{option} is not for the scheme `{scheme}`, which sends no control flow, and takes RVFI with its data"
            ))),
            None => Ok(()),
        }
    }

    /// The parameters of a system of load values.
    ///
    /// # Errors
    /// As [`HardwareArgs::inputs`].
    pub fn cfiat(&self, sizes: ValueSizes) -> Result<CfiatParams, Failure> {
        self.no_flow("cfiat")?;
        let params = CfiatParams { xlen: self.xlen, ..CfiatParams::new(self.cores, self.ram.unwrap_or(RAM), sizes) };
        params.check()?;
        Ok(params)
    }

    /// The parameters of a record system.
    ///
    /// # Errors
    /// What is not possible, or was asked for and is not of this scheme.
    pub fn inputs(&self, sizes: Sizes) -> Result<InputsParams, Failure> {
        self.no_flow("inputs")?;
        let params = InputsParams::new(self.cores, self.xlen, self.ram.unwrap_or(RAM), sizes);
        params.check()?;
        Ok(params)
    }

    /// Refuses what is of the schemes `inputs` and `cfiat` alone.
    ///
    /// # Errors
    /// It was given.
    pub fn no_inputs(&self) -> Result<(), Failure> {
        match self.ram {
            Some(_) => Err(Failure::Other("--ram is of the schemes `inputs` and `cfiat`".into())),
            None => Ok(()),
        }
    }
}

/// Behind the name of an ingress: how many instructions a clock, where they are several.
pub fn several(options: &SystemOptions) -> String {
    let retire = options.extras.retire.filter(|r| r.lanes > 1);
    let what = if options.ingress == hdl::emit::Ingress::Blocks { "blocks" } else { "instructions" };
    retire.map_or_else(String::new, |r| format!(", {} {what} a clock", r.lanes))
}

/// What `--fifo` is, wherever there is one.
pub fn fifo_help() -> String {
    format!("Places of each core's event FIFO, of which two stay free: {}", sizes())
}

/// The places that an event FIFO can have.
fn sizes() -> String {
    let sizes: Vec<String> = LOG2_FIFO.map(|bits| (1u32 << bits).to_string()).collect();
    let (last, others) = sizes.split_last().map_or((String::new(), [].as_slice()), |(l, o)| (l.clone(), o));
    format!("{} or {last}", others.join(", "))
}

/// log2 of a number of places.
pub fn places(text: &str) -> Result<u8, String> {
    let log2 = text.parse::<u32>().ok().filter(|n| n.is_power_of_two()).map(|n| n.trailing_zeros() as u8);
    log2.filter(|n| LOG2_FIFO.contains(n)).ok_or_else(|| format!("{} are right", sizes()))
}

/// The built-in program `name` in its build for `core`.
pub fn built(name: &str, core: CoreKind) -> Result<&'static [u8], Failure> {
    let info = programs::find(name).ok_or_else(|| Failure::unknown_program(name))?;
    let none = || {
        let core = core.name();
        Failure::Other(format!("{name} needs interrupts and exceptions, which {core} has not; vexriscv and ibex have"))
    };
    info.soc.get(core.core().isa().name()).ok_or_else(none)
}
