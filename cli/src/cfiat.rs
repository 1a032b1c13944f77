//! `encode`, `replay` and `stats` for load values: the scheme `cfiat`

use crate::args::Source;
use crate::output::{big, count, facts, percent, plural, short_id, stream_parameters, Left, Object, Right, Table};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::check::{Check, Checked};
use host::values::{describe, record, DataCheck, Output, Session, Traced};
use retire::{DataEvent, FlowEvent, NullSink, RetireSink};
use serde_json::{json, Value};
use sim::analysis::ratio;
use sim::replay::ReplaySink;
use sim::scheme::cfiat::params::Sizes;
use sim::scheme::cfiat::stats::{total, CfiatStats, Hits, SIZES, SIZE_NAMES};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Hits and misses, all and by operand size.
pub fn by_size(hits: &[Hits; SIZES]) -> Value {
    let mut object = serde_json::Map::new();
    object.insert("total".into(), json!(total(hits)));
    for (name, h) in SIZE_NAMES.iter().zip(hits) {
        object.insert((*name).into(), json!(h));
    }
    object.into()
}

/// Adds the results of traced loads to a JSON object.
pub fn object(traced: &Traced, of: Object) -> Object {
    let s = &traced.stats;
    of.with("instructions", s.instructions.into())
        .with("cycles", traced.totals.cycles.into())
        .with("loads", s.all_loads().into())
        .with("records", s.records.into())
        .with("loads_outside_memory", s.outside.into())
        .with("devices_unknown", traced.devices_unknown.into())
        .with("csr_reads", s.csrs.into())
        .with("failed_sc", s.failed.into())
        .with("records_by_full_count", s.full.into())
        .with("cache_references", by_size(&s.references()))
        .with("cache_loads", by_size(&s.loads))
        .with("first_access_flags", by_size(&s.flags))
        .with("bits", s.bits.into())
        .with("turns", s.turns.into())
        .with("order_bits", s.order_bits.into())
        .with("bits_per_instruction", ratio(s.bits, s.instructions).into())
        .with("bits_per_load", ratio(s.bits, s.all_loads()).into())
}

/// Totals as text.
pub fn lines(traced: &Traced) -> Vec<(&'static str, String)> {
    let s = &traced.stats;
    let misses = |h: Hits| format!("{} of {}", percent(h.misses, h.all()), count(h.all()));
    let mut lines = vec![
        ("instructions", count(s.instructions)),
        ("loads", format!("{}, {} outside memory", count(s.all_loads()), count(s.outside))),
        ("cache misses", misses(total(&s.references()))),
        ("first-access misses", misses(total(&s.flags))),
        (
            "records",
            format!(
                "{}; {} CSR reads, {} failed sc, {} by a full count",
                count(s.records),
                count(s.csrs),
                count(s.failed),
                count(s.full)
            ),
        ),
        ("bits", format!("{}, header and padding included", count(s.bits))),
        ("per instruction", format!("{:.4} bits", ratio(s.bits, s.instructions))),
        ("per load", format!("{:.4} bits", ratio(s.bits, s.all_loads()))),
    ];
    if traced.devices_unknown {
        let what =
            "not in the recording: their loads count as memory and cannot be decoded; those of a program's run can";
        lines.push(("devices", what.into()));
    }
    if s.turns > 0 {
        lines.push(("order of the cores", format!("{} of these bits, {} turns", count(s.order_bits), count(s.turns))));
    }
    lines
}

/// Hit rates of cache and flags by operand size, as in figure 4.38.
pub fn table(s: &CfiatStats) -> Table {
    let mut t = Table::new([
        ("operands", Left),
        ("cache hits", Right),
        ("misses", Right),
        ("hit rate", Right),
        ("flag hits", Right),
        ("misses", Right),
        ("hit rate", Right),
    ]);
    let mut row = |name: &str, cache: Hits, flags: Hits| {
        let rate = |h: Hits| percent(h.hits, h.all());
        let [ch, cm, fh, fm] = [cache.hits, cache.misses, flags.hits, flags.misses].map(count);
        t.row([name.into(), ch, cm, rate(cache), fh, fm, rate(flags)]);
    };
    let references = s.references();
    row("total", total(&references), total(&s.flags));
    for (i, name) in SIZE_NAMES.iter().enumerate() {
        row(name, references[i], s.flags[i]);
    }
    t
}

/// Traces the loads of a run to `output`, and prints statistics.
///
/// # Errors
/// The run or the output failed.
pub fn encode(
    command: &str,
    source: &Source,
    sizes: Sizes,
    output: Output<'_>,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let run = source.run()?;
    let sizes = match output {
        // descriptors have counts of four bytes, which need no record when they are full
        Output::Descriptors(..) | Output::Disassembled(_) => Sizes { count_bits: 32, ..sizes },
        Output::Nothing | Output::Stream(_) => sizes,
    };
    let traced = record(&run, sizes, output, &Bars)?;
    let info = run.info();
    let path = match output {
        Output::Nothing => None,
        Output::Stream(path) | Output::Descriptors(path, _) | Output::Disassembled(path) => {
            Some(path.display().to_string())
        }
    };
    if as_json {
        let of = Object::new(command, &info.program)
            .with("build_id", info.build_id.into())
            .with("source", info.source.into())
            .with("parameters", stream_parameters(&traced.params));
        let object = object(&traced, of);
        match path {
            Some(path) => object.with("output", path.into()).print(out)?,
            None => object.print(out)?,
        }
        return Ok(Status::Done);
    }
    let mut facts_ = vec![
        ("run", format!("{}, build {}, {}", info.program, short_id(&info.build_id), plural(info.harts, "core"))),
        ("parameters", traced.params.canonical()),
    ];
    facts_.extend(lines(&traced));
    facts_.extend(path.map(|path| ("written", path)));
    facts(out, &facts_)?;
    if matches!(output, Output::Nothing) {
        writeln!(out)?;
        table(&traced.stats).print(out)?;
    }
    Ok(Status::Done)
}

