//! Bandwidth that trace systems need at full rate, what they carry, and the FIFO depth that this takes
//!
//! Every test program on cores that retire together, one instruction per cycle, as far as the timing model permits. For
//! each set, kind of stream and number of cores: the smallest event FIFO with which no program loses a message, and the
//! bits per cycle, over all programs and of the worst one. If nothing is lost, every word must equal the golden
//! model's, otherwise the run aborts.
//!
//! `cargo run --release -p testbenches --example rate [CORES[,CORES]] [SCHEME]...`

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, SystemOptions};
use retire::{FlowEvent, RetireSink};
use sim::params::{Platform, TraceParams, NAMED_SETS};
use sim::system::System;
use testbenches::check::{beat_file, run};

/// Instructions of each program.
const INSTRUCTIONS: u64 = 100_000;
/// Cycles from activation to cycle 0 of the beat file, and from the write that ends tracing to the stop messages.
const ACTIVATION: u64 = 1;
const STOPPING: u64 = 2;

fn main() {
    let mut args = std::env::args().skip(1);
    let cores: Vec<u8> = args.next().map_or(vec![1, 2, 4, 8], |list| {
        list.split(',').map(|n| n.parse().unwrap_or_else(|_| usage(&format!("`{n}` is no number of cores")))).collect()
    });
    let mut schemes: Vec<String> = args.collect();
    if schemes.is_empty() {
        schemes.extend(NAMED_SETS.iter().map(|set| format!("tr_e:{}", set.name)));
        schemes.extend(["nx_b".into(), "sc-lsp:rbase-32x4".into()]);
    }
    println!("| scheme | cores | entries | bits per cycle, all | worst program | loses with 16 entries |");
    println!("| --- | ---: | ---: | ---: | --- | --- |");
    for scheme in &schemes {
        for timestamps in [false, true] {
            for &cores in &cores {
                let parsed = scheme.parse().unwrap_or_else(|e| usage(&format!("`{scheme}`: {e}")));
                let mut params = TraceParams::new(Platform::RV32, parsed);
                (params.timestamps, params.cores) = (timestamps, cores);
                if timestamps && params.check().is_err() {
                    continue;
                }
                println!("{}", row(scheme, &params));
            }
        }
    }
}

fn usage(found: &str) -> ! {
    eprintln!("rate: {found}; usage: rate [CORES[,CORES]] [SCHEME]..., such as rate 1,4 tr_e:small");
    std::process::exit(2);
}

/// Words of the golden model; tracing ends in cycle `stop` of the beat file.
fn golden(params: &TraceParams, events: &[FlowEvent], stop: u64) -> Vec<u32> {
    let mut system = System::new(params).expect("legal parameters");
    for e in events {
        system.event(&FlowEvent { cycle: e.cycle + ACTIVATION, ..*e });
    }
    system.finish(stop + ACTIVATION + STOPPING);
    system.drain().collect()
}

/// Bits and cycles of each program, and the programs that lose messages.
fn play(params: &TraceParams, fifo_address_bits: u8) -> (Vec<(&'static str, u64, u64)>, Vec<&'static str>) {
    let ports =
        TracePorts::rvfi(params.cores.into(), params.xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into());
    let verilog = emit(params, &SystemOptions { fifo_address_bits, ..SystemOptions::default() }).expect("a circuit");
    let sim = TraceCosim::build(&verilog, &ports).expect("Verilator");
    let (mut rates, mut lose) = (Vec::new(), Vec::new());
    for info in programs::PROGRAMS {
        let program = info.load().expect("a built-in program");
        let (events, _) = run(&program, params.cores, INSTRUCTIONS);
        let (file, _) = beat_file(&program, params, &events);
        let mut words = Vec::new();
        let summary = sim.run(file.path(), &TraceOptions::default(), |w| words.push(w)).expect("it runs");
        rates.push((info.name, 32 * summary.words, summary.stop));
        if summary.overflow != 0 {
            lose.push(info.name);
        } else {
            let same = words == golden(params, &events, summary.stop);
            assert!(same, "{}, {}: the words are not the golden model's", info.name, params.canonical());
        }
    }
    (rates, lose)
}

fn row(scheme: &str, params: &TraceParams) -> String {
    let name = format!("{scheme}{}", if params.timestamps { ", time-stamped" } else { "" });
    let mut first = None;
    let mut lost = 0;
    for fifo_address_bits in 4..=8 {
        let (rates, lose) = play(params, fifo_address_bits);
        lost = lose.len();
        let first = *first.get_or_insert(lost);
        if lose.is_empty() {
            let (bits, clocks) = rates.iter().fold((0, 0), |(b, c), r| (b + r.1, c + r.2));
            let rate = |r: &(&str, u64, u64)| r.1 as f64 / r.2 as f64;
            let worst = rates.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).expect("programs");
            return format!(
                "| {name} | {} | {} | {:.2} | {:.2} `{}` | {} |",
                params.cores,
                1 << fifo_address_bits,
                bits as f64 / clocks as f64,
                rate(worst),
                worst.0,
                if first == 0 { "-".into() } else { format!("{first} of {}", programs::PROGRAMS.len()) },
            );
        }
    }
    let all = programs::PROGRAMS.len();
    let first = first.unwrap_or(lost);
    format!("| {name} | {} | more than 256 | | {lost} of {all} lose with 256 | {first} of {all} |", params.cores)
}
