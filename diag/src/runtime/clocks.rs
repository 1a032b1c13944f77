//! Events of cores with separate clocks: when their order is not known

use super::{Runtime, TIMED};
use crate::window::Key;
use sim::diag::crossing::LATE;

impl Runtime {
    /// Compares the event that leaves the window with those that wait. If one of another core is so close that it may have
    /// been before it, what depends on the order of both is not assured from here on. Only events that cross between clocks
    /// are ever that late.
    pub(super) fn compare_clocks(&mut self) {
        let first = self.waiting.released();
        if self.parts.is_empty() || first.rank != TIMED {
            return;
        }
        let clocked = self.app.order.clocked;
        let close = |k: &&Key| k.rank == TIMED && k.core != first.core && k.core.min(first.core) < clocked;
        // the place is that of the use
        let of = |k: &Key| usize::from(k.place).saturating_sub(1);
        let near = self.waiting.keys().take_while(|k| k.time <= first.time + LATE).filter(close);
        let others: Vec<usize> = near.map(of).collect();
        for part in self.parts.iter().filter(|p| others.iter().any(|o| p.uses[*o]) && p.uses[of(&first)]) {
            for result in &part.results {
                if !self.unassured.contains(result) {
                    self.unassured.push(*result);
                }
            }
        }
    }
}
