//! What the subcommands share: script, program and chip from the command line

use super::processor::ProcessorArgs;
use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::hardware::built;
use crate::progress::Bars;
use crate::Failure;
use ::diag::app::App;
use ::diag::layout::{layout, Cut, Layout};
use ::diag::plan::{fit, plan, Plan, Rates};
use ::diag::session::{OnChip, Reference};
use ::diag::symbols::Symbols;
use fpga::soc::core::CoreKind;
use host::input::BUILTIN;
use retire::elf::Program;
use retire::image::Image;
use retire::RetireSink;
use sim::diag::chip::ChipParams;
use sim::diag::node::NodeKind;
use sim::diag::trigger::GeneratorParams;
use std::path::Path;

/// The script and what it observes.
#[derive(clap::Args, Clone, Debug)]
pub struct ScriptArgs {
    /// Script, or builtin:NAME (atomic, calls, interrupts, locks, messages, nested, postmortem, race, race-count, rate,
    /// stack, writers); not with -e
    #[arg(value_name = "SCRIPT|builtin:NAME", required_unless_present_any = ["text", "processor"])]
    script: Option<String>,
    /// What is observed: RISC-V executable, builtin:NAME, or a retire file with data (`goshawk run --data`)
    #[arg(value_name = "ELF|RET|builtin:NAME")]
    input: Option<String>,
    /// The script itself
    #[arg(short = 'e', value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    pub(super) processor: ProcessorArgs,
    #[command(flatten)]
    program: ProgramArgs,
}

/// The chip.
#[derive(clap::Args, Clone, Debug)]
pub struct ChipArgs {
    /// Clock of the chip, MHz
    #[arg(long, value_name = "MHZ", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    clock: u64,
    /// Rate of the link to the host, kbit/s
    #[arg(long, value_name = "KBIT", default_value_t = 12_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    link: u64,
    /// Event generators that know addresses only
    #[arg(long)]
    lite: bool,
}

impl ChipArgs {
    /// The chip of so many cores.
    pub fn params(&self, cores: u8) -> ChipParams {
        let generator = if self.lite { GeneratorParams::LITE } else { GeneratorParams::FULL };
        let (clock_hz, link_bits) = (self.clock * 1_000_000, self.link * 1000);
        ChipParams { generator, clock_hz, link_bits, ..ChipParams::new(cores) }
    }
}

/// The nodes of a chip, all of which have circuits.
pub fn with_circuits() -> Vec<NodeKind> {
    ChipParams::new(1).nodes
}

/// A script that is read, its program, and the chip it is for.
pub struct Opened {
    /// The run.
    pub source: Source,
    /// Names.
    pub symbols: Symbols,
    /// What the script says.
    pub app: App,
    /// The chip.
    pub params: ChipParams,
    /// What is observed, by its name.
    pub input: String,
    /// Text of the script.
    pub script: String,
    pub(super) image: Image,
}

/// A script that is read and its program, for a SoC.
pub struct OpenedSoc {
    /// The program.
    pub program: Program,
    /// Names.
    pub symbols: Symbols,
    /// What the script says.
    pub app: App,
    /// The chip, of nodes that have circuits.
    pub params: ChipParams,
    /// What is observed, by its name.
    pub input: String,
    /// What runs it.
    pub core: CoreKind,
}

/// A script with its meaning, if the chip's triggers are enough for it.
fn resolve(name: &str, text: &str, symbols: &Symbols, params: &ChipParams) -> Result<App, Failure> {
    let app = ::diag::parse::parse(text).and_then(|i| ::diag::resolve::resolve(&i, symbols, params.clock_hz));
    let mut app = app.map_err(|m| Failure::Other(m.in_script(name, text).to_string()))?;
    fit(&mut app, params, name, text).map_err(|e| Failure::Other(e.to_string()))?;
    for note in &app.notes {
        eprintln!("goshawk: note: {}", note.clone().in_script(name, text));
    }
    Ok(app)
}

impl ScriptArgs {
    /// Name and text of the script, and name of what is observed.
    fn named(&self) -> Result<(String, String, &String), Failure> {
        // with -e the first name is the input
        let (script, input) = match (&self.text, &self.script, &self.input) {
            (None, Some(script), Some(input)) => (Some(script), input),
            (Some(_), Some(input), None) => (None, input),
            (Some(_), Some(_), Some(_)) => {
                return Err(Failure::Other("-e is the script; a second one is too much".into()))
            }
            _ => {
                return Err(Failure::Other("what is observed is missing: an ELF, a retire file or builtin:NAME".into()))
            }
        };
        let (name, text) = match (script, &self.text) {
            (None, text) => ("-e".to_string(), text.clone().unwrap_or_default()),
            (Some(name), _) => (name.clone(), read_script(name)?),
        };
        Ok((name, text, input))
    }

    /// Reads script and program for a SoC of softcores: `goshawk diag run --soc`.
    pub fn open_soc(&self, machine: &MachineArgs, chip: &ChipArgs, core: CoreKind) -> Result<OpenedSoc, Failure> {
        let (name, text, input) = self.named()?;
        self.open_soc_text(name, text, input, machine, chip, core)
    }

