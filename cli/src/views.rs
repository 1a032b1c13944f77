//! `goshawk show`, `diff`, `profile`, `vcd`: views of an execution

mod processes;

use crate::args::contexts::{no_contexts, ProcessArgs, Processes};
use crate::args::tasks::TaskArgs;
use crate::args::{Execution, FilterArgs};
use crate::files::{source_folder, OutputPath};
use crate::output::{count, facts, percent, report_missing, Left, Limit, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use clap::builder::RangedU64ValueParser;
use clap::ValueEnum;
use host::contexts::{ByContext, ContextProgram};
use host::input::{InputOptions, Named};
use host::views::diff::{Comparison, Step};
use host::views::line_profile::{LineProfile, Names};
use host::views::lines::Lines;
use host::views::profile::Profile;
use host::views::show::{Program, Selection, Show};
use host::views::source::{Missing, Replayed};
use host::views::stack::follower::Follower;
use host::views::tasks::{Task, Tasks};
use host::views::vcd::{Contents, Dump};
use processes::Shown;
use retire::file::Replacement;
use retire::{FlowEvent, RetireSink};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// List retired instructions under their source lines, with inlined functions
///
/// For a recorded run (`encode --scheme inputs`) the values that each instruction read and wrote are shown too. A line
/// `f < g (file:line)` marks code of `f` that was inlined into `g`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk show bank.gip --elf builtin:bank --core 1 --skip 2000 --limit 20\n  \
    goshawk show vm.gtr --elf builtin:vm --limit 20 --sources programs/bare\n  \
    goshawk show bank.gip --elf builtin:bank --core 0 --tail 20\n  \
    goshawk show vm.gtr --elf builtin:vm --function rt_main --first 1000 --last 2000\n  \
    goshawk show kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --mode u --limit 20")]
pub struct ShowArgs {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Number of instructions to skip, of those that would be listed
    #[arg(long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Maximum number of listed lines: instructions
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Show only the last N instructions, 1 to 1000000, of those that would be listed
    #[arg(long, value_name = "N", conflicts_with = "limit", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    tail: Option<usize>,
    /// Folder of the source files
    #[arg(long, value_name = "DIR", default_value = ".", value_parser = source_folder)]
    sources: String,
    /// Print one JSON object, which contains the listing
    #[arg(long, requires = "limit")]
    json: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Lists instructions.
pub fn show(args: &ShowArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (path, elf) = (&args.execution.trace, &args.execution.elf);
    let lines = Lines::open(elf)?;
    let (replayed, named, processes) = args.processes.open(&args.execution)?;
    let cores = replayed.cores();
    let filter = args.filter.filter(path, (Some(elf), &processes), cores, replayed.has_cycles())?;
    let mut programs = Vec::new();
    for own in processes.open(&replayed)? {
        // a program without line tables is listed without lines
        let elf = processes.programs.iter().find(|(of, _)| *of == own.context);
        programs.push((own.context, Program::new(own.image, elf.and_then(|(_, elf)| Lines::open(elf).ok()))));
    }
    let (skip, limit, cycles) = (args.skip, args.limit.unwrap_or(u64::MAX), replayed.has_cycles());
    let shown = Selection { filter, skip, limit, cycles };
    let program = Program::new(replayed.image(), Some(lines));
    let mut text = Vec::new();
    let to: &mut dyn Write = if args.json { &mut text } else { out };
    let show = Show::new((program, named.assembly()), cores, shown, args.sources.clone().into(), to);
    let mut show = show.with_contexts(programs).with_tail(args.tail);
    let missing = replayed.report_until(&mut show, &Bars, Show::is_over)?;
    show.finish()?;
    if args.json {
        let listing = String::from_utf8_lossy(&text);
        let listing: Vec<&str> = listing.lines().collect();
        args.execution.object("show").with("lines", listing.into()).print(out)?;
    }
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}

/// Show where two executions of a program diverge, for each core
///
/// Both are traces or recorded runs of the same program. Exit code 0: they are equal; 1: they diverge. With `--process` or `--mode`,
/// only the control flow of these contexts is compared: the positions of interrupts, and other contexts, are ignored.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk diff bank.gip again.gip --elf builtin:bank\n  goshawk diff again.gip bank.gip --elf builtin:bank --json\n  \
    goshawk diff kernel.gtr again.gtr --elf kernel.elf --space 1=a.elf --space 2=b.elf --process a.elf --mode u"
)]
pub struct DiffArgs {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Trace file or recorded run to compare with
    #[arg(value_name = "TRACE")]
    other: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Compares two executions.
pub fn diff(args: &DiffArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (first, _, processes) = args.processes.open(&args.execution)?;
    let options = InputOptions { contexts: &processes.programs, ..args.execution.input_options() };
    let (second, _) = Replayed::open(&args.other, &args.execution.elf, options, &Bars)?;
    processes.check(&args.other, second.may_have_contexts())?;
    let cores = first.cores();
    let Comparison { differences: partings, missing } =
        host::views::diff::diff(first, second, &processes.selection, &Bars)?;
    let damaged = missing.iter().any(|m| m.damage.is_some());
    let symbols = ByContext::new(args.execution.symbols()?, processes.symbols()?);
    let place = |step: &Option<Step>| match step {
        None => "it has ended".to_string(),
        Some(Step { event: e, context }) => {
            let name = symbols
                .get(*context)
                .at(e.pc)
                .map_or(String::new(), |(name, offset)| format!(" ({name}+0x{offset:x})"));
            format!("pc 0x{:08x}{name}: {}", e.pc, host::check::describe(e))
        }
    };
    if args.json {
        let partings: Vec<_> = partings
            .iter()
            .map(|p| {
                json!({
                    "core": p.core, "instructions": p.instructions, "first": place(&p.first), "second": place(&p.second),
                })
            })
            .collect();
        let object = args.execution.object("diff").with("other", args.other.display().to_string().into());
        let damage = |m: &Missing| m.damage.as_ref().map(ToString::to_string);
        let object = object.with("damage", json!(missing.each_ref().map(damage)));
        // after damage, the rest is not known
        let equal = if partings.is_empty() && damaged { None } else { Some(partings.is_empty()) };
        object.with("equal", equal.into()).with("partings", partings.into()).print(out)?;
    } else if partings.is_empty() {
        let extent = if damaged { ", up to the damage" } else { "" };
        writeln!(out, "the same in every instruction of {}{extent}", crate::output::plural(cores, "core"))?;
    } else {
        for p in &partings {
            writeln!(out, "core {}, after {} instructions", p.core, count(p.instructions))?;
            writeln!(out, "  first   {}\n  second  {}", place(&p.first), place(&p.second))?;
        }
    }
    out.flush()?;
    let mut status = Status::Done;
    for (path, missing) in [&args.execution.trace, &args.other].into_iter().zip(&missing) {
        if report_missing(path, &missing.lost, missing.damage.as_ref()) == Status::Partial {
            status = Status::Partial;
        }
    }
    Ok(if partings.is_empty() { status } else { Status::Different })
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// Functions, with the functions that they called
    Function,
    /// Tasks of an operating system
    Task,
    /// Address spaces of a trace with contexts, by privilege mode
    Process,
}

/// Count the instructions of each function, task or process
///
/// Calls, returns and traps of each core are followed. The total of a function includes the instructions of the
/// functions that it called.
///
/// A task of a recorded run is what the pointer `--task-pointer` points to: a control block with the name of the task as its member
/// `--task-name`. The defaults are those of FreeRTOS. A trace of the control flow has no values; its stacks take the place of tasks.
///
/// These options also give names to the processes of a recording with contexts and stores (`capture run --system --contexts --data`), for
/// `--by process`: an address space has the name of the process that the core runs when it enters user mode. `--write-names` writes the names to
/// a file, for traces of the same run.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk profile bank.gip --elf builtin:bank --limit 10\n  \
    goshawk profile vm.gtr --elf builtin:vm --folded vm.folded\n  \
    goshawk profile vm.gtr --elf builtin:vm --pprof vm.pb.gz\n  \
    goshawk profile vm.gtr --elf builtin:vm --speedscope vm.speedscope.json\n  \
    goshawk profile vm.gtr --elf builtin:vm --by task\n  \
    goshawk profile kernel.gtr --elf kernel.elf --space 1=a.elf --space 2=b.elf --by process\n  \
    goshawk profile kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf --mode u\n  \
    goshawk profile xv6.ret --elf kernel --by process --task-pointer cpus --task-name proc.name --write-names names.txt")]
pub struct ProfileArgs {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// What is counted
    #[arg(long, value_enum, default_value_t = By::Function)]
    by: By,
    #[command(flatten)]
    tasks: TaskArgs,
    /// Maximum number of listed lines: functions, tasks or processes [default: 20]
    #[arg(long = "limit", alias = "top", value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    top: Option<usize>,
    /// File of folded stacks to write, for flame graphs: `outer;inner COUNT` a line
    #[arg(long, value_name = "FILE")]
    folded: Option<OutputPath>,
    /// File of stacks for pprof to write; `pprof -http : FILE` shows it
    #[arg(long, value_name = "FILE")]
    pprof: Option<OutputPath>,
    /// File of stacks for speedscope to write; www.speedscope.app shows it
    #[arg(long, value_name = "FILE")]
    speedscope: Option<OutputPath>,
    /// File of names of processes to write, for --process-names of this and other commands. Only with --by process
    #[arg(long, value_name = "FILE")]
    write_names: Option<OutputPath>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Counts by stack of functions, and of source lines where they are wanted.
struct Profiles {
    profile: Profile,
    by_line: Option<LineProfile>,
}

impl RetireSink for Profiles {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.profile.event(e);
        if let Some(lines) = &mut self.by_line {
            lines.event(e);
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.profile.stack_pointer(hart, sp);
        if let Some(lines) = &mut self.by_line {
            lines.stack_pointer(hart, sp);
        }
    }
}

/// Counts by task.
fn profile_tasks(
    args: &ProfileArgs,
    (replayed, named, processes): (Replayed, &Named, &Processes),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let elf = &args.execution.elf;
    let mut tasks = match args.tasks.recorded(elf, &replayed, &named.program)? {
        Some(tasks) => tasks,
        None => {
            let follower = Follower::new(args.execution.symbols()?, Some(replayed.image()), replayed.cores());
            let follower = follower.with_contexts(processes.open(&replayed)?);
            Tasks::by_stack(follower, replayed.cores())
        }
    }
    .only(processes.selection.clone());
    let missing = replayed.report_to(&mut tasks, &Bars)?;
    if args.tasks.given().is_some() && !tasks.are_known() {
        return Err(args.tasks.not_stored(&args.execution.trace));
    }
    let found = tasks.found();
    let all: u64 = found.iter().map(|t| t.instructions).sum();
    if args.json {
        let task = |t: &Task| {
            let functions: Vec<_> =
                t.functions.iter().map(|(name, n)| json!({ "function": name, "instructions": n })).collect();
            json!({ "task": t.name, "instructions": t.instructions, "switches": t.switches, "functions": functions })
        };
        let object = args.execution.object("profile").with("instructions", all.into());
        object.with("tasks", found.iter().map(task).collect()).print(out)?;
    } else {
        let mut table =
            Table::new([("task", Left), ("instructions", Right), ("", Right), ("switches", Right), ("most in", Left)]);
        for t in found.iter().take(Limit(args.top).lines()) {
            let most = t.functions.iter().max_by_key(|(name, n)| (**n, std::cmp::Reverse(*name)));
            table.row([
                t.name.clone(),
                count(t.instructions),
                percent(t.instructions, all),
                count(t.switches),
                most.map_or_else(String::new, |(name, n)| format!("{name} {}", percent(*n, t.instructions))),
            ]);
        }
        table.print(out)?;
        Limit(args.top).report_omitted(found.len(), "tasks");
    }
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}

/// Lists functions.
pub fn profile(args: &ProfileArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (replayed, named, processes) = args.processes.open(&args.execution)?;
    let selection = processes.selection.clone();
    if args.by == By::Process && !replayed.may_have_contexts() {
        return Err(no_contexts(&args.execution.trace, "`--by process` needs"));
    }
    let used = matches!(
        (args.by, &replayed),
        (By::Task, Replayed::Recorded(_) | Replayed::Recording(..)) | (By::Process, Replayed::Recording(..))
    );
    args.tasks.check(
        used,
        "with `--by task` of a recorded run, and `--by task` or `--by process` of a recording with loads and stores (`capture run --data`)",
    )?;
    if args.write_names.is_some() && args.by != By::Process {
        return Err(Failure::Other("`--write-names`: only with `--by process`".into()));
    }
    if args.by != By::Function {
        let by = if args.by == By::Task { "task" } else { "process" };
        if args.folded.is_some() || args.pprof.is_some() || args.speedscope.is_some() {
            return Err(Failure::Other(format!(
                "`--by {by}`: not with `--folded`, `--pprof` or `--speedscope`, which are stacks of functions"
            )));
        }
    }
    if args.by == By::Task {
        return profile_tasks(args, (replayed, &named, &processes), out);
    }
    let programs = processes.open(&replayed)?;
    if args.by == By::Process {
        let given = args.tasks.given().is_some();
        let running =
            given.then(|| args.tasks.running(&args.execution.elf, &named.program, replayed.cores())).transpose()?;
        let shown = Shown {
            execution: &args.execution,
            tasks: &args.tasks,
            limit: Limit(args.top),
            names: args.write_names.as_deref(),
            json: args.json,
        };
        return processes::profile(&shown, processes, replayed, (programs, running), out);
    }
    let (elf, cores, image) = (&args.execution.elf, replayed.cores(), replayed.image());
    let symbols = args.execution.symbols()?;
    let by_line = || {
        let follower = Follower::new(symbols.clone(), Some(image.clone()), cores);
        LineProfile::new(follower, image.clone(), cores).with_contexts(programs.clone()).only(selection.clone())
    };
    let by_line = args.pprof.as_ref().map(|_| by_line());
    let profile =
        Profile::new(symbols.clone(), Some(image.clone()), cores).with_contexts(programs.clone()).only(selection);
    let mut profiles = Profiles { profile, by_line };
    let missing = replayed.report_to(&mut profiles, &Bars)?;
    let Profiles { profile, by_line } = profiles;
    let pprof = |out: &mut dyn Write| {
        let Some(by_line) = &by_line else { return Ok(()) };
        // functions are known without line tables, too
        let (elfs, numbers) = processes.numbered();
        let tables = [elf.as_str()].into_iter().chain(elfs).map(|elf| (elf, Lines::open(elf).ok()));
        let tables: Vec<(&str, Option<Lines>)> = tables.collect();
        let common = Names { program: elf, lines: tables[0].1.as_ref(), symbols: &symbols };
        let own = |program: &'_ ContextProgram| {
            let number = numbers.iter().find(|(of, _)| *of == program.context).map(|(_, number)| *number);
            number.map_or(("memory", None), |number| (tables[number].0, tables[number].1.as_ref()))
        };
        let own = programs.iter().map(|of| (own(of), &of.symbols));
        let own = own.map(|((program, lines), symbols)| Names { program, lines, symbols });
        by_line.pprof(&[common].into_iter().chain(own).collect::<Vec<_>>(), out)
    };
    let title = args.execution.trace.display().to_string();
    type Written<'a> = &'a dyn Fn(&mut dyn Write) -> std::io::Result<()>;
    for (path, write) in [
        (&args.folded, (&|out: &mut dyn Write| profile.folded(out)) as Written<'_>),
        (&args.pprof, &pprof),
        (&args.speedscope, &|out: &mut dyn Write| profile.speedscope(&title, out)),
    ] {
        let Some(path) = path else { continue };
        let mut file = Replacement::create(path)?;
        write(&mut file).and_then(|()| file.flush()).map_err(|e| Failure::io(path, e))?;
        file.commit()?;
    }
    let shares = profile.flat();
    let all: u64 = shares.iter().map(|s| s.own).sum();
    if args.json {
        let functions: Vec<_> =
            shares.iter().map(|s| json!({ "function": s.function, "instructions": s.own, "total": s.total })).collect();
        let object = args.execution.object("profile");
        object.with("instructions", all.into()).with("functions", functions.into()).print(out)?;
        return Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()));
    }
    let mut table = Table::new([("function", Left), ("own", Right), ("", Right), ("total", Right), ("", Right)]);
    for s in shares.iter().take(Limit(args.top).lines()) {
        table.row([s.function.clone(), count(s.own), percent(s.own, all), count(s.total), percent(s.total, all)]);
    }
    table.print(out)?;
    Limit(args.top).report_omitted(shares.len(), "functions");
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}

