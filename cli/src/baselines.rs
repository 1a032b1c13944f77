//! `goshawk baselines`: bits per instruction of the published and the general compressors beside our own

use crate::output::{count, Left, Object, Right, Table};
use crate::source::{MachineArgs, Recording, Source};
use crate::{Failure, Status};
use programs::PROGRAMS;
use rayon::prelude::*;
use retire::image::learned::Learner;
use retire::image::Image;
use retire::stream;
use retire::{FlowEvent, RetireSink};
use serde_json::{json, Map, Value};
use sim::analysis::ratio;
use sim::baseline::etrace::{self, Options};
use sim::baseline::{self, Harts, Params};
use sim::golden::system::System;
use sim::params::{named_set, Coding, Scheme, TraceParams};
use sim::stream_cache::{StreamCacheParams, Variant};
use std::io::Write;
use std::path::Path;

/// Compare with other compressors of control flow: bits per instruction, each decoded and checked
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk baselines\n  goshawk baselines --harts 4\n  \
    goshawk baselines vm.ret gcc.rbt1.zst --json")]
pub struct Args {
    /// Retire files, branch traces, RISC-V executables, or builtin:NAME [default: all built-in programs]
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME")]
    inputs: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    /// Do not decode; only count bits
    #[arg(long)]
    no_check: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The schemes of this project in the same table.
fn own(harts: u8, xlen: u8, align: u8) -> Result<Vec<(&'static str, TraceParams)>, Failure> {
    let m4 = named_set("m4")?;
    let rbase = StreamCacheParams::new(Variant::Rbase, 32, 4);
    [
        ("nx_b", Scheme::NxB(Coding::TR_B)),
        ("nexs", Scheme::NexS),
        ("rbase 32x4", Scheme::ScLsp(rbase)),
        ("tr_e m4", Scheme::Tr(m4.tr_e)),
    ]
    .into_iter()
    .map(|(name, scheme)| {
        let params = TraceParams { scheme, cores: harts, xlen, align, ..TraceParams::tr(m4.predictor, m4.tr_e) };
        params.check()?;
        Ok((name, params))
    })
    .collect()
}

/// Everything that takes the run, in one pass.
struct All {
    own: Vec<System>,
    baselines: Vec<Harts>,
    events: Vec<FlowEvent>,
}

impl RetireSink for All {
    fn event(&mut self, e: &FlowEvent) {
        self.events.push(*e);
        for s in &mut self.own {
            s.event(e);
            s.drain();
        }
        self.baselines.iter_mut().for_each(|b| b.event(e));
    }
}

/// One row of the table.
pub struct Row {
    /// Input as it was given, or `all`.
    pub input: String,
    harts: u8,
    instructions: u64,
    streams: u64,
    /// By scheme; `None` where it is not of this input.
    bits: Vec<(String, Option<u64>)>,
}

impl Row {
    /// Bits that a scheme needs.
    pub fn bits(&self, scheme: &str) -> Option<u64> {
        self.bits.iter().find(|b| b.0 == scheme)?.1
    }

    /// Bits per instruction that a scheme needs, as `text` writes them.
    pub fn bpi(&self, scheme: &str, text: impl Fn(f64) -> String) -> String {
        self.bits(scheme).map_or("-".into(), |bits| text(ratio(bits, self.instructions)))
    }

