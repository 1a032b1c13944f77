//! `hdl/src/scheme/etrace/{encoder,field,front,head,predictors,reports,returns,rows,size,slice,targets}.rs` against `sim/src/baseline/etrace/{encoder,system}.rs`: whole
//! systems in rust-hdl and in Verilog send the bytes of the model, and decoders find in them what retired

use crate::etrace::{retired, traced};
use crate::system::{compare, ports};
use fpga::cosim::trace::{TraceCosim, TraceOptions};
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::etrace::circuit::build;
use hdl::trace_sim::TraceSim;
use programs::find;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::baseline::etrace::{words, EtraceParams};
use sim::beats::{Expander, Retired};
use sim::params::{Platform, TraceParams};
use sim::standard::etrace::{Container, Scan, Trace};
use sim::standard::Stream;
use sim::stimulus::long;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use std::collections::HashMap;
use testbenches::check::{beat_file, limit, run};

/// Parameters by the name of the scheme.
pub(crate) fn params(name: &str, cores: u8, xlen: u8) -> EtraceParams {
    EtraceParams::new(cores, xlen, name.parse().unwrap())
}

pub(crate) fn options(fifo_address_bits: u8) -> SystemOptions {
    SystemOptions { fifo_address_bits, ..SystemOptions::default() }
}

/// Words of the golden model.
pub(crate) fn golden(params: &EtraceParams, program: &Program, events: &[FlowEvent]) -> Vec<u32> {
    words(&params.bytes(program, events).unwrap())
}

/// The Verilog of a system, compiled.
pub(crate) struct Compiled {
    params: EtraceParams,
    sim: TraceCosim,
}

impl Compiled {
    pub(crate) fn new(params: EtraceParams, fifo_address_bits: u8) -> Self {
        let text = emit(&params, &options(fifo_address_bits)).unwrap();
        Self { params, sim: TraceCosim::build(&text, &ports(params.cores.into(), params.xlen)).unwrap() }
    }

    /// Its words, and register `overflow`.
    pub(crate) fn run(&self, program: &Program, events: &[FlowEvent], played: &TraceOptions) -> (Vec<u32>, u32) {
        let platform = Platform { xlen: self.params.xlen, cores: self.params.cores, ..Platform::RV32 };
        let shape = TraceParams::new(platform, "taken".parse().unwrap());
        let (file, _) = beat_file(program, &shape, events);
        let mut got = Vec::new();
        let summary = self.sim.run(file.path(), played, |w| got.push(w)).unwrap();
        (got, summary.overflow)
    }

    /// Asserts that its words are those of the golden model.
    pub(crate) fn check(&self, name: &str, program: &Program, events: &[FlowEvent], played: &TraceOptions) {
        let place = format!("{name}, {}", self.params.canonical());
        let (got, overflow) = self.run(program, events, played);
        assert_eq!(overflow, 0, "{place}: an event FIFO overflowed");
        compare(&place, &golden(&self.params, program, events), &got);
    }

    /// Also that the decoder finds what retired; random code has loops of jumps without branches, which are decoded as one pass.
    pub(crate) fn check_program(&self, name: &str, program: &Program, events: &[FlowEvent], played: &TraceOptions) {
        self.check(name, program, events, played);
        let place = format!("{name}, {}", self.params.canonical());
        check_decoded(&place, &self.params, program, events, &golden(&self.params, program, events));
    }
}

/// Words of the rust-hdl circuit.
pub(crate) fn simulated(params: &EtraceParams, program: &Program, events: &[FlowEvent]) -> Vec<u32> {
    let mut got = Vec::new();
    let cores = params.cores;
    let mut sim = TraceSim::start(build(params, &options(8)).unwrap(), cores.into(), None, |w| got.push(w)).unwrap();
    let (mut expander, mut clock) = (Expander::new(program, cores), 0);
    let mut put = |beat: &Retired| {
        clock += 2;
        sim.retire(&Retired { cycle: clock, ..*beat }).unwrap();
    };
    events.iter().for_each(|e| expander.event(e, &mut put).unwrap());
    expander.finish(&mut put).unwrap();
    let (summary, _) = sim.finish(0).unwrap();
    assert_eq!(summary.overflow, 0, "the event FIFO overflowed");
    got
}

/// Synthetic code with branches, jumps, calls, returns and traps in any order.
pub(crate) fn synthetic(cores: u8, shape: &Shape, seed: u64, instructions: usize) -> (Program, Vec<FlowEvent>) {
    let model = Model::new(shape);
    let config = Config { trap_per_64k: 1500, ..Config::new(cores, seed) };
    let recording = record(&model, &config, instructions);
    (model.program.clone(), recording.events)
}

