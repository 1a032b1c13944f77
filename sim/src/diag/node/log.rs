//! Log buffer: the last events before an event
//!
//! Keeps the last events it was sent; another event makes it send them, oldest first, and itself behind them.

use super::{Event, Outbox, Target};
use std::collections::VecDeque;

/// The node.
#[derive(Clone, Debug)]
pub struct Log {
    room: usize,
    last: VecDeque<Event>,
    rule: Option<(u8, Target)>,
}

impl Log {
    /// Room for `events` events.
    pub fn new(events: u16) -> Self {
        Self { room: events.into(), last: VecDeque::new(), rule: None }
    }

    /// Event `trigger` makes it send what it has to `dest`, under the identifiers that the events have.
    pub fn set(&mut self, trigger: u8, to: Target) {
        self.rule = Some((trigger, to));
    }

    /// One event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let Some((trigger, to)) = self.rule else { return };
        if event.id == trigger {
            out.extend(self.last.drain(..).chain([Event { id: to.id, ..*event }]).map(|e| (to.dest, e)));
            return;
        }
        if self.last.len() == self.room {
            self.last.pop_front();
        }
        if self.room > 0 {
            self.last.push_back(*event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_events_leave_in_order() {
        let mut log = Log::new(2);
        log.set(9, Target { dest: 63, id: 10 });
        let mut out = Outbox::new();
        for id in [1, 2, 3, 9, 9, 4, 9] {
            log.take(&Event { id, ..Event::default() }, &mut out);
        }
        assert_eq!(out.iter().map(|o| o.1.id).collect::<Vec<_>>(), [2, 3, 10, 10, 4, 10]);
    }
}
