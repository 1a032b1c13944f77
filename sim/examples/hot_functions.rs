//! A custom sink: counts the calls of each function while a program runs
//!
//! `cargo run --release -p sim --example hot_functions [NAME]`

use retire::{FlowEvent, FlowKind, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig, Timing};
use std::collections::HashMap;
use std::error::Error;

/// Number of calls by target address.
#[derive(Default)]
struct Calls(HashMap<u64, u64>);

impl RetireSink for Calls {
    fn event(&mut self, event: &FlowEvent) {
        if matches!(event.kind, FlowKind::Call | FlowKind::IndirectCall) {
            *self.0.entry(event.target).or_default() += 1;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "vm".into());
    let program = programs::load(&name).ok_or_else(|| format!("there is no program {name}"))?;
    let config = MachineConfig { harts: 2, timing: Timing::functional(), ..MachineConfig::default() };
    let mut calls = Calls::default();
    let limits = Limits { instructions: 1_000_000, ..Limits::default() };
    let run = Machine::new(&program, config)?.run(&mut calls, limits)?;
    let mut functions: Vec<(u64, u64)> = calls.0.into_iter().collect();
    functions.sort_by_key(|&(address, calls)| (std::cmp::Reverse(calls), address));
    println!("{name}: {} instructions, {} functions", run.instructions.iter().sum::<u64>(), functions.len());
    for (address, calls) in functions.iter().take(5) {
        println!("0x{address:08x}  {calls} calls");
    }
    Ok(())
}
