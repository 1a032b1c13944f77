//! `goshawk capture run`: runs a real program under QEMU, and writes recordings and descriptors

use super::processes::{self, Files};
use super::statistics::{self, Values};
use super::writing::write_files;
use crate::files::OutputPath;
use crate::output::{count, facts, percent, plural, short_id, Left, Object, Right, Table};
use crate::progress::bar;
use crate::{signals, Failure, Status};
use ::capture::cost::Cost;
use ::capture::descriptor::Form;
use ::capture::follow::Follow;
use ::capture::machine::Executable;
use ::capture::outputs::{self, Compression, Outcome, OutputFiles};
use ::capture::routines::{self, Routine};
use ::capture::run::{Border, Captured, Ended, Options};
use ::capture::schedule::Schedule;
use ::capture::statistics::{BRANCHES, OPERANDS};
use ::capture::CaptureError;
use clap::{ArgGroup, ValueEnum};
use serde_json::{json, Value};
use sim::scheme::cfiat::params::Sizes;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

/// Run a program under QEMU, and record what its threads retire
///
/// The program is an unmodified Linux executable of riscv64, riscv32, x86-64, aarch64 or arm, static or dynamic. Its
/// threads become harts. Its output goes to standard output, or with --json to standard error. When it crashes or a
/// limit is reached, the part captured until then is written.
///
/// With --system it is a bare-metal program of riscv32 or riscv64, which runs on QEMU's machine `virt`.
///
/// The exit code is that of the program; 128 + N if signal N ended it, as in shells; 0 if it was ended with the trace;
/// 2 if it could not be captured.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("descriptors").args(["mcf", "mls"]).multiple(true)))]
#[command(after_help = "Examples:\n  goshawk capture run -o true.ret -- /bin/true\n  \
    goshawk capture run --schedule serial:100,jitter,seed=1 --rbt1 ls.rbt1.zst -- /bin/ls /\n  \
    goshawk capture run --data -o true.ret --mls true.mls --ascii -- /bin/true\n  \
    goshawk capture run --routine hash_search -o hash.ret -- /bin/bash -c true\n  \
    goshawk capture run --start-at main --stop-at finish --seconds 10 -o part.ret -- ./program\n  \
    goshawk capture run --data --statistics true.json -- /bin/true\n  \
    goshawk capture run --scheme cfiat:64k+line64 --statistics true.txt -- /bin/true\n  \
    goshawk capture run --follow all -o sh.ret -- /bin/sh -c 'ls /; ls /usr'\n  \
    goshawk capture run --system --contexts --skip 6 -o paged.ret -- kernel.elf\n  \
    goshawk capture run --system --harts 4 --max-instructions 1000000 --end-with-trace -o firmware.ret -- firmware.elf\n  \
    goshawk stats true.ret")]
