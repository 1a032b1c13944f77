//! Whole trace systems with stream caches against the golden model: the rust-hdl simulation, and the emitted Verilog
//! under Verilator, on real programs
//!
//! As `system.rs`, for the scheme `sc-lsp`.

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, SystemOptions};
use hdl::ingress::etrace::EtracePins;
use hdl::ingress::rvfi::RvfiPins;
use hdl::spine::Extras;
use hdl::top::System as Circuit;
use hdl::trace_sim::{compare, Play};
use programs::ProgramInfo;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::TraceParams;
use sim::scheme::sc_lsp::{Hash, StreamCacheParams, Variant};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;
use sim::stimulus::run::{record, Config};
use sim::system::System;
use testbenches::check::{beat_file, check_around_gaps, run};
use testbenches::gates::emit_checked_system;

/// No extras.
const NONE: Extras = Extras::NONE;

fn ports(cores: usize, xlen: u8) -> TracePorts {
    TracePorts::rvfi(cores, xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into())
}

fn program(name: &str) -> &'static ProgramInfo {
    programs::find(name).unwrap()
}

/// Cycles from activation to cycle 0 of the beat file, according to `status.active`.
const ACTIVATION: u64 = 1;
/// Cycles from the write that ends tracing to the stop messages, according to time stamps.
const STOPPING: u64 = 2;

/// Words of the golden model; tracing ends in cycle `stop` of the beat file.
fn golden(params: &TraceParams, events: &[FlowEvent], stop: u64) -> Vec<u32> {
    let mut system = System::new(params).unwrap();
    for e in events {
        system.event(&FlowEvent { cycle: e.cycle + ACTIVATION, ..*e });
    }
    system.finish(stop + ACTIVATION + STOPPING);
    system.drain().collect()
}

/// The Verilog of `params`, built with Verilator.
fn build(params: &TraceParams) -> TraceCosim {
    TraceCosim::build(&emit(params, &SystemOptions::default()).unwrap(), &ports(params.cores.into(), params.xlen))
        .unwrap()
}

/// Runs the Verilog on events of a program and compares its words with the model's.
fn check(sim: &TraceCosim, params: &TraceParams, name: &str, program: &Program, events: &[FlowEvent]) {
    let place = format!("{name}, {}", params.canonical());
    let (file, _) = beat_file(program, params, events);
    let mut got = Vec::new();
    let summary = sim.run(file.path(), &TraceOptions::default(), |w| got.push(w)).unwrap();
    assert_eq!(summary.overflow, 0, "{place}: the event FIFOs overflowed");
    let want = golden(params, events, summary.stop);
    for (i, (w, g)) in want.iter().zip(&got).enumerate() {
        assert_eq!(w, g, "{place}: word {i} of {}: golden 0x{w:08x}, Verilog 0x{g:08x}", want.len());
    }
    assert_eq!(want.len(), got.len(), "{place}");
}

/// Runs the Verilog on the first `instructions` of programs, at full rate.
fn cosim(params: &TraceParams, programs: &[&str], instructions: u64) {
    let sim = build(params);
    for name in programs {
        let info = program(name);
        let (events, _) = run(&info.load().unwrap(), params.cores, instructions);
        check(&sim, params, name, &info.load().unwrap(), &events);
    }
}

fn params(sc: StreamCacheParams, cores: u8) -> TraceParams {
    TraceParams::sc_lsp(sc).with(|p| p.cores = cores)
}

fn timed(sc: StreamCacheParams, cores: u8) -> TraceParams {
    params(sc, cores).timed()
}

#[test]
fn the_emitted_verilog_passes_all_gates() {
    for variant in Variant::ALL {
        let sc = StreamCacheParams::new(variant, 32, 4);
        emit_checked_system(&mut Circuit::<RvfiPins<32>, 32>::new(&params(sc, 1), 3, NONE)).unwrap();
    }
    let timed = timed(StreamCacheParams::new(Variant::Rbase, 8, 8), 4);
    emit_checked_system(&mut Circuit::<RvfiPins<32>, 32>::new(&timed, 8, NONE)).unwrap();
    emit_checked_system(&mut Circuit::<EtracePins<64>, 64>::new(&timed.with(|p| (p.xlen, p.cores) = (64, 1)), 8, NONE))
        .unwrap();
}

#[test]
fn verilog_of_rbase_matches_golden_on_programs() {
    let p = params(StreamCacheParams::new(Variant::Rbase, 32, 4), 1);
    cosim(&p, &["vm", "irq", "crypt", "parse", "qsort"], rounds(60_000, 150_000));
}

#[test]
fn verilog_of_ebase_matches_golden_on_four_cores() {
    let p = params(StreamCacheParams::new(Variant::Ebase, 16, 2), 4);
    cosim(&p, &["fsm", "irq"], rounds(60_000, 150_000));
}

