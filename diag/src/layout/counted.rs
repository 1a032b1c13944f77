//! Which events end in tables on the chip: they do not wait for events that leave it, which yield to them

use super::{only_sum, Layout, Rules};
use crate::app::App;
use crate::order::uses_of;
use sim::diag::chip::FIRST_NODE;

impl Layout {
    /// Whether events for this address end in tables, so that nothing of them leaves the chip but the tables.
    pub fn is_counted(&self, dest: u8) -> bool {
        let Some(rules) = dest.checked_sub(FIRST_NODE).and_then(|n| self.rules.get(usize::from(n))) else {
            return false;
        };
        match rules {
            Rules::Count(_) | Rules::Aggregate(_) | Rules::Histogram(_) => true,
            Rules::Filter(all) => all.iter().all(|r| self.is_counted(r.to.dest)),
            Rules::Pair(all) => all.iter().all(|r| self.is_counted(r.to.dest)),
            // events of keys beyond those that it holds go to the host
            Rules::Machine(table) => table.as_ref().is_some_and(|t| !t.by_key && self.is_counted(t.to.dest)),
            Rules::Log(_) | Rules::Tick(_) | Rules::Program => false,
        }
    }

    /// Whether all events that feed a map are counted on the chip without waiting for events that leave it.
    pub fn counts(&self, app: &App, map: usize) -> bool {
        self.cut.maps[map]
            && app.clauses.iter().filter(|c| only_sum(c).is_some_and(|s| s.0 == map)).all(|c| {
                let uses = uses_of(app, c.origin);
                !uses.is_empty() && uses.into_iter().all(|u| self.counts_use(u))
            })
    }

    /// Whether events of a use do not yield to others, and others do.
    pub fn counts_use(&self, u: usize) -> bool {
        self.slots.iter().any(|s| s.yields) && self.shares[u].slot.is_some_and(|n| !self.slots[n].yields)
    }
}
