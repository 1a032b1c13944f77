//! `goshawk baselines`: bits per instruction of the published and the general compressors beside our own

use crate::output::{count, Left, Object, Right, Table};
use crate::source::{MachineArgs, Recording, Source};
use crate::{Failure, Status};
use rayon::prelude::*;
use serde_json::json;
use sim::analysis::ratio;
use sim::baseline::{self, Harts, Params};
use sim::golden::system::System;
use sim::params::{named_set, Coding, Scheme, TraceParams};
use sim::replay::from_events::Learner;
use sim::replay::image::Image;
use sim::retire::{FlowEvent, RetireSink};
use sim::stream;
use sim::stream_cache::{StreamCacheParams, Variant};
use std::io::Write;
use std::path::Path;
use testbenches::programs::PROGRAMS;

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
struct Row {
    input: String,
    harts: u8,
    instructions: u64,
    streams: u64,
    bits: Vec<(String, u64)>,
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

fn measure(input: &str, args: &Args) -> Result<Row, Failure> {
    let source = Source::open(input, &args.machine)?;
    let info = source.info();
    crate::args::check_cores(info.harts)?;
    let (harts, xlen) = (info.harts, info.xlen);
    let (image, align) = match &source {
        Source::Run(named, _) => (Image::new(&named.program), 1),
        Source::File(_) => learn(Path::new(input))?,
    };
    let names = own(harts, xlen, align)?;
    let baselines = Params::ALL.iter().map(|p| Harts::new(p, harts, xlen, align)).collect::<Result<_, _>>()?;
    let own = names.iter().map(|(_, p)| System::new(p)).collect::<Result<_, _>>()?;
    let mut all = All { own, baselines, events: Vec::new() };
    let told = source.tell(&mut all)?;
    let mut bits = Vec::new();
    for ((name, _), mut system) in names.into_iter().zip(all.own) {
        system.finish(told.cycles);
        bits.push((name.to_string(), system.stats().bits));
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
        bits.push((params.to_string(), encoded.iter().map(|e| e.bits).sum()));
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
    let mut total = Row { input: "all".into(), harts: 0, instructions: 0, streams: 0, bits: Vec::new() };
    for row in &rows {
        total.instructions += row.instructions;
        total.streams += row.streams;
        if total.bits.is_empty() {
            total.bits = row.bits.iter().map(|(n, _)| (n.clone(), 0)).collect();
        }
        total.bits.iter_mut().zip(&row.bits).for_each(|(t, b)| t.1 += b.1);
    }
    if args.json {
        let object = |r: &Row| {
            let bits: serde_json::Map<_, _> = r.bits.iter().map(|(n, b)| (n.clone(), json!(b))).collect();
            json!({
                "input": r.input, "harts": r.harts, "instructions": r.instructions, "streams": r.streams,
                "bits": bits,
            })
        };
        Object::new("baselines", &inputs.join(" "))
            .with("source", args.machine.describe().into())
            .with("checked", (!args.no_check).into())
            .with("runs", rows.iter().map(object).collect::<Vec<_>>().into())
            .with("total", object(&total))
            .print(out)?;
        return Ok(Status::Done);
    }
    let mut columns = vec![("input", Left), ("instructions", Right), ("SL", Right)];
    columns.extend(total.bits.iter().map(|b| (b.0.as_str(), Right)));
    let mut table = Table::of(&columns);
    for row in rows.iter().chain(std::iter::once(&total)) {
        let bpi = row.bits.iter().map(|(_, b)| format!("{:.4}", ratio(*b, row.instructions)));
        let name = row.input.trim_start_matches("builtin:").to_string();
        let length = format!("{:.1}", ratio(row.instructions, row.streams));
        table.cells([name, count(row.instructions), length].into_iter().chain(bpi));
    }
    table.print(out)?;
    let checked = if args.no_check { "not decoded" } else { "decoded, and equal to what went in" };
    writeln!(out, "bits per instruction; {checked}")?;
    Ok(Status::Done)
}
