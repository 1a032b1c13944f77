//! `--processor` of `goshawk diag plan`, `run`, `top`, `replay` and `test`: a program on the diagnosis processor
//! instead of a script

use super::chip::ChipArgs;
use super::common::{symbols_of, Opened, PointDetection, ScriptArgs};
use super::plan::overload;
use super::run::{self, rate_values, rates, status, whole, write, ReplayArgs, RunArgs};
use super::screen::Screen;
use super::soc::{drive, SocArgs};
use super::test::{self, compare};
use crate::args::{MachineArgs, Source};
use crate::files::OutputPath;
use crate::output::facts;
use crate::{Failure, Status};
use ::diag::firmware::Firmware;
use ::diag::handlers::{slots, Handlers, ProgramOutput};
use ::diag::load;
use ::diag::plan::CutRate;
use ::diag::program::{plan as plan_of, ProgramRates};
use ::diag::runtime::Output;
use ::diag::session::Totals;
use host::inputs;
use retire::{DataEvent, FlowEvent, RetireSink};
use sim::diag::chip::FIRST_NODE;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Body, Op, Packet, HOST};
use sim::diag::processor::node::start;
use sim::diag::processor::{SLOTS, UNIT};
use sim::diag::registers;
use std::io::Write;

/// A program with the run that it observes.
struct OpenedProgram {
    name: String,
    firmware: Firmware,
    opened: Opened,
    watchdog: u32,
}

/// Opens a program, with the run that it observes.
fn open(script: &ScriptArgs, machine: &MachineArgs, chip: &ChipArgs) -> Result<OpenedProgram, Failure> {
    let (name, firmware) = script.processor.firmware()?;
    let input = script.only_input()?;
    chip.fits("--processor", 0)?;
    let text = (name.clone(), firmware.script());
    let opened = script
        .open_text(text, input, machine, chip, PointDetection::Triggers)
        .map_err(|e| in_source(e, script, machine, (name.as_str(), &firmware)))?;
    Ok(OpenedProgram { name: name.clone(), firmware, opened, watchdog: script.processor.watchdog })
}

/// A failure as mistakes in the handlers' source, if these are the reason.
fn in_source(
    failure: Failure,
    script: &ScriptArgs,
    machine: &MachineArgs,
    (name, firmware): (&str, &Firmware),
) -> Failure {
    let symbols = || {
        let input = script.only_input()?;
        let source = Source::open(input, &script.program, machine)?;
        symbols_of(source.input.named().map_or(input, |named| &named.name))
    };
    let mistakes = symbols().map(|symbols| firmware.mistakes(&symbols, 1_000_000)).unwrap_or_default();
    if mistakes.is_empty() {
        return failure;
    }
    Failure::Other(format!("{name}: {}", mistakes.join("\n  ")))
}

/// Outputs of a program, and totals of the run.
type Done = (Vec<Output>, Totals);

impl OpenedProgram {
    /// The program on a chip.
    fn chip(&self) -> Result<Handlers<'_>, Failure> {
        let (params, image) = (self.opened.params.clone(), self.opened.image.clone());
        Handlers::on_chip(&self.firmware, &self.opened.app, params, image, self.watchdog).map_err(Failure::Other)
    }

    /// The program on the host, to which all events are sent over the link.
    fn host(&self) -> Result<Handlers<'_>, Failure> {
        let (params, image) = (self.opened.params.clone(), self.opened.image.clone());
        Handlers::on_host(&self.firmware, &self.opened.app, params, image, self.watchdog).map_err(Failure::Other)
    }

    /// The program without a chip.
    fn alone(&self) -> Result<Handlers<'_>, Failure> {
        let (cores, image) = (self.opened.params.cores, self.opened.image.clone());
        Handlers::alone(&self.firmware, &self.opened.app, cores, image, self.watchdog).map_err(Failure::Other)
    }

    /// Runs it to the end, and writes what the processor executes to `record`.
    fn finish(&self, mut handlers: Handlers<'_>, record: Option<&OutputPath>) -> Result<Done, Failure> {
        if record.is_some() {
            handlers.record().map_err(Failure::Other)?;
        }
        self.opened.report_to(&mut handlers)?;
        self.opened.check_data(handlers.has_data())?;
        handlers.finish().map_err(Failure::Other)?;
        if let (Some(path), Some(recorded)) = (record, handlers.recorded()) {
            inputs::write(path, recorded.params, recorded.words, &self.name, &self.firmware.program)?;
        }
        Ok((handlers.take_outputs(), handlers.totals()))
    }
}

