//! A cut of an application between chip and host, and the settings of triggers and nodes that implement it
//!
//! # Identifiers of events
//! | identifier | event |
//! | ---: | --- |
//! | 0 to 63 | of a trigger slot, unfiltered: the number of the first use that shares it |
//! | 64 to 127 | of a clause, after a filter |
//! | 128 to 159 | of a map: flushed by a table |
//! | 160 to 175 | of a machine: a report |
//! | 176 to 191 | of a span: a pair |
//! | 192 to 207 | of a log: the event that triggered it |
//! | 255 | of the tick |

mod counted;
mod refused;
mod terms;

use refused::{keyed, narrow, unshared};
pub use terms::chip_terms;
use terms::field;

use crate::app::{App, Clause, Consumer, Expr, MachineDef, Origin, Stmt, Value};
use crate::share::{groups, traced, Destination, Group, Share};
use crate::syntax::Summary;
use sim::diag::chip::{FIRST_NODE, TICK_EVENT};
use sim::diag::node::filter::{Rule, Term};
use sim::diag::node::machine::{Class, Step, Table};
use sim::diag::node::{aggregate, count, histogram, log, pair, tick, trace, Field, Node, NodeKind, Target};
use sim::diag::packet::HOST;
use sim::diag::trigger::Slot;

/// First identifier of clauses after filters.
pub const FILTERED: u8 = 64;
/// First identifier of maps.
pub const MAPS: u8 = 128;
/// First identifier of machines.
pub const MACHINES: u8 = 160;
/// First identifier of spans.
pub const SPANS: u8 = 176;
/// First identifier of logs.
pub const LOGS: u8 = 192;
/// Maximum number of uses of probes.
pub const MAX_USES: usize = 64;
/// Maximum number of clauses.
pub const MAX_CLAUSES: usize = 64;
/// Maximum number of maps.
pub const MAX_MAPS: usize = 32;
/// Maximum number of machines.
pub const MAX_MACHINES: usize = 16;
/// Maximum number of spans.
pub const MAX_SPANS: usize = 16;
/// Maximum number of logs.
pub const MAX_LOGS: usize = 16;
/// Depth of a log, in events.
pub const LOG_DEPTH: u16 = 32;

/// The parts of an application that run on the chip.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cut {
    /// Predicates, by clause: the terms that a filter supports.
    pub filters: Vec<bool>,
    /// Tables, by map.
    pub maps: Vec<bool>,
    /// State machines.
    pub machines: Vec<bool>,
    /// Spans.
    pub spans: Vec<bool>,
    /// Logs.
    pub logs: Vec<bool>,
}

impl Cut {
    /// Only the triggers are on the chip.
    pub fn host(app: &App) -> Self {
        Self {
            filters: vec![false; app.clauses.len()],
            maps: vec![false; app.maps.len()],
            machines: vec![false; app.machines.len()],
            spans: vec![false; app.spans.len()],
            logs: vec![false; app.logs.len()],
        }
    }
}

/// Settings of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Rules {
    /// Rules of a filter.
    Filter(Vec<Rule>),
    /// Rules of counters.
    Count(Vec<count::Rule>),
    /// Rules of a pair.
    Pair(Vec<pair::Rule>),
    /// Rules of an aggregate.
    Aggregate(Vec<aggregate::Rule>),
    /// Rules of a histogram.
    Histogram(Vec<histogram::Rule>),
    /// Table of a machine.
    Machine(Option<Table>),
    /// Rule of a log.
    Log(Option<log::Rule>),
    /// Rule of a tick.
    Tick(Option<tick::Rule>),
    /// A processor, which runs a program instead of a script.
    Program,
}

impl Rules {
    /// Empty settings.
    fn of(kind: NodeKind) -> Self {
        match kind {
            NodeKind::Filter(_) => Self::Filter(Vec::new()),
            NodeKind::Count(_) => Self::Count(Vec::new()),
            NodeKind::Pair(_) => Self::Pair(Vec::new()),
            NodeKind::Aggregate(_) => Self::Aggregate(Vec::new()),
            NodeKind::Histogram(_) => Self::Histogram(Vec::new()),
            NodeKind::Machine(_) => Self::Machine(None),
            NodeKind::Log(_) => Self::Log(None),
            NodeKind::Tick(_) => Self::Tick(None),
            NodeKind::Processor(_) => Self::Program,
        }
    }
}

