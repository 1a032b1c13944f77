//! Tick: a periodic event, with flushes of tables
//!
//! At the end of each period it sends an event with a number, then a flush with that number to each configured node.
//! One tick waits while the previous one is being sent; further ticks are lost, and reported with the next one.

use super::{check_capacity, CapacityError, Target};
use crate::diag::packet::{Args, Event, Op, Packet};

/// Configuration of a tick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Period in cycles, 1 to 2^32 - 1.
    pub period: u32,
    /// Destination of its event, whose arguments are `[number, flushed nodes]`, with the time.
    pub to: Target,
    /// Addresses of the nodes to flush.
    pub flushes: Vec<u8>,
}

/// A packet that a tick sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The event.
    Event(u8, Event),
    /// A flush to an address, with its number.
    Flush(u8, u16),
}

impl Sent {
    /// The packet, from the node at `src`.
    pub fn packet(self, src: u8) -> Packet {
        match self {
            Self::Event(dest, event) => Packet::event(src, dest, event),
            Self::Flush(dest, number) => Packet::control(src, dest, Op::Flush, 0, &[number, 0]),
        }
    }
}

/// The golden model of the tick node.
#[derive(Clone, Debug)]
pub struct Tick {
    capacity: u8,
    rule: Option<Rule>,
    /// Cycle within the period, from 1.
    count: u32,
    /// Time of the waiting tick.
    due: Option<u32>,
    missed: u16,
    number: u16,
    /// Tick that is being sent: next part, time, ticks lost before.
    sends: Option<(usize, u32, u16)>,
}

impl Tick {
    /// A node that can flush up to `nodes` nodes.
    pub fn new(nodes: u8) -> Self {
        Self { capacity: nodes, rule: None, count: 1, due: None, missed: 0, number: 0, sends: None }
    }

    /// Configures it: the first tick is one period later. Without a rule it stops.
    pub fn set(&mut self, rule: Option<Rule>) -> Result<(), CapacityError> {
        check_capacity("flushes", rule.as_ref().map_or(0, |r| r.flushes.len()), self.capacity.into())?;
        (self.rule, self.count, self.due, self.missed) = (rule, 1, None, 0);
        Ok(())
    }

    /// Whether it has nothing to send.
    pub fn is_idle(&self) -> bool {
        self.due.is_none() && self.sends.is_none()
    }

    /// Lost ticks that were not reported yet.
    pub fn unreported(&self) -> u64 {
        self.missed.into()
    }

    /// Cycles up to and including that of the next tick.
    pub fn next(&self) -> u64 {
        self.rule.as_ref().map_or(u64::MAX, |r| u64::from(r.period.wrapping_sub(self.count)) + 1)
    }

    /// Advances by cycles without a tick.
    pub fn skip(&mut self, clocks: u64) {
        if self.rule.is_some() {
            self.count = self.count.wrapping_add(clocks as u32);
        }
    }

    /// The packet sent in this cycle.
    pub fn sent(&self) -> Option<Sent> {
        let (at, time, lost) = self.sends?;
        let rule = self.rule.as_ref()?;
        Some(match at.checked_sub(1) {
            Some(n) => Sent::Flush(rule.flushes[n], self.number),
            None => {
                let args = Args::of(&[self.number.into(), rule.flushes.len() as u32]);
                Sent::Event(rule.to.dest, Event { id: rule.to.id, lost, time: Some(time), args, ..Event::default() })
            }
        })
    }

    /// Cycle `now`; `runs`: the period counts; `ready`: the packet was taken.
    pub fn clock(&mut self, now: u32, runs: bool, ready: bool) {
        let Some(rule) = &self.rule else { return };
        match self.sends {
            None => {
                if let Some(time) = self.due.take() {
                    self.number = self.number.wrapping_add(1);
                    self.sends = Some((0, time, std::mem::take(&mut self.missed)));
                }
            }
            Some(sends) if ready => {
                self.sends = (sends.0 < rule.flushes.len()).then_some((sends.0 + 1, sends.1, sends.2))
            }
            Some(_) => {}
        }
        if !runs {
            return;
        }
        if self.count == rule.period {
            match self.due {
                Some(_) => self.missed = self.missed.saturating_add(1),
                None => self.due = Some(now),
            }
            self.count = 1;
        } else {
            self.count = self.count.wrapping_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticking(period: u32, flushes: &[u8]) -> Tick {
        let mut t = Tick::new(4);
        let rule = Rule { period, to: Target { dest: 63, id: 255 }, flushes: flushes.to_vec() };
        t.set(Some(rule)).unwrap();
        t
    }

    #[test]
    fn it_ticks_after_each_period_and_flushes() {
        let mut t = ticking(10, &[20, 21]);
        assert_eq!(t.next(), 10);
        let mut sent = Vec::new();
        for now in 1..=32 {
            sent.extend(t.sent().map(|s| (now, s)));
            t.clock(now, true, true);
        }
        let event = |n: u32| {
            let args = Args::of(&[n, 2]);
            Sent::Event(63, Event { id: 255, time: Some(10 * n), args, ..Event::default() })
        };
        let first = [(12, event(1)), (13, Sent::Flush(20, 1)), (14, Sent::Flush(21, 1)), (22, event(2))];
        assert_eq!((sent.len(), &sent[..4]), (7, &first[..]));
    }

    #[test]
    fn one_tick_waits_and_further_ones_are_counted_as_lost() {
        let mut t = ticking(3, &[]);
        // tick 3 is being sent, 6 waits, 9 and 12 are lost
        (1..=13).for_each(|now| t.clock(now, true, false));
        assert_eq!(t.unreported(), 2);
        let lost = |t: &Tick| t.sent().map(|s| if let Sent::Event(_, e) = s { (e.time, e.lost) } else { (None, 0) });
        assert_eq!(lost(&t), Some((Some(3), 0)));
        t.clock(14, false, true);
        t.clock(15, false, true);
        assert_eq!(lost(&t), Some((Some(6), 2)));
        assert!(t.set(Some(Rule { period: 1, to: Target { dest: 63, id: 1 }, flushes: vec![1; 5] })).is_err());
    }
}
