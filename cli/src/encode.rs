//! `goshawk encode`: a run to a trace file, by the golden model

use crate::args::{check_cores, ParamArgs};
use crate::output::{count, facts, percent, plural, short_id, Object, TOOL};
use crate::source::{MachineArgs, Source, Told};
use crate::{Failure, Status};
use retire::file::retire::RetireInfo;
use retire::file::FileError;
use retire::{FlowEvent, RetireSink};
use serde_json::json;
use sim::analysis::ratio;
use sim::file::{TraceInfo, TraceWriter};
use sim::golden::core::Rates;
use sim::golden::system::System;
use sim::params::TraceParams;
use sim::stream_cache::Counts;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Trace a run with the golden model and write the trace file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk encode vm.ret -o vm.gtr\n  \
    goshawk encode builtin:fft --harts 8 --set large --timestamps -o fft.gtr\n  \
    goshawk encode vm.ret --set 512/8/32 --encoding 'tr(bcnt=4,2;diffta=5,4)' -o vm.gtr")]
pub struct Args {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME")]
    input: String,
    /// Trace file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Sends the words of a golden model to a file as they come; keeps the first error.
struct ToFile {
    system: System,
    writer: TraceWriter,
    error: Option<FileError>,
    events: u32,
    /// All targets, or-ed: bits that the stream drops must be 0.
    targets: u64,
}

impl ToFile {
    fn drain(&mut self) {
        let words = self.system.drain();
        if self.error.is_none() {
            self.error = self.writer.write(words).err();
        }
    }
}

impl RetireSink for ToFile {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.system.event(event);
        self.targets |= event.target;
        self.events = self.events.wrapping_add(1);
        if self.events % 4096 == 0 {
            self.drain();
        }
    }
}

/// What tracing a run gave.
pub struct Encoded {
    /// The model at the end.
    pub system: System,
    /// The run.
    pub told: Told,
}

/// Traces `source` into the file at `path`.
pub fn to_file(source: Source, info: &TraceInfo, path: &Path) -> Result<Encoded, Failure> {
    let system = System::new(&info.params)?;
    let mut sink = ToFile { system, writer: TraceWriter::create(path, info)?, error: None, events: 0, targets: 0 };
    let told = source.tell(&mut sink)?;
    sink.system.finish(told.cycles);
    sink.drain();
    let (align, zeros) = (info.params.align, sink.targets.trailing_zeros());
    if zeros < align.into() {
        return Err(Failure::Other(format!(
            "{}: has branch targets of which only {zeros} low bits are 0; --align {align} drops {align}, --align {zeros} \
             would be right",
            info.program
        )));
    }
    let width = 64 - sink.targets.leading_zeros();
    if width > info.params.xlen.into() {
        return Err(Failure::Other(format!(
            "{}: has branch targets of {width} bits, but its addresses have {}",
            info.program, info.params.xlen
        )));
    }
    if let Some(e) = sink.error {
        return Err(e.into());
    }
    sink.writer.finish()?;
    Ok(Encoded { system: sink.system, told })
}

/// What a trace file of this run says.
pub fn trace_info(run: &RetireInfo, params: &TraceParams, set: Option<String>) -> TraceInfo {
    TraceInfo { tool: TOOL.into(), params: *params, set, build_id: run.build_id.clone(), program: run.program.clone() }
}

/// Sum over all cores.
pub fn sum(rates: &[Rates]) -> Rates {
    rates.iter().fold(Rates::default(), |mut t, r| {
        t += *r;
        t
    })
}

/// Sum over all cores.
pub fn sum_streams(counts: &[Counts]) -> Counts {
    counts.iter().fold(Counts::default(), |mut t, c| {
        t += *c;
        t
    })
}

/// What became of the streams, for people.
pub fn stream_lines(c: &Counts) -> [(&'static str, String); 3] {
    let of = |n| format!("{} of {}", percent(n, c.streams), count(c.streams));
    [("cache hits", of(c.cache_hits)), ("streams predicted", of(c.predicted)), ("long streams", count(c.long))]
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = Source::open(&args.input, &args.machine)?;
    let run = source.info();
    check_cores(run.harts)?;
    let (params, set) = args.params.resolve(run.harts, run.xlen)?;
    let encoded = to_file(source, &trace_info(&run, &params, set.clone()), &args.output)?;
    let (stats, told) = (encoded.system.stats(), &encoded.told);
    let rates = sum(&encoded.system.rates());
    let nexus = !matches!(params.scheme, sim::params::Scheme::Tr(_));
    let streams = sum_streams(&encoded.system.streams());
    if args.json {
        let object = Object::new("encode", &args.input)
            .with("build_id", run.build_id.into())
            .with("source", run.source.into())
            .with_params(&params, set.as_deref())
            .with("instructions", told.instructions.into())
            .with("cycles", told.cycles.into())
            .with("messages", stats.messages().into())
            .with("bits", stats.bits.into())
            .with("bits_per_instruction", ratio(stats.bits, told.instructions).into())
            .with("bits_per_cycle", ratio(stats.bits, told.cycles).into())
            .with("rates", json!(rates))
            .with("output", args.output.display().to_string().into());
        match params.stream_cache() {
            Some(_) => object.with("streams", json!(streams)).print(out)?,
            None => object.print(out)?,
        }
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("run", format!("{}, build {}, {}", run.program, short_id(&run.build_id), plural(run.harts, "core"))),
        ("parameters", params.canonical()),
        ("instructions", count(told.instructions)),
        ("messages", count(stats.messages())),
        ("bits", format!("{}, header and padding included", count(stats.bits))),
        ("per instruction", format!("{:.4} bits", ratio(stats.bits, told.instructions))),
        ("per cycle", format!("{:.4} bits", ratio(stats.bits, told.cycles))),
    ];
    if params.stream_cache().is_some() {
        lines.extend(stream_lines(&streams));
    } else if !nexus {
        let of = |a, b| format!("{} of {}", percent(a, b), count(b));
        lines.push(("outcomes missed", of(rates.outcome_misses, rates.conditionals)));
        lines.push(("targets missed", of(rates.target_misses, rates.indirects)));
    }
    lines.push(("written", args.output.display().to_string()));
    facts(out, &lines)?;
    Ok(Status::Done)
}
