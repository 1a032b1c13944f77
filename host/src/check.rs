//! Replayed events against a retire file, event by event, in the order of each hart

use crate::recording::{Events, Recording};
use crate::HostError;
use retire::file::FileError;
use retire::{FlowEvent, FlowKind};
use sim::file::TraceInfo;
use sim::replay::ReplaySink;
use std::collections::VecDeque;
use std::path::Path;

/// Holds what replay tells to a retire file.
///
/// Messages of different harts stand in another order than their events, so the file is read ahead into a
/// queue for each hart. Progress messages keep the harts together, so the queues stay small.
pub struct Check {
    reader: Events,
    want: Vec<VecDeque<FlowEvent>>,
    /// Events compared, by hart.
    seen: Vec<u64>,
    ended: bool,
    error: Option<FileError>,
    difference: Option<String>,
}

fn kind(kind: FlowKind) -> String {
    match kind {
        FlowKind::Start => "start".into(),
        FlowKind::Conditional { taken: true } => "branch taken".into(),
        FlowKind::Conditional { taken: false } => "branch not taken".into(),
        FlowKind::Jump => "jump".into(),
        FlowKind::Call => "call".into(),
        FlowKind::IndirectJump => "indirect jump".into(),
        FlowKind::IndirectCall => "indirect call".into(),
        FlowKind::Return => "return".into(),
        FlowKind::CoSwap => "co-routine swap".into(),
        FlowKind::TrapReturn => "trap return".into(),
        FlowKind::ConditionalIndirect { taken } => format!("conditional indirect, taken {taken}"),
        FlowKind::Trap { .. } => "trap".into(),
        FlowKind::Gap { lost } => format!("{lost} instructions lost"),
        FlowKind::Stop => "stop".into(),
    }
}

/// `1 hart`, `2 harts`.
fn plural(n: impl Into<u64>, what: &str) -> String {
    let n = n.into();
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// What an event does, in words.
pub fn describe(e: &FlowEvent) -> String {
    format!("{} to 0x{:08x} after {}", kind(e.kind), e.target, plural(e.count, "instruction"))
}

impl Check {
    /// Opens the recording; it must be of the same number of harts as the trace, and of the same program unless
    /// `any_build` says that another build will do.
    pub fn open(path: &Path, trace: &TraceInfo, any_build: bool) -> Result<Self, HostError> {
        let recording = Recording::open(path)?;
        let info = recording.info();
        if info.build_id != trace.build_id && !any_build {
            return Err(HostError::Other(format!(
                "{}: is of {} with build id {}, but the trace is of {} with build id {}",
                path.display(),
                info.program,
                info.build_id,
                trace.program,
                trace.build_id
            )));
        }
        if info.harts != trace.params.cores {
            return Err(HostError::Other(format!(
                "{}: has {}, but the trace has {}",
                path.display(),
                plural(info.harts, "hart"),
                plural(trace.params.cores, "core")
            )));
        }
        let harts = usize::from(info.harts);
        Ok(Self {
            reader: recording.events()?,
            want: vec![VecDeque::new(); harts],
            seen: vec![0; harts],
            ended: false,
            error: None,
            difference: None,
        })
    }

    /// Whether there is nothing more to find.
    pub fn is_over(&mut self) -> bool {
        self.difference.is_some() || self.error.is_some()
    }

    /// The next event of `hart` in the file; `None` when it has no more.
    fn next(&mut self, hart: usize) -> Option<FlowEvent> {
        while self.want[hart].is_empty() && !self.ended {
            match self.reader.next_event() {
                Ok(Some(e)) => self.want[usize::from(e.hart)].push_back(e),
                Ok(None) => self.ended = true,
                Err(e) => {
                    self.error = Some(e);
                    self.ended = true;
                }
            }
        }
        self.want[hart].pop_front()
    }

    /// The first difference, once replay has ended.
    pub fn finish(mut self) -> Result<Option<String>, HostError> {
        if self.difference.is_none() {
            for hart in 0..self.want.len() {
                if let Some(e) = self.next(hart) {
                    self.difference = Some(format!(
                        "event {}, hart {hart}, pc 0x{:08x}: the trace has ended, the run has {}",
                        self.seen[hart],
                        e.pc,
                        describe(&e)
                    ));
                    break;
                }
            }
        }
        self.error.map_or(Ok(self.difference), |e| Err(e.into()))
    }
}

impl ReplaySink for Check {
    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        if self.is_over() {
            return;
        }
        let hart = usize::from(e.hart);
        let want = self.next(hart);
        if !want.is_some_and(|w| w.same_flow(e)) {
            let right = match &want {
                Some(w) if w.pc == e.pc => describe(w),
                Some(w) => format!("pc 0x{:08x}: {}", w.pc, describe(w)),
                None => "nothing more".into(),
            };
            let index = self.seen[hart];
            self.difference =
                Some(format!("event {index}, hart {hart}, pc 0x{:08x}: {}, the run has {right}", e.pc, describe(e)));
        }
        self.seen[hart] += 1;
    }
}
