//! `goshawk sweep`: measures traces x schemes x parameters in parallel

use crate::args::seeds::Seeds;
use crate::args::{refuse_if_all_recorded, within, MachineArgs, TimingName, HARTS};
use crate::files::{input_name, OutputPath};
use crate::output::{count, plural, Left, Object, Right, Table, TOOL};
use crate::{progress, Failure, Status};
use ::sweep::plan::{Plan, Shard};
use ::sweep::point::Point;
use ::sweep::run::{Options, Provenance};
use ::sweep::spread::{spreads, Mean, Spread};
use ::sweep::store::{files, merge, Manifest, PointStore, Store};
use clap::{Args as ClapArgs, Subcommand};
use host::machine::TimingOptions;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

/// Measure traces with many schemes and parameters, in parallel; run again to resume
#[derive(ClapArgs, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
    goshawk sweep --trace builtin:fft --trace run.ret --harts 1,4 --set small,medium,large -o fft\n  \
    goshawk sweep --plan papers.toml -o papers\n  \
    goshawk sweep --trace all --encoding tr_e,'tr(bcnt=2,1)',nx_b --set m0,m4 --timestamps both -o chunks\n  \
    goshawk sweep --trace builtin:fft --harts 4 --repeat 5 --startup 100000 --max-instructions 1000000 --encoding tr_e --set m4 -o spread\n  \
    goshawk sweep --plan big.toml --shard 2/4 -o part2\n  \
    goshawk sweep merge part1 part2 part3 part4 -o big\n  \
    goshawk report sweep big -o big.html\n\n\
    Points that are already in the folder are not measured again. A shard is a part of a sweep: the second of four machines runs 2/4; \
    when all are done, they are merged."
)]
pub struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    Merge(MergeArgs),
}

/// Merge the shards of one sweep
#[derive(ClapArgs, Debug)]
#[command(after_help = "Examples:\n  goshawk sweep merge part1 part2 part3 part4 -o big\n  \
    goshawk report sweep big -o big.html")]
