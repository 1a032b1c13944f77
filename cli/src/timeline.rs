//! `goshawk timeline`: functions, tasks and processes over time

use crate::args::contexts::{no_contexts, ProcessArgs, Processes};
use crate::args::tasks::TaskArgs;
use crate::args::Execution;
use crate::files::OutputPath;
use crate::output::{count, facts, report_missing};
use crate::progress::Bars;
use crate::{Failure, Status};
use clap::builder::RangedU64ValueParser;
use clap::ValueEnum;
use host::views::perfetto;
use host::views::source::{Missing, Replayed};
use host::views::thinned::{self, Shape, Thinned};
use host::views::timeline::Timeline;
use retire::elf::Program;
use retire::file::Replacement;
use std::io::Write;

/// Format of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// JSON, with every call
    Json,
    /// Track events for ui.perfetto.dev, of bounded size
    Perfetto,
}

/// What has a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Cores, with the tasks that they run
    Core,
    /// Tasks of an operating system
    Task,
    /// Address spaces of a trace with contexts
    Process,
}

/// Write the functions of all cores, tasks or processes over time, for Perfetto
///
/// The time axis counts instructions of all cores in the order of replay, one per microsecond, or clock cycles for a
/// trace with time stamps. Perfetto (ui.perfetto.dev) opens the file.
///
/// `--format perfetto` writes at most 500,000 slices, for any length of run: beyond that, consecutive calls that are shorter than a limit are merged to one
/// slice with the name of the longest, and their number as its argument `calls`. It also shows tasks, processes, traps and lost instructions. Tasks
/// are found as `profile --by task` finds them.
///
/// With `--process` and `--mode`, functions have slices only while a core is in these contexts, on the time axis of the whole run.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk timeline bank.gip --elf builtin:bank --depth 4 -o bank.json\n  goshawk timeline timed.gtr --elf builtin:vm -o vm.json\n  \
    goshawk timeline kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --mode u -o a.json\n  \
    goshawk timeline kernel.gtr --elf kernel.elf --space 1=a.elf --format perfetto --by process -o kernel.pftrace\n  \
    goshawk timeline bank.gip --elf builtin:bank --format perfetto -o bank.pftrace\n  \
    goshawk timeline vm.gtr --elf builtin:vm --format perfetto --by task -o vm.pftrace"
)]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Maximum depth of the shown call stacks, in functions
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    depth: usize,
    /// Format of the file
    #[arg(long, value_enum, default_value_t = Format::Json)]
    format: Format,
    /// Tracks of the file. Only with `--format perfetto`
    #[arg(long, value_enum, default_value_t = By::Core)]
    by: By,
    #[command(flatten)]
    tasks: TaskArgs,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Maximum number of slices in Perfetto's format.
const SLICES: usize = 500_000;

/// Size from which on viewers of timelines may fail, bytes.
const LARGE: u64 = 256 << 20;

/// What to do about a large timeline.
fn large(path: &str, bytes: u64) -> Option<String> {
    (bytes > LARGE).then(|| {
        format!(
            "{path}: has {} bytes, which viewers may not open; `--depth` writes fewer functions, `--format perfetto` a file of bounded size",
            count(bytes)
        )
    })
}

