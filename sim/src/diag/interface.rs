//! The network interface: decodes packets to a generator or node, and encodes its results as packets
//!
//! Reads of registers 0 and 1 are answered here; writes are answered and passed on. Losses before a node are reported
//! with the next result that has room for the count. A generator's events that yield ([`super::trigger::Slot::yields`])
//! may be lost here. Such losses are reported with events that yield only: a table, to which the others go, lacks
//! nothing.
//!
//! If instructions of a core are missing ([`super::crossing`]), nothing is known about later events of its generator: each
//! reports [`UNKNOWN`] losses, which did not yield.

use super::packet::{Body, Event, Op, Packet, HOST, MAX_WORDS};
use super::registers::CONTROL;

/// Reported number of lost events, if it is not known.
pub const UNKNOWN: u16 = u16::MAX;

/// A packet that arrived at a client, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// An event for the node.
    Event(Event),
    /// The node sends its tables, then this response.
    Flush(Packet),
    /// Registers are written, starting at an address; then this response is sent.
    Write(u16, Vec<u16>, Packet),
    /// Only this response is sent.
    Answer(Packet),
}

/// The network interface of one client.
#[derive(Clone, Debug)]
pub struct Interface {
    address: u8,
    registers: [u16; 2],
    node: bool,
    unreported: u64,
    /// All unreported events yielded to others.
    yielded: bool,
    /// Instructions are missing.
    overrun: bool,
}

impl Interface {
    /// The interface at `address` with the values of registers 0 and 1; `node`: the client takes events and flushes.
    pub fn new(address: u8, registers: [u16; 2], node: bool) -> Self {
        Self { address, registers, node, unreported: 0, yielded: false, overrun: false }
    }

    /// Lost events that no result has reported yet.
    pub fn unreported(&self) -> u64 {
        if self.overrun {
            return UNKNOWN.into();
        }
        self.unreported
    }

    /// Whether all of these yielded to others.
    pub fn has_yielded(&self) -> bool {
        self.unreported > 0 && self.yielded && !self.overrun
    }

    /// Instructions of the core are missing, from now on.
    pub fn overrun(&mut self) {
        self.overrun = true;
    }

    /// Counts lost events.
    pub fn lose(&mut self, events: u64) {
        self.count(events, false);
    }

    fn count(&mut self, events: u64, yielded: bool) {
        if events > 0 {
            self.yielded = yielded && (self.unreported == 0 || self.yielded);
            self.unreported += events;
        }
    }

    /// An event that yields finds no room, and is lost with the losses that it reports.
    pub fn drop_event(&mut self, event: &Event) {
        self.count(u64::from(event.lost), event.yielded);
        self.count(1, true);
    }

    /// Decodes a packet; `None`: it is dropped.
    pub fn take(&mut self, words: &[u16]) -> Option<Request> {
        let Packet { src, body, .. } = Packet::parse(words).ok()?;
        let (op, addr, data) = match body {
            Body::Event(event) => {
                return self.node.then(|| {
                    self.count(event.lost.into(), event.yielded);
                    Request::Event(event)
                })
            }
            Body::Control { op, addr, data } => (op, addr, data),
        };
        let answer = |op, words: &[u16]| Packet::control(self.address, src, op, addr, words);
        match op {
            Op::Read => {
                let (first, count) = (usize::from(addr), usize::from(data.first().copied().unwrap_or(0)));
                Some(Request::Answer(match self.registers.get(first..first + count) {
                    Some(words) if count > 0 => answer(Op::ReadData, words),
                    _ => answer(Op::Error, &[]),
                }))
            }
            Op::Write if addr >= CONTROL && !data.is_empty() => {
                let done = answer(Op::Written, &[]);
                Some(Request::Write(addr, data, done))
            }
            Op::Write => Some(Request::Answer(answer(Op::Error, &[]))),
            Op::Flush if self.node => {
                let number = data.get(..1).unwrap_or_default();
                Some(Request::Flush(Packet::control(self.address, HOST, Op::Flush, 0, number)))
            }
            Op::Flush | Op::ReadData | Op::Written | Op::Error | Op::Time | Op::Trace => None,
        }
    }