struct MergeArgs {
    /// Folders of all shards
    #[arg(value_name = "DIR", required = true)]
    shards: Vec<PathBuf>,
    /// Folder to write the merged sweep to
    #[arg(short, long, value_name = "DIR")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(ClapArgs, Debug)]
struct RunArgs {
    /// Folder of the sweep to write or continue: points, results.csv, sweep.json
    #[arg(short, long, value_name = "DIR", required = true)]
    output: Option<OutputPath>,
    /// TOML file of the plan; options override it
    #[arg(help_heading = "Plan", long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Traces to measure: builtin:NAME, ELF, retire or rbt1 files, folders, patterns as 'traces/*.ret', or `all` for
    /// every built-in program. May be repeated
    #[arg(help_heading = "Plan", long, value_name = "TRACE", value_delimiter = ',', value_parser = input_name())]
    trace: Vec<String>,
    /// Program of the recordings with its build ID, which E-Trace needs. May be repeated
    #[arg(help_heading = "Plan", long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Vec<String>,
    /// Accept a program with another build ID than the trace or recording names. The one program is used for all
    /// recordings
    #[arg(help_heading = "Plan", long)]
    any_build: bool,
    /// Numbers of harts that run the programs, 1 to 8, such as 1,4. A recording has its own number [default: 1]
    #[arg(help_heading = "Built-in simulator", long, value_name = "N", value_delimiter = ',', value_parser = within(&HARTS))]
    harts: Vec<u8>,
    /// Encodings: tr_e, tr_b, tr(bcnt=3,2;...) and shared (rates of one predictor for all cores) with every --set,
    /// sc-lsp with every --stream-cache, nx_b, nexs, edmtf(192,4), gzip-9, ..., or full names as tr_e:m4 [default:
    /// tr_e,tr_b,nx_b,nexs,sc-lsp]
    #[arg(help_heading = "Plan", long, value_name = "NAME")]
    encoding: Vec<String>,
    /// Predictor sets, by name or as OUTCOME/TARGET, such as 512/8/16 [default: small,medium,large]
    #[arg(help_heading = "Plan", long, value_name = "SET", value_delimiter = ',')]
    set: Vec<String>,
    /// Stream caches as rbase-32x4 [default: rbase-32x4]
    #[arg(help_heading = "Plan", long, value_name = "SHAPE", value_delimiter = ',')]
    stream_cache: Vec<String>,
    /// Functional streams (no), time-stamped ones (yes), or both [default: no]
    #[arg(help_heading = "Plan", long, value_name = "no|yes|both", value_parser = ["no", "yes", "both"])]
    timestamps: Option<String>,
    /// Timing model of the harts [default: papers]
    #[arg(help_heading = "Built-in simulator", long, value_enum)]
    timing: Option<TimingName>,
    /// Cache sizes in bytes and latencies in cycles that differ from those of the papers: as for `goshawk run`
    #[arg(help_heading = "Built-in simulator", long, value_name = "NAME=N,...")]
    caches: Option<TimingOptions>,
    /// Seed of the random start delays of the harts; 0 starts all harts at once [default: 0]
    #[arg(help_heading = "Built-in simulator", long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Run each program with these seeds, A to B - 1, and print the spread: 1..6 for five schedules. Instead of `--seed`
    #[arg(help_heading = "Built-in simulator", long, value_name = "A..B", conflicts_with = "seed")]
    seeds: Option<Seeds>,
    /// Run each program N times, 1 to 1000, with the seeds from `--seed` up, or from 1
    #[arg(help_heading = "Built-in simulator", long, value_name = "N", conflicts_with = "seeds", value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeat: Option<u64>,
    /// Measure the first N instructions of each run, of all harts, apart from the others: totals are of the part after
    /// them [default: 0]
    #[arg(help_heading = "Plan", long, value_name = "N")]
    startup: Option<u64>,
    /// Instruction limit, of all harts together, in each run, such as 1000000 or 1M [default: none]
    #[arg(help_heading = "Built-in simulator", long, value_name = "N", value_parser = crate::args::instructions)]
    max_instructions: Option<u64>,
    /// Skip decoding of the streams: faster, but the results are marked as unverified
    #[arg(long)]
    no_verify: bool,
    /// Part of the sweep to run: 2/4 is the second of four
    #[arg(long, value_name = "I/N", default_value = "1/1")]
    shard: Shard,
    /// Number of threads, 1 to 512 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
    /// List what would be run, and exit
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Splits at commas outside parentheses.
fn names(texts: &[String]) -> Vec<String> {
    let mut out = Vec::new();
    for text in texts {
        let (mut depth, mut name) = (0, String::new());
        for c in text.chars() {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                ',' if depth == 0 => {
                    out.push(std::mem::take(&mut name));
                    continue;
                }
                _ => {}
            }
            name.push(c);
        }
        out.push(name);
    }
    out
}

impl RunArgs {
    /// Seeds of `--seeds` or `--repeat`; one of `--seed` replaces those of a plan.
    fn seeds(&self) -> Option<Vec<u64>> {
        if let Some(seeds) = &self.seeds {
            return Some(seeds.iter().collect());
        }
        let first = self.seed.unwrap_or(1);
        let repeated = self.repeat.map(|n| (first..first.saturating_add(n)).collect());
        repeated.or_else(|| self.seed.map(|_| Vec::new()))
    }