/// Runs it on the chip's circuits.
fn on_soc(script: &ScriptArgs, machine: &MachineArgs, chip: &ChipArgs, soc: &SocArgs) -> Result<OnSoc, Failure> {
    let (name, firmware) = script.processor.firmware()?;
    chip.fits("--processor", 0)?;
    let opened = script.open_soc_text(
        (name.clone(), firmware.script()),
        script.only_input()?,
        (machine, chip),
        soc.core(),
        PointDetection::Triggers,
    );
    let mut opened = opened.map_err(|e| in_source(e, script, machine, (name.as_str(), &firmware)))?;
    opened.params.nodes = vec![NodeKind::Processor(SLOTS as u8)];
    let (cores, slots) = (opened.params.cores, slots(&opened.app, FIRST_NODE));
    let watchdog = script.processor.watchdog.div_ceil(UNIT) as u16;
    let mut before = load::write(FIRST_NODE, &start(&firmware.image, watchdog));
    let set = if opened.params.generator.lite { registers::lite(&slots, 32) } else { registers::full(&slots, 32) };
    before.extend((0..cores).flat_map(|c| load::write(c, &set)));
    let after = vec![Packet::control(HOST, FIRST_NODE, Op::Flush, 0, &[1])];
    let (run, packets) = drive(&opened, &before, &after, soc, None)?;
    let take = |program_output: &mut ProgramOutput<'_>, packets: &[Packet]| {
        for p in packets {
            if let Body::Event(e) = &p.body {
                program_output.take(e);
            }
        }
    };
    let mut program_output = ProgramOutput::new(&firmware);
    take(&mut program_output, &packets);
    let mut totals = run.totals(program_output.lost);
    let (events, _) =
        run.run.events(cores, opened.params.generator, &slots).map_err(|e| Failure::Other(e.to_string()))?;
    totals.events = events.len() as u64;
    totals.event_bytes = events.iter().map(|(_, e)| 2 * e.words() as u64).sum();
    // the model handles the same events in sequence
    let mut ring_processor = sim::diag::processor::ring_processor::RingProcessor::default();
    ring_processor.set(&start(&firmware.image, watchdog));
    let (mut model, mut out) = (ProgramOutput::new(&firmware), Vec::new());
    events.iter().for_each(|(_, e)| ring_processor.handle(Some(e), &mut out));
    ring_processor.handle(None, &mut out);
    out.iter().for_each(|(_, e)| model.take(e));
    let (found, model) = (program_output.take_outputs(), model.take_outputs());
    Ok(OnSoc { opened, found, model, totals })
}

struct OnSoc {
    opened: super::common::OpenedSoc,
    found: Vec<Output>,
    model: Vec<Output>,
    totals: Totals,
}

/// Runs it on the chip.
pub fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    if args.log.is_some() || args.on_host && args.soc.soc {
        let what = "--processor leaves no log, and on a SoC it is on the chip; not with --log, or --on-host and --soc";
        return Err(Failure::Other(what.into()));
    }
    let (outputs, totals, raw, symbols, hz, input);
    if args.soc.soc {
        let got = on_soc(&args.script, &args.machine, &args.chip, &args.soc)?;
        (outputs, totals, raw) = (got.found, got.totals, got.totals.event_bytes);
        (symbols, hz, input) = (got.opened.symbols, got.opened.params.clock_hz, got.opened.input);
    } else {
        let program = open(&args.script, &args.machine, &args.chip)?;
        let handlers = if args.on_host { program.host() } else { program.chip() }?;
        (outputs, totals) = program.finish(handlers, args.record.as_ref())?;
        raw = if args.rates { program.finish(program.alone()?, None)?.1.event_bytes } else { 0 };
        let opened = program.opened;
        (symbols, hz, input) = (opened.symbols, opened.params.clock_hz, opened.input);
    }
    if args.json {
        let rates = args.rates.then(|| rate_values(hz, &totals, raw));
        whole(&input, &symbols, &outputs, totals.lost(), rates).print(out)?;
        return Ok(status(&outputs, totals.lost()));
    }
    write(&symbols, hz, &outputs, (totals.lost(), &[]), args.format, args.output.as_ref(), out)?;
    if args.rates {
        let causes = if args.soc.soc { "as the chip reported".into() } else { run::causes(&totals) };
        facts(out, &rates(hz, &totals, raw, &causes))?;
    }
    Ok(status(&outputs, totals.lost()))
}

