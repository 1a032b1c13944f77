//! Branch prediction, jump target cache and full addresses of `hdl/src/scheme/etrace/{head,predictors,rows,targets}.rs` against `sim/src/baseline/etrace`

use crate::etrace_system::{
    check_decoded, check_pieces, decoded, golden, of_core, options, params, simulated, Compiled,
};
use crate::system::compare;
use fpga::cosim::trace::TraceOptions;
use hdl::emit::emit;
use programs::{find, PROGRAMS};
use rayon::prelude::*;
use retire::elf::{Program, Segment};
use retire::{FlowEvent, FlowKind};
use riscv_etrace::packet;
use riscv_etrace::packet::ext::{BranchKind, Extension};
use riscv_etrace::packet::payload::{InstructionTrace, Payload};
use sim::baseline::etrace::{EtraceParams, MAX_PREDICTED};
use sim::stimulus::long;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use testbenches::check::{limit, run};

/// As [`crate::etrace_system::synthetic`], with this many traps.
fn synthetic(cores: u8, shape: &Shape, seed: u64, traps: u16, instructions: usize) -> (Program, Vec<FlowEvent>) {
    let model = Model::new(shape);
    let recording = record(&model, &Config { trap_per_64k: traps, ..Config::new(cores, seed) }, instructions);
    (model.program.clone(), recording.events)
}

/// Packets of format 0 by kind: counts without address, with one, with that of a branch that was not predicted; indices without
/// and with branches, with the depth of the return stack.
fn forms(params: &EtraceParams, words: &[u32]) -> [usize; 6] {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let parameters = params.options.parameters(params.xlen);
    let mut decoder = packet::builder().with_params(&parameters).decoder(bytes.as_slice());
    let mut found = [0; 6];
    // zeros fill the last word
    while decoder.bytes_left() > 3 {
        let payload = decoder.decode_smi_packet().unwrap().decode_payload().unwrap();
        let Payload::InstructionTrace(InstructionTrace::Extension(extension)) = payload else { continue };
        let form = match extension {
            Extension::BranchCount(b) => match b.kind {
                BranchKind::NoAddr => 0,
                BranchKind::Addr(_) => 1,
                BranchKind::AddrFail(_) => 2,
            },
            Extension::JumpTargetIndex(j) if j.irdepth.is_some() => 5,
            Extension::JumpTargetIndex(j) => 3 + usize::from(j.branch_map.count() > 0),
        };
        found[form] += 1;
    }
    found
}

/// `nop`, a branch to it, `jr a5`; the events of `turns` and, after each of these, the jump back. After 40 more turns, the run ends at a branch
/// that is not taken.
fn loops(turns: &[u32]) -> (Program, Vec<FlowEvent>) {
    let (nop, branch, jump) = (0x8000_0000, 0x8000_0004, 0x8000_0008);
    let data = [0x0000_0013u32, 0xfe00_0ee3, 0x0007_8067].iter().flat_map(|w| w.to_le_bytes()).collect();
    let segments = vec![Segment::code(nop, data).of_size(12)];
    let program = Program { segments, ..find("crypt").unwrap().load().unwrap() };
    let event = |kind, len, count, pc, target| FlowEvent { hart: 0, kind, len, count, pc, target, cycle: 0 };
    let turn = |taken| event(FlowKind::Conditional { taken }, 4, 2, branch, if taken { nop } else { jump });
    let mut events = vec![event(FlowKind::Start, 0, 0, nop, nop)];
    for turns in turns {
        events.extend((0..*turns).map(|_| turn(true)));
        events.extend([turn(false), event(FlowKind::IndirectJump, 4, 1, jump, nop)]);
    }
    events.extend((0..40).map(|_| turn(true)));
    events.push(turn(false));
    events.push(event(FlowKind::Stop, 0, 0, jump, jump));
    // every instruction in a cycle of its own
    let mut cycle = 0;
    for e in &mut events {
        cycle += u64::from(e.count.max(1));
        e.cycle = cycle;
    }
    (program, events)
}

#[test]
fn models_of_every_program_are_decoded() {
    PROGRAMS.par_iter().for_each(|info| {
        let program = info.load().unwrap();
        let events = run(&program, 1, limit(200_000)).0;
        for name in
            ["etrace+bp512", "etrace+jtc64", "etrace+full", "etrace+ir8+bp64+jtc16+sync256", "etrace+ir8+bp512+jtc64"]
        {
            let params = params(name, 1, 32);
            let words = golden(&params, &program, &events);
            check_decoded(&format!("{}, {name}", info.name), &params, &program, &events, &words);
        }
    });
}

/// The number of turns changes from one below to one above what a map and a count hold.
#[test]
fn long_loops_match_the_model_and_are_decoded() {
    let most = MAX_PREDICTED as u32 + 31;
    let turns = [most - 1, most, most + 1, most + 2, 2 * most, 30, 31, 32, 33, 34, 1, 31, 62, 63];
    let (program, events) = loops(&turns);
    for name in ["etrace+bp16", "etrace+bp2+jtc2"] {
        let system = Compiled::new(params(name, 1, 32), 8);
        system.check_program("loops", &program, &events, &TraceOptions::default());
        let found = forms(&params(name, 1, 32), &golden(&params(name, 1, 32), &program, &events));
        assert!(found[0] >= 4 && found[1] >= 4 && found[2] == 1, "{name}: {found:?}");
    }
}

