//! Pair: the cycles between two events with the same key
//!
//! The first event of a pair opens a context for its key, or restarts an open one. The second closes it and sends
//! `[key, clocks]`, with its own time and core. A second event without a first is counted as unmatched. A first event
//! without a free context, and a second event that is older than its first (events of two cores may overtake each other
//! on the ring), are reported as lost with the next result. Times are less than 2^31 cycles.

use super::{check_capacity, CapacityError, Event, Field, Outbox, Target};
use crate::diag::packet::Args;

/// A pair of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// First event, and its key. It must have the time.
    pub first: (u8, Field),
    /// Second event, and its key. It must have the time.
    pub second: (u8, Field),
    /// Where results go.
    pub to: Target,
}

/// The golden model of the pair node.
#[derive(Clone, Debug)]
pub struct Pair {
    contexts: usize,
    open: Vec<(u8, u32, u32)>,
    rules: Vec<Rule>,
    /// Second events without a first.
    pub unmatched: u64,
    /// First events without a free context.
    pub full: u64,
    /// Second events that are older than their first.
    pub overtaken: u64,
    lost: u16,
}

impl Pair {
    /// A node with `contexts` contexts.
    pub fn new(contexts: u8) -> Self {
        Self {
            contexts: contexts.into(),
            open: Vec::new(),
            rules: Vec::new(),
            unmatched: 0,
            full: 0,
            overtaken: 0,
            lost: 0,
        }
    }

    /// Adds a rule, up to 4.
    pub fn add(&mut self, rule: Rule) -> Result<(), CapacityError> {
        check_capacity("pairs", self.rules.len() + 1, 4)?;
        self.rules.push(rule);
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let now = event.time.unwrap_or(0);
        for (n, rule) in self.rules.iter().enumerate() {
            let n = n as u8;
            if rule.second.0 == event.id {
                let key = rule.second.1.of(event);
                match self.open.iter().position(|o| (o.0, o.1) == (n, key)) {
                    Some(at) if now.wrapping_sub(self.open[at].2) >> 31 == 1 => {
                        self.overtaken += 1;
                        self.lost = self.lost.saturating_add(1);
                    }
                    Some(at) => {
                        let (_, _, since) = self.open.swap_remove(at);
                        let lost = std::mem::take(&mut self.lost);
                        let args = Args::of(&[key, now.wrapping_sub(since)]);
                        out.push((rule.to.dest, Event { id: rule.to.id, lost, args, ..*event }));
                    }
                    None => self.unmatched += 1,
                }
            }
            if rule.first.0 == event.id {
                let key = rule.first.1.of(event);
                let has_space = self.open.len() < self.contexts;
                match self.open.iter_mut().find(|o| (o.0, o.1) == (n, key)) {
                    Some(open) => open.2 = now,
                    None if has_space => self.open.push((n, key, now)),
                    None => {
                        self.full += 1;
                        self.lost = self.lost.saturating_add(1);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_between_are_those_worked_by_hand() {
        let to = Target { dest: 63, id: 7 };
        let mut p = Pair::new(2);
        p.add(Rule { first: (1, Field::Arg(0)), second: (2, Field::Arg(0)), to }).unwrap();
        let mut out = Outbox::new();
        let mut event = |p: &mut Pair, id, key, time| {
            p.take(&Event { id, time: Some(time), args: Args::of(&[key]), ..Event::default() }, &mut out);
        };
        event(&mut p, 2, 5, 1); // unmatched
        event(&mut p, 1, 5, 10);
        event(&mut p, 1, 6, 20);
        event(&mut p, 1, 7, 30); // no free context
        event(&mut p, 2, 6, 25);
        event(&mut p, 1, 5, 40); // restarts the context
        event(&mut p, 2, 5, 39); // older than its first
        event(&mut p, 2, 5, 45);
        event(&mut p, 1, 5, u32::MAX);
        event(&mut p, 2, 5, 2); // the clock wraps around
        let found: Vec<_> = out.iter().map(|(_, e)| (e.args[0], e.args[1], e.lost)).collect();
        assert_eq!(found, [(6, 5, 1), (5, 5, 1), (5, 3, 0)]);
        assert_eq!((p.unmatched, p.full, p.overtaken), (1, 1, 1));
    }
}
