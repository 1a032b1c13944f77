//! `goshawk sim`: a run on the circuit, clock by clock, beside the golden model

use crate::args::{check_cores, ParamArgs};
use crate::output::{count, facts, plural, Object};
use crate::source::{check_build_id, program, MachineArgs, Named, Source};
use crate::{progress, Failure, Status};
use clap::ValueEnum;
use hdl::emit::{emit, Ingress, SystemOptions};
use hdl::trace_sim::{compare, Comparison, Play};
use retire::{FlowEvent, FlowKind, RetireSink};
use serde_json::json;
use sim::beats::{Expander, Writer};
use sim::params::TraceParams;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;
use testbenches::trace_cosim::{TraceCosim, TraceOptions, TracePorts};

/// Simulate the trace circuit on a run, and compare what it sends with the golden model
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk sim builtin:fft --harts 2 --vcd fft.vcd\n  \
    goshawk sim fft.ret --elf builtin:fft --set large --instructions 5000\n  \
    goshawk sim builtin:vm --engine verilator --instructions 1000000")]
pub struct Args {
    /// RISC-V executable, builtin:NAME, or retire file
    #[arg(value_name = "ELF|builtin:NAME|RET")]
    input: String,
    /// The program a retire file is of
    #[arg(long, value_name = "ELF|builtin:NAME")]
    elf: Option<String>,
    /// Simulate at most so many instructions of all cores
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    instructions: u64,
    /// Simulate at most so many clock cycles of the run
    #[arg(long, value_name = "N")]
    cycles: Option<u64>,
    /// Clocks of the circuit for each of the cores: more leave the serial encoder more time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1000))]
    pace: u64,
    /// What simulates
    #[arg(long, value_enum, default_value = "rust")]
    engine: Engine,
    /// Write every signal to this file (engine rust)
    #[arg(long, value_name = "FILE")]
    vcd: Option<PathBuf>,
    #[command(flatten)]
    params: ParamArgs,
    #[command(flatten)]
    machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Simulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// rust-hdl's
    Rust,
    /// The emitted Verilog, Verilated (functional traces)
    Verilator,
}

/// The first events of a run: whole ones, up to a number of instructions and a cycle.
pub struct First {
    events: Vec<FlowEvent>,
    left: u64,
    last_cycle: u64,
}

impl First {
    /// Keeps up to so much.
    pub fn new(instructions: u64, last_cycle: u64) -> Self {
        Self { events: Vec::new(), left: instructions, last_cycle }
    }

    /// What was kept. A start or trap that no instruction follows is dropped: a circuit sees neither
    /// before the instruction after it.
    pub fn events(mut self) -> Vec<FlowEvent> {
        let mut followed = [false; 256];
        for i in (0..self.events.len()).rev() {
            let e = self.events[i];
            let seen = &mut followed[usize::from(e.hart)];
            if matches!(e.kind, FlowKind::Start | FlowKind::Trap { .. }) && !*seen {
                self.events.remove(i);
            } else {
                *seen |= e.count > 0;
            }
        }
        self.events
    }
}

impl RetireSink for First {
    fn event(&mut self, e: &FlowEvent) {
        if u64::from(e.count) > self.left || e.cycle > self.last_cycle {
            // from here on nothing: the order of the run has no holes
            self.left = 0;
            self.last_cycle = 0;
        } else {
            self.left -= u64::from(e.count);
            self.events.push(*e);
        }
    }
}

/// Instructions of the events.
pub fn instructions(events: &[FlowEvent]) -> u64 {
    events.iter().map(|e| u64::from(e.count)).sum()
}

/// Runs the events on the circuit in the rust-hdl simulation.
pub fn on_rust_hdl(
    params: &TraceParams,
    named: &Named,
    events: &[FlowEvent],
    pace: u64,
    vcd: Option<&Path>,
) -> Result<Comparison, Failure> {
    let vcd: Option<Box<dyn Write>> = match vcd {
        Some(path) => Some(Box::new(BufWriter::new(std::fs::File::create(path).map_err(|e| Failure::io(path, e))?))),
        None => None,
    };
    let bar = progress::bar("simulating", "instructions", Some(instructions(events)));
    let play = Play { options: SystemOptions::default(), pace, vcd, progress: &|n| bar.set_position(n) };
    let result = compare(params, &named.program, events, play);
    bar.finish_and_clear();
    result.map_err(|e| Failure::Other(format!("simulation: {e}")))
}

