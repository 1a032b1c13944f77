//! `goshawk import` and `goshawk export`: traces of other tools, and branch traces in the exchange format `rbt1`

use crate::args::section::{self as arguments, SectionArgs};
use crate::args::{MachineArgs, ProgramArgs, Source};
use crate::files::{input_name, OutputPath};
use crate::output::{count, facts, plural, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::import::standard::{Converted, Protocol, StandardTrace};
use host::import::{Format, Found};
use host::input::{Input, Named};
use host::machine::Settings;
use host::recording::Recording;
use host::run::{Run, RunTotals};
use host::section::{self, Bounds, Extent, Section};
use retire::file::rbt1::Rbt1Writer;
use retire::file::retire::{DataWriter, RetireInfo, RetireWriter, Writer};
use retire::file::scratch::Scratch;
use retire::file::Replacement;
use retire::{FlowEvent, FlowKind, RetireSink};
use serde_json::json;
use sim::standard::etrace::Container;
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
    /// BT9, branch traces of CBP-5
    Bt9,
    /// Text of perf script: --itrace=b -F +flags (Intel PT), or -F brstack (LBR)
    Perf,
    /// Text of DynamoRIO's drmemtrace -tool view, x86
    Memtrace,
    /// Trace of DynamoRIO's drmemtrace: a file drmemtrace.*.trace.zip or .gz, or a folder of them
    Drmemtrace,
    /// RISC-V E-Trace 2.0, in the container that `--container` names, with --elf
    ETrace,
    /// RISC-V N-Trace 1.0 (Nexus), with --elf
    NTrace,
}

/// Containers of E-Trace packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum ContainerName {
    /// Header of length and type, as the reference encoder writes it
    #[default]
    Smi,
    /// Unformatted Trace & Diagnostic Data
    Utdd,
    /// Memory dump of an ESP32-C6 or ESP32-H2
    Esp32C6,
    /// Packets without compression and without headers, each on whole bytes
    Raw,
}

/// Kind of a format.
enum Kind {
    Log(Format),
    Standard(Protocol),
}

impl FormatName {
    fn kind(self, container: Option<ContainerName>) -> Kind {
        Kind::Log(match self {
            Self::Qemu => Format::Qemu,
            Self::Spike => Format::Spike,
            Self::Champsim => Format::ChampSim,
            Self::Sbbt => Format::Sbbt,
            Self::Bt9 => Format::Bt9,
            Self::Perf => Format::Perf,
            Self::Memtrace => Format::Memtrace,
            Self::Drmemtrace => Format::Drmemtrace,
            Self::ETrace => {
                return Kind::Standard(Protocol::ETrace(match container.unwrap_or_default() {
                    ContainerName::Smi => Container::Smi,
                    ContainerName::Utdd => Container::Utdd,
                    ContainerName::Esp32C6 => Container::Esp32,
                    ContainerName::Raw => Container::Raw,
                }))
            }
            Self::NTrace => return Kind::Standard(Protocol::NTrace),
        })
    }
}

/// Convert a trace of another tool, or a branch trace (rbt1), to a retire file or a branch trace
///
/// Supported are logs of QEMU (-d exec,nochain,int, with --elf) and Spike, traces of ChampSim, MBPlib (SBBT) and CBP-5 (BT9), text of
/// perf script (Intel PT, branch stacks) and of DynamoRIO's drmemtrace, its traces (a file, or a folder of them), traces of
/// chips with RISC-V E-Trace and N-Trace (--format e-trace, n-trace, with --elf), and rbt1, uncompressed or compressed with gzip, xz, zstd,
/// bzip2 or zip. Threads become harts, in the order in which they appear. Every command with --elf accepts the converted file in place of the program. docs/how-to/import.md describes what
/// each format contains and what it lacks.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk import gcc.rbt1.zst -o gcc.ret\n  \
    goshawk import qemu.log --elf firmware.elf -o qemu.ret\n  \
    goshawk import spike.log.xz -o spike.rbt1.zst\n  \
    goshawk import 600.champsim.xz -o 600.ret\n  \
    goshawk import short.sbbt.zst -o short.ret\n  \
    goshawk import SHORT_MOBILE-1.bt9.trace.gz -o mobile.ret\n  \
    goshawk import perf.txt --format perf -o pt.ret\n  \
    goshawk import memtrace.txt -o memtrace.ret\n  \
    goshawk import drmemtrace.ls.4711.0815.dir -o ls.ret\n  \
    goshawk import dump.bin --format e-trace --container esp32-c6 --elf app.elf --elf rom.elf -o chip.ret\n  \
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
    /// Program of the trace or recording: RISC-V executable, or builtin:NAME. Required for logs of QEMU and for the traces
    /// of chips, which take several, such as one for code in ROM. In logs of Spike, instructions outside it are ignored
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Vec<String>,
    /// Container of the packets. Only with `--format e-trace` [default: smi]
    #[arg(long, value_enum)]
    container: Option<ContainerName>,
    /// Parameters of the trace encoder, a TOML file with the names of the specification. Only with `--format
    /// e-trace` and `n-trace`
    #[arg(long, value_name = "FILE")]
    parameters: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Convert a retire file, or the run of a program, to a branch trace (rbt1); write a section of it as a retire file
