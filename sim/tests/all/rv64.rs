//! RV64: programs print the same as on RV32, and replay of `tr_e` and of scheme `inputs` reproduces their runs
//!
//! `GOSHAWK_LONG=1` runs all of them to the end, and more instructions of each.

use crate::inputs_support::{self, assert_replays, difference, record, Log};
use programs::RV64;
use retire::elf::{Program, Segment};
use retire::image::Image;
use retire::{DataKind, FlowEvent, NullSink, RetireSink};
use sim::params::{Platform, TraceParams};
use sim::replay::Events;
use sim::riscv::{Exit, Limits, Machine, MachineConfig, Timing, Unmodelled};
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::{replay, InputsParams, Recorder};
use sim::stimulus::{long, rounds};
use sim::system::System;

fn load(name: &str) -> Program {
    let program = RV64.iter().find(|p| p.name == name).expect("a program for RV64");
    Program::parse(program.elf).expect("it loads")
}

#[test]
fn programs_print_their_results() {
    let all = long();
    for program in RV64.iter().filter(|p| all || ["float", "fft", "strsearch"].contains(&p.name)) {
        for harts in [1, 4] {
            let loaded = Program::parse(program.elf).expect("it loads");
            let config = MachineConfig { harts, timing: Timing::functional(), ..MachineConfig::default() };
            let limits = Limits { instructions: 500_000_000, ..Limits::default() };
            let run = Machine::new(&loaded, config).unwrap().run(&mut NullSink, limits).unwrap();
            let text = String::from_utf8_lossy(&run.uart);
            assert_eq!((text.lines().last(), run.exit), (Some(program.output), Exit::Finished(0)), "{}", program.name);
        }
    }
}

#[test]
fn the_control_flow_comes_back_from_tr_e() {
    for name in ["float", "bank", "parse"] {
        let program = load(name);
        let mut retired: Vec<FlowEvent> = Vec::new();
        let config = MachineConfig { harts: 2, ..MachineConfig::default() };
        let limits = Limits { instructions: 300_000, ..Limits::default() };
        let run = Machine::new(&program, config).unwrap().run(&mut retired, limits).unwrap();
        let platform = Platform { cores: 2, xlen: 64, ..Platform::RV32 };
        let params = TraceParams::new(platform, "tr_e:medium".parse().unwrap());
        let mut system = System::new(&params).unwrap();
        retired.iter().for_each(|e| system.event(e));
        system.finish(run.cycles);
        let stream: Vec<u32> = system.drain().collect();
        let mut replayed: Vec<FlowEvent> = Vec::new();
        let image = Image::new(&program);
        sim::replay::Replay::new(&image, &params, stream.into_iter()).unwrap().run(&mut Events(&mut replayed)).unwrap();
        for hart in 0..2 {
            let of = |events: &[FlowEvent]| events.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
            let (went_in, came_out) = (of(&retired), of(&replayed));
            assert_eq!(went_in.len(), came_out.len(), "{name}");
            assert!(went_in.iter().zip(&came_out).all(|(a, b)| a.same_flow(b)), "{name}, hart {hart}");
        }
    }
}

#[test]
fn every_program_replays_with_all_its_values() {
    let instructions = rounds(60_000, 2_000_000);
    let mut floats = 0;
    for program in RV64 {
        let loaded = Program::parse(program.elf).expect("it loads");
        for harts in [1, 4] {
            let config = MachineConfig { harts, seed: 3, ..MachineConfig::default() };
            let sizes = Sizes { check: 12, block: 4, ..Sizes::default() };
            let recorded = record(&loaded, config, instructions, sizes);
            assert_replays(&loaded, &recorded, &format!("{}, {harts} harts", program.name));
            let float = |i: &&inputs_support::Item| matches!(i, inputs_support::Item::Data(_, DataKind::Float { .. }));
            floats += recorded.log.0.iter().flatten().filter(float).count();
        }
    }
    assert!(floats > 10_000, "{floats} float registers were written");
}

