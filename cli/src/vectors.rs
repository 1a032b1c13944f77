//! Test vectors of a trace system: instructions in, words out
//!
//! A seeded synthetic program on all cores, slow enough that no trace system of this project overflows, and the words
//! that the golden model makes of it.

pub mod blocks;
mod chain;
mod pace;
pub mod sessions;
mod zcm;

use crate::Failure;
use hdl::emit::{Ingress, SystemOptions};
use hdl::spine::Extras;
use hdl::trace_sim::START;
use pace::Pace;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, RetireSink};
use sessions::Sessions;
use sim::beats::wide::LATENCY;
use sim::params::TraceParams;
use sim::stimulus::pairs;
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{Config, Run};
use sim::system::System;
use std::fmt::Write;

/// Inputs and outputs as text.
pub struct Vectors {
    /// One instruction or block per line.
    pub beats: String,
    /// One word per line, for `$readmemh`.
    pub words: String,
    /// Number of lines in `words`.
    pub word_count: usize,
    /// The same instructions as events.
    pub events: Vec<FlowEvent>,
    /// Cycle in which tracing is switched off, counted as in `beats`.
    pub stop: u64,
    /// Further sessions, of a system that shows one instruction a clock on RVFI.
    pub sessions: Option<Sessions>,
}

impl Vectors {
    /// Vectors with the words of the golden model.
    fn new(beats: String, words: &[u32], events: Vec<FlowEvent>, stop: u64) -> Self {
        let (word_count, words) = (words.len(), words.iter().map(|w| format!("{w:08x}\n")).collect());
        Self { beats, words, word_count, events, stop, sessions: None }
    }
}

/// The words of the golden model for the events of a program, and the core of each of its instructions, in the order in which they
/// retire, after which tracing ends in a cycle.
pub type Words<'a> = &'a dyn Fn(&Program, (&[FlowEvent], &[u8]), u64) -> Result<Vec<u32>, Failure>;

/// [`Words`] of a stream with `params` and `options`.
pub fn words(
    params: &TraceParams,
    options: &SystemOptions,
    program: &Program,
    (events, end): (&[FlowEvent], u64),
) -> Result<Vec<u32>, Failure> {
    let mut system = System::with_code(params, options.warm_up_scale(params), &Image::new(program))?;
    events.iter().for_each(|e| system.event(e));
    system.finish(end);
    Ok(system.drain().collect())
}

/// Total number of instructions of all cores.
pub const INSTRUCTIONS: usize = 5000;
const SEED: u64 = 1;

/// Additional latency, in cycles, of a core that retires several instructions per cycle.
const EXTRA_LATENCY: u64 = LATENCY + 1;
/// Idle cycles of such a core before tracing ends: instructions that wait then would not be traced.
const DRAIN_CYCLES: u64 = 100;

/// The program that `make` makes of a shape, with code at the addresses of `extras` alone where there are any, and with Zcmp and Zcmt
/// where the cores have them.
fn model(params: &TraceParams, extras: &Extras, make: impl Fn(&Shape) -> Model) -> Model {
    let shape = if params.xlen == 64 { Shape::rv64(SEED) } else { Shape::rv32(SEED) };
    let shape = extras.addresses.map_or(shape.clone(), |a| a.shape(shape));
    let mut model = make(&Shape { compressed: params.align == 1, ..shape });
    if params.flow.infers() {
        pairs::insert(&mut model, SEED);
    }
    if extras.zcm {
        zcm::insert(&mut model);
    }
    model
}

/// Makes the vectors of `params` and `options`, for an ingress that shows single instructions. `quick`: those of a
/// system with the messages of this project, whose time is known; without it, instructions are so rare that time does not matter.
pub fn make(params: &TraceParams, options: &SystemOptions, quick: bool, words: Words<'_>) -> Result<Vectors, Failure> {
    let (late, still) = if options.extras.retire.is_some() { (EXTRA_LATENCY, DRAIN_CYCLES) } else { (0, 0) };
    let model = model(params, &options.extras, Model::new);
    let mut chains = (options.ingress == Ingress::PcChain).then(|| chain::Chains::new(params, options.extras.zcm));
    let mut pace = quick.then(|| Pace::new(params, options.fifo_entries()));
    let retire_percent = if quick { pace::PERCENT } else { 2 };
    let mut run = Run::new(&model, &Config { retire_percent, ..Config::new(params.cores, SEED) });
    let digits = usize::from(params.xlen) / 4;
    let mut beats = format!(
        "// {} instructions; hex but for the decimal cycle and core; the cycle in which status.active becomes 1 is 0\n\
         // cycle core first_after_trap pc next_pc insn\n",
        INSTRUCTIONS
    );
    let (mut events, mut order) = (Vec::new(), Vec::new());
    for step in run.by_ref().take(INSTRUCTIONS) {
        let r = &step.retired;
        order.push(r.hart);
        let cycle = r.cycle + START + pace.as_mut().map_or(0, |p| p.pause(&step));
        match &mut chains {
            Some(chains) => events.extend(chains.push(&step, cycle)),
            None => {
                events.extend(step.before.into_iter().chain(step.event).map(|e| FlowEvent { cycle: cycle + late, ..e }))
            }
        }
        let trapped = u8::from(r.trapped);
        let (hart, pc, next_pc, insn) = (r.hart, r.pc, r.next_pc, r.insn);
        let _ = writeln!(beats, "{cycle} {hart} {trapped} {pc:0digits$x} {next_pc:0digits$x} {insn:08x}");
    }
    let still = still + pace.as_ref().map_or(0, Pace::last);
    let stops = run.stop();
    // after what other cores retire in that cycle
    let stop = stops.last().map_or(START, |e| e.cycle + START + 1 + still);
    let stops = chains.map_or(stops, chain::Chains::stop);
    events.extend(stops.into_iter().map(|e| FlowEvent { cycle: stop, ..e }));
    // `control` is written in cycle `stop`, `enable` is 0 in the next, and the cores see it one cycle later
    let words = words(&model.program, (&events, &order), stop + 2)?;
    Ok(Vectors::new(beats, &words, events, stop))
}
