//! `goshawk diag plan`: what of a script runs where, and why

use super::common::{ChipArgs, ScriptArgs};
use crate::args::MachineArgs;
use crate::output::{Left, Object, Table};
use crate::{Failure, Status};
use serde_json::json;
use std::io::Write;

/// Tell which part of a script runs on the chip and which on the host, why, and the bandwidth to expect
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag plan builtin:locks builtin:lockcont\n  \
    goshawk diag plan -e 'call:cut /core == 1/ { @ = count(); }' builtin:lockcont --json")]
pub struct Args {
    #[command(flatten)]
    script: ScriptArgs,
    /// Run the program once, to know how often things happen; else 1000 events a second a probe are assumed
    #[arg(long)]
    calibrate: bool,
    #[command(flatten)]
    chip: ChipArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    args.script.processor.refuse("plan")?;
    let opened = args.script.open(&args.machine, &args.chip)?;
    let (plan, rates) = opened.plan(args.calibrate)?;
    let kbit = |bits: f64| format!("{:.2} kbit/s", bits / 1000.0);
    if args.json {
        let reason = |r: &::diag::plan::Reason| json!({ "part": r.what, "place": r.place, "why": r.why });
        Object::new("diag plan", &opened.input)
            .with("parts", plan.reasons.iter().map(reason).collect())
            .with("bits_per_second", plan.bits.into())
            .with("bits_per_second_on_host", plan.host_bits.into())
            .with("rates", if rates.measured { "measured" } else { "assumed" }.into())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut table = Table::new([("part", Left), ("where", Left), ("why", Left)]);
    for r in &plan.reasons {
        table.row([r.what.clone(), r.place.clone(), r.why.clone()]);
    }
    table.print(out)?;
    let how = if rates.measured { "measured" } else { "assumed; --calibrate measures" };
    writeln!(
        out,
        "\nexpected over the link: {}; with all of it on the host: {} (event rates {how})",
        kbit(plan.bits),
        kbit(plan.host_bits)
    )?;
    Ok(Status::Done)
}
