//! Compares replayed events with a retire file, event by event, in the order of each hart

use crate::recording::{Events, Recording};
use crate::text::plural;
use crate::HostError;
use retire::file::FileError;
use retire::isa::Indirect;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::file::TraceInfo;
use sim::replay::ReplaySink;
use std::cmp::Ordering;
use std::path::Path;

/// A check of replay against a retire file.
///
/// The order of messages of different harts differs from that of their events, so the file is read ahead into a queue
/// for each hart. Progress messages limit how far harts diverge, so the queues stay small.
pub struct Check {
    reader: Events,
    want: Queues,
    /// Events compared, by hart.
    seen: Vec<u64>,
    ended: bool,
    error: Option<FileError>,
    difference: Option<String>,
    /// By hart: whether the trace goes on after the end of the recording.
    goes_on: Vec<bool>,
    /// Instructions compared, all harts.
    instructions: u64,
}

/// Result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The first difference.
    pub difference: Option<String>,
    /// Instructions compared.
    pub instructions: u64,
    /// Whether the trace goes on after the end of the recording, of which all is equal.
    pub goes_on: bool,
}

impl Checked {
    /// The result without a difference, of a comparison with the recording `path`.
    pub fn equal(&self, path: &Path, extent: &str) -> String {
        let path = path.display();
        match self.goes_on {
            true => {
                let compared = plural(self.instructions, "instruction");
                format!("equal up to the end of {path} ({compared}); the trace goes on{extent}")
            }
            false => format!("equal to {path}, event by event{extent}"),
        }
    }
}

/// Events of each hart, and the number already compared.
struct Queues {
    harts: Vec<(Vec<FlowEvent>, usize)>,
    /// In a comparison without contexts, by hart: instructions before a context switch, which are added to the next
    /// event.
    before: Option<Vec<u32>>,
}

impl RetireSink for Queues {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        let hart = usize::from(event.hart);
        let mut event = *event;
        if let Some(before) = &mut self.before {
            if let FlowKind::Context { .. } = event.kind {
                before[hart] += event.count;
                return;
            }
            event.count += std::mem::take(&mut before[hart]);
        }
        self.harts[hart].0.push(event);
    }
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
        FlowKind::ConditionalIndirect { how, taken } => {
            let what = match how {
                Indirect::Jump => "jump",
                Indirect::Call => "call",
                Indirect::Return => "return",
                Indirect::CoSwap => "co-routine swap",
            };
            format!("conditional indirect {what}{}", if taken { "" } else { " not taken" })
        }
        FlowKind::Trap { .. } => "trap".into(),
        FlowKind::Context { context, .. } => format!("context {context}"),
        FlowKind::Gap { lost: 0 } => "some instructions lost".into(),
        FlowKind::Gap { lost } => format!("{} lost", plural(lost, "instruction")),
        FlowKind::Stop => "stop".into(),
    }
}

/// Description of an event in words.
pub fn describe(e: &FlowEvent) -> String {
    format!("{} to 0x{:08x} after {}", kind(e.kind), e.target, plural(e.count, "instruction"))
}

impl Check {
    /// Opens the recording. It must have the same number of harts as the trace, and be of the same program unless
    /// `any_build` allows another build.
    pub fn open(path: &Path, trace: &TraceInfo, any_build: bool) -> Result<Self, HostError> {
        Self::of(&Recording::open(path)?, trace, any_build)
    }

    /// As [`Check::open`], for a recording that is open.
    ///
    /// # Errors
    /// As [`Check::open`].
    pub fn of(recording: &Recording, trace: &TraceInfo, any_build: bool) -> Result<Self, HostError> {
        let build = (!any_build).then_some((&*trace.program, &*trace.build_id));
        let mut check = Self::for_cores(recording, trace.params.cores, build)?;
        check.want.before = check.want.before.filter(|_| trace.params.context.is_none());
        Ok(check)
    }

    /// As [`Check::open`], for `cores` cores and, if given, the program and its build id.
    pub fn open_for(path: &Path, cores: u8, build: Option<(&str, &str)>) -> Result<Self, HostError> {
        Self::for_cores(&Recording::open(path)?, cores, build)
    }

