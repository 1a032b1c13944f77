//! Events of one hart of a decoded trace: gaps, contexts, and the events of a packet until it is accepted

use retire::{Context, FlowEvent, FlowKind, RetireSink};

/// Events after which those of a long packet are passed on before its end.
const MAX_HELD: usize = 1 << 16;

/// Counts of the decoder of a hart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Retired instructions reported.
    pub instructions: u64,
    /// Packets or messages.
    pub packets: u64,
    /// Those skipped because no synchronization preceded them.
    pub unsynchronized: u64,
    /// Losses that the trace reports.
    pub losses: u64,
    /// Packets or messages that were refused.
    pub faults: u64,
    /// Times that tracing was off between two parts of the trace.
    pub pauses: u64,
    /// Traps, synchronizations and ends of a trace in a loop without a branch, of which the trace does not say how often it ran. The events
    /// have one pass.
    pub branchless_loops: u64,
    /// Messages of vendors, and of data trace.
    pub other: u64,
    /// First and last time stamp.
    pub time: Option<(u64, u64)>,
}

impl Counts {
    /// Adds those of another hart.
    pub fn add(&mut self, other: &Self) {
        self.instructions += other.instructions;
        self.packets += other.packets;
        self.unsynchronized += other.unsynchronized;
        self.losses += other.losses;
        self.faults += other.faults;
        self.pauses += other.pauses;
        self.branchless_loops += other.branchless_loops;
        self.other += other.other;
        self.time = match (self.time, other.time) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (own, other) => own.or(other),
        };
    }

    /// Enters a time stamp.
    pub(super) fn at(&mut self, time: u64) {
        self.time = Some(self.time.map_or((time, time), |(first, _)| (first, time)));
    }
}

/// A sink that numbers the events of all harts: the cycle is the number of instructions so far, at least one an event; or in a trace with time
/// stamps the time of an event, or of one before it if that is later.
#[derive(Debug)]
pub struct Ordered<S> {
    sink: S,
    cycle: u64,
    timed: bool,
}

impl<S: RetireSink> Ordered<S> {
    /// Passes events on to `sink`.
    pub fn new(sink: S) -> Self {
        Self::with(sink, false)
    }

    /// Passes events on to `sink`; `timed`: they have times.
    pub fn with(sink: S, timed: bool) -> Self {
        Self { sink, cycle: 0, timed }
    }

    /// The sink.
    pub fn into_sink(self) -> S {
        self.sink
    }
}

impl<S: RetireSink> RetireSink for Ordered<S> {
    #[inline]
    fn event(&mut self, event: &FlowEvent) {
        self.cycle = match self.timed {
            true => self.cycle.max(event.cycle),
            false => self.cycle + u64::from(event.count.max(1)),
        };
        self.sink.event(&FlowEvent { cycle: self.cycle, ..*event });
    }
}

/// Whether the position of the hart is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not yet.
    Before,
    Running,
    /// Not since `next` would have been the next PC.
    Unknown {
        next: u64,
    },
}

/// The events of a hart.
#[derive(Debug)]
pub(super) struct Output {
    hart: u8,
    state: State,
    context: Context,
    /// Instructions since the last event.
    pub(super) since: u32,
    held: Vec<FlowEvent>,
    /// `since` at the last accepted packet.
    accepted: u32,
    /// Time of the packet, which its events have.
    pub(super) now: u64,
    /// Whether instructions are missing since the position was last known: a packet was refused, or a loss reported.
    missing: bool,
    /// Instructions and events are not entered: the path is only tried.
    muted: bool,
    pub(super) counts: Counts,
}

impl Output {
    pub(super) fn new(hart: u8) -> Self {
        let (state, context) = (State::Before, Context::RESET);
        Self {
            hart,
            state,
            context,
            since: 0,
            held: Vec::new(),
            accepted: 0,
            now: 0,
            missing: false,
            muted: false,
            counts: Counts::default(),
        }
    }

    /// Whether instructions and events are left out from here on.
    pub(super) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// Whether the position is known.
    pub(super) fn is_running(&self) -> bool {
        self.state == State::Running
    }

