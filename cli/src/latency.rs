//! `goshawk latency`: how long interrupts take to reach the tasks that they make ready

use crate::args::tasks::TaskArgs;
use crate::args::Execution;
use crate::output::{count, plural, report_missing, Align, Left, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::views::latency::{Distribution, Found, Latencies, Latency, TRAP};
use host::views::source::Replayed;
use host::views::stack::follower::Follower;
use host::views::tasks::Tasks;
use host::views::thinned::{cause_name, INTERRUPT};
use serde_json::{json, Value};
use std::io::Write;

/// Measure the latencies from interrupts to the tasks that they make ready
///
/// A latency begins at the first instruction of the handler and ends at the first instruction of the task: minimum, median, 99th percentile, and the
/// worst with its moment. They are counted in instructions of the core, and also in clock cycles if the trace has time stamps.
///
/// In a recorded run of a program with the lists of FreeRTOS (`pxReadyTasksLists`), a task is made ready when the handler puts it into a
/// ready list, and it may run much later. In all other cases, a latency is measured only if the handler itself switches to the task. Tasks are found as by
/// `profile --by task`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk latency wake.gip --elf wake.elf\n  \
    goshawk latency wake.gip --elf wake.elf --task-pointer pxCurrentTCB --task-name pcTaskName\n  \
    goshawk latency timed.gtr --elf builtin:vm --limit 5 --json")]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    tasks: TaskArgs,
    /// Maximum number of listed pairs of interrupt and task
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Name of an interrupt.
fn name(cause: u32) -> String {
    match cause {
        TRAP => "trap".into(),
        cause => cause_name(cause),
    }
}

/// Quantiles of the instructions of latencies, and of their cycles.
fn distributions(found: &Found) -> [Option<Distribution>; 2] {
    let of = |f: fn(&Latency) -> u64| Distribution::of(found.all.iter().map(f));
    [of(|l| l.instructions), of(|l| l.cycles)]
}

/// Where the measured latencies come from.
fn measured(recorded: bool, lists: bool) -> &'static str {
    match (recorded, lists) {
        (true, true) => "tasks that a handler put into a ready list",
        (true, false) => "tasks to which a handler switched",
        (false, _) => "stacks to which a handler switched",
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let elf = &args.execution.elf;
    let (replayed, named) = args.execution.open_with(&[])?;
    let recorded = matches!(replayed, Replayed::Recorded(_));
    args.tasks.check(recorded, "with a recorded run")?;
    let cores = replayed.cores();
    let tasks = match args.tasks.recorded(elf, &replayed, &named.program)? {
        Some(tasks) => tasks,
        None => Tasks::by_stack(Follower::new(args.execution.symbols()?, Some(replayed.image()), cores), cores),
    };
    let how = measured(recorded, tasks.lists().is_some());
    let (timed, unknown) = (replayed.has_cycles(), matches!(replayed, Replayed::Trace(_)));
    let mut latencies = Latencies::new(tasks, cores, unknown);
    let missing = replayed.report_to(&mut latencies, &Bars)?;
    let found = latencies.found();
    let times: u64 = found.iter().map(|f| f.all.len() as u64).sum();
    if args.json {
        let rows: Vec<Value> = found.iter().take(args.limit).map(|f| row(f, timed, recorded)).collect();
        let object = args.execution.object("latency").with("measured", how.into());
        let object = object.with("interrupts", latencies.interrupts.into()).with("latencies", rows.into());
        let object = object.with("found", found.len().into()).with("on_another_core", latencies.elsewhere.into());
        object.with("lost", latencies.lost.into()).print(out)?;
    } else {
        table(&found[..found.len().min(args.limit)], timed, recorded).print(out)?;
        let traps = if unknown { "trap" } else { "interrupt" };
        writeln!(out, "{} of {}: {how}", count(times), plural(latencies.interrupts, traps))?;
        if found.len() > args.limit {
            writeln!(out, "the first {} of {} lines; `--limit` lists more", args.limit, found.len())?;
        }
        if latencies.elsewhere > 0 {
            writeln!(out, "{} left out: another core ran the task", count(latencies.elsewhere))?;
        }
        if latencies.lost > 0 {
            writeln!(out, "{} left out: instructions were lost", count(latencies.lost))?;
        }
    }
    Ok(report_missing(&args.execution.trace, &missing.lost, missing.damage.as_ref()))
}

fn row(found: &Found, timed: bool, recorded: bool) -> Value {
    let [instructions, cycles] = distributions(found);
    let object = |d: &Distribution| json!({ "min": d.min, "median": d.median, "p99": d.p99, "max": d.max });
    let number = match found.cause {
        TRAP => Value::Null,
        cause => (cause % INTERRUPT).into(),
    };
    let worst = found.worst().map(|l| {
        json!({
            "core": l.core, "instructions": l.instructions, "retired": l.retired,
            "moment": recorded.then_some(l.time), "cycle": timed.then_some(l.time), "cycles": timed.then_some(l.cycles),
        })
    });
    json!({
        "interrupt": name(found.cause), "cause": number, "task": found.task, "times": found.all.len(),
        "instructions": instructions.as_ref().map(object), "cycles": cycles.as_ref().filter(|_| timed).map(object), "worst": worst,
    })
}

/// The table: instructions, then clock cycles where they are known.
fn table(found: &[Found], timed: bool, recorded: bool) -> Table {
    let mut columns: Vec<(&str, Align)> = vec![("interrupt", Left), ("task", Left), ("times", Right)];
    columns.extend([("instructions: min", Right), ("median", Right), ("99 %", Right), ("max", Right)]);
    if timed {
        columns.extend([("cycles: min", Right), ("median", Right), ("99 %", Right), ("max", Right)]);
    }
    columns.push(("worst at", Left));
    let mut table = Table::of(&columns);
    for f in found {
        let mut cells = vec![name(f.cause), f.task.clone(), count(f.all.len() as u64)];
        let shown = distributions(f).into_iter().take(if timed { 2 } else { 1 });
        for d in shown.flatten() {
            cells.extend([d.min, d.median, d.p99, d.max].map(count));
        }
        let at = f.worst().map(|l| {
            let moment = if recorded { format!(", moment {}", count(l.time)) } else { String::new() };
            let cycle = if timed { format!(", cycle {}", count(l.time)) } else { String::new() };
            format!("core {}, instruction {}{moment}{cycle}", l.core, count(l.retired))
        });
        cells.push(at.unwrap_or_default());
        table.cells(cells);
    }
    table
}
