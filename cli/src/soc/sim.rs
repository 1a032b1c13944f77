//! `goshawk soc sim`: runs a program on a SoC of softcores in Verilator, and checks its trace

use super::checked;
use crate::args::{range, within, CoreName, ParamArgs};
use crate::files::OutputPath;
use crate::hardware::{built, fifo_help, parse_depth};
use crate::inputs;
use crate::output::{count, facts, short_id, stream_parameters, Object, TOOL};
use crate::progress::bar;
use crate::{Failure, Status};
use clap::ArgGroup;
use fpga::soc::check::{check, Checked};
use fpga::soc::core::CoreKind;
use fpga::soc::image::{self, ImageError};
use fpga::soc::part::{find, Part};
use fpga::soc::record::{self, RecordError, Recorded};
use fpga::soc::run::{Run, RunOptions, Soc};
use fpga::soc::top::{Host, Output, SocConfig, LOG2_BUFFER, LOG2_RAM};
use fpga::soc::values::{self, ValueError, Valued};
use fpga::soc::verilate::default_cache;
use hdl::emit::CORES;
use retire::elf::Program;
use retire::file::retire::{RetireInfo, RetireWriter};
use retire::file::{hex, input};
use retire::RetireSink;
use serde_json::json;
use sim::analysis::ratio;
use sim::file::{InputsInfo, TraceInfo, TraceWriter, ValuesInfo};
use sim::params::{DataScheme, TraceParams};
use sim::scheme::any::AnyScheme;
use sim::scheme::inputs::InputsParams;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Run a program on softcores with trace modules, in Verilator, and check the trace
///
/// The trace is read from the pins of the SoC's trace port. It must replay to exactly what the cores' own retirement
/// ports logged, in order of retirement, with the bits of the golden model; otherwise the exit code is 1. With --scheme
/// inputs the run is recorded with all its values; re-executed, it must match the cores in every register, load and
/// store. With --data, load values are traced too, on a separate port, and the cores are re-executed from both; with
/// --scheme cfiat only load values are traced. The softcores come from Python packages that tools/setup installs.
#[derive(clap::Args, Debug)]
#[command(group(ArgGroup::new("executable").args(["elf", "program"]).required(true)))]
#[command(after_help = "Examples:\n  goshawk soc sim --core vexriscv --cores 4 --program irq --max-cycles 2000000\n  \
    goshawk soc sim --core picorv32 --elf firmware.elf --timestamps -o run\n  \
    goshawk soc sim --core picorv32 --cores 4 --program vm --no-trace --json\n  \
    goshawk soc sim --core picorv32 --elf self.elf --self-trace ntrace+ir8\n  \
    goshawk soc sim --core picorv32 --cores 4 --program race --scheme inputs --time 7 -o race\n  \
    goshawk soc sim --core picorv32 --cores 2 --program bank --set small --data cfiat:16k -o both\n  \
    goshawk soc sim --core ibex --cores 2 --program irq --scheme inputs:256+known4096 --record-after 100000 --max-cycles 300000 -o late")]
