//! `goshawk diag ls`: lists the circuits of a chip

use super::chip::{check_masters, generator};
use crate::output::{Left, Object, Right, Table};
use crate::{Failure, Status};
use serde_json::json;
use sim::diag::chip::{Chip, ChipParams};
use sim::diag::node::{trace, NodeKind};
use sim::diag::processor::SLOTS;
use std::io::Write;

/// List the clients of a diagnosis ring, as read over the ring
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk diag ls --cores 4 --processor\n  goshawk diag ls --cores 2 --masters 1\n  goshawk diag ls --trace\n  goshawk diag ls --json"
)]
pub struct Args {
    /// Number of cores of the chip, 1 to 16
    #[arg(long = "cores", alias = "harts", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    harts: u8,
    /// Number of bus masters that are not cores, each with an event generator; with the cores at most 16
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=15))]
    masters: u8,
    /// Add a diagnosis processor after the other nodes
    #[arg(long)]
    processor: bool,
    /// Add a trace system to the ring
    #[arg(long)]
    trace: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Event generators without data: they match addresses only
    #[arg(long)]
    lite: bool,
}

/// Kind of a node by its number, and the unit of its capacity.
fn kind(number: u16) -> (&'static str, &'static str) {
    match number {
        1 => ("event generator", "triggers"),
        2 => ("filter", "rules"),
        3 => ("count", "counters"),
        4 => ("pair", "contexts"),
        5 => ("aggregate", "entries"),
        6 => ("histogram", "keys"),
        7 => ("machine", "states"),
        8 => ("log", "events"),
        9 => ("tick", "flushes"),
        trace::KIND => ("trace", "words"),
        15 => ("processor", "slots"),
        _ => ("unknown", ""),
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    check_masters(args.harts, args.masters)?;
    let (generator, masters) = (generator(args.lite), args.masters);
    let mut params = ChipParams { generator, masters, ..ChipParams::new(args.harts) };
    if args.processor {
        params.nodes.push(NodeKind::Processor(SLOTS as u8));
    }
    params.trace = args.trace;
    let mut chip = Chip::new(params);
    let found = chip.discover();
    if args.json {
        let node = |(address, number, capacity): &(u8, u16, u16)| json!({ "address": address, "kind": kind(*number).0, "capacity": capacity });
        Object::new("diag ls", "chip").with("nodes", found.iter().map(node).collect()).print(out)?;
        return Ok(Status::Done);
    }
    let mut table = Table::new([("address", Right), ("node", Left), ("capacity", Right), ("", Left)]);
    for (address, number, capacity) in found {
        let (name, of) = kind(number);
        table.row([address.to_string(), name.into(), capacity.to_string(), of.into()]);
    }
    table.print(out)?;
    Ok(Status::Done)
}
