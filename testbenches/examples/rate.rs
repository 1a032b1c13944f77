//! What trace systems are asked to carry at full rate, what they carry, and the FIFOs that it takes
//!
//! Every test program on cores that retire together, an instruction a clock each, as far as the timing model lets them.
//! For each set, kind of stream and number of cores: the smallest event FIFO with which no program loses a message, and
//! the bits a clock, over all programs and of the worst one. `cargo run --release -p testbenches --example rate`

use fpga::cosim::trace::{TraceCosim, TraceOptions, TracePorts};
use hdl::emit::{emit, SystemOptions};
use sim::params::{Platform, TraceParams};
use testbenches::check::{beat_file, run};

/// Instructions of each program.
const INSTRUCTIONS: u64 = 100_000;

fn main() {
    println!("| scheme | cores | places | bits a clock, all | worst program | loses with 16 places |");
    println!("| --- | ---: | ---: | ---: | --- | --- |");
    for scheme in ["tr_e:small", "tr_e:medium", "tr_e:large", "nx_b", "sc-lsp:rbase-32x4"] {
        for timestamps in [false, true] {
            for cores in [1, 2, 4, 8] {
                let mut params = TraceParams::new(Platform::RV32, scheme.parse().expect("a scheme"));
                (params.timestamps, params.cores) = (timestamps, cores);
                println!("{}", row(scheme, &params));
            }
        }
    }
}

/// Bits and clocks of each program, and which of them lose messages.
fn play(params: &TraceParams, log2_fifo: u8) -> (Vec<(&'static str, u64, u64)>, Vec<&'static str>) {
    let ports =
        TracePorts::rvfi(params.cores.into(), params.xlen, |i, name| format!("rvfi_{name}_{i}"), |name| name.into());
    let verilog = emit(params, &SystemOptions { log2_fifo, ..SystemOptions::default() }).expect("a circuit");
    let sim = TraceCosim::build(&verilog, &ports).expect("Verilator");
    let (mut rates, mut lose) = (Vec::new(), Vec::new());
    for info in programs::PROGRAMS {
        let program = info.load().expect("a built-in program");
        let (events, _) = run(&program, params.cores, INSTRUCTIONS);
        let (file, _) = beat_file(&program, params, &events);
        let summary = sim.run(file.path(), &TraceOptions::default(), |_| ()).expect("it runs");
        rates.push((info.name, 32 * summary.words, summary.stop));
        if summary.overflow != 0 {
            lose.push(info.name);
        }
    }
    (rates, lose)
}

fn row(scheme: &str, params: &TraceParams) -> String {
    let name = format!("{scheme}{}", if params.timestamps { ", time-stamped" } else { "" });
    let (_, first) = play(params, 4);
    for log2_fifo in 4..=8 {
        let (rates, lose) = play(params, log2_fifo);
        if lose.is_empty() {
            let (bits, clocks) = rates.iter().fold((0, 0), |(b, c), r| (b + r.1, c + r.2));
            let rate = |r: &(&str, u64, u64)| r.1 as f64 / r.2 as f64;
            let worst = rates.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).expect("programs");
            return format!(
                "| {name} | {} | {} | {:.2} | {:.2} `{}` | {} |",
                params.cores,
                1 << log2_fifo,
                bits as f64 / clocks as f64,
                rate(worst),
                worst.0,
                if first.is_empty() { "-".into() } else { format!("{} of {}", first.len(), programs::PROGRAMS.len()) },
            );
        }
    }
    let all = programs::PROGRAMS.len();
    let (_, lose) = play(params, 8);
    format!(
        "| {name} | {} | more than 256 | | {} of {all} lose with 256 | {} of {all} |",
        params.cores,
        lose.len(),
        first.len()
    )
}
