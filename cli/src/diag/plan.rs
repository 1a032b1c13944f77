//! `goshawk diag plan`: shows which parts of a script run on the chip and which on the host, and why

use super::chip::ChipArgs;
use super::common::{PointDetection, ScriptArgs};
use crate::args::MachineArgs;
use crate::output::{plural, Left, Object, Right, Table};
use crate::{Failure, Status};
use ::diag::app::App;
use ::diag::order;
use ::diag::plan::{cuts, event_rates, plan, CutRate, Plan, Rates, Reason};
use serde_json::json;
use sim::diag::chip::ChipParams;
use sim::diag::crossing::LATE;
use std::io::Write;

/// Show which part of a script runs on the chip and which on the host, why, and the expected bandwidth
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk diag plan builtin:locks builtin:lockcont\n  \
    goshawk diag plan builtin:race builtin:bank --harts 4 --calibrate --cuts\n  \
    goshawk diag plan --processor builtin:race builtin:bank --harts 4 --calibrate\n  \
    goshawk diag plan builtin:rate builtin:lockcont --harts 4 --trace --calibrate\n  \
    goshawk diag plan -e 'call:cut /core == 1/ { @ = count(); }' builtin:lockcont --json")]
pub struct Args {
    #[command(flatten)]
    pub(super) script: ScriptArgs,
    /// Run the program once to measure the event rates; otherwise 1000 events per second and probe are assumed
    #[arg(long)]
    pub(super) calibrate: bool,
    /// Also show the expected bandwidth of every partition that fits the chip, lowest first
    #[arg(long)]
    cuts: bool,
    /// Include a trace of the cores over the same link; it also reports the points of the script that get no trigger
    #[arg(long, conflicts_with = "processor")]
    trace: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    pub(super) chip: ChipArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let unused = MachineArgs { harts: None, ..args.machine.clone() };
    if let Some(option) = unused.given().filter(|_| !args.calibrate) {
        return Err(Failure::Other(format!("`{option}`: only with `--calibrate`, which runs the program")));
    }
    let mut opened = args.script.open(&args.machine, &args.chip, PointDetection::of(args.trace))?;
    let (plan, rates) = if args.calibrate {
        let request = args.trace.then(|| opened.usual_trace()).transpose()?;
        opened.calibrate(request.map(|w| w.params).as_ref())?
    } else {
        opened.plan()?
    };
    let cuts = if args.cuts { cuts(&opened.app, &opened.params, &rates) } else { Vec::new() };
    let notes = notes(&opened.app, &plan, &opened.params, &rates);
    let bits = (plan.bits, plan.host_bits, rates.trace);
    print(args, &opened.input, (&plan.reasons, &notes), bits, &cuts, rates.measured, out)
}

/// How the order of events is assured, and what the link cannot carry.
fn notes(app: &App, plan: &Plan, params: &ChipParams, rates: &Rates) -> Vec<String> {
    let mut notes = Vec::new();
    if app.order.window > 0 {
        notes.push(format!(
            "order: the host holds back up to {} events to sort them by time: each of {} clients of the ring may send {} \
             before one of {} that wait in a generator",
            app.order.window,
            order::clients(params),
            order::turns(app),
            app.order.depth
        ));
        if app.order.clocked > 0 {
            let cores = plural(app.order.clocked, "core");
            notes.push(format!(
                "order: {cores} with other clocks: where an event of theirs is less than {} clocks from one of another core, \
                 results that depend on the order of both are marked",
                LATE + 1
            ));
        }
    }
    if !order::unassured(app, &plan.layout.cut).is_empty() {
        notes.push("order: results of parts on the chip depend on the ring's order, and are marked".into());
    }
    notes.extend(overload(params, plan.bits).map(|warning| {
        let largest = event_rates(app, &plan.layout, rates);
        let largest: Vec<String> =
            largest.iter().take(3).map(|(name, bits)| format!("{name} {}", kbit(*bits))).collect();
        let most = match &largest[..] {
            [] => String::new(),
            _ => format!("; events on their way to the host: {}", largest.join(", ")),
        };
        format!("{warning}{most}; {}", remedy(app, plan, params, rates))
    }));
    notes
}

