//! `goshawk encode`: a run to a trace file, by the golden model

use crate::args::{check_cores, MachineArgs, ParamArgs, ProgramArgs, Source, SyncArgs};
use crate::files::OutputPath;
use crate::output::{count, facts, percent, plural, short_id, stream_lines, sum, sum_streams, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::encode::{to_file, Request};
use serde_json::json;
use sim::analysis::ratio;
use std::io::Write;

/// Trace a run with the golden model and write the trace file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk encode vm.ret -o vm.gtr\n  \
    goshawk encode builtin:fft --harts 8 --set large --timestamps -o fft.gtr\n  \
    goshawk encode builtin:vm --sync-period 14 -o vm.gtr\n  \
    goshawk encode builtin:bank --harts 4 --scheme inputs -o bank.gip\n  \
    goshawk encode vm.ret --set 512/8/32 --encoding 'tr(bcnt=4,2;diffta=5,4)' -o vm.gtr")]
pub struct Args {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME")]
    input: String,
    /// Trace file to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    sync: SyncArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let source = Source::open(&args.input, &args.program, &args.machine)?;
    if let Some(sizes) = crate::inputs::sizes(&args.params, &args.sync)? {
        return crate::inputs::encode("encode", &source, sizes, Some(&args.output), args.json, out);
    }
    let run = source.run()?;
    let has_cycles = run.has_cycles();
    let info = run.info();
    check_cores(info.harts)?;
    let (params, set) = args.params.resolve_for(info.harts, info.xlen, source.input.likely_align()?)?;
    let request = Request {
        params,
        set: set.clone(),
        fixed_align: args.params.align.is_some(),
        sync_period: args.sync.sync_period,
    };
    let encoded = to_file(&run, &request, &args.output, &Bars)?;
    let (run, params) = (info, encoded.params);
    let (stats, told) = (encoded.system.stats(), &encoded.told);
    let rates = sum(&encoded.system.rates());
    let streams = sum_streams(&encoded.system.streams());
    if args.json {
        let object = Object::new("encode", &args.input)
            .with("build_id", run.build_id.into())
            .with("source", run.source.into())
            .with_params(&params, set.as_deref())
            .with("instructions", told.instructions.into())
            .with("cycles", has_cycles.then_some(told.cycles).into())
            .with("messages", stats.messages().into())
            .with("bits", stats.bits.into())
            .with("bits_per_instruction", ratio(stats.bits, told.instructions).into())
            .with("bits_per_cycle", has_cycles.then(|| ratio(stats.bits, told.cycles)).into())
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
    ];
    if has_cycles {
        lines.push(("per cycle", format!("{:.4} bits", ratio(stats.bits, told.cycles))));
    }
    if params.stream_cache().is_some() {
        lines.extend(stream_lines(&streams));
    } else if params.flow.predicts() {
        let of = |a, b| format!("{} of {}", percent(a, b), count(b));
        lines.push(("outcomes missed", of(rates.outcome_misses, rates.conditionals)));
        lines.push(("targets missed", of(rates.target_misses, rates.indirects)));
    }
    lines.push(("written", args.output.display().to_string()));
    facts(out, &lines)?;
    Ok(Status::Done)
}
