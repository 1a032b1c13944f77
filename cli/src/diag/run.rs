//! `goshawk diag run`, `top` and `replay`: runs a script on a chip, live, and on generators alone

use super::chip::ChipArgs;
use super::common::{note_unseen, PointDetection, ScriptArgs};
use super::screen::Screen;
use super::soc::SocArgs;
use super::traced::{TraceArgs, Traced};
use crate::args::MachineArgs;
use crate::files::OutputPath;
use crate::output::{count, facts, write_file, Object};
use crate::{Failure, Status};
use ::diag::log;
use ::diag::losses::LossLocation;
use ::diag::runtime::Output;
use ::diag::session::{OnChip, Totals};
use ::diag::sink::{loss_object, object, Format, Sink};
use ::diag::symbols::Symbols;
use retire::file::input;
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use serde_json::{json, Value};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How outputs look.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    /// Plain text
    Text,
    /// One JSON object per line
    Json,
    /// Comma-separated values
    Csv,
    /// Track events for ui.perfetto.dev
    Perfetto,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Text => Self::Text,
            FormatName::Json => Self::Json,
            FormatName::Csv => Self::Csv,
            FormatName::Perfetto => Self::Perfetto,
        }
    }
}

/// Run a script on the simulated chip, and on the host those parts that do not fit there
///
/// With --soc the circuits of the chip run at the retirement ports of softcores in Verilator. The host configures them
/// by packets over the ring, and reads their output from the bytes of the link.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag run builtin:race builtin:bank --harts 4 --rates\n  \
    goshawk diag run builtin:messages builtin:bank --harts 4 --format json | head\n  \
    goshawk diag run -e 'write:balance { printf(\"%s: %d\", pc, value); }' builtin:bank --format perfetto -o bank.pftrace\n  \
    goshawk diag run builtin:locks builtin:lockcont --harts 4 --rates --json\n  \
    goshawk diag run --processor builtin:locks builtin:lockcont --harts 4\n  \
    goshawk diag run --processor builtin:locks builtin:lockcont --on-host --rates\n  \
    goshawk diag run --processor builtin:locks builtin:lockcont --record locks.gip\n  \
    goshawk diag run builtin:race-count builtin:bank --harts 4 --link 96000 --trace bank.gtr\n  \
    goshawk diag run builtin:race builtin:bank --soc --harts 4 --max-cycles 400000 --rates\n  \
    goshawk diag run builtin:interrupts builtin:irq --soc --core ibex --harts 2 --max-cycles 1000000 --link 48000\n  \
    goshawk diag run builtin:race builtin:bank --soc --harts 4 --max-cycles 400000 --link 24000 --trace bank.gtr\n  \
    goshawk diag run builtin:race builtin:bank --soc --harts 2 --max-cycles 250000 --trace get.gtr --trace-while call:get_balance\n  \
    goshawk diag run builtin:race builtin:bank --soc --harts 4 --max-cycles 400000 --damage 1e-3,seed=3 --rates\n  \
    goshawk diag run -e 'machine order by core { free: ret:mutex_lock -> held; held: call:mutex_unlock -> free; } \
    violation:order { @n[key, step] = count(); }' builtin:lockcont --harts 4 --link 48000")]