/// Write pc and function of each core over time as a VCD, for waveform viewers
///
/// The function is a string. The time axis counts instructions of all cores in the order of replay, or clock cycles for
/// a trace with time stamps. GTKWave and Surfer open the file, which has about 45 bytes per instruction. With `--process` and `--mode`, a
/// core has values only in these contexts.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk vcd vm.gtr --elf builtin:vm --to 20000 -o vm.vcd\n  \
    goshawk vcd bank.gip --elf builtin:bank --registers --from 10000 --to 20000 -o bank.vcd\n  \
    goshawk vcd kernel.gtr --elf kernel.elf --space 1=a.elf --process a.elf -o a.vcd")]
pub struct VcdArgs {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// Include the registers. Only with a recorded run
    #[arg(long)]
    registers: bool,
    /// Time at which the dump starts
    #[arg(long, value_name = "TIME", default_value_t = 0)]
    from: u64,
    /// Time before which the dump ends [default: the end]
    #[arg(long, value_name = "TIME")]
    to: Option<u64>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Writes a value change dump.
pub fn vcd(args: &VcdArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let (replayed, named, processes) = args.processes.open(&args.execution)?;
    let contexts = processes.selection.clone();
    let cycles = replayed.has_cycles();
    let path = args.execution.trace.display();
    if args.registers && !matches!(replayed, Replayed::Recorded(_)) {
        return Err(Failure::Other(format!(
            "{path}: is a trace of the control flow, which has no registers; `goshawk encode --scheme inputs` records \
             a run with them"
        )));
    }
    let times = args.from..args.to.unwrap_or(u64::MAX);
    if times.is_empty() {
        return Err(Failure::Other(format!("`--from {}` and `--to {}`: the range is empty", times.start, times.end)));
    }
    let shown = Contents { xlen: named.program.xlen, cycles, registers: args.registers, times, contexts };
    let cores = replayed.cores();
    let failure = |e| Failure::io(&args.output, e);
    let mut file = Replacement::create(&args.output)?;
    let image = replayed.image();
    let symbols = args.execution.symbols()?;
    let programs = processes.open(&replayed)?;
    let dump = Dump::new(image, symbols, cores, shown, &mut file).map_err(failure)?;
    let mut dump = dump.with_contexts(programs);
    let missing = replayed.report_until(&mut dump, &Bars, Dump::is_over)?;
    dump.finish().map_err(failure)?;
    file.commit()?;
    let axis = if cycles { "cycles" } else { "instructions" };
    let output = args.output.display().to_string();
    if args.json {
        let object = args.execution.object("vcd").with("cores", cores.into()).with("axis", axis.into());
        object.with("output", output.into()).print(out)?;
    } else {
        facts(out, &[("cores", cores.to_string()), ("axis", axis.into()), ("written", output)])?;
    }
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}
