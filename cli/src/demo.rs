//! `goshawk demo`: the complete flow from a program to Verilog and back, with only this binary

use crate::circuit::{check_equal, on_rust_hdl, First};
use crate::files::OutputPath;
use crate::output::{big, count, folder, percent, plural, sum, write_file, Left, Object, Right, Table, TOOL};
use crate::package;
use crate::progress::{bar, Bars};
use crate::{Failure, Status};
use ::sweep::plan::Plan;
use ::sweep::run::{Options, Provenance};
use ::sweep::tables::{Measured, Selection};
use hdl::options::System;
use host::check::Check;
use host::encode::{to_file, Request};
use host::input::{Input, InputOptions, Named};
use host::machine::Settings;
use host::trace::Trace;
use retire::file::retire::RetireWriter;
use retire::RetireSink;
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::params::{named_set, TraceParams};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The program: barriers between parallel stages, so that all cores are busy and wait for each other.
const PROGRAM: &str = "fft";
const CORES: u8 = 4;

/// Demonstrate the whole flow: run, trace, replay, simulate, emit Verilog, compare
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk demo\n  goshawk demo -o somewhere --json")]
pub struct Args {
    /// Folder to write to; it is created if missing
    #[arg(short, long, value_name = "DIR", default_value = "goshawk-demo")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints each step when it is done, or collects it for the JSON object.
struct Steps<'a> {
    out: &'a mut dyn Write,
    start: Instant,
    json: Option<serde_json::Map<String, Value>>,
}

impl Steps<'_> {
    /// Reports a step: name, result, and details for JSON.
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
        // each step appears when it is done, also through a pipe
        Ok(self.out.flush()?)
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let place = Place { folder: &args.output };
    folder(place.folder)?;
    let named = Named::open(&format!("builtin:{PROGRAM}"))?;
    let begin = Instant::now();
    let mut steps = Steps { out, start: begin, json: args.json.then(Default::default) };

    write_elf(&place)?;
    record(&named, &place, &mut steps)?;
    let params = named_params("small", CORES)?;
    trace(&params, &place, &mut steps)?;
    let equal = replay(&place, &mut steps)?;
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
        writeln!(out, "\nTotal: {:.1} s; files in {}.", begin.elapsed().as_secs_f64(), args.output.display())?;
    }
    Ok(if equal { Status::Done } else { Status::Different })
}

/// Paths of the files.
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
    Ok(TraceParams::tr(named.params).with(|p| p.cores = cores))
}

fn write_elf(place: &Place<'_>) -> Result<(), Failure> {
    let info = programs::find(PROGRAM).ok_or_else(|| Failure::unknown_program(PROGRAM))?;
    let path = place.path("elf");
    write_file(&path, info.elf)
}

fn record(named: &Named, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let (input, settings) = (Input::Program(Box::new(named.clone())), Settings::default());
    let run = input.run(CORES, &settings)?;
    let mut writer = RetireWriter::create(&place.path("ret"), &run.info())?;
    let totals = run.report_to(&mut writer, &Bars)?;
    writer.finish()?;
    let (instructions, cycles) = (totals.instructions, totals.cycles);
    let ipc = ratio(instructions, cycles);
    let uart = totals.summary.map_or_else(Vec::new, |s| s.uart);
    let uart = String::from_utf8_lossy(&uart).trim_end().to_string();
    steps.done(
        "run",
        &[
            format!("{PROGRAM} on {CORES} cores prints \"{uart}\""),
            format!("{} instructions, {:.2} per cycle; recorded in {}", count(instructions), ipc, place.name("ret")),
        ],
        json!({ "instructions": instructions, "cycles": cycles, "uart": uart, "file": place.name("ret") }),
    )
}

/// Opens the recording from its file.
fn recorded(place: &Place<'_>) -> Result<Input, Failure> {
    Ok(Input::open(&place.name("ret"))?)
}

