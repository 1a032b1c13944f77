//! Shared by the subcommands: script and program from the command line

use super::chip::{with_circuits, ChipArgs};
use super::firmware::ProcessorArgs;
use super::observed::{Measured, TracedChip};
use super::traced::{self, TraceArgs, TraceRequest, Traced};
use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::input_name;
use crate::hardware::built;
use crate::output::plural;
use crate::progress::Bars;
use crate::Failure;
use ::diag::app::App;
use ::diag::layout::{layout, Cut, Layout};
use ::diag::order;
use ::diag::plan::{fit, plan, Plan, Rates};
use ::diag::points;
use ::diag::session::{OnChip, Reference};
use ::diag::symbols::Symbols;
use fpga::soc::core::CoreKind;
use host::input::BUILTIN;
use retire::elf::Program;
use retire::file::input;
use retire::image::Image;
use retire::RetireSink;
use sim::diag::chip::ChipParams;
use sim::diag::trigger::GeneratorParams;
use sim::params::TraceParams;
use sim::system::System;
use std::path::Path;

/// The script and what it observes.
#[derive(clap::Args, Clone, Debug)]
pub struct ScriptArgs {
    /// Script, or builtin:NAME (atomic, calls, interrupts, locks, messages, nested, postmortem, race, race-count, rate,
    /// stack, writers). Not with -e
    #[arg(value_name = "SCRIPT|builtin:NAME", required_unless_present_any = ["text", "processor"], value_parser = input_name())]
    script: Option<String>,
    /// Observed program: RISC-V executable, builtin:NAME, or a retire file with data (`goshawk run --data`)
    #[arg(value_name = "ELF|RET|builtin:NAME", value_parser = input_name())]
    input: Option<String>,
    /// Text of the script
    #[arg(short = 'e', value_name = "TEXT")]
    text: Option<String>,
    #[command(flatten)]
    pub(super) processor: ProcessorArgs,
    #[command(flatten)]
    pub(super) program: ProgramArgs,
}

impl ScriptArgs {
    /// Name of the script in messages.
    pub fn name(&self) -> &str {
        self.script.as_deref().unwrap_or("-e")
    }
}

/// Resources that detect a script's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointDetection {
    /// The chip's triggers.
    Triggers,
    /// The chip's triggers, and a trace of the cores for points beyond these.
    Traced,
    /// No chip, so the number is unlimited.
    Any,
}

impl PointDetection {
    /// With or without a trace.
    pub fn of(traced: bool) -> Self {
        if traced {
            Self::Traced
        } else {
            Self::Triggers
        }
    }
}

/// A parsed script with its program and its chip.
pub struct Opened {
    /// The run.
    pub source: Source,
    /// Symbols of the program.
    pub symbols: Symbols,
    /// The resolved script.
    pub app: App,
    /// The chip.
    pub params: ChipParams,
    /// Name of the observed input.
    pub input: String,
    /// Text of the script.
    pub script: String,
    pub(super) image: Image,
    /// Name of the script, and the application before it is fitted to the chip.
    name: String,
    whole: App,
}

/// A parsed script with its program for a SoC.
pub struct OpenedSoc {
    /// The program.
    pub program: Program,
    /// Symbols of the program.
    pub symbols: Symbols,
    /// The resolved script.
    pub app: App,
    /// The chip, with nodes that have circuits.
    pub params: ChipParams,
    /// Name of the observed input.
    pub input: String,
    /// Text of the script.
    pub script: String,
    /// The softcore.
    pub core: CoreKind,
}

/// Rates assumed without measurement, for a chip with or without a trace system.
fn assumed(app: &App, params: &ChipParams) -> Rates {
    let rates = Rates::assumed(app, params.clock_hz);
    if params.trace {
        rates.with_trace(params.cores, params.clock_hz)
    } else {
        rates
    }
}

/// Fits a script to a chip; an error also says what would help.
fn fitted(
    whole: &App,
    script: (&str, &str),
    params: &ChipParams,
    detection: PointDetection,
    rates: &Rates,
) -> Result<App, Failure> {
    let mut app = with_triggers(whole, script, params, detection, rates)?;
    order::require(&mut app, params);
    Ok(app)
}

