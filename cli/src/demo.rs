//! `goshawk demo`: from a program to Verilog and back, with nothing but this binary

use crate::encode::{sum, to_file, trace_info};
use crate::gen::folder;
use crate::output::{big, count, percent, plural, Left, Object, Right, Table};
use crate::source::{self, MachineArgs, Named, Recording, Source};
use crate::{gen, progress, Failure, Status};
use rayon::prelude::*;
use retire::file::retire::RetireWriter;
use retire::{FlowEvent, RetireSink};
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::golden::system::System;
use sim::params::{named_set, Coding, Scheme, TraceParams};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The program: barriers between parallel stages, so that all cores are busy and wait for each other.
const PROGRAM: &str = "fft";
const CORES: u8 = 4;

/// From a program to Verilog and back: run, trace, replay, simulate, emit, compare
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk demo\n  goshawk demo -o somewhere --json")]
pub struct Args {
    /// Folder to write to; it is made where it is missing
    #[arg(short, long, value_name = "DIR", default_value = "goshawk-demo")]
    output: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints what was done as it is done, or keeps it for the JSON object.
struct Steps<'a> {
    out: &'a mut dyn Write,
    start: Instant,
    json: Option<serde_json::Map<String, Value>>,
}

impl Steps<'_> {
    /// Tells one step: its name, what came out, details below.
    fn done(&mut self, name: &str, lines: &[String], details: Value) -> Result<(), Failure> {
        let seconds = self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
        if let Some(map) = &mut self.json {
            let mut details = details;
            details["seconds"] = seconds.into();
            map.insert(name.into(), details);
            return Ok(());
        }
        let mut head = name;
        for line in lines {
            writeln!(self.out, "{head:<8} {line}")?;
            head = "";
        }
        // each step is seen when it is done, also through a pipe
        Ok(self.out.flush()?)
    }
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let place = Place { folder: &args.output };
    folder(place.folder)?;
    let named = source::program(&format!("builtin:{PROGRAM}"))?;
    let begin = Instant::now();
    let mut steps = Steps { out, start: begin, json: args.json.then(Default::default) };

    write_elf(&place)?;
    record(&named, &place, &mut steps)?;
    let params = named_params("small", CORES)?;
    trace(&params, &place, &mut steps)?;
    let equal = replay(&params, &place, &mut steps)?;
    let equal = circuit(&params, &named, &place, &mut steps)? && equal;
    verilog(&params, &place, &mut steps)?;
    let (table, rows) = compare(&place)?;

    let Steps { out, json, .. } = steps;
    if let Some(json) = json {
        Object::new("demo", &named.name)
            .with("build_id", named.build_id.clone().into())
            .with_params(&params, Some("small"))
            .with("folder", args.output.display().to_string().into())
            .with("steps", json.into())
            .with("bits_per_instruction", rows.into())
            .with("seconds", begin.elapsed().as_secs_f64().into())
            .print(out)?;
    } else {
        writeln!(out, "\nTrace bits per instruction, {PROGRAM} on {CORES} cores:\n")?;
        table.print(out)?;
        writeln!(out, "\nAll of it in {:.1} s; files in {}.", begin.elapsed().as_secs_f64(), args.output.display())?;
    }
    Ok(if equal { Status::Done } else { Status::Different })
}

/// Names of the files.
struct Place<'a> {
    folder: &'a Path,
}

impl Place<'_> {
    fn path(&self, extension: &str) -> PathBuf {
        self.folder.join(format!("{PROGRAM}.{extension}"))
    }

    fn name(&self, extension: &str) -> String {
        self.path(extension).display().to_string()
    }
}

fn named_params(set: &str, cores: u8) -> Result<TraceParams, Failure> {
    let named = named_set(set)?;
    Ok(TraceParams { cores, ..TraceParams::tr(named.predictor, named.tr_e) })
}

fn write_elf(place: &Place<'_>) -> Result<(), Failure> {
    let info = programs::find(PROGRAM).ok_or_else(|| Failure::unknown_program(PROGRAM))?;
    let path = place.path("elf");
    let mut file = retire::file::Replacement::create(&path)?;
    file.write_all(info.elf).map_err(|e| Failure::io(&path, e))?;
    Ok(file.commit()?)
}

