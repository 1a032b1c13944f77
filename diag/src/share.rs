//! Probes with the same trigger share a slot of the event generators
//!
//! Uses whose triggers are equal, and whose events go to the same place, have one event that carries what each of them
//! captures; the host, or the rules of the node, tell it apart. The event has the number of the first of them. Those between
//! which one with the same trigger goes elsewhere stay apart: the order of a probe's statements is that of the script.
//!
//! What stays apart, too: words of the stack that not all of them capture, as an event is lost where one is not known; behind
//! a filter, where what it lets pass would be longer; both ends of one span; and what a log on the chip keeps.

use crate::app::{App, Consumer};
use sim::diag::node::Field;
use sim::diag::packet::{Args, Event};
use sim::diag::trigger::{Capture, Slot, CAPTURES};

/// Where the event of a use comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// Slot, as it is laid out; none: a trace tells it.
    pub slot: Option<usize>,
    /// Identifier of its event.
    pub event: u8,
    /// Place of each captured word among the event's arguments.
    pub args: Vec<u8>,
}

/// Where events of a use go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the host.
    Host,
    /// To a filter at this address.
    Filter(u8),
    /// To a table, pair or machine at this address.
    Node(u8),
    /// To a log at this address, which keeps each event of its own.
    Log(u8),
}

impl Way {
    /// The address.
    pub fn dest(self) -> u8 {
        match self {
            Self::Host => sim::diag::packet::HOST,
            Self::Filter(dest) | Self::Node(dest) | Self::Log(dest) => dest,
        }
    }
}

/// Uses that share a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their numbers, the first of which is the event's.
    pub uses: Vec<usize>,
    /// The slot.
    pub slot: Slot,
    way: Way,
}

impl Share {
    /// Each use with a slot of its own.
    pub fn apart(app: &App) -> Vec<Self> {
        let of = |(n, u): (usize, &crate::app::Use)| Self {
            slot: Some(n).filter(|_| !u.traced),
            event: n as u8,
            args: (0..u.captures.len() as u8).collect(),
        };
        app.uses.iter().enumerate().map(of).collect()
    }

    /// What a node takes of the event, for what this use calls so.
    pub(crate) fn field(&self, field: Field) -> Field {
        match field {
            Field::Arg(n) => Field::Arg(self.args.get(usize::from(n)).copied().unwrap_or(n)),
            Field::Core | Field::Const(_) => field,
        }
    }

    /// Arguments of the event that are this use's.
    pub(crate) fn args(&self, event: &Event) -> Args {
        let mut args = Args::default();
        self.args.iter().for_each(|n| args.push(event.args.get(usize::from(*n)).copied().unwrap_or(0)));
        args
    }

    /// As they are grouped: those with triggers, and those that a trace tells.
    pub fn of(app: &App, groups: &[Group], traced: &[Group]) -> Vec<Self> {
        let find = |n: usize| {
            let of = if app.uses[n].traced { traced } else { groups };
            let at = of.iter().position(|g| g.uses.contains(&n)).unwrap_or(n);
            let all = &of[at].slot.captures;
            let place = |c: &Capture| all.iter().position(|o| o == c).unwrap_or(0) as u8;
            let slot = Some(at).filter(|_| !app.uses[n].traced);
            Self { slot, event: of[at].slot.event, args: app.uses[n].captures.iter().map(place).collect() }
        };
        (0..app.uses.len()).map(find).collect()
    }
}

fn is_stack(c: &Capture) -> bool {
    matches!(c, Capture::Stack(_) | Capture::EntryStack(_))
}

/// Whether each of both has all of the other that `which` picks.
fn same(a: &[Capture], b: &[Capture], which: impl Fn(&Capture) -> bool) -> bool {
    a.iter().filter(|c| which(c)).all(|c| b.contains(c)) && b.iter().filter(|c| which(c)).all(|c| a.contains(c))
}

/// All captures of both, those of `a` first.
pub(crate) fn union(a: &[Capture], b: &[Capture]) -> Vec<Capture> {
    let new = b.iter().filter(|c| !a.contains(c));
    a.iter().chain(new).copied().collect()
}

impl Group {
    /// A use joins it, if it can.
    fn join(&mut self, app: &App, n: usize, way: Way) -> bool {
        let (new, own) = (&app.uses[n], &self.slot);
        let fits = match way {
            _ if way != self.way => false,
            Way::Log(_) => false,
            Way::Host => true,
            Way::Filter(_) => same(&own.captures, &new.captures, |_| true) && own.stamped == new.stamped,
            Way::Node(_) => match new.consumer {
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

/// Slots for all uses that have triggers, whose events go these ways.
pub fn groups(app: &App, ways: &[Way]) -> Vec<Group> {
    grouped(app, ways, false)
}

/// What generators on the host wait for, in the place of triggers on the chip: they see what a trace tells.
pub fn traced(app: &App) -> Vec<Group> {
    grouped(app, &vec![Way::Host; app.uses.len()], true)
}

fn grouped(app: &App, ways: &[Way], traced: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (n, (u, way)) in app.uses.iter().zip(ways).enumerate().filter(|(_, (u, _))| u.traced == traced) {
        let last = groups.iter_mut().rev().find(|g| g.slot.trigger == u.trigger);
        if last.is_some_and(|g| g.join(app, n, *way)) {
            continue;
        }
        let slot = Slot {
            trigger: u.trigger,
            event: n as u8,
            dest: way.dest(),
            captures: u.captures.clone(),
            stamped: u.stamped,
        };
        groups.push(Group { uses: vec![n], slot, way: *way });
    }
    groups
}

/// Slots where all events go to the host: as few as there can be.
pub fn fewest(app: &App) -> Vec<Group> {
    groups(app, &vec![Way::Host; app.uses.len()])
}

/// How many of these need more than an address to be compared with.
pub(crate) fn wide(groups: &[Group]) -> usize {
    groups.iter().filter(|g| g.slot.trigger.is_wide()).count()
}
