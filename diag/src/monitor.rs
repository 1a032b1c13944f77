//! A state machine on the host, whose state may be unknown
//!
//! After a loss the machine may be in any state. Each event narrows down the possible states. The machine reports only
//! while its state is known: what it reports happened.

use sim::diag::node::machine::Table;

/// A running state machine of a script.
#[derive(Clone, Debug)]
pub struct Monitor {
    table: Table,
    /// Possible states, each with its owner; `None`: any owner.
    possible: Vec<(u8, Option<u64>)>,
}

impl Monitor {
    /// Starts in state 0 with owner 0.
    pub fn new(table: Table) -> Self {
        Self { table, possible: vec![(0, Some(0))] }
    }

    /// The state is unknown from now on.
    pub fn forget(&mut self) {
        let owns = self.table.steps.iter().flatten().flatten().any(|s| s.own);
        let owner = (!owns).then_some(0);
        self.possible = (0..self.table.steps.len()).map(|s| (s as u8, owner)).collect();
    }

    /// An event of a class, with its key. Returns the state, the class, the key and the owner of a report.
    pub fn take(&mut self, class: usize, key: u64) -> Option<[u64; 4]> {
        let (mut next, mut report): (Vec<(u8, Option<u64>)>, _) = (Vec::new(), None);
        for &(state, owner) in &self.possible {
            // step 0 is for the key of the owner, step 1 for another
            let ways = match owner {
                Some(owner) => usize::from(owner != key)..usize::from(owner != key) + 1,
                None => 0..2,
            };
            for way in ways {
                let step = self.table.steps[usize::from(state)][class][way];
                next.push((step.next, if step.own || way == 0 { Some(key) } else { owner }));
                if let (true, [(_, Some(owner))]) = (step.report, self.possible.as_slice()) {
                    report = Some([state.into(), class as u64, key, *owner]);
                }
            }
        }
        let any: Vec<u8> = next.iter().filter(|n| n.1.is_none()).map(|n| n.0).collect();
        next.retain(|n| n.1.is_none() || !any.contains(&n.0));
        next.sort_unstable();
        next.dedup();
        self.possible = next;
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::diag::node::machine::{Class, Step};
    use sim::diag::node::{Field, Target};

    const CLASS: Class = Class { event: 0, key: Field::Arg(0) };
    const TO: Target = Target { dest: 63, id: 160 };

    #[test]
    fn an_unknown_transaction_reports_nothing_until_it_is_opened() {
        let mut m = Monitor::new(Table::transaction(CLASS, CLASS, TO));
        assert_eq!((m.take(0, 5), m.take(0, 6)), (None, Some([1, 0, 6, 5])));
        m.forget();
        assert_eq!((m.take(1, 5), m.take(1, 5)), (None, None));
        assert_eq!((m.take(0, 7), m.take(1, 8)), (None, Some([1, 1, 8, 7])));
    }

    #[test]
    fn an_unknown_machine_reports_nothing_until_one_state_is_left() {
        let step = |next, report| [Step { next, own: false, report }; 2];
        // 0 and 1 alternate, otherwise the machine stays in its state
        let steps = vec![vec![step(1, false), step(0, true)], vec![step(1, true), step(0, false)]];
        let mut m = Monitor::new(Table { classes: vec![CLASS; 2], steps, to: TO, by_key: false });
        assert_eq!((m.take(1, 3), m.take(0, 3)), (Some([0, 1, 3, 0]), None));
        m.forget();
        assert_eq!((m.take(1, 3), m.take(1, 3)), (None, Some([0, 1, 3, 0])));
    }
}