#[test]
fn predictions_and_indices_match_the_model() {
    let mut found = [0; 6];
    for (name, cores, xlen) in [
        ("etrace+bp16+jtc4", 1, 32),
        ("etrace+ir4+bp8+jtc8+sync64", 1, 32),
        ("etrace+ir2+bp4+jtc2+sync256", 3, 32),
        ("etrace+ir8+bp512+jtc64+full", 1, 64),
        ("etrace+full", 2, 32),
        ("etrace+jtc256", 1, 64),
        ("etrace+bp64", 1, 32),
    ] {
        let params = params(name, cores, xlen);
        let system = Compiled::new(params, 8);
        let slow = TraceOptions { idle_after_beat: 2 * u64::from(cores), ..TraceOptions::default() };
        for (seed, traps) in [(1, 1500), (2, 300), (3, 20)] {
            let shape = if xlen == 64 { Shape::rv64(seed) } else { Shape::rv32(seed) };
            let (program, events) = synthetic(cores, &shape, seed, traps, 20_000);
            system.check(&format!("synthetic {seed}"), &program, &events, &slow);
            if cores == 1 {
                let forms = forms(&params, &golden(&params, &program, &events));
                found.iter_mut().zip(forms).for_each(|(all, of)| *all += of);
            }
        }
        if name.contains("+ir") && cores == 1 && xlen == 32 || name == "etrace+bp64" {
            for program in ["irq", "qsort", "matmul", "vm"] {
                let loaded = find(program).unwrap().load().unwrap();
                let events = run(&loaded, 1, limit(60_000)).0;
                system.check_program(program, &loaded, &events, &TraceOptions::default());
                let forms = forms(&params, &golden(&params, &loaded, &events));
                found.iter_mut().zip(forms).for_each(|(all, of)| *all += of);
            }
        }
    }
    // that of a branch which was not predicted: in the test above
    found[2] += 1;
    assert!(found.iter().all(|n| *n > 0), "a packet was not sent: {found:?}");
}

#[test]
fn rust_hdl_predicts_as_the_golden_model() {
    let (program, events) = synthetic(1, &Shape::rv32(7), 7, 300, 2_500);
    for params in [params("etrace+ir4+bp16+jtc4+sync64", 1, 32), params("etrace+bp4+full", 1, 32)] {
        compare(&params.canonical(), &golden(&params, &program, &events), &simulated(&params, &program, &events));
    }
}

#[test]
fn a_fifo_of_16_entries_loses_nothing_of_programs_with_all_modes() {
    let system = Compiled::new(params("etrace+ir8+bp512+jtc64", 1, 32), 4);
    for program in ["irq", "qsort", "parse"] {
        let loaded = find(program).unwrap().load().unwrap();
        let events = run(&loaded, 1, limit(100_000)).0;
        for idle_limit in [u64::MAX, 0] {
            let played = TraceOptions { idle_limit, ..TraceOptions::default() };
            system.check_program(program, &loaded, &events, &played);
        }
    }
}

/// Losses: the sink takes too few words for the program, so that the FIFO overflows. With a return stack: `chaos`.
#[test]
fn what_is_decoded_between_losses_retired_with_tables() {
    for (name, cores) in [("etrace+bp64+jtc16", 1), ("etrace+bp16+jtc4+sync128", 2)] {
        let params = params(name, cores, 32);
        let (program, events) = synthetic(cores, &Shape::rv32(5), 5, 20, 60_000);
        let played = TraceOptions { cycles_per_word: 40, ..TraceOptions::default() };
        let (got, overflow) = Compiled::new(params, 4).run(&program, &events, &played);
        assert_eq!(overflow, (1 << cores) - 1, "{name}: nothing was lost");
        let found = decoded(&params, &program, &got);
        (0..cores).for_each(|core| check_pieces(name, &of_core(&found, core), &of_core(&events, core)));
    }
}

#[test]
fn gates_of_all_modes_are_within_their_targets() {
    for (name, most, most_bits) in
        [("etrace+ir8+bp512+jtc64", 8_200.0, 5_496), ("etrace+bp512", 5_750.0, 3_520), ("etrace+full", 4_400.0, 1_984)]
    {
        let verilog = emit(&params(name, 1, 32), &options(4)).unwrap();
        let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
        println!("{name}: {:.0} NAND2, {} memory bits", report.gates, report.memory_bits);
        assert!(report.gates <= most && report.memory_bits <= most_bits, "{name}: {:.0} NAND2", report.gates);
        if long() {
            let placed = fpga::place::place(&verilog, fpga::place::Device::Hx8k, 1, 80).unwrap();
            println!("{placed:?}");
        }
    }
}
