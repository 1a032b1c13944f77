//! Skips the cycles of a packet on a slow link
//!
//! While the link sends, what waits for the host is refused and sent again, so that the ring repeats the same cycles. As
//! soon as it is in a state in which it was before, with nothing delivered in between, whole periods are skipped.

use super::Chip;
use crate::diag::generator::Generator;
use crate::diag::node::Node;
use crate::diag::ring::Ring;

/// Fewest cycles for which a period is looked for.
const LEAST: u64 = 4096;

/// State of a chip that waits for its link.
struct Waiting {
    cycle: u64,
    ring: Ring,
    queues: Vec<(usize, usize)>,
    states: Vec<(bool, bool, bool, bool)>,
}

impl Waiting {
    fn of(chip: &Chip) -> Self {
        Self {
            cycle: chip.now,
            ring: chip.ring.clone(),
            queues: queues(chip).collect(),
            states: states(chip).collect(),
        }
    }

    /// Whether the chip is in this state again.
    fn is_reached(&self, chip: &Chip) -> bool {
        chip.ring.repeats(&self.ring)
            && queues(chip).eq(self.queues.iter().copied())
            && states(chip).eq(self.states.iter().copied())
    }
}

/// What moves inside clients although the ring takes nothing from them.
fn queues(chip: &Chip) -> impl Iterator<Item = (usize, usize)> + '_ {
    let trace = chip.trace.as_ref().map(|t| (t.words.len(), t.node.waits()));
    let waiting = chip.generator_ports.iter().map(|p| (p.queue.len(), p.lost as usize));
    chip.generators.iter().map(Generator::queued).chain(waiting).chain(trace)
}

/// States of the link queues.
fn states(chip: &Chip) -> impl Iterator<Item = (bool, bool, bool, bool)> + '_ {
    chip.generator_ports.iter().map(|p| p.queue.state())
}

impl Chip {
    /// Advances a chip that waits for its link, at most to the cycle before `limit`.
    pub(super) fn skip_wait(&mut self, limit: u64) {
        let handles = |node: &Node| matches!(node, Node::Processor(p) if !p.is_waiting());
        if self.link.sending.is_none() || self.node_ports.iter().any(|p| handles(&p.node)) {
            return;
        }
        let sent = self.link.until.div_ceil(self.params.link_bits.into());
        let limit = limit.min(self.next_wrap()).min(u64::try_from(sent).unwrap_or(u64::MAX));
        if limit.saturating_sub(self.now) < LEAST {
            return;
        }
        let (mut before, mut span) = (Waiting::of(self), 1);
        while self.now + 1 < limit {
            self.clock();
            if before.is_reached(self) {
                let period = self.now - before.cycle;
                let periods = (limit - 1 - self.now) / period;
                self.ring.repeat(&before.ring, periods);
                let ticking = self.ticking;
                self.ticks_mut().filter(|_| ticking).for_each(|t| t.skip(periods * period));
                self.now += periods * period;
                return;
            }
            if self.now - before.cycle == span {
                (before, span) = (Waiting::of(self), 2 * span);
            }
        }
    }
}