fn trace(params: &TraceParams, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let (input, settings) = (recorded(place)?, Settings::default());
    let request = Request { set: Some("small".into()), ..Request::new(*params) };
    let encoded = to_file(&input.run(CORES, &settings)?, &request, &place.path("gtr"), &Bars)?;
    let (stats, totals) = (encoded.system.stats(), &encoded.reported);
    let rates = sum(&encoded.system.rates());
    let bpi = ratio(stats.bits, totals.instructions);
    steps.done(
        "trace",
        &[
            format!("golden model, set small, encoding tr_e: {bpi:.4} bits per instruction in {}", place.name("gtr")),
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

fn replay(place: &Place<'_>, steps: &mut Steps<'_>) -> Result<bool, Failure> {
    let elf = place.name("elf");
    let start = Instant::now();
    let open = || {
        Trace::open(
            &place.path("gtr"),
            InputOptions { elf: Some(&elf), any_build: false, ..InputOptions::default() },
            &Bars,
        )
    };
    let summary = open()?.replay(&mut sim::replay::Ignore, &Bars, |_| false)?;
    let speed = summary.instructions.iter().sum::<u64>() as f64 / start.elapsed().as_secs_f64();
    let opened = open()?;
    let mut check = Check::open(&place.path("ret"), opened.info(), false)?;
    opened.replay(&mut check, &Bars, Check::is_over)?;
    let difference = check.finish()?.difference;
    let instructions: u64 = summary.instructions.iter().sum();
    let line = match &difference {
        None => format!(
            "stream and ELF reproduce all {} instructions of {}, at {} per second",
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

/// Circuit cycles per cycle of the run.
const PACE: u64 = 2;
/// Number of instructions that are simulated, and of those with signals: a VCD has some kilobytes per cycle.
const SIMULATED: u64 = 40_000;
const WITH_SIGNALS: u64 = 1_000;

fn circuit(params: &TraceParams, named: &Named, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<bool, Failure> {
    let mut first = First::new(SIMULATED, u64::MAX);
    let (input, settings) = (recorded(place)?, Settings::default());
    input.run(CORES, &settings)?.report_to(&mut first, &Bars)?;
    let events = first.events();
    let c = on_rust_hdl(params, named, &events, PACE, None)?;
    let mut few = First::new(WITH_SIGNALS, u64::MAX);
    events.iter().for_each(|e| few.event(e));
    let shown = on_rust_hdl(params, named, &few.events(), PACE, Some(&place.path("vcd")))?;
    let check_equal = check_equal(&c).and_then(|()| check_equal(&shown));
    let said = match &check_equal {
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
            format!("all signals of the first {} instructions in {}", count(shown.summary.beats), place.name("vcd")),
        ],
        json!({
            "instructions": c.summary.beats, "cycles": c.summary.cycles, "words": c.circuit.len(),
            "equal": check_equal.is_ok(), "difference": check_equal.as_ref().err(), "file": place.name("vcd"),
        }),
    )?;
    Ok(check_equal.is_ok())
}

fn verilog(params: &TraceParams, place: &Place<'_>, steps: &mut Steps<'_>) -> Result<(), Failure> {
    let system = System {
        circuit: Box::new(*params),
        options: hdl::emit::SystemOptions::default(),
        buses: hdl::bus::wrap::Buses::default(),
        style: hdl::verilog::Style::default(),
    };
    let files = package::make(&system)?.files;
    for (name, text, _) in &files {
        write_file(&place.folder.join(name), text.as_bytes())?;
    }
    let lines = files.iter().find(|f| f.0 == package::VERILOG).map_or(0, |f| f.1.lines().count());
    let path = place.folder.join(package::VERILOG).display().to_string();
    let others: Vec<&str> = files.iter().map(|f| f.0).filter(|n| *n != package::VERILOG).collect();
    steps.done(
        "verilog",
        &[
            format!("{} lines for {} with RVFI in {path}", count(lines as u64), plural(params.cores, "core")),
            format!("the same folder has {}", others.join(", ")),
        ],
        json!({ "lines": lines, "file": path }),
    )
}

/// Measures the bits of the same run in every encoding.
fn compare(place: &Place<'_>) -> Result<(Table, Vec<Value>), Failure> {
    let texts = |t: &[&str]| t.iter().map(|t| t.to_string()).collect::<Vec<_>>();
    let plan = Plan {
        traces: vec![place.name("ret")],
        encodings: texts(&["nx_b", "nexs", "tr_b", "tr_e"]),
        timestamps: vec![false, true],
        verify: false,
        ..Plan::default()
    };
    let mut schemes = vec![("nx_b", "-"), ("nexs", "-")];
    schemes.extend(["small", "medium", "large"].iter().flat_map(|set| [("tr_b", *set), ("tr_e", *set)]));
    let bar = bar("comparing", "traces", Some(2 * schemes.len() as u64));
    let made = Provenance { tool: TOOL.into(), command: "goshawk demo".into() };
    let (measured, _) = Measured::take(&plan, &Options::new(&made, &|_| bar.inc(1)))?;
    bar.finish_and_clear();

    let columns = [("encoding", Left), ("predictors", Left), ("functional", Right), ("of nx_b", Right)];
    let [a, b, c, d] = columns;
    let mut table = Table::new([a, b, c, d, ("time-stamped", Right), ("of nx_b", Right)]);
    let mut rows = Vec::new();
    let bits = |(encoding, set): (&str, &str), timestamps| {
        let scheme = if set == "-" { encoding.to_string() } else { format!("{encoding}:{set}") };
        measured.sum(None, Selection { scheme: &scheme, harts: CORES, timestamps })
    };
    let (nx, nx_timed) = (bits(schemes[0], false)?, bits(schemes[0], true)?);
    for (scheme, set) in schemes {
        let (functional, timed) = (bits((scheme, set), false)?, bits((scheme, set), true)?);
        let (f, t) = (functional.bpi(), timed.bpi());
        table.row([
            scheme.into(),
            set.into(),
            format!("{f:.4}"),
            percent(functional.bits, nx.bits),
            format!("{t:.4}"),
            percent(timed.bits, nx_timed.bits),
        ]);
        rows.push(json!({ "encoding": scheme, "set": set, "functional": f, "time_stamped": t }));
    }
    Ok((table, rows))
}
