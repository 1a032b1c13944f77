//! Test vectors for a trace system: instructions in, words out
//!
//! A seeded synthetic program on all cores, at a pace that no trace system of this project overflows at,
//! and the words the golden model makes of it.

use crate::Failure;
use retire::RetireSink;
use sim::params::TraceParams;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Run};
use sim::system::System;
use std::fmt::Write;

/// Both sides of the vectors, as text.
pub struct Vectors {
    /// One instruction a line.
    pub beats: String,
    /// One word a line, for `$readmemh`.
    pub words: String,
    /// Lines of `words`.
    pub word_count: usize,
}

/// Instructions of all cores together.
pub const INSTRUCTIONS: usize = 5000;
const SEED: u64 = 1;

/// Makes the vectors of `params`.
pub fn make(params: &TraceParams) -> Result<Vectors, Failure> {
    let shape = if params.xlen == 64 { Shape::rv64(SEED) } else { Shape::rv32(SEED) };
    let model = Model::new(&Shape { compressed: params.align == 1, ..shape });
    let mut run = Run::new(&model, &Config { retire_percent: 2, ..Config::new(params.cores, SEED) });
    let mut system = System::new(params)?;
    let digits = usize::from(params.xlen) / 4;
    let mut beats = format!(
        "// {} instructions; hex but for the decimal cycle and core; the first cycle of tracing is 0\n\
         // cycle core first_after_trap pc next_pc insn\n",
        INSTRUCTIONS
    );
    for step in run.by_ref().take(INSTRUCTIONS) {
        let r = &step.retired;
        step.before.iter().chain(&step.event).for_each(|e| system.event(e));
        let trapped = u8::from(r.trapped);
        let _ = writeln!(
            beats,
            "{} {} {trapped} {:0digits$x} {:0digits$x} {:08x}",
            r.cycle, r.hart, r.pc, r.next_pc, r.insn
        );
    }
    let mut cycle = 0;
    for e in run.stop() {
        cycle = e.cycle;
        system.event(&e);
    }
    system.finish(cycle);
    let mut words = String::new();
    let mut word_count = 0;
    for w in system.drain() {
        let _ = writeln!(words, "{w:08x}");
        word_count += 1;
    }
    Ok(Vectors { beats, words, word_count })
}
