//! `hdl/src/scheme/etrace/{front,reports,head,encoder}.rs` with filters and contexts, under Verilator, against `sim/src/baseline/etrace/system.rs`: every byte is
//! the model's
//!
//! The executions are those of `ntrace_ports`. What a decoder finds in such traces is checked in `chaos`.

use crate::etrace_system::params;
use crate::ntrace_ports::{execution, options, timed, words};
use crate::system::compare;
use hdl::emit::{emit, SystemOptions};
use hdl::scheme::etrace::circuit::build;
use hdl::spine::Extras;
use retire::{FlowEvent, FlowKind};
use sim::baseline::etrace::EtraceParams;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::rounds;

fn matches_the_model(name: &str, cores: u8, xlen: u8, (filter, context): (bool, Option<u8>)) {
    let steps = 6_000;
    let params = EtraceParams { context, ..params(name, cores, xlen) };
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
        matches_the_model(name, cores, xlen, (true, None));
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
        matches_the_model(name, cores, xlen, (false, Some(bits)));
    }
}

#[test]
fn contexts_and_hidden_stretches_match_the_model() {
    for (name, cores) in [("etrace+ir8+bp16+jtc4+sync64", 1), ("etrace+ir8", 3)] {
        matches_the_model(name, cores, 32, (true, Some(9)));
    }
}

#[test]
fn gates_of_filters_and_contexts_are_within_their_targets() {
    for (filter, context, most) in [(true, None, 5_150.0), (false, Some(8), 5_350.0)] {
        let params = EtraceParams { context, ..params("etrace", 1, 32) };
        let extras = Extras { filter, ..Extras::default() };
        let options = SystemOptions { fifo_address_bits: 4, extras, ..SystemOptions::default() };
        let verilog = emit(&params, &options).unwrap();
        let report = fpga::gates::count(&verilog, &fpga::gates::Library::nand2()).unwrap();
        println!("filter {filter}, context {context:?}: {:.0} NAND2, {} memory bits", report.gates, report.memory_bits);
        assert!(report.gates <= most, "filter {filter}, context {context:?}: {:.0} NAND2", report.gates);
    }
}
