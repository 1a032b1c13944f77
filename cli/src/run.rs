//! `goshawk run`: runs an ELF in the built-in simulator, and writes a retire file

use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::{input_name, OutputPath};
use crate::output::{count, facts, plural, short_id, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::fault::{cause_name, find, Fault};
use host::run::{Run, RunTotals};
use host::symbols::Symbols;
use host::views::lines::Lines;
use retire::file::retire::{RetireInfo, Writer};
use retire::NullSink;
use serde_json::json;
use sim::analysis::ratio;
use sim::riscv::{Exit, RunSummary, UnsupportedCall};
use std::io::Write;
use std::path::Path;

/// Start of RAM for an ELF that starts a page below 0x80000000.
const RAM_BEFORE: u64 = 0x7ff0_0000;

/// The platform, for those who bring a program.
const LONG: &str = "Run a program in the built-in simulator, and record what its harts retire

A program is an RV32 or RV64 ELF (IMAFDC) without an operating system, linked to fixed addresses. The platform is that of QEMU's `virt` board:

  0x80000000  RAM, 16 MiB; at the ELF's first segment, if that is elsewhere
  0x10000000  UART: a byte stored here is printed
  0x10010000  DMA: copies words from the address at +0 to that at +4, as many as are stored at +8
  0x00100000  end: store 0x5555 for code 0, code << 16 | 0x3333 for another
  0x02000000  CLINT: msip + 4 hart, mtimecmp + 0x4000 + 8 hart, mtime + 0xbff8
  tohost      if the ELF has this symbol: exit and putchar of HTIF
  ebreak      semihosting: SYS_WRITEC, SYS_WRITE0, SYS_WRITE, SYS_EXIT, and the calls of C libraries at start-up

All harts start at the ELF's entry in machine mode, with the number of the hart in a0 and mhartid, and 0 in all other \
registers and mtvec: the program sets up stack, gp and .bss. docs/how-to/platform.md has a linker script and start-up code to copy, \
and explains what to do if the linker puts ELF headers in front of RAM (-Wl,-N).

Ctrl-C ends a run; the file then contains everything that retired until then, as with --max-instructions.";

/// Run a program in the built-in simulator, and record what its harts retire
#[derive(clap::Args, Debug)]
#[command(
    long_about = LONG,
    after_help = "Examples:\n  goshawk run builtin:vm -o vm.ret\n  \
        goshawk run firmware.elf --harts 4 --timing functional -o firmware.ret\n  \
        goshawk run firmware.elf --exit-code --max-instructions 100000000"
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// How a run ended, as text.
pub fn exit_text(exit: Exit) -> String {
    match exit {
        Exit::Finished(code) => format!("with code {code}"),
        Exit::Limit => "at the instruction limit".into(),
        Exit::Deadlock => "in a deadlock: every hart waits or jumps to itself, and no interrupt can come".into(),
    }
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
    let source = Source::open(&args.program, &ProgramArgs::default(), &args.machine)?;
    let run = source.run()?;
    let info = run.info();
    crate::signals::stop_on_request();
    let totals = match &args.output {
        Some(path) if args.data => record::<true>(&run, path, &info)?,
        Some(path) => record::<false>(&run, path, &info)?,
        None => run.report_to(&mut NullSink, &Bars)?,
    };
    let Some(summary) = &totals.summary else {
        return Err(Failure::Other(format!("{}: is a recording of a finished run, expected a program", args.program)));
    };
    let crashed = summary.exit == Exit::Deadlock || totals.faults > 0 && summary.exit != Exit::Finished(0);
    let faults = if crashed && !totals.stopped { find(&run, summary.exit, &Bars)? } else { Vec::new() };
    report(args, &info.build_id, &totals, summary, &faults, out)?;
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
        None => format!("{} (operation {}), {times}: not served, answered with -1", u.name(), u.operation),
    }
}