///
/// A branch trace has no cycles, data or causes of traps. An imported file is exported with the records that were imported.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk export vm.ret -o vm.rbt1.zst\n  \
    goshawk export builtin:vm --harts 2 -o vm.rbt1\n  \
    goshawk export run.ret --elf builtin:lz --from work --to report -o part.ret")]
pub struct ExportArgs {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME", value_parser = input_name())]
    input: String,
    /// File to write: a retire file if its name ends in .ret, else a branch trace, zstd-compressed if it ends in .zst
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    section: SectionArgs,
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

/// The value of an option, as it is typed.
fn name<T: clap::ValueEnum>(value: Option<T>) -> String {
    value.as_ref().and_then(T::to_possible_value).map_or_else(String::new, |v| v.get_name().into())
}

/// Runs `import`.
pub fn import(args: &ImportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let log = match args.format.map(|name| name.kind(args.container)) {
        Some(Kind::Standard(Protocol::NTrace)) if args.container.is_some() => {
            let container = name(args.container);
            return Err(Failure::Other(format!(
                "`--container {container}`: only with `--format e-trace`, not `--format n-trace`"
            )));
        }
        Some(Kind::Standard(protocol)) => return import_standard(args, protocol, out),
        Some(Kind::Log(format)) => Some(format),
        None => None,
    };
    let found = match args.format {
        Some(_) => format!(", not `--format {}`", name(args.format)),
        None => "; `--format` is not given".into(),
    };
    let refused = |option: String, formats| Err(Failure::Other(format!("`{option}`: only with {formats}{found}")));
    if args.container.is_some() {
        return refused(format!("--container {}", name(args.container)), "`--format e-trace`");
    }
    if let Some(file) = &args.parameters {
        return refused(format!("--parameters {}", file.display()), "`--format e-trace` or `n-trace`");
    }
    if let Some(second) = args.elf.get(1) {
        return Err(Failure::Other(format!(
            "`--elf {second}`: a second program; expected one, except with `--format e-trace` or `n-trace`{found}"
        )));
    }
    let opened = host::import::open(&args.input, log)?;
    let Found::Trace(format) = opened.found else { return import_rbt1(args, out) };
    let elf = args.elf.first().map(|elf| Named::open(elf)).transpose()?;
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
    if !args.elf.is_empty() {
        return Err(Failure::Other(format!(
            "{name}: is read without its program; --elf is for logs of QEMU and Spike"
        )));
    }
    let info = recording.info().clone();
    let totals = retire_file(recording, &info, &args.output)?;
    print(args, &info, None, &[("events", totals.events), ("instructions", totals.instructions)], &[], out)
}

/// A sink that drops contexts, which a branch trace does not have.
struct WithoutContexts<'a>(&'a mut Rbt1Writer);

impl RetireSink for WithoutContexts<'_> {
    fn event(&mut self, e: &FlowEvent) {
        match e.kind {
            FlowKind::Context { .. } => {}
            _ => self.0.event(e),
        }
    }
}