pub struct Args {
    /// Retire file to write
    #[arg(help_heading = "Files to write", short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Also record loads and stores, with their values
    #[arg(long)]
    data: bool,
    /// Branch trace (rbt1) to write; zstd-compressed if its name ends in .zst
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    rbt1: Option<OutputPath>,
    /// File of mcfTrace descriptors to write, one per branch
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    mcf: Option<OutputPath>,
    /// File of mlsTrace descriptors to write, one per load or store
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    mls: Option<OutputPath>,
    /// File of statistics per thread to write: branches by kind and, with --data, loads and stores by size. A table, or
    /// JSON if its name ends in .json
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    statistics: Option<OutputPath>,
    /// Caches whose hit rates by operand size the statistics contain, such as cfiat:32k+ways4+line32+gran1. Only with
    /// --statistics
    #[arg(help_heading = "Files to write", long, value_name = "NAME", requires = "statistics")]
    scheme: Option<Sizes>,
    /// Operands in the descriptors of --mls
    #[arg(help_heading = "Files to write", long, value_enum, default_value_t = Operands::Both, requires = "mls")]
    operands: Operands,
    /// Write descriptors as lines of text. Only with --mcf or --mls
    #[arg(help_heading = "Files to write", short, long, requires = "descriptors")]
    ascii: bool,
    /// Append the disassembled instruction to each descriptor. Only with --ascii
    #[arg(help_heading = "Files to write", short, long, requires = "ascii")]
    disassemble: bool,
    /// Compression of the files of --mcf and --mls: none, gzip, zstd, bzip2 or xz
    #[arg(help_heading = "Files to write", short, long, value_name = "NAME", default_value = "none", value_parser = compression, requires = "descriptors")]
    compress: Compression,
    /// Size at which the trace ends, in megabytes, of the descriptors before compression or of the recording
    #[arg(help_heading = "Traced part", short = 'f', long, value_name = "MB", default_value_t = 51_200, value_parser = clap::value_parser!(u64).range(1..))]
    size_limit: u64,
    /// Number of instructions of all threads that are skipped before the trace starts
    #[arg(help_heading = "Traced part", short, long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Instruction limit, of all threads together, counted after --skip [default: none]
    #[arg(help_heading = "Traced part", short = 'l', long = "max-instructions", alias = "length", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    length: Option<u64>,
    /// Where the trace starts: the name or address (0x...) of a function, before its first instruction, or SIGUSR1, when
    /// this process receives it
    #[arg(help_heading = "Traced part", long, value_name = "NAME|SIGUSR1", conflicts_with_all = ["skip", "system", "follow"])]
    start_at: Option<String>,
    /// Where the trace ends: the name or address (0x...) of a function, before its first instruction after the start, or
    /// SIGUSR2, when this process receives it
    #[arg(help_heading = "Traced part", long, value_name = "NAME|SIGUSR2", conflicts_with_all = ["system", "follow"])]
    stop_at: Option<String>,
    /// Time limit of the trace, from its start, in seconds [default: none]
    #[arg(help_heading = "Traced part", long, value_name = "SECONDS", value_parser = seconds)]
    seconds: Option<Duration>,
    /// End the program when the trace ends at a limit; without it the program runs on, untraced
    #[arg(help_heading = "Traced part", long)]
    end_with_trace: bool,
    /// Trace only the program's executable, without its libraries
    #[arg(help_heading = "Traced part", long)]
    own_image: bool,
    /// Routine whose instructions are traced, without those of the routines that it calls: name or address (0x...) of
    /// its symbol. May be repeated
    #[arg(help_heading = "Traced part", long, value_name = "NAME")]
    routine: Vec<String>,
    /// Scheduling of the threads: serial:Q (one at a time, for Q instructions), serial:Q,jitter,seed=N (for Q/2 to
    /// 3Q/2), or free (by the host; then values that several threads write are not exact)
    #[arg(help_heading = "QEMU", long, value_name = "SCHEDULE", default_value_t)]
    schedule: Schedule,
    /// Further processes to record: all, none, or the file names of programs, such as cc1,as. Each has separate files,
    /// with its process number and program in their names: a.ret, a.1207-ls.ret
    #[arg(help_heading = "QEMU", long, value_name = "PROCESSES", default_value = "none", conflicts_with_all = ["system", "end_with_trace", "routine", "statistics"])]
    follow: Follow,
    /// Bare-metal program, which runs on QEMU's machine `virt` with --harts harts; recording its loads and stores needs
    /// QEMU 10.0
    #[arg(help_heading = "QEMU", long, conflicts_with_all = ["own_image", "routine", "sysroot"])]
    system: bool,
    /// Record contexts (privilege mode and number of the address space, by root of page tables and ASID), for `encode --context` and `--space` of the views. Only with --system
    #[arg(help_heading = "QEMU", long, requires = "system", conflicts_with = "rbt1")]
    contexts: bool,
    /// Number of harts in the recording, 1 to 16 (with --rbt1 1 to 8); further threads share them [default: the most
    /// threads at one time, with --system 1]
    #[arg(help_heading = "QEMU", long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    harts: Option<u8>,
    /// QEMU emulator [default: qemu-ARCH on the PATH, with --system qemu-system-ARCH]
    #[arg(help_heading = "QEMU", long, value_name = "FILE")]
    qemu: Option<PathBuf>,
    /// Folder with the libraries of the program [default: that of Debian's cross compilers]
    #[arg(help_heading = "QEMU", long, value_name = "DIR")]
    sysroot: Option<PathBuf>,
    /// Run the program without capture first, and show the cost in CPU time of capture and of writing the files
    #[arg(long)]
    overhead: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Program and its arguments
    #[arg(last = true, required = true, num_args = 1.., value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// The output of mlsTrace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Operands {
    /// Loads and stores
    Both,
    /// Loads
    Loads,
    /// Stores
    Stores,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let found = text.parse().ok().filter(|s| *s > 0.0).and_then(|s| Duration::try_from_secs_f64(s).ok());
    found.ok_or_else(|| "expected seconds above 0, such as 2.5".into())
}

