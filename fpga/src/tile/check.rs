//! Checks the trace of a tile against its log: events, bits, and each address

use super::run::{Job, Run};
use crate::soc::check::{check_images, CheckError, Checked};
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};
use sim::params::TraceParams;
use sim::replay::{Events, Images, Replay, ReplayError};

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
fn addresses(images: Images<'_>, events: &[FlowEvent], cores: usize) -> Vec<Vec<u64>> {
    let mut found = vec![Vec::new(); cores];
    let mut at = vec![(0, images.common); cores];
    // of the trap that follows, which counts instructions of the context before
    let mut next: Vec<Option<Context>> = vec![None; cores];
    for e in events {
        let core = usize::from(e.hart);
        if let FlowKind::Context { context, alone: false } = e.kind {
            next[core] = Some(context);
            continue;
        }
        let (pc, image) = &mut at[core];
        for _ in 0..e.count {
            found[core].push(*pc);
            *pc += image.instruction(*pc).map_or(0, |(_, len)| u64::from(len));
        }
        *pc = e.target;
        let turned = if let FlowKind::Context { context, .. } = e.kind { Some(context) } else { next[core].take() };
        if let Some(context) = turned {
            *image = images.find(context);
        }
    }
    found
}

/// Replays the words of `run` with the programs of `job`: events, bits and each instruction must equal those of the log.
pub fn check(params: &TraceParams, job: &Job<'_>, run: &Run) -> Result<Checked, TileError> {
    let common = Image::new(job.program);
    let images = Images { common: &common, of: &job.of };
    let checked = check_images(params, images, &run.events, &run.words)?;
    if checked.overflows > 0 {
        // lost instructions are missing in the trace
        return Ok(checked);
    }
    let mut events: Vec<FlowEvent> = Vec::new();
    Replay::new(images, params, run.words.iter().copied())?.run(&mut Events(&mut events))?;
    let describe = |a: Option<&u64>| a.map_or("nothing more".into(), |a| format!("0x{a:08x}"));
    for (core, (found, right)) in addresses(images, &events, run.addresses.len()).iter().zip(&run.addresses).enumerate()
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