fn machine() -> MachineArgs {
    MachineArgs { harts: Some(CORES), ..MachineArgs::default() }
}

fn record(named: &Named, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let run = Source::Run(Box::new(named.clone()), machine());
    let mut writer = RetireWriter::create(&place.path("ret"), &run.info())?;
    let summary = source::execute(named, &machine(), &mut writer)?;
    writer.finish()?;
    let instructions: u64 = summary.instructions.iter().sum();
    let ipc = ratio(instructions, summary.cycles);
    let uart = String::from_utf8_lossy(&summary.uart).trim_end().to_string();
    steps.done(
        "run",
        &[
            format!("{PROGRAM} on {CORES} cores prints \"{uart}\""),
            format!("{} instructions, {:.2} a cycle; recorded in {}", count(instructions), ipc, place.name("ret")),
        ],
        json!({ "instructions": instructions, "cycles": summary.cycles, "uart": uart, "file": place.name("ret") }),
    )
}

fn recorded(place: &Place<'_>) -> Result<Source, Failure> {
    let path = place.path("ret");
    Ok(Source::File(Box::new(Recording::open(&path)?)))
}

fn trace(params: &TraceParams, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let run = recorded(place)?;
    let info = trace_info(&run.info(), params, Some("small".into()));
    let encoded = to_file(run, &info, &place.path("gtr"))?;
    let (stats, told) = (encoded.system.stats(), &encoded.told);
    let rates = sum(&encoded.system.rates());
    let bpi = ratio(stats.bits, told.instructions);
    steps.done(
        "trace",
        &[
            format!("golden model, set small, encoding tr_e: {bpi:.4} bits an instruction in {}", place.name("gtr")),
            format!(
                "{} of {} branches missed: {} of the conditional, {} of the indirect",
                count(rates.outcome_misses + rates.target_misses),
                count(rates.conditionals + rates.indirects),
                percent(rates.outcome_misses, rates.conditionals),
                percent(rates.target_misses, rates.indirects)
            ),
        ],
        json!({
            "messages": stats.messages(), "bits": stats.bits, "bits_per_instruction": bpi, "rates": rates,
            "file": place.name("gtr"),
        }),
    )
}