    /// The row as JSON.
    pub fn object(&self) -> Value {
        let bits: Map<_, _> = self.bits.iter().map(|(n, b)| (n.clone(), json!(b))).collect();
        json!({
            "input": self.input, "harts": self.harts, "instructions": self.instructions, "streams": self.streams,
            "bits": bits,
        })
    }
}

/// The row of a built-in program on one hart, checked.
pub fn of_program(name: &str, max_instructions: Option<u64>) -> Result<Row, Failure> {
    let machine = MachineArgs { max_instructions, ..MachineArgs::default() };
    let args = Args { inputs: Vec::new(), machine, no_check: false, json: false };
    Ok(Row { input: name.into(), ..measure(&format!("builtin:{name}"), &args)? })
}

/// All rows in one.
pub fn total(rows: &[Row]) -> Row {
    let mut total = Row { input: "all".into(), harts: 0, instructions: 0, streams: 0, bits: Vec::new() };
    for row in rows {
        total.instructions += row.instructions;
        total.streams += row.streams;
        if total.bits.is_empty() {
            total.bits = row.bits.iter().map(|(n, _)| (n.clone(), Some(0))).collect();
        }
        total.bits.iter_mut().zip(&row.bits).for_each(|(t, b)| t.1 = t.1.zip(b.1).map(|(t, b)| t + b));
    }
    total
}

/// What decoders need of the program of a recording, and how many low address bits are always 0: RISC-V has
/// one, but recordings are of other machines too.
fn learn(path: &Path) -> Result<(Image, u8), Failure> {
    let mut recording = Recording::open(path)?;
    let (mut learner, mut addresses) = (Learner::new(), 0);
    while let Some(e) = recording.next_event()? {
        learner.event(&e);
        addresses |= e.pc | e.target;
    }
    let image = learner.finish().map_err(|e| Failure::Other(format!("{}: {e}", path.display())))?;
    Ok((image, u8::from(addresses & 1 == 0)))
}

/// Bits of E-Trace, decoded and compared.
fn etrace(
    events: &[FlowEvent],
    harts: u8,
    options: Options,
    xlen: u8,
    image: &Image,
    check: bool,
) -> Result<u64, String> {
    let encoded = etrace::encode(events, harts, options, xlen, image).map_err(|e| e.to_string())?;
    for (hart, e) in encoded.iter().enumerate().filter(|_| check) {
        let mut found: Vec<FlowEvent> = Vec::new();
        etrace::decode(e, options, xlen, hart as u8, image, &mut found).map_err(|e| e.to_string())?;
        if !etrace::same(&found, events.iter().filter(|e| usize::from(e.hart) == hart)) {
            return Err(format!("hart {hart}: what is decoded differs from what went in"));
        }
    }
    Ok(encoded.iter().map(|e| e.bits).sum())
}

/// What a scheme is called over its column, `None` where it is in the JSON object only.
fn heading(name: &str) -> Option<&str> {
    match name.parse::<Options>() {
        Ok(Options::BASE) | Err(_) => Some(name),
        Ok(Options::ALL_MODES) => Some("etrace, all modes"),
        Ok(_) => None,
    }
}

fn measure(input: &str, args: &Args) -> Result<Row, Failure> {
    let source = Source::open(input, &args.machine)?;
    let info = source.info();
    crate::args::check_cores(info.harts)?;
    let (harts, xlen) = (info.harts, info.xlen);
    let (image, align, has_code) = match &source {
        Source::Run(named, _) => (Image::new(&named.program), 1, true),
        Source::File(_) => {
            let (image, align) = learn(Path::new(input))?;
            (image, align, false)
        }
    };
    let names = own(harts, xlen, align)?;
    let baselines = Params::ALL.iter().map(|p| Harts::new(p, harts, xlen, align)).collect::<Result<_, _>>()?;
    let own = names.iter().map(|(_, p)| System::new(p)).collect::<Result<_, _>>()?;
    let mut all = All { own, baselines, events: Vec::new() };
    let told = source.tell(&mut all)?;
    let mut bits = Vec::new();
    for ((name, _), mut system) in names.into_iter().zip(all.own) {
        system.finish(told.cycles);
        bits.push((name.to_string(), Some(system.stats().bits)));
    }
    let streams = stream::streams(&all.events, harts);
    for (params, harts) in Params::ALL.iter().zip(all.baselines) {
        let encoded = harts.finish()?;
        if !args.no_check {
            for (hart, e) in encoded.iter().enumerate() {
                let lost = |why: String| Failure::Other(format!("{input}, hart {hart}, {params}: {why}"));
                let found = baseline::decode(e, params, xlen, align, &image).map_err(|e| lost(e.to_string()))?;
                if found != streams[hart] {
                    return Err(lost("what is decoded differs from what went in".into()));
                }
            }
        }
        bits.push((params.to_string(), Some(encoded.iter().map(|e| e.bits).sum())));
    }
    for options in Options::ALL {
        let etrace = has_code.then(|| etrace(&all.events, harts, options, xlen, &image, !args.no_check));
        let total = etrace.transpose().map_err(|why| Failure::Other(format!("{input}, {options}: {why}")))?;
        bits.push((options.to_string(), total));
    }
    let streams = streams.iter().map(|s| s.len() as u64).sum();
    Ok(Row { input: input.to_string(), harts, instructions: told.instructions, streams, bits })
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let inputs = if args.inputs.is_empty() {
        PROGRAMS.iter().map(|p| format!("builtin:{}", p.name)).collect()
    } else {
        args.inputs.clone()
    };
    let rows: Vec<Row> = inputs.par_iter().map(|i| measure(i, args)).collect::<Result<_, _>>()?;
    let total = total(&rows);
    if args.json {
        Object::new("baselines", &inputs.join(" "))
            .with("source", args.machine.describe().into())
            .with("checked", (!args.no_check).into())
            .with("runs", rows.iter().map(Row::object).collect::<Vec<_>>().into())
            .with("total", total.object())
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut columns = vec![("input", Left), ("instructions", Right), ("SL", Right)];
    columns.extend(total.bits.iter().filter_map(|b| heading(&b.0)).map(|name| (name, Right)));
    let mut table = Table::of(&columns);
    for row in rows.iter().chain(std::iter::once(&total)) {
        let shown = row.bits.iter().filter(|b| heading(&b.0).is_some());
        let bpi = shown.map(|(_, b)| b.map_or("-".into(), |b| format!("{:.4}", ratio(b, row.instructions))));
        let name = row.input.trim_start_matches("builtin:").to_string();
        let length = format!("{:.1}", ratio(row.instructions, row.streams));
        table.cells([name, count(row.instructions), length].into_iter().chain(bpi));
    }
    table.print(out)?;
    let checked = if args.no_check { "not decoded" } else { "decoded, and equal to what went in" };
    writeln!(out, "bits per instruction; {checked}")?;
    Ok(Status::Done)
}