/// Runs it without a chip.
pub fn replay(args: &ReplayArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let program = open(&args.script, &args.machine, &ChipArgs::with_clock(args.clock))?;
    let (outputs, totals) = program.finish(program.alone()?, args.record.as_ref())?;
    let (opened, hz) = (&program.opened, program.opened.params.clock_hz);
    write(&opened.symbols, hz, &outputs, (totals.lost(), &[]), args.format, args.output.as_ref(), out)?;
    Ok(status(&outputs, totals.lost()))
}

/// Compares chip and host.
pub fn test(args: &test::Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if args.soc.soc {
        let got = on_soc(&args.script, &args.machine, &args.chip, &args.soc)?;
        let (input, symbols, hz) = (&got.opened.input, &got.opened.symbols, got.opened.params.clock_hz);
        return compare(input, symbols, hz, (&got.model, &got.found), &got.totals, args.json, out);
    }
    let program = open(&args.script, &args.machine, &args.chip)?;
    let (model, _) = program.finish(program.alone()?, None)?;
    let (found, totals) = program.finish(program.chip()?, None)?;
    let (opened, hz) = (&program.opened, program.opened.params.clock_hz);
    compare(&opened.input, &opened.symbols, hz, (&model, &found), &totals, args.json, out)
}

/// Prints what runs where.
pub fn plan(args: &super::plan::Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let program = open(&args.script, &args.machine, &args.chip)?;
    let (firmware, opened) = (&program.firmware, &program.opened);
    let rates = if args.calibrate {
        let mut handlers = program.alone()?;
        opened.report_to(&mut handlers)?;
        handlers.finish().map_err(Failure::Other)?;
        ProgramRates::measured(&handlers, opened.params.clock_hz)
    } else {
        ProgramRates::assumed(firmware, &opened.app)
    };
    let plan = plan_of(firmware, &opened.app, &opened.params, &rates);
    let cuts = [("processor", plan.chip_bits), ("host", plan.host_bits)];
    let cuts = cuts.map(|(where_, bits)| CutRate { on_chip: vec![format!("handlers on the {where_}")], bits });
    let bits = if plan.on_chip { plan.chip_bits } else { plan.host_bits };
    let notes: Vec<String> = overload(&opened.params, bits).into_iter().collect();
    super::plan::print(
        args,
        &opened.input,
        (&plan.reasons, &notes),
        (bits, plan.host_bits, 0.0),
        &cuts,
        rates.measured,
        out,
    )
}

/// A program whose messages are shown as they arrive.
struct Live<'a, 'f> {
    handlers: Handlers<'f>,
    screen: Screen<'a>,
    ticks: u64,
    /// Outputs since the last tick.
    outputs: Vec<Output>,
}

impl Live<'_, '_> {
    fn show(&mut self, over: bool) {
        let ticks = self.handlers.counts().0;
        if !over && ticks == self.ticks {
            self.outputs.extend(self.handlers.take_outputs());
            return;
        }
        self.ticks = ticks;
        // responses to the request at this tick come after it
        let outputs = std::mem::replace(&mut self.outputs, self.handlers.take_outputs());
        if !outputs.is_empty() {
            self.screen.show(&outputs, (self.handlers.totals().lost(), &[]));
        }
    }
}

impl RetireSink for Live<'_, '_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.handlers.event(event);
        self.show(false);
    }

    fn data(&mut self, data: &DataEvent) {
        self.handlers.data(data);
        self.show(false);
    }
}

/// Runs it, requests its tables at each tick, and shows what it sends.
pub fn top(args: &run::TopArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let program = open(&args.script, &args.machine, &args.chip)?;
    let opened = &program.opened;
    let clocks = u64::from(args.every) * opened.params.clock_hz / 1000;
    let mut handlers = program.chip()?;
    let period = u32::try_from(clocks).unwrap_or(u32::MAX).max(1);
    if !handlers.set_tick_period(period) {
        return Err(Failure::Other("the chip has no tick node".into()));
    }
    let mut live = Live { handlers, screen: Screen::new(opened, out), ticks: 0, outputs: Vec::new() };
    opened.report_to(&mut live)?;
    opened.check_data(live.handlers.has_data())?;
    live.handlers.finish().map_err(Failure::Other)?;
    // outputs of the last tick, and those of the end
    live.show(true);
    live.show(true);
    let lost = live.handlers.totals().lost();
    live.screen.finish(lost)
}