#[test]
fn verilog_of_base_matches_golden_on_two_cores() {
    let sc = StreamCacheParams::new(Variant::Base, 64, 1);
    let p = params(StreamCacheParams { sl_bits: 6, hash: Hash::Left, ..sc }, 2);
    cosim(&p, &["irq", "strsearch"], rounds(60_000, 150_000));
}

/// One record per predicted stream, of four cores, with event FIFOs of depth 16: wide slices carry them.
#[test]
fn base_loses_nothing_at_full_rate() {
    let sc = StreamCacheParams::new(Variant::Base, 64, 4);
    for p in [params(sc, 4), timed(sc, 4)] {
        let options = SystemOptions { fifo_address_bits: 4, ..SystemOptions::default() };
        let sim = TraceCosim::build(&emit(&p, &options).unwrap(), &ports(4, p.xlen)).unwrap();
        for info in programs::PROGRAMS {
            let program = info.load().unwrap();
            let (events, _) = run(&program, p.cores, rounds(40_000, 100_000));
            check(&sim, &p, info.name, &program, &events);
        }
    }
}

/// Every variant, small and large, with time stamps; a narrow cycle counter forces predicted streams out early.
#[test]
fn time_stamped_verilog_matches_golden_on_programs() {
    let narrow = |p: TraceParams| p.with(|p| p.cc_bits = 16);
    for p in [
        timed(StreamCacheParams::new(Variant::Base, 8, 4), 1),
        timed(StreamCacheParams::new(Variant::Ebase, 64, 8), 4),
        narrow(timed(StreamCacheParams::new(Variant::Rbase, 1024, 1), 1)),
    ] {
        cosim(&p, &["irq", "qsort"], rounds(30_000, 60_000));
    }
}

/// Random programs with many traps and indirect jumps: 120,000 instructions for each variant.
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
        for timestamps in [false, true] {
            p.timestamps = timestamps;
            check(&build(&p), &p, "random", &model.program, &recording.events);
        }
    }
}

#[test]
fn the_rust_hdl_simulation_matches_golden() {
    let instructions = rounds(4_000, 20_000);
    for (params, name, pace) in [
        (params(StreamCacheParams::new(Variant::Rbase, 32, 4), 1), "irq", 4),
        (params(StreamCacheParams::new(Variant::Ebase, 8, 8), 4), "fft", 4),
        (timed(StreamCacheParams::new(Variant::Base, 64, 1), 2), "irq", 8),
        (timed(StreamCacheParams::new(Variant::Rbase, 32, 4), 1), "qsort", 4),
    ] {
        let info = program(name);
        let (events, _) = run(&info.load().unwrap(), params.cores, instructions);
        let play = Play { options: SystemOptions::default(), pace, vcd: None, progress: &|_| () };
        let c = compare(&params, &info.load().unwrap(), &events, play).unwrap();
        let place = format!("{name}, {}", params.canonical());
        assert_eq!((c.summary.beats, c.summary.overflow), (instructions, 0), "{place}");
        assert_eq!(c.difference(), None, "{place}: {} words, golden {}", c.circuit.len(), c.golden.len());
        assert!(c.golden.len() > 20, "{place}: {} words", c.golden.len());
    }
}

/// With a FIFO of seven entries and a port that is rarely ready, the trace has gaps, and is right outside them.
#[test]
fn after_an_overflow_the_trace_goes_on_right() {
    let params = params(StreamCacheParams::new(Variant::Rbase, 8, 4), 4);
    let info = program("parse");
    let program = info.load().unwrap();
    let (events, _) = run(&program, 4, 150_000);
    let options = SystemOptions { fifo_address_bits: 3, ..SystemOptions::default() };
    let sim = TraceCosim::build(&emit(&params, &options).unwrap(), &ports(4, 32)).unwrap();
    let (file, _) = beat_file(&program, &params, &events);
    let mut words = Vec::new();
    // the encoder keeps up with four cores: overflows need a sink that does not
    let options = TraceOptions { stall_seed: 1, ..TraceOptions::default() };
    let summary = sim.run(file.path(), &options, |w| words.push(w)).unwrap();
    assert_eq!(summary.overflow, 0xf, "all cores lose something");
    let (gaps, _) = check_around_gaps(&Image::new(&program), &params, words.into_iter(), &events);
    assert!(gaps > 4, "{gaps} gaps");
}

/// Every variant in the smallest, the paper's and the largest size, functional and time-stamped, one and four cores: 5
/// million retired instructions each.
#[test]
#[ignore = "long: hours of Verilator builds"]
fn every_variant_matches_on_five_million_instructions() {
    for variant in Variant::ALL {
        for (sets, ways) in [(8, 4), (32, 4), (128, 8)] {
            for cores in [1, 4] {
                for timestamps in [false, true] {
                    let sc = StreamCacheParams::new(variant, sets, ways);
                    let p = params(sc, cores).with(|p| p.timestamps = timestamps);
                    let start = std::time::Instant::now();
                    cosim(&p, &["strsearch"], 5_000_000);
                    eprintln!("{}: equal, {:.0} s", p.canonical(), start.elapsed().as_secs_f64());
                }
            }
        }
    }
}
