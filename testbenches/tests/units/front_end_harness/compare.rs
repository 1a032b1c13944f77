//! Comparison of entries with the golden model

use super::bench::{Beat, Bench};
use super::golden::Golden;
use super::ingress::{Hide, Ingress};
use retire::{Context, FlowEvent, FlowKind};
use sim::message::Message;
use testbenches::entry::Entry;

impl<T: Ingress, G: Golden> Bench<T, G> {
    /// Compares `entries` with the golden model. It is known, one cycle after the ingress, whether an instruction finds
    /// no free entry. When there are free entries again is not known, and is taken from the overflow entry.
    pub(super) fn compare(
        &mut self,
        beats: &[Beat],
        entries: &[(u64, Entry)],
        full_at: &[bool],
        asks: &[(u64, bool)],
        stopped: u64,
    ) -> Result<usize, String> {
        self.messages.clear();
        let to_decision = G::to_decision(&self.params);
        let to_resync = G::TO_RESYNC.unwrap_or(to_decision);
        let mut got = entries.iter().copied();
        let mut core_trace = G::new(&self.params);
        let mut due = Vec::new();
        let mut asks = asks.iter().copied().peekable();
        // resyncs that were requested up to the decision in a cycle
        let mut header_repeated = |core_trace: &mut G, clock: u64| {
            while let Some((at, follows)) = asks.next_if(|(at, _)| *at <= clock) {
                if follows {
                    core_trace.header_repeated(at - to_resync);
                } else {
                    core_trace.request();
                }
            }
        };
        // instructions since the last event, and whether the next one is the first after a start or an overflow
        let (mut count, mut first) = (0, true);
        let mut now = Context::RESET;
        let mut i = 0;
        while let Some(beat) = beats.get(i) {
            i += 1;
            let r = beat.step.retired;
            let hides = beat.hide != Hide::No;
            let context = beat.context;
            let turns = std::mem::replace(&mut now, context) != context;
            if hides && first {
                continue;
            }
            let stretch = beats[i - 1..].iter().take_while(|b| b.hide != Hide::No);
            let stretch = (stretch.clone().count() as u64, stretch.last().map_or(0, |b| b.clock - beat.clock));
            let mut events = Vec::new();
            let before = if first { Some(FlowKind::Start) } else { beat.step.before.map(|e| e.kind) };
            if self.context_per_64k > 0 && (turns || first) {
                let (pc, target, cycle) = (r.pc, r.pc, beat.clock);
                let alone = before.is_none();
                let count = if alone { std::mem::take(&mut count) } else { 0 };
                let kind = FlowKind::Context { context, alone };
                events.push(FlowEvent { hart: 0, kind, len: 0, count, pc, target, cycle });
            }
            if let Some(kind) = before {
                let (pc, target, cycle) = (r.pc, r.pc, beat.clock);
                events.push(FlowEvent { hart: 0, kind, len: 0, count, pc, target, cycle });
                count = 0;
            }
            first = false;
            count += 1;
            if let Some(e) = beat.step.event {
                events.push(FlowEvent { hart: 0, count, cycle: beat.clock, ..e });
                count = 0;
            }
            header_repeated(&mut core_trace, beat.clock + to_resync);
            let full = full_at.get(beat.clock as usize + 1) == Some(&true);
            if hides {
                // its count is added where the events are, or after them
                core_trace.hide(std::mem::take(&mut count) + events.iter().map(|e| e.count).sum::<u32>() - 1);
            } else if !core_trace.offer(&events, full, &mut due) {
                continue;
            }
            self.take(&mut got, &due)?;
            due.clear();
            let (clock, entry) = got.next().ok_or("no overflow entry")?;
            let at = clock - to_decision - G::TO_ENTRY;
            core_trace.count_retired(std::mem::take(&mut count));
            while beats.get(i).is_some_and(|b| b.clock <= at) {
                core_trace.count_retired(1);
                i += 1;
            }
            header_repeated(&mut core_trace, at + to_resync);
            core_trace.overflow(at, &mut due);
            let mine = G::messages(&entry, &self.params);
            if mine != due {
                return Err(format!("overflow {mine:x?}, golden says {due:x?}"));
            }
            self.overflows += 1;
            if hides && stretch.1 > 2 * to_decision + 8 {
                let lost = mine.iter().find_map(G::lost).ok_or("nothing is lost")?;
                self.hidden.push((stretch.0, lost));
            }
            self.messages.append(&mut due);
            first = true;
        }
        self.stops_in_gaps += usize::from(self.messages.last().is_some_and(|m| G::lost(m).is_some()));
        core_trace.count_retired(count);
        header_repeated(&mut core_trace, u64::MAX);
        core_trace.stop(stopped, &mut due);
        self.take(&mut got, &due)?;
        match got.next() {
            None => Ok(self.messages.len()),
            Some(e) => Err(format!("an entry too many: {e:x?}")),
        }
    }

    /// Takes as many entries as `due` needs, and compares their messages.
    fn take(&mut self, got: &mut impl Iterator<Item = (u64, Entry)>, due: &[Message<G::Body>]) -> Result<(), String> {
        let mut mine = Vec::new();
        while mine.len() < due.len() {
            let Some((_, e)) = got.next() else { break };
            mine.extend(G::messages(&e, &self.params));
        }
        for (k, (a, b)) in mine.iter().zip(due).enumerate() {
            if a != b {
                return Err(format!("message {}: {a:x?}, golden says {b:x?}", self.messages.len() + k));
            }
        }
        if mine.len() != due.len() {
            return Err(format!("{} messages, golden says {}", mine.len(), due.len()));
        }
        self.messages.extend(mine);
        Ok(())
    }
}