    /// The packet of a result, with the count of events lost before it; `yields`: of a generator's event, whether it
    /// yields to others.
    pub fn result(&mut self, dest: u8, mut event: Event, yields: bool) -> Packet {
        self.count(event.lost.into(), event.yielded);
        (event.lost, event.yielded) = (0, false);
        if self.overrun {
            (self.unreported, self.yielded) = (UNKNOWN.into(), false);
        }
        let waits = self.has_yielded() && !yields && !self.node;
        if event.words() < MAX_WORDS && !waits {
            event.lost = self.unreported.min(u16::MAX.into()) as u16;
            event.yielded = self.has_yielded();
            self.unreported -= u64::from(event.lost);
        }
        Packet::event(self.address, dest, event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::packet::Args;

    #[test]
    fn accesses_are_answered_as_worked_by_hand() {
        let mut i = Interface::new(17, [5, 256], true);
        let read = |addr, n| Packet::control(HOST, 17, Op::Read, addr, &[n]).to_words();
        let answer = |op, addr, words: &[u16]| Some(Request::Answer(Packet::control(17, HOST, op, addr, words)));
        assert_eq!(i.take(&read(0, 2)), answer(Op::ReadData, 0, &[5, 256]));
        assert_eq!(i.take(&read(1, 1)), answer(Op::ReadData, 1, &[256]));
        assert_eq!(i.take(&read(1, 2)), answer(Op::Error, 1, &[]));
        assert_eq!(i.take(&read(0, 0)), answer(Op::Error, 0, &[]));
        let write = |addr, words: &[u16]| Packet::control(HOST, 17, Op::Write, addr, words).to_words();
        assert_eq!(i.take(&write(1, &[7, 8])), answer(Op::Error, 1, &[]));
        let written = Packet::control(17, HOST, Op::Written, 2, &[]);
        assert_eq!(i.take(&write(2, &[7, 8])), Some(Request::Write(2, vec![7, 8], written)));
        assert_eq!(i.take(&[0x0000, 0xf000]), None);
    }

    #[test]
    fn losses_are_reported_when_there_is_space() {
        let mut i = Interface::new(17, [5, 256], true);
        i.take(&Packet::event(1, 17, Event { lost: u16::MAX, ..Event::default() }).to_words());
        i.lose(2);
        let full = Event { time: Some(1), args: Args::of(&[0; 6]), ..Event::default() };
        let lost = |p: Packet| match p.body {
            Body::Event(e) => e.lost,
            Body::Control { .. } => 0,
        };
        assert_eq!(lost(i.result(HOST, full, false)), 0);
        assert_eq!(lost(i.result(HOST, Event { lost: 3, ..Event::default() }, false)), u16::MAX);
        assert_eq!((lost(i.result(HOST, Event::default(), false)), i.unreported()), (5, 0));
    }

    #[test]
    fn every_event_after_a_missing_instruction_reports_losses() {
        let mut i = Interface::new(2, [1, 16], false);
        i.drop_event(&Event::default());
        i.overrun();
        for (dest, yields) in [(16, false), (HOST, true), (HOST, true)] {
            let Body::Event(event) = i.result(dest, Event::default(), yields).body else { panic!() };
            assert_eq!((event.lost, event.yielded), (UNKNOWN, false));
            i.drop_event(&event);
        }
        assert_eq!((i.unreported(), i.has_yielded()), (UNKNOWN.into(), false));
    }

    #[test]
    fn events_for_tables_do_not_report_losses_of_events_that_yield() {
        let of = |p: Packet| match p.body {
            Body::Event(e) => (e.lost, e.yielded),
            Body::Control { .. } => (0, false),
        };
        let mut i = Interface::new(2, [1, 16], false);
        i.drop_event(&Event::default());
        assert_eq!(of(i.result(16, Event::default(), false)), (0, false));
        assert_eq!(of(i.result(HOST, Event::default(), true)), (1, true));
        // a loss of the generator may be of any event
        i.drop_event(&Event { lost: 2, ..Event::default() });
        i.drop_event(&Event::default());
        assert_eq!(of(i.result(16, Event::default(), false)), (4, false));
        i.drop_event(&Event::default());
        assert_eq!(of(i.result(HOST, Event { lost: 1, ..Event::default() }, true)), (2, false));
        // a node passes on what its producers reported
        let mut n = Interface::new(16, [2, 8], true);
        n.take(&Packet::event(1, 16, Event { lost: 3, yielded: true, ..Event::default() }).to_words());
        assert_eq!(of(n.result(HOST, Event::default(), false)), (3, true));
    }
}
