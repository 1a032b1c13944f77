//! Whole trace systems: emitted Verilog under Verilator against the golden model, on real programs

use hdl::emit::{emit, SystemOptions};
use sim::golden::system::System;
use sim::params::{named_set, TraceParams};
use sim::retire::{FlowEvent, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig};
use testbenches::beats::{Expander, Writer};
use testbenches::programs::{ProgramInfo, PROGRAMS};
use testbenches::trace_cosim::{TraceCosim, TraceOptions, TracePorts};

fn ports(cores: usize, xlen: u8) -> TracePorts {
    TracePorts::rvfi(cores, xlen, |i, name| format!("rvfi_{name}${i}"), |name| name.into())
}

fn run(info: &ProgramInfo, harts: u8, instructions: u64) -> Vec<FlowEvent> {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events = Vec::new();
    let mut machine = Machine::new(&info.load().unwrap(), config).unwrap();
    machine.run(&mut events, Limits { instructions, ..Limits::default() }).unwrap();
    events
}

/// The beat file of a run, and the events of what it holds.
fn beats(info: &ProgramInfo, harts: u8, events: &[FlowEvent]) -> (tempfile::NamedTempFile, u64) {
    let program = info.load().unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut w = Writer::new(std::io::BufWriter::new(file.reopen().unwrap()), harts, 32).unwrap();
    let mut x = Expander::new(&program, harts);
    for e in events {
        x.event(e, &mut |r| w.push(r).unwrap()).unwrap();
    }
    x.finish(&mut |r| w.push(r).unwrap()).unwrap();
    let n = w.beats();
    w.finish().unwrap();
    (file, n)
}

/// Words of the golden model; `start` is the cycle, counted from activation, of cycle 0 of the run.
fn golden(params: &TraceParams, events: &[FlowEvent], start: u64, stop: u64) -> Vec<u32> {
    let mut system = System::new(params).unwrap();
    for e in events {
        system.event(&FlowEvent { cycle: e.cycle + start, ..*e });
    }
    system.finish(stop + start);
    system.drain().collect()
}

fn compare(place: &str, want: &[u32], got: &[u32]) {
    for (i, (w, g)) in want.iter().zip(got).enumerate() {
        assert_eq!(w, g, "{place}: word {i} of {}: golden 0x{w:08x}, Verilog 0x{g:08x}", want.len());
    }
    assert_eq!(want.len(), got.len(), "{place}");
}

/// Clocks from activation to clock 0 of the beat file: see `time_stamped_systems_match`.
const ACTIVATION: u64 = 0;

/// Runs the Verilog on the first `instructions` of a program; what it sends must be what the golden model
/// sends. Returns the instructions.
fn cosim(params: &TraceParams, info: &ProgramInfo, instructions: u64, options: TraceOptions) -> u64 {
    let place = format!("{}, {}", info.name, params.canonical());
    let verilog = emit(params, &SystemOptions::default()).unwrap();
    let sim = TraceCosim::build(&verilog, &ports(params.cores.into(), params.xlen)).unwrap();
    let events = run(info, params.cores, instructions);
    let (file, beats) = beats(info, params.cores, &events);
    let mut got = Vec::new();
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    assert_eq!(summary.overflow, 0, "{place}: the event FIFOs overflowed");
    assert_eq!(summary.beats, beats);
    let want = golden(params, &events, ACTIVATION, summary.stop);
    compare(&place, &want, &got);
    beats
}

#[test]
fn functional_systems_match_the_golden_model() {
    for (set, cores) in [("small", 1), ("medium", 1), ("large", 1), ("small", 4), ("large", 2)] {
        let named = named_set(set).unwrap();
        let mut params = TraceParams::tr(named.predictor, named.tr_e);
        params.cores = cores;
        for info in PROGRAMS.iter().filter(|p| ["fsm", "irq", "qsort", "vm"].contains(&p.name)) {
            // the serial encoder needs a bit a clock: a slower machine where four cores mispredict much
            cosim(&params, info, 200_000, TraceOptions { rest: u64::from(cores) - 1, ..TraceOptions::default() });
        }
    }
}