pub struct Args {
    /// Softcore
    #[arg(help_heading = "SoC", long, value_enum)]
    core: CoreName,
    #[arg(help_heading = "SoC", long, value_name = "N", default_value_t = 1, value_parser = within(&CORES), help = format!("Number of cores, {}", range(&CORES)))]
    cores: u8,
    /// RISC-V executable, linked to 0x80000000 and to the SoC's devices (docs/how-to/soc.md)
    #[arg(help_heading = "Program", long, value_name = "FILE")]
    elf: Option<PathBuf>,
    /// Built-in program, in its build for this core; `goshawk programs` lists them
    #[arg(help_heading = "Program", long, value_name = "NAME")]
    program: Option<String>,
    /// Cycle limit of the cores [default: none]
    #[arg(help_heading = "Program", long, value_name = "N")]
    max_cycles: Option<u64>,
    #[arg(help_heading = "SoC", long, value_name = "BITS", default_value_t = 24, value_parser = within(&LOG2_RAM), help = format!("Size of the RAM, log2 of bytes, {}", range(&LOG2_RAM)))]
    log2_ram: u8,
    /// Data pins of the trace port: 1, 2, 4 or 8
    #[arg(help_heading = "SoC", long, value_name = "N", default_value_t = 8, value_parser = pins)]
    pins: u8,
    /// Bit time of a serial line that carries trace and console instead of the trace port, in clock cycles, 4 to 65535.
    /// Not with --pins
    #[arg(help_heading = "SoC", long, value_name = "CLOCKS", conflicts_with = "pins", value_parser = clap::value_parser!(u16).range(4..))]
    uart: Option<u16>,
    /// Link to create to a pseudo-terminal with the serial line, both ways, for `goshawk capture` while the SoC runs.
    /// Only with --uart
    #[arg(help_heading = "SoC", long, value_name = "LINK", requires = "uart")]
    serial: Option<OutputPath>,
    /// Hold the cores until the host starts them (`goshawk capture serial --go`)
    #[arg(help_heading = "SoC", long, requires = "serial")]
    wait: bool,
    #[arg(help_heading = "SoC", long, value_name = "BITS", conflicts_with = "no_trace", value_parser = within(&LOG2_BUFFER), help = format!(
        "Size of a circular trace buffer, log2 of words, {}, which is sent when the cores have stopped [default: none]",
        range(&LOG2_BUFFER)
    ))]
    buffer: Option<u8>,
    #[arg(help_heading = "SoC", long = "fifo", value_name = "N", default_value = "256", value_parser = parse_depth, help = fifo_help())]
    log2_fifo: u8,
    /// Period of a timer tick, in clock cycles, 1 to 65535
    #[arg(help_heading = "SoC", long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    tick: u16,
    /// Initial value of the timer, in ticks
    #[arg(help_heading = "SoC", long, value_name = "N", default_value_t = 0)]
    time: u64,
    /// Scheme of a trace system that the program controls, such as ntrace+ir8, in place of the trace modules: registers of the
    /// Trace Control Interface, and a memory from which the program reads its trace (docs/how-to/self-trace.md)
    #[arg(help_heading = "SoC", long, value_name = "NAME", conflicts_with_all = ["no_trace", "buffer", "data"])]
    self_trace: Option<String>,
    /// Omit the trace modules
    #[arg(help_heading = "SoC", long)]
    no_trace: bool,
    /// Scheme with which load values are traced too, such as cfiat:16k (docs/reference/load-values.md). It may also follow the
    /// control-flow scheme, as in --scheme tr_e:small,cfiat:16k
    #[arg(help_heading = "SoC", long, value_name = "NAME", conflicts_with = "no_trace")]
    data: Option<String>,
    /// Folder to write trace.gtr (trace.gip with --scheme inputs), trace.glv (load values), retire.ret, line.bin (the
    /// bytes of --uart) and soc.vcd (--vcd) to; it is created if missing
    #[arg(short = 'o', long = "output", alias = "out", value_name = "DIR")]
    out: Option<OutputPath>,
    /// Clock cycle of the cores at which the recording starts. Only with --scheme inputs:...+knownN
    #[arg(help_heading = "SoC", long, value_name = "CYCLES", value_parser = clap::value_parser!(u32).range(1..))]
    record_after: Option<u32>,
    /// Write every signal to soc.vcd in the folder of --output
    #[arg(long, requires = "out")]
    vcd: bool,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Data pins of the trace port.
fn pins(text: &str) -> Result<u8, String> {
    text.parse().ok().filter(|n| matches!(n, 1 | 2 | 4 | 8)).ok_or_else(|| "expected 1, 2, 4 or 8".into())
}

/// The program of a file or a built-in one in its build for `core`, and how it is called; none where neither is given.
pub(super) fn load(
    elf: Option<&Path>,
    builtin: Option<&str>,
    core: CoreName,
) -> Result<Option<(Program, String)>, Failure> {
    let (name, data) = match (elf, builtin) {
        (Some(path), _) => (path.display().to_string(), input::elf(path)?),
        (None, Some(name)) => (format!("builtin:{name}"), built(name, core.into())?.to_vec()),
        (None, None) => return Ok(None),
    };
    let program = Program::parse(&data).map_err(|e| Failure::program(&name, e))?;
    Ok(Some((program, name)))
}

