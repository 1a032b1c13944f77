//! What losses of events make unknown, and what is not assured about an output

use super::{Item, Output, Provenance, Runtime, GAP, KNOWN, TIMED};
use crate::app::{Clause, Origin, Value};
use crate::losses::{LossKind, LossLocation, Losses, Unreported};
use crate::order::{by_core, Unassured};
use crate::output::Mark;
use crate::points::uses_map;
use crate::window::Key;
use sim::diag::interface::UNKNOWN;

impl Runtime {
    /// An output with what is not assured about it.
    pub(super) fn marked(&self, mut output: Output, of: Provenance) -> Output {
        let time = match &output {
            Output::Text { time, .. } | Output::Table { time, .. } => *time,
        };
        let mut mark = match of {
            Provenance::Clause(c) => self.clause_mark(c, time, self.losses.first),
            Provenance::Map(m) => self.map_mark(m, time),
        };
        mark.unordered |= self.late > 0;
        *output.mark_mut() = mark;
        output
    }

    /// What is not assured about a text of a clause at a time, with losses from `first` on.
    fn clause_mark(&self, c: usize, time: u64, first: Option<u64>) -> Mark {
        let clause = &self.app.clauses[c];
        let since = |from: Option<u64>| from.is_some_and(|from| from <= time);
        let (lost, unnoticed, wrong) = (since(first), since(self.losses.unnoticed), since(self.losses.wrong));
        let reads = (0..self.app.maps.len()).any(|m| uses_map(clause, m).1);
        let on_chip = match clause.origin {
            Origin::Machine(m) => self.cut.machines[m],
            Origin::Span(s) => self.cut.spans[s],
            Origin::Log(l) => self.cut.logs[l],
            Origin::Slot(_) | Origin::Begin | Origin::Tick | Origin::End => false,
        };
        let at_event = !matches!(clause.origin, Origin::Begin | Origin::Tick | Origin::End);
        let derived = at_event && !matches!(clause.origin, Origin::Slot(_));
        Mark {
            incomplete: lost && reads && !at_event,
            doubtful: wrong || lost && at_event && (reads || on_chip) || unnoticed && derived,
            unordered: self.unassured.contains(&Unassured::Origin(clause.origin)),
        }
    }

    /// What is not assured about a table of a map at a time.
    fn map_mark(&self, m: usize, time: u64) -> Mark {
        let first = if self.counted[m] { self.losses.first_counted } else { self.losses.first };
        let lost = first.is_some_and(|from| from <= time);
        let mut mark = Mark { unordered: self.unassured.contains(&Unassured::Map(m)), ..Mark::default() };
        for (c, clause) in self.app.clauses.iter().enumerate().filter(|c| uses_map(c.1, m).0) {
            let of = self.clause_mark(c, time, first);
            mark.incomplete |= lost && !matches!(clause.origin, Origin::Begin | Origin::Tick | Origin::End);
            mark.doubtful |= of.doubtful;
            mark.unordered |= of.unordered;
        }
        mark
    }

    /// Where events were lost. Packets count events without their probes, so that of each probe, and for each map that
    /// events feed, at most all may be missing.
    pub fn loss_locations(&self) -> Vec<LossLocation> {
        let (mut locations, all) = (self.losses.locations(), self.losses.total());
        let of = |counted: bool| if counted { all - self.losses.yielded } else { all };
        let timed = |c: &Clause| matches!(c.origin, Origin::Begin | Origin::Tick | Origin::End);
        let fed = |m: &usize| self.app.clauses.iter().any(|c| !timed(c) && uses_map(c, *m).0);
        let maps = (0..self.app.maps.len()).filter(fed).map(|m| {
            let name = format!("@{}", self.app.maps[m].name);
            LossLocation { kind: LossKind::For, name, events: of(self.counted[m]) }
        });
        let probes = (0..self.app.uses.len()).filter(|u| !self.app.uses[*u].traced).map(|u| {
            let counted = self.counted_uses.get(u).is_some_and(|c| *c);
            LossLocation { kind: LossKind::Of, name: self.app.uses[u].name.clone(), events: of(counted) }
        });
        for new in maps.chain(probes).filter(|l| l.events > 0) {
            // several uses may have the name of one probe
            match locations.iter_mut().find(|l| (l.kind, &l.name) == (new.kind, &new.name)) {
                Some(known) => known.events = known.events.max(new.events),
                None => locations.push(new),
            }
        }
        locations
    }

