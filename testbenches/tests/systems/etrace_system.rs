//! `hdl/src/scheme/etrace/{encoder,front,reports,size}.rs` against `sim/src/baseline/etrace/encoder.rs`: whole systems in rust-hdl and in
//! Verilog send the bytes of the model, and decoders find in them what retired

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
use sim::baseline::etrace::{words, EtraceParams, Options};
use sim::beats::{Expander, Retired};
use sim::params::{Platform, TraceParams};
use sim::standard::etrace::{Container, Scan, Trace};
use sim::standard::Stream;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use std::collections::HashMap;
use testbenches::check::{beat_file, limit, run};

const PARAMS: EtraceParams = EtraceParams { options: Options::BASE, cores: 1, xlen: 32 };

fn options(log2_fifo: u8) -> SystemOptions {
    SystemOptions { log2_fifo, ..SystemOptions::default() }
}

/// Words of the golden model.
fn golden(program: &Program, events: &[FlowEvent]) -> Vec<u32> {
    let params = EtraceParams { xlen: program.xlen, ..PARAMS };
    words(&params.bytes(&Image::new(program), events).unwrap())
}

/// The Verilog of a system, compiled.
struct Compiled {
    params: EtraceParams,
    sim: TraceCosim,
}

impl Compiled {
    fn new(xlen: u8, log2_fifo: u8) -> Self {
        let params = EtraceParams { xlen, ..PARAMS };
        let text = emit(&params, &options(log2_fifo)).unwrap();
        Self { params, sim: TraceCosim::build(&text, &ports(1, xlen)).unwrap() }
    }

    /// Its words, and register `overflow`.
    fn run(&self, program: &Program, events: &[FlowEvent], played: &TraceOptions) -> (Vec<u32>, u32) {
        let platform = Platform { xlen: self.params.xlen, ..Platform::RV32 };
        let shape = TraceParams::new(platform, "taken".parse().unwrap());
        let (file, _) = beat_file(program, &shape, events);
        let mut got = Vec::new();
        let summary = self.sim.run(file.path(), played, |w| got.push(w)).unwrap();
        (got, summary.overflow)
    }

    /// Asserts that its words are those of the golden model.
    fn check(&self, name: &str, program: &Program, events: &[FlowEvent]) {
        let (got, overflow) = self.run(program, events, &TraceOptions::default());
        assert_eq!(overflow, 0, "{name}: the event FIFO overflowed");
        compare(name, &golden(program, events), &got);
    }
}

/// Words of the rust-hdl circuit.
fn simulated(program: &Program, events: &[FlowEvent]) -> Vec<u32> {
    let mut got = Vec::new();
    let mut sim = TraceSim::start(build(&PARAMS, &options(8)).unwrap(), 1, None, |w| got.push(w)).unwrap();
    let (mut expander, mut clock) = (Expander::new(program, 1), 0);
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
fn synthetic(shape: &Shape, seed: u64, instructions: usize) -> (Program, Vec<FlowEvent>) {
    let model = Model::new(shape);
    let recording = record(&model, &Config { trap_per_64k: 1500, ..Config::new(1, seed) }, instructions);
    (model.program.clone(), recording.events)
}

/// What a decoder finds in `words`.
fn decoded(program: &Program, words: &[u32]) -> Vec<FlowEvent> {
    let parameters = EtraceParams { xlen: program.xlen, ..PARAMS }.decoder();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let mut scan = Scan::new(Container::Smi, &parameters);
    scan.feed(&bytes, true).unwrap();
    let image = Image::new(program);
    let mut trace = Trace::new(Container::Smi, &parameters, &scan.sources, &image);
    let mut events = Vec::<FlowEvent>::new();
    trace.feed(&bytes, true, &mut events);
    trace.finish(&mut events);
    assert_eq!(trace.faults().count, 0, "{:?}", trace.faults().first);
    events
}

#[test]
fn verilog_sends_the_bytes_of_the_golden_model() {
    let system = Compiled::new(32, 8);
    for name in ["fsm", "irq", "qsort", "vm"] {
        let program = find(name).unwrap().load().unwrap();
        system.check(name, &program, &run(&program, 1, limit(60_000)).0);
    }
    for seed in 1..4 {
        let (program, events) = synthetic(&Shape::rv32(seed), seed, 20_000);
        system.check(&format!("synthetic {seed}"), &program, &events);
    }
    let (program, events) = synthetic(&Shape::rv64(4), 4, 20_000);
    Compiled::new(64, 8).check("synthetic 4", &program, &events);
}

#[test]
fn rust_hdl_sends_the_bytes_of_the_golden_model() {
    let program = find("irq").unwrap().load().unwrap();
    let events = run(&program, 1, 3_000).0;
    compare("irq", &golden(&program, &events), &simulated(&program, &events));
    let (program, events) = synthetic(&Shape::rv32(7), 7, 2_500);
    compare("synthetic", &golden(&program, &events), &simulated(&program, &events));
}

#[test]
fn decoders_find_what_retired() {
    for name in ["irq", "qsort", "vm"] {
        let program = find(name).unwrap().load().unwrap();
        let events = run(&program, 1, limit(60_000)).0;
        let found = decoded(&program, &golden(&program, &events));
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
                "{name}: {want:?}, {found:?}"
            );
        }
        let bytes = PARAMS.bytes(&Image::new(&program), &events).unwrap();
        let (want, traced) =
            (retired(&Image::new(&program), &events), traced(&bytes, Options::BASE, &program).unwrap());
        assert!(want == traced, "{name}: {} and {} instructions", want.len(), traced.len());
        assert!(found.len() + 1 >= stops, "{name}: {} of {stops} events", found.len());
    }
}

/// Losses: the sink takes too few words for the program, so that the FIFO overflows.
#[test]
fn what_is_decoded_between_losses_retired() {
    let (program, events) = synthetic(&Shape::rv32(5), 5, 20_000);
    let played = TraceOptions { cycles_per_word: 40, ..TraceOptions::default() };
    let (got, overflow) = Compiled::new(32, 4).run(&program, &events, &played);
    assert_eq!(overflow, 1, "nothing was lost");
    let found = decoded(&program, &got);
    // each piece between two losses is a piece of the run; they come in its order
    let kinds = |e: &FlowEvent| (e.pc, e.target, e.len);
    let mut places: HashMap<_, Vec<usize>> = HashMap::new();
    events.iter().enumerate().for_each(|(i, e)| places.entry(kinds(e)).or_default().push(i));
    let pieces: Vec<&[FlowEvent]> = found
        .split(|e| matches!(e.kind, FlowKind::Gap { .. } | FlowKind::Start | FlowKind::Stop))
        .filter(|piece| !piece.is_empty())
        .collect();
    assert!(pieces.len() > 10, "{} losses", pieces.len());
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
            panic!("{piece:?} did not retire after event {from}");
        };
        from = at + piece.len();
        known += piece.iter().map(|e| e.count).sum::<u32>();
    }
    assert!((1_000..20_000).contains(&known), "{known} instructions are known");
}
