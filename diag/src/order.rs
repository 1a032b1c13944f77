//! Order of events: which parts of a script depend on it, and how it is assured
//!
//! A core's events arrive in their order. Events of two cores, or of two paths from one core, arrive in the order in
//! which the ring serves its clients. Where the result depends on the order, events carry the time, and the host takes
//! them in the order of (time, core, place in the script). For that it holds back a bounded number of events
//! ([`window`]). Where a core has a separate clock, two events that are too close to be ordered mark what depends on
//! their order. On the chip events cannot be sorted, so that only state fed by one core is there, unless the user
//! allows other state; then its results are marked.

use crate::app::{App, Clause, Consumer, Origin, Stmt, Value};
use crate::layout::{chip_terms, Cut};
use crate::points::uses_map;
use sim::diag::chip::ChipParams;
use sim::diag::crossing::LATE;
use sim::diag::full::LOG_ENTRIES;
use sim::diag::link_queue::PACKETS;
use sim::diag::trigger::Trigger;
use std::collections::BTreeMap;

/// Treatment of the order of events by the host. The default: events are taken as they arrive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Producers of events: cores, and bus masters if their stores can be events; 0: the order is not considered.
    pub cores: u8,
    /// Maximum number of events that the host holds back to sort them; 0: nothing depends on the order.
    pub window: usize,
    /// Events that may be in one generator, by which a report of a loss may be early.
    pub depth: usize,
    /// State that depends on the order of cores may be on the chip.
    pub on_chip: bool,
    /// Cores with a separate clock, the first ones: their events may have been up to [`LATE`] cycles earlier than their
    /// time.
    pub clocked: u8,
}

/// Parts of an application that depend on the order of events of more than one producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependent {
    /// Uses whose events need the time.
    pub uses: Vec<bool>,
    /// Machines that several cores feed.
    pub machines: Vec<bool>,
    /// Spans that several cores feed.
    pub spans: Vec<bool>,
    /// Logs.
    pub logs: Vec<bool>,
    /// Maps.
    pub maps: Vec<bool>,
}

/// Results that depend on the order of the events of some uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The results.
    pub results: Vec<Unassured>,
    /// The uses.
    pub uses: Vec<bool>,
}

/// A result whose order is not assured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unassured {
    /// Everything that is derived from this.
    Origin(Origin),
    /// The values of a map, by time.
    Map(usize),
}

/// Whether all of these keys are the core.
pub(crate) fn by_core<'a>(mut keys: impl Iterator<Item = &'a Option<Value>>) -> bool {
    keys.all(|k| *k == Some(Value::Core))
}

/// Uses whose events reach an origin.
pub fn uses_of(app: &App, origin: Origin) -> Vec<usize> {
    let all = |takes: &dyn Fn(Consumer) -> bool| -> Vec<usize> {
        (0..app.uses.len()).filter(|u| takes(app.uses[*u].consumer)).collect()
    };
    match origin {
        Origin::Slot(u) => vec![u],
        Origin::Machine(m) => all(&|c| matches!(c, Consumer::Class(o, _) if o == m)),
        Origin::Span(s) => all(&|c| matches!(c, Consumer::Span(o, _) if o == s)),
        Origin::Log(l) => {
            let mut uses = all(&|c| matches!(c, Consumer::Log(o, _) if o == l));
            uses.extend(uses_of(app, app.logs[l].trigger));
            uses
        }
        Origin::Begin | Origin::Tick | Origin::End => Vec::new(),
    }
}

/// Whether the events of a clause may reach the host by another way than straight from a generator.
fn detours(clause: &Clause) -> bool {
    match clause.origin {
        Origin::Slot(_) => clause.predicate.as_ref().is_some_and(|p| chip_terms(p).is_some()),
        Origin::Machine(_) | Origin::Span(_) | Origin::Log(_) => true,
        Origin::Begin | Origin::Tick | Origin::End => false,
    }
}

/// Whether the order matters among these clauses.
fn matters(clauses: &[&Clause], several: bool) -> bool {
    let timed = clauses.iter().any(|c| c.origin == Origin::Tick);
    let events = clauses.iter().filter(|c| !matches!(c.origin, Origin::Begin | Origin::Tick | Origin::End)).count();
    events > 0 && (timed || several || events > 1 && clauses.iter().any(|c| detours(c)))
}

/// The clauses that use a map.
fn touching(app: &App, map: usize) -> Vec<&Clause> {
    app.clauses.iter().filter(|c| uses_map(c, map).0).collect()
}

/// The clauses that print texts before the end, and those at ticks.
fn texts(app: &App) -> Vec<&Clause> {
    let prints = |c: &&Clause| c.origin != Origin::End && c.statements().any(|s| matches!(s, Stmt::Printf(..)));
    app.clauses.iter().filter(|c| prints(c) || c.origin == Origin::Tick).collect()
}

