//! Bits per instruction of the scheme `inputs`, for the built-in programs
//!
//! `cargo run --release -p sim --example inputs_bits -- CORES INSTRUCTIONS NAME...`, with names such as
//! `inputs:512+tag8`: prints a table of programs and schemes, and the sums.

use retire::{DataEvent, FlowEvent, Note, NullSink, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::scheme::inputs::model::InputsStats;
use sim::scheme::inputs::params::Sizes;
use sim::scheme::inputs::replay::Replay;
use sim::scheme::inputs::{InputsParams, Recorder};
use std::time::Instant;

/// A sink that passes one run to several recorders.
struct All(Vec<Recorder>);

impl RetireSink for All {
    const WANTS_DATA: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.0.iter_mut().for_each(|r| r.event(e));
    }

    fn data(&mut self, d: &DataEvent) {
        self.0.iter_mut().for_each(|r| r.data(d));
    }

    fn note(&mut self, hart: u8, note: &Note) {
        self.0.iter_mut().for_each(|r| r.note(hart, note));
    }
}

fn bits(s: &InputsStats) -> f64 {
    s.bits as f64 / s.instructions as f64
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let harts: u8 = args.next().map_or(Ok(4), |n| n.parse())?;
    let instructions: u64 = args.next().map_or(Ok(1_000_000), |n| n.parse())?;
    let mut names: Vec<String> = args.collect();
    if names.is_empty() {
        names.push("inputs".into());
    }
    let sizes = names.iter().map(|n| n.parse()).collect::<Result<Vec<Sizes>, _>>()?;
    println!("{:10} {}", "", names.join(" "));
    let mut sums = vec![InputsStats::default(); sizes.len()];
    let (mut replayed, mut seconds) = (0, 0.0);
    for info in programs::PROGRAMS {
        let program = info.load()?;
        let mut machine = Machine::new(&program, MachineConfig { harts, ..MachineConfig::default() })?;
        let ram = machine.ram();
        let recorder = |s: &Sizes| Recorder::new(&InputsParams::new(harts, program.xlen, ram, *s), &program);
        let mut all = All(sizes.iter().map(recorder).collect::<Result<_, _>>()?);
        machine.run(&mut all, Limits { instructions, ..Limits::default() })?;
        let mut line = format!("{:10}", info.name);
        for (i, (recorder, sum)) in all.0.iter_mut().zip(&mut sums).enumerate() {
            recorder.finish();
            let s = *recorder.stats();
            line.push_str(&format!(" {:8.5} ", bits(&s)));
            for (to, from) in [
                (&mut sum.episodes, s.episodes),
                (&mut sum.inputs, s.inputs),
                (&mut sum.traps, s.traps),
                (&mut sum.checks, s.checks),
                (&mut sum.stops, s.stops),
            ] {
                to.messages += from.messages;
                to.bits += from.bits;
            }
            (sum.bits, sum.instructions, sum.full) =
                (sum.bits + s.bits, sum.instructions + s.instructions, sum.full + s.full);
            if i == 0 {
                let words: Vec<u32> = recorder.drain().collect();
                let begin = Instant::now();
                let mut replay = Replay::new(&InputsParams::new(harts, program.xlen, ram, sizes[0]), &program, words)??;
                replay.run(&mut NullSink, |_| false)?;
                seconds += begin.elapsed().as_secs_f64();
                replayed += replay.position();
            }
        }
        println!("{line}");
    }
    for (name, s) in names.iter().zip(&sums) {
        let part = |bits: u64| bits as f64 / s.instructions as f64;
        println!(
            "{name}: {:.5} bits per instruction: episodes {:.5} (by a full table {:.1} %), inputs {:.5}, traps {:.5}, checks {:.5}",
            bits(s),
            part(s.episodes.bits),
            100.0 * s.full as f64 / s.episodes.messages.max(1) as f64,
            part(s.inputs.bits),
            part(s.traps.bits),
            part(s.checks.bits),
        );
    }
    println!("replay: {:.1} million instructions per second", replayed as f64 / seconds / 1e6);
    Ok(())
}