/// A rate as text.
fn kbit(bits: f64) -> String {
    format!("{:.2} kbit/s", bits / 1000.0)
}

/// A warning if the link cannot carry the expected rate.
pub(super) fn overload(params: &ChipParams, bits: f64) -> Option<String> {
    let link = params.link_bits as f64;
    let (carries, expected) = (kbit(link), kbit(bits));
    let then = if params.generator.stalls { "the cores will be held" } else { "events will be lost" };
    (bits > link).then(|| format!("warning: the link carries {carries}, less than the expected {expected}: {then}"))
}

/// What sends less than a plan: parts that --unordered would move to the chip, or another script.
fn remedy(app: &App, found: &Plan, params: &ChipParams, rates: &Rates) -> String {
    let mut app = app.clone();
    app.order.on_chip = true;
    order::require(&mut app, params);
    if let Some(other) = plan(&app, params, rates).ok().filter(|other| other.bits < found.bits) {
        let on_chip = |p: &Plan, what: &str| p.reasons.iter().any(|r| r.what == what && r.place.starts_with("chip"));
        let moves = other.reasons.iter().map(|r| r.what.as_str());
        let moves: Vec<&str> = moves.filter(|w| on_chip(&other, w) && !on_chip(found, w)).collect();
        return format!("with --unordered {} on the chip: {}", moves.join(", "), kbit(other.bits));
    }
    "a predicate, or a table in place of a text, would send less".into()
}

/// Prints a plan. The link rates are those of the plan, of everything on the host, and of a trace, which both include.
pub(super) fn print(
    args: &Args,
    input: &str,
    (reasons, notes): (&[Reason], &[String]),
    (bits, host_bits, trace): (f64, f64, f64),
    cuts: &[CutRate],
    measured: bool,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let cuts = if args.cuts { cuts } else { &[] };
    if args.json {
        let reason = |r: &Reason| json!({ "part": r.what, "place": r.place, "why": r.why });
        let mut object = Object::new("diag plan", input)
            .with("parts", reasons.iter().map(reason).collect())
            .with("bits_per_second", bits.into())
            .with("bits_per_second_on_host", host_bits.into())
            .with("trace_bits_per_second", trace.into())
            .with("notes", notes.into())
            .with("rates", if measured { "measured" } else { "assumed" }.into());
        if args.cuts {
            let cut = |c: &CutRate| json!({ "on_chip": c.on_chip, "bits_per_second": c.bits });
            object = object.with("cuts", cuts.iter().map(cut).collect());
        }
        object.print(out)?;
        return Ok(Status::Done);
    }
    let mut table = Table::new([("part", Left), ("where", Left), ("why", Left)]);
    for r in reasons {
        table.row([r.what.clone(), r.place.clone(), r.why.clone()]);
    }
    table.print(out)?;
    if args.cuts {
        writeln!(out)?;
        let mut table = Table::new([("kbit/s", Right), ("of the host's", Right), ("on the chip", Left)]);
        for c in cuts {
            let on_chip = if c.on_chip.is_empty() { "triggers only".into() } else { c.on_chip.join(", ") };
            let of = format!("{:.2} %", 100.0 * c.bits / host_bits.max(f64::MIN_POSITIVE));
            table.row([format!("{:.2}", c.bits / 1000.0), of, on_chip]);
        }
        table.print(out)?;
    }
    let how = if measured { "measured" } else { "assumed; --calibrate measures" };
    let of = if trace > 0.0 { format!(", {} of both is the trace", kbit(trace)) } else { String::new() };
    writeln!(
        out,
        "\nexpected over the link: {}; with all of it on the host: {}{of} (event rates {how})",
        kbit(bits),
        kbit(host_bits)
    )?;
    for note in notes {
        writeln!(out, "{note}")?;
    }
    Ok(Status::Done)
}
