//! Losses of events, by core, and when each may have been
//!
//! A generator reports the number of events that it lost with the next event that it sends. When it lost them is not
//! known exactly: after the event that it sent before, and before any event that was not yet in its queues, which are
//! those after the next [`Order::depth`](crate::order::Order) events. In between a loss is possible before each event.

/// A location where events were lost, with their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossLocation {
    /// What it is.
    pub kind: LossKind,
    /// Its name.
    pub name: String,
    /// Number of events.
    pub events: u64,
}

/// Kind of a location where events are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossKind {
    /// A core, nodes or the link; the number is exact.
    On,
    /// A map; at most this many.
    For,
    /// A probe; at most this many.
    Of,
}

impl LossKind {
    /// Its words before the name, and before the number.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::On => ("lost on", "events"),
            Self::For => ("lost for", "at most"),
            Self::Of => ("lost of", "at most"),
        }
    }
}

/// Lost events that no packet has reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unreported {
    /// Their number.
    pub events: u64,
    /// All of them yielded to others: no table on the chip lacks them.
    pub yielded: bool,
}

/// Bounds of the losses of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreLosses {
    /// Lost events.
    pub lost: u64,
    /// Time of the last event.
    pub last: u64,
    /// Events before which a loss is still possible.
    pub doubt: usize,
    /// A loss is possible from the last event on.
    pub open: bool,
}

/// The events that were lost so far: by core, and elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Losses {
    /// By core.
    pub cores: [CoreLosses; 16],
    /// Lost events whose core is not known: nodes reported them.
    pub elsewhere: u64,
    /// Packets that did not arrive.
    pub packets: u64,
    /// Of all lost events, those that yielded to others: no table on the chip lacks them.
    pub yielded: u64,
    /// Earliest time of a loss: from there on results may lack events.
    pub first: Option<u64>,
    /// The same of losses that did not yield.
    pub first_counted: Option<u64>,
    /// Earliest time at which instructions of a core were missing at its generator: from there on its events may be wrong.
    pub wrong: Option<u64>,
    /// Earliest time of a loss that was reported too late: from there on results may include what did not happen.
    pub unnoticed: Option<u64>,
}

/// The earlier of both.
fn earlier(a: Option<u64>, b: u64) -> Option<u64> {
    Some(a.map_or(b, |a| a.min(b)))
}

impl Losses {
    /// Events were lost after `time`; `yielded`: all of them yielded to others.
    pub fn after(&mut self, time: u64, yielded: bool) {
        self.first = earlier(self.first, time);
        if !yielded {
            self.first_counted = earlier(self.first_counted, time);
        }
    }

    /// Events may be wrong after `time`.
    pub fn wrong_after(&mut self, time: u64) {
        self.wrong = earlier(self.wrong, time);
    }

    /// A loss after `time` was not known when later events were taken.
    pub fn unnoticed_after(&mut self, time: u64) {
        self.unnoticed = earlier(self.unnoticed, time);
    }

    /// All lost events and packets.
    pub fn total(&self) -> u64 {
        self.cores.iter().map(|c| c.lost).sum::<u64>() + self.elsewhere + self.packets
    }

    /// Where events were lost, with their number: `core 2`.
    pub fn locations(&self) -> Vec<LossLocation> {
        let cores = self.cores.iter().enumerate().map(|(n, c)| (format!("core {n}"), c.lost));
        let others = [("other cores or nodes".into(), self.elsewhere), ("the link, in packets".into(), self.packets)];
        let lost = |(name, events)| LossLocation { kind: LossKind::On, name, events };
        cores.chain(others).filter(|p| p.1 > 0).map(lost).collect()
    }
}
