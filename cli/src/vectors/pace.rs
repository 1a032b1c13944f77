//! Pauses of the cores before an event FIFO is full

use super::sessions::clocks_of_event;
use sim::params::TraceParams;
use sim::stimulus::run::Step;

/// Number of cycles out of 100 in which a core retires an instruction.
pub const PERCENT: u8 = 20;

/// Moves instructions apart so that no FIFO overflows, whichever core its events are of.
pub struct Pace {
    /// Clocks of messages that may wait: those of the events that one FIFO holds.
    room: u64,
    /// Clocks of the messages of an event, at most.
    event: u64,
    /// Clocks that what waits takes at most.
    waiting: u64,
    /// The latest instruction, and the pauses up to it.
    last: u64,
    pauses: u64,
}

impl Pace {
    /// For FIFOs of `entries` entries.
    pub fn new(params: &TraceParams, entries: u32) -> Self {
        let event = clocks_of_event(params);
        Self { room: u64::from(entries) * event, event, waiting: 0, last: 0, pauses: 0 }
    }

    /// Cycles by which an instruction is later, with those before it.
    pub fn pause(&mut self, step: &Step) -> u64 {
        let events = u64::from(step.before.is_some()) + u64::from(step.event.is_some());
        let cycle = step.retired.cycle + self.pauses;
        self.waiting = self.waiting.saturating_sub(cycle - self.last);
        // what others retire in the same cycle stays there; each core adds a trap and a branch at most
        let pause = if cycle > self.last && self.waiting + 2 * self.event > self.room { self.waiting } else { 0 };
        self.waiting = self.waiting - pause + events * self.event;
        self.pauses += pause;
        self.last = cycle + pause;
        self.pauses
    }

    /// Cycles by which the end is later: the pauses, and what waits after the last instruction.
    pub fn last(&self) -> u64 {
        self.pauses + self.waiting
    }
}
