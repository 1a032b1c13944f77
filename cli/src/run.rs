//! `goshawk run`: runs an ELF in the built-in simulator, and writes a retire file

mod halt;
mod seeds;

use crate::args::seeds::Seeds;
use crate::args::{MachineArgs, PlatformArgs, ProgramArgs, Source};
use crate::files::{input_name, OutputPath};
use crate::locations::Locations;
use crate::output::{count, facts, plural, short_id, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::halt::{find, End, Halt};
use host::run::{Run, RunTotals};
use host::views::loops::{Loop, Position};
use retire::file::retire::{RetireInfo, Writer};
use retire::NullSink;
use seeds::Until;
use serde_json::json;
use sim::analysis::ratio;
use sim::riscv::{Exit, RunSummary, UnsupportedCall};
use std::io::Write;
use std::path::Path;

/// Start of RAM for an ELF that starts a page below 0x80000000.
const RAM_BEFORE: u64 = 0x7ff0_0000;

/// The platform, for those who bring a program.
const LONG: &str = "Run a program in the built-in simulator, and record what its harts retire

A program is an RV32 or RV64 ELF (IMAFDC, Zfh, bit manipulation) without an operating system, linked to fixed addresses. The platform is that of QEMU's `virt` board:

  0x80000000  RAM, 16 MiB; at the ELF's first segment if that is elsewhere
  0x10000000  UART: a stored byte is printed; a load takes a byte of `--input`
  0x10010000  DMA: source address at +0, destination at +4, word count at +8
  0x00100000  exit: store 0x5555 for code 0, code << 16 | 0x3333 for another
  0x02000000  CLINT: msip + 4 hart, mtimecmp + 0x4000 + 8 hart, mtime + 0xbff8
  tohost      HTIF, if the ELF has this symbol: exit, putchar, read, write
  ebreak      semihosting: output, input, exit, clocks

All harts start at the ELF's entry in machine mode, with the number of the hart in a0 and mhartid, and 0 in all other \
registers and mtvec: the program sets up stack, gp and .bss. docs/how-to/platform.md has all details, and a linker script and start-up code to copy. \
If the linker puts ELF headers in front of RAM, link with -Wl,-N.

A run that ends in a deadlock, or at the instruction limit without `-o`, is executed again to report where each hart is: function, line, \
loops with the instruction at which they began, callers, the last load, and stack pointers that left their stack.

Ctrl-C ends a run; the file then contains everything that retired until then, as with --max-instructions.";

/// Run a program in the built-in simulator, and record what its harts retire
#[derive(clap::Args, Debug)]
#[command(
    long_about = LONG,
    after_help = "Examples:\n  goshawk run builtin:vm -o vm.ret\n  \
        goshawk run firmware.elf --harts 4 --timing functional -o firmware.ret\n  \
        goshawk run firmware.elf --exit-code --max-instructions 100000000\n  \
        goshawk run firmware.elf --harts 2 --seeds 1..200 --until exit!=0\n  \
        goshawk run shell.elf --input commands.txt\n  goshawk run firmware.elf --read-only"
)]
pub struct Args {
    /// RISC-V executable, or builtin:NAME
    #[arg(value_name = "ELF|builtin:NAME", value_parser = input_name())]
    program: String,
    /// Retire file to write [default: none]
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Also record loads, stores, written registers and CSR reads, with their values
    #[arg(long, requires = "output")]
    data: bool,
    /// Exit with the program's exit code, 255 for greater ones; 124 at the instruction limit, 130 after Ctrl-C, 134
    /// after a crash or a deadlock
    #[arg(long)]
    exit_code: bool,
    /// Seeds to try, from A up to B - 1, until a run ends as `--until` says. Each run ends after 100 million instructions, or
    /// `--max-instructions`
    #[arg(long, value_name = "A..B", conflicts_with = "seed")]
    seeds: Option<Seeds>,
    /// How the run must end: exit!=CODE, exit=CODE, crash, deadlock or limit. The first such run is
    /// reported
    #[arg(long, value_name = "END", requires = "seeds", default_value = "exit!=0")]
    until: Until,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    platform: PlatformArgs,
}

/// How a run ended, as text.
fn end_text(end: End) -> String {
    match end {
        End::Finished(code) => format!("with code {code}"),
        End::Limit => "at the instruction limit".into(),
        End::Crash => "in a crash: no hart can continue".into(),
        End::Deadlock => "in a deadlock: every hart waits or jumps to itself, and no interrupt can come".into(),
    }
}

