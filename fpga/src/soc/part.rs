//! Checks a trace of a part of a run, as kept by a circular buffer, against the retire log

use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::params::TraceParams;
use sim::replay::{Replay, ReplayError, ReplaySink};

/// Position of a part in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// First event of the log in the trace, by core; `None` if the trace has none.
    pub first: Vec<Option<usize>>,
    /// Number of events in the trace, by core.
    pub events: Vec<usize>,
    /// Number of instructions in the trace.
    pub instructions: u64,
}

/// Error of a trace that is not part of the run.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PartError {
    /// It cannot be replayed.
    #[error("the trace cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// The events do not occur in the log, or not at that position.
    #[error("core {core}: the {events} events of the trace are not {wanted} those of the retire log")]
    Nowhere {
        /// Core.
        core: u8,
        /// Number of events replayed.
        events: usize,
        /// Required position.
        wanted: &'static str,
    },
}

struct Collect(Vec<Vec<FlowEvent>>);

impl ReplaySink for Collect {
    fn event(&mut self, e: &FlowEvent) {
        self.0[usize::from(e.hart)].push(*e);
    }
}

/// Whether the part's events equal those of the log from `at` on. The part starts within the run of instructions up to
/// its first event, and ends within the run up to the event after its last.
fn matches_at(part: &[FlowEvent], log: &[FlowEvent], at: usize) -> bool {
    let Some(log) = log.get(at..at + part.len()) else { return false };
    part.iter().zip(log).enumerate().all(|(i, (p, l))| {
        if p.kind == FlowKind::Stop || i == 0 {
            p.count <= l.count && (p.kind == FlowKind::Stop || p.same_flow(&FlowEvent { count: p.count, ..*l }))
        } else {
            p.same_flow(l)
        }
    })
}

/// Replays `words` and finds them in `log`, the events of the run: at its end, or if `before` is given, a part that was
/// already found, anywhere before that.
pub fn find(
    params: &TraceParams,
    program: &Program,
    log: &[FlowEvent],
    words: &[u32],
    before: Option<&Part>,
) -> Result<Part, PartError> {
    let image = Image::new(program);
    let cores = usize::from(params.cores);
    let mut traced_events = Collect(vec![Vec::new(); cores]);
    let summary = Replay::new(&image, params, words.iter().copied())?.run(&mut traced_events)?;
    let mut part =
        Part { first: vec![None; cores], events: vec![0; cores], instructions: summary.instructions.iter().sum() };
    for (core, traced_events) in traced_events.0.iter().enumerate() {
        let log: Vec<FlowEvent> = log.iter().filter(|e| usize::from(e.hart) == core).copied().collect();
        let events: Vec<FlowEvent> = traced_events.iter().filter(|e| e.kind != FlowKind::Start).copied().collect();
        let nowhere = |wanted| PartError::Nowhere { core: core as u8, events: events.len(), wanted };
        let at = match before {
            None => {
                let at = log.len().saturating_sub(events.len());
                let ends = events.len() < 2 || events.last().zip(log.last()).is_some_and(|(p, l)| p.same_flow(l));
                if !ends || !matches_at(&events, &log, at) {
                    return Err(nowhere("the last of"));
                }
                at
            }
            Some(later) => {
                let end = later.first[core].unwrap_or(log.len());
                (0..end).rev().find(|at| matches_at(&events, &log, *at)).ok_or_else(|| nowhere("among"))?
            }
        };
        part.first[core] = Some(at);
        part.events[core] = events.len();
    }
    Ok(part)
}
