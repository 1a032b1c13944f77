//! The runtime on the host: clauses, maps, and all nodes that are not on the chip
//!
//! Where the order of events matters ([`crate::order`]), events wait in a window and are taken in the order of (time,
//! core, place in the script); otherwise in the order of their arrival. The output of a script depends only on that
//! order, so it is the same for every cut.

mod clocks;
mod doubt;
mod state;
mod statements;

use crate::app::{App, Clause, Consumer, Kind, Origin, Stmt, Value};
use crate::buckets::bucket;
use crate::layout::{log_rule, only_sum, table, Cut, Layout, FILTERED, LOGS, LOG_DEPTH, MACHINES, MAPS, SPANS};
use crate::losses::{Losses, Unreported};
use crate::monitor::Monitor;
use crate::order::{parts, unassured, Part, Unassured};
pub use crate::output::{Key, Mark, Output, Sum, TextPart};
use crate::share::Share;
use crate::syntax::Summary;
use crate::window::{Key as Place, Window};
use sim::diag::chip::FIRST_NODE;
use sim::diag::node::log::Log;
use sim::diag::node::{histogram, Target};
use sim::diag::packet::{Event, HOST};
use std::collections::BTreeMap;

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
    machines: Vec<Monitor>,
    /// Begin of each open span, by span and key.
    open: Vec<BTreeMap<u64, u64>>,
    logs: Vec<Log>,
    /// Machines and logs with one instance per key, by number and key.
    keyed_machines: BTreeMap<(usize, u64), Monitor>,
    keyed_logs: BTreeMap<(usize, u64), Log>,
    /// Cycle of the last event.
    time: u64,
    /// Number of ticks.
    ticks: u64,
    /// Cycle in which the script ended itself.
    exited: Option<u64>,
    /// Outputs, and what each is of.
    outputs: Vec<(Output, Provenance)>,
    waiting: Window<(Item, u64)>,
    /// Cycle of the last tick that arrived, from which on events without a time count.
    ticked: u64,
    /// Ticks are made at the times of events, and the next one is at this time, once the first has arrived.
    timed: bool,
    next_tick: Option<u64>,
    losses: Losses,
    /// Maps that lack none of the lost events that yielded.
    counted: Vec<bool>,
    /// Uses whose events do not yield to others.
    counted_uses: Vec<bool>,
    /// Cores of which events may be missing at the current time.
    gaps: u16,
    /// Results whose order is not assured, and those that came after a later one.
    unassured: Vec<Unassured>,
    late: u64,
    /// What depends on the order of events of cores with separate clocks.
    parts: Vec<Part>,
    /// Lost events, as reported in events.
    pub lost: u64,
    /// Events with an unassigned identifier, from damaged data.
    pub unknown: u64,
    tally: Tally,
}

/// What an output is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Provenance {
    /// A text of a clause.
    Clause(usize),
    /// A table of a map.
    Map(usize),
}

/// Something that waits for its place in the order.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// An event of a use.
    Use(usize, Event),
    /// Any other event.
    Other(Event),
    /// A tick.
    Tick,
    /// From here on events of a core may be missing.
    Gap(u8),
    /// No events of a core are missing any more.
    Known(u8),
}

/// Ranks of items in a cycle: a tick is before the events of its cycle.
const TICK: u8 = 0;
/// Rank of an event without a time: it is after the tick that arrived last.
const UNTIMED: u8 = 1;
/// Rank of an event.
const TIMED: u8 = 2;
/// Rank of the begin of a gap: it is after the events of its cycle.
const GAP: u8 = 3;
/// Rank of the end of a gap that begins and ends in one cycle.
const KNOWN: u8 = 4;

/// The event of a clause.
struct Context<'a> {
    clause: usize,
    event: &'a Event,
    core: Option<u8>,
    time: u64,
    scratch: Vec<i64>,
}

impl Runtime {
    /// Creates the runtime for an application and its layout.
    pub fn new(app: &App, layout: &Layout) -> Self {
        let runtime = Self::with(app, &layout.cut, &layout.counters, &layout.shares);
        // a tick that flushes a node has to wait for what the node sends
        let timed = runtime.timed && layout.flushed.is_empty();
        let counted = (0..app.maps.len()).map(|m| layout.counts(app, m)).collect();
        let counted_uses = (0..app.uses.len()).map(|u| layout.counts_use(u)).collect();
        Self { timed, counted, counted_uses, ..runtime }
    }

    /// Creates a runtime that does everything but the triggers of a layout.
    pub fn host(app: &App, layout: &Layout) -> Self {
        Self::with(app, &Cut::host(app), &vec![None; app.maps.len()], &layout.shares)
    }

