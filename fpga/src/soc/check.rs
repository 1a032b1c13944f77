//! Checks a trace against the retire log: replay, order, and the golden model

use super::run::Run;
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use serde::Serialize;
use sim::message::{Body, Escape, Message};
use sim::params::TraceParams;
use sim::replay::{Images, Replay, ReplayError, ReplaySink};
use sim::system::System;

/// Result of the comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Events compared.
    pub events: u64,
    /// Replayed instructions by core.
    pub instructions: Vec<u64>,
    /// Bits of the stream, header and padding included.
    pub bits: u64,
    /// Messages.
    pub messages: u64,
    /// Overflow messages. If there are any, events are missing, and only the traced ones are compared.
    pub overflows: u64,
    /// Instructions that the overflow messages count as lost.
    pub lost: u64,
    /// Whether the messages of all cores are in the order in which their instructions retired.
    pub ordered: bool,
    /// Whether the words equal those of the golden model for this log; `None` after an overflow, which the model does
    /// not have.
    pub golden: Option<bool>,
}

/// Error of a trace that does not match the log.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CheckError {
    /// It cannot be replayed.
    #[error("the trace cannot be replayed: {0}")]
    Replay(#[from] ReplayError),
    /// The replayed event differs from that of the log.
    #[error("core {core}, event {event}: replay says {replayed}, the cores retired {retired}")]
    Different {
        /// Core.
        core: u8,
        /// Index of the core's event, from 0.
        event: usize,
        /// From the trace.
        replayed: String,
        /// From the log.
        retired: String,
    },
}

fn describe(e: Option<&FlowEvent>) -> String {
    e.map_or_else(
        || "nothing more".into(),
        |e| format!("{:?} at 0x{:08x} to 0x{:08x} after {} instructions", e.kind, e.pc, e.target, e.count),
    )
}

/// Compares events during replay.
struct Compare {
    /// Events of the log, by core.
    log: Vec<Vec<FlowEvent>>,
    /// Next event of each core.
    at: Vec<usize>,
    wrong: Option<CheckError>,
    /// Cores whose last replayed event is a gap: if the trace ends there, replay has no stop event.
    in_gap: Vec<bool>,
    /// Cycle and core of the last message.
    last: (u64, u8),
    ordered: bool,
    overflows: u64,
    lost: u64,
    compared: u64,
    /// Cycles from tracing becoming active to cycle 0 of the log, from the first sync.
    offset: Option<u64>,
    /// Cycle of the stop messages, in the trace's cycles.
    stop: u64,
}

impl ReplaySink for Compare {
    fn event(&mut self, e: &FlowEvent) {
        if self.wrong.is_some() {
            return;
        }
        let core = usize::from(e.hart);
        self.in_gap[core] = matches!(e.kind, FlowKind::Gap { .. });
        if self.in_gap[core] {
            self.skip(e);
            return;
        }
        let at = self.at[core];
        let right = self.log[core].get(at);
        match (e.kind, right) {
            (FlowKind::Start, Some(r)) if self.offset.is_none() => self.offset = Some(e.cycle.wrapping_sub(r.cycle)),
            (FlowKind::Stop, _) => self.stop = e.cycle,
            _ => {}
        }
        if right.is_some_and(|r| r.same_flow(e)) {
            self.at[core] += 1;
            self.compared += 1;
        } else {
            self.wrong = Some(CheckError::Different {
                core: e.hart,
                event: at,
                replayed: describe(Some(e)),
                retired: describe(right),
            });
        }
    }

    fn message(&mut self, _: u64, m: &Message) {
        let core = usize::from(m.core);
        match m.body {
            Body::Escape(Escape::Overflow { lost, .. }) => {
                self.overflows += 1;
                self.lost += lost;
                return;
            }
            // replay has no stop event of a core that did nothing; its only message has the time
            Body::Escape(Escape::Stop { .. }) if self.log[core].is_empty() => {
                self.stop = self.stop.max(m.diff_cc);
                return;
            }
            Body::Escape(Escape::Stop { .. }) => return,
            _ => {}
        }
        if self.wrong.is_none() && self.at[core] > 0 {
            let cycle = self.log[core][self.at[core] - 1].cycle;
            let next = self.log[core].get(self.at[core]).map_or(u64::MAX, |e| e.cycle);
            // a stream that ends in an indirect branch is reported before its target is known, so that event comes with
            // the next message; predicted streams are counted until another message is sent
            let latest = match m.body {
                Body::Index { .. } | Body::Descriptor { .. } => next,
                // after a gap, its instruction is one of those before the next event
                Body::Escape(Escape::Sync { .. }) => next,
                Body::Hits { .. } => u64::MAX,
                _ => cycle,
            };
            self.ordered &= (latest, m.core) >= self.last;
            self.last = self.last.max((cycle, m.core));
        }
    }
}

