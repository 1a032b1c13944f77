//! Whole trace systems with stream caches against the golden model: the rust-hdl simulation, and the emitted
//! Verilog under Verilator, on real programs
//!
//! As `system.rs`, for the scheme `sc-lsp`.

use hdl::emit::{emit, SystemOptions};
use hdl::system::RvfiStreamSystem;
use sim::elf::Program;
use sim::golden::system::System;
use sim::params::TraceParams;
use sim::replay::image::Image;
use sim::replay::{Events, Replay};
use sim::retire::{FlowEvent, FlowKind, RetireSink};
use sim::rv32::{Limits, Machine, MachineConfig};
use sim::stream_cache::{Hash, StreamCacheParams, Variant};
use std::collections::HashMap;
use testbenches::beats::{Expander, Writer};
use testbenches::gates::emit_checked;
use testbenches::programs::ProgramInfo;
use testbenches::stimulus::program::{Model, Shape};
use testbenches::stimulus::run::{record, Config};
use testbenches::trace_cosim::{TraceCosim, TraceOptions, TracePorts};
use testbenches::trace_sim::{compare, Play};

fn ports(cores: usize, xlen: u8) -> TracePorts {
    TracePorts::rvfi(cores, xlen, |i, name| format!("rvfi_{name}${i}"), |name| name.into())
}

fn program(name: &str) -> &'static ProgramInfo {
    testbenches::programs::find(name).unwrap()
}

fn run(info: &ProgramInfo, harts: u8, instructions: u64) -> Vec<FlowEvent> {
    let config = MachineConfig { harts, ..MachineConfig::default() };
    let mut events = Vec::new();
    let mut machine = Machine::new(&info.load().unwrap(), config).unwrap();
    machine.run(&mut events, Limits { instructions, ..Limits::default() }).unwrap();
    events
}

fn beats(program: &Program, params: &TraceParams, events: &[FlowEvent]) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut w = Writer::new(std::io::BufWriter::new(file.reopen().unwrap()), params.cores, params.xlen).unwrap();
    let mut x = Expander::new(program, params.cores);
    for e in events {
        x.event(e, &mut |r| w.push(r).unwrap()).unwrap();
    }
    x.finish(&mut |r| w.push(r).unwrap()).unwrap();
    w.finish().unwrap();
    file
}

fn golden(params: &TraceParams, events: &[FlowEvent]) -> Vec<u32> {
    let mut system = System::new(params).unwrap();
    events.iter().for_each(|e| system.event(e));
    system.finish(0);
    system.drain().collect()
}

/// The Verilog of `params`, Verilated.
fn build(params: &TraceParams) -> TraceCosim {
    TraceCosim::build(&emit(params, &SystemOptions::default()).unwrap(), &ports(params.cores.into(), params.xlen))
        .unwrap()
}

/// Runs the Verilog on events of a program; what it sends must be what the model sends.
fn check(sim: &TraceCosim, params: &TraceParams, name: &str, program: &Program, events: &[FlowEvent], rest: u64) {
    let place = format!("{name}, {}", params.canonical());
    let file = beats(program, params, events);
    let mut got = Vec::new();
    let options = TraceOptions { rest, ..TraceOptions::default() };
    let summary = sim.run(file.path(), &options, |w| got.push(w)).unwrap();
    assert_eq!(summary.overflow, 0, "{place}: the event FIFOs overflowed");
    let want = golden(params, events);
    for (i, (w, g)) in want.iter().zip(&got).enumerate() {
        assert_eq!(w, g, "{place}: word {i} of {}: golden 0x{w:08x}, Verilog 0x{g:08x}", want.len());
    }
    assert_eq!(want.len(), got.len(), "{place}");
}

/// Runs the Verilog on the first `instructions` of programs. The serial encoder sends a bit a clock: several
/// cores run slower, so that their FIFOs do not fill.
fn cosim(params: &TraceParams, programs: &[&str], instructions: u64) {
    let sim = build(params);
    for name in programs {
        let info = program(name);
        let events = run(info, params.cores, instructions);
        check(&sim, params, name, &info.load().unwrap(), &events, 3 * u64::from(params.cores));
    }
}

fn params(sc: StreamCacheParams, cores: u8) -> TraceParams {
    TraceParams { cores, ..TraceParams::sc_lsp(sc) }
}

#[test]
fn the_emitted_verilog_passes_all_gates() {
    for variant in [Variant::Base, Variant::Rbase] {
        let params = params(StreamCacheParams::new(variant, 32, 4), 1);
        emit_checked(&mut RvfiStreamSystem::<32, 1>::new(&params, 3)).unwrap();
    }
}