/// What a decoder finds in `words`.
pub(crate) fn decoded(params: &EtraceParams, program: &Program, words: &[u32]) -> Vec<FlowEvent> {
    let parameters = params.decoder();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut scan = Scan::new(Container::Smi, &parameters);
    scan.feed(&bytes, true).unwrap();
    let image = Image::new(program);
    let mut trace = Trace::new(Container::Smi, &parameters, &scan.sources, &image);
    let mut events = Vec::<FlowEvent>::new();
    trace.feed(&bytes, true, &mut events);
    trace.finish(&mut events);
    assert_eq!(trace.faults().count, 0, "{}: {:?}", params.canonical(), trace.faults().first);
    events
}

pub(crate) fn of_core(events: &[FlowEvent], core: u8) -> Vec<FlowEvent> {
    events.iter().filter(|e| e.hart == core).copied().collect()
}

/// The decoder finds what retired on each core.
pub(crate) fn check_decoded(
    place: &str,
    params: &EtraceParams,
    program: &Program,
    events: &[FlowEvent],
    words: &[u32],
) {
    let all = decoded(params, program, words);
    for core in 0..params.cores {
        let (found, events) = (of_core(&all, core), of_core(events, core));
        let stops = events.iter().position(|e| e.kind == FlowKind::Stop).unwrap_or(events.len());
        // the position after an indirect jump at the end is not known
        for (want, found) in events[..stops].iter().zip(&found) {
            // the port does not report causes
            let kind = match want.kind {
                FlowKind::Trap { .. } => FlowKind::Trap { interrupt: false, cause: 0 },
                kind => kind,
            };
            assert!(
                want.same_flow(&FlowEvent { kind: want.kind, ..*found }) && kind == found.kind,
                "{place}, core {core}: {want:?}, {found:?}"
            );
        }
        assert!(found.len() + 1 >= stops, "{place}, core {core}: {} of {stops} events", found.len());
    }
}

#[test]
fn verilog_sends_the_bytes_of_the_golden_model() {
    let system = Compiled::new(params("etrace", 1, 32), 8);
    for name in ["fsm", "irq", "qsort", "vm"] {
        let program = find(name).unwrap().load().unwrap();
        system.check_program(name, &program, &run(&program, 1, limit(60_000)).0, &TraceOptions::default());
    }
    for seed in 1..4 {
        let (program, events) = synthetic(1, &Shape::rv32(seed), seed, 20_000);
        system.check(&format!("synthetic {seed}"), &program, &events, &TraceOptions::default());
    }
    let (program, events) = synthetic(1, &Shape::rv64(4), 4, 20_000);
    Compiled::new(params("etrace", 1, 64), 8).check("synthetic 4", &program, &events, &TraceOptions::default());
}

#[test]
fn implicit_returns_and_synchronizations_of_several_cores_match_the_model() {
    // random code returns to other places than it was called from, and calls deeper than the stacks
    for (name, cores, xlen) in
        [("etrace+ir8", 1, 32), ("etrace+ir2+sync32", 3, 32), ("etrace+ir32+sync256", 1, 64), ("etrace", 8, 32)]
    {
        let system = Compiled::new(params(name, cores, xlen), 8);
        let slow = TraceOptions { idle_after_beat: 2 * u64::from(cores), ..TraceOptions::default() };
        for seed in 1..4 {
            let shape = if xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
            let (program, events) = synthetic(cores, &shape, seed, 20_000);
            system.check(&format!("synthetic {seed}"), &program, &events, &slow);
        }
    }
}

/// Programs on the FIFO of 16 entries that the costs are measured with, at the pace of the built-in simulator and with an instruction in every cycle.
#[test]
fn a_fifo_of_16_entries_loses_nothing_of_programs() {
    for (name, cores) in [("etrace+ir8", 1), ("etrace+ir8+sync1024", 2)] {
        let system = Compiled::new(params(name, cores, 32), 4);
        for program in ["irq", "qsort", "parse"] {
            let loaded = find(program).unwrap().load().unwrap();
            let events = run(&loaded, cores, limit(100_000)).0;
            for idle_limit in [u64::MAX, 0] {
                system.check_program(
                    program,
                    &loaded,
                    &events,
                    &TraceOptions { idle_limit, ..TraceOptions::default() },
                );
            }
        }
    }
}