/// As [`fitted`], for events as they arrive.
fn with_triggers(
    whole: &App,
    (name, text): (&str, &str),
    params: &ChipParams,
    detection: PointDetection,
    rates: &Rates,
) -> Result<App, Failure> {
    let mut app = whole.clone();
    if detection == PointDetection::Traced {
        points::fit(&mut app, params, rates, name, text).map_err(|e| Failure::Other(e.to_string()))?;
        return Ok(app);
    }
    let Err(mut e) = fit(&mut app, params, name, text) else { return Ok(app) };
    if detection == PointDetection::Any && !params.generator.lite {
        return Ok(whole.clone());
    }
    let mut traced = whole.clone();
    if points::fit(&mut traced, params, rates, name, text).is_ok() {
        let names = points::names(&traced, text).join(", ");
        e.what += &format!("; with `--trace` it fits: a trace of the cores reports {names}");
    }
    Err(Failure::Other(e.to_string()))
}

/// Resolves a script, before and after it is fitted to the chip.
fn resolve(
    (name, text): (&str, &str),
    symbols: &Symbols,
    (params, chip): (&ChipParams, &ChipArgs),
    detection: PointDetection,
) -> Result<(App, App), Failure> {
    let app = ::diag::parse::parse(text).and_then(|i| ::diag::resolve::resolve(&i, symbols, params.clock_hz));
    let mut whole = app.map_err(|m| Failure::Other(m.in_script(name, text).to_string()))?;
    whole.order.on_chip = chip.unordered;
    let app = fitted(&whole, (name, text), params, detection, &assumed(&whole, params))?;
    for note in &app.notes {
        eprintln!("goshawk: note: {}", note.clone().in_script(name, text));
    }
    Ok((whole, app))
}

/// The application with triggers for all points, for generators of maximum size.
pub fn untraced(app: &App) -> App {
    let mut app = app.clone();
    app.uses.iter_mut().for_each(|u| u.traced = false);
    order::stamp(&mut app);
    app
}

impl ScriptArgs {
    /// Whether a program for the diagnosis processor replaces the script.
    pub fn is_program(&self) -> bool {
        self.processor.is_given()
    }

    /// Name and text of the script, and name of the observed input.
    fn named(&self) -> Result<(String, String, &String), Failure> {
        // with -e, the first positional argument is the input
        let (script, input) = match (&self.text, &self.script, &self.input) {
            (None, Some(script), Some(input)) => (Some(script), input),
            (Some(_), Some(input), None) => (None, input),
            (Some(_), Some(_), Some(_)) => {
                return Err(Failure::Other("-e is the script; a second one is too much".into()))
            }
            _ => {
                return Err(Failure::Other(
                    "the observed program is missing: an ELF, a retire file or builtin:NAME".into(),
                ))
            }
        };
        let (name, text) = match (script, &self.text) {
            (None, text) => ("-e".to_string(), text.clone().unwrap_or_default()),
            (Some(name), _) => (name.clone(), read_script(name)?),
        };
        Ok((name, text, input))
    }

    /// Opens script and program for a SoC of softcores: `goshawk diag run --soc`.
    pub fn open_soc(
        &self,
        machine: &MachineArgs,
        chip: &ChipArgs,
        core: CoreKind,
        detection: PointDetection,
    ) -> Result<OpenedSoc, Failure> {
        let (name, text, input) = self.named()?;
        self.open_soc_text((name, text), input, (machine, chip), core, detection)
    }

    /// Opens the program that a script observes on a SoC.
    pub fn open_soc_text(
        &self,
        (name, text): (String, String),
        input: &str,
        (machine, chip): (&MachineArgs, &ChipArgs),
        core: CoreKind,
        detection: PointDetection,
    ) -> Result<OpenedSoc, Failure> {
        chip.fits("--soc", 1)?;
        let elf = match input.strip_prefix(BUILTIN) {
            Some(builtin) => built(builtin, core)?.to_vec(),
            None => input::elf(Path::new(input))?,
        };
        let program = Program::parse(&elf).map_err(|e| Failure::program(input, e))?;
        let symbols = Symbols::parse(&elf).map_err(|e| Failure::Other(format!("{input}: {e}")))?;
        let mut params = chip.params(machine.harts.unwrap_or(1));
        params.nodes = with_circuits();
        params.trace = detection == PointDetection::Traced;
        let (_, app) = resolve((&name, &text), &symbols, (&params, chip), detection)?;
        Ok(OpenedSoc { program, symbols, app, params, input: input.into(), script: text, core })
    }

    /// The observed input, if a program for the diagnosis processor replaces the script.
    pub fn only_input(&self) -> Result<&String, Failure> {
        match (&self.text, &self.script, &self.input) {
            (None, Some(input), None) => Ok(input),
            (None, None, None) => {
                Err(Failure::Other("the observed program is missing: an ELF, a retire file or builtin:NAME".into()))
            }
            _ => Err(Failure::Other("`--processor` replaces the script; remove one of them".into())),
        }
    }

