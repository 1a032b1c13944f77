//! `encode`, `replay` and `stats` with the scheme `inputs`: records a run with all its inputs, and executes it again

use crate::args::Source;
use crate::output::{big, count, facts, plural, report_missing, short_id, stream_parameters, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::check::{Check, Checked};
use host::filter::Filter;
use host::inputs::{record, Session};
use host::listing::Listing;
use host::trace::LossSummary;
use retire::{FlowEvent, NullSink, RetireSink};
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::replay::ReplaySink;
use sim::scheme::inputs::model::{InputsStats, MessageCount};
use sim::scheme::inputs::params::Sizes;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Where a recording begins.
#[derive(clap::Args, Clone, Debug)]
pub struct SkipArgs {
    /// Number of instructions of all cores before the recording starts. Only with --scheme inputs:...+knownN [default:
    /// 0]
    #[arg(long, value_name = "INSTRUCTIONS")]
    skip: Option<u64>,
}

impl SkipArgs {
    /// Number of instructions before the recording.
    pub fn instructions(&self) -> u64 {
        self.skip.unwrap_or(0)
    }

    /// The option as it was typed, where it was.
    pub fn given(&self) -> Option<String> {
        self.skip.map(|n| format!("`--skip {n}`"))
    }

    /// Refuses it with another scheme.
    ///
    /// # Errors
    /// It was given.
    pub fn refuse(&self) -> Result<(), Failure> {
        match self.given() {
            None => Ok(()),
            Some(given) => Err(Failure::Other(format!(
                "{given}: only with `--scheme inputs:256+known4096`, which begins in the middle of a run"
            ))),
        }
    }
}

fn sent(s: &MessageCount) -> Value {
    json!({ "messages": s.messages, "bits": s.bits })
}

/// Statistics of a recorded run, one line each.
pub fn lines(s: &InputsStats) -> Vec<(&'static str, String)> {
    let line = |s: &MessageCount| format!("{} in {} bits", count(s.messages), count(s.bits));
    let mut lines = vec![
        ("episodes", format!("{}, {} ended by a full table", line(&s.episodes), count(s.full))),
        ("inputs", line(&s.inputs)),
        ("traps", line(&s.traps)),
        ("checks", line(&s.checks)),
        ("bits", format!("{}, header and padding included", count(s.bits))),
        ("per instruction", format!("{:.5} bits", ratio(s.bits, s.instructions))),
    ];
    if s.masters.messages > 0 {
        lines.insert(4, ("stores of bus masters", line(&s.masters)));
    }
    lines
}

/// Records a run, to `output` if given, and prints statistics.
///
/// # Errors
/// The run or the output failed.
pub fn encode(
    command: &str,
    source: &Source,
    (sizes, skip): (Sizes, u64),
    output: Option<&Path>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let run = source.run()?;
    let recorded = record(&run, sizes, skip, output, &Bars)?;
    let (info, stats) = (run.info(), &recorded.stats);
    if as_json {
        let object = Object::new(command, &info.program)
            .with("build_id", info.build_id.into())
            .with("source", info.source.into())
            .with("parameters", stream_parameters(&recorded.params))
            .with("skipped", skip.into())
            .with("instructions", stats.instructions.into())
            .with("cycles", recorded.totals.cycles.into())
            .with("messages", stats.messages().into())
            .with("episodes", sent(&stats.episodes))
            .with("episodes_by_full_table", stats.full.into())
            .with("inputs", sent(&stats.inputs))
            .with("traps", sent(&stats.traps))
            .with("checks", sent(&stats.checks))
            .with("stops", sent(&stats.stops))
            .with("masters", sent(&stats.masters))
            .with("bits", stats.bits.into())
            .with("bits_per_instruction", ratio(stats.bits, stats.instructions).into());
        match output {
            Some(path) => object.with("output", path.display().to_string().into()).print(out)?,
            None => object.print(out)?,
        }
        return Ok(Status::Done);
    }
    let mut facts_ = vec![
        ("run", format!("{}, build {}, {}", info.program, short_id(&info.build_id), plural(info.harts, "core"))),
        ("parameters", recorded.params.canonical()),
        ("instructions", count(stats.instructions)),
    ];
    if skip > 0 {
        facts_.push(("skipped", format!("{} before them", count(skip))));
    }
    facts_.extend(lines(stats));
    facts_.extend(crate::run::early_end(&run, &recorded.totals)?.map(|ended| ("ended", ended)));
    facts_.extend(output.map(|path| ("written", path.display().to_string())));
    facts(out, &facts_)?;
    Ok(Status::Done)
}

/// Passes the control flow of a replayed run to a sink for that of a trace.
struct Flow<'a, S>(&'a mut S);

