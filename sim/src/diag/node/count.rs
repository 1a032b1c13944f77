//! Counters: count events, and send an event when one reaches a threshold
//!
//! A counter is selected by the event and, optionally, the core. Counters have 32 bits; one that would overflow is sent
//! first, so that sums at the host are exact. Results are `[counter, count]`.

use super::{check_capacity, CapacityError, Event, Outbox, Target};
use crate::diag::packet::Args;

/// A rule: the counter of one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The event.
    pub event: u8,
    /// Its counter, or that of core 0.
    pub first: u8,
    /// Each core has its own counter, 16 in a row.
    pub by_core: bool,
    /// Count at which the count is sent; 0: never.
    pub threshold: u32,
    /// Where results go.
    pub to: Target,
}

/// The golden model of the counter node.
#[derive(Clone, Debug)]
pub struct Count {
    counts: Vec<u32>,
    rules: Vec<Rule>,
    most: u32,
}

impl Count {
    /// A node with `counters` counters.
    pub fn new(counters: u8) -> Self {
        Self::with_limit(counters, u32::MAX)
    }

    /// As [`Count::new`], with counts up to `most`: for tests of overflows.
    pub fn with_limit(counters: u8, most: u32) -> Self {
        Self { counts: vec![0; counters.into()], rules: Vec::new(), most }
    }

    /// Adds a rule.
    pub fn add(&mut self, rule: Rule) -> Result<(), CapacityError> {
        check_capacity("counters", usize::from(rule.first) + if rule.by_core { 16 } else { 1 }, self.counts.len())?;
        self.rules.push(rule);
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        for rule in self.rules.iter().filter(|r| r.event == event.id) {
            let at = rule.first + if rule.by_core { event.core } else { 0 };
            let count = &mut self.counts[usize::from(at)];
            if *count == self.most {
                out.push(result(rule.to, at, *count));
                *count = 0;
            }
            *count += 1;
            if *count == rule.threshold {
                out.push(result(rule.to, at, *count));
                *count = 0;
            }
        }
    }

    /// Sends and clears all counters that are not 0.
    pub fn flush(&mut self, out: &mut Outbox) {
        for rule in &self.rules {
            let last = rule.first + if rule.by_core { 15 } else { 0 };
            for at in rule.first..=last {
                match std::mem::take(&mut self.counts[usize::from(at)]) {
                    0 => {}
                    count => out.push(result(rule.to, at, count)),
                }
            }
        }
    }
}

fn result(to: Target, counter: u8, count: u32) -> (u8, Event) {
    (to.dest, Event { id: to.id, args: Args::of(&[counter.into(), count]), ..Event::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_worked_by_hand() {
        let to = Target { dest: 63, id: 200 };
        let mut c = Count::new(20);
        c.add(Rule { event: 1, first: 0, by_core: false, threshold: 3, to }).unwrap();
        c.add(Rule { event: 2, first: 1, by_core: true, threshold: 0, to }).unwrap();
        assert!(c.add(Rule { event: 2, first: 5, by_core: true, threshold: 0, to }).is_err());
        let mut out = Outbox::new();
        for (id, core) in [(1, 0), (1, 3), (2, 3), (2, 3), (2, 15), (1, 0), (1, 0), (9, 0)] {
            c.take(&Event { id, core, ..Event::default() }, &mut out);
        }
        c.flush(&mut out);
        let found: Vec<_> = out.iter().map(|(_, e)| (e.args[0], e.args[1])).collect();
        assert_eq!(found, [(0, 3), (0, 1), (4, 2), (16, 1)]);
        out.clear();
        c.flush(&mut out);
        assert!(out.is_empty());
    }
}