/// Writes a timeline.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let (replayed, named, processes) = args.processes.open(&args.execution)?;
    let perfetto = args.format == Format::Perfetto;
    if args.by != By::Core && !perfetto {
        let by = if args.by == By::Task { "task" } else { "process" };
        return Err(Failure::Other(format!("`--by {by}`: only with `--format perfetto`")));
    }
    if args.by == By::Process && !replayed.may_have_contexts() {
        return Err(no_contexts(&args.execution.trace, "`--by process` needs"));
    }
    let used = perfetto && !matches!(replayed, Replayed::Trace(_));
    args.tasks.check(used, "with `--format perfetto` of a recorded run, or of a recording with loads and stores")?;
    let (cores, axis) = (replayed.cores(), if replayed.has_cycles() { "cycles" } else { "instructions" });
    let mut object = args.execution.object("timeline").with("cores", cores.into()).with("axis", axis.into());
    let mut shown = vec![("cores", cores.to_string()), ("axis", axis.to_string())];
    let missing = if perfetto {
        let (missing, slices, merged) = bounded(args, replayed, &named.program, &processes)?;
        object = object.with("slices", slices.into()).with("merged_below", merged.into());
        let merged = if merged == 0 { String::new() } else { format!(", calls below {} {axis} merged", count(merged)) };
        shown.push(("slices", format!("{}{merged}", count(slices))));
        missing
    } else {
        every_call(args, replayed, &processes)?
    };
    let output = args.output.display().to_string();
    if args.json {
        object.with("output", output.into()).print(out)?;
    } else {
        shown.push(("written", output));
        facts(out, &shown)?;
    }
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}

/// Writes all calls as JSON.
fn every_call(args: &Args, replayed: Replayed, processes: &Processes) -> Result<Missing, Failure> {
    let (symbols, image) = (args.execution.symbols()?, replayed.image());
    let (cores, cycles) = (replayed.cores(), replayed.has_cycles());
    let failure = |e| Failure::io(&args.output, e);
    let mut file = Replacement::create(&args.output)?;
    let timeline = Timeline::new(symbols, Some(image), cores, args.depth, cycles, &mut file).map_err(failure)?;
    let mut timeline = timeline.with_contexts(processes.open(&replayed)?).only(processes.selection.clone());
    let missing = replayed.report_to(&mut timeline, &Bars)?;
    timeline.finish().map_err(failure)?;
    file.commit()?;
    // an output that is not a regular file has no size
    let bytes = std::fs::metadata(&args.output).map_or(0, |m| m.len());
    if let Some(warning) = large(&args.output.display().to_string(), bytes) {
        eprintln!("goshawk: {warning}");
    }
    Ok(missing)
}

/// Writes a bounded number of slices in Perfetto's format; returns their number, and below which duration calls were merged.
fn bounded(
    args: &Args,
    replayed: Replayed,
    program: &Program,
    processes: &Processes,
) -> Result<(Missing, u64, u64), Failure> {
    let elf = &args.execution.elf;
    let by_task = args.by == By::Task;
    let tasks = match args.tasks.recorded(elf, &replayed, program) {
        Ok(tasks) => tasks,
        Err(e) if by_task || args.tasks.given().is_some() => return Err(e),
        // a program without tasks
        Err(_) => None,
    };
    let by = match args.by {
        By::Core => thinned::By::Core,
        By::Task => thinned::By::Task,
        By::Process => thinned::By::Process,
    };
    let shape = Shape { cycles: replayed.has_cycles(), depth: args.depth, most: SLICES, by };
    let (symbols, image) = (args.execution.symbols()?, replayed.image());
    let thinned = Thinned::new(symbols, Some(image), replayed.cores(), shape, tasks);
    let mut thinned = thinned.with_contexts(processes.open(&replayed)?).only(processes.selection.clone());
    // a file that cannot be written is an error before the replay
    let mut file = Replacement::create(&args.output)?;
    let missing = replayed.report_to(&mut thinned, &Bars)?;
    let thinned = thinned.finish();
    if args.tasks.given().is_some() && !thinned.tasks_are_known() {
        return Err(args.tasks.not_stored(&args.execution.trace));
    }
    let written = perfetto::write(&thinned, &|space| processes.title(space), &mut file);
    let slices = written.and_then(|slices| file.flush().map(|()| slices));
    let slices = slices.map_err(|e| Failure::io(&args.output, e))?;
    file.commit()?;
    Ok((missing, slices, thinned.width()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_large_timelines_have_a_warning() {
        assert_eq!(large("x.json", LARGE), None);
        assert!(large("x.json", 1 << 30).unwrap().starts_with("x.json: has 1,073,741,824 bytes, "));
    }
}
