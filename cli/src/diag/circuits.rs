//! `goshawk diag run --soc`: runs a script on the chip's circuits, with softcores in Verilator

use super::common::PointDetection;
use super::run::{kbit, rate_values, rates, status, whole, write, RunArgs};
use super::soc::{flow, names, observe, Damage};
use super::traced::{self, Traced};
use crate::output::{count, facts};
use crate::{Failure, Status};
use ::diag::sink::loss_object;
use serde_json::json;
use std::io::Write;

/// Runs a script on the circuits.
pub fn run(args: &RunArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    let opened = args.script.open_soc(
        &args.machine,
        &args.chip,
        args.soc.core(),
        PointDetection::of(args.trace.is_given() && !args.trace.has_window()),
    )?;
    let layout = if args.on_host { opened.host_layout()? } else { opened.plan()? };
    let mut request = args.trace.request((opened.params.cores, 32, opened.align()))?;
    if let Some(request) = &mut request {
        request.window = args.trace.window(&opened.symbols)?;
    }
    let got = observe(&opened, &layout, &args.soc, request.as_ref())?;
    if let (Some(request), Some(traced)) = (&request, &got.traced) {
        let flow = flow(&got.run, &opened)?;
        let of = traced::Observed { program: &opened.program, names: names(&opened), flow: &flow };
        args.trace.write(request, &of, traced.words())?;
    }
    let status = match got.traced.as_ref().map_or(Status::Done, Traced::status) {
        Status::Done => status(&got.outputs, got.totals.lost()),
        other => other,
    };
    let (t, clock_hz) = (&got.totals, opened.params.clock_hz);
    if args.json {
        let rates = args.rates.then(|| rate_values(clock_hz, t, t.event_bytes));
        let mut whole = whole(&opened.input, &opened.symbols, &got.outputs, t.lost(), rates)
            .with("losses", got.losses.iter().map(loss_object).collect());
        if let Some(traced) = &got.traced {
            whole = whole.with("trace", traced.value());
        }
        if let Some(d) = &got.damage {
            let Damage { bytes: (bytes, hit), lost, repeated } = *d;
            let line = json!({ "bytes": bytes, "damaged": hit, "frames_lost": lost, "frames_repeated": repeated });
            whole = whole.with("line", line);
        }
        let whole = whole.with("core", opened.core.name().into()).with("cores", opened.params.cores.into());
        whole.with("exited", got.run.exited.into()).print(out)?;
        return Ok(status);
    }
    write(&opened.symbols, clock_hz, &got.outputs, (t.lost(), &got.losses), args.format, args.output.as_ref(), out)?;
    if args.rates {
        let mut lines = rates(clock_hz, t, t.event_bytes, "as the chip reported");
        let end = if got.run.exited { "the program ended" } else { "stopped by --max-cycles" };
        let cores = count(opened.params.cores.into());
        lines.push(("cores", format!("{cores} {} in Verilator, {end}", opened.core.name())));
        facts(out, &lines)?;
    }
    if let Some(Damage { bytes: (bytes, hit), lost, repeated }) = got.damage {
        let line_text = format!(
            "{} of {} bytes damaged; {} frames of the chip lost, {} of the host repeated",
            count(hit),
            count(bytes),
            count(lost),
            count(repeated)
        );
        facts(out, &[("line", line_text)])?;
    }
    if let Some(traced) = &got.traced {
        facts(out, &traced.facts(|bytes| kbit(t, bytes, clock_hz)))?;
    }
    Ok(status)
}