#[test]
fn verilog_of_rbase_matches_golden_on_programs() {
    let p = params(StreamCacheParams::new(Variant::Rbase, 32, 4), 1);
    cosim(&p, &["vm", "irq", "crypt", "parse", "qsort"], 150_000);
}

#[test]
fn verilog_of_ebase_matches_golden_on_four_cores() {
    let p = params(StreamCacheParams::new(Variant::Ebase, 16, 2), 4);
    cosim(&p, &["fsm", "irq"], 150_000);
}

#[test]
fn verilog_of_base_matches_golden_on_two_cores() {
    let sc = StreamCacheParams::new(Variant::Base, 64, 1);
    let p = params(StreamCacheParams { sl_bits: 6, hash: Hash::Left, ..sc }, 2);
    cosim(&p, &["irq", "strsearch"], 150_000);
}

/// Random programs with many traps and jumps to anywhere: 120,000 instructions for each variant.
#[test]
fn verilog_matches_golden_on_random_programs() {
    for (seed, variant) in Variant::ALL.into_iter().enumerate() {
        let sc = StreamCacheParams::new(variant, 16, 4);
        let mut p = params(StreamCacheParams { sl_bits: 7, shift: 2, ..sc }, 2);
        let mut shape = Shape::rv32(seed as u64);
        if variant == Variant::Rbase {
            (p.xlen, shape) = (64, Shape::rv64(seed as u64));
        }
        let model = Model::new(&shape);
        let recording = record(&model, &Config::new(p.cores, seed as u64), 120_000);
        let traps = recording.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
        assert!(traps > 100, "{traps} traps");
        check(&build(&p), &p, "random", &model.program, &recording.events, 40);
    }
}

#[test]
fn the_rust_hdl_simulation_matches_golden() {
    for (sc, cores, name) in [
        (StreamCacheParams::new(Variant::Rbase, 32, 4), 1, "irq"),
        (StreamCacheParams::new(Variant::Base, 4, 8), 2, "parse"),
    ] {
        let params = params(sc, cores);
        let info = program(name);
        let events = run(info, cores, 3_000);
        let play = Play { options: SystemOptions::default(), pace: 6, vcd: None, progress: &|_| () };
        let c = compare(&params, &info.load().unwrap(), &events, play).unwrap();
        assert_eq!(c.difference(), None, "{name}: {} words, golden {}", c.circuit.len(), c.golden.len());
        assert!(c.golden.len() > 20, "{} words", c.golden.len());
    }
}

/// A FIFO of seven entries and a port that is rarely ready: the trace has gaps, and is right outside them.
#[test]
fn after_an_overflow_the_trace_goes_on_right() {
    let params = params(StreamCacheParams::new(Variant::Rbase, 8, 4), 4);
    let info = program("parse");
    let events = run(info, 4, 150_000);
    let options = SystemOptions { log2_fifo: 3, ..SystemOptions::default() };
    let sim = TraceCosim::build(&emit(&params, &options).unwrap(), &ports(4, 32)).unwrap();
    let file = beats(&info.load().unwrap(), &params, &events);
    let mut words = Vec::new();
    let summary = sim.run(file.path(), &TraceOptions::default(), |w| words.push(w)).unwrap();
    assert_eq!(summary.overflow, 0xf, "all cores lose something");
    let image = Image::new(&info.load().unwrap());
    let mut back: Vec<FlowEvent> = Vec::new();
    Replay::new(&image, &params, words.into_iter()).unwrap().run(&mut Events(&mut back)).unwrap();
    let mut gaps = 0;
    for hart in 0..4 {
        // what was retired, by the number of instructions up to it
        let mut at = 0;
        let mut retired = HashMap::new();
        for e in events.iter().filter(|e| e.hart == hart) {
            at += u64::from(e.count);
            retired.insert((at, e.pc), e);
        }
        let all = at;
        let (mut at, mut told) = (0, 0);
        for e in back.iter().filter(|e| e.hart == hart) {
            at += u64::from(e.count);
            told += u64::from(e.count);
            if let FlowKind::Gap { lost } = e.kind {
                at += u64::from(lost);
                gaps += 1;
                continue;
            }
            if matches!(e.kind, FlowKind::Start | FlowKind::Stop) {
                continue;
            }
            let want = retired.get(&(at, e.pc));
            assert!(
                want.is_some_and(|w| w.target == e.target && w.len == e.len),
                "hart {hart}, instruction {at}: came back {e:?}, went in {want:?}"
            );
        }
        assert_eq!(at, all, "hart {hart}: told and lost instructions are all there were");
        assert!(told > 0 && told < all, "hart {hart}: {told} of {all} instructions are told");
    }
    assert!(gaps > 4, "{gaps} gaps");
}