/// Instructions of a run that is executed again to see whether its harts wait, at most.
const SEARCHED: u64 = 100_000_000;

/// Instructions of a round of a loop that waits, at most.
const WAITING: u64 = 32;

/// Where a hart waits for most of a run: in `wfi`, or in a short loop.
fn waiting(p: &Position, locations: &Locations) -> Option<String> {
    let at = |pc| locations.at(pc);
    if p.waits || p.retired == 0 {
        return Some(format!("hart {}: waits at {}", p.core, at(p.pc?)));
    }
    let short = |l: &Loop| p.retired - l.since <= l.rounds.saturating_mul(WAITING) && l.since <= p.retired / 2;
    let mut loops = p.levels.iter().flat_map(|level| level.loops.iter().map(move |l| (level, l)));
    let (level, l) = loops.find(|(_, l)| short(l))?;
    let line = locations.line(l.first).unwrap_or_else(|| format!("0x{:08x}", l.first));
    Some(format!("hart {}: in the loop at {line} of {} since instruction {}", p.core, level.function, count(l.since)))
}

/// The crash, deadlock or limit that ended a run, as a line after what was made of the run.
///
/// # Errors
/// The program cannot be run again to find it.
pub fn early_end(run: &Run<'_>, totals: &RunTotals) -> Result<Option<String>, Failure> {
    let exit = totals.summary.as_ref().map(|s| s.exit).filter(|_| !totals.stopped);
    let exit = match exit {
        Some(Exit::Deadlock) => Exit::Deadlock,
        Some(Exit::Limit) if totals.instructions <= SEARCHED => Exit::Limit,
        _ => return Ok(None),
    };
    let halt = find(run, exit, &Bars)?;
    if exit == Exit::Limit {
        let locations = Locations::open(&run.name(), true);
        let all: Option<Vec<String>> = halt.positions.iter().map(|p| waiting(p, &locations)).collect();
        // a hart that works is what a limit is for
        let Some(all) = all.filter(|all| !all.is_empty()) else { return Ok(None) };
        return Ok(Some(format!(
            "{}, where all harts wait; {}; `--harts N` runs the program on more harts",
            end_text(End::Limit),
            all.join("; ")
        )));
    }
    let end = end_text(halt.end(exit));
    let Some(fault) = halt.faults.first() else { return Ok(Some(end)) };
    let first = Locations::open(&run.name(), true).lines(fault).swap_remove(0);
    Ok(Some(format!("{end}; {first}")))
}

/// Runs a program and writes its retire file.
fn record<const DATA: bool>(run: &Run<'_>, path: &Path, info: &RetireInfo) -> Result<RunTotals, Failure> {
    let mut writer = Writer::<DATA>::create(path, info)?;
    let totals = run.report_to(&mut writer, &Bars)?;
    writer.finish()?;
    Ok(totals)
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    crate::signals::stop_on_request();
    let mut machine = args.machine.clone();
    let platform = args.platform.open()?;
    if let Some(seeds) = &args.seeds {
        match seeds::search(args, seeds, &platform, out)? {
            Ok(seed) => machine = seeds::with_seed(args, seed),
            Err(status) => return Ok(status),
        }
    }
    let mut source = Source::open(&args.program, &ProgramArgs::default(), &machine)?;
    source.set_platform(&platform, &args.program)?;
    let run = source.run()?;
    let info = run.info();
    let totals = match &args.output {
        Some(path) if args.data => record::<true>(&run, path, &info)?,
        Some(path) => record::<false>(&run, path, &info)?,
        None => run.report_to(&mut NullSink, &Bars)?,
    };
    let Some(summary) = &totals.summary else {
        return Err(Failure::Other(format!("{}: is a recording of a finished run, expected a program", args.program)));
    };
    let early = match summary.exit {
        Exit::Deadlock => true,
        Exit::Limit => args.output.is_none(),
        Exit::Finished(code) => totals.faults > 0 && code != 0,
    };
    let halt = if early && !totals.stopped { find(&run, summary.exit, &Bars)? } else { Halt::default() };
    report(args, &machine, &info, &totals, summary, &halt, out)?;
    Ok(match summary.exit {
        _ if totals.stopped => {
            eprintln!("goshawk: {}: stopped; what follows has not run", args.program);
            if args.exit_code {
                Status::Code(130)
            } else {
                Status::Partial
            }
        }
        _ if !args.exit_code => Status::Done,
        Exit::Finished(code) => Status::Code(u8::try_from(code).unwrap_or(u8::MAX)),
        Exit::Limit => Status::Code(124),
        Exit::Deadlock => Status::Code(134),
    })
}