impl Compare {
    /// Skips events of the log whose instructions were lost, up to where replay continues.
    fn skip(&mut self, gap: &FlowEvent) {
        let FlowKind::Gap { lost } = gap.kind else { return };
        let core = usize::from(gap.hart);
        let log = &mut self.log[core];
        // instructions of the log from the run of its next event: first those before the gap, then the lost ones
        let mut left = u64::from(gap.count) + u64::from(lost);
        let mut at = self.at[core];
        while let Some(e) = log.get_mut(at) {
            if u64::from(e.count) > left || e.kind == FlowKind::Stop {
                e.count -= u32::try_from(left).unwrap_or(e.count).min(e.count);
                break;
            }
            // a trap between the last lost instruction and the first one after the gap is not reported
            left -= u64::from(e.count);
            at += 1;
        }
        self.at[core] = at;
    }
}

/// Replays the words of `run` with `program`, and compares with what the cores retired.
pub fn check(params: &TraceParams, program: &Program, run: &Run) -> Result<Checked, CheckError> {
    check_words(params, program, &run.events, &run.words)
}

/// Replays `words` with `program`, and compares with the retired events in commit order.
pub fn check_words(
    params: &TraceParams,
    program: &Program,
    events: &[FlowEvent],
    words: &[u32],
) -> Result<Checked, CheckError> {
    check_images(params, (&Image::new(program)).into(), events, words)
}

/// Replays `words` with the code of `images`, and compares with the retired events in commit order.
pub fn check_images(
    params: &TraceParams,
    images: Images<'_>,
    events: &[FlowEvent],
    words: &[u32],
) -> Result<Checked, CheckError> {
    let mut log = vec![Vec::new(); usize::from(params.cores)];
    for e in events {
        log[usize::from(e.hart)].push(*e);
    }
    let (at, in_gap) = (vec![0; log.len()], vec![false; log.len()]);
    let mut compare = Compare {
        log,
        at,
        wrong: None,
        in_gap,
        last: (0, 0),
        ordered: true,
        overflows: 0,
        lost: 0,
        compared: 0,
        offset: None,
        stop: 0,
    };
    let summary = Replay::new(images, params, words.iter().copied())?.run(&mut compare);
    if let Some(wrong) = compare.wrong {
        return Err(wrong);
    }
    let summary = summary?;
    for (core, (log, at)) in compare.log.iter().zip(&compare.at).enumerate() {
        let ended = matches!(log[*at..], [FlowEvent { kind: FlowKind::Stop, .. }]) && compare.in_gap[core];
        if *at < log.len() && !ended {
            return Err(CheckError::Different {
                core: core as u8,
                event: *at,
                replayed: describe(None),
                retired: describe(log.get(*at)),
            });
        }
    }
    let golden = (compare.overflows == 0).then(|| {
        let offset = if params.timestamps { compare.offset.unwrap_or(0) } else { 0 };
        golden(params, images, events, (words, offset, compare.stop))
    });
    Ok(Checked {
        events: compare.compared,
        instructions: summary.instructions,
        bits: summary.stats.bits,
        messages: summary.stats.messages(),
        overflows: compare.overflows,
        lost: compare.lost,
        ordered: compare.ordered,
        golden,
    })
}

/// Whether the golden model makes the same words from the log, whose cycle 0 is cycle `offset` of the trace.
fn golden(
    params: &TraceParams,
    images: Images<'_>,
    events: &[FlowEvent],
    (words, offset, stop): (&[u32], u64, u64),
) -> bool {
    let Ok(mut system) = System::with_code(params, 0, images) else { return false };
    let mut words = words.iter().copied();
    for e in events {
        system.event(&FlowEvent { cycle: e.cycle.wrapping_add(offset), ..*e });
        if !system.drain().all(|w| words.next() == Some(w)) {
            return false;
        }
    }
    system.finish(stop);
    let rest = system.drain().all(|w| words.next() == Some(w));
    rest && words.next().is_none()
}
