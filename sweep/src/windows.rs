//! Time windows of bounded number, however long the run is
//!
//! All schemes of a job share one [`Clock`]. It splits blocks of events at the ends of windows and informs each scheme
//! when to record its bits. When there are too many windows, every second record is dropped and windows become twice as
//! long. Records are running totals, so only resolution is lost.

use retire::FlowEvent;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Largest number of windows of a run.
pub const MAX_WINDOWS: usize = 256;
/// Initial length of a window, cycles.
const INITIAL_CYCLES: u64 = 1 << 10;

/// A step of processing a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Process these events of the block.
    Push(Range<usize>),
    /// Record the bits.
    Note,
    /// Record the bits of the start-up, which ends here.
    Startup,
    /// Drop every second record, starting with the first.
    Halve,
}

/// Running totals at the ends of windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes(pub Vec<u64>);

impl Notes {
    /// Drops every second record.
    pub fn halve(&mut self) {
        let mut index = 0;
        self.0.retain(|_| {
            index += 1;
            index % 2 == 0
        });
    }
}

/// Splits blocks at the ends of windows.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Length of a window, cycles.
    pub length: u64,
    next: u64,
    /// Instructions of all harts so far.
    pub instructions: u64,
    /// Instructions at the end of each window.
    pub notes: Notes,
    /// Instructions of the start-up, at least; 0 if it is over or not measured apart.
    startup: u64,
    /// Instructions and cycle at the end of the start-up.
    pub started: Option<(u64, u64)>,
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Clock {
    /// A clock at the begin of a run, whose first `startup` instructions are measured apart.
    pub fn new(startup: u64) -> Self {
        let (length, next) = (INITIAL_CYCLES, INITIAL_CYCLES);
        Self { length, next, instructions: 0, notes: Notes::default(), startup, started: None }
    }

    /// Number of the events that the start-up ends with; all of them if it goes on.
    fn startup_of(&self, events: &[FlowEvent]) -> Option<usize> {
        let mut so_far = self.instructions;
        let ends = |e: &FlowEvent| {
            so_far += u64::from(e.count);
            so_far >= self.startup
        };
        (self.startup > 0).then(|| events.iter().position(ends))?.map(|last| last + 1)
    }

    /// The steps of processing the next block.
    pub fn cut(&mut self, events: &[FlowEvent]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = 0;
        loop {
            let window = events[at..].partition_point(|e| e.cycle < self.next);
            let startup = self.startup_of(&events[at..at + window]);
            let n = startup.unwrap_or(window);
            if n > 0 {
                self.instructions += events[at..at + n].iter().map(|e| u64::from(e.count)).sum::<u64>();
                steps.push(Step::Push(at..at + n));
                at += n;
            }
            if startup.is_some() {
                self.startup = 0;
                self.started = Some((self.instructions, events[at - 1].cycle));
                steps.push(Step::Startup);
                continue;
            }
            if at == events.len() {
                return steps;
            }
            self.notes.0.push(self.instructions);
            steps.push(Step::Note);
            if self.notes.0.len() == MAX_WINDOWS {
                self.notes.halve();
                self.length *= 2;
                steps.push(Step::Halve);
            }
            self.next = self.length * (self.notes.0.len() as u64 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use retire::FlowKind;

    #[test]
    fn notes_are_the_totals_at_the_ends_of_windows_however_long_the_run() {
        for (events, gap) in [(1000u64, 7u64), (5000, 900), (300, 70_000), (40, 10_000_000)] {
            let event =
                |i| FlowEvent { hart: 0, kind: FlowKind::Jump, len: 4, count: 2, pc: 0, target: 0, cycle: i * gap };
            let all: Vec<_> = (0..events).map(event).collect();
            let (mut clock, mut notes, mut pushed) = (Clock::default(), Notes::default(), 0);
            for block in all.chunks(64) {
                for step in clock.cut(block) {
                    match step {
                        Step::Push(range) => pushed += 2 * range.len() as u64,
                        Step::Note => notes.0.push(pushed),
                        Step::Startup => unreachable!("not requested"),
                        Step::Halve => notes.halve(),
                    }
                }
            }
            assert_eq!(pushed, 2 * events);
            assert_eq!(notes, clock.notes);
            assert!(notes.0.len() < MAX_WINDOWS);
            for (i, n) in notes.0.iter().enumerate() {
                let end = (i as u64 + 1) * clock.length;
                assert_eq!(*n, 2 * events.min(end.div_ceil(gap)), "window {i} of {}", clock.length);
            }
        }
    }

    #[test]
    fn the_start_up_ends_with_the_event_that_reaches_its_length() {
        let event =
            |i: u64| FlowEvent { hart: 0, kind: FlowKind::Jump, len: 4, count: 3, pc: 0, target: 0, cycle: i * 700 };
        let all: Vec<_> = (0..100).map(event).collect();
        for (startup, right) in [(1, Some((3, 0))), (90, Some((90, 29 * 700))), (91, Some((93, 30 * 700))), (301, None)]
        {
            for block in [1, 7, 100] {
                let (mut clock, mut pushed, mut found) = (Clock::new(startup), 0, None);
                for block in all.chunks(block) {
                    for step in clock.cut(block) {
                        match step {
                            Step::Push(range) => pushed += 3 * range.len() as u64,
                            Step::Startup => found = Some(pushed),
                            Step::Note | Step::Halve => {}
                        }
                    }
                }
                assert_eq!((clock.started, found), (right, right.map(|r| r.0)), "{startup}, blocks of {block}");
                assert_eq!(pushed, 300);
            }
        }
    }
}