/// Runs the events on the emitted Verilog, Verilated.
fn on_verilator(params: &TraceParams, named: &Named, events: &[FlowEvent], pace: u64) -> Result<Comparison, Failure> {
    let other = |e: &dyn std::fmt::Display| Failure::Other(format!("simulation: {e}"));
    if params.timestamps {
        return Err(other(&"the verilator engine compares functional traces; take --engine rust for --timestamps"));
    }
    let verilog = emit(params, &SystemOptions::default()).map_err(|e| other(&e))?;
    let ports =
        TracePorts::rvfi(params.cores.into(), params.xlen, |i, name| format!("rvfi_{name}${i}"), |name| name.into());
    let cosim = TraceCosim::build(&verilog, &ports).map_err(|e| other(&e))?;
    let file = tempfile::NamedTempFile::new()?;
    let mut writer = Writer::new(BufWriter::new(file.reopen()?), params.cores, params.xlen)?;
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
    let options = TraceOptions { idle_limit: 64, rest: pace - 1, ..TraceOptions::default() };
    let mut comparison = Comparison::default();
    let summary = cosim.run(file.path(), &options, |w| comparison.circuit.push(w)).map_err(|e| other(&e))?;
    let mut golden = sim::golden::system::System::new(params)?;
    events.iter().for_each(|e| golden.event(e));
    golden.finish(summary.stop);
    comparison.golden = golden.drain().collect();
    comparison.summary.cycles = summary.cycles;
    comparison.summary.beats = summary.beats;
    comparison.summary.overflow = summary.overflow;
    Ok(comparison)
}

/// Takes the program and the first events of the input.
fn load(args: &Args) -> Result<(Named, Vec<FlowEvent>, u8), Failure> {
    let limited = MachineArgs {
        max_instructions: Some(args.machine.max_instructions.unwrap_or(args.instructions).min(args.instructions)),
        ..args.machine.clone()
    };
    // a retire file refuses settings of the machine, so they are limited only where there is one
    let source = match Source::open(&args.input, &args.machine)? {
        Source::Run(named, _) => Source::Run(named, limited),
        file => file,
    };
    let info = source.info();
    let named = match (&source, &args.elf) {
        (Source::Run(named, _), None) => (**named).clone(),
        (Source::Run(..), Some(_)) => {
            return Err(Failure::Other(format!("{}: is a program; --elf is for retire files", args.input)))
        }
        (Source::File(_), Some(elf)) => {
            let named = program(elf)?;
            check_build_id(&args.input, &info.program, &info.build_id, &named.name, &named.build_id)?;
            named
        }
        (Source::File(_), None) => {
            return Err(Failure::Other(format!("{}: is a retire file; --elf must name its program", args.input)))
        }
    };
    let mut first = First::new(args.instructions, args.cycles.unwrap_or(u64::MAX));
    source.tell(&mut first)?;
    Ok((named, first.events(), info.harts))
}

/// Runs it.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    if let (Engine::Verilator, Some(vcd)) = (args.engine, &args.vcd) {
        return Err(Failure::Other(format!("{}: a VCD is written by --engine rust only", vcd.display())));
    }
    let (named, events, cores) = load(args)?;
    check_cores(cores)?;
    let (params, set) = args.params.resolve(cores, named.program.xlen)?;
    let start = Instant::now();
    let c = match args.engine {
        Engine::Rust => on_rust_hdl(&params, &named, &events, args.pace, args.vcd.as_deref())?,
        Engine::Verilator => on_verilator(&params, &named, &events, args.pace)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    let verdict = verdict(&c);
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
            .with("equal", verdict.is_ok().into())
            .with("difference", verdict.as_ref().err().cloned().into())
            .with("vcd", vcd.into())
            .with("seconds", seconds.into())
            .print(out)?;
    } else if let Err(difference) = &verdict {
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
    Ok(if verdict.is_ok() { Status::Done } else { Status::Different })
}

/// Whether the words agree; the first difference where they do not.
pub fn verdict(c: &Comparison) -> Result<(), String> {
    if c.summary.overflow != 0 {
        return Err(format!(
            "the event FIFOs of cores 0b{:b} overflowed: the circuit sends a bit a clock and could not keep up with \
             these instructions; a higher --pace gives it more clocks",
            c.summary.overflow
        ));
    }
    let Some(i) = c.difference() else { return Ok(()) };
    let word = |words: &[u32]| words.get(i).map_or_else(|| "nothing more".into(), |w| format!("0x{w:08x}"));
    Err(format!("word {i}, bit {}: {}, the golden model says {}", 32 * i, word(&c.circuit), word(&c.golden)))
}