    fn plan(&self) -> Result<Plan, Failure> {
        let mut plan = match &self.plan {
            Some(path) => Plan::read(path)?,
            None => Plan::default(),
        };
        let replace = |to: &mut Vec<String>, with: &[String]| {
            if !with.is_empty() {
                *to = with.to_vec();
            }
        };
        plan.each(|p| {
            replace(&mut p.traces, &self.trace);
            replace(&mut p.elfs, &self.elf);
            replace(&mut p.encodings, &names(&self.encoding));
            replace(&mut p.sets, &self.set);
            replace(&mut p.stream_caches, &self.stream_cache);
            p.any_build |= self.any_build;
            if !self.harts.is_empty() {
                p.harts.clone_from(&self.harts);
            }
            match self.timestamps.as_deref() {
                Some("yes") => p.timestamps = vec![true],
                Some("both") => p.timestamps = vec![false, true],
                Some(_) => p.timestamps = vec![false],
                None => {}
            }
            p.settings.timing = self.timing.map_or(p.settings.timing, Into::into);
            p.settings.caches = self.caches.unwrap_or(p.settings.caches);
            p.settings.seed = self.seed.unwrap_or(p.settings.seed);
            if let Some(seeds) = self.seeds() {
                p.seeds = seeds;
            }
            p.startup = self.startup.unwrap_or(p.startup);
            p.settings.max_instructions = self.max_instructions.or(p.settings.max_instructions);
            p.verify &= !self.no_verify;
        });
        plan.expand()?;
        let simulator = MachineArgs {
            harts: self.harts.first().copied(),
            timing: self.timing,
            caches: self.caches,
            seed: self.seed,
            max_instructions: None,
        };
        let several = [("--seeds", self.seeds.is_some()), ("--repeat", self.repeat.is_some())];
        let traces = || plan.part.iter().chain([&plan]).flat_map(|p| &p.traces);
        if let Some((option, _)) = several.iter().find(|o| o.1) {
            refuse_if_all_recorded(traces(), option)?;
        }
        simulator.refuse_for_recordings(traces())?;
        Ok(plan)
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if let Some(Command::Merge(m)) = &args.command {
        merge(&m.output, &m.shards)?;
        summary(&Store::open(&m.output)?, None, &[], m.json, out)?;
        return Ok(Status::Done);
    }
    let args = &args.run;
    let Some(output) = &args.output else {
        return Err(Failure::Other("--output is missing: the folder of the sweep".into()));
    };
    let plan = args.plan()?;
    let (jobs, mut left_out, bad) = plan.jobs()?;
    left_out.extend(bad.iter().map(ToString::to_string));
    for what in &left_out {
        eprintln!("goshawk: left out: {what}");
    }
    let total = files(&jobs).len();
    let jobs = args.shard.part(jobs);
    let points = files(&jobs);
    if args.dry_run && args.json {
        let traces: Vec<_> = jobs.iter().map(|j| json!({ "trace": j.trace.name, "harts": j.harts })).collect();
        Object::new("sweep", &output.display().to_string())
            .with("dry_run", true.into())
            .with("plan", json!(plan))
            .with("shard", json!(args.shard))
            .with("traces", traces.into())
            .with("left_out", json!(left_out))
            .with("points", json!(points))
            .print(out)?;
        return Ok(Status::Done);
    }
    if args.dry_run {
        writeln!(out, "{} of {}", plural(points.len() as u64, "point"), plural(jobs.len() as u64, "trace"))?;
        points.iter().try_for_each(|p| writeln!(out, "{p}"))?;
        return Ok(status(&left_out));
    }
    let store = Store::create(output)?;
    if let Some((lost, kept)) = store.left_out(&points) {
        return Err(Failure::Other(format!(
            "{}: holds {} of another plan or shard, which the results would lose ({lost}); `--output` must name another folder",
            output.display(),
            plural(kept, "point"),
        )));
    }
    let start = Instant::now();
    let finished = jobs.iter().flat_map(|j| &j.tasks).filter(|t| store.has(t)).count();
    let bar = progress::bar("sweeping", "points", Some(points.len() as u64));
    bar.inc(finished as u64);
    // without the program's path, which does not affect the result
    let command = std::iter::once("goshawk".to_string())
        .chain(std::env::args_os().map(|word| word.to_string_lossy().into_owned()).skip(1))
        .collect::<Vec<_>>()
        .join(" ");
    let made = Provenance { tool: TOOL.into(), command };
    let progress = |_: &Point| bar.inc(1);
    let mut options = Options::new(&made, &progress);
    options.threads = args.threads.map_or(options.threads, usize::from);
    let mut manifest = Manifest {
        tool: made.tool.clone(),
        command: made.command.clone(),
        plan: plan.clone(),
        shard: args.shard,
        total,
        points: points.clone(),
        complete: false,
        seconds: 0.0,
    };
    // so that a sweep that is killed has its description
    store.finish(&manifest)?;
    let result = ::sweep::run::run(&jobs, &store, &options);
    bar.finish_and_clear();
    manifest.seconds = start.elapsed().as_secs_f64();
    let bad = result.map_err(|e| {
        // may fail too if the disk is full; the points are more important
        let _ = store.finish(&manifest);
        let kept = points.iter().filter(|p| store.point(p).is_some()).count();
        Failure::Other(format!(
            "{e}; {kept} of {} are kept, the same command continues from there",
            plural(points.len() as u64, "point")
        ))
    })?;
    for what in bad.iter().map(ToString::to_string) {
        eprintln!("goshawk: left out: {what}");
        left_out.push(what);
    }
    store.finish(&manifest)?;
    summary(&store, Some(finished), &left_out, args.json, out)?;
    Ok(status(&left_out))
}

/// Points that cannot be measured are left out, and the status says so.
fn status(left_out: &[String]) -> Status {
    if left_out.is_empty() {
        Status::Done
    } else {
        Status::Partial
    }
}

/// The totals as a table; columns in which all rows are alike are left out.
fn table(totals: &[Spread]) -> Table {
    let repeated = totals.iter().any(|t| t.runs > 1);
    let startup = totals.iter().any(|t| t.startup.is_some());
    let unlike = |t: &Spread| totals.iter().any(|o| (&o.configuration, t.runs) != (&t.configuration, o.runs));
    let several = totals.iter().any(unlike);
    // with one trace, all means are its own figure
    let means = totals.iter().any(|t| t.traces > 1);
    let mut columns = vec![("scheme", Left), ("harts", Right), ("time", Left), ("traces", Right)];
    if repeated {
        columns.push(("runs", Right));
    }
    columns.extend([("instructions", Right), ("bits/instr", Right)]);
    if means {
        columns.extend([("arithmetic", Right), ("geometric", Right), ("least", Right), ("greatest", Right)]);
    }
    columns.push(("windows", Right));
    if startup {
        columns.push(("start-up", Right));
    }
    if several {
        columns.push(("configuration", Left));
    }
    let mut table = Table::of(&columns);
    for t in totals {
        let mut cells = vec![
            t.scheme.clone(),
            t.harts.to_string(),
            if t.timestamps { "stamped" } else { "" }.into(),
            count(t.traces),
        ];
        if repeated {
            cells.push(count(t.runs));
        }
        let figure = |m: &Mean| m.text(4);
        cells.extend([count(t.instructions), figure(&t.total)]);
        if means {
            cells.push(figure(&t.arithmetic));
            cells.push(t.geometric.as_ref().map_or_else(|| "-".into(), figure));
            cells.extend([t.range.0, t.range.1].map(|v| format!("{v:.4}")));
        }
        cells.push(t.windows.map_or_else(|| "-".into(), |(least, most)| format!("{least:.4} to {most:.4}")));
        if startup {
            cells.push(t.startup.map_or_else(|| "-".into(), |v| format!("{v:.4}")));
        }
        if several {
            cells.push(t.configuration.clone());
        }
        table.cells(cells);
    }
    table
}

/// Prints the totals; `before`: number of points that existed when the run started.
fn summary(
    store: &Store,
    before: Option<usize>,
    left_out: &[String],
    as_json: bool,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let points = store.points()?;
    let totals = spreads(points.iter().map(|p| &p.1));
    let file = store.folder().join("results.csv");
    if as_json {
        let manifest = store.manifest()?;
        Object::new("sweep", &store.folder().display().to_string())
            .with("plan", json!(manifest.plan))
            .with("shard", json!(manifest.shard))
            .with("points", points.len().into())
            .with("points_from_before", json!(before))
            .with("left_out", json!(left_out))
            .with("results", file.display().to_string().into())
            .with("totals", json!(totals))
            .print(out)?;
        return Ok(());
    }
    table(&totals).print(out)?;
    let traces: std::collections::BTreeSet<String> = points.iter().map(|p| p.1.workload()).collect();
    writeln!(
        out,
        "\n{}: {}",
        if traces.len() == 1 { "trace" } else { "traces" },
        traces.into_iter().collect::<Vec<_>>().join(", ")
    )?;
    let before = before.map_or_else(String::new, |n| format!(", {n} of them from before"));
    writeln!(out, "{} in {}{before}", plural(points.len() as u64, "point"), file.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_chunk_sizes_do_not_end_a_name() {
        let given = ["tr_e,nx_b".to_string(), "tr(bcnt=2,1;diffta=3,4),nexs".to_string()];
        assert_eq!(names(&given), ["tr_e", "nx_b", "tr(bcnt=2,1;diffta=3,4)", "nexs"]);
    }
}
