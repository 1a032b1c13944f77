//! `goshawk capture run`: runs a real program under QEMU, and writes recordings and descriptors

use super::files::FileArgs;
use super::machine::MachineArgs;
use super::processes;
use super::summary::Summary;
use crate::files::OutputPath;
use crate::progress::bar;
use crate::{signals, Failure, Status};
use ::capture::border::{Border, ConsoleText};
use ::capture::cost::Cost;
use ::capture::follow::Follow;
use ::capture::machine::Executable;
use ::capture::routines::{self, Routine};
use ::capture::run::{Captured, Ended, Options};
use ::capture::schedule::Schedule;
use ::capture::CaptureError;
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
/// With --system it runs on a whole machine: a bare-metal program of riscv32, riscv64 or aarch64 on QEMU's machine `virt`, of
/// x86-64 on `pc`; or a kernel of Linux (bzImage, Image) of x86-64 or aarch64; or a disk with a boot sector.
///
/// The exit code is that of the program; 128 + N if signal N ended it, as in shells; 0 if it was ended with the trace;
/// 2 if it could not be captured.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk capture run -o true.ret -- /bin/true\n  \
    goshawk capture run --schedule serial:100,jitter,seed=1 --rbt1 ls.rbt1.zst -- /bin/ls /\n  \
    goshawk capture run --data -o true.ret --mls true.mls --ascii -- /bin/true\n  \
    goshawk capture run --routine hash_search -o hash.ret -- /bin/bash -c true\n  \
    goshawk capture run --start-at main --stop-at finish --seconds 10 -o part.ret -- ./program\n  \
    goshawk capture run --packed true.gcap -- /bin/true\n  \
    goshawk capture run --data --statistics true.json -- /bin/true\n  \
    goshawk capture run --scheme cfiat:64k+line64 --statistics true.txt -- /bin/true\n  \
    goshawk capture run --follow all -o sh.ret -- /bin/sh -c 'ls /; ls /usr'\n  \
    goshawk capture run --system --contexts --skip 6 -o paged.ret -- kernel.elf\n  \
    goshawk capture run --system --harts 4 --max-instructions 1000000 --end-with-trace -o firmware.ret -- firmware.elf\n  \
    goshawk capture run --system --contexts --kernel Image --initrd initrd.gz --append console=ttyS0 --ram-size 512M -o boot.ret -- fw_dynamic.elf\n  \
    goshawk capture run --system --contexts --initrd initrd.gz --append console=ttyS0 -o boot.ret -- bzImage\n  \
    goshawk stats true.ret")]
pub struct Args {
    /// Also record loads and stores, with their values
    #[arg(long)]
    data: bool,
    /// Packed recording to write: the run as QEMU reported it. `goshawk capture expand` makes the other files from it
    /// later. Without any other file, the command ends when the program does
    #[arg(help_heading = "Files to write", long, value_name = "FILE")]
    packed: Option<OutputPath>,
    #[command(flatten)]
    files: FileArgs,
    /// Size at which the trace ends, in megabytes, of the descriptors before compression or of the recording
    #[arg(help_heading = "Traced part", short = 'f', long, value_name = "MB", default_value_t = 51_200, value_parser = clap::value_parser!(u64).range(1..))]
    size_limit: u64,
    /// Number of instructions of all threads that are skipped before the trace starts
    #[arg(help_heading = "Traced part", short, long, value_name = "N", default_value_t = 0)]
    skip: u64,
    /// Instruction limit, of all threads together, counted after --skip [default: none]
    #[arg(help_heading = "Traced part", short = 'l', long = "max-instructions", alias = "length", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    length: Option<u64>,
    /// Where the trace starts: the name or address (0x...) of a function, before its first instruction; SIGUSR1, when this
    /// process receives it; or console:TEXT, when the machine of --system has printed TEXT on its console
    #[arg(help_heading = "Traced part", long, value_name = "NAME|SIGUSR1|console:TEXT", conflicts_with_all = ["skip", "follow"])]
    start_at: Option<String>,
    /// Where the trace ends: the name or address (0x...) of a function, before its first instruction after the start;
    /// SIGUSR2, when this process receives it; or console:TEXT, when the machine of --system has printed TEXT after the start
    #[arg(help_heading = "Traced part", long, value_name = "NAME|SIGUSR2|console:TEXT", conflicts_with_all = ["follow"])]
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
    /// Further processes to record: all, none, depth:N (1: children of the first process, 2: also their children), or the
    /// file names of programs, such as cc1,as. Each has separate files, with its process number and program in their names:
    /// a.ret, a.1207-ls.ret
    #[arg(help_heading = "QEMU", long, value_name = "PROCESSES", default_value = "none", conflicts_with_all = ["system", "end_with_trace", "routine", "statistics"])]
    follow: Follow,
    /// Run the program on a whole machine with --harts harts; recording its loads and stores needs QEMU 10.0 and a
    /// program for RISC-V
    #[arg(help_heading = "QEMU", long, conflicts_with_all = ["own_image", "routine", "sysroot"])]
    system: bool,
    #[command(flatten)]
    machine: MachineArgs,
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
    /// Folder in which QEMU looks first for libraries and for files that the program opens [default: that of Debian's cross
    /// compilers, if the program is dynamically linked]
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

fn seconds(text: &str) -> Result<Duration, String> {
    let found = text.parse().ok().filter(|s| *s > 0.0).and_then(|s| Duration::try_from_secs_f64(s).ok());
    found.ok_or_else(|| "expected seconds above 0, such as 2.5".into())
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
        self.data || self.files.needs_data().is_some()
    }

