//! State machine in a table: sequences, transactions, monitors
//!
//! Events are sorted into classes. A step is found by the state, the class, and whether the event's key is that of the
//! owner; it has a next state, may make the key the owner, and may report `[state, class, key, owner]` as they were, with
//! the event's core and time.

use super::{room, Event, Field, NoRoom, Outbox, Target};
use crate::diag::packet::Args;

/// Class of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    /// The event.
    pub event: u8,
    /// Its key.
    pub key: Field,
}

/// A step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Step {
    /// State after it.
    pub next: u8,
    /// The key becomes the owner.
    pub own: bool,
    /// It is reported.
    pub report: bool,
}

/// A machine: steps by state and class, of the owner's events first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// Classes, up to 16.
    pub classes: Vec<Class>,
    /// `steps[state][class][key is not the owner's]`.
    pub steps: Vec<Vec<[Step; 2]>>,
    /// Where reports go.
    pub to: Target,
}

/// The node.
#[derive(Clone, Debug)]
pub struct Machine {
    states: u8,
    table: Option<Table>,
    state: u8,
    owner: u32,
}

impl Machine {
    /// Up to `states` states and classes.
    pub fn new(states: u8) -> Self {
        Self { states, table: None, state: 0, owner: 0 }
    }

    /// Sets the table; a node has one. State 0 is the first, owner 0.
    pub fn set(&mut self, table: Table) -> Result<(), NoRoom> {
        room("machines", 1 + usize::from(self.table.is_some()), 1)?;
        room("states", table.steps.len(), self.states.into())?;
        room("classes", table.classes.len(), self.states.into())?;
        self.table = Some(table);
        Ok(())
    }

    /// One event.
    pub fn take(&mut self, event: &Event, out: &mut Outbox) {
        let Some(table) = &self.table else { return };
        for (n, class) in table.classes.iter().enumerate().filter(|c| c.1.event == event.id) {
            let key = class.key.of(event);
            let step = table.steps[usize::from(self.state)][n][usize::from(key != self.owner)];
            if step.report {
                let args = Args::of(&[self.state.into(), n as u32, key, self.owner]);
                out.push((table.to.dest, Event { id: table.to.id, lost: 0, args, ..*event }));
            }
            self.state = step.next;
            if step.own {
                self.owner = key;
            }
        }
    }
}

impl Table {
    /// A transaction that one owner opens and closes: a report when another opens it, or closes what is not its own.
    pub fn transaction(open: Class, close: Class, to: Target) -> Self {
        let step = |next, own, report| Step { next, own, report };
        let idle = vec![[step(1, true, false); 2], [step(0, false, true); 2]];
        let opened = vec![[step(1, true, false), step(1, true, true)], [step(0, false, false), step(1, false, true)]];
        Self { classes: vec![open, close], steps: vec![idle, opened], to }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's listing 1 reports a race in the second transaction of a correct program; this does not.
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
        // 3 comes between 2's get and set: both are told, 3's set is its own
        assert_eq!(run(&[(1, 2), (1, 3), (2, 2), (2, 3)]), [[1, 0, 3, 2], [1, 1, 2, 3]]);
        // a close of nothing
        assert_eq!(run(&[(2, 3)]), [[0, 1, 3, 3]]);
    }
}