pub struct RunArgs {
    #[command(flatten)]
    pub(super) script: ScriptArgs,
    /// Put only triggers on the chip, and everything else on the host, including the program of --processor
    #[arg(long)]
    pub(super) on_host: bool,
    /// Show the data rate of each stage after the output
    #[arg(long)]
    pub(super) rates: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: FormatName,
    /// Print one JSON object: the output of the script, the losses, and with --rates the rates
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub(super) json: bool,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<OutputPath>,
    /// Write everything that went over the link to this file
    #[arg(long, value_name = "FILE", conflicts_with = "soc")]
    pub(super) log: Option<OutputPath>,
    /// Write the run of the diagnosis processor to this file, a recorded run of one core for `goshawk gdb`, `profile` and
    /// others
    #[arg(long, value_name = "FILE", requires = "processor", conflicts_with = "soc")]
    pub(super) record: Option<OutputPath>,
    #[command(flatten)]
    pub(super) soc: SocArgs,
    #[command(flatten)]
    pub(super) trace: TraceArgs,
    #[command(flatten)]
    pub(super) chip: ChipArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Run a script and show its tables at each tick
///
/// With --processor, the tick node of the chip requests the tables of the program on the diagnosis processor at an
/// interval.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag top builtin:rate builtin:lockcont --harts 4\n  \
    goshawk diag top --processor builtin:locks builtin:lockcont --harts 4 --every 10")]
pub struct TopArgs {
    #[command(flatten)]
    pub(super) script: ScriptArgs,
    /// Interval at which the tables of --processor are requested, in ms, 1 to 60000
    #[arg(long, value_name = "MS", requires = "processor", default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=60_000))]
    pub(super) every: u32,
    #[command(flatten)]
    pub(super) chip: ChipArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Run a script on a retire file or a program without a chip
///
/// Everything runs on the host: there is no link, and nothing is lost.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag replay builtin:locks builtin:lockcont --harts 2\n  \
    goshawk run builtin:bank --data --harts 2 -o bank.ret\n  \
    goshawk diag replay builtin:race bank.ret --elf builtin:bank\n  \
    goshawk diag replay -e 'ltl held by arg0 { always (call:mutex_unlock -> previous ret:mutex_lock) } \
    violation:held { @broken[key] = count(); }' builtin:lockcont --harts 4\n  \
    goshawk diag replay -e 'ret:*lock { @[func] = quantiles(elapsed); }' builtin:lockcont --harts 2\n  \
    goshawk diag run builtin:locks builtin:lockcont --log locks.dlog\n  \
    goshawk diag replay builtin:locks builtin:lockcont --log locks.dlog")]
pub struct ReplayArgs {
    #[command(flatten)]
    pub(super) script: ScriptArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: FormatName,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<OutputPath>,
    /// Write the run of the diagnosis processor to this file, a recorded run of one core for `goshawk gdb`, `profile` and
    /// others
    #[arg(long, value_name = "FILE", requires = "processor")]
    pub(super) record: Option<OutputPath>,
    /// Log of `diag run --log` to read instead of running the program, which then only supplies the symbols
    #[arg(long, value_name = "FILE", conflicts_with = "processor")]
    log: Option<PathBuf>,
    /// Clock rate of the chip, in MHz; a log has that of its run
    #[arg(long, value_name = "MHZ", default_value_t = 50, conflicts_with = "log",
        value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(super) clock: u64,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Writes the outputs of the whole run in the selected format.
pub(super) fn write(
    symbols: &Symbols,
    clock_hz: u64,
    outputs: &[Output],
    (lost, losses): (u64, &[LossLocation]),
    format: FormatName,
    path: Option<&OutputPath>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut text = Vec::new();
    let mut sink = Sink::new(&mut text, format.into(), symbols, clock_hz)?;
    for o in outputs {
        sink.put(o)?;
    }
    sink.lost(lost)?;
    sink.losses(losses)?;
    match path {
        Some(path) => write_file(path, &text),
        None => Ok(out.write_all(&text)?),
    }
}

/// Done, or partial if events were lost or a result is not assured.
pub(super) fn status(outputs: &[Output], lost: u64) -> Status {
    if lost > 0 || outputs.iter().any(|o| o.mark().any()) {
        Status::Partial
    } else {
        Status::Done
    }
}

/// Bits per instruction and per access of a full trace, as estimated in the paper.
const FULL_TRACE: (u64, u64) = (2, 16);

/// A number of bytes of a run as a rate.
pub(super) fn kbit(t: &Totals, bytes: u64, clock_hz: u64) -> String {
    format!("{:.2} kbit/s", t.rate(bytes, clock_hz) / 1000.0)
}

/// Totals of a run as text; `loss_text` is the number or text of the losses.
pub(super) fn rates(clock_hz: u64, t: &Totals, raw_bytes: u64, loss_text: &str) -> Vec<(&'static str, String)> {
    let kbit = |bytes: u64| kbit(t, bytes, clock_hz);
    let full = (FULL_TRACE.0 * t.instructions + FULL_TRACE.1 * t.accesses) / 8;
    let of = |bytes: u64| format!("{:.1} times less", full as f64 / bytes.max(1) as f64);
    vec![
        ("run", format!("{} instructions, {} clocks", count(t.instructions), count(t.cycles))),
        ("full trace", format!("{} (2 bits per instruction, 16 an access)", kbit(full))),
        ("events", format!("{} events, {}, {}", count(t.events), kbit(raw_bytes), of(raw_bytes))),
        ("over the link", format!("{} bytes, {}, {}", count(t.link_bytes), kbit(t.link_bytes), of(t.link_bytes))),
        ("lost", format!("{} ({loss_text})", t.lost())),
    ]
}

/// The JSON object: outputs of the script, losses, and rates if requested.
pub(super) fn whole(input: &str, symbols: &Symbols, outputs: &[Output], lost: u64, rates: Option<Value>) -> Object {
    let outputs = outputs.iter().map(|o| object(o, symbols)).collect();
    let whole = Object::new("diag run", input).with("outputs", outputs).with("lost", lost.into());
    match rates {
        Some(rates) => whole.with("rates", rates),
        None => whole,
    }
}

/// As [`rates`], as numbers; rates are in bits per second.
pub(super) fn rate_values(clock_hz: u64, t: &Totals, raw_bytes: u64) -> Value {
    let full = (FULL_TRACE.0 * t.instructions + FULL_TRACE.1 * t.accesses) / 8;
    let of = |bytes: u64| json!({ "bytes": bytes, "rate": t.rate(bytes, clock_hz) });
    json!({
        "clock_hz": clock_hz, "cycles": t.cycles, "instructions": t.instructions, "accesses": t.accesses,
        "full_trace": of(full), "events": t.events, "all_events": of(raw_bytes), "link": of(t.link_bytes),
    })
}

/// Where the simulated chip lost events.
pub(super) fn causes(t: &Totals) -> String {
    let l = &t.losses;
    format!(
        "queue {}, NoC {}, returns {}, unknown words {}, nodes {}",
        l.queue, l.fifo, l.returns, l.unknown, t.node_losses
    )
}

/// Runs a script on the chip.
pub fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let opened = args.script.open(&args.machine, &args.chip, PointDetection::of(args.trace.is_given()))?;
    let layout = if args.on_host { opened.host_layout()? } else { opened.plan()?.0.layout };
    let request = args.trace.request(opened.cores()?)?;
    let (mut chip, traced) = match &request {
        Some(request) => {
            let mut traced_chip = opened.on_traced_chip(&layout, request)?;
            opened.run_to_end(&mut traced_chip, |traced_chip| &mut traced_chip.chip)?;
            let (chip, traced) = opened.traced(traced_chip, request, Some(&args.trace))?;
            (chip, Some(traced))
        }
        None => {
            let mut chip = opened.on_chip(&layout)?;
            if args.log.is_some() {
                chip.keep_log();
            }
            opened.run_to_end(&mut chip, |chip| chip)?;
            (chip, None)
        }
    };
    let totals = chip.totals();
    if let Some(path) = &args.log {
        let header = args.chip.header(&opened.script, &layout.cut, opened.params.cores);
        write_file(path, &chip.log(&header).unwrap_or_default())?;
    }
    let (outputs, losses) = (chip.runtime().take_outputs(), chip.runtime().loss_locations());
    let status = match traced.as_ref().map_or(Status::Done, Traced::status) {
        Status::Done => status(&outputs, totals.lost()),
        other => other,
    };
    let (symbols, hz) = (&opened.symbols, opened.params.clock_hz);
    // bytes that the same triggers would send with everything on the host
    let raw_bytes = if args.rates {
        let mut reference = opened.reference()?;
        opened.report_to(&mut reference)?;
        reference.totals().event_bytes
    } else {
        0
    };
    if args.json {
        let rates = args.rates.then(|| rate_values(hz, &totals, raw_bytes));
        let (l, nodes) = (&totals.losses, totals.node_losses);
        let causes =
            json!({ "queue": l.queue, "noc": l.fifo, "returns": l.returns, "unknown": l.unknown, "nodes": nodes });
        let mut whole = whole(&opened.input, symbols, &outputs, totals.lost(), rates)
            .with("causes", causes)
            .with("losses", losses.iter().map(loss_object).collect());
        if args.chip.stalls() {
            whole = whole.with("stalled", totals.stalled.into());
        }
        if let Some(traced) = &traced {
            whole = whole.with("trace", traced.value());
        }
        whole.print(out)?;
        return Ok(status);
    }
    write(symbols, hz, &outputs, (totals.lost(), &losses), args.format, args.output.as_ref(), out)?;
    if args.rates {
        let mut lines = rates(hz, &totals, raw_bytes, &causes(&totals));
        if args.chip.stalls() {
            lines.push(("stalled", format!("{} clocks, which are part of the run", count(totals.stalled))));
        }
        facts(out, &lines)?;
    }
    if let Some(traced) = &traced {
        facts(out, &traced.facts(|bytes| kbit(&totals, bytes, hz)))?;
    }
    Ok(status)
}

/// Runs a script on generators alone.
pub fn replay(args: &ReplayArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    if let Some(path) = &args.log {
        return replay_log(path, args, out);
    }
    let opened = args.script.open(&args.machine, &ChipArgs::with_master(args.clock), PointDetection::Any)?;
    let mut reference = opened.reference()?;
    opened.report_to(&mut reference)?;
    opened.check_data(reference.has_data())?;
    reference.finish().map_err(Failure::Other)?;
    let (outputs, losses) = (reference.runtime().take_outputs(), reference.runtime().loss_locations());
    let (symbols, hz, lost) = (&opened.symbols, opened.params.clock_hz, reference.totals().lost());
    write(symbols, hz, &outputs, (lost, &losses), args.format, args.output.as_ref(), out)?;
    Ok(status(&outputs, lost))
}

/// Maximum size of a log, bytes.
const MAX_LOG_SIZE: u64 = 1 << 30;

/// Passes a log file to the host.
fn replay_log(path: &Path, args: &ReplayArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let bytes = input::read(path, MAX_LOG_SIZE, "a log")?;
    let wrong = |what: String| Failure::Other(format!("{}: {what}", path.display()));
    let log = log::read(&bytes).map_err(wrong)?;
    let header = &log.header;
    let unused = MachineArgs { harts: None, ..args.machine.clone() };
    if let Some(option) = unused.given() {
        return Err(Failure::Other(format!("`{option}`: not with `--log`, which has the run; only `--harts`")));
    }
    let opened = args.script.open(&args.machine, &ChipArgs::recorded(header), PointDetection::Triggers)?;
    if header.script != opened.script || !log::fits(&header.cut, &opened.app) {
        return Err(wrong("is of another script".into()));
    }
    let (cores, harts) = (opened.params.cores, header.cores);
    if cores != harts {
        return Err(wrong(format!("is of a run with {harts} harts, not {cores}; `--harts {harts}` replays it")));
    }
    let layout = opened.layout(&header.cut)?;
    let (mut host, damage) = log::replay(&opened.app, &layout, &log);
    let lost = log.end.as_ref().map_or(host.lost(), |end| end.lost);
    let (outputs, losses) = (host.runtime().take_outputs(), host.runtime().loss_locations());
    let (symbols, hz) = (&opened.symbols, opened.params.clock_hz);
    write(symbols, hz, &outputs, (lost, &losses), args.format, args.output.as_ref(), out)?;
    let named = path.display();
    if damage.cut {
        eprintln!("goshawk: {named}: has no end mark, it was cut; what came after is missing");
    }
    if damage.differs {
        eprintln!("goshawk: {named}: its checksum or its number of lost events is wrong; it was damaged");
    }
    if (damage.frames, damage.bytes) != (0, 0) {
        eprintln!("goshawk: {named}: {} frames are missing, {} bytes belong to none", damage.frames, damage.bytes);
    }
    Ok(if damage == log::Damage::default() { status(&outputs, lost) } else { Status::Partial })
}

/// A chip whose outputs are shown as they arrive.
struct Live<'a> {
    chip: OnChip,
    screen: Screen<'a>,
}

impl Live<'_> {
    fn show(&mut self) {
        let outputs = self.chip.runtime().take_outputs();
        if !outputs.is_empty() {
            let losses = self.chip.runtime().loss_locations();
            self.screen.show(&outputs, (self.chip.totals().lost(), &losses));
        }
    }
}

impl RetireSink for Live<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, event: &FlowEvent) {
        self.chip.event(event);
        self.show();
    }

    fn data(&mut self, data: &DataEvent) {
        self.chip.data(data);
        self.show();
    }

    fn master(&mut self, store: &MasterStore) {
        self.chip.master(store);
        self.show();
    }
}

/// Runs a script and shows its tables.
pub fn top(args: &TopArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let opened = args.script.open(&args.machine, &args.chip, PointDetection::Triggers)?;
    let layout = opened.plan()?.0.layout;
    let chip = opened.on_chip(&layout)?;
    let mut live = Live { chip, screen: Screen::new(&opened, out) };
    opened.report_to(&mut live)?;
    opened.check_data(live.chip.has_data())?;
    note_unseen(&live.chip);
    live.chip.finish().map_err(Failure::Other)?;
    live.show();
    let lost = live.chip.totals().lost();
    live.screen.finish(lost)
}