    /// Where the trace starts or ends, as `option` says: at a function, at the signal of this name, or at a text.
    fn border(
        &self,
        (option, name): (&str, Option<&String>),
        signal: (&str, fn() -> bool),
        executable: &Executable,
    ) -> Result<Option<Border>, Failure> {
        let Some(name) = name else { return Ok(None) };
        let refused = |why: &str| Err(Failure::Other(format!("`{option} {name}`: {why}")));
        if name == signal.0 {
            return Ok(Some(Border::Request(signal.1)));
        }
        if let Some(text) = name.strip_prefix("console:") {
            return match ConsoleText::new(text) {
                _ if !self.system => refused("only with `--system`, which has a console"),
                Some(text) => Ok(Some(Border::Console(text))),
                None => refused("the text is missing, expected one such as `console:login:`"),
            };
        }
        // a machine also runs code that is not in its program, such as that of a kernel
        let address = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        if let Some(at) = address.filter(|_| self.system) {
            return Ok(Some(Border::Address(at)));
        }
        Ok(Some(Border::Address(routines::entry(executable, name)?)))
    }

    fn options(&self, routines: Vec<Routine>) -> Options {
        Options {
            arguments: self.program[1..].to_vec(),
            qemu: self.qemu.clone(),
            sysroot: self.sysroot.clone(),
            schedule: self.schedule,
            data: self.has_data(),
            text: self.files.disassemble,
            own_image: self.own_image,
            routines,
            skip: self.skip,
            start_at: None,
            stop_at: None,
            time: self.seconds,
            length: self.length,
            size: Some(self.size_limit << 20),
            system: self.system.then_some(self.harts.unwrap_or(1)),
            parts: self.machine.parts(),
            contexts: self.contexts,
            end_with_trace: self.end_with_trace,
            to_stderr: self.json,
            folder: std::env::temp_dir(),
            follow: self.follow.clone(),
            requested: signals::request,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let program = args.program[0].as_ref();
    let executable = if args.system { Executable::open_machine(program)? } else { Executable::open(program)? };
    if let Some(more) = args.program.get(1).filter(|_| args.system) {
        let more = more.to_string_lossy();
        return Err(Failure::Other(format!("{more}: a program without a system (--system) takes no arguments")));
    }
    args.machine.check()?;
    // for the programs that need a dynamic linker, QEMU's failure is explained
    if let Some(root) = args.sysroot.as_ref().filter(|root| executable.interpreter.is_none() && !root.is_dir()) {
        return Err(Failure::Other(format!("`--sysroot {}`: no such folder", root.display())));
    }
    let mut options = args.options(routines::find(&executable, &args.routine)?);
    let (start, stop) = (("--start-at", args.start_at.as_ref()), ("--stop-at", args.stop_at.as_ref()));
    options.start_at = args.border(start, ("SIGUSR1", signals::start_requested), &executable)?;
    options.stop_at = args.border(stop, ("SIGUSR2", signals::end_requested), &executable)?;
    signals::handle_borders()?;
    let packed = args.packed.as_ref().map(|p| p.to_path_buf());
    let wanted = args.files.wanted(executable.machine.xlen(), args.data, packed, Some(args.size_limit << 20));
    args.files.check_harts(args.harts, &wanted)?;
    out.flush()?;
    let plain = match args.overhead {
        true => Some(Cost::of(|| ::capture::run::run_plain(&executable, &options))?.1),
        false => None,
    };
    signals::stop_on_requests(u32::MAX);
    let line = bar("capturing", "instructions", None);
    let mut processes = processes::Files::new(&wanted);
    let mut followed = |captured: Captured| processes.write(captured, args.harts);
    let (mut captured, cost) =
        Cost::of(|| ::capture::run::capture_all(executable, &options, &mut |n| line.inc(n), &mut followed))?;
    line.finish_and_clear();
    let harts = args.harts.unwrap_or_else(|| captured.harts(wanted.max_harts()));
    let (files, writing) = Cost::of(|| args.files.write(&mut captured, &wanted, harts, args.has_data()))?;
    let summary = Summary {
        command: "capture run",
        input: args.program[0].to_string_lossy(),
        captured: &captured,
        outcome: &files.outcome,
        data: args.has_data(),
        plain,
        cost: [cost, writing],
    };
    summary.print_warnings();
    if files.outcome.expanded.exec && args.follow == Follow::None {
        let program = captured.executable.path.display();
        eprintln!("goshawk: {program}: called exec; what the new program does is not captured");
    }
    files.print_end();
    for file in &processes.unnumbered {
        eprintln!("goshawk: {file}");
    }
    match report(args, &summary, &processes, out) {
        // the files are written, and nobody reads the report: the exit code is still the program's
        Err(e) if e.is_closed_pipe() => {}
        other => other?,
    }
    Ok(match captured.ended {
        _ if captured.failure.is_some() || files.is_partial() || !processes.unnumbered.is_empty() => Status::Partial,
        _ if files.cut.is_some() => Status::Code((128 + files.cut.unwrap_or_default()) as u8),
        Ended::Code(code) => Status::Code(code as u8),
        Ended::Signal(signal) | Ended::Killed(signal) => Status::Code((128 + signal) as u8),
        // the first process is a child of this one
        Ended::Trace | Ended::Replaced | Ended::Unknown => Status::Done,
    })
}

/// Prints the results.
fn report(
    args: &Args,
    summary: &Summary<'_>,
    processes: &processes::Files<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    if args.json {
        summary.json().with("processes", processes::json(&processes.processes)).print(out)?;
    } else {
        summary.text(out)?;
        processes::table(&processes.processes, out)?;
    }
    Ok(out.flush()?)
}
