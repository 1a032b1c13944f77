//! Log buffer: the last events before a trigger event
//!
//! Keeps the latest events that it receives. The trigger event makes the node send its content, oldest first and the
//! trigger last, or, as an option, freeze until a flush. A flush of a frozen log sends its content; the log then
//! records again. A register can freeze it, too.

use super::{Event, Outbox, Target};
use std::collections::VecDeque;

/// Configuration of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Identifier of the trigger event.
    pub trigger: u8,
    /// Destination of the events, which keep their identifiers; the trigger gets this identifier.
    pub to: Target,
    /// The trigger freezes the log.
    pub freezes: bool,
}

/// The golden model of the log node.
#[derive(Clone, Debug)]
pub struct Log {
    capacity: usize,
    last: VecDeque<Event>,
    rule: Option<Rule>,
    frozen: bool,
}

impl Log {
    /// A node for up to `events` events, including the trigger.
    pub fn new(events: u16) -> Self {
        Self { capacity: events.into(), last: VecDeque::new(), rule: None, frozen: false }
    }

    /// Configures it and empties it.
    pub fn set(&mut self, rule: Rule) {
        *self = Self { rule: Some(rule), ..Self::new(self.capacity as u16) };
    }

    /// Depth, events.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Its configuration.
    pub fn rule(&self) -> Option<Rule> {
        self.rule
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let Some(rule) = self.rule else { return };
        if self.frozen {
            return;
        }
        let triggers = event.id == rule.trigger;
        let id = if triggers { rule.to.id } else { event.id };
        if self.last.len() == self.capacity {
            self.last.pop_front();
        }
        if self.capacity > 0 {
            self.last.push_back(Event { id, lost: 0, ..*event });
        }
        self.frozen = triggers && rule.freezes;
        if triggers && !rule.freezes {
            self.dump(out);
        }
    }

    /// Freezes the log, as its trigger can.
    pub fn freeze(&mut self) {
        self.frozen = self.rule.is_some();
    }

    /// Sends the content, if it is frozen.
    pub fn flush(&mut self, out: &mut Outbox) {
        if std::mem::take(&mut self.frozen) {
            self.dump(out);
        }
    }

    fn dump(&mut self, out: &mut Outbox) {
        let Some(rule) = self.rule else { return };
        out.extend(self.last.drain(..).map(|e| (rule.to.dest, e)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(freezes: bool, ids: &[u8]) -> Vec<u8> {
        let mut log = Log::new(2);
        log.set(Rule { trigger: 9, to: Target { dest: 63, id: 10 }, freezes });
        let mut out = Outbox::new();
        for id in ids {
            match id {
                0 => log.flush(&mut out),
                _ => log.take(&Event { id: *id, ..Event::default() }, &mut out),
            }
        }
        out.iter().map(|o| o.1.id).collect()
    }

    #[test]
    fn the_last_events_leave_in_order() {
        assert_eq!(run(false, &[1, 2, 3, 9, 9, 4, 9, 5, 0, 0]), [3, 10, 10, 4, 10]);
    }

    #[test]
    fn what_is_frozen_stays_until_it_is_flushed() {
        assert_eq!(run(true, &[1, 0, 2, 3, 9, 4, 9, 0, 5, 9, 0, 0]), [3, 10, 5, 10]);
    }
}
