//! `goshawk encode`: encodes a run to a trace file with the golden model

use crate::args::memory::MemoryArgs;
use crate::args::section::{self, SectionArgs};
use crate::args::{check_cores, MachineArgs, ParamArgs, PlatformArgs, ProgramArgs, Source, SyncArgs};
use crate::files::{input_name, OutputPath};
use crate::inputs::SkipArgs;
use crate::options::with_data;
use crate::output::{count, facts, percent, plural, short_id, stream_lines, sum, sum_streams, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use host::encode::{to_file, Request};
use host::input::InputOptions;
use host::values::{record, Output};
use serde_json::json;
use sim::analysis::ratio;
use sim::params::DataScheme;
use sim::scheme::any::AnyScheme;
use sim::scheme::cfiat::descriptor::Form;
use std::io::Write;

/// Trace a run with the golden model and write the trace file
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk encode vm.ret -o vm.gtr\n  \
    goshawk encode builtin:fft --harts 8 --set large --timestamps -o fft.gtr\n  \
    goshawk encode run.ret --elf builtin:lz --from work --to report -o part.gtr\n  \
    goshawk encode builtin:vm --sync-period 14 -o vm.gtr\n  \
    goshawk encode builtin:vm --sync-period 4096B -o vm.gtr\n  \
    goshawk encode boot.ret --elf vmlinux --patches perf.data -o boot.gtr\n  \
    goshawk encode paged.ret --elf kernel.elf --context 2 -o kernel.gtr\n  \
    goshawk encode builtin:bank --harts 4 --scheme inputs -o bank.gip\n  \
    goshawk encode builtin:lz --scheme inputs:512+known16384 --skip 2000000 -o late.gip\n  \
    goshawk encode builtin:fft --harts 4 --set large -o fft.gtr --values fft.glv --data cfiat:64k+line64\n  \
    goshawk encode builtin:vm --scheme tr_e:small,cfiat:16k -o vm.gtr --values vm.glv\n  \
    goshawk encode builtin:bank --harts 4 --scheme cfiat:16k -o bank.glv\n  \
    goshawk encode builtin:vm --scheme cfiat:32k+gran4+touched --ascii -o vm.txt\n  \
    goshawk encode builtin:vm --set m4 --ascii --disassemble -o vm.txt\n  \
    goshawk encode builtin:bank --harts 4 --scheme tr_e:m4+shared -o shared.gtr\n  \
    goshawk encode builtin:bank --harts 4 --scheme tr_e:m4+shared --binary -o shared.mcf\n  \
    goshawk encode vm.ret --set 512/8/32 --encoding 'tr(bcnt=4,2;diffta=5,4)' -o vm.gtr")]
pub struct Args {
    /// Retire file, branch trace (rbt1), RISC-V executable, or builtin:NAME
    #[arg(value_name = "RET|RBT1|ELF|builtin:NAME", value_parser = input_name())]
    input: String,
    /// Trace file to write
    #[arg(short, long, value_name = "FILE")]
    output: OutputPath,
    /// File to which load values are traced, in addition to the control flow
    #[arg(long, value_name = "FILE")]
    values: Option<OutputPath>,
    /// Scheme of the load values, such as cfiat:32k+ways4+line32+gran1, optionally with +round or +countN. It may also
    /// follow the control-flow scheme, as in --scheme tr_e:small,cfiat:16k. Only with --values [default: cfiat]
    #[arg(long, value_name = "NAME", requires = "values")]
    data: Option<String>,
    /// Write descriptors as text instead of a stream: those of mcfTRaptor (--set, or --scheme tr_e:m4+shared) or of
    /// load values (--scheme cfiat)
    #[arg(long, conflicts_with = "binary")]
    ascii: bool,
    /// Write descriptors as bytes instead of a stream, for the schemes of --ascii
    #[arg(long)]
    binary: bool,
    /// Append the disassembled instruction to each descriptor. Only with --ascii, of RISC-V programs
    #[arg(short, long, requires = "ascii")]
    disassemble: bool,
    #[command(flatten)]
    program: ProgramArgs,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    sync: SyncArgs,
    #[command(flatten)]
    skip: SkipArgs,
    #[command(flatten)]
    section: SectionArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    platform: PlatformArgs,
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let options = InputOptions { changes: args.memory.changes(), ..args.program.input_options() };
    let mut source = Source::open_with(&args.input, options, &args.machine)?;
    source.set_platform(&args.platform.open()?, &args.input)?;
    let name = args.params.scheme()?;
    let form = match (args.ascii, args.binary) {
        (true, _) => Some(("--ascii", Form::Ascii)),
        (_, true) => Some(("--binary", Form::Binary)),
        _ => None,
    };
    if form.is_some() || args.values.is_some() || !matches!(name.scheme, AnyScheme::Flow(_)) {
        args.section.refuse("a trace of the control flow, without `--values`, `--ascii` and `--binary`")?;
    }
    match name.scheme {
        AnyScheme::Flow(_) => args.skip.refuse()?,
        AnyScheme::Inputs(sizes) => {
            args.sync.refuse()?;
            let of = (sizes, args.skip.instructions());
            return crate::inputs::encode("encode", &source, of, Some(&args.output), args.json, out);
        }
        AnyScheme::Cfiat(sizes) => {
            args.sync.refuse()?;
            args.skip.refuse()?;
            if args.values.is_some() {
                return Err(Failure::Other(
                    "`--values`: only with a scheme of the control flow; `--output` names the file of the load values here".into(),
                ));
            }
            let output = match form {
                Some(_) if args.disassemble => Output::Disassembled(&args.output),
                Some((_, form)) => Output::Descriptors(&args.output, form),
                None => Output::Stream(&args.output),
            };
            return crate::cfiat::encode("encode", &source, sizes, output, args.json, out);
        }
        AnyScheme::Shared(_) | AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => {
            return Err(args.params.refuse(&name, "it has no trace file"));
        }
    }
    if let Some((option, form)) = form {
        let others = [("--values", args.values.is_some()), ("--sync-period", args.sync.sync_period.is_some())];
        if let Some((other, _)) = others.into_iter().find(|(_, given)| *given) {
            return Err(Failure::Other(format!(
                "`{other}`: not with `{option}`, which writes descriptors and no stream"
            )));
        }
        return crate::descriptors::encode(
            &source,
            &args.params,
            (form, args.disassemble, &args.output),
            args.json,
            out,
        );
    }
    let run = source.run()?;
    let has_cycles = run.has_cycles();
    let info = run.info();
    check_cores(info.harts)?;
    let data = args.data.as_deref().or(args.values.is_some().then_some("cfiat"));
    let data = data.filter(|_| args.data.is_some() || name.data.is_none());
    let platform = (info.harts, info.xlen, source.input.likely_align()?);
    let (params, set, period) = args.params.resolve_synced(platform)?;
    run.check_timestamps(params.timestamps)?;
    let params = with_data(params, data)?;
    let request = Request {
        params,
        set: set.clone(),
        fixed_align: args.params.has("align") || name.stated.align.is_some(),
        sync_period: args.sync.period(period)?,
        bounds: args.section.bounds(source.input.named().map(|named| &*named.name))?,
    };
    // errors of this step are reported before a file exists
    let values = match (&args.values, params.data) {
        (Some(path), Some(DataScheme::Cfiat(sizes))) => Some((path, record(&run, sizes, Output::Stream(path), &Bars)?)),
        (None, Some(data)) => {
            return Err(Failure::Other(format!("`--values` is missing: the file for the load values of `{data}`")));
        }
        (_, None) => None,
    };
    let encoded = to_file(&run, &request, &args.output, &Bars)?;
    let ended = crate::run::early_end(&run, &encoded.reported)?;
    let (run, params) = (info, encoded.params);
    let (stats, totals) = (encoded.system.stats(), &encoded.reported);
    let rates = sum(&encoded.system.rates());
    let streams = sum_streams(&encoded.system.streams());
    if args.json {
        let object = Object::new("encode", &args.input)
            .with("build_id", run.build_id.into())
            .with("source", run.source.into())
            .with_params(&params, set.as_deref())
            .with("instructions", totals.instructions.into())
            .with("cycles", has_cycles.then_some(totals.cycles).into())
            .with("messages", stats.messages().into())
            .with("bits", stats.bits.into())
            .with("bits_per_instruction", ratio(stats.bits, totals.instructions).into())
            .with("bits_per_cycle", has_cycles.then(|| ratio(stats.bits, totals.cycles)).into())
            .with("rates", json!(rates))
            .with("output", args.output.display().to_string().into());
        let object = match &encoded.extent {
            Some(extent) => object.with("section", section::object(&request.bounds, extent)),
            None => object,
        };
        let object = match params.stream_cache() {
            Some(_) => object.with("streams", json!(streams)),
            None => object,
        };
        match &values {
            Some((path, traced)) => object
                .with("values", path.display().to_string().into())
                .with("value_bits", traced.stats.bits.into())
                .with("value_bits_per_instruction", ratio(traced.stats.bits, traced.stats.instructions).into())
                .print(out)?,
            None => object.print(out)?,
        }
        return Ok(Status::Done);
    }
    let mut lines = vec![
        ("run", format!("{}, build {}, {}", run.program, short_id(&run.build_id), plural(run.harts, "core"))),
        ("parameters", params.canonical()),
        ("instructions", count(totals.instructions)),
        ("messages", count(stats.messages())),
        ("bits", format!("{}, header and padding included", count(stats.bits))),
        ("per instruction", format!("{:.4} bits", ratio(stats.bits, totals.instructions))),
    ];
    if has_cycles {
        lines.push(("per cycle", format!("{:.4} bits", ratio(stats.bits, totals.cycles))));
    }
    if params.stream_cache().is_some() {
        lines.extend(stream_lines(&streams));
    } else if params.flow.predicts() {
        let of = |a, b| format!("{} of {}", percent(a, b), count(b));
        lines.push(("outcomes missed", of(rates.outcome_misses, rates.conditionals)));
        lines.push(("targets missed", of(rates.target_misses, rates.indirects)));
    }
    lines.extend(encoded.extent.as_ref().map(|extent| section::line(&request.bounds, extent)));
    lines.extend(ended.map(|ended| ("ended", ended)));
    lines.push(("written", args.output.display().to_string()));
    if let Some((path, traced)) = &values {
        let (s, bits) = (&traced.stats, ratio(traced.stats.bits, traced.stats.instructions));
        lines.push((
            "values",
            format!("{} records in {} bits, {bits:.4} an instruction", count(s.records), count(s.bits)),
        ));
        lines.push(("values written", path.display().to_string()));
    }
    facts(out, &lines)?;
    Ok(Status::Done)
}
