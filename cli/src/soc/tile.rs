//! `goshawk soc tile`: runs a program on an RV64 core with its own memory in Verilator, and checks its trace

use super::checked;
use crate::args::contexts::{privileges, ContextArgs, Modes};
use crate::args::ParamArgs;
use crate::files::OutputPath;
use crate::hardware::{fifo_help, parse_depth};
use crate::output::{count, facts, plural, short_id, Object, TOOL};
use crate::progress::bar;
use crate::{Failure, Status};
use clap::ArgGroup;
use fpga::soc::check::Checked;
use fpga::soc::verilate::default_cache;
use fpga::tile::check::{check, check_filtered, Filtered, TileError};
use fpga::tile::run::{Job, Run, Tile};
use fpga::tile::{Setup, TileKind};
use retire::elf::Program;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::file::{hex, input};
use retire::image::Image;
use retire::{Context, RetireSink};
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::file::{TraceInfo, TraceWriter};
use sim::params::TraceParams;
use std::io::Write;
use std::path::PathBuf;

/// Run a program on a third-party RV64 core with a trace system, in Verilator, and check the trace
///
/// The core has its own RAM and devices on its AXI4 ports, at the addresses of QEMU's board `virt`. Its trace must
/// replay to each instruction that its own retirement signals logged, with the bits of the golden model; otherwise the
/// exit code is 1. The cores come from Python packages, which tools/setup installs with GOSHAWK_LONG=1; building a core
/// takes a minute or two.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("executable").args(["elf", "program"]).required(true)))]
#[command(mut_arg("spaces", |space| space.alias(None::<&str>)))]
#[command(after_help = "Examples:\n  goshawk soc tile --core cva6 --program traps --max-cycles 200000\n  \
    goshawk soc tile --core rocket4 --program lockcont --set medium --max-cycles 200000 -o run\n  \
    goshawk soc tile --core rocket4 --elf smp.elf --context 16 --space 256=a.elf --space 257=b.elf --modes u")]
pub struct Args {
    /// Core
    #[arg(long, value_enum)]
    core: TileName,
    /// RV64IMAC executable, linked to 0x80000000
    #[arg(long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Built-in program, in its build for these cores
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Cycle limit of the cores [default: none]
    #[arg(long, value_name = "N")]
    max_cycles: Option<u64>,
    #[arg(long = "fifo", value_name = "N", default_value = "64", value_parser = parse_depth, help = fifo_help())]
    fifo_address_bits: u8,
    /// Folder to write trace.gtr and retire.ret to; it is created if missing
    #[arg(short = 'o', long = "output", alias = "out", value_name = "DIR")]
    out: Option<OutputPath>,
    /// Privilege modes that are traced: letters u, s and m. The trace system then has a filter. Only with the core rocket4
    #[arg(long, value_name = "MODES", value_parser = privileges)]
    modes: Option<Modes>,
    /// File with the bytes that the UART receives
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    #[command(flatten)]
    contexts: ContextArgs,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// A core of `goshawk soc tile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum TileName {
    /// RV64IMAC, two instructions per cycle, two RVFI channels
    Cva6,
    /// RV64IMAC, one hart, by its trace port
    Rocket,
    /// RV64IMAC, four harts, by its trace port
    Rocket4,
}

impl From<TileName> for TileKind {
    fn from(name: TileName) -> Self {
        match name {
            TileName::Cva6 => Self::Cva6,
            TileName::Rocket => Self::Rocket,
            TileName::Rocket4 => Self::Rocket4,
        }
    }
}

/// Loads the program from a file, or a built-in one, with its name.
fn load(args: &Args) -> Result<(Program, String), Failure> {
    let (name, data) = match (&args.elf, &args.program) {
        (Some(path), _) => (path.display().to_string(), input::elf(path)?),
        (None, Some(name)) => {
            let found = programs::find_tile(name).ok_or_else(|| {
                let names: Vec<&str> = programs::TILE.iter().map(|p| p.name).collect();
                Failure::Other(format!(
                    "`--program {name}`: not built for these cores; expected one of {}",
                    names.join(", ")
                ))
            })?;
            (format!("builtin:{name}"), found.elf.to_vec())
        }
        (None, None) => return Err(Failure::Other("expected `--elf` or `--program`".into())),
    };
    let program = Program::parse(&data).map_err(|e| Failure::program(&name, e))?;
    Ok((program, name))
}

