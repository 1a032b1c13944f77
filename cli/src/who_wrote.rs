//! `goshawk who-wrote`: the last stores to an address

use crate::args::{counted, Execution};
use crate::output::{count, report_missing, Left, Right, Table};
use crate::{Failure, Status};
use clap::builder::RangedU64ValueParser;
use host::debug::writer::who_wrote;
use host::inputs::Session;
use host::symbols::Symbols;
use host::trace::LossSummary;
use serde_json::json;
use sim::scheme::inputs::replay::Timeline;
use std::io::Write;

/// Show the last writers of an address: core or bus master, code location, value
///
/// The run must be recorded with `goshawk encode --scheme inputs`. A moment is a number of instructions and exceptions of all cores,
/// in the order of replay, as `monitor when` of `goshawk gdb` shows it.
#[derive(clap::Args, Debug)]
#[command(
    name = "who-wrote",
    after_help = "Examples:\n  goshawk who-wrote bank.gip balance --elf builtin:bank --limit 3\n  goshawk who-wrote bank.gip balance+4 --elf builtin:bank --json"
)]
pub struct Args {
    #[command(flatten)]
    execution: Execution,
    /// Address, 0x and hexadecimal, or a symbol of the program; +N adds N bytes
    #[arg(value_name = "ADDRESS")]
    address: String,
    /// Number of bytes from the address on, 1 to 1048576
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    bytes: u32,
    /// Moment at which the value is examined: only what happened before counts [default: the end]
    #[arg(long, alias = "before", value_name = "MOMENT", value_parser = counted)]
    at: Option<u64>,
    /// Maximum number of listed lines: stores, the latest first
    #[arg(long = "limit", alias = "last", value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    last: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Searches backwards for the stores, and prints them.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let session = Session::open(&args.execution.trace, args.execution.input_options())?;
    let address = Symbols::address(&args.execution.elf, &args.address)?;
    let symbols = Symbols::open(&args.execution.elf)?;
    let failure = |source| host::HostError::Inputs { path: args.execution.trace.display().to_string(), source };
    let damage = session.damage().map(|damage| host::HostError::Other(damage.to_string()));
    let mut line = Timeline::new(session.replay());
    let end = line.seek(args.at.unwrap_or(u64::MAX));
    // before the damage everything can be looked at
    let damage = match end {
        Ok(_) if args.at.is_some() => None,
        Ok(_) => damage,
        Err(e) => Some(damage.unwrap_or_else(|| failure(e))),
    };
    let missing = || report_missing(&args.execution.trace, &LossSummary::default(), damage.as_ref());
    let stores = who_wrote(&mut line, address, args.bytes, args.last).map_err(failure)?;
    let place = |pc: u32| match symbols.at(pc.into()) {
        Some((name, 0)) => name.to_string(),
        Some((name, offset)) => format!("{name}+0x{offset:x}"),
        None => String::new(),
    };
    if args.json {
        let stores: Vec<_> = stores
            .iter()
            .map(|s| {
                let of_core = |value: serde_json::Value| if s.access.master { serde_json::Value::Null } else { value };
                json!({
                    "moment": s.moment, "core": of_core(s.core.into()), "instruction": of_core(s.retired.into()),
                    "pc": of_core(format!("0x{:08x}", s.access.pc).into()), "place": of_core(place(s.access.pc).into()),
                    "bus_master": s.access.master, "address": format!("0x{:08x}", s.access.addr),
                    "bytes": s.access.size, "value": s.access.value,
                })
            })
            .collect();
        args.execution
            .object("who-wrote")
            .with("address", format!("0x{address:08x}").into())
            .with("stores", stores.into())
            .print(out)?;
        return Ok(missing());
    }
    if stores.is_empty() {
        let else_ = match line.replay().params().sizes.known {
            0 => "it is as the program was loaded",
            _ => "what was stored before the recording began is not known",
        };
        writeln!(out, "0x{address:08x}: no store before that moment; {else_}")?;
        return Ok(missing());
    }
    let mut table = Table::new([
        ("moment", Right),
        ("core", Right),
        ("instruction", Right),
        ("pc", Left),
        ("location", Left),
        ("address", Left),
        ("value", Right),
    ]);
    for s in &stores {
        let of_core = |text: String| if s.access.master { String::new() } else { text };
        table.row([
            count(s.moment),
            of_core(s.core.to_string()),
            of_core(count(s.retired)),
            of_core(format!("0x{:08x}", s.access.pc)),
            if s.access.master { "a bus master that is not a core".into() } else { place(s.access.pc) },
            format!("0x{:08x}", s.access.addr),
            format!("0x{:0width$x}", s.access.value, width = 2 * usize::from(s.access.size)),
        ]);
    }
    table.print(out)?;
    Ok(missing())
}
