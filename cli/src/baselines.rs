//! `goshawk baselines`: compares bits per instruction of published and general-purpose compressors with the project's
//! own schemes

use crate::measured::{measure, TraceArgs};
use crate::output::{count, Left, Object, Right, Table};
use crate::{Failure, Status};
use ::sweep::tables::baselines::{heading, rows, Row};
use ::sweep::tables::BASELINES;
use sim::analysis::ratio;
use std::io::Write;

/// Compare T-raptor with other compressors of control flow, in bits per instruction
///
/// Every stream is decoded and compared with its input, unless --no-verify is given.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk baselines\n  goshawk baselines --harts 4\n  \
    goshawk baselines vm.ret gcc.rbt1.zst --json\n  goshawk baselines vm.ret --elf builtin:vm")]
pub struct Args {
    #[command(flatten)]
    traces: TraceArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let plan = args.traces.plan(BASELINES, None)?;
    let (measured, left_out) = measure("baselines", &plan)?;
    let rows = rows(&plan, &measured, &left_out)?;
    let Some((total, each)) = rows.split_last() else { return Ok(Status::Done) };
    if args.json {
        Object::new("baselines", &plan.traces.join(" "))
            .with("source", plan.settings.describe().into())
            .with("checked", (!args.traces.no_check).into())
            .with("runs", each.iter().map(Row::object).collect::<Vec<_>>().into())
            .with("total", total.object())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut columns = vec![("input", Left), ("instructions", Right), ("SL", Right)];
    columns.extend(total.bits.iter().filter_map(|b| heading(&b.0)).map(|name| (name, Right)));
    let mut table = Table::of(&columns);
    for row in &rows {
        let bpi = row.bpi().filter(|b| heading(b.0).is_some()).map(|b| b.1);
        let name = row.input.trim_start_matches("builtin:").to_string();
        let length = format!("{:.1}", ratio(row.instructions, row.streams));
        table.cells([name, count(row.instructions), length].into_iter().chain(bpi));
    }
    table.print(out)?;
    let checked = if args.traces.no_check { "not decoded" } else { "decoded, and equal to what went in" };
    writeln!(out, "bits per instruction; {checked}")?;
    Ok(Status::Done)
}
