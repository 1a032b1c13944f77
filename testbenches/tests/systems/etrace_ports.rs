//! `hdl/src/scheme/etrace/{front,reports,head,encoder}.rs` with filters and contexts, under Verilator, against `sim/src/baseline/etrace/system.rs`: every byte is
//! the model's
//!
//! The executions are those of `ntrace_ports`. What a decoder finds in such traces is checked in `chaos`.

use crate::etrace_system::{decoded, of_core, params};
use crate::ntrace_ports::{execution, options, timed, words, words_with, START};
use crate::ntrace_time::times;
use crate::system::compare;
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::etrace::circuit::build;
use hdl::scheme::etrace::front::TIME_LAG;
use hdl::spine::Extras;
use retire::elf::Program;
use retire::{FlowEvent, FlowKind};
use riscv_etrace::config::Parameters;
use riscv_etrace::packet;
use riscv_etrace::packet::payload::{InstructionTrace, Payload};
use riscv_etrace::packet::sync::Synchronization;
use riscv_etrace::packet::unit::{ReferenceDOptions, ReferenceIOptions};
use sim::baseline::etrace::{EtraceParams, TIME_BITS};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;
use std::collections::HashSet;
use std::num::NonZeroU8;

fn matches_the_model(name: &str, cores: u8, xlen: u8, (filter, context): (bool, Option<u8>), timestamps: bool) {
    let steps = 6_000;
    let params = EtraceParams { context, timestamps, ..params(name, cores, xlen) };
    let place = format!("{}, filter {filter}", params.canonical());
    let model = Model::new(&if xlen == 64 { Shape::rv64(6) } else { Shape::rv32(6) });
    let slow = 12;
    for seed in 1..=rounds(1, 10) {
        let shown = execution(&model, cores, steps, seed, (filter, context.is_some()));
        let top = build(&params, &options(filter)).unwrap();
        let got = words(top, cores, (filter, context.is_some()), &shown, slow);
        let events = timed(&shown, slow);
        let order = shown.iter().filter(|s| !s.hidden).map(|s| s.retired.hart);
        let want = params.filtered_bytes(&model.program, &events, order).unwrap();
        compare(&format!("{place}, seed {seed}"), &sim::baseline::etrace::words(&want), &got);
        if timestamps && !filter && context.is_none() {
            check_times(&params, &model.program, &events, &want, &got);
        }
        let of = |kind: fn(&FlowKind) -> bool| events.iter().filter(|e: &&FlowEvent| kind(&e.kind)).count();
        let gaps = of(|k| matches!(k, FlowKind::Gap { .. }));
        let switches = of(|k| matches!(k, FlowKind::Context { .. }));
        assert!(!filter || gaps > 10, "{place}: {gaps} gaps");
        assert!(context.is_none() || switches > 40, "{place}: {switches} changes of context");
    }
}

#[test]
fn hidden_stretches_are_pauses_and_match_the_model() {
    for (name, cores, xlen) in
        [("etrace", 1, 32), ("etrace+ir8", 1, 64), ("etrace+ir4+bp16+jtc8+sync64", 3, 32), ("etrace+bp8+full", 2, 32)]
    {
        matches_the_model(name, cores, xlen, (true, None), false);
    }
}

#[test]
fn contexts_match_the_model() {
    for (name, cores, xlen, bits) in [
        ("etrace", 1, 32, 4),
        ("etrace+ir8+jtc16", 2, 64, 16),
        ("etrace+ir8+sync64", 5, 32, 0),
        ("etrace+bp16+full", 1, 32, 12),
        ("etrace+ir4+sync16", 2, 64, 8),
    ] {
        matches_the_model(name, cores, xlen, (false, Some(bits)), false);
    }
}

#[test]
fn contexts_and_hidden_stretches_match_the_model() {
    for (name, cores) in [("etrace+ir8+bp16+jtc4+sync64", 1), ("etrace+ir8", 3)] {
        matches_the_model(name, cores, 32, (true, Some(9)), false);
    }
}