/// Settings of a chip for a cut.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Trigger slots, the same for every generator.
    pub slots: Vec<Slot>,
    /// Slot of each use.
    pub shares: Vec<Share>,
    /// Slots of generators on the host, which see the instructions in a trace of the cores.
    pub traced: Vec<Slot>,
    /// Nodes, with their settings applied.
    pub nodes: Vec<Node>,
    /// Settings, node by node.
    pub rules: Vec<Rules>,
    /// Name and node number of each map, clause, machine or span on the chip.
    pub places: Vec<(String, usize)>,
    /// Addresses of nodes with tables.
    pub flushed: Vec<u8>,
    /// First counter of maps in counter nodes, and whether there is one per core.
    pub counters: Vec<Option<(u8, bool)>>,
    /// The cut.
    pub cut: Cut,
    /// Width of the addresses in slots, bits.
    pub xlen: u8,
}

fn key_field(key: Option<Value>) -> Field {
    match key {
        Some(Value::Arg(n)) => Field::Arg(n),
        Some(Value::Core) => Field::Core,
        Some(Value::Time | Value::Wide(..)) | None => Field::Const(0),
    }
}

/// The sum, if the clause does nothing else.
pub(crate) fn only_sum(clause: &Clause) -> Option<(usize, &[Expr], &Expr)> {
    match clause.body.as_slice() {
        [Stmt::Sum(map, key, value)] => Some((*map, key, value)),
        _ => None,
    }
}

/// The table of a machine, for events with the identifiers of its slots.
pub fn table(app: &App, m: usize, to: Target, shares: &[Share]) -> Table {
    let def: &MachineDef = &app.machines[m];
    let class = |n: usize, key: Option<Value>| {
        let site = app.uses.iter().position(|u| u.consumer == Consumer::Class(m, n));
        let share = &shares[site.unwrap_or(0)];
        Class { event: share.event, key: share.field(key_field(key)) }
    };
    let classes: Vec<Class> = def.classes.iter().enumerate().map(|(n, c)| class(n, c.1)).collect();
    match &def.steps {
        None => Table::transaction(classes[0], classes[1], to),
        Some(steps) => {
            let step = |from: usize, next: Option<u8>| match next {
                Some(next) => [Step { next, own: false, report: false }; 2],
                None => [Step { next: if def.restarts { 0 } else { from as u8 }, own: false, report: true }; 2],
            };
            let row = |(from, row): (usize, &Vec<Option<u8>>)| row.iter().map(|n| step(from, *n)).collect();
            Table { classes, steps: steps.iter().enumerate().map(row).collect(), to, by_key: def.by_key }
        }
    }
}

/// The rule of a log, which sends to the host.
pub fn log_rule(app: &App, l: usize) -> log::Rule {
    let trigger = match app.logs[l].trigger {
        Origin::Machine(m) => MACHINES + m as u8,
        Origin::Slot(u) => u as u8,
        Origin::Span(_) | Origin::Log(_) | Origin::Begin | Origin::Tick | Origin::End => TICK_EVENT,
    };
    log::Rule { trigger, to: Target { dest: HOST, id: LOGS + l as u8 }, freezes: app.logs[l].freezes }
}

/// The rule of a span.
pub fn pair_rule(app: &App, s: usize, to: Target, shares: &[Share]) -> pair::Rule {
    let side = |n: usize| {
        let site = app.uses.iter().position(|u| u.consumer == Consumer::Span(s, n));
        let share = &shares[site.unwrap_or(0)];
        (share.event, share.field(key_field(Some(app.spans[s].keys[n]))))
    };
    pair::Rule { first: side(0), second: side(1), to }
}

struct Builder<'a> {
    app: &'a App,
    shares: &'a [Share],
    nodes: Vec<Node>,
    rules: Vec<Rules>,
    kinds: &'a [NodeKind],
    free_counters: Vec<u8>,
    places: Vec<(String, usize)>,
}

