//! Log buffer: the last events before an event
//!
//! Keeps the last events that it was sent. One event is the trigger: it makes the node send what it has, oldest first and the
//! trigger last; or, if that is wanted, freeze until it is flushed. A flush of what is frozen sends it, and then it keeps events
//! again. A register freezes it, too.

use super::{Event, Outbox, Target};
use std::collections::VecDeque;

/// What it is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The trigger.
    pub trigger: u8,
    /// Where events go, under the identifiers that they have; the trigger's is this one.
    pub to: Target,
    /// The trigger freezes it.
    pub freezes: bool,
}

/// The node.
#[derive(Clone, Debug)]
pub struct Log {
    room: usize,
    last: VecDeque<Event>,
    rule: Option<Rule>,
    frozen: bool,
}

impl Log {
    /// Room for `events` events, the trigger among them.
    pub fn new(events: u16) -> Self {
        Self { room: events.into(), last: VecDeque::new(), rule: None, frozen: false }
    }

    /// Sets it; it is empty then.
    pub fn set(&mut self, rule: Rule) {
        *self = Self { rule: Some(rule), ..Self::new(self.room as u16) };
    }

    /// Events that it has room for.
    pub fn room(&self) -> usize {
        self.room
    }

    /// What it is set to.
    pub fn rule(&self) -> Option<Rule> {
        self.rule
    }

    /// One event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let Some(rule) = self.rule else { return };
        if self.frozen {
            return;
        }
        let triggers = event.id == rule.trigger;
        let id = if triggers { rule.to.id } else { event.id };
        if self.last.len() == self.room {
            self.last.pop_front();
        }
        if self.room > 0 {
            self.last.push_back(Event { id, lost: 0, ..*event });
        }
        self.frozen = triggers && rule.freezes;
        if triggers && !rule.freezes {
            self.dump(out);
        }
    }

    /// Keeps what it has, as if its trigger had come.
    pub fn freeze(&mut self) {
        self.frozen = self.rule.is_some();
    }

    /// Sends what is frozen.
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
