//! `goshawk capture bench`: the overhead of capture in CPU time, compared with plain QEMU

use crate::output::{count, facts, Left, Object, Right, Table, TOOL};
use crate::progress::bar;
use crate::{Failure, Status};
use ::capture::cost::Cost;
use ::capture::machine::{is_newer, Executable};
use ::capture::outputs::{self, OutputFiles};
use ::capture::run::{capture, run_plain, Captured, Options};
use ::capture::schedule::Schedule;
use retire::file::scratch::Folder;
use retire::NullSink;
use serde_json::json;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

/// Measure the cost of capturing a program, in CPU time against plain QEMU
///
/// The program runs in QEMU without capture, with a plugin that reports nothing, with control flow, and with control
/// flow, loads and stores. CPU time is that of all processes, user and system: of the captured run with the packing of its
/// temporary recording, and of the whole command, which also expands it, counts, and writes the retire file. The shortest
/// of several repetitions counts. The output of the program is discarded
/// or goes to standard error. With --system a bare-metal program runs on QEMU's machine `virt`, and must end by itself;
/// loads and stores are measured where QEMU reports them (10.0).
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk capture bench -- /bin/true\n  \
    goshawk capture bench --repeat 3 --schedule free --json -- /bin/ls /\n  \
    goshawk capture bench --system --harts 2 -- programs/bare/elf/rv64imafdc/fft.elf")]
pub struct Args {
    /// Number of repetitions; the shortest counts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Scheduling of the threads: as for `goshawk capture run`
    #[arg(long, value_name = "SCHEDULE", default_value_t)]
    schedule: Schedule,
    /// Run the program on a whole machine with --harts harts
    #[arg(long, conflicts_with = "sysroot")]
    system: bool,
    /// Number of harts of the machine, 1 to 16. Only with --system [default: 1]
    #[arg(long, value_name = "N", requires = "system", value_parser = clap::value_parser!(u8).range(1..=16))]
    harts: Option<u8>,
    /// QEMU emulator [default: qemu-ARCH on the PATH, with --system qemu-system-ARCH]
    #[arg(long, value_name = "FILE")]
    qemu: Option<PathBuf>,
    /// Folder in which QEMU looks first for libraries and for files that the program opens [default: that of Debian's cross
    /// compilers, if the program is dynamically linked]
    #[arg(long, value_name = "DIR")]
    sysroot: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Program and its arguments
    #[arg(last = true, required = true, num_args = 1.., value_name = "PROGRAM")]
    program: Vec<OsString>,
}

/// Measured modes: name, whether loads and stores are captured, and number of instructions to skip. For a whole machine
/// without memory accesses only the first two.
const MODES: [(&str, bool, u64); 3] =
    [("reported nothing", false, u64::MAX), ("control flow", false, 0), ("loads and stores too", true, 0)];

/// Measurements of one mode.
#[derive(Clone, Copy, Debug)]
struct Measured {
    /// Of the run.
    seconds: f64,
    /// Of the run and its files.
    whole: f64,
    kept: u64,
    instructions: u64,
}

