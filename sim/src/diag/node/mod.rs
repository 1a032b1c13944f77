//! Nodes that reduce events, one module per kind, as golden models
//!
//! A node takes an event, changes its state and sends its results. A *flush* makes it send and clear its tables: the
//! host receives increments, whose sums are exact whenever it flushes.
//!
//! | node | input | output |
//! | --- | --- | --- |
//! | [`filter`] | events | those whose arguments match |
//! | [`count`] | events | a count of each |
//! | [`pair`] | two events with the same key | one with the cycles between them |
//! | [`aggregate`] | keys and values | count, sum, minimum and maximum by key |
//! | [`histogram`] | values | distribution of values, by key |
//! | [`machine`] | a sequence of events | a report of each step that is not allowed |
//! | [`tick`] | cycles | an event and flushes per period |
//! | [`log`] | events | the last events before a trigger event |
//! | [`trace`] | trace words | packets of them; its registers are those of the trace system |
//!
//! # Source
//! Paper 004 section 3.6, processing nodes. The kinds: its usage examples, and the scripts of SystemTap, DTrace and
//! bpftrace.

pub mod aggregate;
pub mod count;
pub mod filter;
pub mod histogram;
pub mod log;
pub mod machine;
pub mod pair;
pub mod tick;
pub mod trace;

use super::packet::Event;
pub use super::packet::Outbox;
use super::processor::ring_processor::RingProcessor;
use super::processor::{KIND as PROCESSOR, SLOTS};
use std::fmt;
use std::str::FromStr;

/// A field of an event, used as a key, a value or an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    /// An argument, from 0.
    Arg(u8),
    /// The core.
    Core,
    /// A constant.
    Const(u32),
}

impl Field {
    /// Value of the field; a missing argument is 0.
    #[inline]
    pub fn of(self, event: &Event) -> u32 {
        match self {
            Self::Arg(n) => event.args.get(usize::from(n)).copied().unwrap_or(0),
            Self::Core => event.core.into(),
            Self::Const(c) => c,
        }
    }
}

/// Destination and identifier of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Address.
    pub dest: u8,
    /// Identifier of the event.
    pub id: u8,
}

/// A node of any kind on the diagnosis network.
#[derive(Clone, Debug)]
pub enum Node {
    /// See [`filter`].
    Filter(filter::Filter),
    /// See [`count`].
    Count(count::Count),
    /// See [`pair`].
    Pair(pair::Pair),
    /// See [`aggregate`].
    Aggregate(aggregate::Aggregate),
    /// See [`histogram`].
    Histogram(histogram::Histogram),
    /// See [`machine`].
    Machine(machine::Machine),
    /// See [`log`].
    Log(log::Log),
    /// See [`tick`].
    Tick(tick::Tick),
    /// See [`super::processor`].
    Processor(Box<RingProcessor>),
}

/// A kind of node, with its capacity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeKind {
    /// Rules.
    Filter(u8),
    /// Counters.
    Count(u8),
    /// Contexts.
    Pair(u8),
    /// Entries, a power of two.
    Aggregate(u16),
    /// Keys.
    Histogram(u8),
    /// States, and as many classes of events.
    Machine(u8),
    /// Events.
    Log(u16),
    /// Nodes that it can flush.
    Tick(u8),
    /// Slots, 16.
    Processor(u8),
}

impl NodeKind {
    /// Name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filter(_) => "filter",
            Self::Count(_) => "count",
            Self::Pair(_) => "pair",
            Self::Aggregate(_) => "aggregate",
            Self::Histogram(_) => "histogram",
            Self::Machine(_) => "machine",
            Self::Log(_) => "log",
            Self::Tick(_) => "tick",
            Self::Processor(_) => "processor",
        }
    }

    /// Number of the kind, which is register 0, and its capacity, register 1.
    pub fn registers(self) -> [u16; 2] {
        match self {
            Self::Filter(n) => [2, n.into()],
            Self::Count(n) => [3, n.into()],
            Self::Pair(n) => [4, n.into()],
            Self::Aggregate(n) => [5, n],
            Self::Histogram(n) => [6, n.into()],
            Self::Machine(n) => [7, n.into()],
            Self::Log(n) => [8, n],
            Self::Tick(n) => [9, n.into()],
            Self::Processor(n) => [PROCESSOR, n.into()],
        }
    }

    /// Its capacity, and the unit of that.
    pub fn capacity(self) -> (u16, &'static str) {
        let of = match self {
            Self::Filter(_) => "rules",
            Self::Count(_) => "counters",
            Self::Pair(_) => "contexts",
            Self::Aggregate(_) => "entries",
            Self::Histogram(_) => "keys",
            Self::Machine(_) => "states",
            Self::Log(_) => "events",
            Self::Tick(_) => "flushes",
            Self::Processor(_) => "slots",
        };
        (self.registers()[1], of)
    }

    /// Whether it takes events and flushes.
    pub fn takes_events(self) -> bool {
        !matches!(self, Self::Tick(_))
    }

    /// An empty node of this kind.
    pub fn build(self) -> Node {
        match self {
            Self::Filter(n) => Node::Filter(filter::Filter::new(n)),
            Self::Count(n) => Node::Count(count::Count::new(n)),
            Self::Pair(n) => Node::Pair(pair::Pair::new(n)),
            Self::Aggregate(n) => Node::Aggregate(aggregate::Aggregate::new(n)),
            Self::Histogram(n) => Node::Histogram(histogram::Histogram::new(n)),
            Self::Machine(n) => Node::Machine(machine::Machine::new(n)),
            Self::Log(n) => Node::Log(log::Log::new(n)),
            Self::Tick(n) => Node::Tick(tick::Tick::new(n)),
            Self::Processor(_) => Node::Processor(Box::default()),
        }
    }
}