    fn with(app: &App, cut: &Cut, counters: &[Option<(u8, bool)>], shares: &[Share]) -> Self {
        let unshared = Share::unshared(app);
        let machine = |m: usize| Monitor::new(table(app, m, Target { dest: HOST, id: MACHINES + m as u8 }, &unshared));
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
            open: vec![BTreeMap::new(); app.spans.len()],
            logs: (0..app.logs.len()).map(log).collect(),
            keyed_machines: BTreeMap::new(),
            keyed_logs: BTreeMap::new(),
            time: 0,
            ticks: 0,
            exited: None,
            outputs: Vec::new(),
            waiting: Window::new(app.order.window),
            ticked: 0,
            timed: app.order.window > 0,
            next_tick: None,
            losses: Losses::default(),
            counted: vec![false; app.maps.len()],
            counted_uses: Vec::new(),
            gaps: 0,
            unassured: unassured(app, cut),
            late: 0,
            parts: if app.order.clocked > 0 { parts(app) } else { Vec::new() },
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
        let outputs = std::mem::take(&mut self.outputs);
        outputs.into_iter().map(|(output, of)| self.marked(output, of)).collect()
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

    /// Takes an event that arrived from the generator of its core.
    pub fn take(&mut self, event: &Event) {
        self.take_from(event.core, event);
    }

    /// Takes an event that arrived from an address: a generator has that of its core.
    pub fn take_from(&mut self, src: u8, event: &Event) {
        let time = self.near(event);
        self.time = self.time.max(time);
        if event.time.is_some() {
            self.ticks_to(time);
        }
        self.lost += u64::from(event.lost);
        if src < FIRST_NODE {
            let lost = Unreported { events: event.lost.into(), yielded: event.yielded };
            self.follow(src & 15, lost, event.time.map(|_| time));
        } else if event.lost > 0 {
            self.losses.elsewhere += u64::from(event.lost);
            self.losses.yielded += if event.yielded { event.lost.into() } else { 0 };
            self.overrun(event.lost.into(), 0);
            self.lose_somewhere(Some(0), event.yielded);
        }
        if event.id < FILTERED {
            let mut known = false;
            for u in 0..self.shares.len() {
                if self.shares[u].event == event.id {
                    known = true;
                    let args = self.shares[u].args(event);
                    self.place(Item::Use(u, Event { id: u as u8, args, ..*event }), event, u, time);
                }
            }
            self.unknown += u64::from(!known);
        } else if let Some(place) = self.place_of(event) {
            self.place(Item::Other(*event), event, place, time);
        } else {
            self.unknown += 1;
        }
        self.release(false);
    }

    /// Place in the script of an event that is not of a use: that of the use that caused it. `None`: nothing has its
    /// identifier.
    fn place_of(&self, event: &Event) -> Option<usize> {
        let (app, id) = (&self.app, event.id);
        let of = |consumer: Consumer| app.uses.iter().position(|u| u.consumer == consumer).unwrap_or(0);
        let n = |first: u8| usize::from(id - first);
        match id {
            _ if id < MAPS => match app.clauses.get(n(FILTERED))?.origin {
                Origin::Slot(u) => Some(u),
                Origin::Begin | Origin::Machine(_) | Origin::Span(_) | Origin::Log(_) | Origin::Tick | Origin::End => {
                    None
                }
            },
            _ if id < MACHINES => app.maps.get(n(MAPS)).map(|_| 0),
            _ if id < SPANS => {
                app.machines.get(n(MACHINES))?;
                let class = event.args.get(1).copied().unwrap_or(0) as usize;
                Some(of(Consumer::Class(n(MACHINES), class)))
            }
            _ if id < LOGS => app.spans.get(n(SPANS)).map(|_| of(Consumer::Span(n(SPANS), 1))),
            _ => app.logs.get(n(LOGS)).map(|_| 0),
        }
    }

    /// Puts an item at its place in the order, or handles it at once.
    fn place(&mut self, item: Item, event: &Event, place: usize, time: u64) {
        if !self.waiting.is_used() {
            return self.handle(item, time);
        }
        // what a log on the chip sends is older than its trigger
        let logged = match item {
            Item::Use(u, _) => matches!(self.app.uses[u].consumer, Consumer::Log(l, _) if self.cut.logs[l]),
            Item::Other(e) => e.id >= LOGS,
            Item::Tick | Item::Gap(_) | Item::Known(_) => false,
        };
        if event.time.is_some() && !logged {
            let key = Place { time, rank: TIMED, core: event.core, place: 1 + place as u8 };
            self.late += u64::from(key < self.waiting.released());
            self.waiting.push(key, (item, time));
        } else {
            self.waiting.push(Place { time: self.ticked, rank: UNTIMED, ..Place::default() }, (item, time));
        }
    }

    /// Handles what need not wait any more.
    fn release(&mut self, all: bool) {
        while let Some((item, time)) = self.waiting.pop(all) {
            self.compare_clocks();
            self.handle(item, time);
        }
    }

    fn handle(&mut self, item: Item, time: u64) {
        match item {
            Item::Use(u, event) => self.slot(u, &event, time),
            Item::Other(event) => self.other(&event, time),
            Item::Tick => {
                self.flush_logs();
                self.ticks += 1;
                self.derived(Origin::Tick, &Event::default(), time);
            }
            Item::Gap(core) => {
                self.gaps |= 1 << core;
                self.forget(core);
            }
            Item::Known(core) => self.gaps &= !(1 << core),
        }
    }

    /// Handles an event that is not of a use.
    fn other(&mut self, event: &Event, time: u64) {
        match event.id {
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
                self.tally.reports[machine] += 1;
                let m = Origin::Machine(machine);
                if let Some(l) = (0..self.logs.len()).find(|l| self.app.logs[*l].trigger == m) {
                    self.log(l, self.app.logs[l].keys.len() - 1, event, time);
                }
                self.derived(m, event, time);
            }
            id if id >= LOGS => self.logged(usize::from(id - LOGS), event, time),
            id => {
                let span = usize::from(id - SPANS);
                self.tally.spans[span] += 1;
                self.derived(Origin::Span(span), event, time);
            }
        }
    }

