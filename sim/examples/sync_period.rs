//! Cost of periodic synchronisation: bits per instruction by period, for all built-in programs
//!
//! `cargo run --release -p sim --example sync_period [MILLIONS_OF_INSTRUCTIONS [SCHEME...]]`

use programs::PROGRAMS;
use retire::{FlowEvent, RetireSink};
use sim::core_trace::SyncPeriod;
use sim::params::{Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;

/// Where no scheme is named.
const SCHEMES: [&str; 4] = ["tr_e:small", "tr_e:large", "sc-lsp:rbase-32x4", "nx_b"];
/// log2 of the period in instructions of core 0, and in bytes of the stream.
const INSTRUCTIONS: [u8; 6] = [20, 18, 16, 14, 12, 10];
const BYTES: [u8; 6] = [18, 16, 14, 12, 10, 8];

/// Bits of the stream of `events`.
fn bits(params: &TraceParams, period: Option<SyncPeriod>, events: &[FlowEvent]) -> Result<u64, Box<dyn Error>> {
    let mut system = System::new(params)?.sync_every(params, period);
    for block in events.chunks(1 << 16) {
        block.iter().for_each(|e| system.event(e));
        system.drain();
    }
    system.finish(events.last().map_or(0, |e| e.cycle));
    Ok(system.stats().bits)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let millions: u64 = words.next().map_or(Ok(4), |n| n.parse())?;
    let mut schemes: Vec<String> = words.collect();
    if schemes.is_empty() {
        schemes = SCHEMES.map(String::from).to_vec();
    }
    let mut periods = vec![("none".to_string(), None)];
    for log2 in INSTRUCTIONS {
        periods.push((format!("2^{log2}"), Some(SyncPeriod::new(log2)?)));
    }
    for log2 in BYTES {
        periods.push((format!("2^{log2} bytes"), Some(SyncPeriod::of_bytes(log2)?)));
    }
    let mut sums = vec![[vec![0u64; schemes.len()], vec![0u64; schemes.len()]]; periods.len()];
    let mut instructions = [0; 2];
    for program in PROGRAMS {
        for (n, harts) in [1, 4].into_iter().enumerate() {
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let limits = Limits { instructions: millions * 1_000_000, ..Limits::default() };
            let mut events: Vec<FlowEvent> = Vec::new();
            let run = Machine::new(&program.load()?, config)?.run(&mut events, limits)?;
            instructions[n] += run.instructions.iter().sum::<u64>();
            for (s, scheme) in schemes.iter().enumerate() {
                let params = TraceParams::new(Platform { cores: harts, ..Platform::RV32 }, scheme.parse()?);
                for (row, (_, period)) in sums.iter_mut().zip(&periods) {
                    row[n][s] += bits(&params, *period, &events)?;
                }
            }
        }
    }
    let each = |of: &dyn Fn(usize, usize) -> String| -> String {
        (0..2).flat_map(|n| (0..schemes.len()).map(move |s| (n, s))).map(|(n, s)| format!(" {} |", of(n, s))).collect()
    };
    println!("| period |{}", each(&|n, s| format!("{}, N = {}", schemes[s], [1, 4][n])));
    println!("| --- |{}", each(&|_, _| "---:".into()));
    for (row, (name, period)) in sums.iter().zip(&periods) {
        let cell = |n: usize, s: usize| {
            let more = 100.0 * (row[n][s] as f64 / sums[0][n][s] as f64 - 1.0);
            let bits = format!("{:.4}", row[n][s] as f64 / instructions[n] as f64);
            if period.is_none() {
                bits
            } else {
                format!("{bits} (+{more:.1} %)")
            }
        };
        println!("| {name} |{}", each(&cell));
    }
    Ok(())
}
