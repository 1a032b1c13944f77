//! `goshawk diag test`: the same script on the chip and on the host, compared

use super::common::{ChipArgs, ScriptArgs};
use crate::args::MachineArgs;
use crate::output::{count, facts, Object};
use crate::{Failure, Status};
use ::diag::runtime::Output;
use ::diag::sink::{Format, Sink};
use std::io::Write;

/// Run a script on the chip and on the host and compare what both print; 1 is the exit code when they differ
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag test builtin:locks builtin:lockcont --harts 2\n  \
    goshawk diag test builtin:race builtin:bank --harts 4 --json")]
pub struct Args {
    #[command(flatten)]
    script: ScriptArgs,
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
    let opened = args.script.open(&args.machine, &args.chip)?;
    if opened.app.tick.is_some() {
        let what = "has a tick, which stands between other events on the chip than on the host; scripts without one are compared";
        return Err(Failure::Other(format!("{}: the script {what}", opened.input)));
    }
    let mut reference = opened.reference()?;
    opened.tell(&mut reference)?;
    opened.check_data(reference.has_data())?;
    reference.finish().map_err(Failure::Other)?;
    let layout = opened.plan(false)?.0.layout;
    let mut chip = opened.on_chip(&layout)?;
    opened.tell(&mut chip)?;
    chip.finish().map_err(Failure::Other)?;
    let (model, totals) = (reference.runtime().take_outputs(), chip.totals());
    let found = chip.runtime().take_outputs();
    let lines = |outputs: &[Output]| -> Result<Vec<String>, Failure> {
        let mut text = Vec::new();
        let mut sink = Sink::new(&mut text, Format::Text, &opened.symbols, opened.params.clock_hz)?;
        for o in outputs {
            sink.put(o)?;
        }
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_string).collect())
    };
    let (model, found) = (lines(&model)?, lines(&found)?);
    let different = (0..model.len().max(found.len())).find(|n| model.get(*n) != found.get(*n));
    let at = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_else(|| "nothing".into());
    if args.json {
        let difference =
            different.map(|n| serde_json::json!({ "line": n + 1, "chip": at(&found, n), "host": at(&model, n) }));
        Object::new("diag test", &opened.input)
            .with("equal", different.is_none().into())
            .with("difference", difference.into())
            .with("lines", model.len().into())
            .with("events", totals.events.into())
            .with("lost", totals.lost().into())
            .print(out)?;
    } else {
        let result = match different {
            None => format!("equal, {} lines", model.len()),
            Some(n) => format!("line {}: chip `{}`, host `{}`", n + 1, at(&found, n), at(&model, n)),
        };
        facts(out, &[("chip and host", result), ("events", count(totals.events)), ("lost", count(totals.lost()))])?;
    }
    Ok(if different.is_some() { Status::Different } else { Status::Done })
}
