//! Table-driven state machine: sequences, transactions, monitors
//!
//! Events are sorted into classes. A step is selected by the state, the class, and whether the event's key is that of
//! the owner. It has a next state, may make the key the owner, and may report `[state, class, key, owner]` from before
//! the step, with the event's core and time.
//!
//! A table may have a state per key, for the first [`MAX_KEYS`] keys. Keys keep their entries until the table is set
//! again. An event whose key has no entry is passed to the host unchanged, so that the host has all events of each key
//! that it receives any of.

use super::{check_capacity, CapacityError, Event, Field, Outbox, Target};
use crate::diag::packet::{Args, HOST};

/// Keys of a table with a state per key.
pub const MAX_KEYS: usize = 16;

/// A class: an event and its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// The event.
    pub event: u8,
    /// Its key.
    pub key: Field,
}

/// A step of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// Next state.
    pub next: u8,
    /// The key becomes the owner.
    pub own: bool,
    /// The step is reported.
    pub report: bool,
}

/// The table of a machine: steps by state and class, those for the owner's events first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Classes, up to 16.
    pub classes: Vec<Class>,
    /// `steps[state][class][key is not the owner's]`.
    pub steps: Vec<Vec<[Step; 2]>>,
    /// Destination of reports.
    pub to: Target,
    /// Each key has a state of its own; there is still only one owner.
    pub by_key: bool,
}

/// The state machine node.
#[derive(Clone, Debug)]
pub struct Machine {
    states: u8,
    table: Option<Table>,
    state: u8,
    owner: u32,
    /// Keys with their states.
    keyed: Vec<(u32, u8)>,
}

impl Machine {
    /// A node for up to `states` states, and as many classes.
    pub fn new(states: u8) -> Self {
        Self { states, table: None, state: 0, owner: 0, keyed: Vec::new() }
    }

    /// Sets the table; a node has one. It starts in state 0 with owner 0.
    pub fn set(&mut self, table: Table) -> Result<(), CapacityError> {
        check_capacity("machines", 1 + usize::from(self.table.is_some()), 1)?;
        check_capacity("states", table.steps.len(), self.states.into())?;
        check_capacity("classes", table.classes.len(), self.states.into())?;
        self.table = Some(table);
        Ok(())
    }

    /// Processes one event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let Some(table) = &self.table else { return };
        for (n, class) in table.classes.iter().enumerate().filter(|c| c.1.event == event.id) {
            let key = class.key.of(event);
            let state = if table.by_key {
                let index = self.keyed.iter().position(|k| k.0 == key);
                if index.is_none() && self.keyed.len() == MAX_KEYS {
                    out.push((HOST, Event { lost: 0, ..*event }));
                    continue;
                }
                let index = index.unwrap_or_else(|| {
                    self.keyed.push((key, 0));
                    self.keyed.len() - 1
                });
                &mut self.keyed[index].1
            } else {
                &mut self.state
            };
            let step = table.steps[usize::from(*state)][n][usize::from(key != self.owner)];
            if step.report {
                let args = Args::of(&[(*state).into(), n as u32, key, self.owner]);
                out.push((table.to.dest, Event { id: table.to.id, lost: 0, args, ..*event }));
            }
            *state = step.next;
            if step.own {
                self.owner = key;
            }
        }
    }
}

impl Table {
    /// A transaction that one owner opens and closes. It reports when another key opens it, or closes one that it does
    /// not own.
    pub fn transaction(open: Class, close: Class, to: Target) -> Self {
        let step = |next, own, report| Step { next, own, report };
        let idle = vec![[step(1, true, false); 2], [step(0, false, true); 2]];
        let opened = vec![[step(1, true, false), step(1, true, true)], [step(0, false, false), step(1, false, true)]];
        Self { classes: vec![open, close], steps: vec![idle, opened], to, by_key: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's listing 1 reports a race in the second transaction of a correct program; this table does not.
    #[test]
    fn transactions_report_what_was_worked_by_hand() {
        let class = |event| Class { event, key: Field::Arg(0) };
        let mut m = Machine::new(4);
        m.set(Table::transaction(class(1), class(2), Target { dest: 63, id: 9 })).unwrap();
        let mut run = |steps: &[(u8, u32)]| {
            let mut out = Outbox::new();
            for (id, key) in steps {
                m.take(&Event { id: *id, args: Args::of(&[*key]), ..Event::default() }, &mut out);
            }
            out.iter().map(|(_, e)| e.args.to_vec()).collect::<Vec<_>>()
        };
        assert!(run(&[(1, 0), (2, 0), (1, 1), (2, 1), (1, 0), (2, 0)]).is_empty());
        // 3 comes between get and set of 2: both are reported, and 3 owns the transaction at its set
        assert_eq!(run(&[(1, 2), (1, 3), (2, 2), (2, 3)]), [[1, 0, 3, 2], [1, 1, 2, 3]]);
        // a close without an open
        assert_eq!(run(&[(2, 3)]), [[0, 1, 3, 3]]);
    }

    #[test]
    fn events_of_keys_beyond_the_capacity_go_to_the_host() {
        let class = |event| Class { event, key: Field::Arg(0) };
        let step = |next, report| [Step { next, own: false, report }; 2];
        // 1 and 2 must alternate
        let steps = vec![vec![step(1, false), step(0, true)], vec![step(1, true), step(0, false)]];
        let to = Target { dest: 20, id: 9 };
        let mut m = Machine::new(2);
        m.set(Table { classes: vec![class(1), class(2)], steps, to, by_key: true }).unwrap();
        let mut run = |id, key| {
            let mut out = Outbox::new();
            m.take(&Event { id, core: 3, args: Args::of(&[key, 5]), ..Event::default() }, &mut out);
            out.iter().map(|(dest, e)| (*dest, e.id, e.args.to_vec())).collect::<Vec<_>>()
        };
        assert!((0..16).all(|key| run(1, key).is_empty()));
        // each key has a state of its own
        assert_eq!(run(1, 7), [(20, 9, vec![1, 0, 7, 0])]);
        assert_eq!(run(2, 16), [(HOST, 2, vec![16, 5])]);
        assert!((0..16).all(|key| run(2, key).is_empty()));
        // entries are kept
        assert_eq!(run(1, 16), [(HOST, 1, vec![16, 5])]);
        assert_eq!(run(2, 15), [(20, 9, vec![0, 1, 15, 0])]);
    }
}