fn compression(text: &str) -> Result<Compression, String> {
    let found = Compression::ALL.iter().find(|(name, _)| *name == text);
    found.map(|(_, c)| *c).ok_or_else(|| "expected none, gzip, zstd, bzip2 or xz".into())
}

impl From<CaptureError> for Failure {
    fn from(e: CaptureError) -> Self {
        match e {
            CaptureError::File(e) => e.into(),
            e => Self::Other(e.to_string()),
        }
    }
}

impl Args {
    fn has_data(&self) -> bool {
        self.data || self.mls.is_some() || self.scheme.is_some()
    }

    /// Where the trace starts or ends: at a function, or at the signal of this name.
    fn border(
        name: Option<&String>,
        signal: (&str, fn() -> bool),
        executable: &Executable,
    ) -> Result<Option<Border>, Failure> {
        Ok(match name {
            None => None,
            Some(name) if name == signal.0 => Some(Border::Request(signal.1)),
            Some(name) => {
                let found = routines::find(executable, std::slice::from_ref(name))?;
                found.first().map(|routine| Border::Address(routine.pieces[0].start))
            }
        })
    }

    fn options(&self, routines: Vec<Routine>) -> Options {
        Options {
            arguments: self.program[1..].to_vec(),
            qemu: self.qemu.clone(),
            sysroot: self.sysroot.clone(),
            schedule: self.schedule,
            data: self.has_data(),
            text: self.disassemble,
            own_image: self.own_image,
            routines,
            skip: self.skip,
            start_at: None,
            stop_at: None,
            time: self.seconds,
            length: self.length,
            size: Some(self.size_limit << 20),
            system: self.system.then_some(self.harts.unwrap_or(1)),
            contexts: self.contexts,
            end_with_trace: self.end_with_trace,
            to_stderr: self.json,
            folder: std::env::temp_dir(),
            follow: self.follow.clone(),
            requested: signals::request,
        }
    }

