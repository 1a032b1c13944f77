//! Windows of time whose number stays bounded, whatever the length of the run
//!
//! All schemes of a job share one [`Clock`]. It cuts blocks of events where a window ends and tells each
//! scheme when to note its bits; when there are too many windows, every second note is dropped and windows
//! are twice as long. Notes are running totals, so nothing is lost but resolution.

use retire::FlowEvent;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Most windows of a run.
pub const MOST: usize = 256;
/// Cycles of a window at first.
const FIRST: u64 = 1 << 10;

/// What a scheme does with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Takes these events of it.
    Push(Range<usize>),
    /// Notes its bits.
    Note,
    /// Drops every second note, the first one first.
    Halve,
}

/// Running totals at the ends of windows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notes(pub Vec<u64>);

impl Notes {
    /// Drops every second note.
    pub fn halve(&mut self) {
        let mut index = 0;
        self.0.retain(|_| {
            index += 1;
            index % 2 == 0
        });
    }
}

/// Cuts blocks at the ends of windows.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Cycles of a window.
    pub length: u64,
    next: u64,
    /// Instructions of all harts so far.
    pub instructions: u64,
    /// Instructions at the end of each window.
    pub notes: Notes,
}

impl Default for Clock {
    fn default() -> Self {
        Self { length: FIRST, next: FIRST, instructions: 0, notes: Notes::default() }
    }
}

impl Clock {
    /// What is to be done with the next block.
    pub fn cut(&mut self, events: &[FlowEvent]) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut at = 0;
        loop {
            let n = events[at..].partition_point(|e| e.cycle < self.next);
            if n > 0 {
                self.instructions += events[at..at + n].iter().map(|e| u64::from(e.count)).sum::<u64>();
                steps.push(Step::Push(at..at + n));
                at += n;
            }
            if at == events.len() {
                return steps;
            }
            self.notes.0.push(self.instructions);
            steps.push(Step::Note);
            if self.notes.0.len() == MOST {
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
                        Step::Halve => notes.halve(),
                    }
                }
            }
            assert_eq!(pushed, 2 * events);
            assert_eq!(notes, clock.notes);
            assert!(notes.0.len() < MOST);
            for (i, n) in notes.0.iter().enumerate() {
                let end = (i as u64 + 1) * clock.length;
                assert_eq!(*n, 2 * events.min(end.div_ceil(gap)), "window {i} of {}", clock.length);
            }
        }
    }
}