/// The cost of the retire file and of the counts of a run.
fn files(captured: &Captured, data: bool) -> Result<Cost, Failure> {
    let folder = Folder::new()?;
    let wanted = OutputFiles { retire: Some(folder.path().join("run.ret")), data, ..OutputFiles::default() };
    let harts = captured.harts(wanted.max_harts());
    Ok(Cost::of(|| outputs::write(captured, &wanted, harts, TOOL, &mut NullSink, &mut |_| true))?.1)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let open = || match args.system {
        true => Executable::open_machine(args.program[0].as_ref()),
        false => Executable::open(args.program[0].as_ref()),
    };
    let mut options = Options {
        arguments: args.program[1..].to_vec(),
        qemu: args.qemu.clone(),
        sysroot: args.sysroot.clone(),
        schedule: args.schedule,
        data: false,
        text: false,
        own_image: false,
        routines: Vec::new(),
        skip: 0,
        start_at: None,
        stop_at: None,
        time: None,
        length: None,
        size: None,
        system: args.system.then_some(args.harts.unwrap_or(1)),
        parts: Default::default(),
        contexts: false,
        end_with_trace: false,
        to_stderr: true,
        folder: std::env::temp_dir(),
        follow: Default::default(),
        requested: || None,
    };
    if let Some(more) = args.program.get(1).filter(|_| args.system) {
        let more = more.to_string_lossy();
        return Err(Failure::Other(format!("{more}: a program without a system (--system) takes no arguments")));
    }
    out.flush()?;
    let executable = open()?;
    let (_, version) = executable.qemu(args.qemu.as_deref(), args.system)?;
    // QEMU 7.2 does not report memory accesses of a machine
    let modes = if args.system && !is_newer(&version) { &MODES[..2] } else { &MODES[..] };
    let line = bar("measuring", "runs", Some(u64::from(args.repeat) * (1 + modes.len() as u64)));
    let mut plain = f64::INFINITY;
    let mut found: [Option<Measured>; MODES.len()] = [None; MODES.len()];
    for _ in 0..args.repeat {
        plain = plain.min(Cost::of(|| run_plain(&executable, &options))?.1.seconds);
        line.inc(1);
        for ((_, data, skip), best) in modes.iter().zip(&mut found) {
            (options.data, options.skip) = (*data, *skip);
            let (captured, cost) = Cost::of(|| capture(open()?, &options, &mut |_| {}))?;
            if let Some(e) = captured.failure {
                return Err(e.into());
            }
            let seconds = cost.seconds;
            let whole = if *skip == 0 { seconds + files(&captured, *data)?.seconds } else { seconds };
            if best.is_none_or(|b| whole < b.whole) {
                *best = Some(Measured { seconds, whole, kept: captured.kept, instructions: captured.executed });
            }
            line.inc(1);
        }
    }
    line.finish_and_clear();
    let times = |seconds: f64| if plain > 0.0 { seconds / plain } else { 0.0 };
    let rows = MODES.iter().zip(&found).filter_map(|((name, ..), m)| m.as_ref().map(|m| (*name, m)));
    if args.json {
        let modes = rows.map(|(name, m)| {
            json!({ "mode": name, "cpu_seconds": m.seconds, "times": times(m.seconds), "whole_cpu_seconds": m.whole,
                "whole_times": times(m.whole), "kept_bytes": m.kept,
                "instructions": m.instructions })
        });
        Object::new("capture bench", &args.program[0].to_string_lossy())
            .with("machine", executable.machine.name().into())
            .with("qemu", version.into())
            .with("harts", options.system.into())
            .with("schedule", args.schedule.to_string().into())
            .with("repeat", args.repeat.into())
            .with("plain_cpu_seconds", plain.into())
            .with("modes", modes.collect::<Vec<_>>().into())
            .print(out)?;
        return Ok(Status::Done);
    }
    facts(
        out,
        &[
            ("program", executable.path.display().to_string()),
            ("machine", executable.machine.name().into()),
            ("QEMU", version),
            ("schedule", args.schedule.to_string()),
        ],
    )?;
    writeln!(out)?;
    let columns = [
        ("capture", Left),
        ("run", Right),
        ("times", Right),
        ("with files", Right),
        ("times", Right),
        ("instructions", Right),
        ("kept, bytes", Right),
    ];
    let mut t = Table::new(columns);
    let empty = String::new;
    t.row(["none".into(), format!("{plain:.2} s"), empty(), empty(), empty(), empty(), empty()]);
    for (name, m) in rows {
        let kept = if name == MODES[0].0 { String::new() } else { count(m.kept) };
        let cells = |seconds: f64| [format!("{seconds:.2} s"), format!("{:.2}", times(seconds))];
        let ([run, run_times], [whole, whole_times]) = (cells(m.seconds), cells(m.whole));
        t.row([name.into(), run, run_times, whole, whole_times, count(m.instructions), kept]);
    }
    t.print(out)?;
    Ok(Status::Done)
}
