//! `goshawk diag test`: runs the same script on the chip and on the host, and compares

use super::chip::ChipArgs;
use super::common::{untraced, PointDetection, ScriptArgs};
use super::soc::{self, SocArgs};
use super::traced::TraceRequest;
use crate::args::MachineArgs;
use crate::output::{count, facts, Object};
use crate::{Failure, Status};
use ::diag::app::App;
use ::diag::runtime::Output;
use ::diag::session::Totals;
use ::diag::sink::{Format, Sink};
use ::diag::symbols::Symbols;
use std::io::Write;

/// Run a script on the chip and on the host, and compare the outputs
///
/// The exit code is 1 if they differ. With --soc the circuits of the chip run with softcores in Verilator, and the host
/// uses the log of the cores' own retirement ports.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag test builtin:locks builtin:lockcont --harts 2\n  \
    goshawk diag test builtin:race builtin:bank --harts 4 --json\n  \
    goshawk diag test --processor builtin:locks builtin:lockcont --harts 2\n  \
    goshawk diag test builtin:locks builtin:lockcont --soc --harts 4\n  \
    goshawk diag test builtin:interrupts builtin:irq --soc --core ibex --harts 2 --max-cycles 1000000 --link 48000")]
pub struct Args {
    #[command(flatten)]
    pub(super) script: ScriptArgs,
    /// Include a trace of the cores over the same link; it also reports the points of the script that get no trigger
    #[arg(long, conflicts_with_all = ["processor", "damage"])]
    pub(super) trace: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) soc: SocArgs,
    #[command(flatten)]
    pub(super) chip: ChipArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if args.soc.soc {
        let opened =
            args.script.open_soc(&args.machine, &args.chip, args.soc.core(), PointDetection::of(args.trace))?;
        without_tick(&opened.app, args.script.name())?;
        let layout = opened.plan()?;
        let request = args.trace.then(|| TraceRequest::usual((opened.params.cores, 32, opened.align()))).transpose()?;
        let got = soc::observe(&opened, &layout, &args.soc, request.as_ref())?;
        let model = got.replayed(&opened)?;
        let (clock_hz, totals) = (opened.params.clock_hz, got.totals);
        return compare(&opened.input, &opened.symbols, clock_hz, (&model, &got.outputs), &totals, args.json, out);
    }
    let opened = args.script.open(&args.machine, &args.chip, PointDetection::of(args.trace))?;
    without_tick(&opened.app, args.script.name())?;
    let mut reference = opened.reference_of(&untraced(&opened.app))?;
    opened.report_to(&mut reference)?;
    opened.check_data(reference.has_data())?;
    reference.finish().map_err(Failure::Other)?;
    let layout = opened.plan()?.0.layout;
    let mut chip = if args.trace {
        let request = opened.usual_trace()?;
        let mut traced_chip = opened.on_traced_chip(&layout, &request)?;
        opened.run_to_end(&mut traced_chip, |traced_chip| &mut traced_chip.chip)?;
        opened.traced(traced_chip, &request, None)?.0
    } else {
        let mut chip = opened.on_chip(&layout)?;
        opened.run_to_end(&mut chip, |chip| chip)?;
        chip
    };
    let (model, totals) = (reference.runtime().take_outputs(), chip.totals());
    let found = chip.runtime().take_outputs();
    let clock_hz = opened.params.clock_hz;
    compare(&opened.input, &opened.symbols, clock_hz, (&model, &found), &totals, args.json, out)
}

/// Refuses a tick: its position among other events differs between chip and host.
fn without_tick(app: &App, script: &str) -> Result<(), Failure> {
    match app.tick {
        None => Ok(()),
        Some(_) => {
            let what =
                "which falls between other events on the chip than on the host; expected a script without `tick:`";
            Err(Failure::Other(format!("{script}: the script has a tick, {what}")))
        }
    }
}

/// Compares the outputs of host and chip.
pub(super) fn compare(
    input: &str,
    symbols: &Symbols,
    clock_hz: u64,
    (model, found): (&[Output], &[Output]),
    totals: &Totals,
    json: bool,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let lines = |outputs: &[Output]| -> Result<Vec<String>, Failure> {
        let mut text = Vec::new();
        let mut sink = Sink::new(&mut text, Format::Text, symbols, clock_hz)?;
        for o in outputs {
            sink.put(o)?;
        }
        Ok(String::from_utf8_lossy(&text).lines().map(str::to_string).collect())
    };
    let (model, found) = (lines(model)?, lines(found)?);
    let different = (0..model.len().max(found.len())).find(|n| model.get(*n) != found.get(*n));
    let at = |lines: &[String], n: usize| lines.get(n).cloned().unwrap_or_else(|| "nothing".into());
    if json {
        let difference =
            different.map(|n| serde_json::json!({ "line": n + 1, "chip": at(&found, n), "host": at(&model, n) }));
        Object::new("diag test", input)
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
