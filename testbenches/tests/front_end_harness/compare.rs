//! Entries against the golden model

use super::bench::{Beat, Bench};
use super::golden::Golden;
use super::ingress::Ingress;
use hdl::spine::entry::Entry;
use retire::{FlowEvent, FlowKind};

impl<T: Ingress> Bench<T> {
    /// Holds `entries` to the golden model, run by run from sync to overflow or stop.
    pub(super) fn compare(
        &mut self,
        beats: &[Beat],
        entries: &[(u64, Entry)],
        full_at: &[bool],
        stopped: u64,
    ) -> Result<usize, String> {
        self.messages.clear();
        let to_decision = T::Golden::TO_DECISION;
        let mut got = entries.iter().copied().peekable();
        let mut time = 0;
        let mut i = 0;
        loop {
            let mut core = T::Golden::new(&self.params);
            // the first event of a run is a sync, whatever came before
            let mut due = Vec::new();
            let mut count = 0;
            let mut lost_at = None;
            let from = i;
            while let Some(beat) = beats.get(i) {
                let mut made = Vec::new();
                let (before, counted) = (core.clone(), count);
                let r = beat.step.retired;
                let event = |kind, target| FlowEvent {
                    hart: 0,
                    kind,
                    len: 0,
                    count,
                    pc: r.pc,
                    target,
                    cycle: beat.clock - time_base(from, time),
                };
                if i == from {
                    core.event(&FlowEvent { count: 0, ..event(FlowKind::Start, r.pc) }, &mut made);
                    count = 0;
                } else if let Some(t) = beat.step.before {
                    core.event(&event(t.kind, r.pc), &mut made);
                    count = 0;
                }
                count += 1;
                if let Some(e) = beat.step.event {
                    core.event(
                        &FlowEvent { hart: 0, count, cycle: beat.clock - time_base(from, time), ..e },
                        &mut made,
                    );
                    count = 0;
                }
                if !made.is_empty() && full_at.get((beat.clock + to_decision) as usize) == Some(&true) {
                    (core, count) = (before, counted);
                    lost_at = Some(i);
                    break;
                }
                due.extend(made);
                i += 1;
            }
            // the sequential instructions since the last event
            core.event(&rest(count), &mut due);
            if lost_at.is_none() {
                core.stop(stopped - time_base(from, time), &mut due);
            }
            let base = time_base(from, time);
            // the entries of this run, message by message
            let mut mine = Vec::new();
            while mine.len() < due.len() {
                let Some((_, e)) = got.next() else { break };
                mine.extend(T::Golden::messages(&e, &self.params));
            }
            for (k, (a, b)) in mine.iter().zip(&due).enumerate() {
                if a != b {
                    return Err(format!("message {}: {a:x?}, golden says {b:x?}", self.messages.len() + k));
                }
            }
            if mine.len() != due.len() {
                return Err(format!("{} messages, golden says {}", mine.len(), due.len()));
            }
            self.messages.extend(mine);
            let Some(dropped) = lost_at else {
                return match got.next() {
                    None => Ok(self.messages.len()),
                    Some(e) => Err(format!("an entry too many: {e:x?}")),
                };
            };
            // an overflow; its count says where the trace goes on
            let (clock, e) = got.next().ok_or("no overflow entry")?;
            let mine = T::Golden::messages(&e, &self.params);
            let Some(lost) = T::Golden::lost(&mine) else {
                return Err(format!("{e:x?}, an overflow is due"));
            };
            let at = clock - to_decision - 1;
            let mut due = Vec::new();
            core.overflow(at - base, lost, &mut due);
            if mine != due {
                return Err(format!("overflow {mine:x?}, golden says {due:x?}"));
            }
            time = at;
            self.overflows += 1;
            self.messages.extend(mine);
            i = dropped + lost as usize;
            if beats.get(i).is_some_and(|b| b.clock <= at) || i > 0 && beats[i - 1].clock > at {
                return Err(format!("lost = {lost}, which is not what retired before cycle {at}"));
            }
        }
    }
}

/// Cycle 0 of the golden model of a run that begins with beat `from`: after an overflow, that message's.
fn time_base(from: usize, time: u64) -> u64 {
    if from == 0 {
        0
    } else {
        time
    }
}

/// `count` sequential instructions at the end.
fn rest(count: u32) -> FlowEvent {
    FlowEvent { hart: 0, kind: FlowKind::Stop, len: 0, count, pc: 0, target: 0, cycle: 0 }
}
