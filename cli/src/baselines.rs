//! `goshawk baselines`: compares bits per instruction of published and general-purpose compressors with the project's
//! own schemes

use crate::args::{check_cores, MachineArgs};
use crate::files::input_name;
use crate::measured::measure;
use crate::output::{count, Left, Object, Right, Table};
use crate::{Failure, Status};
use ::sweep::tables::baselines::{heading, rows, Row};
use ::sweep::tables::{plan, BASELINES};
use sim::analysis::ratio;
use std::io::Write;

/// Compare T-raptor with other compressors of control flow, in bits per instruction
///
/// Every stream is decoded and compared with its input, unless --no-verify is given.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk baselines\n  goshawk baselines --harts 4\n  \
    goshawk baselines vm.ret gcc.rbt1.zst --json\n  goshawk baselines vm.ret --elf builtin:vm")]
pub struct Args {
    /// Retire files, branch traces (rbt1), RISC-V executables, or builtin:NAME [default: all built-in programs]
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME", value_parser = input_name())]
    inputs: Vec<String>,
    /// Program of the recordings with its build ID, which E-Trace needs. May be repeated
    #[arg(long, value_name = "ELF|builtin:NAME", value_parser = input_name())]
    elf: Vec<String>,
    /// Accept a program with another build ID than the trace or recording names. The one program is used for all
    /// recordings
    #[arg(long, requires = "elf")]
    any_build: bool,
    /// Skip decoding of the streams: faster, but unverified
    #[arg(long = "no-verify", alias = "no-check")]
    no_check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let harts = args.machine.harts.unwrap_or(1);
    check_cores(harts)?;
    let settings = args.machine.settings();
    let mut plan = plan(BASELINES, &args.inputs, settings.max_instructions)?;
    args.machine.refuse_for_recordings(plan.part.iter().chain([&plan]).flat_map(|p| &p.traces))?;
    plan.each(|p| {
        (p.settings, p.harts, p.verify) = (settings.clone(), vec![harts], !args.no_check);
        (p.elfs, p.any_build) = (args.elf.clone(), args.any_build);
    });
    let (measured, left_out) = measure("baselines", &plan)?;
    let rows = rows(&plan, &measured, &left_out)?;
    let Some((total, each)) = rows.split_last() else { return Ok(Status::Done) };
    if args.json {
        Object::new("baselines", &plan.traces.join(" "))
            .with("source", settings.describe().into())
            .with("checked", (!args.no_check).into())
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
    let checked = if args.no_check { "not decoded" } else { "decoded, and equal to what went in" };
    writeln!(out, "bits per instruction; {checked}")?;
    Ok(Status::Done)
}
