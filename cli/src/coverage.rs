//! `goshawk coverage`: source lines, branches and functions that ran

use crate::args::contexts::ProcessArgs;
use crate::args::Execution;
use crate::files::OutputPath;
use crate::output::{count, percent, report_missing, Left, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::contexts::Split;
use host::input::{InputOptions, Named};
use host::symbols::Symbols;
use host::views::coverage::{Coverage, File, Files, Sums};
use host::views::lines::Lines;
use host::views::paths::Paths;
use host::views::source::Replayed;
use retire::file::Replacement;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Write the source lines, branches and functions that ran, in lcov's format
///
/// Counts of several traces of the same program are added. With programs of processes (`--space`), each instruction counts for the
/// program of its context, and the result has the files of all programs. Lines of inlined functions are attributed to the files of these functions.
/// `genhtml --branch-coverage` converts the file to HTML, and Codecov reads it.
///
/// Paths are those that the compiler was given. `--map` replaces their beginnings, then `--include` and `--exclude` select: `*` is any text,
/// `?` any character.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk coverage bank.gip --elf builtin:bank -o bank.info\n  goshawk coverage vm.gtr --elf builtin:vm -o vm.info\n  \
    goshawk coverage bank.gip again.gip --elf builtin:bank --exclude './rt/*' --map ./=programs/bare/ -o bank.info\n  \
    goshawk coverage kernel.gtr --elf kernel.elf --space 1=a.elf --space 2=b.elf --process a.elf --mode u -o a.info"
)]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    #[command(flatten)]
    processes: ProcessArgs,
    /// More traces or recorded runs of the program
    #[arg(value_name = "TRACE")]
    others: Vec<PathBuf>,
    /// Source files in the result: a pattern for their paths. May be repeated [default: all]
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// Source files that are not in the result: a pattern for their paths. May be repeated
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Replace the beginning of paths. May be repeated; the first match applies
    #[arg(long, value_name = "FROM=TO", value_parser = mapping)]
    map: Vec<(String, String)>,
    /// Leave out source files that do not exist, as genhtml needs them
    #[arg(long)]
    skip_missing: bool,
    /// Maximum number of listed files, those with the fewest executed lines first
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Tracefile of lcov to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn mapping(text: &str) -> Result<(String, String), String> {
    let (from, to) =
        text.split_once('=').filter(|(from, _)| !from.is_empty()).ok_or("expected FROM=TO, as /build/=src/")?;
    Ok((from.into(), to.into()))
}

/// Parts of a total, for JSON.
fn parts(sums: &Sums) -> serde_json::Value {
    let of = |found: u64, hit: u64| json!({ "found": found, "hit": hit });
    json!({
        "lines": of(sums.lines, sums.lines_hit), "branches": of(sums.branches, sums.branches_hit),
        "functions": of(sums.functions, sums.functions_hit),
    })
}