/// Converts a trace of a standard protocol.
fn import_standard(args: &ImportArgs, protocol: Protocol, out: &mut dyn Write) -> Result<Status, Failure> {
    let programs = args.elf.iter().map(|elf| Named::open(elf)).collect::<Result<Vec<_>, _>>()?;
    // an output folder that is not writable is reported before the work
    drop(Replacement::create(&args.output)?);
    let trace = StandardTrace::open(&args.input, protocol, args.parameters.as_deref(), &programs)?;
    let main = &programs[0];
    let info = RetireInfo {
        tool: host::TOOL.into(),
        harts: trace.harts(),
        xlen: trace.xlen,
        build_id: main.build_id.clone(),
        program: main.name.clone(),
        source: trace.source(),
        threads: Vec::new(),
        untimed: !trace.timed,
    };
    let converted = match rbt1_name(&args.output) {
        Some(packed) => {
            let mut writer = Rbt1Writer::create(&args.output, packed, &[])?;
            let converted = trace.convert(&mut WithoutContexts(&mut writer), &Bars)?;
            writer.finish()?;
            converted
        }
        None => {
            let mut writer = RetireWriter::create(&args.output, &info)?;
            let converted = trace.convert(&mut writer, &Bars)?;
            writer.finish()?;
            converted
        }
    };
    let counts = [
        ("packets", converted.counts.packets),
        ("instructions", converted.counts.instructions),
        ("losses", converted.counts.losses),
        ("refused", converted.faults.count),
        ("pauses", converted.counts.pauses),
        ("unsynchronized", converted.counts.unsynchronized),
        ("other", converted.counts.other),
        ("branchless_loops", converted.counts.branchless_loops),
    ];
    let times =
        converted.counts.time.map(|(from, to)| format!("time stamps from {from} to {to} are not in the recording"));
    let loops = "one pass of each loop without a branch that ended in a trap, a synchronization or the end: the trace does not say \
                 how often it ran";
    let loops = (converted.counts.branchless_loops > 0).then(|| loops.to_owned());
    let notes: Vec<String> = times.into_iter().chain(loops).collect();
    print(args, &info, Some(protocol.name()), &counts, &notes, out)?;
    out.flush()?;
    Ok(report_unknown(args, &converted))
}

/// Prints on standard error what is missing in the recording.
fn report_unknown(args: &ImportArgs, converted: &Converted) -> Status {
    let name = args.input.display();
    for (at, source, why) in &converted.faults.first {
        eprintln!("goshawk: {name}: byte {at}, source {source}: {why}");
    }
    if converted.is_whole() {
        return Status::Done;
    }
    let (refused, losses) = (converted.faults.count, converted.counts.losses);
    eprintln!(
        "goshawk: {name}: {refused} packets were refused and {losses} losses reported; the recording has gaps there"
    );
    Status::Partial
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
    // counts of what is not usual are left out where there are none
    let shown = counts.iter().enumerate().filter(|(i, (_, n))| *i < 2 || *n > 0);
    lines.extend(shown.map(|(_, (name, n))| (*name, count(*n))));
    lines.extend(notes.iter().map(|n| ("chosen", n.clone())));
    lines.push(("written", output));
    facts(out, &lines)?;
    Ok(Status::Done)
}

/// Writes a run, or a section of it, as a retire file.
fn section_file<const DATA: bool>(run: &Run<'_>, bounds: &Bounds, path: &Path) -> Result<Extent, Failure> {
    let mut info = run.info();
    for bound in [&bounds.from, &bounds.to].into_iter().flatten() {
        info.source.push_str(&format!(", {}", bound.text.trim_matches('`')));
    }
    let code = section::code_of(run, run.code()?.0, bounds, &Bars)?;
    let mut writer = match &code {
        Some(_) => Writer::<DATA>::create_with_code(path, &info)?,
        None => Writer::<DATA>::create(path, &info)?,
    };
    if let Some(code) = code {
        code.blocks.iter().for_each(|block| writer.code_block(block));
        code.changes.iter().for_each(|change| writer.code_change(*change));
    }
    let mut section = Section::new(&mut writer, bounds, run.harts);
    run.report_to(&mut section, &Bars)?;
    let (_, extent) = section.finish(&run.name())?;
    writer.finish()?;
    Ok(extent)
}

/// Runs `export`.
pub fn export(args: &ExportArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = Source::open(&args.input, &args.program, &args.machine)?;
    let run = source.run()?;
    let harts = run.harts;
    let output = args.output.display().to_string();
    let bounds = args.section.bounds(source.input.named().map(|named| &*named.name))?;
    if args.output.extension().is_some_and(|e| e == "ret") {
        let extent = match source.input.is_recording() {
            true => section_file::<true>(&run, &bounds, &args.output)?,
            false => section_file::<false>(&run, &bounds, &args.output)?,
        };
        if args.json {
            Object::new("export", &args.input)
                .with("harts", harts.into())
                .with("instructions", extent.instructions.into())
                .with("section", arguments::object(&bounds, &extent))
                .with("output", output.into())
                .print(out)?;
            return Ok(Status::Done);
        }
        let mut lines = vec![("run", plural(harts, "hart")), ("instructions", count(extent.instructions))];
        lines.extend((!bounds.are_open()).then(|| arguments::line(&bounds, &extent)));
        lines.push(("written", output));
        facts(out, &lines)?;
        return Ok(Status::Done);
    }
    args.section.refuse("an output that ends in .ret")?;
    let compressed = args.output.extension().is_some_and(|e| e == "zst");
    let mut writer = Rbt1Writer::create(&args.output, compressed, &run.info().threads)?;
    let instructions = run.report_to(&mut writer, &Bars)?.instructions;
    let written = writer.finish()?;
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
