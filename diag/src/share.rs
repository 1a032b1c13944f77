//! Sharing of event-generator slots by probes with the same trigger
//!
//! Uses with equal triggers and the same destination share one event that carries the captures of all of them; the
//! host, or the rules of the node, separate them. The event has the number of the first use. Uses are not merged across
//! one with the same trigger and another destination, so that the statements of a probe stay in the script's order.
//!
//! Some uses are never merged: those with stack words that not all of them capture, since an event is lost if a word is
//! unknown; those after a filter, if the passed events would become longer; the two ends of one span; and events that
//! a log on the chip keeps.

use crate::app::{App, Consumer};
use sim::diag::node::Field;
use sim::diag::packet::{Args, Event};
use sim::diag::trigger::{Capture, Number, Slot, Trigger, CAPTURES};

/// Position of a use's event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Its first slot in the layout; `None`: the event comes from the trace.
    pub slot: Option<usize>,
    /// Identifier of its event.
    pub event: u8,
    /// Index of each captured word among the event's arguments.
    pub args: Vec<u8>,
}

/// Destination of a use's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// To the host.
    Host,
    /// To a filter at this address.
    Filter(u8),
    /// To a table, pair or machine at this address.
    Node(u8),
    /// A log at this address, which keeps each use's event separately.
    Log(u8),
}

impl Destination {
    /// The destination address.
    pub fn dest(self) -> u8 {
        match self {
            Self::Host => sim::diag::packet::HOST,
            Self::Filter(dest) | Self::Node(dest) | Self::Log(dest) => dest,
        }
    }
}

/// A group of uses that share a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Numbers of the uses; the first one is the number of the event.
    pub uses: Vec<usize>,
    /// The slot of its first trigger.
    pub slot: Slot,
    /// Further triggers, with a slot each for the same event.
    pub also: Vec<Trigger>,
    destination: Destination,
}

impl Share {
    /// One slot for each use.
    pub fn unshared(app: &App) -> Vec<Self> {
        let of = |(n, u): (usize, &crate::app::Use)| Self {
            slot: Some(n).filter(|_| !u.traced),
            event: n as u8,
            args: (0..u.captures.len() as u8).collect(),
        };
        app.uses.iter().enumerate().map(of).collect()
    }

    /// The field of the shared event that corresponds to `field` of this use.
    pub(crate) fn field(&self, field: Field) -> Field {
        match field {
            Field::Arg(n) => Field::Arg(self.args.get(usize::from(n)).copied().unwrap_or(n)),
            Field::Core | Field::Const(_) => field,
        }
    }

    /// This use's arguments, from the shared event.
    pub(crate) fn args(&self, event: &Event) -> Args {
        let mut args = Args::default();
        self.args.iter().for_each(|n| args.push(event.args.get(usize::from(*n)).copied().unwrap_or(0)));
        args
    }

    /// Shares according to groups: those with triggers, and those from the trace.
    pub fn of(app: &App, groups: &[Group], traced: &[Group]) -> Vec<Self> {
        let find = |n: usize| {
            let of = if app.uses[n].traced { traced } else { groups };
            let at = of.iter().position(|g| g.uses.contains(&n)).unwrap_or(n);
            let all = &of[at].slot.captures;
            let place = |c: &Capture| all.iter().position(|o| o == c).unwrap_or(0) as u8;
            let before = of[..at].iter().map(|g| g.triggers().0).sum();
            let slot = Some(before).filter(|_| !app.uses[n].traced);
            Self { slot, event: of[at].slot.event, args: app.uses[n].captures.iter().map(place).collect() }
        };
        (0..app.uses.len()).map(find).collect()
    }
}

fn is_stack(c: &Capture) -> bool {
    matches!(c.number(), Some(Number::Stack(_) | Number::EntryStack(_)))
}

