//! `goshawk import` and `goshawk export`: branch traces in the exchange format `rbt1`

use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::OutputPath;
use crate::output::{count, facts, plural, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::input::Input;
use host::machine::Settings;
use host::recording::{FileKind, Recording};
use retire::file::rbt1::{Rbt1Reader, Rbt1Writer};
use retire::file::retire::DataWriter;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// Turn a branch trace (rbt1, zstd-compressed or not) into a retire file
///
/// Threads become harts, in the order in which they appear. No program is needed: every command that takes
/// --elf takes the retire file or the branch trace in its place.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk import gcc.rbt1.zst -o gcc.ret\n  \
    goshawk encode gcc.rbt1.zst --pc-shift 0 -o gcc.gtr\n  \
    goshawk replay gcc.gtr --elf gcc.rbt1.zst --check gcc.rbt1.zst")]
pub struct ImportArgs {
    /// Branch trace
    #[arg(value_name = "RBT1")]
    input: PathBuf,
    /// Retire file to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Turn a run into a branch trace (rbt1): a retire file, or a program that is run now
///
/// Cycles, data and the causes of traps are not in this format. Of a file that import made it gives the records that
/// were imported.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk export vm.ret -o vm.rbt1.zst\n  \
    goshawk export builtin:vm --harts 2 -o vm.rbt1")]
pub struct ExportArgs {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME")]
    input: String,
    /// Branch trace to write; zstd-compressed if its name ends in .zst
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `import`.
pub fn import(args: &ImportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let kind = FileKind::of(&args.input)?;
    if kind != FileKind::Retire && kind != FileKind::Rbt1 {
        // it says what a branch trace begins with
        Rbt1Reader::open(&args.input)?;
    }
    let recording = Recording::open(&args.input)?;
    let info = recording.info().clone();
    if !recording.is_rbt1() {
        let name = args.input.display();
        return Err(Failure::Other(format!("{name}: is a retire file already; import takes branch traces (rbt1)")));
    }
    let (input, settings) = (Input::Recording(Box::new(recording), None), Settings::default());
    let mut writer = DataWriter::create(&args.output, &info)?;
    let told = input.run(info.harts, &settings)?.tell(&mut writer, &Bars)?;
    writer.finish()?;
    let output = args.output.display().to_string();
    if args.json {
        Object::new("import", &args.input.display().to_string())
            .with("source", info.source.into())
            .with("harts", info.harts.into())
            .with("xlen", info.xlen.into())
            .with("build_id", info.build_id.into())
            .with("events", told.events.into())
            .with("instructions", told.instructions.into())
            .with("output", output.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let lines = [
        ("branch trace", info.source),
        ("addresses", format!("of {} bits", info.xlen)),
        ("harts", info.harts.to_string()),
        ("events", count(told.events)),
        ("instructions", count(told.instructions)),
        ("written", output),
    ];
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Runs `export`.
pub fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = Source::open(&args.input, &ProgramArgs::default(), &args.machine)?;
    let run = source.run()?;
    let harts = run.harts;
    let compressed = args.output.extension().is_some_and(|e| e == "zst");
    let mut writer = Rbt1Writer::create(&args.output, compressed, &run.info().threads)?;
    let instructions = run.tell(&mut writer, &Bars)?.instructions;
    let written = writer.finish()?;
    let output = args.output.display().to_string();
    if args.json {
        Object::new("export", &args.input)
            .with("harts", harts.into())
            .with("instructions", instructions.into())
            .with("records", written.records.into())
            .with("swaps_as_returns", json!(written.swaps))
            .with("output", output.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("run", plural(harts, "hart")),
        ("instructions", count(instructions)),
        ("records", count(written.records)),
        ("written", output),
    ];
    if written.swaps > 0 {
        lines.push(("changed", format!("{}, written as returns", plural(written.swaps, "co-routine swap"))));
    }
    facts(out, &lines)?;
    Ok(Status::Done)
}
