//! `goshawk replay`: reconstructs every retired instruction from a trace file and the ELF

use crate::args::contexts::{ProcessArgs, Processes};
use crate::args::memory::MemoryArgs;
use crate::args::FilterArgs;
use crate::files::input_name;
use crate::inputs::ReplayOptions;
use crate::output::{big, count, facts, plural, report_damage, report_missing, short_id, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::check::Check;
use host::contexts::ByContext;
use host::input::InputOptions;
use host::inputs::Session;
use host::listing::Listing;
use host::symbols::Symbols;
use host::trace::{Replayed, Trace};
use serde_json::json;
use sim::analysis::ratio;
use sim::file::TraceInfo;
use sim::replay::Ignore;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Replay a trace with its ELF: list every retired instruction, or check it against the run
///
/// The listing is in the order of the stream; for functional traces this is the order in which the cores' messages were
/// made.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk replay vm.gtr --elf builtin:vm --limit 20\n  \
    goshawk replay vm.gtr --elf builtin:vm --check vm.ret\n  \
    goshawk replay bank.gip --elf builtin:bank --summary\n  \
    goshawk replay fft.gtr --values fft.glv --elf builtin:fft --summary\n  \
    goshawk replay vm.gtr --elf builtin:vm --function rt_main --first 1000 --last 2000\n  \
    goshawk replay timed.gtr --elf builtin:vm --symbols --from 10000 --to 10500\n  \
    goshawk replay firmware.gtr --elf firmware.elf --core 1 | less\n  \
    goshawk replay firmware.gtr --elf firmware.elf --memory ram.bin@0x80100000,from=5000 --summary\n  \
    goshawk replay app.gtr --elf app --patches jit-7.dump --patches perf-7.map --summary\n  \
    goshawk replay kernel.gtr --elf kernel.elf --space 1=a.elf --space 2=b.elf --process a.elf | less\n  \
    goshawk replay trace4/words.hex --elf trace4/beats.ret --check trace4/beats.ret")]
pub struct Args {
    /// Trace file, or raw trace words as text or bytes
    #[arg(value_name = "TRACE")]
    trace: PathBuf,
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME; or, without a program, a recording of the
    /// run (retire file or branch trace). May be omitted if the trace contains the code that ran
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Option<String>,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    /// Load values of the run (`encode --values`): the cores are re-executed, with registers, loads and stores
    #[arg(long, value_name = "FILE", conflicts_with_all = ["resume", "symbols", "function", "range", "first", "last", "from", "to"])]
    values: Option<PathBuf>,
    /// Accept a program with another build ID than the trace or recording names. Also applies to the run of --check
    #[arg(long)]
    any_build: bool,
    /// Parameters of raw trace words, as `gen` writes them [default: parameters.json in the directory of the words]
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// After damage, resume at the next repeated header (`encode --sync-period`)
    #[arg(long)]
    resume: bool,
    /// Show the symbols of listed instructions, from the symbol table of this program [default: that of --elf]
    #[arg(long, value_name = "ELF|builtin:NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "json", value_parser = input_name())]
    symbols: Option<String>,
    /// Retire file or branch trace to compare with, event by event; the exit code is 1 if they differ
    #[arg(long, value_name = "RET|RBT1")]
    check: Option<PathBuf>,
    /// Print only the totals, no listing
    #[arg(long)]
    summary: bool,
    /// Maximum number of listed lines: instructions
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print one JSON object, without the listing
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let processes = args.processes.processes()?;
    let input_options = InputOptions {
        elf: args.elf.as_deref(),
        any_build: args.any_build,
        parameters: args.parameters.as_deref(),
        contexts: &processes.programs,
        changes: args.memory.changes(),
    };
    if let Some(values) = &args.values {
        let session = host::values::Session::open(&args.trace, values, input_options, &Bars)?;
        processes.check(&args.trace, false)?;
        args.filter.filter(&args.trace, (args.elf.as_deref(), &processes), session.info.params.cores, false)?;
        let asked = crate::cfiat::ReplayOptions {
            session,
            trace: &args.trace,
            check: args.check.as_deref(),
            summary: args.summary,
            json: args.json,
            list: (args.filter.core, args.limit.unwrap_or(u64::MAX)),
        };
        return crate::cfiat::replay(asked, out);
    }
    if host::inputs::is_recorded(&args.trace)? {
        return recorded(args, input_options, &processes, out);
    }
    let opened = Trace::open(&args.trace, input_options, &Bars)?.resuming(args.resume);
    let info = opened.info().clone();
    processes.check(&args.trace, info.params.context.is_some())?;
    let (cores, timed) = (info.params.cores, info.params.timestamps);
    let filter = args.filter.filter(&args.trace, (args.elf.as_deref(), &processes), cores, timed)?;
    let start = Instant::now();
    if let Some(ret) = &args.check {
        let mut check = match opened.recording(ret) {
            Some(recording) => Check::of(recording, &info, args.any_build)?,
            None => Check::open(ret, &info, args.any_build)?,
        };
        let replayed = opened.replay_to_damage(&mut check, &Bars, Check::is_over)?;
        // after damage, the rest of the run is missing anyway
        let found = if replayed.damage.is_some() { check.found() } else { check.finish()? };
        let seconds = start.elapsed().as_secs_f64();
        let checked = Checked { ret, found };
        let status = report(args, &info, &replayed, seconds, Some(&checked), out)?;
        return Ok(if checked.found.difference.is_some() { Status::Different } else { status });
    }
    if args.summary || args.json {
        let replayed = opened.replay_whole(&mut Ignore, &Bars)?;
        return report(args, &info, &replayed, start.elapsed().as_secs_f64(), None, out);
    }
    let left = args.limit.unwrap_or(u64::MAX);
    let symbols = symbols(args, &processes)?;
    let mut listing = Listing::new(opened.image().clone(), info.params.cores, filter, left, out)
        .with_contexts(opened.contexts().to_vec())
        .with_symbols(symbols);
    let replayed = opened.replay_to_damage(&mut listing, &Bars, |l| l.is_over());
    listing.finish()?;
    let replayed = replayed?;
    report_damage(&args.trace, &replayed.summary);
    out.flush()?;
    Ok(report_missing(&args.trace, &replayed.lost, replayed.damage.as_ref()))
}

/// The requested symbols.
fn symbols(args: &Args, processes: &Processes) -> Result<ByContext<Symbols>, Failure> {
    let Some(name) = args.symbols.as_deref() else { return Ok(ByContext::new(Symbols::default(), Vec::new())) };
    let name = match (name, &args.elf) {
        ("", Some(elf)) => elf.as_str(),
        ("", None) => return Err(Failure::Other("--symbols: expected a program here or in `--elf`".into())),
        (name, _) => name,
    };
    let symbols = args.memory.symbols(name)?;
    if symbols.is_empty() {
        return Err(Failure::Other(format!(
            "{name}: has no symbol of code; --symbols needs one that was not stripped"
        )));
    }
    Ok(ByContext::new(symbols, processes.symbols()?))
}

/// Replays a recorded run of the scheme `inputs`.
fn recorded(
    args: &Args,
    input_options: InputOptions<'_>,
    processes: &Processes,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let session = Session::open(&args.trace, input_options)?;
    if args.resume {
        return Err(Failure::Other("--resume is for traces with `encode --sync-period`, not for recorded runs".into()));
    }
    processes.check(&args.trace, false)?;
    let cores = session.info.params.cores;
    let filter = args.filter.filter(&args.trace, (args.elf.as_deref(), processes), cores, false)?;
    let asked = ReplayOptions {
        session,
        path: &args.trace,
        check: args.check.as_deref(),
        summary: args.summary,
        json: args.json,
        list: (filter, args.limit.unwrap_or(u64::MAX)),
        symbols: symbols(args, processes)?,
    };
    crate::inputs::replay(asked, out)
}

struct Checked<'a> {
    ret: &'a Path,
    found: host::check::Checked,
}

