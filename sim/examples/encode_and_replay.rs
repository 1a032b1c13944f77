//! Traces a program with the golden model, and replays the trace with the ELF
//!
//! `cargo run --release -p sim --example encode_and_replay [NAME [SCHEME]]`

use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::params::{Platform, TraceParams};
use sim::replay::{Events, Replay};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_else(|| "fft".into());
    let scheme = words.next().unwrap_or_else(|| "tr_e:medium".into());
    let program = programs::load(&name).ok_or_else(|| format!("there is no program {name}"))?;

    // records what two harts retire; `System` is such a sink, too
    let mut retired: Vec<FlowEvent> = Vec::new();
    let limits = Limits { instructions: 1_000_000, ..Limits::default() };
    let config = MachineConfig { harts: 2, ..MachineConfig::default() };
    let run = Machine::new(&program, config)?.run(&mut retired, limits)?;

    // the trace stream
    let platform = Platform { cores: 2, ..Platform::RV32 };
    let params = TraceParams::new(platform, scheme.parse()?);
    let mut system = System::new(&params)?;
    retired.iter().for_each(|e| system.event(e));
    system.finish(run.cycles);
    let stream: Vec<u32> = system.drain().collect();

    // and back: functional traces contain no cycles, and no trace contains the cause of a trap
    let image = Image::new(&program);
    let mut replayed: Vec<FlowEvent> = Vec::new();
    let summary = Replay::new(&image, &params, stream.iter().copied())?.run(&mut Events(&mut replayed))?;
    for hart in 0..2 {
        let of = |events: &[FlowEvent]| events.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
        let (went_in, came_out) = (of(&retired), of(&replayed));
        let same = went_in.len() == came_out.len() && went_in.iter().zip(&came_out).all(|(a, b)| a.same_flow(b));
        assert!(same, "hart {hart}: replay differs");
    }
    let instructions: u64 = summary.instructions.iter().sum();
    let bits = system.bits() as f64 / instructions as f64;
    println!("{name}, {scheme}: {instructions} instructions, {bits:.4} bits each, replayed exactly");
    Ok(())
}
