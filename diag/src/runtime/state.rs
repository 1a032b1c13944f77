//! Machines, spans and logs on the host

use super::{key_of, Runtime};
use crate::app::{Consumer, Origin, Value};
use crate::layout::{LOGS, MACHINES, SPANS};
use sim::diag::node::Outbox;
use sim::diag::packet::{Args, Event};

/// Maximum number of open spans.
const MAX_OPEN: usize = 1 << 16;

/// Appends a number in one word, or in two.
fn push(args: &mut Args, number: u64, wide: bool) {
    args.push(number as u32);
    if wide {
        args.push((number >> 32) as u32);
    }
}

impl Runtime {
    /// Passes an event of a class to a machine on the host.
    pub(super) fn class(&mut self, m: usize, n: usize, event: &Event, time: u64) {
        if self.gaps != 0 && !self.machine_of_core(m) {
            return;
        }
        let def = &self.app.machines[m];
        let key = key_of(def.classes[n].1, event);
        let machine = if def.by_key {
            let begun = &self.machines[m];
            self.keyed_machines.entry((m, key)).or_insert_with(|| begun.clone())
        } else {
            &mut self.machines[m]
        };
        if let Some(report) = machine.take(n, key) {
            let wide = self.app.machines[m].is_wide();
            let [state, class, key, owner] = report;
            let mut args = Args::of(&[state as u32, class as u32]);
            [key, owner].into_iter().for_each(|of| push(&mut args, of, wide));
            self.other(&Event { id: MACHINES + m as u8, lost: 0, args, ..*event }, time);
        }
    }

    /// Passes the first or second event of a span on the host.
    pub(super) fn span(&mut self, s: usize, n: usize, event: &Event, time: u64) {
        let key = self.app.spans[s].keys[n];
        let open = &mut self.open[s];
        if self.gaps != 0 && key != Value::Core {
            return;
        }
        let key = key_of(Some(key), event);
        if n == 0 {
            if open.len() < MAX_OPEN || open.contains_key(&key) {
                open.insert(key, time);
            } else {
                self.lost += 1;
                self.losses.elsewhere += 1;
                self.losses.after(time, false);
            }
            return;
        }
        match open.get(&key).copied() {
            // events of two cores that overtook each other
            Some(since) if since > time => {
                self.lost += 1;
                self.losses.elsewhere += 1;
                self.losses.after(time, false);
            }
            Some(since) => {
                open.remove(&key);
                let mut args = Args::default();
                push(&mut args, key, self.app.spans[s].is_wide());
                args.push((time - since) as u32);
                self.other(&Event { id: SPANS + s as u8, lost: 0, args, ..*event }, time);
            }
            None => {}
        }
    }

    /// Passes an event, the n-th of the log's probes, to a log on the host.
    pub(super) fn log(&mut self, l: usize, n: usize, event: &Event, time: u64) {
        let mut out = Outbox::new();
        // the full time is known here
        let event = Event { time: Some(time as u32), ..*event };
        if self.app.logs[l].by_key {
            let (key, empty) = (key_of(self.app.logs[l].keys[n], &event), &self.logs[l]);
            self.keyed_logs.entry((l, key)).or_insert_with(|| empty.clone()).take(&event, &mut out);
        } else {
            self.logs[l].take(&event, &mut out);
        }
        self.dumped(l, out);
    }

    /// Handles the output of a log on the host.
    pub(super) fn dumped(&mut self, l: usize, out: Outbox) {
        for (_, e) in out {
            let time = self.near(&e);
            match usize::from(e.id) {
                id if id == usize::from(LOGS) + l => self.entry(l, self.app.logs[l].keys.len() - 1, &e, time),
                u => match self.app.uses[u].consumer {
                    Consumer::Log(_, n) => self.entry(l, n, &e, time),
                    Consumer::Clause(_) | Consumer::Class(..) | Consumer::Span(..) => {}
                },
            }
        }
    }

    /// Handles the trigger of a log on the chip.
    pub(super) fn logged(&mut self, l: usize, event: &Event, time: u64) {
        let trigger = self.app.logs[l].trigger;
        self.entry(l, self.app.logs[l].keys.len() - 1, event, time);
        if let Origin::Machine(m) = trigger {
            self.tally.reports[m] += 1;
            self.derived(trigger, event, time);
        }
    }

    /// Handles an event that a log kept.
    pub(super) fn entry(&mut self, l: usize, n: usize, event: &Event, time: u64) {
        let key = key_of(self.app.logs[l].keys[n], event);
        let mut args = Args::of(&[n as u32]);
        push(&mut args, key, self.app.logs[l].is_wide());
        self.derived(Origin::Log(l), &Event { args, ..*event }, time);
    }

    /// Flushes frozen logs on the host.
    pub(super) fn flush_logs(&mut self) {
        for l in 0..self.logs.len() {
            let mut out = Outbox::new();
            self.logs[l].flush(&mut out);
            for (_, log) in self.keyed_logs.range_mut((l, 0)..=(l, u64::MAX)) {
                log.flush(&mut out);
            }
            self.dumped(l, out);
        }
    }
}