/// Two checks: of events, and of data.
struct Checks(Check, DataCheck);

impl RetireSink for Checks {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        ReplaySink::event(&mut self.0, e);
    }

    fn data(&mut self, d: &DataEvent) {
        self.1.data(d);
    }
}

/// Lists registers, loads and stores.
struct Listing<'a> {
    out: &'a mut dyn Write,
    core: Option<u8>,
    left: u64,
    error: Option<std::io::Error>,
}

impl RetireSink for Listing<'_> {
    const WANTS_DATA: bool = true;

    fn event(&mut self, _: &FlowEvent) {}

    fn data(&mut self, d: &DataEvent) {
        if self.left == 0 || self.error.is_some() || self.core.is_some_and(|c| c != d.hart) {
            return;
        }
        self.left -= 1;
        self.error = writeln!(self.out, "{}  0x{:08x}  {}", d.hart, d.pc, describe(&d.kind)).err();
    }
}

/// Options of `replay --values`.
pub struct ReplayOptions<'a> {
    /// Control flow, values and program.
    pub session: Session,
    /// File of the control flow.
    pub trace: &'a Path,
    /// Recording to compare with.
    pub check: Option<&'a Path>,
    /// Whether to print only totals.
    pub summary: bool,
    /// Whether to print one JSON object.
    pub json: bool,
    /// Core whose data to list (`None`: all), and maximum number of lines.
    pub list: (Option<u8>, u64),
}

/// Executes the cores of a traced run again.
///
/// # Errors
/// A trace is damaged, or of another run.
pub fn replay(options: ReplayOptions<'_>, out: &mut dyn Write) -> Result<Status, Failure> {
    let (info, bits) = (options.session.info.clone(), options.session.bits);
    let build_id = options.session.named.build_id.clone();
    let start = Instant::now();
    let (mut checked, mut compared) = (None::<Checked>, 0);
    let replayed = if let Some(ret) = options.check {
        let check = Check::open_for(ret, info.params.cores, Some((&info.program, &info.build_id)))?;
        let mut checks = Checks(check, DataCheck::open(ret, info.params.cores)?);
        let replayed = options.session.run(&mut checks, &Bars, |c| c.1.is_over())?;
        let (data, wrong) = checks.1.finish(ret)?;
        compared = data;
        // if the data differ, replay was stopped before all events were compared
        checked = Some(match wrong {
            Some(wrong) => Checked { difference: Some(wrong), ..checks.0.found() },
            None => checks.0.finish()?,
        });
        replayed
    } else if options.summary || options.json {
        options.session.run(&mut NullSink, &Bars, |_| false)?
    } else {
        let (core, left) = options.list;
        let mut listing = Listing { out, core, left, error: None };
        options.session.run(&mut listing, &Bars, |l| l.left == 0 || l.error.is_some())?;
        return listing.error.map_or(Ok(Status::Done), |e| Err(e.into()));
    };
    let difference = checked.as_ref().and_then(|c| c.difference.clone());
    let (summary, cores) = replayed;
    let seconds = start.elapsed().as_secs_f64();
    let instructions: u64 = summary.instructions.iter().sum();
    let values: u64 = (0..info.params.cores).map(|c| cores.values(c)).sum();
    if options.json {
        let state = |core| json!({ "pc": format!("0x{:08x}", cores.pc(core)), "x": cores.registers(core).map(|x| format!("0x{x:08x}")) });
        Object::new("replay", &options.trace.display().to_string())
            .with("program", info.program.clone().into())
            .with("build_id", build_id.into())
            .with("parameters", stream_parameters(&info.params))
            .with("instructions", json!({ "total": instructions, "by_core": summary.instructions }))
            .with("flow_bits", summary.stats.bits.into())
            .with("value_bits", bits.into())
            .with("values", values.into())
            .with("registers", (0..info.params.cores).map(state).collect())
            .with("seconds", seconds.into())
            .with(
                "check",
                options.check.map_or(json!(null), |ret| {
                    json!({
                        "against": ret.display().to_string(),
                        "data": compared,
                        "equal": difference.is_none(),
                        "difference": difference,
                        "goes_on": checked.as_ref().is_some_and(|c| c.goes_on),
                    })
                }),
            )
            .print(out)?;
    } else if let Some(difference) = &difference {
        writeln!(out, "{difference}")?;
    } else {
        let of =
            format!("of {}, build {}, {}", info.program, short_id(&info.build_id), plural(info.params.cores, "core"));
        let mut lines = vec![("trace", of), ("values", info.params.canonical()), ("instructions", count(instructions))];
        if summary.instructions.len() > 1 {
            let each: Vec<String> = summary.instructions.iter().map(|n| count(*n)).collect();
            lines.push(("by core", each.join("  ")));
        }
        lines.push(("bits", format!("{} of control flow, {} of values", count(summary.stats.bits), count(bits))));
        lines.push(("values taken", count(values)));
        lines.push(("state", "every core went the way of the trace, and took the values of the run".into()));
        lines.push(("speed", format!("{} instructions per second", big(instructions as f64 / seconds))));
        lines.extend(options.check.zip(checked).map(|(ret, checked)| {
            let data = format!(", and {} data", count(compared));
            ("check", checked.equal(ret, &data))
        }));
        facts(out, &lines)?;
    }
    Ok(if difference.is_some() { Status::Different } else { Status::Done })
}