impl<S: ReplaySink> RetireSink for Flow<'_, S> {
    fn event(&mut self, e: &FlowEvent) {
        self.0.event(e);
    }
}

/// Options of `replay`.
pub struct ReplayOptions<'a> {
    /// The recorded run.
    pub session: Session,
    /// Its file.
    pub path: &'a Path,
    /// Recording to compare with.
    pub check: Option<&'a Path>,
    /// Whether to print only totals.
    pub summary: bool,
    /// Whether to print one JSON object.
    pub json: bool,
    /// Filter for instructions to list, and maximum number.
    pub list: (Filter, u64),
    /// Symbols for the listing.
    pub symbols: host::contexts::ByContext<host::symbols::Symbols>,
}

/// Executes a recorded run again.
///
/// # Errors
/// The recording of `--check` is of another run, or a file cannot be read or written.
pub fn replay(options: ReplayOptions<'_>, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut session = options.session;
    let params = session.info.params;
    let start = Instant::now();
    let mut checked: Option<Checked> = None;
    let damage;
    if let Some(ret) = options.check {
        let mut check = Check::open_for(ret, params.cores, Some((&session.info.program, &session.info.build_id)))?;
        damage = session.run(&mut Flow(&mut check), &Bars, |_| false).err();
        // after damage, the rest of the run is missing anyway
        checked = Some(if damage.is_some() { check.found() } else { check.finish()? });
    } else if options.summary || options.json {
        damage = session.run(&mut NullSink, &Bars, |_| false).err();
    } else {
        let image = retire::image::Image::new(&session.named.program);
        let (filter, left) = options.list;
        let mut listing = Listing::new(image, params.cores, filter, left, out).with_symbols(options.symbols);
        let damage = session.run(&mut Flow(&mut listing), &Bars, |l| l.0.is_over()).err();
        listing.finish()?;
        out.flush()?;
        return Ok(report_missing(options.path, &LossSummary::default(), damage.as_ref()));
    }
    let seconds = start.elapsed().as_secs_f64();
    let difference = checked.as_ref().and_then(|c| c.difference.clone());
    let replay = session.at();
    let by_core: Vec<u64> = (0..params.cores).map(|c| replay.retired(c)).collect();
    let instructions: u64 = by_core.iter().sum();
    if options.json {
        Object::new("replay", &options.path.display().to_string())
            .with("program", session.named.name.clone().into())
            .with("build_id", session.info.build_id.clone().into())
            .with("parameters", stream_parameters(&params))
            .with("instructions", json!({ "total": instructions, "by_core": by_core }))
            .with("messages", replay.messages().into())
            .with("bits", replay.bits().into())
            .with("bits_per_instruction", ratio(replay.bits(), instructions).into())
            .with("seconds", seconds.into())
            .with("instructions_per_second", (instructions as f64 / seconds).into())
            .with("damage", damage.as_ref().map(ToString::to_string).into())
            .with(
                "check",
                options.check.map_or(json!(null), |ret| {
                    json!({
                        "against": ret.display().to_string(), "equal": difference.is_none(), "difference": difference,
                        "goes_on": checked.as_ref().is_some_and(|c| c.goes_on),
                    })
                }),
            )
            .print(out)?;
    } else if let Some(difference) = &difference {
        writeln!(out, "{difference}")?;
    } else {
        let of = format!(
            "of {}, build {}, {}",
            session.info.program,
            short_id(&session.info.build_id),
            plural(params.cores, "core")
        );
        let mut lines =
            vec![("recording", of), ("parameters", params.canonical()), ("instructions", count(instructions))];
        if by_core.len() > 1 {
            lines.push(("by core", by_core.iter().map(|n| count(*n)).collect::<Vec<_>>().join("  ")));
        }
        lines.push(("messages", count(replay.messages())));
        lines.push(("bits", count(replay.bits())));
        if damage.is_none() {
            lines.push(("state", "all registers, loads and stores match".into()));
        }
        lines.push(("speed", format!("{} instructions per second", big(instructions as f64 / seconds))));
        let extent = if damage.is_some() { ", up to the damage" } else { "" };
        lines.extend(options.check.zip(checked).map(|(ret, checked)| ("check", checked.equal(ret, extent))));
        facts(out, &lines)?;
    }
    out.flush()?;
    let status = report_missing(options.path, &LossSummary::default(), damage.as_ref());
    Ok(if difference.is_some() { Status::Different } else { status })
}