    /// Reads the program that a script observes on a SoC.
    pub fn open_soc_text(
        &self,
        name: String,
        text: String,
        input: &str,
        machine: &MachineArgs,
        chip: &ChipArgs,
        core: CoreKind,
    ) -> Result<OpenedSoc, Failure> {
        let elf = match input.strip_prefix(BUILTIN) {
            Some(builtin) => built(builtin, core)?.to_vec(),
            None => std::fs::read(input).map_err(|e| Failure::io(Path::new(input), e))?,
        };
        let program = Program::parse(&elf).map_err(|e| Failure::program(input, e))?;
        let symbols = Symbols::parse(&elf).map_err(|e| Failure::Other(format!("{input}: {e}")))?;
        let mut params = chip.params(machine.harts.unwrap_or(1));
        params.nodes = with_circuits();
        let app = resolve(&name, &text, &symbols, &params)?;
        Ok(OpenedSoc { program, symbols, app, params, input: input.into(), core })
    }

    /// What is observed, where a program for the diagnosis processor stands in the place of a script.
    pub fn only_input(&self) -> Result<&String, Failure> {
        match (&self.text, &self.script, &self.input) {
            (None, Some(input), None) => Ok(input),
            (None, None, None) => {
                Err(Failure::Other("what is observed is missing: an ELF, a retire file or builtin:NAME".into()))
            }
            _ => Err(Failure::Other("--processor stands in the place of a script; one of both is too much".into())),
        }
    }

    /// Reads script and program.
    pub fn open(&self, machine: &MachineArgs, chip: &ChipArgs) -> Result<Opened, Failure> {
        let (name, text, input) = self.named()?;
        self.open_text(name, text, input, machine, chip)
    }

    /// Reads the program that a script observes.
    pub fn open_text(
        &self,
        name: String,
        text: String,
        input: &str,
        machine: &MachineArgs,
        chip: &ChipArgs,
    ) -> Result<Opened, Failure> {
        let source = Source::open(input, &self.program, machine)?;
        let named = source
            .input
            .named()
            .ok_or_else(|| Failure::Other(format!("{input}: is a recording; --elf names the program that it is of")))?;
        let elf = match named.name.strip_prefix(BUILTIN) {
            Some(builtin) => programs::find(builtin).ok_or_else(|| Failure::unknown_program(builtin))?.elf.to_vec(),
            None => std::fs::read(&named.name).map_err(|e| Failure::io(Path::new(&named.name), e))?,
        };
        if named.program.xlen != 32 {
            return Err(Failure::Other(format!("{input}: has 64-bit addresses; event generators know 32")));
        }
        let symbols = Symbols::parse(&elf).map_err(|e| Failure::Other(format!("{}: {e}", named.name)))?;
        let cores = source.run()?.harts;
        if cores > 16 {
            return Err(Failure::Other(format!("{input}: has {cores} harts; a chip has 1 to 16 event generators")));
        }
        let params = chip.params(cores);
        let app = resolve(&name, &text, &symbols, &params)?;
        let image = Image::new(&named.program);
        Ok(Opened { input: input.into(), script: text, source, symbols, app, params, image })
    }
}

fn read_script(name: &str) -> Result<String, Failure> {
    if let Some(builtin) = name.strip_prefix(BUILTIN) {
        let names = || ::diag::scripts::SCRIPTS.iter().map(|s| s.0).collect::<Vec<_>>().join(", ");
        return ::diag::scripts::find(builtin)
            .map(str::to_string)
            .ok_or_else(|| Failure::Other(format!("built-in script `{builtin}` is not known; {} are", names())));
    }
    let bytes = std::fs::read(name).map_err(|e| Failure::io(Path::new(name), e))?;
    String::from_utf8(bytes)
        .map_err(|e| Failure::Other(format!("{name}: byte {}: is no UTF-8 text", e.utf8_error().valid_up_to())))
}

impl Opened {
    /// Everything on the host.
    pub fn host_layout(&self) -> Result<Layout, Failure> {
        self.layout(&Cut::host(&self.app))
    }

    /// The layout of a cut.
    pub fn layout(&self, cut: &Cut) -> Result<Layout, Failure> {
        layout(&self.app, &self.params.nodes, cut).map_err(Failure::Other)
    }

    /// The best plan; `calibrate`: with rates of a run instead of assumed ones.
    pub fn plan(&self, calibrate: bool) -> Result<(Plan, Rates), Failure> {
        let clock = self.params.clock_hz;
        let rates = if calibrate {
            let mut reference = self.reference()?;
            self.tell(&mut reference)?;
            reference.finish().map_err(Failure::Other)?;
            let seconds = reference.totals().cycles.max(1) as f64 / clock as f64;
            let keys = reference.runtime().keys();
            Rates::measured(reference.runtime().tally(), &keys, &self.app, seconds, clock)
        } else {
            Rates::assumed(&self.app, clock)
        };
        let plan = plan(&self.app, &self.params, &rates).map_err(Failure::Other)?;
        Ok((plan, rates))
    }

    /// The application on a chip.
    pub fn on_chip(&self, layout: &Layout) -> Result<OnChip, Failure> {
        OnChip::new(&self.app, layout, self.params.clone(), self.image.clone()).map_err(Failure::Other)
    }

    /// The application with nothing between the cores and the host.
    pub fn reference(&self) -> Result<Reference, Failure> {
        let layout = self.host_layout()?;
        Reference::new(&self.app, &layout, self.params.cores, self.image.clone()).map_err(Failure::Other)
    }

    /// Tells the run to `sink`.
    pub fn tell(&self, sink: &mut impl RetireSink) -> Result<(), Failure> {
        self.source.run()?.tell(sink, &Bars)?;
        Ok(())
    }

    /// A recording without data has nothing to capture.
    pub fn check_data(&self, has_data: bool) -> Result<(), Failure> {
        if !has_data && self.source.input.is_recording() {
            return Err(Failure::Other(format!("{}: has no data; `goshawk run --data` records them", self.input)));
        }
        Ok(())
    }
}