/// Writes a tracefile.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let (first, named, processes) = args.processes.open(&args.execution)?;
    let (elfs, numbers) = processes.numbered();
    let recorded = named.machine.map(|_| first.image());
    let selected = processes.selected(elfs.len());
    // without line tables, there is no reason to replay
    for (elf, _) in [args.execution.elf.as_str()].iter().chain(&elfs).zip(&selected).filter(|(_, selected)| **selected)
    {
        Lines::open(elf)?;
    }
    let mut coverages: Vec<Coverage> = (0..=elfs.len()).map(|_| Coverage::new()).collect();
    let mut status = Status::Done;
    let mut add = |path: &PathBuf, replayed: Replayed| -> Result<(), Failure> {
        let cores = replayed.cores();
        let mut sinks = std::mem::take(&mut coverages);
        sinks.iter_mut().for_each(|coverage| coverage.begin(cores));
        let mut split = Split::new(cores, sinks, numbers.clone(), processes.selection.clone());
        let missing = replayed.report_to(&mut split, &Bars)?;
        coverages = split.into_sinks();
        match report_missing(path, &missing.lost, missing.damage.as_ref()) {
            Status::Done => {}
            partial => status = partial,
        }
        Ok(())
    };
    add(&args.execution.trace, first)?;
    for other in &args.others {
        let options = InputOptions { contexts: &processes.programs, ..args.execution.input_options() };
        let (replayed, _) = Replayed::open(other, &args.execution.elf, options, &Bars)?;
        processes.check(other, replayed.may_have_contexts())?;
        add(other, replayed)?;
    }
    let paths = Paths {
        include: args.include.clone(),
        exclude: args.exclude.clone(),
        map: args.map.clone(),
        existing: args.skip_missing,
    };
    let mut found = Files::default();
    for (number, coverage) in coverages.iter().enumerate().filter(|(number, _)| selected[*number]) {
        found.add(match number.checked_sub(1).map(|at| elfs[at]) {
            None => {
                let program = (&named.program, recorded.as_ref());
                coverage.files(program, &Lines::open(&args.execution.elf)?, &args.execution.symbols()?, &paths)
            }
            Some(elf) => {
                coverage.files((&Named::open(elf)?.program, None), &Lines::open(elf)?, &Symbols::open(elf)?, &paths)
            }
        });
    }
    if let Some(machine) = named.machine {
        eprintln!("goshawk: {}: is for {machine}; its branches that did not run are not counted", args.execution.elf);
    }
    if let Some(first) = found.missing.first() {
        let n = found.missing.len();
        eprintln!(
            "goshawk: left out source files that do not exist: {n}, as {first}; `--map FROM=TO` changes their paths"
        );
    }
    if found.files.is_empty() {
        return Err(Failure::Other(format!(
            "{}: no source files are left; `--include`, `--exclude` and `--skip-missing` select by paths after `--map`",
            args.execution.elf
        )));
    }
    let mut file = Replacement::create(&args.output)?;
    found.lcov(&mut file).and_then(|()| file.flush()).map_err(|e| Failure::io(&args.output, e))?;
    file.commit()?;
    let sums = found.sums();
    let mut worst: Vec<(&String, Sums)> = found.files.iter().map(|(path, file)| (path, File::sums(file))).collect();
    let share = |s: &Sums| sim::analysis::ratio(s.lines_hit, s.lines);
    worst.sort_by(|a, b| share(&a.1).total_cmp(&share(&b.1)).then_with(|| a.0.cmp(b.0)));
    worst.truncate(args.limit);
    if args.json {
        let files: Vec<_> = worst.iter().map(|(path, sums)| json!({ "path": path, "sums": parts(sums) })).collect();
        let mut object = args.execution.object("coverage").with("traces", (1 + args.others.len()).into());
        if let serde_json::Value::Object(all) = parts(&sums) {
            object = all.into_iter().fold(object, |object, (name, value)| object.with(&name, value));
        }
        let object = object.with("files", files.into()).with("missing", found.missing.len().into());
        object.with("output", args.output.display().to_string().into()).print(out)?;
        return Ok(status);
    }
    for (what, found, hit) in [
        ("lines", sums.lines, sums.lines_hit),
        ("branches", sums.branches, sums.branches_hit),
        ("functions", sums.functions, sums.functions_hit),
    ] {
        writeln!(out, "{what:11}{} of {}, {}", count(hit), count(found), percent(hit, found))?;
    }
    writeln!(out, "written    {}", args.output.display())?;
    if found.files.len() > 1 && !worst.is_empty() {
        let mut table =
            Table::new([("file", Left), ("lines", Right), ("", Right), ("branches", Right), ("functions", Right)]);
        for (path, s) in worst {
            table.row([
                path.clone(),
                format!("{} of {}", count(s.lines_hit), count(s.lines)),
                percent(s.lines_hit, s.lines),
                percent(s.branches_hit, s.branches),
                percent(s.functions_hit, s.functions),
            ]);
        }
        writeln!(out)?;
        table.print(out)?;
    }
    Ok(status)
}
