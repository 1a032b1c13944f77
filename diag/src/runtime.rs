//! The runtime on the host: clauses, maps, and all nodes that are not on the chip
//!
//! Takes events in the order of their arrival. The output of a script depends only on that order, so it is the same for
//! every cut.

use crate::app::{App, Clause, Consumer, Kind, Origin, Stmt, Value};
use crate::buckets::{bucket, Buckets};
use crate::format::Width;
use crate::layout::{
    log_rule, only_sum, pair_rule, table, Cut, Layout, FILTERED, LOGS, LOG_DEPTH, MACHINES, MAPS, SPANS,
};
use crate::share::Share;
use crate::syntax::Summary;
use sim::diag::node::log::Log;
use sim::diag::node::machine::Machine;
use sim::diag::node::pair::Pair;
use sim::diag::node::{histogram, Outbox, Target};
use sim::diag::packet::{Args, Event, HOST};
use std::collections::BTreeMap;

mod statements;

/// Summary of the values of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Number of values.
    pub count: u64,
    /// Sum of the values; for a map that stores values, the value.
    pub sum: i128,
    /// Least value.
    pub minimum: i64,
    /// Greatest value.
    pub maximum: i64,
    /// Number of values by bucket.
    pub buckets: Buckets,
}

/// An output of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Text of a `printf`, with the core and cycle of its event.
    Text {
        /// Core, if the event has one.
        core: Option<u8>,
        /// Cycle.
        time: u64,
        /// Text, values and symbols.
        parts: Vec<TextPart>,
    },
    /// Rows of a map.
    Table {
        /// Its name.
        map: String,
        /// Its summary.
        summary: Option<Summary>,
        /// Cycle.
        time: u64,
        /// Keys with their summaries.
        rows: Vec<(Vec<Key>, Sum)>,
        /// Number of omitted keys, and of their values.
        rest: (usize, u64),
    },
}

/// A part of the key of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// Literal text.
    Text(String),
    /// A number.
    Number(i64),
    /// A number, in hexadecimal.
    Hex(i64),
    /// The symbol at a number.
    Symbol(i64),
    /// A part, filled to a width.
    Wide(Box<TextPart>, Width),
}

/// Event counts, for the planner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Events of each use.
    pub uses: Vec<u64>,
    /// Events that pass the filter of each clause.
    pub passed: Vec<u64>,
    /// Reports of each machine.
    pub reports: Vec<u64>,
    /// Results of each span.
    pub spans: Vec<u64>,
}

/// The runtime of an application on the host.
#[derive(Clone, Debug)]
pub struct Runtime {
    app: App,
    cut: Cut,
    shares: Vec<Share>,
    counters: Vec<Option<(u8, bool)>>,
    maps: Vec<BTreeMap<Vec<i64>, Sum>>,
    machines: Vec<Machine>,
    pairs: Vec<Pair>,
    logs: Vec<Log>,
    /// Machines and logs with one instance per key, by number and key.
    keyed_machines: BTreeMap<(usize, u32), Machine>,
    keyed_logs: BTreeMap<(usize, u32), Log>,
    /// Cycle of the last event.
    time: u64,
    /// Number of ticks.
    ticks: u64,
    /// Cycle in which the script ended itself.
    exited: Option<u64>,
    outputs: Vec<Output>,
    /// Lost events, as reported in events.
    pub lost: u64,
    /// Events with an unassigned identifier, from damaged data.
    pub unknown: u64,
    tally: Tally,
}

/// The event of a clause.
struct Context<'a> {
    event: &'a Event,
    core: Option<u8>,
    time: u64,
    scratch: Vec<i64>,
}

impl Runtime {
    /// Creates the runtime for an application and its layout.
    pub fn new(app: &App, layout: &Layout) -> Self {
        Self::with(app, &layout.cut, &layout.counters, &layout.shares)
    }

    /// Creates a runtime that does everything but the triggers of a layout.
    pub fn host(app: &App, layout: &Layout) -> Self {
        Self::with(app, &Cut::host(app), &vec![None; app.maps.len()], &layout.shares)
    }