    /// Opens script and program.
    pub fn open(&self, machine: &MachineArgs, chip: &ChipArgs, detection: PointDetection) -> Result<Opened, Failure> {
        let (name, text, input) = self.named()?;
        self.open_text((name, text), input, machine, chip, detection)
    }

    /// Opens the program that a script observes.
    pub fn open_text(
        &self,
        (name, text): (String, String),
        input: &str,
        machine: &MachineArgs,
        chip: &ChipArgs,
        detection: PointDetection,
    ) -> Result<Opened, Failure> {
        let source = Source::open(input, &self.program, machine)?;
        let named = source
            .input
            .named()
            .ok_or_else(|| Failure::Other(format!("{input}: is a recording; its program is expected in `--elf`")))?;
        let symbols = symbols_of(&named.name)?;
        let cores = source.run()?.harts;
        if cores > 16 {
            return Err(Failure::Other(format!("{input}: has {cores} harts; a chip has 1 to 16 event generators")));
        }
        if detection != PointDetection::Any {
            chip.check(cores)?;
        }
        let params = ChipParams { trace: detection == PointDetection::Traced, ..chip.params(cores) };
        let params = with_width(params, symbols.xlen());
        let (whole, app) = resolve((&name, &text), &symbols, (&params, chip), detection)?;
        let image = Image::new(&named.program);
        Ok(Opened { input: input.into(), script: text, source, symbols, app, params, image, name, whole })
    }
}

/// The chip of cores of `xlen` bits.
pub fn with_width(params: ChipParams, xlen: u8) -> ChipParams {
    ChipParams { generator: GeneratorParams { xlen, ..params.generator }, ..params }
}

/// Symbols of a program.
pub fn symbols_of(name: &str) -> Result<Symbols, Failure> {
    let elf = match name.strip_prefix(BUILTIN) {
        Some(builtin) => programs::find(builtin).ok_or_else(|| Failure::unknown_program(builtin))?.elf.to_vec(),
        None => input::elf(Path::new(name))?,
    };
    Symbols::parse(&elf).map_err(|e| Failure::Other(format!("{name}: {e}")))
}

/// Says which stores of bus masters no generator observed.
pub fn note_unseen(chip: &OnChip) {
    let unseen = chip.unseen_stores();
    if unseen > 0 {
        eprintln!(
            "goshawk: note: {} to watched variables were of a bus master and are not seen; `--masters 1` observes them",
            plural(unseen, "store")
        );
    }
}

/// Maximum size of a script, bytes.
const MAX_SCRIPT_SIZE: u64 = 1 << 20;

fn read_script(name: &str) -> Result<String, Failure> {
    if let Some(builtin) = name.strip_prefix(BUILTIN) {
        let names = || ::diag::scripts::SCRIPTS.iter().map(|s| s.0).collect::<Vec<_>>().join(", ");
        return ::diag::scripts::find(builtin).map(str::to_string).ok_or_else(|| {
            Failure::Other(format!("built-in script `{builtin}` is not known; expected one of {}", names()))
        });
    }
    Ok(input::text(Path::new(name), MAX_SCRIPT_SIZE, "a script")?)
}

impl Opened {
    /// The layout with everything on the host.
    pub fn host_layout(&self) -> Result<Layout, Failure> {
        self.layout(&Cut::host(&self.app))
    }

    /// The layout of a cut.
    pub fn layout(&self, cut: &Cut) -> Result<Layout, Failure> {
        layout(&self.app, &self.params.nodes, cut).map_err(Failure::Other)
    }

    /// The best plan for assumed rates.
    pub fn plan(&self) -> Result<(Plan, Rates), Failure> {
        let rates = assumed(&self.app, &self.params);
        Ok((plan(&self.app, &self.params, &rates).map_err(Failure::Other)?, rates))
    }

    /// The best plan for rates measured in a run. With a trace, the rates also decide which points come from it;
    /// `trace`: its parameters.
    pub fn calibrate(&mut self, trace: Option<&TraceParams>) -> Result<(Plan, Rates), Failure> {
        if trace.is_some() {
            let rates = self.measured(&self.whole, None)?;
            self.app = fitted(&self.whole, (&self.name, &self.script), &self.params, PointDetection::Traced, &rates)?;
        }
        let rates = self.measured(&self.app, trace)?;
        Ok((plan(&self.app, &self.params, &rates).map_err(Failure::Other)?, rates))
    }