/// The packets with times are those without, with a time in each synchronization, for the decoder of `import` and for the crate `riscv-etrace`.
fn check_times(params: &EtraceParams, program: &Program, events: &[FlowEvent], bytes: &[u8], words: &[u32]) {
    let place = params.canonical();
    let plain = EtraceParams { timestamps: false, ..*params };
    let plain_words = sim::baseline::etrace::words(&plain.bytes(program, events).unwrap());
    // the decoder gives no times to events
    let (timed, plain) = (decoded(params, program, words), decoded(&plain, program, &plain_words));
    for core in 0..params.cores {
        assert!(of_core(&timed, core) == of_core(&plain, core), "{place}, core {core}: another path");
    }

    // the crate knows no sources and no format 0
    if params.cores > 1 || params.options.predictors > 0 || params.options.jump_targets > 0 {
        return;
    }
    let widths = Parameters {
        notime_p: false,
        time_width_p: NonZeroU8::new(TIME_BITS).unwrap(),
        ..params.options.parameters(params.xlen)
    };
    let (mut found, mut packets) = (Vec::new(), packet::builder().with_params(&widths).decoder(bytes));
    while packets.bytes_left() > 0 {
        let payload = packets.decode_smi_packet().and_then(|p| p.decode_payload()).unwrap();
        let Payload::InstructionTrace(payload) = payload else { continue };
        let payload: InstructionTrace<ReferenceIOptions, ReferenceDOptions> = payload;
        if let InstructionTrace::Synchronization(sync) = payload {
            found.extend(match sync {
                Synchronization::Start(s) => s.ctx.time,
                Synchronization::Trap(t) => t.ctx.time,
                _ => None,
            });
        }
    }
    // with a period, the time is that of a branch or jump; else that of the start or of a handler, or of a jump whose target has a trap
    let at: HashSet<u64> = events.iter().map(|e| e.cycle).collect();
    assert!(found.iter().all(|time| at.contains(time)), "{place}: {found:?}");
    assert!(found.is_sorted() && found.len() > 40, "{place}: {} times", found.len());
    let starts = events.iter().filter(|e| matches!(e.kind, FlowKind::Start | FlowKind::Trap { .. }));
    let handlers: Vec<u64> = starts.map(|e| e.cycle).collect();
    let missing = handlers.iter().filter(|time| !found.contains(time)).count();
    assert!(5 * missing < handlers.len(), "{place}: {missing} of {} traps have no time", handlers.len());
}

/// Without tables, which are cleared before a trace begins: times count from there.
#[test]
fn time_stamps_match_the_model() {
    for (name, cores, xlen, what) in [
        ("etrace", 1, 32, (false, None)),
        ("etrace+ir8+sync64", 1, 64, (false, None)),
        ("etrace+sync2", 3, 32, (false, None)),
        ("etrace+ir4+sync16", 2, 32, (true, None)),
        ("etrace+ir8+sync16", 5, 32, (true, Some(4))),
        ("etrace+full+sync16", 1, 64, (false, Some(8))),
    ] {
        matches_the_model(name, cores, xlen, what, true);
    }
}

/// With the time of a time stamp unit that is stopped, reset and divided at any time.
#[test]
fn times_of_a_unit_match_the_model() {
    for (name, cores, context) in [("etrace+ir8+bp16+jtc4+sync16", 2, None), ("etrace+bp16", 1, Some(4))] {
        let params = EtraceParams { context, timestamps: true, ..params(name, cores, 32) };
        let (model, slow) = (Model::new(&Shape::rv32(6)), 12);
        for seed in 1..=rounds(1, 10) {
            let shown = execution(&model, cores, 5_000, seed, (false, context.is_some()));
            let cycles = shown.iter().map(|s| s.pause + 1 + slow).sum::<usize>() + 3_200;
            let times = times(seed, cycles, true, &|_, _| false);
            let built = options(false);
            let extras = Extras { time_input: true, ..built.extras };
            let top = build(&params, &SystemOptions { extras, ..built }).unwrap();
            let got = words_with(top, cores, (false, context.is_some()), &shown, slow, |cycle| {
                vec![("time_0".into(), times[cycle].0.into()), ("time_enable_0".into(), 1)]
            });
            let at = |e: &FlowEvent| times[e.cycle as usize + START + TIME_LAG].0.into();
            let events: Vec<_> = timed(&shown, slow).iter().map(|e| FlowEvent { cycle: at(e), ..*e }).collect();
            let order = shown.iter().map(|s| s.retired.hart);
            let want = params.filtered_bytes(&model.program, &events, order).unwrap();
            compare(&params.canonical(), &sim::baseline::etrace::words(&want), &got);
        }
    }
}

#[test]
fn gates_of_filters_and_contexts_are_within_their_targets() {
    for (filter, context, timestamps, most) in
        [(true, None, false, 5_150.0), (false, Some(8), false, 5_350.0), (false, None, true, 6_300.0)]
    {
        let params = EtraceParams { context, timestamps, ..params("etrace", 1, 32) };
        let extras = Extras { filter, ..Extras::default() };
        let options = SystemOptions { fifo_address_bits: 4, extras, ..SystemOptions::default() };
        let verilog = emit(&params, &options).unwrap();
        let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
        println!("filter {filter}, context {context:?}: {:.0} NAND2, {} memory bits", report.gates, report.memory_bits);
        assert!(report.gates <= most, "filter {filter}, context {context:?}: {:.0} NAND2", report.gates);
    }
}
