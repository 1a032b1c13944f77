//! The chip from the command line

use crate::output::plural;
use crate::Failure;
use ::diag::layout::Cut;
use ::diag::log::Header;
use sim::diag::chip::ChipParams;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;

/// The chip.
#[derive(clap::Args, Clone, Debug)]
pub struct ChipArgs {
    /// Clock rate of the chip, in MHz
    #[arg(help_heading = "Chip", long, value_name = "MHZ", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    clock: u64,
    /// Rate of the link to the host, in kbit/s
    #[arg(help_heading = "Chip", long, value_name = "KBIT", default_value_t = 12_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    link: u64,
    /// Event generators without data: they match addresses only
    #[arg(help_heading = "Chip", long)]
    lite: bool,
    /// Allow nodes on the chip to process events of several cores, in the order of their arrival over the ring. Results that
    /// depend on this order are marked
    #[arg(help_heading = "Chip", long)]
    pub(super) unordered: bool,
    /// Number of bus masters that are not cores, each with an event generator: `write:` and `access:` also see their stores.
    /// They are numbered after the cores. The built-in machine has one, a DMA; the SoC of --soc has one with 1. Not with --processor
    #[arg(help_heading = "Chip", long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=15))]
    pub(super) masters: u8,
    /// Stall the cores while the log of an event generator is full, so that overload loses no event. This changes the run
    /// and its times. Not with --soc, --processor, --trace or --lite
    #[arg(help_heading = "Chip", long, conflicts_with = "lite")]
    stall: bool,
    /// Number of cores with separate clocks, the first ones. Events of theirs that are less than 9 cycles from one of
    /// another core may be in the other order; results that depend on it are marked. Not with --soc or --stall
    #[arg(help_heading = "Chip", long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=16),
        conflicts_with = "stall")]
    core_clocks: u8,
}

/// The event generators of a chip.
pub fn generator(lite: bool) -> GeneratorParams {
    if lite {
        GeneratorParams::LITE
    } else {
        GeneratorParams::FULL
    }
}

impl ChipArgs {
    /// The chip of a recorded run.
    pub fn recorded(header: &Header) -> Self {
        let clock = (header.clock_hz / 1_000_000).clamp(1, 10_000);
        let Header { lite, unordered, masters, clocked: core_clocks, .. } = *header;
        Self { lite, unordered, masters, core_clocks, ..Self::with_clock(clock) }
    }

    /// The default chip with this clock rate, in MHz.
    pub fn with_clock(clock: u64) -> Self {
        Self { clock, link: 12_000, lite: false, unordered: false, masters: 0, stall: false, core_clocks: 0 }
    }

    /// As [`Self::with_clock`], with a generator for a bus master.
    pub fn with_master(clock: u64) -> Self {
        Self { masters: 1, ..Self::with_clock(clock) }
    }

    /// Refuses what is for scripts on the simulated chip; `most`: number of bus masters that are observed there.
    pub fn fits(&self, of: &str, most: u8) -> Result<(), Failure> {
        match self.masters {
            n if n > most => Err(Failure::Other(format!("`--masters {n}`: with `{of}` at most {most}"))),
            _ if self.core_clocks > 0 => Err(Failure::Other(format!(
                "`--core-clocks {}`: not with `{of}`, whose cores have one clock",
                self.core_clocks
            ))),
            _ if self.stall => Err(Failure::Other(format!("`--stall`: not with `{of}`, whose cores do not wait"))),
            _ => Ok(()),
        }
    }

    /// Whether the cores are held.
    pub fn stalls(&self) -> bool {
        self.stall
    }

    /// The header of a log of a chip with `cores` cores.
    pub fn header(&self, script: &str, cut: &Cut, cores: u8) -> Header {
        let (script, cut) = (script.into(), cut.clone());
        let (clock_hz, lite, unordered) = (self.clock * 1_000_000, self.lite, self.unordered);
        Header { script, cut, cores, clock_hz, lite, unordered, masters: self.masters, clocked: self.core_clocks }
    }

    /// Parameters of the chip for `cores` cores.
    pub fn params(&self, cores: u8) -> ChipParams {
        let generator = GeneratorParams { stalls: self.stall, ..generator(self.lite) };
        let (clock_hz, link_bits) = (self.clock * 1_000_000, self.link * 1000);
        // without a chip there may be more cores
        let masters = self.masters.min(16_u8.saturating_sub(cores));
        ChipParams { generator, clock_hz, link_bits, masters, clocked: self.core_clocks, ..ChipParams::new(cores) }
    }

    /// Refuses generators and clocks that do not fit this number of cores.
    pub fn check(&self, cores: u8) -> Result<(), Failure> {
        check_masters(cores, self.masters)?;
        check_clocks(cores, self.core_clocks)
    }
}

/// Refuses more bus masters than there are event generators.
pub fn check_masters(cores: u8, masters: u8) -> Result<(), Failure> {
    if cores + masters <= 16 {
        return Ok(());
    }
    let (cores, most) = (plural(cores, "core"), 16 - cores);
    Err(Failure::Other(format!(
        "`--masters {masters}`: with {cores} at most {most}; a chip has 1 to 16 event generators"
    )))
}

/// Refuses more clocks of cores than cores.
pub fn check_clocks(cores: u8, clocked: u8) -> Result<(), Failure> {
    if clocked <= cores {
        return Ok(());
    }
    let verb = if cores == 1 { "is" } else { "are" };
    Err(Failure::Other(format!("`--core-clocks {clocked}`: there {verb} only {}", plural(cores, "core"))))
}

/// Nodes of a chip, of the kinds that have circuits.
pub fn with_circuits() -> Vec<NodeKind> {
    ChipParams::new(1).nodes
}