#[test]
fn rust_hdl_sends_the_bytes_of_the_golden_model() {
    let base = params("etrace", 1, 32);
    let program = find("irq").unwrap().load().unwrap();
    let events = run(&program, 1, 3_000).0;
    compare("irq", &golden(&base, &program, &events), &simulated(&base, &program, &events));
    let (program, events) = synthetic(1, &Shape::rv32(7), 7, 2_500);
    for params in [base, params("etrace+ir4+sync64", 1, 32)] {
        let place = params.canonical();
        compare(&place, &golden(&params, &program, &events), &simulated(&params, &program, &events));
    }
}

/// The crate `riscv-etrace` knows implicit return and synchronizations in the middle of a run.
#[test]
fn another_decoder_finds_what_retired() {
    for name in ["etrace", "etrace+ir8", "etrace+ir8+sync256"] {
        let params = params(name, 1, 32);
        for program in ["irq", "qsort", "vm"] {
            let loaded = find(program).unwrap().load().unwrap();
            let events = run(&loaded, 1, limit(60_000)).0;
            let bytes = params.bytes(&loaded, &events).unwrap();
            let want = retired(&Image::new(&loaded), &events);
            let traced = traced(&bytes, params.options, &loaded).unwrap();
            let first = want.iter().zip(&traced).position(|(w, t)| w != t);
            assert_eq!((first, want.len()), (None, traced.len()), "{program}, {name}");
        }
    }
}

/// Losses: the sink takes too few words for the program, so that the FIFO overflows.
#[test]
fn what_is_decoded_between_losses_retired() {
    for (name, cores) in [("etrace", 1), ("etrace+ir8+sync128", 2)] {
        let params = params(name, cores, 32);
        let (program, events) = synthetic(cores, &Shape::rv32(5), 5, 20_000);
        let played = TraceOptions { cycles_per_word: 40, ..TraceOptions::default() };
        let (got, overflow) = Compiled::new(params, 4).run(&program, &events, &played);
        assert_eq!(overflow, (1 << cores) - 1, "{name}: nothing was lost");
        let found = decoded(&params, &program, &got);
        (0..cores).for_each(|core| check_pieces(name, &of_core(&found, core), &of_core(&events, core)));
    }
}

/// Each piece between two losses is a piece of the run; they come in its order.
pub(crate) fn check_pieces(name: &str, found: &[FlowEvent], events: &[FlowEvent]) {
    let kinds = |e: &FlowEvent| (e.pc, e.target, e.len);
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    events.iter().enumerate().for_each(|(i, e)| places.entry(kinds(e)).or_default().push(i));
    let pieces: Vec<&[FlowEvent]> = found
        .split(|e| matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Start | FlowKind::Stop))
        .filter(|piece| !piece.is_empty())
        .collect();
    assert!(pieces.len() > 10, "{name}: {} losses", pieces.len());
    let (mut from, mut known) = (0, 0);
    for piece in pieces {
        // the count of the first event began before it
        let fits = |at: usize| {
            piece.iter().enumerate().all(|(i, f)| {
                events.get(at + i).is_some_and(|e| kinds(e) == kinds(f) && (i == 0 || e.count == f.count))
            })
        };
        let places = places.get(&kinds(&piece[0])).map_or(&[][..], Vec::as_slice);
        let Some(at) = places.iter().copied().find(|at| *at >= from && fits(*at)) else {
            panic!("{name}: {piece:?} did not retire after event {from}");
        };
        from = at + piece.len();
        known += piece.iter().map(|e| e.count).sum::<u32>();
    }
    let all: u32 = events.iter().map(|e| e.count).sum();
    assert!((500..all).contains(&known), "{name}: {known} of {all} instructions are known");
}

#[test]
fn gates_are_within_their_targets() {
    for (name, most, most_luts) in [("etrace", 4_960.0, 800), ("etrace+ir8", 6_500.0, 1_050)] {
        let verilog = emit(&params(name, 1, 32), &options(4)).unwrap();
        let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
        println!("{name}: {:.0} NAND2, {} memory bits", report.gates, report.memory_bits);
        assert!(report.gates <= most, "{name}: {:.0} NAND2", report.gates);
        if long() {
            let placed = fpga::place::place(&verilog, fpga::place::Device::Hx8k, 1, 80).unwrap();
            println!("{placed:?}");
            assert!(placed.resources.lut4 <= most_luts && placed.fmax_mhz >= 65.0, "{name}");
        }
    }
    if long() {
        // the other rows of docs/reference/etrace.md
        for (name, cores, xlen) in [("etrace+ir8+sync1024", 1, 32), ("etrace", 4, 32), ("etrace", 1, 64)] {
            let verilog = emit(&params(name, cores, xlen), &options(4)).unwrap();
            let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
            println!(
                "{name}, {cores} cores, {xlen} bits: {:.0} NAND2, {} memory bits",
                report.gates, report.memory_bits
            );
        }
    }
}