/// Prints how the run ended, and the exceptions that led to it.
fn report(
    args: &Args,
    build_id: &str,
    totals: &RunTotals,
    summary: &RunSummary,
    faults: &[Fault],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let instructions: u64 = summary.instructions.iter().sum();
    let uart = String::from_utf8_lossy(&summary.uart);
    let written = args.output.as_ref().map(|p| p.display().to_string());
    let places = Places::open(&args.program, !faults.is_empty());
    if args.json {
        Object::new("run", &args.program)
            .with("build_id", build_id.into())
            .with("source", args.machine.settings().describe().into())
            .with("harts", summary.instructions.len().into())
            .with(
                "exit",
                match summary.exit {
                    _ if totals.stopped => "stopped".into(),
                    Exit::Finished(code) => json!({ "code": code }),
                    Exit::Limit => "limit".into(),
                    Exit::Deadlock => "deadlock".into(),
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
            .with("faults", faults.iter().map(|f| places.json(f)).collect())
            .with("output", written.into())
            .print(out)?;
        return Ok(());
    }
    write!(out, "{uart}")?;
    if !uart.is_empty() && !uart.ends_with('\n') {
        writeln!(out)?;
    }
    let ended = match summary.exit {
        _ if totals.stopped => "by request".into(),
        Exit::Deadlock if !faults.is_empty() => "in a crash: no hart can continue".into(),
        exit => exit_text(exit),
    };
    let mut lines = vec![
        ("program", format!("{}, build {}", args.program, short_id(build_id))),
        ("ended", ended),
        ("harts", summary.instructions.len().to_string()),
        ("instructions", count(instructions)),
        ("cycles", count(summary.cycles)),
        ("IPC", format!("{:.3}", ratio(instructions, summary.cycles))),
    ];
    lines.extend(written.map(|w| ("written", w)));
    lines.extend(summary.unanswered.iter().map(|u| ("semihosting", unanswered(u))));
    for fault in faults {
        let mut name = if fault.handler.is_some() { "exception" } else { "crash" };
        for line in places.lines(fault) {
            lines.push((std::mem::take(&mut name), line));
        }
    }
    facts(out, &lines)?;
    Ok(())
}

/// Symbols and source lines of the program, if available.
struct Places {
    symbols: Symbols,
    lines: Option<Lines>,
}

impl Places {
    /// Opens those of `program`, if `wanted`.
    fn open(program: &str, wanted: bool) -> Self {
        if !wanted {
            return Self { symbols: Symbols::default(), lines: None };
        }
        // a program without symbols or line tables may crash, too
        Self { symbols: Symbols::open(program).unwrap_or_default(), lines: Lines::open(program).ok() }
    }

    fn function(&self, pc: u64) -> Option<String> {
        // an address far from all code has a preceding symbol, but is not in it
        let (name, offset) = self.symbols.at(pc).filter(|(_, offset)| *offset < 1 << 16)?;
        Some(if offset == 0 { name.into() } else { format!("{name}+0x{offset:x}") })
    }

    fn line(&self, pc: u64) -> Option<String> {
        let (file, line) = self.lines.as_ref()?.at(pc)?;
        Some(format!("{file}:{line}"))
    }

    fn at(&self, pc: u64) -> String {
        let function = self.function(pc).map(|f| format!(" in {f}")).unwrap_or_default();
        let line = self.line(pc).map(|l| format!(" ({l})")).unwrap_or_default();
        format!("pc 0x{pc:08x}{function}{line}")
    }

    /// Description of a fault: exception, address, how the hart got there, and handler.
    fn lines(&self, f: &Fault) -> Vec<String> {
        let place = if f.instruction.is_some() { self.at(f.pc) } else { format!("pc 0x{:08x}", f.pc) };
        let mut lines = vec![format!(
            "hart {}: {} (cause {}) at {place}, after {}",
            f.hart,
            cause_name(f.cause),
            f.cause,
            plural(f.retired, "instruction")
        )];
        match (&f.instruction, f.address) {
            (Some(text), Some(address)) if f.ram.contains(&address) => {
                lines.push(format!("{text}: address 0x{address:08x}"));
            }
            (Some(text), Some(address)) => {
                let (start, end) = (f.ram.start, f.ram.end);
                lines.push(format!("{text}: address 0x{address:08x}; RAM is 0x{start:08x} to 0x{end:08x}"));
                if start == RAM_BEFORE {
                    lines.push("the ELF begins before 0x80000000, usually with its headers: link with -Wl,-N".into());
                }
            }
            (Some(text), None) => lines.push(text.clone()),
            (None, _) if f.cause == 1 => lines.push("there is no memory".into()),
            (None, _) => lines.push("there is no instruction of the program".into()),
        }
        lines.extend(f.from.map(|from| format!("reached from {}", self.at(from))));
        lines.push(match f.handler {
            Some(handler) => format!("taken by the handler at {}", self.at(handler)),
            None => "mtvec names no handler that can run".into(),
        });
        if f.times > 1 {
            lines.push(format!("the last of {} exceptions of this hart", count(f.times)));
        }
        lines
    }

    fn json(&self, f: &Fault) -> serde_json::Value {
        let hex = |a: u64| format!("0x{a:08x}");
        json!({
            "hart": f.hart, "cause": f.cause, "name": cause_name(f.cause), "pc": hex(f.pc),
            "function": self.function(f.pc), "line": self.line(f.pc), "retired": f.retired,
            "instruction": f.instruction, "address": f.address.map(hex), "from": f.from.map(hex),
            "handler": f.handler.map(hex), "exceptions": f.times,
        })
    }
}