fn report(
    args: &Args,
    info: &TraceInfo,
    replayed: &Replayed,
    seconds: f64,
    checked: Option<&Checked<'_>>,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let summary = &replayed.summary;
    report_damage(&args.trace, summary);
    let missing = || report_missing(&args.trace, &replayed.lost, replayed.damage.as_ref());
    let instructions: u64 = summary.instructions.iter().sum();
    let speed = instructions as f64 / seconds;
    let messages = summary.stats.messages();
    if args.json {
        let object = Object::new("replay", &args.trace.display().to_string())
            .with("program", args.elf.clone().into())
            .with("build_id", info.build_id.clone().into())
            .with_params(&info.params, info.set.as_deref())
            .with("instructions", json!({ "total": instructions, "by_core": summary.instructions }))
            .with("lost", json!({ "gaps": replayed.lost.gaps, "instructions": replayed.lost.instructions, "of_unknown_length": replayed.lost.unknown }))
            .with("damage", replayed.damage.as_ref().map(ToString::to_string).into())
            .with("headers", summary.headers.into())
            .with("messages", messages.into())
            .with("bits", summary.stats.bits.into())
            .with("bits_per_instruction", ratio(summary.stats.bits, instructions).into())
            .with("seconds", seconds.into())
            .with("instructions_per_second", speed.into())
            .with(
                "check",
                checked.map_or(json!(null), |c| {
                    json!({
                        "against": c.ret.display().to_string(),
                        "equal": c.found.difference.is_none(),
                        "difference": c.found.difference,
                        "goes_on": c.found.goes_on,
                    })
                }),
            );
        let signatures = summary.confirmation().map(|(c, u)| json!({ "confirmed": c, "unconfirmed": u }));
        object.with("signatures", signatures.into()).print(out)?;
        return Ok(missing());
    }
    if let Some(difference) = checked.and_then(|c| c.found.difference.as_ref()) {
        writeln!(out, "{difference}")?;
        return Ok(missing());
    }
    let mut lines = vec![
        (
            "trace",
            format!("of {}, build {}, {}", info.program, short_id(&info.build_id), plural(info.params.cores, "core")),
        ),
        ("parameters", info.params.canonical()),
        ("instructions", count(instructions)),
    ];
    if summary.instructions.len() > 1 {
        let each: Vec<String> = summary.instructions.iter().map(|n| count(*n)).collect();
        lines.push(("by core", each.join("  ")));
    }
    let signatures = match summary.confirmation() {
        Some((confirmed, unconfirmed)) => {
            format!("confirm {} instructions; {} are unconfirmed", count(confirmed), count(unconfirmed))
        }
        None => "none: damage is detected only where the trace no longer fits the program".into(),
    };
    lines.push(("signatures", signatures));
    lines.push(("messages", count(messages)));
    lines.push(("bits", count(summary.stats.bits)));
    lines.push(("speed", format!("{} instructions per second", big(speed))));
    if let Some(c) = checked {
        let extent = if replayed.damage.is_some() { ", up to the damage" } else { "" };
        lines.push(("check", c.found.equal(c.ret, extent)));
    }
    lines.extend(replayed.lost.describe().map(|lost| ("lost", lost)));
    facts(out, &lines)?;
    out.flush()?;
    Ok(missing())
}
