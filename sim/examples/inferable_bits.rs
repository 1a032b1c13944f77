//! What inferable jumps save: bits of programs with and without `+inferable`
//!
//! `cargo run --release -p sim --example inferable_bits INSTRUCTIONS SCHEME,SCHEME... ELF...`
//!
//! SCHEME has no `+inferable`: of each program and scheme, the first figure is the stream of SCHEME, and the second that of
//! SCHEME`+inferable`. Both are replayed and compared. Functional streams of one core.

use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sim::inference::Inference;
use sim::params::{Platform, TraceParams};
use sim::replay::{Replay, ReplaySink};
use sim::riscv::{Limits, Machine, MachineConfig};
use sim::system::System;
use std::error::Error;

struct Compare<'a>(std::slice::Iter<'a, FlowEvent>, bool);

impl ReplaySink for Compare<'_> {
    fn event(&mut self, event: &FlowEvent) {
        self.1 &= self.0.next().is_some_and(|want| want.same_flow(event));
    }
}

/// The bits of the stream, which gives the events back.
fn bits(params: &TraceParams, image: &Image, events: &[FlowEvent], cycles: u64) -> Result<u64, Box<dyn Error>> {
    let mut system = System::with_code(params, 0, image)?;
    events.iter().for_each(|e| system.event(e));
    system.finish(cycles);
    let words: Vec<u32> = system.drain().collect();
    let mut compare = Compare(events.iter(), true);
    Replay::new(image, params, words.iter().copied())?.run(&mut compare)?;
    if !compare.1 || compare.0.len() > 0 {
        return Err(format!("{}: replay differs", params.flow).into());
    }
    Ok(32 * words.len() as u64)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [instructions, schemes, files @ ..] = &words[..] else {
        return Err("expected INSTRUCTIONS SCHEME,SCHEME... ELF...".into());
    };
    let schemes: Vec<&str> = schemes.split(',').collect();
    let mut sums = vec![(0u64, 0u64); schemes.len()];
    let mut all = 0;
    print!("program, instructions, inferable jumps per 1,000 instructions");
    schemes.iter().for_each(|s| print!(", {s}, {s}+inferable, saved %"));
    println!();
    for file in files {
        let program = Program::parse(&std::fs::read(file)?)?;
        let image = Image::new(&program);
        let limits = Limits { instructions: instructions.parse()?, ..Limits::default() };
        let mut events: Vec<FlowEvent> = Vec::new();
        let run = Machine::new(&program, MachineConfig::default())?.run(&mut events, limits)?;
        let count: u64 = run.instructions.iter().sum();
        let platform = Platform { xlen: program.xlen, ..Platform::RV32 };
        let mut inference = Inference::new(&platform, &image);
        let jumps = events.iter().filter(|e| inference.event(e).kind != e.kind).count();
        let name = file.rsplit('/').next().unwrap_or(file);
        print!("{name}, {count}, {:.2}", jumps as f64 * 1000.0 / count as f64);
        all += count;
        for (scheme, sum) in schemes.iter().zip(&mut sums) {
            let params = |name: &str| Ok::<_, Box<dyn Error>>(TraceParams::new(platform, name.parse()?));
            let now = bits(&params(scheme)?, &image, &events, run.cycles)?;
            let then = bits(&params(&format!("{scheme}+inferable"))?, &image, &events, run.cycles)?;
            *sum = (sum.0 + now, sum.1 + then);
            row(now, then, count);
        }
        println!();
    }
    print!("all, {all}, ");
    sums.iter().for_each(|(now, then)| row(*now, *then, all));
    println!();
    Ok(())
}

fn row(now: u64, then: u64, count: u64) {
    let bpi = |bits: u64| bits as f64 / count as f64;
    print!(", {:.4}, {:.4}, {:.1}", bpi(now), bpi(then), 100.0 * (now as f64 - then as f64) / now as f64);
}
