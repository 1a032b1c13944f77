//! Checks the trace of a tile against its log: events, bits, and each address

use super::run::{Job, Run};
use crate::soc::check::{check_images, CheckError, Checked};
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};
use serde::Serialize;
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
    /// An instruction is shown that the filter must hide.
    #[error("core {core}, instruction {at}: 0x{pc:08x} is shown, but its privilege mode {mode} is not selected")]
    Shown {
        /// Core.
        core: usize,
        /// Index of the core's instruction, from 0.
        at: usize,
        /// Its address.
        pc: u64,
        /// Its privilege mode.
        mode: u8,
    },
}

/// What a filtered trace shows, compared with the log.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Filtered {
    /// Instructions that the trace shows.
    pub shown: u64,
    /// Instructions of the log in the selected privilege modes.
    pub selected: u64,
    /// Gaps, and the instructions that they count.
    pub gaps: u64,
    /// See [`Filtered::gaps`].
    pub hidden: u64,
    /// Bits of the stream, header and padding included.
    pub bits: u64,
    /// Messages.
    pub messages: u64,
}

/// Replays the words of a run with a filter: each instruction that they show is that of the log, in a selected privilege mode, and each
/// gap counts what the log has there.
pub fn check_filtered(params: &TraceParams, job: &Job<'_>, run: &Run) -> Result<Filtered, TileError> {
    let common = Image::new(job.program);
    let images = Images { common: &common, of: &job.of };
    let mut told: Vec<FlowEvent> = Vec::new();
    let summary = Replay::new(images, params, run.words.iter().copied())?.run(&mut Events(&mut told))?;
    let selected = |mode: &u8| job.modes >> mode & 1 == 1;
    let log = &run.log;
    let mut found = Filtered {
        selected: log.modes.iter().flatten().filter(|mode| selected(mode)).count() as u64,
        bits: summary.stats.bits,
        messages: summary.stats.messages(),
        ..Filtered::default()
    };
    let mut cores = vec![Position { pc: 0, at: 0, image: &common, next: None }; log.addresses.len()];
    for e in &told {
        let core = usize::from(e.hart);
        let (addresses, modes) = (&log.addresses[core], &log.modes[core]);
        let c = &mut cores[core];
        if let FlowKind::Context { context, alone: false } = e.kind {
            c.next = Some(images.find(context));
            continue;
        }
        for _ in 0..e.count {
            if addresses.get(c.at) != Some(&c.pc) {
                let (replayed, retired) = (describe(Some(&c.pc)), describe(addresses.get(c.at)));
                return Err(TileError::Address { core, at: c.at, replayed, retired });
            }
            if !selected(&modes[c.at]) {
                return Err(TileError::Shown { core, at: c.at, pc: c.pc, mode: modes[c.at] });
            }
            c.pc += c.image.instruction(c.pc).map_or(0, |(_, len)| u64::from(len));
            c.at += 1;
            found.shown += 1;
        }
        match e.kind {
            FlowKind::Context { context, .. } => c.image = images.find(context),
            // nothing is reported of what is hidden before
            FlowKind::Start => c.at = modes.iter().position(selected).unwrap_or(modes.len()),
            FlowKind::Gap { lost } => {
                c.at += lost as usize;
                (found.gaps, found.hidden) = (found.gaps + 1, found.hidden + u64::from(lost));
            }
            _ => {}
        }
        (c.pc, c.image) = (e.target, c.next.take().unwrap_or(c.image));
    }
    Ok(found)
}

/// Where a core is in its log and in its code.
#[derive(Clone, Copy)]
struct Position<'a> {
    /// Address of the next instruction, and its index in the log.
    pc: u64,
    at: usize,
    image: &'a Image,
    /// The code after the event that follows.
    next: Option<&'a Image>,
}

fn describe(address: Option<&u64>) -> String {
    address.map_or("nothing more".into(), |a| format!("0x{a:08x}"))
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
    let checked = check_images(params, images, &run.log.events, &run.words)?;
    if checked.overflows > 0 {
        // lost instructions are missing in the trace
        return Ok(checked);
    }
    let mut events: Vec<FlowEvent> = Vec::new();
    Replay::new(images, params, run.words.iter().copied())?.run(&mut Events(&mut events))?;
    for (core, (found, right)) in
        addresses(images, &events, run.log.addresses.len()).iter().zip(&run.log.addresses).enumerate()
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
