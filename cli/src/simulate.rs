//! `goshawk sim`: runs the circuit cycle by cycle, and compares it with the golden model

use crate::args::{check_cores, MachineArgs, ParamArgs, ProgramArgs, Source};
use crate::circuit::{check_equal, on_rust_hdl, First};
use crate::files::{input_name, OutputPath};
use crate::output::{count, facts, plural, Object};
use crate::progress::Bars;
use crate::{Failure, Status};
use clap::ValueEnum;
use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, Ingress, SystemOptions};
use hdl::trace_sim::Comparison;
use host::input::Named;
use retire::file::scratch::Scratch;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use serde_json::json;
use sim::beats::{Expander, Writer};
use sim::params::TraceParams;
use std::io::{BufWriter, Write};
use std::time::Instant;

/// Simulate the trace circuit on a run, and compare its stream with the golden model
///
/// Without --max-instructions, 20,000 instructions of all cores are simulated.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk sim builtin:fft --harts 2 --vcd fft.vcd\n  \
    goshawk sim fft.ret --elf builtin:fft --set large --max-instructions 5000\n  \
    goshawk sim builtin:vm --engine verilator --max-instructions 1000000")]
pub struct Args {
    /// RISC-V executable, builtin:NAME, or a recording (retire file or rbt1)
    #[arg(value_name = "ELF|builtin:NAME|RET|RBT1", value_parser = input_name())]
    input: String,
    #[command(flatten)]
    program: ProgramArgs,
    /// The old name of --max-instructions
    #[arg(long, value_name = "N", hide = true, conflicts_with = "max_instructions")]
    instructions: Option<u64>,
    /// Cycle limit of the run [default: none]
    #[arg(long, alias = "cycles", value_name = "N")]
    max_cycles: Option<u64>,
    /// Clock cycles of the circuit per clock cycle of the cores, 1 to 1000: more give the encoder more time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pace: u64,
    /// Simulator
    #[arg(long, value_enum, default_value = "rust")]
    engine: Engine,
    /// VCD file of every signal to write. Only with `--engine rust`
    #[arg(long, value_name = "FILE")]
    vcd: Option<OutputPath>,
    #[command(flatten)]
    params: ParamArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Simulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Simulator of rust-hdl
    Rust,
    /// The emitted Verilog in Verilator (functional traces)
    Verilator,
}

/// Runs the events on the emitted Verilog, Verilated.
fn on_verilator(params: &TraceParams, named: &Named, events: &[FlowEvent], pace: u64) -> Result<Comparison, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(format!("simulation: {e}"));
    if params.timestamps {
        return Err(other(&"the verilator engine compares functional traces; take --engine rust for --timestamps"));
    }
    let verilog = emit(params, &SystemOptions::default()).map_err(|e| other(&e))?;
    let ports =
        TracePorts::rvfi(params.cores.into(), params.xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into());
    let cosim = TraceCosim::build(&verilog, &ports).map_err(|e| other(&e))?;
    let mut file = Scratch::new("")?;
    let mut writer = Writer::new(BufWriter::new(&mut file), params.cores, params.xlen)?;
    let mut failed = None;
    let mut expander = Expander::new(&named.program, params.cores);
    let mut put = |beat: &_| failed = failed.take().or(writer.push(beat).err());
    for e in events {
        expander.event(e, &mut put).map_err(|e| other(&e))?;
    }
    expander.finish(&mut put).map_err(|e| other(&e))?;
    if let Some(e) = failed {
        return Err(e.into());
    }
    writer.finish()?;
    let options = TraceOptions { idle_limit: 64, idle_after_beat: pace - 1, ..TraceOptions::default() };
    let mut comparison = Comparison::default();
    let summary = cosim.run(file.path(), &options, |w| comparison.circuit.push(w)).map_err(|e| other(&e))?;
    let mut golden = sim::system::System::with_code(params, 0, &Image::new(&named.program))?;
    events.iter().for_each(|e| golden.event(e));
    golden.finish(summary.stop);
    comparison.golden = golden.drain().collect();
    comparison.summary.cycles = summary.cycles;
    comparison.summary.beats = summary.beats;
    comparison.summary.overflow = summary.overflow;
    Ok(comparison)
}

/// Default number of instructions to simulate.
const INSTRUCTIONS: u64 = 20_000;

/// Loads the program and the first events of the input.
fn load(args: &Args) -> Result<(Named, Vec<FlowEvent>, u8), Failure> {
    // the limit also applies to a recording
    let most = args.machine.max_instructions.or(args.instructions).unwrap_or(INSTRUCTIONS);
    let machine = MachineArgs { max_instructions: None, ..args.machine.clone() };
    let mut source = Source::open(&args.input, &args.program, &machine)?;
    if !source.input.is_recording() {
        source.limit(most);
    }
    let Some(named) = source.input.named().cloned() else {
        return Err(Failure::Other(format!("{}: is a recording; expected its program in `--elf`", args.input)));
    };
    let run = source.run()?;
    let mut first = First::new(most, args.max_cycles.unwrap_or(u64::MAX));
    run.report_to(&mut first, &Bars)?;
    Ok((named, first.events(), run.harts))
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if let (Engine::Verilator, Some(vcd)) = (args.engine, &args.vcd) {
        return Err(Failure::Other(format!(
            "`--vcd {}`: only with `--engine rust`, not `--engine verilator`",
            vcd.display()
        )));
    }
    let (named, events, cores) = load(args)?;
    check_cores(cores)?;
    args.params.no_context("a simulation of a trace system")?;
    let (params, set) = args.params.resolve(cores, named.program.xlen)?;
    let start = Instant::now();
    let c = match args.engine {
        Engine::Rust => on_rust_hdl(&params, &named, &events, args.pace, args.vcd.as_deref())?,
        Engine::Verilator => on_verilator(&params, &named, &events, args.pace)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let check_equal = check_equal(&c);
    let engine = match args.engine {
        Engine::Rust => "rust-hdl",
        Engine::Verilator => "Verilator",
    };
    let vcd = args.vcd.as_ref().map(|v| v.display().to_string());
    if args.json {
        Object::new("sim", &args.input)
            .with("build_id", named.build_id.clone().into())
            .with_params(&params, set.as_deref())
            .with("options", json!({ "ingress": Ingress::Rvfi.name(), "pace": args.pace, "engine": engine }))
            .with("instructions", c.summary.beats.into())
            .with("cycles", c.summary.cycles.into())
            .with("words", json!({ "circuit": c.circuit.len(), "golden": c.golden.len() }))
            .with("overflow", c.summary.overflow.into())
            .with("equal", check_equal.is_ok().into())
            .with("difference", check_equal.as_ref().err().cloned().into())
            .with("vcd", vcd.into())
            .with("seconds", seconds.into())
            .print(out)?;
    } else if let Err(difference) = &check_equal {
        writeln!(out, "{difference}")?;
    } else {
        let mut lines = vec![
            ("circuit", format!("{}, RVFI, simulated by {engine}", plural(cores, "core"))),
            ("parameters", params.canonical()),
            ("instructions", count(c.summary.beats)),
            ("clock cycles", count(c.summary.cycles)),
            ("words", count(c.circuit.len() as u64)),
            ("compared", "equal to the golden model, bit for bit".into()),
            ("took", format!("{seconds:.1} s")),
        ];
        lines.extend(vcd.map(|v| ("signals", v)));
        facts(out, &lines)?;
    }
    Ok(if check_equal.is_ok() { Status::Done } else { Status::Different })
}