/// The error `e` with the program that it is about, as it was given.
pub(super) fn unsuitable(elf: Option<&Path>, builtin: Option<&str>, e: &ImageError) -> Failure {
    Failure::Other(match (elf, builtin) {
        (Some(path), _) => format!("`--elf {}`: {e}", path.display()),
        (None, Some(name)) => format!("`--program {name}`: {e}"),
        (None, None) => e.to_string(),
    })
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(e.to_string());
    let loaded = load(args.elf.as_deref(), args.program.as_deref(), args.core)?;
    let (program, name) = loaded.ok_or_else(|| Failure::Other("expected `--elf` or `--program`".into()))?;
    let kind = CoreKind::from(args.core);
    if let (Some(name), Some(given)) = (&args.self_trace, args.params.given()) {
        return Err(Failure::Other(format!(
            "{given}: not with `--self-trace {name}`, which is the scheme with all its options"
        )));
    }
    let scheme = args.params.scheme()?;
    let (sizes, alone) = match scheme.scheme {
        AnyScheme::Flow(_) => (None, None),
        AnyScheme::Inputs(sizes) => (Some(sizes), None),
        AnyScheme::Cfiat(sizes) => (None, Some(DataScheme::Cfiat(sizes))),
        AnyScheme::Shared(_) | AnyScheme::Baseline(_) | AnyScheme::Etrace(_) | AnyScheme::Ntrace(_) => {
            return Err(args.params.refuse(&scheme, "it has no circuit"));
        }
    };
    if let (Some(_), Some(given)) =
        (sizes, [("--no-trace", args.no_trace), ("--buffer", args.buffer.is_some())].into_iter().find(|g| g.1))
    {
        return Err(Failure::Other(format!(
            "`{}`: not with the scheme `inputs`, which records the whole run",
            given.0
        )));
    }
    if let (true, Some(given)) = (sizes.is_some() || alone.is_some(), &args.data) {
        return Err(Failure::Other(format!("`--data {given}`: only with a scheme of the control flow")));
    }
    if alone.is_some() && args.no_trace {
        return Err(Failure::Other("`--no-trace`: not with the scheme `cfiat`".into()));
    }
    let (params, set) = match sizes.map(|_| ()).or(alone.map(|_| ())) {
        Some(()) => (None, None),
        None => {
            let align = kind.core().isa().align();
            args.params.no_context("the SoC")?;
            let (mut params, set) = args.params.resolve_with(args.data.as_deref(), (args.cores, 32, align))?;
            params.align = align;
            (Some(params), set)
        }
    };
    let config = SocConfig {
        core: kind,
        cores: args.cores,
        log2_ram: args.log2_ram,
        private_fetch: true,
        trace: params.filter(|_| !args.no_trace && args.self_trace.is_none()),
        record: sizes,
        values: alone.or(params.and_then(|p| p.data)).filter(|_| !args.no_trace),
        self_trace: args.self_trace.clone(),
        dma: false,
        record_after: args.record_after.unwrap_or(0),
        log2_fifo: args.log2_fifo,
        buffer: args.buffer,
        output: args.uart.map_or(Output::Port { pins: args.pins }, |divisor| Output::Uart { divisor }),
        host: match args.uart {
            None => Host::Listens,
            Some(_) if args.wait => Host::Starts,
            Some(_) => Host::Controls,
        },
        tick: args.tick,
    };
    // errors are reported before a build of several minutes
    config.check().map_err(|e| match &args.self_trace {
        Some(name) => Failure::Other(format!("`--self-trace {name}`: {e}")),
        None => other(&e),
    })?;
    let unsuitable = |e| unsuitable(args.elf.as_deref(), args.program.as_deref(), &e);
    image::check_supported(&program, kind).map_err(unsuitable)?;
    image::hex(&program, config.ram_bytes()).map_err(unsuitable)?;
    let building = bar("building with Verilator", "", None);
    let soc = Soc::build(&config, args.vcd, &default_cache()).map_err(|e| other(&e))?;
    building.finish_and_clear();
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Failure::io(folder, e))?;
    }
    let vcd = args.out.as_ref().filter(|_| args.vcd).map(|f| f.join("soc.vcd"));
    let options = RunOptions {
        max_cycles: args.max_cycles.unwrap_or(0),
        mtime: args.time,
        vcd,
        serial: args.serial.as_deref().map(Path::to_path_buf),
    };
    let running = bar("simulating", "cycles", args.max_cycles);
    let run = soc.run(&program, &options, |cycle| running.set_position(cycle)).map_err(|e| other(&e))?;
    running.finish_and_clear();
    let build_id = hex(&program.build_id);
    if let Some(folder) = &args.out {
        let info = RetireInfo {
            tool: TOOL.into(),
            harts: args.cores,
            xlen: 32,
            build_id: build_id.clone(),
            program: name.clone(),
            source: format!("SoC of {} {}, Verilator", args.cores, kind.name()),
            threads: Vec::new(),
            untimed: false,
        };
        let mut writer = RetireWriter::create(&folder.join("retire.ret"), &info)?;
        run.events.iter().for_each(|e| writer.event(e));
        writer.finish()?;
        if args.uart.is_some() {
            let path = folder.join("line.bin");
            std::fs::write(&path, &run.line).map_err(|e| Failure::io(&path, e))?;
        }
        if let Some(params) = config.inputs() {
            let info = InputsInfo { tool: TOOL.into(), params, build_id: build_id.clone(), program: name.clone() };
            let mut writer = TraceWriter::create(&folder.join("trace.gip"), &info)?;
            writer.write(run.words.iter().copied())?;
            writer.finish()?;
        }
        if let Some(params) = config.cfiat() {
            let info = ValuesInfo { tool: TOOL.into(), params, build_id: build_id.clone(), program: name.clone() };
            let mut writer = TraceWriter::create(&folder.join("trace.glv"), &info)?;
            writer.write(run.values.iter().copied())?;
            writer.finish()?;
        }
        if let Some(params) = config.trace {
            let (build_id, program) = (build_id.clone(), name.clone());
            let info = TraceInfo { tool: TOOL.into(), params, set: set.clone(), build_id, program };
            let mut writer = TraceWriter::create(&folder.join("trace.gtr"), &info)?;
            writer.write(run.words.iter().copied())?;
            writer.finish()?;
        }
    }
    let valued = config.values.map(|_| values::check(&config, &program, &run));
    let found = match (config.inputs(), &config.trace) {
        (Some(inputs), _) => TraceResult::Recorded(inputs, record::check(&inputs, &program, &run)),
        (None, Some(params)) if args.buffer.is_none() => TraceResult::Whole(check(params, &program, &run)),
        (None, Some(params)) => kept(params, &program, &run).map_or(TraceResult::Nothing, TraceResult::Parts),
        (None, None) => TraceResult::Nothing,
    };
    report(args, params.as_ref(), set.as_deref(), (&name, &build_id), &run, (found, valued), out)
}

