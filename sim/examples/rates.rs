//! Bits per instruction and misprediction rates of schemes on a built-in program, without any circuit
//!
//! `cargo run --release -p sim --example rates [PROGRAM [SCHEME...]]`

use retire::{FlowEvent, RetireSink};
use sim::params::{Platform, TraceParams};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "qsort".into());
    let mut schemes: Vec<String> = words.collect();
    if schemes.is_empty() {
        schemes = ["tr_e:small", "tr_e:medium", "tr_e:large"].map(String::from).into();
    }
    let program = programs::load(&name).ok_or_else(|| format!("there is no program {name}"))?;
    let mut retired: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions: 4_000_000, ..Limits::default() };
    let run = Machine::new(&program, MachineConfig::default())?.run(&mut retired, limits)?;

    println!("{name}: the first {} instructions on one core", run.instructions.iter().sum::<u64>());
    println!("{:<26} bits/instruction  outcomes missed  targets missed", "scheme");
    for scheme in &schemes {
        let params = TraceParams::new(Platform::RV32, scheme.parse()?);
        let mut system = System::new(&params)?;
        retired.iter().for_each(|e| system.event(e));
        system.finish(run.cycles);
        let rates = system.rates()[0];
        let percent = |part: u64, of: u64| format!("{:.2} %", 100.0 * part as f64 / of as f64);
        let bits = system.bits() as f64 / rates.instructions as f64;
        let outcomes = percent(rates.outcome_misses, rates.conditionals);
        let targets = percent(rates.target_misses, rates.indirects);
        println!("{scheme:<26} {bits:>16.4}  {outcomes:>15}  {targets:>14}");
    }
    Ok(())
}