    /// Losses so far.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Follows the events of a generator: the next one has this time, and events were lost since the one before.
    pub(super) fn follow(&mut self, core: u8, lost: Unreported, time: Option<u64>) {
        let n = usize::from(core);
        let before = self.losses.cores[n].last;
        self.losses.cores[n].lost += lost.events;
        if lost.events > 0 {
            self.losses.yielded += if lost.yielded { lost.events } else { 0 };
            self.losses.after(before, lost.yielded);
            self.overrun(lost.events, before);
            self.losses.cores[n].doubt = self.app.order.depth + 1;
        }
        if self.losses.cores[n].doubt > 0 {
            self.losses.cores[n].doubt -= 1;
            self.begin_gap(core);
        }
        let Some(time) = time else { return };
        if std::mem::take(&mut self.losses.cores[n].open) {
            // an event of the same cycle as the one before is in the gap itself
            let rank = if time > before { TIMED } else { KNOWN };
            self.waiting.push(Key { time, rank, core, place: 0 }, (Item::Known(core), time));
        }
        self.losses.cores[n].last = before.max(time);
        if self.losses.cores[n].doubt > 0 && self.waiting.is_used() {
            self.begin_gap(core);
        }
    }

    /// If the number of events that were lost after `time` is the mark of a full clock crossing, events may be wrong: values
    /// of registers and open calls are those before instructions that are missing.
    pub(super) fn overrun(&mut self, events: u64, time: u64) {
        if self.app.order.clocked > 0 && events >= UNKNOWN.into() {
            self.losses.wrong_after(time);
        }
    }

    /// From the last event of a core on, events may be missing.
    fn begin_gap(&mut self, core: u8) {
        let from = &mut self.losses.cores[usize::from(core)];
        if !self.waiting.is_used() {
            return self.forget(core);
        }
        if std::mem::replace(&mut from.open, true) {
            return;
        }
        let key = Key { time: from.last, rank: GAP, core, place: 0 };
        if key < self.waiting.released() {
            self.losses.unnoticed_after(key.time);
            self.handle(Item::Gap(core), key.time);
        } else {
            self.waiting.push(key, (Item::Gap(core), key.time));
        }
    }

    /// Events of unknown cores were lost; `unnoticed`: from this time on; `yielded`: all of them yielded to others.
    pub(super) fn lose_somewhere(&mut self, unnoticed: Option<u64>, yielded: bool) {
        let cores = if self.app.order.cores == 0 { self.losses.cores.len() } else { self.app.order.cores.into() };
        let last = self.losses.cores[..cores].iter().map(|c| c.last).min().unwrap_or(0);
        let from = unnoticed.map_or(last, |time| time.min(last));
        self.losses.after(from, yielded);
        if unnoticed.is_some() {
            self.losses.unnoticed_after(from);
        }
        for core in 0..cores {
            self.losses.cores[core].doubt = self.app.order.depth + 1;
            self.begin_gap(core as u8);
        }
    }

    /// Packets did not arrive since the last event.
    pub fn miss(&mut self, packets: u64) {
        if packets > 0 {
            self.losses.packets += packets;
            self.miss_the_rest();
        }
    }

    /// An unknown number of packets did not arrive since the last event.
    pub fn miss_the_rest(&mut self) {
        // a tick may be among them, before which nothing is known to be complete
        self.lose_somewhere(self.app.tick.map(|_| self.ticked), false);
    }

    /// At the end of a run: events that a core lost after its last one, or nodes since they last reported.
    pub fn lose_at_end(&mut self, core: Option<u8>, lost: Unreported) {
        let Unreported { events, yielded } = lost;
        self.losses.yielded += if yielded { events } else { 0 };
        match core {
            _ if events == 0 => {}
            Some(core) => {
                let from = &mut self.losses.cores[usize::from(core)];
                from.lost += events;
                let last = from.last;
                self.losses.after(last, yielded);
                self.overrun(events, last);
                self.begin_gap(core);
            }
            None => {
                self.losses.elsewhere += events;
                self.overrun(events, 0);
                self.lose_somewhere(Some(0), yielded);
            }
        }
    }

    /// Events of a core may be missing: what depends on them is unknown.
    pub(super) fn forget(&mut self, core: u8) {
        for m in 0..self.machines.len() {
            if self.machine_of_core(m) {
                let begun = &self.machines[m];
                self.keyed_machines.entry((m, core.into())).or_insert_with(|| begun.clone()).forget();
            } else {
                self.machines[m].forget();
                self.keyed_machines.range_mut((m, 0)..=(m, u64::MAX)).for_each(|k| k.1.forget());
            }
        }
        for (s, open) in self.open.iter_mut().enumerate() {
            match self.app.spans[s].keys {
                [Value::Core, Value::Core] => drop(open.remove(&core.into())),
                _ => open.clear(),
            }
        }
    }

    /// Whether a machine has a state for each core.
    pub(super) fn machine_of_core(&self, m: usize) -> bool {
        let def = &self.app.machines[m];
        def.by_key && by_core(def.classes.iter().map(|c| &c.1))
    }
}
