//! Runs the circuit in the rust-hdl simulation and checks it against the golden model

use crate::{progress, Failure};
use hdl::emit::SystemOptions;
use hdl::trace_sim::{compare, Comparison, Play};
use host::input::Named;
use retire::file::Replacement;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::params::TraceParams;
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::rc::Rc;

/// A sink that keeps the first events of a run, up to a number of instructions and a cycle.
pub struct First {
    events: Vec<FlowEvent>,
    left: u64,
    last_cycle: u64,
}

impl First {
    /// Creates it with these limits.
    pub fn new(instructions: u64, last_cycle: u64) -> Self {
        Self { events: Vec::new(), left: instructions, last_cycle }
    }

    /// The events kept. A start or trap without a following instruction is dropped, since a circuit sees neither before
    /// that instruction.
    pub fn events(mut self) -> Vec<FlowEvent> {
        let mut followed = [false; 256];
        for i in (0..self.events.len()).rev() {
            let e = self.events[i];
            let seen = &mut followed[usize::from(e.hart)];
            if matches!(e.kind, FlowKind::Start | FlowKind::Trap { .. }) && !*seen {
                self.events.remove(i);
            } else {
                *seen |= e.count > 0;
            }
        }
        self.events
    }
}

impl RetireSink for First {
    fn event(&mut self, e: &FlowEvent) {
        if u64::from(e.count) > self.left || e.cycle > self.last_cycle {
            // nothing more is kept from here on, so that the run has no holes
            self.left = 0;
            self.last_cycle = 0;
        } else {
            self.left -= u64::from(e.count);
            self.events.push(*e);
        }
    }
}

/// Number of instructions in the events.
pub fn instructions(events: &[FlowEvent]) -> u64 {
    events.iter().map(|e| u64::from(e.count)).sum()
}

/// A file that the simulation writes to, and that is moved to its final name afterwards.
struct Dump(Rc<RefCell<Replacement>>);

impl Write for Dump {
    fn write(&mut self, buf: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(buf)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Runs the events on the circuit in the rust-hdl simulation.
pub fn on_rust_hdl(
    params: &TraceParams,
    named: &Named,
    events: &[FlowEvent],
    pace: u64,
    vcd: Option<&Path>,
) -> Result<Comparison, Failure> {
    let file = vcd.map(Replacement::create).transpose()?.map(|file| Rc::new(RefCell::new(file)));
    let vcd = file.clone().map(|file| Box::new(Dump(file)) as Box<dyn Write>);
    let bar = progress::bar("simulating", "instructions", Some(instructions(events)));
    let play = Play { options: SystemOptions::default(), pace, vcd, progress: &|n| bar.set_position(n) };
    let result = compare(params, &named.program, events, play);
    bar.finish_and_clear();
    if let Some(file) = file.and_then(Rc::into_inner) {
        file.into_inner().commit()?;
    }
    result.map_err(|e| Failure::Other(format!("simulation: {e}")))
}

/// Whether the words are equal; otherwise the first difference.
pub fn check_equal(c: &Comparison) -> Result<(), String> {
    if c.summary.overflow != 0 {
        return Err(format!(
            "the event FIFOs of cores 0b{:b} overflowed: the encoder could not keep up with these \
             instructions; a higher --pace gives it more clocks",
            c.summary.overflow
        ));
    }
    let Some(i) = c.difference() else { return Ok(()) };
    let word = |words: &[u32]| words.get(i).map_or_else(|| "nothing more".into(), |w| format!("0x{w:08x}"));
    Err(format!("word {i}, bit {}: {}, the golden model says {}", 32 * i, word(&c.circuit), word(&c.golden)))
}