impl Builder<'_> {
    /// Puts something on the first node that takes it.
    fn put(&mut self, what: &str, set: impl FnMut(&mut Node) -> Option<Result<(), String>>) -> Result<usize, String> {
        self.put_among(what, &|_| true, set)
    }

    /// As [`Builder::put`], on a node whose rules so far are allowed.
    fn put_among(
        &mut self,
        what: &str,
        allowed: &dyn Fn(&Rules) -> bool,
        mut set: impl FnMut(&mut Node) -> Option<Result<(), String>>,
    ) -> Result<usize, String> {
        let mut why = "the chip has no node for it".to_string();
        let rules = &self.rules;
        for (n, node) in self.nodes.iter_mut().enumerate().filter(|(n, _)| allowed(&rules[*n])) {
            let mut tried = node.clone();
            match set(&mut tried) {
                None => {}
                Some(Ok(())) => {
                    *node = tried;
                    self.places.push((what.into(), n));
                    return Ok(n);
                }
                Some(Err(e)) => why = e,
            }
        }
        Err(why)
    }
}

/// Settings of a chip with these nodes for a cut, or the reason why there are none.
pub fn layout(app: &App, kinds: &[NodeKind], cut: &Cut) -> Result<Layout, String> {
    // the destination of events does not depend on which uses share a slot
    let (mut layout, destinations) = build(app, kinds, cut, &Share::unshared(app))?;
    let (groups, traced) = (groups(app, &destinations), traced(app));
    if groups.len() < app.uses.len() || app.uses.iter().any(|u| !u.also.is_empty()) {
        let shares = Share::of(app, &groups, &traced);
        layout = build(app, kinds, cut, &shares)?.0;
        layout.shares = shares;
    }
    let slots = |groups: &[Group]| groups.iter().flat_map(Group::slots).collect();
    (layout.slots, layout.traced) = (slots(&groups), slots(&traced));
    // what leaves the chip yields to what is counted there
    if layout.slots.iter().any(|s| layout.is_counted(s.dest)) {
        let yields: Vec<bool> = layout.slots.iter().map(|s| !layout.is_counted(s.dest)).collect();
        layout.slots.iter_mut().zip(yields).for_each(|(s, yields)| s.yields = yields);
    }
    Ok(layout)
}

