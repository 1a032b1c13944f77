//! `goshawk run`: an ELF in the built-in simulator, to a retire file

use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::OutputPath;
use crate::output::{count, facts, short_id, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::run::{Run, Told};
use retire::file::retire::{RetireInfo, Writer};
use retire::NullSink;
use serde_json::json;
use sim::analysis::ratio;
use sim::riscv::{Exit, RunSummary};
use std::io::Write;
use std::path::Path;

/// Run a program in the built-in simulator and record what its harts retire
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk run builtin:vm -o vm.ret\n  \
    goshawk run firmware.elf --harts 4 --timing functional -o firmware.ret")]
pub struct Args {
    /// RISC-V executable, or builtin:NAME
    #[arg(value_name = "ELF|builtin:NAME")]
    program: String,
    /// Retire file to write; without it the program only runs
    #[arg(short, long, value_name = "FILE")]
    output: Option<OutputPath>,
    /// Record loads, stores, written registers and CSR reads, too, with their values
    #[arg(long, requires = "output")]
    data: bool,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// How a run ended, in words.
pub fn exit_text(exit: Exit) -> String {
    match exit {
        Exit::Finished(code) => format!("with code {code}"),
        Exit::Limit => "at the instruction limit".into(),
        Exit::Deadlock => "in a deadlock: every hart waits or jumps to itself, and no interrupt can come".into(),
    }
}

/// Runs a program into the file at `path`.
fn record<const DATA: bool>(run: &Run<'_>, path: &Path, info: &RetireInfo) -> Result<Told, Failure> {
    let mut writer = Writer::<DATA>::create(path, info)?;
    let told = run.tell(&mut writer, &Bars)?;
    writer.finish()?;
    Ok(told)
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = Source::open(&args.program, &ProgramArgs::default(), &args.machine)?;
    let run = source.run()?;
    let info = run.info();
    let told = match &args.output {
        Some(path) if args.data => record::<true>(&run, path, &info)?,
        Some(path) => record::<false>(&run, path, &info)?,
        None => run.tell(&mut NullSink, &Bars)?,
    };
    let Some(summary) = told.summary else {
        return Err(Failure::Other(format!(
            "{}: is a recording, a run that is over; a program is needed",
            args.program
        )));
    };
    report(args, &info.build_id, &summary, out)?;
    Ok(Status::Done)
}

fn report(args: &Args, build_id: &str, summary: &RunSummary, out: &mut dyn Write) -> Result<(), Failure> {
    let instructions: u64 = summary.instructions.iter().sum();
    let uart = String::from_utf8_lossy(&summary.uart);
    let written = args.output.as_ref().map(|p| p.display().to_string());
    if args.json {
        Object::new("run", &args.program)
            .with("build_id", build_id.into())
            .with("source", args.machine.settings().describe().into())
            .with("harts", summary.instructions.len().into())
            .with(
                "exit",
                match summary.exit {
                    Exit::Finished(code) => json!({ "code": code }),
                    Exit::Limit => "limit".into(),
                    Exit::Deadlock => "deadlock".into(),
                },
            )
            .with("instructions", json!({ "total": instructions, "by_hart": summary.instructions }))
            .with("cycles", summary.cycles.into())
            .with("ipc", ratio(instructions, summary.cycles).into())
            .with("uart", uart.into())
            .with("output", written.into())
            .print(out)?;
        return Ok(());
    }
    write!(out, "{uart}")?;
    if !uart.is_empty() && !uart.ends_with('\n') {
        writeln!(out)?;
    }
    let mut lines = vec![
        ("program", format!("{}, build {}", args.program, short_id(build_id))),
        ("ended", exit_text(summary.exit)),
        ("harts", summary.instructions.len().to_string()),
        ("instructions", count(instructions)),
        ("cycles", count(summary.cycles)),
        ("IPC", format!("{:.3}", ratio(instructions, summary.cycles))),
    ];
    lines.extend(written.map(|w| ("written", w)));
    facts(out, &lines)?;
    Ok(())
}