impl fmt::Display for NodeKind {
    /// `filter:8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name(), self.capacity().0)
    }
}

impl FromStr for NodeKind {
    type Err = String;

    /// Parses `filter:8`, or `filter` with the default capacity.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, size) = text.split_once(':').map_or((text, None), |(name, size)| (name, Some(size)));
        let all = [
            Self::Filter(8),
            Self::Count(64),
            Self::Pair(16),
            Self::Aggregate(256),
            Self::Histogram(4),
            Self::Machine(16),
            Self::Log(32),
            Self::Tick(8),
            Self::Processor(SLOTS as u8),
        ];
        let names = || all.map(Self::name).join(", ");
        let usual = *all
            .iter()
            .find(|k| k.name() == name)
            .ok_or_else(|| format!("node `{name}` is not known; expected one of {}", names()))?;
        let Some(size) = size else { return Ok(usual) };
        let wrong = || format!("{name}: `{size}` is not a number of {}", usual.capacity().1);
        let byte = || size.parse::<u8>().map_err(|_| wrong());
        let word = || size.parse::<u16>().map_err(|_| wrong());
        Ok(match usual {
            Self::Filter(_) => Self::Filter(byte()?),
            Self::Count(_) => Self::Count(byte()?),
            Self::Pair(_) => Self::Pair(byte()?),
            Self::Aggregate(_) => Self::Aggregate(word()?),
            Self::Histogram(_) => Self::Histogram(byte()?),
            Self::Machine(_) => Self::Machine(byte()?),
            Self::Log(_) => Self::Log(word()?),
            Self::Tick(_) => Self::Tick(byte()?),
            Self::Processor(_) if size == "16" => usual,
            Self::Processor(_) => return Err(format!("processor: `{size}` is not a number of slots; it has 16")),
        })
    }
}

impl Node {
    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        match self {
            Self::Filter(n) => n.take(event, out),
            Self::Count(n) => n.take(event, out),
            Self::Pair(n) => n.take(event, out),
            Self::Aggregate(n) => n.take(event, out),
            Self::Histogram(n) => n.take(event, out),
            Self::Machine(n) => n.take(event, out),
            Self::Log(n) => n.take(event, out),
            // takes no events
            Self::Tick(_) => {}
            Self::Processor(n) => n.handle(Some(event), out),
        }
    }

    /// Sends and clears its tables.
    pub fn flush(&mut self, out: &mut Outbox) {
        match self {
            Self::Count(n) => n.flush(out),
            Self::Aggregate(n) => n.flush(out),
            Self::Histogram(n) => n.flush(out),
            Self::Log(n) => n.flush(out),
            Self::Processor(n) => n.handle(None, out),
            Self::Filter(_) | Self::Pair(_) | Self::Machine(_) | Self::Tick(_) => {}
        }
    }
}

/// Error of a configuration that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} {what}, but the node has room for {capacity}")]
pub struct CapacityError {
    /// Unit.
    pub what: &'static str,
    /// Number required.
    pub found: usize,
    /// Number available.
    pub capacity: usize,
}

/// Checks a number against the capacity.
pub(crate) fn check_capacity(what: &'static str, found: usize, capacity: usize) -> Result<(), CapacityError> {
    if found > capacity {
        return Err(CapacityError { what, found, capacity });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_as_they_are_written() {
        for text in [
            "filter:8",
            "count:64",
            "pair:16",
            "aggregate:256",
            "histogram:4",
            "machine:16",
            "log:32",
            "tick:8",
            "processor:16",
        ] {
            let kind: NodeKind = text.parse().unwrap();
            assert_eq!(kind.to_string(), text);
            assert_eq!(text.split(':').next().unwrap().parse(), Ok(kind));
        }
        assert_eq!("aggregate:16".parse(), Ok(NodeKind::Aggregate(16)));
        let refused = |text: &str| text.parse::<NodeKind>().unwrap_err();
        assert_eq!(refused("count:256"), "count: `256` is not a number of counters");
        assert!(refused("sum").starts_with("node `sum` is not known; expected one of filter, count, pair, "));
        assert!(refused("").starts_with("node `` is not known"));
    }
}