/// Whether both have the same captures among those that `which` selects.
fn same(a: &[Capture], b: &[Capture], which: impl Fn(&Capture) -> bool) -> bool {
    a.iter().filter(|c| which(c)).all(|c| b.contains(c)) && b.iter().filter(|c| which(c)).all(|c| a.contains(c))
}

/// All captures of both, those of `a` first.
pub(crate) fn union(a: &[Capture], b: &[Capture]) -> Vec<Capture> {
    let new = b.iter().filter(|c| !a.contains(c));
    a.iter().chain(new).copied().collect()
}

impl Group {
    /// Its slots.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + '_ {
        let also = |t: &Trigger| Slot { trigger: *t, ..self.slot.clone() };
        std::iter::once(self.slot.clone()).chain(self.also.iter().map(also))
    }

    /// Number of its triggers, and of those that compare more than an address.
    pub(crate) fn triggers(&self) -> (usize, usize) {
        let wide = |t: &&Trigger| t.is_wide();
        (1 + self.also.len(), std::iter::once(&self.slot.trigger).chain(&self.also).filter(wide).count())
    }

    /// Adds a use to the group, if possible.
    fn join(&mut self, app: &App, n: usize, destination: Destination) -> bool {
        let (new, own) = (&app.uses[n], &self.slot);
        let fits = match destination {
            _ if destination != self.destination => false,
            Destination::Log(_) => false,
            Destination::Host => true,
            Destination::Filter(_) => same(&own.captures, &new.captures, |_| true) && own.stamped == new.stamped,
            Destination::Node(_) => match new.consumer {
                Consumer::Span(s, _) => {
                    !self.uses.iter().any(|u| matches!(app.uses[*u].consumer, Consumer::Span(o, _) if o == s))
                }
                Consumer::Clause(_) | Consumer::Class(..) | Consumer::Log(..) => true,
            },
        };
        let all = union(&own.captures, &new.captures);
        if !fits || !same(&own.captures, &new.captures, is_stack) || all.len() > CAPTURES {
            return false;
        }
        self.uses.push(n);
        (self.slot.captures, self.slot.stamped) = (all, own.stamped || new.stamped);
        true
    }
}

/// Groups of all uses that have triggers, for these destinations.
pub fn groups(app: &App, destinations: &[Destination]) -> Vec<Group> {
    grouped(app, destinations, false)
}

/// Groups for generators on the host, which watch the instructions of the trace instead of using triggers on the chip.
pub fn traced(app: &App) -> Vec<Group> {
    grouped(app, &vec![Destination::Host; app.uses.len()], true)
}

fn grouped(app: &App, destinations: &[Destination], traced: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (n, (u, destination)) in app.uses.iter().zip(destinations).enumerate().filter(|(_, (u, _))| u.traced == traced)
    {
        let last = groups.iter_mut().rev().find(|g| g.slot.trigger == u.trigger && g.also == u.also);
        if last.is_some_and(|g| g.join(app, n, *destination)) {
            continue;
        }
        let slot = Slot {
            trigger: u.trigger,
            event: n as u8,
            dest: destination.dest(),
            captures: u.captures.clone(),
            stamped: u.stamped,
            yields: false,
        };
        groups.push(Group { uses: vec![n], slot, also: u.also.clone(), destination: *destination });
    }
    groups
}

/// Groups if all events go to the host: the smallest number.
pub fn fewest(app: &App) -> Vec<Group> {
    groups(app, &vec![Destination::Host; app.uses.len()])
}

/// Number of triggers that compare more than an address.
pub(crate) fn wide(groups: &[Group]) -> usize {
    groups.iter().map(|g| g.triggers().1).sum()
}

/// Groups beyond the first `available` triggers, counted by `count`.
pub(crate) fn beyond(groups: &[Group], available: usize, count: impl Fn(&Group) -> usize) -> Vec<&Group> {
    let mut taken = 0;
    let late = |g: &&Group| {
        let own = count(g);
        taken += own;
        own > 0 && taken > available
    };
    groups.iter().filter(late).collect()
}
