//! Checks the trace of a tile against its log: events, bits, and each address

use super::run::Run;
use crate::soc::check::{check_words, CheckError, Checked};
use retire::elf::Program;
use retire::image::Image;
use retire::FlowEvent;
use sim::params::TraceParams;
use sim::replay::{Events, Replay, ReplayError};

/// Error of a trace that does not match the log.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TileError {
    /// The events differ, or the trace cannot be replayed.
    #[error("{0}")]
    Events(#[from] CheckError),
    /// The trace cannot be replayed.
    #[error("the trace cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// The replayed instruction differs.
    #[error("core {core}, instruction {at}: replay says {replayed}, the core retired {retired}")]
    Address {
        /// Core.
        core: usize,
        /// Index of the core's instruction, from 0.
        at: usize,
        /// From the trace.
        replayed: String,
        /// From the log.
        retired: String,
    },
}

/// The addresses that each core retires according to `events` and the code between them.
fn addresses(image: &Image, events: &[FlowEvent], cores: usize) -> Vec<Vec<u64>> {
    let mut found = vec![Vec::new(); cores];
    let mut at = vec![0; cores];
    for e in events {
        let core = usize::from(e.hart);
        for _ in 0..e.count {
            found[core].push(at[core]);
            at[core] += image.instruction(at[core]).map_or(0, |(_, len)| u64::from(len));
        }
        at[core] = e.target;
    }
    found
}

/// Replays the words of `run` with `program`: events, bits and each instruction must equal those of the log.
pub fn check(params: &TraceParams, program: &Program, run: &Run) -> Result<Checked, TileError> {
    let checked = check_words(params, program, &run.events, &run.words)?;
    if checked.overflows > 0 {
        // lost instructions are missing in the trace
        return Ok(checked);
    }
    let image = Image::new(program);
    let mut events: Vec<FlowEvent> = Vec::new();
    Replay::new(&image, params, run.words.iter().copied())?.run(&mut Events(&mut events))?;
    let describe = |a: Option<&u64>| a.map_or("nothing more".into(), |a| format!("0x{a:08x}"));
    for (core, (found, right)) in addresses(&image, &events, run.addresses.len()).iter().zip(&run.addresses).enumerate()
    {
        if found != right {
            let at = found.iter().zip(right).take_while(|(f, r)| f == r).count();
            return Err(TileError::Address {
                core,
                at,
                replayed: describe(found.get(at)),
                retired: describe(right.get(at)),
            });
        }
    }
    Ok(checked)
}