/// As [`layout`], for slots shared as given; also returns the destination of each use's events.
fn build(app: &App, kinds: &[NodeKind], cut: &Cut, shares: &[Share]) -> Result<(Layout, Vec<Destination>), String> {
    let nodes = kinds.iter().map(|k| k.build()).collect();
    let rules = kinds.iter().map(|k| Rules::of(*k)).collect();
    let mut b = Builder { app, shares, nodes, rules, kinds, free_counters: vec![0; kinds.len()], places: Vec::new() };
    let mut counters = vec![None; app.maps.len()];
    let mut targets: Vec<Option<Target>> = vec![None; app.maps.len()];
    for m in 0..app.maps.len() {
        if cut.maps[m] {
            let (target, counter) = b.map(m, cut)?;
            (targets[m], counters[m]) = (Some(target), counter);
        }
    }
    let mut log_nodes = vec![None; app.logs.len()];
    for (l, place) in log_nodes.iter_mut().enumerate() {
        if cut.logs[l] {
            *place = Some(b.log(l, cut)?);
        }
    }
    // target of a machine's reports or a span's results: the table that they fill, or the host
    let derived = |origin: Origin, id: u8| -> Target {
        let taker = app.clauses.iter().find(|c| c.origin == origin).and_then(only_sum);
        let to = taker.and_then(|(m, ..)| targets[m].filter(|_| cut.maps[m]));
        Target { dest: to.map_or(HOST, |t| t.dest), id }
    };
    let mut machine_nodes = vec![None; app.machines.len()];
    for (m, place) in machine_nodes.iter_mut().enumerate() {
        if cut.machines[m] {
            let mut to = derived(Origin::Machine(m), MACHINES + m as u8);
            let logged = (0..app.logs.len()).find(|l| app.logs[*l].trigger == Origin::Machine(m));
            if let Some(n) = logged.and_then(|l| log_nodes[l]) {
                to.dest = FIRST_NODE + n as u8;
            }
            let name = format!("machine {}", app.machines[m].name);
            narrow(&name, app.machines[m].is_wide())?;
            unshared(app, &name, |c| matches!(c, Consumer::Class(o, _) if o == m))?;
            let table = table(app, m, to, shares);
            if app.machines[m].may_exceed_keys() {
                keyed(&name, &table)?;
                if let Some(l) = logged.filter(|l| cut.logs[*l]) {
                    let log = &app.logs[l].name;
                    return Err(format!("log {log} is on the chip, and violations of {name} come from the host, too"));
                }
            }
            let set = |n: &mut Node| match n {
                Node::Machine(n) => Some(n.set(table.clone()).map_err(|e| e.to_string())),
                _ => None,
            };
            let n = b.put(&name, set)?;
            b.rules[n] = Rules::Machine(Some(table));
            *place = Some(n);
        }
    }
    let mut span_nodes = vec![None; app.spans.len()];
    for (s, place) in span_nodes.iter_mut().enumerate() {
        if cut.spans[s] {
            narrow(&format!("span {}", app.spans[s].name), app.spans[s].is_wide())?;
            unshared(app, &format!("span {}", app.spans[s].name), |c| matches!(c, Consumer::Span(o, _) if o == s))?;
            // one rule for each destination
            let takers = app.clauses.iter().filter(|c| c.origin == Origin::Span(s));
            let map = |c: &Clause| only_sum(c).and_then(|(m, ..)| targets[m]).map_or(HOST, |t| t.dest);
            let mut dests: Vec<u8> = takers.map(map).collect();
            dests.sort_unstable();
            dests.dedup();
            if dests.is_empty() {
                dests.push(HOST);
            }
            let to = |dest: &u8| pair_rule(app, s, Target { dest: *dest, id: SPANS + s as u8 }, shares);
            let rules: Vec<pair::Rule> = dests.iter().map(to).collect();
            let set = |n: &mut Node| match n {
                Node::Pair(n) => Some(rules.iter().try_for_each(|r| n.add(*r).map_err(|e| e.to_string()))),
                _ => None,
            };
            let n = b.put(&format!("span {}", app.spans[s].name), set)?;
            if let Rules::Pair(all) = &mut b.rules[n] {
                all.extend(rules);
            }
            *place = Some(n);
        }
    }
    let mut destinations = Vec::new();
    for (u, site) in app.uses.iter().enumerate() {
        let at = |n: usize| FIRST_NODE + n as u8;
        let node = |node: Option<usize>| node.map_or(Destination::Host, |n| Destination::Node(at(n)));
        destinations.push(match site.consumer {
            Consumer::Class(m, _) => node(machine_nodes[m]),
            Consumer::Span(s, _) => node(span_nodes[s]),
            Consumer::Log(l, _) => log_nodes[l].map_or(Destination::Host, |n| Destination::Log(at(n))),
            Consumer::Clause(c) => {
                let table = only_sum(&app.clauses[c]).and_then(|(m, ..)| targets[m]);
                if cut.filters[c] {
                    unshared(app, "a filter", |o| o == site.consumer)?;
                    let terms = app.clauses[c].predicate.as_ref().and_then(chip_terms);
                    let (terms, any, _) = terms.ok_or("a filter cannot evaluate any term of this predicate")?;
                    let next = Target { dest: table.map_or(HOST, |t| t.dest), id: FILTERED + c as u8 };
                    let share = &shares[u];
                    let terms = terms.into_iter().map(|t| Term { field: share.field(t.field), ..t }).collect();
                    let rule = Rule { event: share.event, terms, any, one_in: 1, first: 0, to: next };
                    let set = |n: &mut Node| match n {
                        Node::Filter(n) => Some(n.add(rule.clone()).map_err(|e| e.to_string())),
                        _ => None,
                    };
                    // a filter that also sends to the host would have counts wait for the link
                    let alike = |rules: &Rules| match rules {
                        Rules::Filter(all) => all.iter().all(|r| (r.to.dest == HOST) == (next.dest == HOST)),
                        _ => false,
                    };
                    let name = format!("predicate of {}", site.name);
                    let n = b.put_among(&name, &alike, set).or_else(|_| b.put(&name, set))?;
                    if let Rules::Filter(rules) = &mut b.rules[n] {
                        rules.push(rule);
                    }
                    Destination::Filter(at(n))
                } else {
                    table.map_or(Destination::Host, |t| Destination::Node(t.dest))
                }
            }
        });
    }
    // a tick must come after the trace words that precede it
    let traces = app.tick.is_some() && app.uses.iter().any(|u| u.traced);
    let mut flushed: Vec<u8> = targets.iter().flatten().map(|t| t.dest).collect();
    let frozen = |l: &usize| app.logs[*l].freezes;
    flushed.extend((0..app.logs.len()).filter(frozen).filter_map(|l| Some(FIRST_NODE + log_nodes[l]? as u8)));
    flushed.extend(traces.then_some(trace::ADDRESS));
    flushed.sort_unstable();
    flushed.dedup();
    if let Some(period) = app.tick {
        let to = Target { dest: HOST, id: TICK_EVENT };
        let rule = tick::Rule { period, to, flushes: flushed.clone() };
        let set = |n: &mut Node| match n {
            Node::Tick(t) => Some(t.set(Some(rule.clone())).map_err(|e| e.to_string())),
            _ => None,
        };
        let n = b.put("tick", set).map_err(|e| format!("the script has a tick: {e}"))?;
        b.rules[n] = Rules::Tick(Some(rule));
    }
    let (shares, slots, cut, traced) = (shares.to_vec(), Vec::new(), cut.clone(), Vec::new());
    Ok((
        Layout {
            slots,
            shares,
            traced,
            nodes: b.nodes,
            rules: b.rules,
            places: b.places,
            flushed,
            counters,
            cut,
            xlen: app.xlen(),
        },
        destinations,
    ))
}