/// Result of checking the trace against the retire log.
enum TraceResult {
    /// There is no trace.
    Nothing,
    /// The whole trace was checked.
    Whole(Result<Checked, fpga::soc::check::CheckError>),
    /// The run was recorded with its values.
    Recorded(InputsParams, Result<Recorded, RecordError>),
    /// Contents of the circular buffer, older half first; `None` for a half that is empty or cut.
    Parts(Result<[Option<Part>; 2], fpga::soc::part::PartError>),
}

/// Checks the halves of the trace buffer, if there is one, against the retire log.
fn kept(
    params: &TraceParams,
    program: &Program,
    run: &Run,
) -> Option<Result<[Option<Part>; 2], fpga::soc::part::PartError>> {
    let halves = run.halves.as_ref()?;
    let one = |half: &fpga::soc::ring::Half, later: Option<&Part>| {
        let whole = !half.cut && !half.words.is_empty();
        whole.then(|| find(params, program, &run.events, &half.words, later)).transpose()
    };
    Some(one(&halves[1], None).and_then(|newer| {
        // without the newer half, the end of the older one is not known
        let older = if newer.is_some() { one(&halves[0], newer.as_ref())? } else { None };
        Ok([older, newer])
    }))
}

fn report(
    args: &Args,
    params: Option<&TraceParams>,
    set: Option<&str>,
    (name, build_id): (&str, &str),
    run: &Run,
    (found, valued): (TraceResult, Option<Result<Valued, ValueError>>),
    out: &mut dyn Write,
) -> Result<Status, Failure> {
    let instructions: u64 = run.instructions.iter().sum();
    let speed = if run.seconds > 0.0 { run.clocks as f64 / run.seconds } else { 0.0 };
    let timestamps = params.is_some_and(|p| p.timestamps);
    let good = match &found {
        TraceResult::Nothing | TraceResult::Parts(Ok(_)) => true,
        TraceResult::Whole(Ok(c)) => c.golden != Some(false) && (timestamps || c.ordered),
        TraceResult::Recorded(_, Ok(c)) => c.golden,
        TraceResult::Whole(Err(_)) | TraceResult::Parts(Err(_)) | TraceResult::Recorded(_, Err(_)) => false,
    };
    let good = good && valued.as_ref().is_none_or(|v| v.as_ref().is_ok_and(|v| v.golden));
    let status = if good { Status::Done } else { Status::Different };
    let console = String::from_utf8_lossy(&run.console);
    if args.json {
        let part = |p: &Option<Part>, half: &fpga::soc::ring::Half| {
            json!({
                "words": half.words.len(),
                "cut": half.cut,
                "instructions": p.as_ref().map(|p| p.instructions),
                "events": p.as_ref().map(|p| p.events.iter().sum::<usize>()),
            })
        };
        let trace = match &found {
            TraceResult::Nothing => json!(null),
            TraceResult::Parts(Ok([older, newer])) => run.halves.as_ref().map_or(
                json!(null),
                |h| json!({ "equal": true, "older": part(older, &h[0]), "newer": part(newer, &h[1]) }),
            ),
            TraceResult::Parts(Err(e)) => json!({ "equal": false, "difference": e.to_string() }),
            TraceResult::Whole(found) => checked::object(found, instructions),
            TraceResult::Recorded(_, Ok(c)) => json!({
                "equal": true,
                "bits": c.stats.bits,
                "bits_per_instruction": ratio(c.stats.bits, instructions),
                "messages": c.stats.messages(),
                "sent": c.stats,
                "events": c.events,
                "data": c.data,
                "golden_bits": c.golden,
            }),
            TraceResult::Recorded(_, Err(e)) => json!({ "equal": false, "difference": e.to_string() }),
        };
        let mut object = Object::new("soc sim", name)
            .with("build_id", build_id.into())
            .with("core", CoreKind::from(args.core).name().into())
            .with("cores", args.cores.into());
        object = match (&found, params) {
            (TraceResult::Recorded(inputs, _), _) => object.with("parameters", stream_parameters(inputs)),
            (TraceResult::Whole(_) | TraceResult::Parts(_), Some(params)) => object.with_params(params, set),
            _ => object,
        };
        object
            .with("exit_code", json!(run.exit_code))
            .with("instructions", json!({ "total": instructions, "by_core": run.instructions }))
            .with("cycles", run.cycles.into())
            .with("stores", json!({ "count": run.stores, "hash": format!("{:016x}", run.stores_hash) }))
            .with("trace", trace)
            .with("values", valued.as_ref().map_or(json!(null), value_object))
            .with("simulation", json!({ "clocks": run.clocks, "seconds": run.seconds, "clocks_per_second": speed }))
            .with("console", console.into())
            .print(out)?;
        return Ok(status);
    }
    write!(out, "{console}")?;
    if !console.is_empty() && !console.ends_with('\n') {
        writeln!(out)?;
    }
    let ended = match run.exit_code {
        Some(code) => format!("with code {code}"),
        None => "at the cycle limit".into(),
    };
    let mut lines = vec![
        ("SoC", format!("{} {}", args.cores, CoreKind::from(args.core).name())),
        ("program", format!("{name}, build {}", short_id(build_id))),
        ("ended", ended),
        ("instructions", count(instructions)),
        ("cycles", count(run.cycles)),
        ("cycles/instruction", format!("{:.2}", ratio(run.cycles * u64::from(args.cores), instructions))),
        ("stores", format!("{}, hash {:016x}", count(run.stores), run.stores_hash)),
        ("simulated", format!("{:.0} thousand clocks/s", speed / 1e3)),
    ];
    match &found {
        TraceResult::Nothing => {}
        TraceResult::Parts(Ok(parts)) => {
            for ((name, half), part) in
                ["older half", "newer half"].into_iter().zip(run.halves.iter().flatten()).zip(parts)
            {
                let words = count(half.words.len() as u64);
                let text = match part {
                    Some(p) => {
                        format!("{words} words; {} instructions, equal to the retire log", count(p.instructions))
                    }
                    None if half.cut => format!("{words} words; its end did not fit"),
                    None => format!("{words} words"),
                };
                lines.push((name, text));
            }
        }
        TraceResult::Parts(Err(e)) => lines.push(("replay", format!("DIFFERENT: {e}"))),
        TraceResult::Whole(found) => lines.extend(checked::lines(found, instructions, timestamps)),
        TraceResult::Recorded(inputs, Ok(c)) => {
            lines.push(("parameters", inputs.canonical()));
            lines.extend(inputs::lines(&c.stats));
            let what = format!(
                "equal to what the cores did: {} registers, loads and stores, {} events",
                count(c.data),
                count(c.events)
            );
            lines.push(("replay", what));
            lines.push(("memory, console", "equal at the end".into()));
            lines.push(("golden model", if c.golden { "the same bits" } else { "OTHER bits" }.into()));
        }
        TraceResult::Recorded(_, Err(e)) => lines.push(("replay", format!("DIFFERENT: {e}"))),
    }
    lines.extend(valued.iter().flat_map(value_lines));
    facts(out, &lines)?;
    Ok(status)
}