/// A request of the program to its host that was not served.
fn unanswered(u: &UnsupportedCall) -> String {
    let times = plural(u.count, "time");
    match &u.file {
        Some(file) => format!("SYS_OPEN of `{file}`, {times}: there are no files, its handle is the console"),
        None if u.proxied => {
            format!("system call {} ({}), {times}: not served, answered with -38", u.name(), u.operation)
        }
        None => format!("{} (operation {}), {times}: not served, answered with -1", u.name(), u.operation),
    }
}

/// Prints how the run ended, and the exceptions that led to it.
fn report(
    args: &Args,
    machine: &MachineArgs,
    info: &RetireInfo,
    totals: &RunTotals,
    summary: &RunSummary,
    halt: &Halt,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let instructions: u64 = summary.instructions.iter().sum();
    let uart = String::from_utf8_lossy(&summary.uart);
    let written = args.output.as_ref().map(|p| p.display().to_string());
    let end = halt.end(summary.exit);
    let locations = Locations::open(&args.program, !halt.positions.is_empty());
    // a program that ended itself is nowhere
    let positions = if matches!(summary.exit, Exit::Finished(_)) { &[][..] } else { &halt.positions };
    if args.json {
        Object::new("run", &args.program)
            .with("build_id", info.build_id.clone().into())
            .with("source", info.source.clone().into())
            .with("harts", summary.instructions.len().into())
            .with(
                "exit",
                match end {
                    _ if totals.stopped => "stopped".into(),
                    End::Finished(code) => json!({ "code": code }),
                    End::Limit => "limit".into(),
                    End::Crash => "crash".into(),
                    End::Deadlock => "deadlock".into(),
                },
            )
            .with("instructions", json!({ "total": instructions, "by_hart": summary.instructions }))
            .with("cycles", summary.cycles.into())
            .with("ipc", ratio(instructions, summary.cycles).into())
            .with("uart", uart.into())
            .with(
                "unanswered",
                summary
                    .unanswered
                    .iter()
                    .map(|u| json!({ "operation": u.operation, "name": u.name(), "file": u.file, "count": u.count }))
                    .collect(),
            )
            .with("faults", halt.faults.iter().map(|f| locations.json(f)).collect())
            .with("positions", positions.iter().map(|p| locations.position_json(p)).collect())
            .with("overflows", halt.overflows.iter().filter_map(|o| locations.overflow_json(o)).collect())
            .with("output", written.into())
            .print(out)?;
        return Ok(());
    }
    write!(out, "{uart}")?;
    if !uart.is_empty() && !uart.ends_with('\n') {
        writeln!(out)?;
    }
    let ended = if totals.stopped { "by request".into() } else { end_text(end) };
    let mut lines = vec![
        ("program", format!("{}, build {}", args.program, short_id(&info.build_id))),
        ("ended", ended),
        ("harts", summary.instructions.len().to_string()),
        ("instructions", count(instructions)),
        ("cycles", count(summary.cycles)),
        ("IPC", format!("{:.3}", ratio(instructions, summary.cycles))),
    ];
    lines.extend(written.map(|w| ("written", w)));
    lines.extend(summary.unanswered.iter().map(|u| (if u.proxied { "host" } else { "semihosting" }, unanswered(u))));
    lines.extend(args.seeds.iter().map(|_| ("seed", machine.seed.unwrap_or(0).to_string())));
    lines.extend(halt.overflows.iter().filter_map(|o| Some(("stack overflow", locations.overflow(o)?))));
    for fault in &halt.faults {
        let mut name = if fault.handler.is_some() { "exception" } else { "crash" };
        for line in locations.lines(fault) {
            lines.push((std::mem::take(&mut name), line));
        }
    }
    // a crash says where its hart is
    let crashed = |hart| halt.faults.iter().any(|f| f.hart == hart && f.handler.is_none());
    for position in positions.iter().filter(|p| !crashed(p.core)) {
        let mut name = "position";
        for line in locations.position(position) {
            lines.push((std::mem::take(&mut name), line));
        }
    }
    facts(out, &lines)?;
    Ok(())
}