    /// Number of instructions retired, including those of the packet in progress.
    pub(super) fn retire(&mut self, count: u32) {
        if !self.muted {
            self.since = self.since.saturating_add(count);
        }
    }

    /// Adds an event that ends the instructions since the last one.
    #[inline]
    pub(super) fn event(&mut self, kind: FlowKind, len: u8, pc: u64, target: u64) {
        if self.muted {
            return;
        }
        let count = std::mem::take(&mut self.since);
        self.held.push(FlowEvent { hart: self.hart, kind, len, count, pc, target, cycle: self.now });
    }

    /// Whether enough events are held that they should be passed on.
    pub(super) fn is_full(&self) -> bool {
        self.held.len() >= MAX_HELD && !self.muted
    }

    /// Accepts the events since the last call.
    pub(super) fn accept(&mut self, sink: &mut impl RetireSink) {
        for event in self.held.drain(..) {
            self.counts.instructions += u64::from(event.count);
            sink.event(&event);
        }
        self.accepted = self.since;
    }

    /// Refuses the events since the last call of `accept`.
    pub(super) fn refuse(&mut self) {
        self.held.clear();
        self.since = self.accepted;
        self.missing = true;
        self.counts.faults += 1;
    }

    /// Packets were lost.
    pub(super) fn miss(&mut self) {
        self.missing = true;
        self.counts.losses += 1;
    }

    /// The position is not known from here, where `next` would have been the next PC.
    pub(super) fn lose(&mut self, next: u64) {
        if self.is_running() {
            self.state = State::Unknown { next };
        }
    }

    /// The next instruction is in `context`.
    pub(super) fn enter(&mut self, context: Context, alone: bool, pc: u64) {
        if context == self.context {
            return;
        }
        self.context = context;
        let kind = FlowKind::Context { context, alone };
        if alone {
            return self.event(kind, 0, pc, pc);
        }
        // the event after it counts the instructions
        let since = std::mem::take(&mut self.since);
        self.event(kind, 0, pc, pc);
        self.since = since;
    }

    /// The privilege mode in force.
    pub(super) fn context(&self) -> Context {
        self.context
    }

    /// The next instruction is at `pc`, in `context` if known: the start, or the end of a gap.
    pub(super) fn begin(&mut self, pc: u64, context: Option<Context>) {
        if let Some(context) = context {
            self.enter(context, false, pc);
        }
        self.missing = false;
        match std::mem::replace(&mut self.state, State::Running) {
            State::Before => self.event(FlowKind::Start, 0, pc, pc),
            State::Unknown { next } => self.event(FlowKind::Gap { lost: 0 }, 0, next, pc),
            State::Running => {}
        }
    }

    /// Ends the events; `next` would be the next PC.
    pub(super) fn end(&mut self, next: u64, sink: &mut impl RetireSink) {
        let next = match self.state {
            State::Before => return,
            State::Running => next,
            State::Unknown { next } => {
                if self.missing {
                    // no synchronization up to the end
                    self.event(FlowKind::Gap { lost: 0 }, 0, next, next);
                }
                next
            }
        };
        self.event(FlowKind::Stop, 0, next, next);
        self.accept(sink);
        self.state = State::Before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Events of a hart whose trace ends where its position is not known.
    fn ended(unknown: impl FnOnce(&mut Output)) -> Vec<FlowKind> {
        let (mut out, mut events) = (Output::new(0), Vec::<FlowEvent>::new());
        out.begin(0x100, None);
        out.accept(&mut events);
        unknown(&mut out);
        out.lose(0x104);
        out.end(0, &mut events);
        events.iter().map(|e| e.kind).collect()
    }

    #[test]
    fn instructions_that_are_missing_at_the_end_are_marked() {
        let (start, gap, stop) = (FlowKind::Start, FlowKind::Gap { lost: 0 }, FlowKind::Stop);
        assert_eq!(ended(Output::miss), [start, gap, stop]);
        assert_eq!(ended(Output::refuse), [start, gap, stop]);
        // tracing was disabled
        assert_eq!(ended(|_| {}), [start, stop]);
    }
}