    /// Rates of an application measured in a run.
    fn measured(&self, app: &App, trace: Option<&TraceParams>) -> Result<Rates, Failure> {
        let system = trace.map(|trace| System::with_code(trace, 0, &self.image)).transpose()?;
        let mut all = Measured { reference: self.reference_of(&untraced(app))?, system, words: 0 };
        self.report_to(&mut all)?;
        all.reference.finish().map_err(Failure::Other)?;
        let (cycles, clock) = (all.reference.totals().cycles, self.params.clock_hz);
        all.take(|system| system.finish(cycles));
        let seconds = cycles.max(1) as f64 / clock as f64;
        let (keys, words) = (all.reference.runtime().keys(), all.words);
        let rates = Rates::measured(all.reference.runtime().tally(), &keys, app, seconds, clock);
        Ok(if trace.is_some() { rates.with_traced(words, seconds) } else { rates })
    }

    /// The application on a chip.
    pub fn on_chip(&self, layout: &Layout) -> Result<OnChip, Failure> {
        OnChip::new(&self.app, layout, self.params.clone(), self.image.clone()).map_err(Failure::Other)
    }

    /// The application without a chip between cores and host.
    pub fn reference(&self) -> Result<Reference, Failure> {
        self.reference_of(&self.app)
    }

    /// The same for another application, with triggers for all of it.
    pub fn reference_of(&self, app: &App) -> Result<Reference, Failure> {
        let layout = layout(app, &self.params.nodes, &Cut::host(app)).map_err(Failure::Other)?;
        let reference = Reference::new(app, &layout, self.params.cores, self.image.clone());
        reference.and_then(|r| r.with_masters(&layout, self.params.masters)).map_err(Failure::Other)
    }

    /// Passes the run to `sink`.
    pub fn report_to(&self, sink: &mut impl RetireSink) -> Result<(), Failure> {
        self.source.run()?.report_to(sink, &Bars)?;
        Ok(())
    }

    /// Passes the run to a sink that contains a chip, and completes it.
    pub fn run_to_end<S: RetireSink>(&self, sink: &mut S, chip: impl Fn(&mut S) -> &mut OnChip) -> Result<(), Failure> {
        self.report_to(sink)?;
        self.check_data(chip(sink).has_data())?;
        note_unseen(chip(sink));
        chip(sink).finish().map_err(Failure::Other)
    }

    /// The default trace of the cores.
    pub fn usual_trace(&self) -> Result<TraceRequest, Failure> {
        TraceRequest::usual(self.cores()?)
    }

    /// The traced cores: their number, the width of their addresses, and its alignment as a power of two.
    pub fn cores(&self) -> Result<(u8, u8, u8), Failure> {
        Ok((self.params.cores, self.symbols.xlen(), self.source.input.likely_align()?))
    }

    /// The application on a chip with a trace system.
    pub fn on_traced_chip(&self, layout: &Layout, trace: &TraceRequest) -> Result<TracedChip, Failure> {
        let chip = OnChip::with_trace(&self.app, layout, self.params.clone(), self.image.clone(), trace.params);
        Ok(TracedChip { chip: chip.map_err(Failure::Other)?, flow: Vec::new() })
    }

    /// Checks the trace of a chip against what the cores retired; `files` are the files to write.
    pub fn traced(
        &self,
        traced_chip: TracedChip,
        request: &TraceRequest,
        files: Option<&TraceArgs>,
    ) -> Result<(OnChip, Traced), Failure> {
        let TracedChip { chip, flow } = traced_chip;
        let (replayed, all) = (chip.replayed(), chip.totals().link_bytes);
        let bytes = (replayed.bytes, all - replayed.bytes);
        let named = self.source.input.named();
        let program = &named.ok_or_else(|| Failure::Other(format!("{}: has no program", self.input)))?.program;
        let ran = self.source.run()?.info().source;
        let of = traced::Observed { program, names: (&self.input, ran), flow: &flow };
        let traced = Traced::check(request, &of, replayed, bytes, (&self.app, &self.script))?;
        files.map_or(Ok(()), |files| files.write(request, &of, traced.words()))?;
        Ok((chip, traced))
    }

    /// Refuses a recording without data, which has nothing to capture.
    pub fn check_data(&self, has_data: bool) -> Result<(), Failure> {
        if !has_data && self.source.input.is_recording() {
            return Err(Failure::Other(format!("{}: has no data; `goshawk run --data` records them", self.input)));
        }
        Ok(())
    }
}