fn replay(params: &TraceParams, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<bool, Failure> {
    use crate::{check::Check, replay::Opened};
    let elf = place.name("elf");
    let start = Instant::now();
    let opened = Opened::open(&place.path("gtr"), &elf)?;
    let summary = opened.replay(&mut sim::replay::Ignore, |_| false)?;
    let speed = summary.instructions.iter().sum::<u64>() as f64 / start.elapsed().as_secs_f64();
    let opened = Opened::open(&place.path("gtr"), &elf)?;
    let mut check = Check::open(&place.path("ret"), &opened.info)?;
    debug_assert_eq!(opened.info.params, *params);
    opened.replay(&mut check, Check::is_over)?;
    let difference = check.finish()?;
    let instructions: u64 = summary.instructions.iter().sum();
    let line = match &difference {
        None => format!(
            "stream and ELF give all {} instructions of {} again, at {} a second",
            count(instructions),
            plural(summary.instructions.len() as u64, "core"),
            big(speed)
        ),
        Some(d) => format!("differs from the run: {d}"),
    };
    steps.done(
        "replay",
        &[line],
        json!({
            "instructions": instructions, "equal": difference.is_none(), "difference": difference,
            "instructions_per_second": speed,
        }),
    )?;
    Ok(difference.is_none())
}

/// Clocks of the circuit for each of the cores.
const PACE: u64 = 2;
/// The run's first instructions that are simulated, and those of them whose signals are written: a VCD has
/// some kilobytes a clock.
const SIMULATED: u64 = 40_000;
const WITH_SIGNALS: u64 = 1_000;

fn circuit(params: &TraceParams, named: &Named, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<bool, Failure> {
    use crate::simulate::{on_rust_hdl, verdict, First};
    let mut first = First::new(SIMULATED, u64::MAX);
    recorded(place)?.tell(&mut first)?;
    let events = first.events();
    let c = on_rust_hdl(params, named, &events, PACE, None)?;
    let mut few = First::new(WITH_SIGNALS, u64::MAX);
    events.iter().for_each(|e| few.event(e));
    let shown = on_rust_hdl(params, named, &few.events(), PACE, Some(&place.path("vcd")))?;
    let verdict = verdict(&c).and_then(|()| verdict(&shown));
    let said = match &verdict {
        Ok(()) => format!("{} words, each equal to the golden model's", count(c.circuit.len() as u64)),
        Err(e) => e.clone(),
    };
    steps.done(
        "circuit",
        &[
            format!(
                "rust-hdl simulation of {} instructions in {} clocks: {said}",
                count(c.summary.beats),
                count(c.summary.cycles)
            ),
            format!("every signal of the first {} in {}", count(shown.summary.beats), place.name("vcd")),
        ],
        json!({
            "instructions": c.summary.beats, "cycles": c.summary.cycles, "words": c.circuit.len(),
            "equal": verdict.is_ok(), "difference": verdict.as_ref().err(), "file": place.name("vcd"),
        }),
    )?;
    Ok(verdict.is_ok())
}

fn verilog(params: &TraceParams, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let files = gen::make(params, Some("small"), &hdl::emit::SystemOptions::default())?;
    for (name, text, _) in &files {
        gen::write(place.folder, name, text)?;
    }
    let lines = files.iter().find(|f| f.0 == gen::VERILOG).map_or(0, |f| f.1.lines().count());
    let path = place.folder.join(gen::VERILOG).display().to_string();
    let others: Vec<&str> = files.iter().map(|f| f.0).filter(|n| *n != gen::VERILOG).collect();
    steps.done(
        "verilog",
        &[
            format!("{} lines for {} with RVFI in {path}", count(lines as u64), plural(params.cores, "core")),
            format!("beside it {}", others.join(", ")),
        ],
        json!({ "lines": lines, "file": path }),
    )
}

/// Bits of the same run in every encoding.
fn compare(place: &Place<'_>) -> Result<(Table, Vec<Value>), Failure> {
    let mut events: Vec<FlowEvent> = Vec::new();
    let told = recorded(place)?.tell(&mut events)?;
    let mut schemes = vec![("nx_b", "-", Scheme::NxB(Coding::TR_B), "small"), ("nexs", "-", Scheme::NexS, "small")];
    for set in ["small", "medium", "large"] {
        schemes.push(("tr_b", set, Scheme::Tr(Coding::TR_B), set));
        schemes.push(("tr_e", set, Scheme::Tr(named_set(set)?.tr_e), set));
    }
    let bar = progress::bar("comparing", "traces", Some(2 * schemes.len() as u64));
    let bits = |scheme, set, timestamps| -> Result<u64, Failure> {
        let params = TraceParams { scheme, timestamps, ..named_params(set, CORES)? };
        let mut system = System::new(&params)?;
        for block in events.chunks(1 << 16) {
            block.iter().for_each(|e| system.event(e));
            system.drain();
        }
        system.finish(told.cycles);
        bar.inc(1);
        Ok(system.stats().bits)
    };
    let measured: Vec<(u64, u64)> = schemes
        .par_iter()
        .map(|(_, _, scheme, set)| Ok((bits(*scheme, set, false)?, bits(*scheme, set, true)?)))
        .collect::<Result<_, Failure>>()?;
    bar.finish_and_clear();

    let columns = [("encoding", Left), ("predictors", Left), ("functional", Right), ("of nx_b", Right)];
    let [a, b, c, d] = columns;
    let mut table = Table::new([a, b, c, d, ("time-stamped", Right), ("of nx_b", Right)]);
    let mut rows = Vec::new();
    let (nx, nx_timed) = measured[0];
    for ((scheme, set, ..), (functional, timed)) in schemes.iter().zip(&measured) {
        let (f, t) = (ratio(*functional, told.instructions), ratio(*timed, told.instructions));
        table.row([
            (*scheme).into(),
            (*set).into(),
            format!("{f:.4}"),
            percent(*functional, nx),
            format!("{t:.4}"),
            percent(*timed, nx_timed),
        ]);
        rows.push(json!({ "encoding": scheme, "set": set, "functional": f, "time_stamped": t }));
    }
    Ok((table, rows))
}