/// Parts that depend on the order, with this number of cores.
pub fn dependent(app: &App, cores: u8) -> Dependent {
    let several = cores > 1;
    let machines: Vec<bool> =
        app.machines.iter().map(|m| several && !(m.by_key && by_core(m.classes.iter().map(|c| &c.1)))).collect();
    let spans: Vec<bool> = app.spans.iter().map(|s| several && s.keys != [Value::Core; 2]).collect();
    // a violation takes longer to a log than the events that it keeps
    let log = |l: &crate::app::LogDef| {
        let alone = l.by_key && by_core(l.keys.iter());
        several && !alone || matches!(l.trigger, Origin::Machine(_)) || l.freezes && app.tick.is_some()
    };
    let logs: Vec<bool> = app.logs.iter().map(log).collect();
    let mut uses = vec![false; app.uses.len()];
    let mut need = |origin: Origin| uses_of(app, origin).into_iter().for_each(|u| uses[u] = true);
    let mut maps = vec![false; app.maps.len()];
    for (m, depends) in maps.iter_mut().enumerate() {
        let ordered = |c: &Clause| c.origin != Origin::End && uses_map(c, m).1;
        let touching = touching(app, m);
        *depends = app.clauses.iter().any(ordered) && matters(&touching, several);
        if *depends {
            touching.iter().for_each(|c| need(c.origin));
        }
    }
    let texts = texts(app);
    if matters(&texts, several) {
        texts.iter().for_each(|c| need(c.origin));
    }
    let parts = [(&machines, Origin::Machine as fn(usize) -> Origin), (&spans, Origin::Span), (&logs, Origin::Log)];
    for (depends, origin) in parts {
        (0..depends.len()).filter(|n| depends[*n]).for_each(|n| need(origin(n)));
    }
    Dependent { uses, machines, spans, logs, maps }
}

/// Adds what depends on results: the maps that clauses change, and what clauses do that read a map.
fn follow(app: &App, results: &mut Vec<Unassured>) {
    let mut known = 0;
    while known < results.len() {
        known = results.len();
        for clause in &app.clauses {
            let maps = (0..app.maps.len()).map(|m| (Unassured::Map(m), uses_map(clause, m)));
            let (touched, read): (Vec<_>, Vec<_>) = maps.filter(|m| m.1 .0).map(|m| (m.0, m.1 .1)).unzip();
            let reads = touched.iter().zip(read).any(|(m, reads)| reads && results.contains(m));
            let origin = Unassured::Origin(clause.origin);
            if reads && !results.contains(&origin) {
                results.push(origin);
            }
            if results.contains(&origin) {
                let new: Vec<Unassured> = touched.into_iter().filter(|m| !results.contains(m)).collect();
                results.extend(new);
            }
        }
    }
}

/// The parts of an application that depend on the order of events, one by one.
pub fn parts(app: &App) -> Vec<Part> {
    let cores = app.order.cores;
    let depends = dependent(app, cores);
    let part = |origins: &[Origin], mut results: Vec<Unassured>| {
        follow(app, &mut results);
        let mut uses = vec![false; app.uses.len()];
        origins.iter().flat_map(|o| uses_of(app, *o)).for_each(|u| uses[u] = true);
        Part { results, uses }
    };
    let origins = |clauses: &[&Clause]| clauses.iter().map(|c| c.origin).collect::<Vec<_>>();
    let mut parts = Vec::new();
    let mut add = |depends: &[bool], origin: fn(usize) -> Origin| {
        let those = (0..depends.len()).filter(|n| depends[*n]).map(origin);
        parts.extend(those.map(|o| part(&[o], vec![Unassured::Origin(o)])));
    };
    add(&depends.machines, Origin::Machine);
    add(&depends.spans, Origin::Span);
    add(&depends.logs, Origin::Log);
    for m in (0..app.maps.len()).filter(|m| depends.maps[*m]) {
        parts.push(part(&origins(&touching(app, m)), vec![Unassured::Map(m)]));
    }
    let texts = texts(app);
    if matters(&texts, cores > 1) {
        let origins = origins(&texts);
        parts.push(part(&origins, origins.iter().map(|o| Unassured::Origin(*o)).collect()));
    }
    parts
}

/// Maximum number of events that one instruction makes.
fn hits(app: &App) -> usize {
    let mut at: BTreeMap<u64, usize> = BTreeMap::new();
    let mut others = 0;
    for trigger in app.uses.iter().flat_map(|u| u.triggers()) {
        match trigger {
            Trigger::Pc(pc) | Trigger::Entry { first: pc, .. } => *at.entry(pc).or_default() += 1,
            // an access may be a load and a store
            Trigger::Data { .. } => others += 2,
            Trigger::Return(_) | Trigger::ReturnFrom { .. } | Trigger::Trap { .. } | Trigger::TrapReturn => others += 1,
        }
    }
    at.values().max().copied().unwrap_or(0) + others
}

