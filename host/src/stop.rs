//! Interruption of a run by the user: everything retired so far is kept
//!
//! The simulator has no check for interruptions, because it would slow down each instruction. So a sink between it and
//! the file leaves the simulator by unwinding, which is not reported as a panic, and adds the stop event of each hart
//! itself.

use crate::progress::Progress;
use retire::image::Image;
use retire::{DataEvent, FlowEvent, FlowKind, RetireSink};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

/// Number of events between checks for an interruption.
const CHECK_INTERVAL: u32 = 1 << 12;

/// Whether it is an exception that a program does not intend.
pub(crate) const fn is_fault(kind: FlowKind) -> bool {
    matches!(kind, FlowKind::Trap { interrupt: false, cause } if !matches!(cause, 3 | 8..=11))
}

/// Payload of the unwinding.
struct Stopped;

/// Position of a hart.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    started: bool,
    /// Address after its last event.
    next: u64,
    retired: u64,
    /// The last instruction after that which had data events.
    data: Option<u64>,
}

/// A sink that passes a run on until it is to end.
pub(crate) struct Stoppable<'p, S> {
    sink: S,
    progress: &'p dyn Progress,
    since: u32,
    harts: Vec<Position>,
    cycle: u64,
    /// Exceptions that a program does not intend.
    pub(crate) faults: u64,
}

impl<'p, S: RetireSink> Stoppable<'p, S> {
    pub(crate) fn new(sink: S, harts: u8, progress: &'p dyn Progress) -> Self {
        let harts = vec![Position::default(); harts.into()];
        Self { sink, progress, since: 0, harts, cycle: 0, faults: 0 }
    }

    /// Runs `run`; `None` if it was interrupted.
    pub(crate) fn run<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> Option<T> {
        match catch_unwind(AssertUnwindSafe(|| run(self))) {
            Ok(done) => Some(done),
            Err(cause) if cause.is::<Stopped>() => None,
            Err(cause) => resume_unwind(cause),
        }
    }

    pub(crate) fn into_sink(self) -> S {
        self.sink
    }

    /// Adds the stop events of an interrupted run; returns instructions by hart, and the last cycle.
    pub(crate) fn finish(&mut self, image: &Image) -> (Vec<u64>, u64) {
        for (hart, position) in self.harts.iter_mut().enumerate().filter(|(_, position)| position.started) {
            let (mut pc, mut count) = (position.next, 0);
            while position.data.is_some_and(|last| pc <= last) {
                let Some((_, len)) = image.instruction(pc) else { break };
                pc += u64::from(len);
                count += 1;
            }
            position.retired += u64::from(count);
            let (hart, kind, cycle) = (hart as u8, FlowKind::Stop, self.cycle);
            self.sink.event(&FlowEvent { hart, kind, len: 0, count, pc, target: pc, cycle });
        }
        (self.harts.iter().map(|position| position.retired).collect(), self.cycle)
    }
}

impl<S: RetireSink> RetireSink for Stoppable<'_, S> {
    const WANTS_DATA: bool = S::WANTS_DATA;
    const WANTS_STACK_POINTER: bool = S::WANTS_STACK_POINTER;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        self.sink.event(e);
        let position = &mut self.harts[usize::from(e.hart)];
        let retired = position.retired + u64::from(e.count);
        *position = Position { started: true, next: e.target, retired, data: None };
        self.cycle = e.cycle;
        self.faults += u64::from(is_fault(e.kind));
        self.since += 1;
        if self.since == CHECK_INTERVAL {
            self.since = 0;
            // a trap comes before the instruction that retires with it, so stop only after an instruction
            if self.progress.stops() && e.kind.retires() {
                resume_unwind(Box::new(Stopped));
            }
        }
    }

    #[inline]
    fn data(&mut self, data: &DataEvent) {
        self.harts[usize::from(data.hart)].data = Some(data.pc);
        self.sink.data(data);
    }

    retire::forward!(sink: stack_pointer, note, master);
}
