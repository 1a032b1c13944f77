//! `goshawk stats`: misprediction rates, messages and bits, in total and over time

use crate::args::contexts::ProcessArgs;
use crate::args::{check_cores, MachineArgs, ParamArgs, ProgramArgs, Source, SyncArgs};
use crate::files::input_name;
use crate::inputs::SkipArgs;
use crate::measured::measure;
use crate::output::{count, facts, percent, plural, report_missing, short_id, stream_lines, sum, sum_streams};
use crate::output::{Left, Object, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use ::sweep::plan::Plan;
use host::contexts::counts::{Replayed, Selected};
use host::contexts::Selection;
use host::input::{Input, InputOptions, BUILTIN};
use host::recording::FileKind;
use host::trace::{LossSummary, Trace};
use host::words::are_trace;
use retire::file::input;
use retire::image::learned::Learner;
use retire::{FlowEvent, RetireSink};
use serde_json::{json, Value};
use sim::analysis::{ratio, Window, Windows};
use sim::core_trace::Rates;
use sim::message::Kind;
use sim::params::TraceParams;
use sim::scheme::any::AnyScheme;
use sim::scheme::tr::shared::SharedRates;
use sim::system::StreamStats;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Show misprediction rates, messages and bits of a run or a trace
///
/// With several inputs, a folder or a pattern, one line per input is shown. `--process` and `--mode` select whose instructions, messages and
/// bits are counted; the predictors are still those of the whole run.
#[derive(clap::Args, Clone, Debug)]
// `--context` is that of the scheme
#[command(mut_arg("spaces", |space| space.alias(None::<&str>)))]
#[command(after_help = "Examples:\n  goshawk stats vm.ret --set medium\n  \
    goshawk stats vm.ret gcc.rbt1.zst --set m4\n  \
    goshawk stats builtin:fft --harts 4 --timestamps --window 100000 --csv > fft.csv\n  \
    goshawk stats builtin:bank --harts 4 --scheme inputs:256+block16\n  \
    goshawk stats builtin:fft --harts 4 --scheme cfiat:64k+line64\n  \
    goshawk stats builtin:fft --scheme 'edmtf(192,4)'\n  \
    goshawk stats vm.gtr --elf builtin:vm\n  \
    goshawk stats kernel.gtr --elf kernel.elf --space 1=a.elf --space 2=b.elf --process a.elf --mode u")]
pub struct Args {
    /// Retire files, branch traces (rbt1), RISC-V executables, builtin:NAME, trace files, raw trace words, folders, or
    /// patterns as 'traces/*.ret'
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME|TRACE", required = true, value_parser = input_name())]
    inputs: Vec<String>,
    /// The one of them that is counted.
    #[arg(skip)]
    input: String,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Parameters of raw trace words, as `gen` writes them [default: parameters.json in the directory of the words]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Length of the windows in which bits over time are counted, in cycles. Only with one input
    #[arg(long, value_name = "CYCLES", value_parser = clap::value_parser!(u64).range(1..))]
    window: Option<u64>,
    /// Print only the windows, as CSV. Only with --window
    #[arg(long, requires = "window", conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    sync: SyncArgs,
    #[command(flatten)]
    skip: SkipArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// All counts of a run.
struct Counts {
    title: String,
    build_id: String,
    params: TraceParams,
    set: Option<String>,
    instructions: u64,
    /// `None` for a functional trace.
    cycles: Option<u64>,
    stats: StreamStats,
    private: Vec<Rates>,
    /// Only for the scheme `sc-lsp`.
    streams: Option<sim::scheme::sc_lsp::Counts>,
    /// `None` for a trace, since it needs the global order of events.
    shared: Option<Rates>,
    windows: Vec<Window>,
    /// Gaps in a recording, which was imported from a trace that has them.
    lost: LossSummary,
}

impl Counts {
    /// Those of selected contexts in place of those of all. What is known only of all is left out.
    fn of(self, selected: Option<host::contexts::counts::Counts>) -> Self {
        let Some(host::contexts::counts::Counts { stats, rates }) = selected else { return self };
        let instructions = sum(&rates).instructions;
        Self { instructions, stats, private: rates, cycles: None, streams: None, shared: None, ..self }
    }

    /// Prints what is missing in the run.
    fn report(&self, args: &Args) -> Status {
        report_missing(Path::new(&args.input), &self.lost, None)
    }
}

/// All that one pass over a run counts and checks.
struct Pass {
    windows: Windows,
    selected: Option<Selected>,
    shared: Option<SharedRates>,
    /// Refuses an inconsistent recording.
    learner: Option<Learner>,
    /// Low bits that every target must have 0, if the run is to determine their number, and the OR of all targets.
    low: u64,
    targets: u64,
    lost: LossSummary,
}

impl RetireSink for Pass {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        if let Some(learner) = &mut self.learner {
            learner.event(event);
            if !learner.is_consistent() {
                return;
            }
        }
        self.targets |= event.target;
        if self.targets & self.low != 0 {
            return;
        }
        self.lost.count(event);
        if let Some(selected) = &mut self.selected {
            selected.event(event, self.windows.system());
        }
        self.windows.event(event);
        if let Some(shared) = &mut self.shared {
            shared.event(event);
        }
    }
}

fn of_run(args: &Args) -> Result<Counts, Failure> {
    if let Some(path) = &args.parameters {
        let (input, path) = (&args.input, path.display());
        return Err(Failure::Other(format!("{input}: is a run; `--parameters {path}` is for raw trace words")));
    }
    let source = Source::open(&args.input, &args.program, &args.machine)?;
    let selection = selection(args, source.input.is_recording())?;
    let run = source.run()?.info();
    let has_cycles = source.run()?.has_cycles();
    if args.window.is_some() && !has_cycles {
        return Err(Failure::Other(format!(
            "{}: is of a branch trace (rbt1) or of a captured run, which have no cycles; --window is for runs that have",
            args.input
        )));
    }
    check_cores(run.harts)?;
    let fixed_align = args.params.has("align") || args.params.scheme()?.stated.align.is_some();
    let mut align = source.input.likely_align()?;
    // a second time only if the first targets have more zeros than those later
    let (params, set, sink, totals) = loop {
        let (params, set, period) = args.params.resolve_synced((run.harts, run.xlen, align))?;
        let period = args.sync.period(period)?;
        params.check_period(period)?;
        source.run()?.check_timestamps(params.timestamps)?;
        let learner = match &source.input {
            Input::Recording(recording, None) if recording.code()?.is_none() => Some((recording, Learner::new())),
            _ => None,
        };
        let system = source.run()?.encoder(&params, None)?.sync_every(&params, period);
        let windows = Windows::new(system, args.window.unwrap_or(1 << 20));
        let private = params.flow.predictors().filter(|(tr, shared)| !shared && !tr.inferable);
        let shared = private.map(|(tr, _)| SharedRates::new(&tr, &params.platform));
        let (recording, learner) = learner.unzip();
        let low = if fixed_align { 0 } else { (1 << align) - 1 };
        let selected = (!selection.is_all()).then(|| Selected::new(selection.clone(), params.cores));
        let mut sink = Pass { windows, selected, shared, learner, low, targets: 0, lost: LossSummary::default() };
        let totals = source.run()?.report_to(&mut sink, &Bars)?;
        if let Some((recording, learner)) = recording.zip(sink.learner.take()) {
            recording.learned(learner)?;
        }
        if sink.targets & low == 0 {
            break (params, set, sink, totals);
        }
        align = sink.targets.trailing_zeros() as u8;
    };
    let (mut system, windows) = sink.windows.finish(totals.cycles);
    system.finish(totals.cycles);
    source.run()?.check_jumps(&system)?;
    let selected = sink.selected.map(|selected| selected.finish(&system));
    let all = Counts {
        title: run.program,
        build_id: run.build_id,
        params,
        set,
        instructions: totals.instructions,
        cycles: has_cycles.then_some(totals.cycles),
        stats: system.stats().clone(),
        private: system.rates(),
        streams: params.stream_cache().map(|_| sum_streams(&system.streams())),
        shared: sink.shared.map(|shared| shared.rates()),
        windows: if args.window.is_some() { windows } else { Vec::new() },
        lost: sink.lost,
    };
    Ok(all.of(selected))
}

/// What is selected of a run, or of a recording, which may have contexts.
fn selection(args: &Args, recording: bool) -> Result<Selection, Failure> {
    let processes = args.processes.processes()?;
    processes.check(Path::new(&args.input), recording)?;
    if processes.selection.is_all() && args.processes.are_given() {
        return Err(Failure::Other(format!(
            "{}: is a run, which has its own code; expected `--space` and `--process-names` with `--process`",
            args.input
        )));
    }
    if args.window.is_some() && !processes.selection.is_all() {
        return Err(Failure::Other("`--window`: not with `--process` or `--mode`".into()));
    }
    Ok(processes.selection)
}

fn of_trace(args: &Args) -> Result<Counts, Failure> {
    if args.window.is_some() {
        return Err(Failure::Other(format!(
            "{}: a trace does not have the cycle of every instruction; `--window` needs the retire file",
            args.input
        )));
    }
    let sync = args.sync.sync_period.map(|_| "`--sync-period`".to_string());
    let of_a_run = [args.params.given(), sync, args.skip.given(), args.machine.given().map(|o| format!("`{o}`"))];
    if let Some(option) = of_a_run.into_iter().flatten().next() {
        return Err(Failure::Other(format!(
            "{}: is a trace, which contains its parameters; {option} is for runs",
            args.input
        )));
    }
    let (processes, path) = (args.processes.processes()?, Path::new(&args.input));
    let (parameters, contexts) = (args.parameters.as_deref(), processes.programs.as_slice());
    let opened = Trace::open(path, InputOptions { parameters, contexts, ..args.program.input_options() }, &Bars)?;
    let info = opened.info().clone();
    processes.check(path, info.params.context.is_some())?;
    let mut replayed = Replayed::new(&info.params, processes.selection, opened.images())?;
    let summary = opened.replay(&mut replayed, &Bars, |_| false)?;
    let system = replayed.system();
    let all = Counts {
        title: info.program,
        build_id: info.build_id,
        params: info.params,
        set: info.set,
        instructions: summary.instructions.iter().sum(),
        cycles: info.params.timestamps.then_some(replayed.cycles),
        private: system.rates(),
        streams: info.params.stream_cache().map(|_| sum_streams(&system.streams())),
        shared: None,
        windows: Vec::new(),
        lost: LossSummary::default(),
        stats: summary.stats,
    };
    let selected = replayed.finish(all.stats.bits);
    Ok(all.of(selected))
}

/// Whether a file is neither one of Goshawk's nor an ELF.
fn is_nothing_known(path: &Path) -> Result<bool, Failure> {
    Ok(FileKind::of(path)? == FileKind::Other && input::head(path, 4)? != input::ELF_MAGIC)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut inputs = Vec::new();
    for name in &args.inputs {
        inputs.extend(if name.starts_with(BUILTIN) { vec![name.clone()] } else { ::sweep::files::of(name)? });
    }
    match <[String; 1]>::try_from(inputs) {
        Ok([input]) => one(&Args { input, ..args.clone() }, out),
        Err(inputs) => many_inputs(args, inputs, out),
    }
}

/// Whether the input is a trace file, or words that are meant as a trace.
fn is_trace(args: &Args) -> Result<bool, Failure> {
    if args.input.starts_with(BUILTIN) {
        return Ok(false);
    }
    let path = Path::new(&args.input);
    // --elf is not used with a program, so the file is meant as words, and the error says what is missing
    Ok(are_trace(path, args.parameters.as_deref())? || args.program.elf.is_some() && is_nothing_known(path)?)
}

/// One line per input, or with `--json` one object per line.
fn many_inputs(args: &Args, inputs: Vec<String>, out: &mut dyn Write) -> Result<Status, Failure> {
    if let Some(window) = args.window {
        return Err(Failure::Other(format!("`--window {window}`: expected one input, found {}", inputs.len())));
    }
    let name = args.params.scheme()?;
    if !matches!(name.scheme, AnyScheme::Flow(_)) {
        return Err(args.params.refuse(&name, "expected one input"));
    }
    let columns =
        [("input", Left), ("cores", Right), ("instructions", Right), ("messages", Right), ("bits/instr", Right)];
    let [a, b, c, d, e] = columns;
    let mut table =
        Table::new([a, b, c, d, e, ("bits/cycle", Right), ("outcomes missed", Right), ("targets missed", Right)]);
    let mut status = Status::Done;
    for input in inputs {
        let args = Args { input, ..args.clone() };
        let counts = if is_trace(&args)? { of_trace(&args)? } else { of_run(&args)? };
        if counts.report(&args) == Status::Partial {
            status = Status::Partial;
        }
        if args.json {
            json(&args, &counts).line(out)?;
            continue;
        }
        let (rates, bits) = (sum(&counts.private), counts.stats.bits);
        let predicts = counts.params.flow.predicts();
        let missed = |missed, all| if predicts { percent(missed, all) } else { "-".into() };
        table.row([
            Path::new(args.input.trim_start_matches(BUILTIN))
                .file_name()
                .map_or_else(|| args.input.clone(), |n| n.to_string_lossy().into_owned()),
            counts.params.cores.to_string(),
            count(counts.instructions),
            count(counts.stats.messages()),
            format!("{:.4}", ratio(bits, counts.instructions)),
            counts.cycles.map_or_else(|| "-".into(), |n| format!("{:.4}", ratio(bits, n))),
            missed(rates.outcome_misses, rates.conditionals),
            missed(rates.target_misses, rates.indirects),
        ]);
    }
    if !args.json {
        table.print(out)?;
    }
    Ok(status)
}

/// Statistics of a scheme that is only measured, as a sweep measures it.
fn measured(args: &Args, scheme: &str, out: &mut dyn Write) -> Result<Status, Failure> {
    if is_trace(args)? {
        let input = &args.input;
        return Err(Failure::Other(format!("{input}: is a trace, which contains its scheme; `--scheme` is for runs")));
    }
    let machine = &args.machine;
    let mut plan = Plan {
        traces: vec![args.input.clone()],
        encodings: vec![scheme.into()],
        timestamps: vec![false],
        elfs: args.program.elf.iter().cloned().collect(),
        any_build: args.program.any_build,
        ..Plan::default()
    };
    plan.harts = machine.harts.map_or(plan.harts, |harts| vec![harts]);
    let settings = &mut plan.settings;
    settings.timing = machine.timing.map_or(settings.timing, Into::into);
    settings.caches = machine.caches.unwrap_or(settings.caches);
    settings.seed = machine.seed.unwrap_or(settings.seed);
    settings.max_instructions = machine.max_instructions;
    let (found, left_out) = measure("stats", &plan)?;
    let Some(point) = found.points.first() else {
        let why = left_out.into_iter().next().unwrap_or_else(|| format!("{scheme} of {}: not measured", args.input));
        return Err(Failure::Other(why));
    };
    let per_instruction = point.bits.map(|bits| ratio(bits, point.instructions));
    if args.json {
        Object::new("stats", &args.input)
            .with("scheme", point.scheme.clone().into())
            .with("cores", point.harts.into())
            .with("instructions", point.instructions.into())
            .with("bits", json!(point.bits))
            .with("bits_per_instruction", json!(per_instruction))
            .with("rates", json!(point.rates))
            .print(out)?;
        return Ok(Status::Done);
    }
    let dash = || "-".to_string();
    let mut lines = vec![
        ("run", format!("{}, {}", point.trace, plural(point.harts, "core"))),
        ("scheme", point.scheme.clone()),
        ("instructions", count(point.instructions)),
        ("bits", point.bits.map_or_else(dash, count)),
        ("per instruction", per_instruction.map_or_else(dash, |bits| format!("{bits:.4} bits"))),
    ];
    let rates = point.rates;
    if rates.conditionals > 0 {
        lines.push(("outcomes missed", percent(rates.outcome_misses, rates.conditionals)));
        lines.push(("targets missed", percent(rates.target_misses, rates.indirects)));
    }
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Statistics of one input.
fn one(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let name = args.params.scheme()?;
    let whole = || match args.window {
        Some(_) => Err(args.params.refuse(&name, "--window is for a trace of the control flow")),
        None if args.processes.are_given() => {
            Err(args.params.refuse(&name, "--process, --mode and --space are for a trace of the control flow"))
        }
        None => args.sync.refuse(),
    };
    match name.scheme {
        AnyScheme::Flow(_) => args.skip.refuse()?,
        AnyScheme::Inputs(sizes) => {
            whole()?;
            let source = Source::open(&args.input, &args.program, &args.machine)?;
            return crate::inputs::encode("stats", &source, (sizes, args.skip.instructions()), None, args.json, out);
        }
        AnyScheme::Cfiat(sizes) => {
            whole()?;
            args.skip.refuse()?;
            let source = Source::open(&args.input, &args.program, &args.machine)?;
            return crate::cfiat::encode("stats", &source, sizes, host::values::Output::Nothing, args.json, out);
        }
        AnyScheme::Shared(_) | AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => {
            whole()?;
            args.skip.refuse()?;
            return measured(args, &name.scheme.to_string(), out);
        }
    }
    let counts = if is_trace(args)? { of_trace(args)? } else { of_run(args)? };
    if args.json {
        json(args, &counts).print(out)?;
    } else if args.csv {
        writeln!(out, "start_cycle,cycles,instructions,bits,bits_per_instruction,bits_per_cycle")?;
        for w in &counts.windows {
            let (bpi, bpc) = (w.bpi(), w.bpc());
            writeln!(out, "{},{},{},{},{bpi:.6},{bpc:.6}", w.start, w.cycles, w.instructions, w.bits)?;
        }
    } else {
        text(&counts, out)?;
    }
    out.flush()?;
    Ok(counts.report(args))
}

fn json(args: &Args, c: &Counts) -> Object {
    let kinds: serde_json::Map<String, Value> =
        Kind::ALL.iter().map(|k| (k.name().to_string(), json!(c.stats.kinds[*k as usize]))).collect();
    let windows: Vec<Value> = c
        .windows
        .iter()
        .map(|w| {
            json!({
                "start": w.start, "cycles": w.cycles, "instructions": w.instructions, "bits": w.bits,
                "bits_per_instruction": w.bpi(), "bits_per_cycle": w.bpc(),
            })
        })
        .collect();
    let object = Object::new("stats", &args.input)
        .with("build_id", c.build_id.clone().into())
        .with_params(&c.params, c.set.as_deref())
        .with("instructions", c.instructions.into())
        .with("cycles", c.cycles.into())
        .with("bits", c.stats.bits.into())
        .with("bits_per_instruction", ratio(c.stats.bits, c.instructions).into())
        .with("bits_per_cycle", c.cycles.map(|n| ratio(c.stats.bits, n)).into())
        .with("messages", kinds.into())
        .with("rates", json!({ "private": sum(&c.private), "by_core": c.private, "shared": c.shared }))
        .with("windows", windows.into());
    match &c.streams {
        Some(streams) => object.with("streams", json!(streams)),
        None => object,
    }
}

/// Branches and mispredictions.
fn branches(c: &Counts, out: &mut dyn Write) -> Result<(), Failure> {
    let mut t = Table::new([("branches", Left), ("retired", Right), ("missed", Right), ("rate", Right)]);
    let mut rates = |name: &str, r: &Rates| {
        let row = |what: &str, n, missed| [format!("{what}{name}"), count(n), count(missed), percent(missed, n)];
        t.row(row("conditional", r.conditionals, r.outcome_misses));
        t.row(row("indirect", r.indirects, r.target_misses));
    };
    rates("", &sum(&c.private));
    if let Some(shared) = c.shared.filter(|_| c.params.cores > 1) {
        rates(", one predictor for all cores", &shared);
    }
    t.print(out)?;
    Ok(())
}

fn text(c: &Counts, out: &mut dyn Write) -> Result<(), Failure> {
    let mut lines = vec![
        ("run", format!("{}, build {}, {}", c.title, short_id(&c.build_id), plural(c.params.cores, "core"))),
        ("parameters", c.params.canonical()),
        ("instructions", count(c.instructions)),
    ];
    lines.extend(c.cycles.map(|n| ("cycles", count(n))));
    lines.push(("per instruction", format!("{:.4} bits", ratio(c.stats.bits, c.instructions))));
    lines.extend(c.cycles.map(|n| ("per cycle", format!("{:.4} bits", ratio(c.stats.bits, n)))));
    lines.extend(c.streams.iter().flat_map(stream_lines));
    facts(out, &lines)?;

    writeln!(out)?;
    if c.params.flow.predicts() {
        branches(c, out)?;
        writeln!(out)?;
    }
    let mut t = Table::new([("messages", Left), ("number", Right), ("bits", Right), ("bits each", Right)]);
    let mut rest = c.stats.bits;
    for kind in Kind::ALL {
        let k = c.stats.kinds[kind as usize];
        rest -= k.bits;
        if k.messages > 0 {
            let each = format!("{:.1}", ratio(k.bits, k.messages));
            t.row([kind.name().into(), count(k.messages), count(k.bits), each]);
        }
    }
    t.row(["header and padding".into(), String::new(), count(rest), String::new()]);
    t.row(["all".into(), count(c.stats.messages()), count(c.stats.bits), String::new()]);
    t.print(out)?;

    if !c.windows.is_empty() {
        writeln!(out)?;
        let columns = [("from cycle", Right), ("cycles", Right), ("instructions", Right), ("bits", Right)];
        let [a, b, i, n] = columns;
        let mut t = Table::new([a, b, i, n, ("bits/instr", Right), ("bits/cycle", Right)]);
        for w in &c.windows {
            let (bpi, bpc) = (format!("{:.4}", w.bpi()), format!("{:.4}", w.bpc()));
            t.row([count(w.start), count(w.cycles), count(w.instructions), count(w.bits), bpi, bpc]);
        }
        t.print(out)?;
    }
    Ok(())
}