/// What is to run: the program, those of address spaces, modes, and input.
fn job<'a>(args: &Args, program: &'a Program, contexts: bool) -> Result<Job<'a>, Failure> {
    let of = args.contexts.processes()?.programs;
    if let Some((context, elf)) = of.first().filter(|_| !contexts) {
        return Err(Failure::Other(format!(
            "`--space {}={elf}`: needs `--context`, since a trace without contexts has no address spaces",
            context.id()
        )));
    }
    let image = |(context, elf): (Context, String)| {
        let data = input::elf(elf.as_ref())?;
        let program = Program::parse(&data).map_err(|e| Failure::program(&elf, e))?;
        Ok::<_, Failure>((context, Image::new(&program)))
    };
    let bytes = match &args.input {
        Some(path) => input::read(path, 1 << 20, "the input of a simulation")?,
        None => Vec::new(),
    };
    Ok(Job {
        of: of.into_iter().map(image).collect::<Result<_, _>>()?,
        modes: args.modes.as_ref().map_or(0xf, Modes::mask),
        input: bytes,
        ..Job::new(program, args.max_cycles.unwrap_or(0))
    })
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let (program, name) = load(args)?;
    let kind = TileKind::from(args.core);
    let (params, set) = args.params.resolve_for(kind.harts(), 64, 1)?;
    if params.timestamps {
        return Err(Failure::Other("`--timestamps`: not with `soc tile`, which checks functional traces".into()));
    }
    // errors are reported before a build of several minutes
    let job = job(args, &program, params.context.is_some())?;
    Tile::check_supported(&program).map_err(|e| other(&e))?;
    let setup = Setup { fifo_address_bits: args.fifo_address_bits, filter: args.modes.is_some() };
    if (setup.filter || params.context.is_some()) && !kind.has_mmu() {
        let option = if setup.filter { "--modes" } else { "--context" };
        return Err(Failure::Other(format!(
            "`{option}`: not with `--core {}`, which does not show privilege modes and address spaces; rocket4 does",
            kind.name()
        )));
    }
    let building = bar("building with Verilator", "", None);
    let tile = Tile::build(kind, &params, setup, &default_cache()).map_err(|e| other(&e))?;
    building.finish_and_clear();
    let running = bar("simulating", "", None);
    let run = tile.run(&job).map_err(|e| other(&e))?;
    running.finish_and_clear();
    let build_id = hex(&program.build_id);
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Failure::io(folder, e))?;
        let info = RetireInfo {
            tool: TOOL.into(),
            harts: kind.harts(),
            xlen: 64,
            build_id: build_id.clone(),
            program: name.clone(),
            source: format!("{}, Verilator", kind.name()),
            threads: Vec::new(),
            untimed: false,
        };
        let mut writer = RetireWriter::create(&folder.join("retire.ret"), &info)?;
        run.log.events.iter().for_each(|e| writer.event(e));
        writer.finish()?;
        let (build_id, program) = (build_id.clone(), name.clone());
        let info = TraceInfo { tool: TOOL.into(), params, set: set.clone(), build_id, program };
        let mut writer = TraceWriter::create(&folder.join("trace.gtr"), &info)?;
        writer.write(run.words.iter().copied())?;
        writer.finish()?;
    }
    let found = match args.modes {
        None => Found::Whole(check(&params, &job, &run)),
        Some(_) => Found::Filtered(check_filtered(&params, &job, &run)),
    };
    report(args, &params, set.as_deref(), (&name, &build_id), &run, &found, out)
}

/// Result of the comparison with the log, of a whole trace or of one with a filter.
enum Found {
    Whole(Result<Checked, TileError>),
    Filtered(Result<Filtered, TileError>),
}

impl Found {
    fn is_right(&self) -> bool {
        match self {
            Self::Whole(found) => found.as_ref().is_ok_and(|c| c.golden != Some(false) && c.ordered),
            Self::Filtered(found) => found.is_ok(),
        }
    }

    fn object(&self, instructions: u64) -> Value {
        match self {
            Self::Whole(found) => checked::object(found, instructions),
            Self::Filtered(Ok(found)) => json!({ "equal": true, "filtered": found }),
            Self::Filtered(Err(e)) => json!({ "equal": false, "difference": e.to_string() }),
        }
    }

    fn lines(&self, instructions: u64) -> Vec<(&'static str, String)> {
        match self {
            Self::Whole(found) => checked::lines(found, instructions, false),
            Self::Filtered(Ok(f)) => vec![
                ("trace", format!("{} bits, {} messages", count(f.bits), count(f.messages))),
                ("shown", format!("{} of {} instructions in these modes", count(f.shown), count(f.selected))),
                ("hidden", format!("{} instructions in {}", count(f.hidden), plural(f.gaps, "gap"))),
                ("replay", "equal to the retire log, where it is shown, and in the number of what is hidden".into()),
            ],
            Self::Filtered(Err(e)) => vec![("replay", format!("DIFFERENT: {e}"))],
        }
    }
}

fn report(
    args: &Args,
    params: &TraceParams,
    set: Option<&str>,
    (name, build_id): (&str, &str),
    run: &Run,
    found: &Found,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let kind = TileKind::from(args.core);
    let instructions = run.instructions();
    let status = if found.is_right() { Status::Done } else { Status::Different };
    let console = String::from_utf8_lossy(&run.console);
    if args.json {
        let by_core: Vec<usize> = run.log.addresses.iter().map(Vec::len).collect();
        Object::new("soc tile", name)
            .with("build_id", build_id.into())
            .with("core", kind.name().into())
            .with_params(params, set)
            .with("exit_code", json!(run.exit_code))
            .with("instructions", json!({ "total": instructions, "by_core": by_core, "pairs": run.pairs }))
            .with("cycles", run.cycles.into())
            .with("trace", found.object(instructions))
            .with("console", console.into())
            .print(out)?;
        return Ok(status);
    }
    write!(out, "{console}")?;
    if !console.is_empty() && !console.ends_with('\n') {
        writeln!(out)?;
    }
    let ended = run.exit_code.map_or_else(|| "at the cycle limit".into(), |code| format!("with code {code}"));
    let mut lines = vec![
        ("core", kind.name().into()),
        ("program", format!("{name}, build {}", short_id(build_id))),
        ("ended", ended),
        ("instructions", count(instructions)),
        ("cycles", count(run.cycles)),
        ("cycles/instruction", format!("{:.2}", ratio(run.cycles * u64::from(kind.harts()), instructions))),
    ];
    if kind.per_cycle() > 1 {
        lines.push(("two in a cycle", count(run.pairs)));
    }
    lines.extend(found.lines(instructions));
    facts(out, &lines)?;
    Ok(status)
}
