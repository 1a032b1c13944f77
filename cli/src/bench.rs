//! `goshawk bench`: speeds on this machine, of Goshawk and of a known crate

use crate::files::input_name;
use crate::output::{big, Left, Object, Right, Table};
use crate::{Failure, Status};
use host::speed::{files, inputs, models};
use serde_json::json;
use std::io::Write;

/// Measure how fast this machine simulates, encodes and replays
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk bench\n  goshawk bench --program builtin:fsm --json\n  goshawk bench --part inputs --program builtin:bank\n  \
    goshawk bench --part inputs --program program.elf --max-instructions 300000000"
)]
pub struct Args {
    /// Program to run: RISC-V executable, or builtin:NAME
    #[arg(long, value_name = "ELF|builtin:NAME", default_value = "builtin:lz", value_parser = input_name())]
    program: String,
    /// Measured part
    #[arg(long, value_enum, default_value_t = Part::All)]
    part: Part,
    /// Instruction limit, of all harts together [default: none]
    #[arg(long, alias = "instructions", value_name = "N", default_value_t = 10_000_000)]
    max_instructions: u64,
    /// Print one JSON object
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
    /// The commands, from file to file
    Files,
    /// Record and replay on 1 and 4 cores, and replay backwards
    Inputs,
}

/// Measures and prints.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let name = args.program.as_str();
    let is = |part| args.part == Part::All || args.part == part;
    let mut speeds = Vec::new();
    for (part, measure) in [(Part::Models, models as fn(&str, u64) -> _), (Part::Files, files), (Part::Inputs, inputs)]
    {
        if is(part) {
            speeds.extend(measure(name, args.max_instructions)?);
        }
    }
    if args.json {
        Object::new("bench", name).with("speeds", json!(speeds)).print(out)?;
    } else {
        let mut table = Table::new([("what", Left), ("a second", Right), ("", Left)]);
        for s in &speeds {
            table.row([s.what.clone(), big(s.per_second), s.unit.to_string()]);
        }
        table.print(out)?;
    }
    Ok(Status::Done)
}
