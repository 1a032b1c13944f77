//! Bits per instruction of the standard protocols and of T-raptor, on built-in programs
//!
//! `cargo run --release -p sim --example standard_bits [INSTRUCTIONS [PROGRAM...]]`
//!
//! N-Trace with history, a return stack of 8 and repeated history; E-Trace with implicit returns (8), 512 predictors and
//! a jump target cache of 64, with a header of one byte a packet. Each stream is decoded and compared with the run.

use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::baseline::etrace;
use sim::params::{Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::standard::etrace::{Container, Parameters, Scan, Trace};
use sim::standard::{ntrace, Ordered, Stream};
use sim::system::System;
use std::error::Error;

/// Decodes a stream, and fails where the events differ from the run.
fn compare(mut trace: impl Stream, bytes: &[u8], run: &[FlowEvent], what: &str) -> Result<(), Box<dyn Error>> {
    let mut sink = Ordered::new(Vec::new());
    trace.feed(bytes, true, &mut sink);
    trace.finish(&mut sink);
    let found = sink.into_sink();
    // the last jump has no target
    let ends = run.len().saturating_sub(2);
    let equal = found.len() >= ends && found.iter().zip(&run[..ends]).all(|(f, e)| f.same_flow(e));
    match (equal, trace.faults().first.first()) {
        (true, None) => Ok(()),
        (_, fault) => Err(format!("{what}: not the run that was encoded ({fault:?})").into()),
    }
}

fn ntrace_bits(options: ntrace::Options, run: &[FlowEvent], image: &Image) -> Result<u64, Box<dyn Error>> {
    let mut encoder = ntrace::Encoder::new(options, 32, image);
    run.iter().for_each(|e| encoder.push(e));
    let bytes = encoder.bytes();
    let p = ntrace::Parameters::default();
    let mut scan = ntrace::Scan::new(&p);
    scan.feed(bytes, true)?;
    compare(ntrace::Trace::new(&p, 32, &scan.sources, image), bytes, run, "N-Trace")?;
    Ok(8 * bytes.len() as u64)
}

fn etrace_bits(options: etrace::Options, run: &[FlowEvent], image: &Image) -> Result<u64, Box<dyn Error>> {
    let encoded = etrace::encode(run, 1, options, 32, image)?;
    let bytes = &encoded[0].bytes;
    let p = Parameters {
        iaddress_width_p: 32,
        return_stack_size_p: options.return_stack,
        bpred_size_p: options.predictors,
        cache_size_p: options.jump_targets,
        f0s_width_p: u8::from(options.predictors > 0 || options.jump_targets > 0),
        ..Parameters::default()
    };
    let mut scan = Scan::new(Container::Smi, &p);
    scan.feed(bytes, true)?;
    compare(Trace::new(Container::Smi, &p, &scan.sources, image), bytes, run, "E-Trace")?;
    Ok(encoded[0].bits)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let instructions = words.next().map_or(Ok(2_000_000), |n| n.parse())?;
    let mut names: Vec<String> = words.collect();
    if names.is_empty() {
        names = programs::PROGRAMS.iter().map(|p| p.name.to_string()).collect();
    }
    let btm = ntrace::Options::default();
    let htm = ntrace::Options { history: true, ..btm };
    let best = ntrace::Options { returns: 8, repeat: true, ..htm };
    let schemes = ["tr_e:small", "tr_e:m4", "tr_e:large"];
    println!(
        "{:<10} {:>12} {:>7} {:>7} {:>7} {:>7} {:>7}  {}",
        "program",
        "instructions",
        "N BTM",
        "N HTM",
        "N best",
        "E base",
        "E best",
        schemes.map(|s| format!("{s:>10}")).join(" ")
    );
    for name in names {
        let program = programs::load(&name).ok_or_else(|| format!("there is no program {name}"))?;
        let image = Image::new(&program);
        let mut run: Vec<FlowEvent> = Vec::new();
        let limits = Limits { instructions, ..Limits::default() };
        let totals = Machine::new(&program, MachineConfig::default())?.run(&mut run, limits)?;
        if run.iter().any(|e| matches!(e.kind, FlowKind::Context { .. })) {
            println!("{name:<10} is left out: it changes its context");
            continue;
        }
        let count: u64 = totals.instructions.iter().sum();
        let ratio = |bits: u64| bits as f64 / count as f64;
        print!("{name:<10} {count:>12}");
        for options in [btm, htm, best] {
            print!(" {:>7.3}", ratio(ntrace_bits(options, &run, &image)?));
        }
        for options in [etrace::Options::BASE, etrace::Options::ALL_MODES] {
            print!(" {:>7.3}", ratio(etrace_bits(options, &run, &image)?));
        }
        print!(" ");
        for scheme in schemes {
            let mut system = System::new(&TraceParams::new(Platform::RV32, scheme.parse()?))?;
            run.iter().for_each(|e| system.event(e));
            system.finish(totals.cycles);
            print!(" {:>10.3}", ratio(system.bits()));
        }
        println!();
    }
    Ok(())
}