    fn with(app: &App, cut: &Cut, counters: &[Option<(u8, bool)>], shares: &[Share]) -> Self {
        let unshared = Share::unshared(app);
        let machine = |m: usize| {
            let mut machine = Machine::new(16);
            // its size was checked when the script was resolved
            let _ = machine.set(table(app, m, Target { dest: HOST, id: MACHINES + m as u8 }, &unshared));
            machine
        };
        let pair = |s: usize| {
            let mut pair = Pair::new(u8::MAX);
            let _ = pair.add(pair_rule(app, s, Target { dest: HOST, id: SPANS + s as u8 }, &unshared));
            pair
        };
        let log = |l: usize| {
            let mut log = Log::new(LOG_DEPTH);
            log.set(log_rule(app, l));
            log
        };
        let mut runtime = Self {
            cut: cut.clone(),
            shares: shares.to_vec(),
            counters: counters.to_vec(),
            maps: vec![BTreeMap::new(); app.maps.len()],
            machines: (0..app.machines.len()).map(machine).collect(),
            pairs: (0..app.spans.len()).map(pair).collect(),
            logs: (0..app.logs.len()).map(log).collect(),
            keyed_machines: BTreeMap::new(),
            keyed_logs: BTreeMap::new(),
            time: 0,
            ticks: 0,
            exited: None,
            outputs: Vec::new(),
            lost: 0,
            unknown: 0,
            tally: Tally {
                uses: vec![0; app.uses.len()],
                passed: vec![0; app.clauses.len()],
                reports: vec![0; app.machines.len()],
                spans: vec![0; app.spans.len()],
            },
            app: app.clone(),
        };
        runtime.derived(Origin::Begin, &Event::default(), 0);
        runtime
    }

    /// Takes the outputs since the last call.
    pub fn take_outputs(&mut self) -> Vec<Output> {
        std::mem::take(&mut self.outputs)
    }

    /// Event counts on the host.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Number of keys of each map.
    pub fn keys(&self) -> Vec<usize> {
        self.maps.iter().map(BTreeMap::len).collect()
    }

    /// Cycle of the last event.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Sets the upper bits of the time.
    pub fn set_time(&mut self, time: u64) {
        self.time = self.time.max(time);
    }

    /// The full time of an event: the value nearest to the current time.
    fn near(&self, event: &Event) -> u64 {
        event
            .time
            .map_or(self.time, |t| self.time.wrapping_add_signed(i64::from(t.wrapping_sub(self.time as u32) as i32)))
    }

    /// Takes an event that arrived.
    pub fn take(&mut self, event: &Event) {
        self.lost += u64::from(event.lost);
        let time = self.near(event);
        self.time = self.time.max(time);
        match event.id {
            id if id < FILTERED => {
                for u in 0..self.shares.len() {
                    if self.shares[u].event == id {
                        let args = self.shares[u].args(event);
                        self.slot(u, &Event { id: u as u8, args, ..*event }, time);
                    }
                }
            }
            id if id < MAPS => {
                let c = usize::from(id - FILTERED);
                if let Some(Origin::Slot(u)) = self.app.clauses.get(c).map(|c| c.origin) {
                    let args = self.shares[u].args(event);
                    self.clause(c, &Event { args, ..*event }, time);
                }
            }
            id if id < MACHINES => self.merge(usize::from(id - MAPS), event),
            id if id < SPANS => {
                let machine = usize::from(id - MACHINES);
                let Some(reports) = self.tally.reports.get_mut(machine) else { return self.unknown += 1 };
                *reports += 1;
                let m = Origin::Machine(machine);
                if let Some(l) = (0..self.logs.len()).find(|l| self.app.logs[*l].trigger == m) {
                    self.log(l, self.app.logs[l].keys.len() - 1, event, time);
                }
                self.derived(m, event, time);
            }
            id if id >= LOGS => self.logged(usize::from(id - LOGS), event, time),
            id => {
                let span = usize::from(id - SPANS);
                let Some(spans) = self.tally.spans.get_mut(span) else { return self.unknown += 1 };
                *spans += 1;
                self.derived(Origin::Span(span), event, time);
            }
        }
    }

