//! `goshawk bench`: speeds on this machine, of Goshawk and of a known crate

mod commands;
mod compare;

use crate::files::input_name;
use crate::output::{big, Left, Object, Right, Table};
use crate::{Failure, Status};
use clap::ValueEnum;
use compare::Earlier;
use host::input::Input;
use host::speed::{inputs, models, Repeat, Speed};
use serde_json::{json, Value};
use std::io::Write;
use std::path::PathBuf;

/// Measure how fast this machine simulates, encodes and replays
///
/// Each speed is given per second of wall time and per second of CPU time, which other work on the machine changes less.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk bench\n  goshawk bench --program builtin:fsm --json\n  goshawk bench --part inputs --program builtin:bank\n  \
    goshawk bench --part files --program vm.ret\n  \
    goshawk bench --part inputs --program program.elf --max-instructions 300000000"
)]
pub struct Args {
    /// Program to run: RISC-V executable, or builtin:NAME. Or a recording (retire file or rbt1): then the commands are
    /// measured that need no executable. May be repeated
    #[arg(long, value_name = "ELF|builtin:NAME|RET|RBT1", default_value = "builtin:lz", value_parser = input_name())]
    program: Vec<String>,
    /// Measured part
    #[arg(long, value_enum, default_value_t = Part::All)]
    part: Part,
    /// Instruction limit of a program, of all harts together
    #[arg(long, alias = "instructions", value_name = "N", default_value_t = 10_000_000)]
    max_instructions: u64,
    /// Measure each speed only once, for a first impression
    #[arg(long)]
    quick: bool,
    /// Earlier result (`bench --json`) to compare with: its speeds by CPU time, and how many times faster these are
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Print one JSON object per program
    #[arg(long)]
    json: bool,
}

/// Parts of the table.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All parts
    All,
    /// Simulator, golden models, encoder and replay, in memory
    Models,
    /// The commands, each as a process that reads and writes files: a program on 1 and 4 cores, a recording as it is
    Files,
    /// Record and replay on 1 and 4 cores, and replay backwards
    Inputs,
}

/// Measures the requested parts of `program`.
fn measure(args: &Args, program: &str) -> Result<Vec<Speed>, Failure> {
    let (part, limit) = (args.part, args.max_instructions);
    let is = |one| part == Part::All || part == one;
    let of = |usual| if args.quick { Repeat::ONCE } else { usual };
    let mut speeds = Vec::new();
    if !Input::open(program)?.is_recording() {
        if is(Part::Models) {
            speeds.extend(models(program, limit, of(Repeat::USUAL))?);
        }
        if is(Part::Inputs) {
            speeds.extend(inputs(program, limit, of(Repeat::USUAL))?);
        }
    } else if !is(Part::Files) {
        let part = part.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default();
        return Err(Failure::Other(format!(
            "{program}: is a recording; `--part {part}` is for programs, and a recording is measured by `--part files`"
        )));
    }
    if is(Part::Files) {
        speeds.extend(commands::measure(program, limit, of(Repeat::COMMANDS))?);
    }
    Ok(speeds)
}

/// Measures and prints.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let earlier = args.compare.as_deref().map(Earlier::open).transpose()?;
    let before = |program: &str, s: &Speed| earlier.as_ref().and_then(|e| e.speed(program, &s.what));
    if args.json {
        for program in &args.program {
            let row = |s: &Speed| {
                let mut row = json!(s);
                if earlier.is_some() {
                    let before = before(program, s);
                    row["before"] = before.into();
                    row["ratio"] = before.map(|b| s.per_cpu_second / b).into();
                }
                row
            };
            let speeds: Vec<Value> = measure(args, program)?.iter().map(row).collect();
            let object = Object::new("bench", program).with("speeds", speeds.into());
            if args.program.len() == 1 {
                object.print(out)?;
            } else {
                object.line(out)?;
            }
        }
        return Ok(Status::Done);
    }
    for (i, program) in args.program.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        if args.program.len() > 1 {
            writeln!(out, "{program}")?;
        }
        let mut columns = vec![("what", Left), ("a second", Right), ("a CPU second", Right), ("", Left)];
        if earlier.is_some() {
            columns.extend([("before", Right), ("ratio", Right)]);
        }
        let mut table = Table::of(&columns);
        for s in measure(args, program)? {
            let mut row = vec![s.what.clone(), big(s.per_second), big(s.per_cpu_second), s.unit.to_string()];
            if earlier.is_some() {
                let dash = || "-".to_string();
                let before = before(program, &s);
                row.push(before.map_or_else(dash, big));
                row.push(before.map_or_else(dash, |b| format!("{:.2}", s.per_cpu_second / b)));
            }
            table.cells(row);
        }
        table.print(out)?;
    }
    Ok(Status::Done)
}
