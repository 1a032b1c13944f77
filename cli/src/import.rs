//! `goshawk import` and `goshawk export`: traces of other tools, and branch traces in the exchange format `rbt1`

use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::{input_name, OutputPath};
use crate::output::{count, facts, plural, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::import::{Format, Found};
use host::input::{Input, Named};
use host::machine::Settings;
use host::recording::Recording;
use host::run::RunTotals;
use retire::file::rbt1::Rbt1Writer;
use retire::file::retire::{DataWriter, RetireInfo};
use retire::file::scratch::Scratch;
use retire::file::Replacement;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Formats of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FormatName {
    /// Log of qemu-system-riscv32 and -riscv64, -d exec,nochain,int
    Qemu,
    /// Log of Spike, with -l, --log-commits or both
    Spike,
    /// 64 bytes per instruction; recognised by `champsim` in the name of the file
    Champsim,
    /// MBPlib's branch traces
    Sbbt,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Qemu => Self::Qemu,
            FormatName::Spike => Self::Spike,
            FormatName::Champsim => Self::ChampSim,
            FormatName::Sbbt => Self::Sbbt,
        }
    }
}

/// Convert a trace of another tool, or a branch trace (rbt1), to a retire file or a branch trace
///
/// Supported are logs of QEMU (-d exec,nochain,int, with --elf) and Spike, traces of ChampSim and MBPlib (SBBT), and
/// rbt1, uncompressed or compressed with gzip, xz, zstd or bzip2. Threads become harts, in the order in which they
/// appear. Every command with --elf accepts the converted file in place of the program. docs/how-to/import.md describes what
/// each format contains and what it lacks.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk import gcc.rbt1.zst -o gcc.ret\n  \
    goshawk import qemu.log --elf firmware.elf -o qemu.ret\n  \
    goshawk import spike.log.xz -o spike.rbt1.zst\n  \
    goshawk import 600.champsim.xz -o 600.ret\n  \
    goshawk import short.sbbt.zst -o short.ret\n  \
    goshawk encode short.ret --set m4 -o short.gtr\n  \
    goshawk replay short.gtr --elf short.ret --check short.ret")]
pub struct ImportArgs {
    /// Trace to read
    #[arg(value_name = "FILE|RBT1")]
    input: PathBuf,
    /// Retire file to write, or branch trace if its name ends in .rbt1 or .rbt1.zst
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Format of the trace [default: from its first bytes or its name]
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME. Required for logs of QEMU; in logs of
    /// Spike, instructions outside it are ignored
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Convert a retire file, or the run of a program, to a branch trace (rbt1)
///
/// The format has no cycles, data or causes of traps. An imported file is exported with the records that were imported.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk export vm.ret -o vm.rbt1.zst\n  \
    goshawk export builtin:vm --harts 2 -o vm.rbt1")]
pub struct ExportArgs {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME", value_parser = input_name())]
    input: String,
    /// Branch trace to write; zstd-compressed if its name ends in .zst
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Whether the name is that of a branch trace, and if so, whether compressed.
fn rbt1_name(path: &Path) -> Option<bool> {
    let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    match (name.ends_with(".rbt1"), name.ends_with(".rbt1.zst")) {
        (false, false) => None,
        (_, packed) => Some(packed),
    }
}

/// Metadata of the retire file of an imported trace.
fn describe(info: &mut RetireInfo, args: &ImportArgs, format: Format, elf: Option<&Named>) {
    let name = args.input.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let threads = info.threads.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    info.source = format!("{} {name}, threads {threads}", format.name());
    info.program = elf.map_or(name, |e| e.name.clone());
    if let Some(elf) = elf {
        info.build_id.clone_from(&elf.build_id);
        info.xlen = elf.program.xlen;
    }
}

/// Writes the retire file of a recording.
fn retire_file(recording: Recording, info: &RetireInfo, output: &Path) -> Result<RunTotals, Failure> {
    let (input, settings) = (Input::Recording(Box::new(recording), None), Settings::default());
    let mut writer = DataWriter::create(output, info)?;
    let totals = input.run(info.harts, &settings)?.report_to(&mut writer, &Bars)?;
    writer.finish()?;
    Ok(totals)
}

/// Runs `import`.
pub fn import(args: &ImportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let opened = host::import::open(&args.input, args.format.map(Into::into))?;
    let Found::Trace(format) = opened.found else { return import_rbt1(args, out) };
    let elf = args.elf.as_deref().map(Named::open).transpose()?;
    // an output folder that is not writable is reported before the work
    drop(Replacement::create(&args.output)?);
    let between = Scratch::new(".rbt1")?;
    let direct = rbt1_name(&args.output);
    let path = if direct.is_some() { &*args.output } else { between.path() };
    let mut writer = Rbt1Writer::create(path, direct.unwrap_or(false), &[])?;
    let mut instructions = 0;
    let summary = opened.convert(elf.as_ref(), &Bars, &mut |r| {
        instructions += u64::from(r.count);
        writer.write(r);
    })?;
    writer.finish()?;
    let recording = Recording::open(path)?;
    let mut info = recording.info().clone();
    describe(&mut info, args, format, elf.as_ref());
    if direct.is_none() {
        instructions = retire_file(recording, &info, &args.output)?.instructions;
    }
    print(
        args,
        &info,
        Some(format.name()),
        &[("records", summary.records), ("instructions", instructions)],
        &summary.notes,
        out,
    )
}

/// Converts a branch trace to a retire file.
fn import_rbt1(args: &ImportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let name = args.input.display();
    let recording = Recording::open(&args.input)?;
    if !recording.is_rbt1() {
        return Err(Failure::Other(format!("{name}: is a retire file already; import takes traces of other tools")));
    }
    if rbt1_name(&args.output).is_some() {
        return Err(Failure::Other(format!("{name}: is a branch trace already; -o must name a retire file")));
    }
    if args.elf.is_some() {
        return Err(Failure::Other(format!(
            "{name}: is read without its program; --elf is for logs of QEMU and Spike"
        )));
    }
    let info = recording.info().clone();
    let totals = retire_file(recording, &info, &args.output)?;
    print(args, &info, None, &[("events", totals.events), ("instructions", totals.instructions)], &[], out)
}

/// Prints the result; `format` is that of another tool.
fn print(
    args: &ImportArgs,
    info: &RetireInfo,
    format: Option<&str>,
    counts: &[(&'static str, u64)],
    notes: &[String],
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let output = args.output.display().to_string();
    if args.json {
        let mut object = Object::new("import", &args.input.display().to_string())
            .with("format", format.unwrap_or("rbt1").into())
            .with("source", info.source.clone().into())
            .with("harts", info.harts.into())
            .with("xlen", info.xlen.into())
            .with("build_id", info.build_id.clone().into());
        for (name, n) in counts {
            object = object.with(name, (*n).into());
        }
        object.with("chosen", json!(notes)).with("output", output.into()).print(out)?;
        return Ok(Status::Done);
    }
    let mut lines = vec![
        (if format.is_some() { "trace" } else { "branch trace" }, info.source.clone()),
        ("addresses", format!("of {} bits", info.xlen)),
        ("harts", info.harts.to_string()),
    ];
    lines.extend(counts.iter().map(|(name, n)| (*name, count(*n))));
    lines.extend(notes.iter().map(|n| ("chosen", n.clone())));
    lines.push(("written", output));
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
    let instructions = run.report_to(&mut writer, &Bars)?.instructions;
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