/// Results for load values, as JSON.
fn value_object(valued: &Result<Valued, ValueError>) -> serde_json::Value {
    match valued {
        Ok(v) => json!({
            "parameters": stream_parameters(&v.params),
            "equal": true,
            "bits": v.bits,
            "bits_per_instruction": ratio(v.bits, v.stats.instructions),
            "bits_per_load": ratio(v.bits, v.stats.all_loads()),
            "records": v.records,
            "golden_bits": v.golden,
            "replayed": v.replayed.as_ref().map(|(instructions, events, data)| {
                json!({ "instructions": instructions, "events": events, "data": data })
            }),
        }),
        Err(e) => json!({ "equal": false, "difference": e.to_string() }),
    }
}

/// Results for load values, as text.
fn value_lines(valued: &Result<Valued, ValueError>) -> Vec<(&'static str, String)> {
    let v = match valued {
        Ok(v) => v,
        Err(e) => return vec![("values", format!("DIFFERENT: {e}"))],
    };
    let mut lines = vec![
        ("values", v.params.canonical()),
        ("values' bits", format!("{}, {} records", count(v.bits), count(v.records))),
        (
            "of them",
            format!(
                "{:.4} an instruction, {:.4} a load",
                ratio(v.bits, v.stats.instructions),
                ratio(v.bits, v.stats.all_loads())
            ),
        ),
        ("values' golden model", if v.golden { "the same bits" } else { "OTHER bits" }.into()),
    ];
    if let Some((instructions, events, data)) = &v.replayed {
        let all: u64 = instructions.iter().sum();
        let what = format!(
            "{} instructions, equal to what the cores did: {} registers, loads and stores, {} events",
            count(all),
            count(*data),
            count(*events)
        );
        lines.push(("executed again", what));
    }
    lines
}