    fn wanted(&self, xlen: u8) -> OutputFiles {
        let form = Form {
            ascii: self.ascii,
            address: usize::from(xlen) / 8,
            text: self.disassemble,
            loads: self.operands != Operands::Stores,
            stores: self.operands != Operands::Loads,
        };
        let path = |p: &Option<OutputPath>| p.as_ref().map(|p| p.to_path_buf());
        let descriptors = |p| path(p).map(|p| (p, form, self.compress));
        OutputFiles {
            retire: path(&self.output),
            data: self.data,
            rbt1: path(&self.rbt1),
            mcf: descriptors(&self.mcf),
            mls: descriptors(&self.mls),
            size: Some(self.size_limit << 20),
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let executable = Executable::open(args.program[0].as_ref())?;
    if let Some(more) = args.program.get(1).filter(|_| args.system) {
        let more = more.to_string_lossy();
        return Err(Failure::Other(format!("{more}: a program without a system (--system) takes no arguments")));
    }
    let mut options = args.options(routines::find(&executable, &args.routine)?);
    options.start_at = Args::border(args.start_at.as_ref(), ("SIGUSR1", signals::start_requested), &executable)?;
    options.stop_at = Args::border(args.stop_at.as_ref(), ("SIGUSR2", signals::end_requested), &executable)?;
    signals::handle_borders()?;
    let wanted = args.wanted(executable.machine.xlen());
    if let Some(harts) = args.harts.filter(|h| *h > wanted.max_harts()) {
        let most = wanted.max_harts();
        return Err(Failure::Other(format!("--harts {harts}: a branch trace (rbt1) has {most} at most")));
    }
    out.flush()?;
    let plain = match args.overhead {
        true => Some(Cost::of(|| ::capture::run::run_plain(&executable, &options))?.1),
        false => None,
    };
    signals::stop_on_requests(u32::MAX);
    let line = bar("capturing", "instructions", None);
    let mut files = Files::new(&wanted);
    let mut followed = |captured: Captured| files.write(captured, args.harts);
    let (mut captured, cost) =
        Cost::of(|| ::capture::run::capture_all(executable, &options, &mut |n| line.inc(n), &mut followed))?;
    line.finish_and_clear();
    let harts = args.harts.unwrap_or_else(|| captured.harts(wanted.max_harts()));
    let xlen = captured.executable.machine.xlen();
    let (written, writing) =
        Cost::of(|| write_files(&mut captured, &wanted, harts, || Values::new(args.scheme, harts, xlen)))?;
    let cost = [cost, writing];
    let (mut outcome, values, full_disk, cut) = (written.outcome, written.also, written.full_disk, written.cut);
    if let Some(path) = &args.statistics {
        let found = statistics::Statistics { captured: &captured, outcome: &outcome, data: args.has_data(), values };
        let written = found.write(path)?;
        outcome.written.push(written);
    }
    print_warnings(&captured, &outcome, args);
    let instructions = plural(outcome.expanded.instructions, "instruction");
    if let Some(e) = &full_disk {
        eprintln!("goshawk: {e}; the files have {instructions} up to there");
    }
    if let Some(signal) = cut {
        eprintln!("goshawk: {}: ended writing; the files have {instructions} up to there", signals::name(signal));
    }
    match report(args, &captured, &outcome, (plain, cost), &files, out) {
        // the files are written, and nobody reads the report: the exit code is still the program's
        Err(e) if e.is_closed_pipe() => {}
        other => other?,
    }
    Ok(match captured.ended {
        _ if captured.failure.is_some() || full_disk.is_some() => Status::Partial,
        _ if cut.is_some() => Status::Code((128 + cut.unwrap_or_default()) as u8),
        Ended::Code(code) => Status::Code(code as u8),
        Ended::Signal(signal) | Ended::Killed(signal) => Status::Code((128 + signal) as u8),
        // the first process is a child of this one
        Ended::Trace | Ended::Replaced | Ended::Unknown => Status::Done,
    })
}

/// Prints the results.
fn report(
    args: &Args,
    captured: &Captured,
    outcome: &Outcome,
    (plain, cost): (Option<Cost>, [Cost; 2]),
    files: &Files<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if args.json {
        json(args, captured, outcome, plain, cost).with("processes", processes::json(&files.processes)).print(out)?;
    } else {
        text(args, captured, outcome, plain, cost, out)?;
        processes::table(&files.processes, out)?;
    }
    Ok(out.flush()?)
}

pub fn ended(ended: Ended) -> String {
    match ended {
        Ended::Code(code) => format!("with code {code}"),
        Ended::Signal(signal) => format!("by signal {signal}"),
        Ended::Killed(signal) => format!("killed after {}", signals::name(signal)),
        Ended::Trace => "with the trace".into(),
        Ended::Replaced => "by exec".into(),
        Ended::Unknown => "by a signal".into(),
    }
}

/// Prints unusual circumstances of the run on standard error.
fn print_warnings(c: &Captured, o: &Outcome, args: &Args) {
    let program = c.executable.path.display();
    let captured = format!("{} captured", plural(o.expanded.instructions, "instruction"));
    if let Some(e) = &c.failure {
        eprintln!("goshawk: {e}; {captured} up to there");
    }
    if let Some(what) = c.limit.filter(|what| what.starts_with("--")) {
        eprintln!("goshawk: {program}: the trace ended at {what}; {captured}");
    } else if let Some(what) = c.limit {
        eprintln!("goshawk: {program}: the limit of {what} was reached; {captured}");
    } else if o.full {
        eprintln!("goshawk: {program}: a file of descriptors reached --size-limit; {captured}");
    }
    match c.ended {
        Ended::Signal(signal) => {
            eprintln!("goshawk: {program}: was ended by signal {signal}; {captured} up to there");
        }
        Ended::Killed(signal) => {
            let name = signals::name(signal);
            eprintln!("goshawk: {program}: was killed, because it did not end on {name}; {captured} up to there");
        }
        Ended::Code(_) | Ended::Trace | Ended::Replaced | Ended::Unknown => {}
    }
    if o.expanded.exec && args.follow == Follow::None {
        eprintln!("goshawk: {program}: called exec; what the new program does is not captured");
    }
    for path in &c.not_started {
        eprintln!("goshawk: {}: QEMU could not start it, and its process has no recording", path.display());
    }
    if c.process.missed > 0 {
        eprintln!("goshawk: {} not captured: too many at a time", plural(c.process.missed, "process"));
    }
    if args.start_at.is_some() && o.expanded.instructions == 0 {
        eprintln!("goshawk: {program}: --start-at was not reached; nothing was captured");
    }
    if c.no_registers && o.expanded.signals == 0 {
        eprintln!("goshawk: this QEMU does not show registers: handlers of signals look like traps without a cause");
    }
    if !c.routines.is_empty() && o.expanded.instructions == 0 {
        eprintln!(
            "goshawk: {program}: no routine of --routine was executed{}",
            if o.expanded.skipped > 0 { " behind --skip" } else { "" }
        );
    }
    if o.expanded.unexplained > 0 {
        eprintln!(
            "goshawk: {program}: {} went where no branch leads; they are recorded as traps of cause 0",
            plural(o.expanded.unexplained, "block")
        );
    }
}

/// A routine of the ELF: start address, and total size of its pieces.
fn routine(r: &Routine) -> Value {
    let bytes: u64 = r.pieces.iter().map(|p| p.end - p.start).sum();
    json!({ "name": r.name, "address": format!("0x{:x}", r.pieces[0].start), "bytes": bytes, "pieces": r.pieces.len() })
}

fn files(o: &Outcome) -> Vec<Value> {
    let one = |w: &outputs::Written| json!({ "path": w.path.display().to_string(), "records": w.records, "unpacked": w.unpacked, "bytes": w.size });
    o.written.iter().map(one).collect()
}

fn json(args: &Args, c: &Captured, o: &Outcome, plain: Option<Cost>, cost: [Cost; 2]) -> Object {
    let (code, signal) = match c.ended {
        Ended::Code(code) => (Some(code), None),
        Ended::Signal(signal) | Ended::Killed(signal) => (None, Some(signal)),
        Ended::Trace | Ended::Replaced | Ended::Unknown => (None, None),
    };
    let s = o.statistics.all();
    let named = |names: &[&str; 4], counts: &[u64; 4]| -> serde_json::Map<String, Value> {
        names.iter().zip(counts).map(|(name, n)| (name.to_string(), json!(n))).collect()
    };
    Object::new("capture run", &args.program[0].to_string_lossy())
        .with("build_id", c.executable.build_id.clone().into())
        .with("machine", c.executable.machine.name().into())
        .with("qemu", c.qemu.clone().into())
        .with("source", c.source().into())
        .with("schedule", c.schedule.to_string().into())
        .with("routines", json!(c.routines.iter().map(routine).collect::<Vec<_>>()))
        .with("ended", json!({ "code": code, "signal": signal, "with_trace": c.ended == Ended::Trace }))
        .with("limit", if o.full { "bytes".into() } else { c.limit.into() })
        .with("failure", c.failure.as_ref().map(ToString::to_string).into())
        .with("threads", c.threads.into())
        .with("harts", o.harts.into())
        .with("expanded", json!(o.expanded))
        .with("turns", json!({ "handed_over": c.switches, "taken": c.steals }))
        .with("branches", named(&BRANCHES, &s.classes()).into())
        .with("loads", named(&OPERANDS, &s.loads).into())
        .with("stores", named(&OPERANDS, &s.stores).into())
        .with("files", files(o).into())
        .with("kept_bytes", c.kept.into())
        .with(
            "cpu_seconds",
            json!({ "plain": plain.map(|p| p.seconds), "captured": cost[0].seconds, "files": cost[1].seconds }),
        )
}

fn text(
    args: &Args,
    c: &Captured,
    o: &Outcome,
    plain: Option<Cost>,
    cost: [Cost; 2],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let e = &o.expanded;
    let mut lines = vec![
        ("program", format!("{}, build {}", c.executable.path.display(), short_id(&c.executable.build_id))),
        ("machine", format!("{}, QEMU {}", c.executable.machine.name(), c.qemu)),
        ("schedule", c.schedule.to_string()),
        ("ended", ended(c.ended)),
        ("threads", format!("{}, on {}", count(c.threads), plural(o.harts, "hart"))),
        ("instructions", count(e.instructions)),
    ];
    for r in &c.routines {
        let bytes: u64 = r.pieces.iter().map(|p| p.end - p.start).sum();
        lines.push(("only in", format!("{} at 0x{:x}, {}", r.name, r.pieces[0].start, plural(bytes, "byte"))));
    }
    if e.skipped > 0 {
        lines.push(("skipped", count(e.skipped)));
    }
    if e.signals > 0 {
        lines.push(("signals", count(e.signals)));
    }
    lines.push(("turns", format!("{} handed over, {} taken", count(c.switches), count(c.steals))));
    if let Some(plain) = plain {
        let whole = cost[0].seconds + cost[1].seconds;
        let rate = if plain.seconds > 0.0 { whole / plain.seconds } else { 0.0 };
        let [run, files] = cost.map(|c| c.seconds);
        let text = format!(
            "{whole:.2} s (run {run:.2}, files {files:.2}), {:.2} s without capture: {rate:.2} times",
            plain.seconds
        );
        lines.push(("CPU time", text));
    }
    facts(out, &lines)?;
    let s = o.statistics.all();
    writeln!(out)?;
    let mut t = Table::new([("branches", Left), ("number", Right), ("of all", Right)]);
    let all = s.all_branches();
    for (name, n) in BRANCHES.iter().zip(s.classes()) {
        t.row([name.to_string(), count(n), percent(n, all)]);
    }
    t.row(["all".into(), count(all), String::new()]);
    t.print(out)?;
    if args.has_data() {
        writeln!(out)?;
        let columns = [("operands", Left), ("loads", Right), ("of all", Right), ("stores", Right), ("of all", Right)];
        let mut t = Table::new(columns);
        let [loads, stores]: [u64; 2] = [s.loads.iter().sum(), s.stores.iter().sum()];
        for (i, name) in OPERANDS.iter().enumerate() {
            let (l, w) = (s.loads[i], s.stores[i]);
            t.row([name.to_string(), count(l), percent(l, loads), count(w), percent(w, stores)]);
        }
        t.row(["all".into(), count(loads), String::new(), count(stores), String::new()]);
        t.print(out)?;
    }
    if !o.written.is_empty() {
        writeln!(out)?;
        let mut t = Table::new([("written", Left), ("records", Right), ("unpacked", Right), ("bytes", Right)]);
        let cell = |n: Option<u64>| n.map_or_else(String::new, count);
        for w in &o.written {
            t.row([w.path.display().to_string(), cell(w.records), cell(w.unpacked), count(w.size)]);
        }
        t.print(out)?;
    }
    Ok(())
}