/// Changes one bit of each float addition: replay of the changed program reports that it is another program.
#[test]
fn the_state_check_sees_float_registers() {
    let program = load("float");
    let config = MachineConfig { harts: 1, ..MachineConfig::default() };
    let sizes = Sizes { check: 10, ..Sizes::default() };
    let recorded = record(&program, config, 100_000, sizes);
    let mut other = program.clone();
    let code = &mut other.segments.iter_mut().find(|s| s.executable).unwrap().data;
    // fadd.s and fadd.d become fsub: bit 27
    let mut changed = 0;
    for at in (0..code.len() - 3).step_by(2) {
        let insn = u32::from_le_bytes(code[at..at + 4].try_into().unwrap());
        if insn & 0xfc00_007f == 0x0000_0053 && insn >> 12 & 7 == 7 {
            code[at + 3] ^= 0x08;
            changed += 1;
        }
    }
    assert!(changed > 0);
    let mut replay = replay::Replay::new(&recorded.params, &other, recorded.words.clone()).unwrap().unwrap();
    let error = replay.run(&mut NullSink, |_| false).unwrap_err().to_string();
    assert!(error.contains("signature"), "{error}");
}

/// A loop of custom-0 instructions, whose results depend on the number of earlier executions, and sums of them; the one
/// with `rd` x0 does nothing.
fn custom(xlen: u8) -> Program {
    let code: [u32; 9] = [
        0x0010_0093, // addi x1, x0, 1
        0x0020_810b, // custom-0 x2, x1, x2
        0x0021_81b3, // add x3, x3, x2
        0x0021_800b, // custom-0 x0, x3, x2
        0x0031_820b, // custom-0 x4, x3, x3
        0x0040_c0b3, // xor x1, x1, x4
        0x0010_8093, // addi x1, x1, 1
        0xfe00_04e3, // beq x0, x0, -24
        0x0000_006f,
    ];
    let data: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    let addr = 0x8000_0000;
    let segments = vec![Segment::code(addr, data)];
    Program {
        xlen,
        compressed: true,
        multiplies: true,
        zcm: false,
        tohost: None,
        entry: addr,
        segments,
        build_id: vec![0],
    }
}

/// Semantics of the unmodelled instructions: a mix of operands and encoding.
fn execute(insn: u32, [a, b]: [u64; 2]) -> u64 {
    (a ^ b.rotate_left(17) ^ u64::from(insn)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ a >> 7
}

#[test]
fn results_of_instructions_that_are_not_modelled_are_sent() {
    let which = Unmodelled { mask: 0x7f, value: 0x0b };
    for xlen in [32, 64] {
        let program = custom(xlen);
        let sizes = Sizes { check: 10, unmodelled: Some(which), ..Sizes::default() };
        let config = MachineConfig { timing: Timing::functional(), ..MachineConfig::default() };
        let mut machine = Machine::new(&program, config).unwrap().with_unmodelled(which, execute);
        let params = InputsParams::new(1, xlen, machine.ram(), sizes);
        let mut recorder = Recorder::new(&params, &program).unwrap();
        let mut log = Log::default();
        let limits = Limits { instructions: 7_000, ..Limits::default() };
        machine.run(&mut inputs_support::Both(&mut recorder, &mut log), limits).unwrap();
        recorder.finish();
        // two of seven instructions
        let stats = *recorder.stats();
        assert!((1_900..=2_000).contains(&stats.inputs.messages), "{:?}", stats.inputs);
        let words: Vec<u32> = recorder.drain().collect();
        let mut back = Log::default();
        let mut replay = replay::Replay::new(&params, &program, words.clone()).unwrap().unwrap();
        replay.run(&mut back, |_| false).unwrap();
        assert_eq!(difference(&log, &back), None);
        // without the mask the header does not match
        let plain = InputsParams::new(1, xlen, machine.ram(), Sizes { unmodelled: None, ..sizes });
        assert!(replay::Replay::new(&plain, &program, words).unwrap().is_err());
    }
}

/// With a mask that matches modelled instructions: results of `mul` are taken from the stream, not computed.
#[test]
fn a_mask_over_multiplications_sends_their_results() {
    let mask = Unmodelled { mask: 0xfe00_007f, value: 0x0200_0033 };
    let program = load("crypt");
    let config = MachineConfig { harts: 2, ..MachineConfig::default() };
    let plain = record(&program, config.clone(), 100_000, Sizes { check: 12, ..Sizes::default() });
    let sizes = Sizes { check: 12, unmodelled: Some(mask), ..Sizes::default() };
    let masked = record(&program, config, 100_000, sizes);
    assert_replays(&program, &masked, "crypt, multiplications from outside");
    assert!(masked.stats.inputs.messages > plain.stats.inputs.messages + 100, "{:?}", masked.stats.inputs);
}