    fn slot(&mut self, u: usize, event: &Event, time: u64) {
        let Some(site) = self.app.uses.get(u) else { return };
        let consumer = site.consumer;
        self.tally.uses[u] += 1;
        if site.selection.as_ref().is_some_and(|selection| {
            self.eval(selection, &Context { clause: 0, event, core: None, time, scratch: Vec::new() }) == 0
        }) {
            return;
        }
        match consumer {
            Consumer::Clause(c) => self.clause(c, event, time),
            Consumer::Class(m, n) => self.class(m, n, event, time),
            Consumer::Span(s, n) => self.span(s, n, event, time),
            Consumer::Log(l, n) if self.cut.logs[l] => self.entry(l, n, event, time),
            Consumer::Log(l, n) => self.log(l, n, event, time),
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
        let mut cx = Context { clause: c, event, core, time, scratch: vec![0; clause.scratch] };
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
        self.tick_after(time, 0);
    }

    /// As [`Runtime::tick`], after this number of ticks that were not sent.
    pub fn tick_after(&mut self, time: u64, unsent: u16) {
        self.time = self.time.max(time);
        if self.timed {
            let period = u64::from(self.app.tick.unwrap_or(0));
            let first = time.saturating_sub(period * u64::from(unsent));
            self.next_tick.get_or_insert(first);
            return self.ticks_to(time);
        }
        if unsent > 0 {
            self.lost += u64::from(unsent);
            self.losses.elsewhere += u64::from(unsent);
            self.losses.after(self.ticked, false);
        }
        self.put_tick(time);
    }

    /// Puts the ticks up to a time at their places.
    fn ticks_to(&mut self, time: u64) {
        let period = u64::from(self.app.tick.unwrap_or(0)).max(1);
        while let Some(next) = self.next_tick.filter(|next| *next <= time) {
            self.next_tick = Some(next + period);
            self.put_tick(next);
        }
    }

    fn put_tick(&mut self, time: u64) {
        self.ticked = time;
        if self.waiting.is_used() {
            self.waiting.push(Place { time, rank: TICK, ..Place::default() }, (Item::Tick, time));
            self.release(false);
        } else {
            self.handle(Item::Tick, time);
        }
    }

    /// Runs the end: its clauses, then prints all maps that no statement prints.
    pub fn end(&mut self, time: u64) {
        self.time = self.time.max(time);
        self.ticks_to(time);
        self.release(true);
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
        let mark = Mark::default();
        let table = Output::Table { map: map.name.clone(), summary, time, rows, rest, mark };
        self.outputs.push((table, Provenance::Map(m)));
    }

    /// The cut of the layout.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }
}

/// An argument of an event; 0 if it has none.
fn arg(event: &Event, n: u8) -> u32 {
    event.args.get(usize::from(n)).copied().unwrap_or(0)
}

/// A number of 64 bits in two arguments.
fn wide(event: &Event, low: u8, high: u8) -> u64 {
    u64::from(arg(event, low)) | u64::from(arg(event, high)) << 32
}

/// The key of an event.
fn key_of(key: Option<Value>, event: &Event) -> u64 {
    match key {
        Some(Value::Arg(a)) => arg(event, a).into(),
        Some(Value::Wide(low, high)) => wide(event, low, high),
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