    fn slot(&mut self, u: usize, event: &Event, time: u64) {
        let Some(site) = self.app.uses.get(u) else { return };
        let consumer = site.consumer;
        self.tally.uses[u] += 1;
        if site.selection.as_ref().is_some_and(|selection| {
            self.eval(selection, &Context { event, core: None, time, scratch: Vec::new() }) == 0
        }) {
            return;
        }
        let mut out = Outbox::new();
        match consumer {
            Consumer::Clause(c) => return self.clause(c, event, time),
            Consumer::Class(m, n) if self.app.machines[m].by_key => {
                let key = key_of(self.app.machines[m].classes[n].1, event);
                let begun = &self.machines[m];
                self.keyed_machines.entry((m, key)).or_insert_with(|| begun.clone()).take(event, &mut out);
            }
            Consumer::Class(m, _) => self.machines[m].take(event, &mut out),
            Consumer::Span(s, _) => self.pairs[s].take(event, &mut out),
            Consumer::Log(l, n) if self.cut.logs[l] => return self.entry(l, n, event, time),
            Consumer::Log(l, n) => return self.log(l, n, event, time),
        }
        for (_, e) in out {
            self.take(&Event { lost: e.lost, ..e });
        }
    }

    /// Passes an event, the n-th of the log's probes, to a log on the host.
    fn log(&mut self, l: usize, n: usize, event: &Event, time: u64) {
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
    fn dumped(&mut self, l: usize, out: Outbox) {
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
    fn logged(&mut self, l: usize, event: &Event, time: u64) {
        let Some(def) = self.app.logs.get(l) else { return self.unknown += 1 };
        let trigger = def.trigger;
        self.entry(l, self.app.logs[l].keys.len() - 1, event, time);
        if let Origin::Machine(m) = trigger {
            self.tally.reports[m] += 1;
            self.derived(trigger, event, time);
        }
    }

    /// Handles an event that a log kept.
    fn entry(&mut self, l: usize, n: usize, event: &Event, time: u64) {
        let key = key_of(self.app.logs[l].keys[n], event);
        self.derived(Origin::Log(l), &Event { args: Args::of(&[n as u32, key]), ..*event }, time);
    }

    /// Flushes frozen logs on the host.
    fn flush_logs(&mut self) {
        for l in 0..self.logs.len() {
            let mut out = Outbox::new();
            self.logs[l].flush(&mut out);
            for (_, log) in self.keyed_logs.range_mut((l, 0)..=(l, u32::MAX)) {
                log.flush(&mut out);
            }
            self.dumped(l, out);
        }
    }

    fn derived(&mut self, origin: Origin, event: &Event, time: u64) {
        for c in 0..self.app.clauses.len() {
            let clause = &self.app.clauses[c];
            // a span's result also goes to each table on the chip that it feeds
            let on_chip = matches!(origin, Origin::Span(_)) && only_sum(clause).is_some_and(|(m, ..)| self.cut.maps[m]);
            let due = origin != Origin::Tick || self.ticks % u64::from(clause.every) == 0;
            if clause.origin == origin && due && !on_chip {
                self.clause(c, event, time);
            }
        }
    }

    fn clause(&mut self, c: usize, event: &Event, time: u64) {
        let Some(clause) = self.app.clauses.get(c) else { return };
        if self.exited.is_some() && clause.origin != Origin::End {
            return;
        }
        let core = match clause.origin {
            Origin::Begin | Origin::Tick | Origin::End => None,
            Origin::Slot(_) | Origin::Machine(_) | Origin::Span(_) | Origin::Log(_) => Some(event.core),
        };
        let mut cx = Context { event, core, time, scratch: vec![0; clause.scratch] };
        if let Some(p) = &clause.predicate {
            if self.eval(p, &cx) == 0 {
                return;
            }
        }
        self.tally.passed[c] += 1;
        let body = self.app.clauses[c].body.clone();
        self.run(&body, &mut cx);
    }

    /// Runs the tick, once everything flushed before it has arrived.
    pub fn tick(&mut self, time: u64) {
        self.time = self.time.max(time);
        self.flush_logs();
        self.ticks += 1;
        self.derived(Origin::Tick, &Event::default(), time);
    }

    /// Runs the end: its clauses, then prints all maps that no statement prints.
    pub fn end(&mut self, time: u64) {
        self.time = self.time.max(time);
        self.flush_logs();
        let time = self.exited.unwrap_or(time);
        self.derived(Origin::End, &Event::default(), time);
        for m in 0..self.app.maps.len() {
            let printed = |s: &Stmt| matches!(s, Stmt::Print(x, _) if *x == m);
            let cleared = |s: &Stmt| matches!(s, Stmt::Clear(x) if *x == m);
            let any = |c: &Clause| c.statements().any(|s| printed(s) || c.origin == Origin::End && cleared(s));
            if !self.app.clauses.iter().any(any) {
                self.print(m, None, time);
            }
        }
    }

    fn add(&mut self, m: usize, key: Vec<i64>, value: i64) {
        let summary = self.app.maps[m].summary;
        let new = Sum { minimum: i64::MAX, maximum: i64::MIN, ..Sum::default() };
        let sum = self.maps[m].entry(key).or_insert(new);
        sum.count += 1;
        sum.sum += i128::from(value);
        sum.minimum = sum.minimum.min(value);
        sum.maximum = sum.maximum.max(value);
        if let Some(bucket) = bucket(summary, value) {
            *sum.buckets.entry(bucket).or_default() += 1;
        }
    }

    /// Merges rows that a table on the chip flushed.
    fn merge(&mut self, m: usize, event: &Event) {
        let Some(map) = self.app.maps.get(m) else { return self.unknown += 1 };
        let arg = |n: usize| event.args.get(n).copied().unwrap_or(0);
        let keyed = self
            .app
            .clauses
            .iter()
            .any(|c| matches!(c.body.as_slice(), [Stmt::Sum(x, k, _)] if *x == m && !k.is_empty()));
        let key = |k: u32| if keyed { vec![i64::from(k)] } else { vec![] };
        let new = || Sum { minimum: i64::MAX, maximum: i64::MIN, ..Sum::default() };
        if let Some((first, _)) = self.counters[m] {
            let sum = self.maps[m].entry(key(arg(0).wrapping_sub(first.into()))).or_insert_with(new);
            sum.count += u64::from(arg(1));
            (sum.minimum, sum.maximum) = (0, 0);
        } else if map.summary.is_some_and(Summary::is_histogram) {
            let sum = self.maps[m].entry(key(arg(0))).or_insert_with(new);
            sum.count += u64::from(arg(2));
            *sum.buckets.entry(histogram::least(arg(1) as u8).into()).or_default() += u64::from(arg(2));
        } else {
            let sum = self.maps[m].entry(key(arg(0))).or_insert_with(new);
            sum.count += u64::from(arg(1));
            sum.sum += i128::from(u64::from(arg(2)) | u64::from(arg(3)) << 32);
            sum.minimum = sum.minimum.min(arg(4).into());
            sum.maximum = sum.maximum.max(arg(5).into());
        }
    }

    fn print(&mut self, m: usize, rows: Option<usize>, time: u64) {
        let map = &self.app.maps[m];
        let summary = map.summary;
        let mut all: Vec<(Vec<i64>, Sum)> = self.maps[m].iter().map(|(k, s)| (k.clone(), s.clone())).collect();
        if summary.is_some_and(Summary::is_histogram) {
            // a histogram on the chip only has buckets
            for (_, s) in &mut all {
                (s.sum, s.minimum, s.maximum) = (0, 0, 0);
            }
        }
        let mut rest = (0, 0);
        if let Some(rows) = rows {
            all.sort_by_key(|(k, s)| (std::cmp::Reverse(weight(summary, s)), k.clone()));
            let left: Vec<_> = all.drain(rows.min(all.len())..).collect();
            rest = (left.len(), left.iter().map(|r| r.1.count).sum());
        }
        let key = |(n, k): (usize, i64)| match map.keys.get(n) {
            Some(Kind::Text) => Key::Text(self.app.texts.get(k as usize).cloned().unwrap_or_default()),
            _ => Key::Number(k),
        };
        let row = |(k, s): (Vec<i64>, Sum)| (k.into_iter().enumerate().map(key).collect(), s);
        let rows = all.into_iter().map(row).collect();
        self.outputs.push(Output::Table { map: map.name.clone(), summary, time, rows, rest });
    }

    /// The cut of the layout.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }
}

/// The key of an event.
fn key_of(key: Option<Value>, event: &Event) -> u32 {
    match key {
        Some(Value::Arg(a)) => event.args.get(usize::from(a)).copied().unwrap_or(0),
        Some(Value::Core) => event.core.into(),
        Some(Value::Time) | None => 0,
    }
}

/// The value of a summary, in expressions and for sorting rows.
fn weight(summary: Option<Summary>, s: &Sum) -> i128 {
    match summary {
        None | Some(Summary::Sum | Summary::Stats) => s.sum,
        Some(Summary::Count | Summary::Hist | Summary::Quantiles | Summary::Lhist(_)) => s.count.into(),
        Some(Summary::Avg) => s.sum / i128::from(s.count.max(1)),
        Some(Summary::Min) => s.minimum.into(),
        Some(Summary::Max) => s.maximum.into(),
    }
}
