//! What inferable jumps would save: bits of programs with and without messages for jumps to an address that the instruction before them loads
//!
//! `cargo run --release -p sim --example inferable_bits INSTRUCTIONS SCHEME,SCHEME... ELF...`
//!
//! A pair of `auipc` or `lui` and `jalr` is inferable if both retire in one run of instructions. Of each program and scheme, the
//! first figure is the stream as it is, which is replayed and compared; the second one is the stream if each of these jumps
//! were a direct jump or call. Functional streams of one core.

use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
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

/// The register that an instruction loads with an address, and whether it is one of 4 bytes.
fn loaded(insn: u32) -> Option<u32> {
    match insn & 0x7f {
        0x37 | 0x17 => Some(insn >> 7 & 31),
        _ => None,
    }
}

/// The register that an indirect jump uses.
fn used(insn: u32) -> Option<u32> {
    match insn & 3 {
        3 if insn & 0x707f == 0x67 => Some(insn >> 15 & 31),
        2 if insn & 0xe07f == 0x8002 => Some(insn >> 7 & 31),
        _ => None,
    }
}

/// The event of an inferable jump as that of a direct one.
fn inferred(event: &FlowEvent, image: &Image) -> Option<FlowEvent> {
    let kind = match event.kind {
        FlowKind::IndirectCall => FlowKind::Call,
        FlowKind::IndirectJump => FlowKind::Jump,
        _ => return None,
    };
    // both in one run
    let before = event.pc.checked_sub(4).filter(|_| event.count >= 2)?;
    let (first, length) = image.instruction(before)?;
    let (jump, _) = image.instruction(event.pc)?;
    let right = length == 4 && loaded(first)? == used(jump)?;
    right.then_some(FlowEvent { kind, ..*event })
}

fn stream(params: &TraceParams, events: &[FlowEvent], cycles: u64) -> Result<Vec<u32>, Box<dyn Error>> {
    let mut system = System::new(params)?;
    events.iter().for_each(|e| system.event(e));
    system.finish(cycles);
    Ok(system.drain().collect())
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
    schemes.iter().for_each(|s| print!(", {s}, inferred, saved %"));
    println!();
    for file in files {
        let program = Program::parse(&std::fs::read(file)?)?;
        let image = Image::new(&program);
        let limits = Limits { instructions: instructions.parse()?, ..Limits::default() };
        let mut events: Vec<FlowEvent> = Vec::new();
        let run = Machine::new(&program, MachineConfig::default())?.run(&mut events, limits)?;
        let count: u64 = run.instructions.iter().sum();
        let direct: Vec<FlowEvent> = events.iter().map(|e| inferred(e, &image).unwrap_or(*e)).collect();
        let jumps = events.iter().filter(|e| inferred(e, &image).is_some()).count();
        let name = file.rsplit('/').next().unwrap_or(file);
        print!("{name}, {count}, {:.2}", jumps as f64 * 1000.0 / count as f64);
        all += count;
        for (scheme, sum) in schemes.iter().zip(&mut sums) {
            let platform = Platform { xlen: program.xlen, ..Platform::RV32 };
            let params = TraceParams::new(platform, scheme.parse()?);
            let words = stream(&params, &events, run.cycles)?;
            let mut compare = Compare(events.iter(), true);
            Replay::new(&image, &params, words.iter().copied())?.run(&mut compare)?;
            if !compare.1 || compare.0.len() > 0 {
                return Err(format!("{file}, {scheme}: replay differs").into());
            }
            let (now, then) = (32 * words.len() as u64, 32 * stream(&params, &direct, run.cycles)?.len() as u64);
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