/// Events that may wait in one generator: those of the instructions in its queue, its FIFO, its link queue, and one on
/// the ring.
pub fn depth(app: &App, params: &ChipParams) -> usize {
    let instructions = LOG_ENTRIES.max(params.generator.queue.into());
    instructions * hits(app).max(1) + usize::from(params.generator.fifo) + PACKETS + 2
}

/// Whether stores of bus masters can be events.
fn watches_stores(app: &App) -> bool {
    let stores = |t: Trigger| matches!(t, Trigger::Data { stores: true, .. });
    app.uses.iter().any(|u| u.triggers().any(stores))
}

/// Clients of the ring that send to the host.
pub fn clients(params: &ChipParams) -> usize {
    usize::from(params.producers()) + params.nodes.len() + usize::from(params.trace)
}

/// Maximum number of events that overtake one: while it waits for those before it in its generator, each client has a
/// turn for each of them, and another one if the host refused it. If it yields, it has every second turn.
pub fn window(app: &App, params: &ChipParams) -> usize {
    turns(app) * clients(params) * depth(app, params)
}

/// Maximum number of events that each client may send before one of a generator. Only events of a script that may have
/// tables on the chip yield to others.
pub fn turns(app: &App) -> usize {
    if app.maps.iter().any(|m| m.summary.is_some()) {
        4
    } else {
        2
    }
}

/// Requires the order of time: gives each event whose order matters its time, and sets the size of the host's window.
pub fn require(app: &mut App, params: &ChipParams) {
    let cores = if watches_stores(app) { params.producers() } else { params.cores };
    let any = dependent(app, cores).uses.contains(&true);
    let clocked = params.clocked;
    // an event waits until those that may have been before it have arrived
    let late = if clocked > 0 { LATE as usize } else { 0 };
    let window = if any { window(app, params) + late } else { 0 };
    app.order = Order { cores, window, depth: depth(app, params), clocked, ..app.order };
    stamp(app);
}

/// Gives each event whose order matters its time. What comes from a trace has none.
pub fn stamp(app: &mut App) {
    let uses = dependent(app, app.order.cores).uses;
    for (u, depends) in app.uses.iter_mut().zip(uses) {
        u.stamped |= depends && !u.traced;
    }
}

/// Results of a cut whose order is not assured.
pub fn unassured(app: &App, cut: &Cut) -> Vec<Unassured> {
    if app.order.cores == 0 {
        return Vec::new();
    }
    let depends = dependent(app, app.order.cores);
    let traced = |origin: Origin| uses_of(app, origin).iter().any(|u| depends.uses[*u] && app.uses[*u].traced);
    let mut found = Vec::new();
    let mut add = |cut: &[bool], depends: &[bool], origin: fn(usize) -> Origin| {
        let open = |n: &usize| depends[*n] && (cut[*n] || traced(origin(*n)));
        found.extend((0..depends.len()).filter(open).map(|n| Unassured::Origin(origin(n))));
    };
    add(&cut.machines, &depends.machines, Origin::Machine);
    add(&cut.spans, &depends.spans, Origin::Span);
    add(&cut.logs, &depends.logs, Origin::Log);
    for m in (0..app.maps.len()).filter(|m| depends.maps[*m]) {
        let from_trace = app.clauses.iter().any(|c| uses_map(c, m).0 && traced(c.origin));
        if cut.maps[m] || from_trace {
            found.push(Unassured::Map(m));
        }
    }
    // what a log reports depends on the violations that trigger it
    for (l, log) in app.logs.iter().enumerate() {
        if found.contains(&Unassured::Origin(log.trigger)) && !found.contains(&Unassured::Origin(Origin::Log(l))) {
            found.push(Unassured::Origin(Origin::Log(l)));
        }
    }
    found
}

/// Why a cut is not a plan: a part on the chip whose events arrive there in another order.
pub fn check(app: &App, cut: &Cut) -> Result<(), String> {
    let on_host = unassured(app, &Cut::host(app));
    let Some(part) = unassured(app, cut).into_iter().find(|u| !on_host.contains(u) && !app.order.on_chip) else {
        return Ok(());
    };
    Err(match part {
        Unassured::Map(m) => {
            format!(
                "events reach @{} on the chip some clocks later; on the host they are in order of time",
                app.maps[m].name
            )
        }
        Unassured::Origin(Origin::Log(_)) => {
            "events and trigger reach it on the chip in the ring's order; on the host they are in order of time".into()
        }
        Unassured::Origin(_) => {
            "events of several cores reach it on the chip in the ring's order; on the host they are in order of time"
                .into()
        }
    })
}