impl Builder<'_> {
    /// Puts a log on a node.
    fn log(&mut self, l: usize, cut: &Cut) -> Result<usize, String> {
        let def = &self.app.logs[l];
        let name = format!("log {}", def.name);
        if def.by_key {
            return Err(format!("{name} keeps events for each key, a node those of all"));
        }
        if let Origin::Machine(m) = def.trigger {
            if !cut.machines[m] {
                return Err(format!("the trigger of {name} is on the host"));
            }
            // a log that freezes is reported once
            if def.freezes && self.app.clauses.iter().any(|c| c.origin == def.trigger) {
                return Err(format!("{name} freezes, but a clause needs every violation"));
            }
        }
        unshared(self.app, &name, |c| matches!(c, Consumer::Log(o, _) if o == l))?;
        let rule = log_rule(self.app, l);
        let n = self.put(&name, |node| match node {
            Node::Log(n) if n.capacity() != usize::from(LOG_DEPTH) => {
                Some(Err(format!("the node has room for {} events, a script's log has {LOG_DEPTH}", n.capacity())))
            }
            Node::Log(n) if n.rule().is_some() => Some(Err("the node has a log".into())),
            Node::Log(n) => {
                n.set(rule);
                Some(Ok(()))
            }
            _ => None,
        })?;
        self.rules[n] = Rules::Log(Some(rule));
        Ok(n)
    }

    /// Puts a map's table on a node. Returns its target, and its counters.
    fn map(&mut self, m: usize, cut: &Cut) -> Result<(Target, Option<(u8, bool)>), String> {
        let map = &self.app.maps[m];
        let name = format!("@{}", map.name);
        let Some(summary) = map.summary else { return Err(format!("{name} keeps values; tables sum up")) };
        if matches!(summary, Summary::Lhist(_)) {
            return Err(format!("{name} has buckets of one size; a histogram node has those of hist()"));
        }
        if self.app.exits() {
            return Err(format!("exit() ends the script, and {name} would go on"));
        }
        if map.read {
            return Err(format!("{name} is read by an expression, which is on the host"));
        }
        // the event, key and value of every clause that fills it
        let mut rules: Vec<(u8, Field, Field)> = Vec::new();
        for (c, clause) in self.app.clauses.iter().enumerate() {
            // the host adds the values from the trace to those of the table
            let traced = matches!(clause.origin, Origin::Slot(u) if self.app.uses[u].traced);
            if traced && only_sum(clause).is_some() {
                continue;
            }
            let of = |s: &Stmt| matches!(s, Stmt::Sum(x, ..) | Stmt::Print(x, _) | Stmt::Clear(x) | Stmt::Delete(x, _) if *x == m);
            let uses = clause.statements().any(of);
            if !uses {
                continue;
            }
            if matches!(clause.origin, Origin::Begin | Origin::Tick | Origin::End)
                && !clause.statements().any(|s| matches!(s, Stmt::Sum(x, ..) | Stmt::Delete(x, _) if *x == m))
            {
                continue;
            }
            let (_, key, value) =
                only_sum(clause).ok_or_else(|| format!("{name} is used together with other things"))?;
            let key = match key {
                [] => Field::Const(0),
                [Expr::Value(Value::Wide(..))] => {
                    return narrow(&name, true).map(|()| (Target { dest: HOST, id: 0 }, None));
                }
                [k] => field(k).ok_or_else(|| format!("the key of {name} is reckoned"))?,
                _ => return Err(format!("{name} has more than one key")),
            };
            let value = field(value).ok_or_else(|| format!("the value of {name} is reckoned"))?;
            let alone = self.app.clauses.iter().filter(|o| o.origin == clause.origin).count() == 1;
            let event = match clause.origin {
                Origin::Slot(u) => match &clause.predicate {
                    None => self.shares[u].event,
                    Some(p) if cut.filters[c] && chip_terms(p).is_some_and(|t| t.2) => FILTERED + c as u8,
                    Some(_) => return Err(format!("the predicate before {name} is not all in a filter")),
                },
                Origin::Span(s) if cut.spans[s] && clause.predicate.is_none() => SPANS + s as u8,
                // reports have a single destination, and the log must see them
                o if self.app.logs.iter().any(|l| l.trigger == o) => {
                    return Err(format!("what fills {name} triggers a log"));
                }
                Origin::Machine(j) if cut.machines[j] && alone && clause.predicate.is_none() => MACHINES + j as u8,
                _ => return Err(format!("{name} is filled from what is on the host")),
            };
            let seen = |f: Field| match clause.origin {
                Origin::Slot(u) => self.shares[u].field(f),
                Origin::Machine(_) | Origin::Span(_) | Origin::Log(_) | Origin::Begin | Origin::Tick | Origin::End => f,
            };
            rules.push((event, seen(key), seen(value)));
        }
        if rules.is_empty() {
            return Err(format!("nothing on the chip fills {name}"));
        }
        let id = MAPS + m as u8;
        if summary == Summary::Count {
            let by_core = rules.iter().all(|r| r.1 == Field::Core);
            if by_core || rules.iter().all(|r| matches!(r.1, Field::Const(0))) {
                if let Some(found) = self.counters(&name, id, by_core, &rules) {
                    return Ok(found);
                }
            }
        }
        let to = Target { dest: HOST, id };
        let n = self.put(&name, |node| match node {
            Node::Aggregate(a) if !summary.is_histogram() => Some(rules.iter().try_for_each(|(event, key, value)| {
                let rule = aggregate::Rule { event: *event, key: *key, value: *value, to };
                a.add(rule).map_err(|e| e.to_string())
            })),
            Node::Histogram(h) if summary.is_histogram() => Some(rules.iter().try_for_each(|(event, key, value)| {
                let rule = histogram::Rule { event: *event, key: *key, value: *value, to };
                h.add(rule).map_err(|e| e.to_string())
            })),
            _ => None,
        });
        let n = n?;
        for (event, key, value) in rules {
            match &mut self.rules[n] {
                Rules::Aggregate(of) => of.push(aggregate::Rule { event, key, value, to }),
                Rules::Histogram(of) => of.push(histogram::Rule { event, key, value, to }),
                _ => {}
            }
        }
        Ok((Target { dest: FIRST_NODE + n as u8, id }, None))
    }

    /// Counters of a map, if a node has enough.
    fn counters(
        &mut self,
        name: &str,
        id: u8,
        by_core: bool,
        rules: &[(u8, Field, Field)],
    ) -> Option<(Target, Option<(u8, bool)>)> {
        let needed = if by_core { 16 } else { 1 };
        for (n, kind) in self.kinds.iter().enumerate() {
            let NodeKind::Count(capacity) = *kind else { continue };
            let first = self.free_counters[n];
            if u16::from(first) + needed > u16::from(capacity) {
                continue;
            }
            let Node::Count(node) = &mut self.nodes[n] else { continue };
            for (event, ..) in rules {
                let rule = count::Rule { event: *event, first, by_core, threshold: 0, to: Target { dest: HOST, id } };
                node.add(rule).ok()?;
                if let Rules::Count(of) = &mut self.rules[n] {
                    of.push(rule);
                }
            }
            self.free_counters[n] += needed as u8;
            self.places.push((name.into(), n));
            return Some((Target { dest: FIRST_NODE + n as u8, id }, Some((first, by_core))));
        }
        None
    }
}