    fn for_cores(recording: &Recording, cores: u8, build: Option<(&str, &str)>) -> Result<Self, HostError> {
        let (path, info) = (recording.path(), recording.info());
        if let Some((program, build_id)) = build.filter(|b| b.1 != info.build_id) {
            return Err(HostError::Other(format!(
                "{}: is of {} with build id {}, but the trace is of {program} with build id {build_id}",
                path.display(),
                info.program,
                info.build_id,
            )));
        }
        if info.harts != cores {
            return Err(HostError::Other(format!(
                "{}: has {}, but the trace has {}",
                path.display(),
                plural(info.harts, "hart"),
                plural(cores, "core")
            )));
        }
        let harts = usize::from(info.harts);
        Ok(Self {
            reader: recording.events()?,
            want: Queues { harts: vec![(Vec::new(), 0); harts], before: Some(vec![0; harts]) },
            seen: vec![0; harts],
            ended: false,
            error: None,
            difference: None,
            goes_on: vec![false; harts],
            instructions: 0,
        })
    }

    /// Whether the check can end: a difference or an error was found.
    pub fn is_over(&mut self) -> bool {
        self.difference.is_some() || self.error.is_some()
    }

    /// The next event of `hart` in the file; `None` if there are no more.
    #[inline]
    fn next(&mut self, hart: usize) -> Option<&FlowEvent> {
        if self.want.harts[hart].1 == self.want.harts[hart].0.len() {
            self.read(hart);
        }
        let (events, next) = &self.want.harts[hart];
        events.get(*next)
    }

    /// Reads the file until there is an event of `hart`.
    #[cold]
    fn read(&mut self, hart: usize) {
        for (events, next) in &mut self.want.harts {
            events.drain(..std::mem::take(next));
        }
        while self.want.harts[hart].0.is_empty() && !self.ended {
            let read = self.reader.next_block(&mut self.want);
            self.ended = !matches!(read, Ok(true));
            self.error = read.err();
        }
    }

    /// What was found so far.
    pub fn found(self) -> Checked {
        let goes_on = self.difference.is_none() && self.goes_on.contains(&true);
        Checked { difference: self.difference, instructions: self.instructions, goes_on }
    }

    /// What was found, after the end of replay.
    pub fn finish(mut self) -> Result<Checked, HostError> {
        if self.difference.is_none() {
            for hart in 0..self.want.harts.len() {
                if let Some(e) = self.next(hart).copied() {
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
        match self.error.take() {
            Some(e) => Err(e.into()),
            None => Ok(self.found()),
        }
    }
}

impl ReplaySink for Check {
    const EVENTS_ONLY: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        let hart = usize::from(e.hart);
        if self.is_over() || self.goes_on[hart] {
            return;
        }
        let want = self.next(hart);
        if want.is_some_and(|w| w.same_flow(e)) {
            self.want.harts[hart].1 += 1;
            self.seen[hart] += 1;
            self.instructions += u64::from(e.count);
            return;
        }
        // a recording may end before the core does: within the instructions of this event
        let end = want.filter(|w| w.kind == FlowKind::Stop).map(|w| (w.count, w.pc));
        let within = |(count, pc): &(u32, u64)| match e.count.cmp(count) {
            Ordering::Less => false,
            Ordering::Equal => !e.kind.retires() && e.pc == *pc,
            Ordering::Greater => !e.kind.retires() || e.count - 1 > *count || e.pc == *pc,
        };
        let is_gap = matches!(e.kind, FlowKind::Gap { .. });
        if let Some((count, _)) = end.filter(within).filter(|_| !is_gap) {
            self.want.harts[hart].1 += 1;
            self.seen[hart] += 1;
            self.instructions += u64::from(count);
            self.goes_on[hart] = true;
            return;
        }
        if let FlowKind::Gap { lost } = e.kind {
            let lost = if lost == 0 { "instructions".into() } else { plural(lost, "instruction") };
            self.difference = Some(format!(
                "event {}, hart {hart}: the trace has a gap, {lost} lost or hidden by a filter before pc 0x{:08x}; \
                 `--check` compares traces without gaps",
                self.seen[hart], e.target
            ));
            return;
        }
        let right = match want {
            Some(w) if w.pc == e.pc => describe(w),
            Some(w) => format!("pc 0x{:08x}: {}", w.pc, describe(w)),
            None => "nothing more".into(),
        };
        let index = self.seen[hart];
        self.difference =
            Some(format!("event {index}, hart {hart}, pc 0x{:08x}: {}, the run has {right}", e.pc, describe(e)));
    }
}
