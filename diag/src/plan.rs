//! The planner: decides which parts of an application run on the chip, so that the link rate is minimal
//!
//! Every predicate, map, machine and span is on the chip or on the host. The planner tries all cuts that the chip's
//! nodes can hold. If there are many parts, it moves parts as long as that lowers the rate. It takes the cut with the
//! lowest link rate, and of those with the same rate the one with the fewest nodes.

use crate::app::{App, Consumer, Origin, Use};
use crate::layout::{chip_terms, layout, only_sum, Cut, Layout, LOG_DEPTH};
use crate::order;
use crate::runtime::Tally;
use crate::share::{beyond, fewest, wide, Group};
use crate::widen::widen;
use crate::{Mistake, ScriptError};
use sim::diag::chip::{ChipParams, FRAME_BYTES};
use sim::diag::node::machine::MAX_KEYS;
use sim::diag::node::trace::{self, PACKET_WORDS};
use sim::diag::packet::HOST;
use sim::diag::trigger::{Slot, Trigger};

/// Maximum number of parts for which all cuts are tried.
const MAX_EXHAUSTIVE_PARTS: usize = 12;

/// Event rates of each kind, per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// Events of each use.
    pub uses: Vec<f64>,
    /// Events that pass the predicate of each clause.
    pub passed: Vec<f64>,
    /// Reports of each machine.
    pub reports: Vec<f64>,
    /// Results of each span.
    pub spans: Vec<f64>,
    /// Keys of each map.
    pub keys: Vec<f64>,
    /// Flushes per second.
    pub flushes: f64,
    /// Bytes per second of a trace of the cores, as packets with their frames.
    pub trace: f64,
    /// Whether the rates were measured.
    pub measured: bool,
}

/// Assumed size of a control-flow trace, bits per cycle of each core, before packing into packets.
const TRACE_BITS: f64 = 0.15;

/// Bits over the link for this many trace words.
pub fn trace_bits(words: f64) -> f64 {
    // seven words per packet: 28 bytes of 32 and a frame
    words / PACKET_WORDS as f64 * event_bits(2 + 2 * PACKET_WORDS)
}

impl Rates {
    /// Adds a trace of this many cores.
    #[must_use]
    pub fn with_trace(self, cores: u8, clock_hz: u64) -> Self {
        Self { trace: trace_bits(TRACE_BITS * f64::from(cores) * clock_hz as f64 / 32.0), ..self }
    }

    /// Adds a trace of this many words in a run of `seconds`.
    #[must_use]
    pub fn with_traced(self, words: usize, seconds: f64) -> Self {
        Self { trace: trace_bits(words as f64 / seconds), ..self }
    }

    /// Rates assumed without measurement: 1000 events per second and slot, half of which pass a predicate; one of a
    /// hundred steps is a violation; 16 keys per map.
    pub fn assumed(app: &App, clock_hz: u64) -> Self {
        // uses that share a widened trigger get all of its events
        let sharers = |u: &crate::app::Use| app.uses.iter().filter(|o| o.trigger == u.trigger).count() as f64;
        let of = |c: &crate::app::Clause| match c.origin {
            Origin::Slot(_) | Origin::Span(_) => 1000.0,
            Origin::Machine(_) => 10.0,
            Origin::Log(_) => 320.0,
            Origin::Begin | Origin::Tick | Origin::End => 0.0,
        };
        Self {
            uses: app
                .uses
                .iter()
                .map(|u| if u.original_trigger.is_some() { 1000.0 * sharers(u) } else { 1000.0 })
                .collect(),
            passed: app.clauses.iter().map(|c| of(c) * if c.predicate.is_some() { 0.5 } else { 1.0 }).collect(),
            reports: vec![10.0; app.machines.len()],
            spans: vec![1000.0; app.spans.len()],
            keys: vec![16.0; app.maps.len()],
            flushes: app.tick.map_or(1.0, |t| clock_hz as f64 / f64::from(t)),
            trace: 0.0,
            measured: false,
        }
    }

    /// Rates counted in a run of `seconds`.
    pub fn measured(tally: &Tally, keys: &[usize], app: &App, seconds: f64, clock_hz: u64) -> Self {
        let rate = |n: &[u64]| n.iter().map(|n| *n as f64 / seconds).collect();
        Self {
            uses: rate(&tally.uses),
            passed: rate(&tally.passed),
            reports: rate(&tally.reports),
            spans: rate(&tally.spans),
            keys: keys.iter().map(|k| *k as f64).collect(),
            flushes: app.tick.map_or(1.0 / seconds, |t| clock_hz as f64 / f64::from(t)),
            trace: 0.0,
            measured: true,
        }
    }
}

/// A part, its location, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The part.
    pub what: String,
    /// `chip: aggregate (node 20)`, `host`.
    pub place: String,
    /// Reason for the location.
    pub why: String,
}

/// A plan: which parts of a script run on the chip, and the expected rates.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of the chip.
    pub layout: Layout,
    /// Expected rate over the link, bit/s.
    pub bits: f64,
    /// Expected rate with everything on the host, bit/s.
    pub host_bits: f64,
    /// The location of each part.
    pub reasons: Vec<Reason>,
}

/// Checks that a chip has enough triggers for a script. If it has too few, probes of data and traps share triggers
/// ([`widen`]). A function may start with a loop that jumps back to its first instruction. If no trigger is left to
/// distinguish a call from an iteration of that loop, both count, and a note says so.
pub fn fit(app: &mut App, params: &ChipParams, name: &str, script: &str) -> Result<(), ScriptError> {
    fitted(app, params, script).map_err(|e| e.mistake.in_script(name, script))
}

/// Error of an application with more triggers than the chip has.
#[derive(Clone, Debug)]
pub(crate) struct Excess {
    /// The error message.
    pub mistake: Mistake,
    /// Uses that must be removed to make it fit.
    pub uses: Vec<usize>,
}

/// As [`fit`]; uses that come from the trace need no trigger.
pub(crate) fn fitted(app: &mut App, params: &ChipParams, script: &str) -> Result<(), Excess> {
    let generator = &params.generator;
    if generator.lite {
        let strange = |u: &Use| !u.traced && (!u.captures.is_empty() || u.trigger.is_return());
        if let Some(n) = app.uses.iter().position(strange) {
            let what = "a lite event generator has addresses and the time only, no arguments and no returns";
            return Err(Excess { mistake: Mistake::new(app.uses[n].at, what), uses: vec![n] });
        }
    }
    let available = usize::from(generator.wide);
    // a return can be detected without it too, at a higher cost per loop iteration
    let from = |app: &App| {
        let triggers = app.uses.iter().filter(|u| !u.traced).flat_map(Use::triggers);
        triggers.collect::<Vec<_>>().into_iter().rev().find(|t| matches!(t, Trigger::ReturnFrom { .. }))
    };
    while let Some(late @ Trigger::ReturnFrom { first, .. }) = from(app).filter(|_| wide(&fewest(app)) > available) {
        let all = app.uses.iter_mut().flat_map(Use::triggers_mut);
        all.filter(|t| **t == late).for_each(|t| *t = Trigger::Return(first));
    }
    if !generator.lite {
        widen(app, available);
    }
    let slots = fewest(app);
    let entries: Vec<Trigger> =
        slots.iter().flat_map(Group::slots).map(|s| s.trigger).filter(|t| matches!(t, Trigger::Entry { .. })).collect();
    let left = if generator.lite { 0 } else { available.saturating_sub(wide(&slots) - entries.len()) };
    for late in entries.into_iter().skip(left) {
        for u in app.uses.iter_mut().filter(|u| u.triggers().any(|t| t == late) && !u.traced) {
            if let Trigger::Entry { first, .. } = late {
                u.triggers_mut().filter(|t| **t == late).for_each(|t| *t = Trigger::Pc(first));
            }
            let what =
                "its first instruction is also in a loop, and no trigger is left to distinguish calls from iterations: each \
                 iteration counts as a call";
            if !app.notes.iter().any(|n| n.at == u.at) {
                app.notes.push(Mistake::new(u.at, what));
            }
        }
    }
    let slots = fewest(app);
    let needed = wide(&slots);
    let excess = |groups: &[&Group], what: String| {
        let uses: Vec<usize> = groups.iter().flat_map(|g| g.uses.iter().copied()).collect();
        Err(Excess { mistake: Mistake::new(app.uses[uses[0]].at, what), uses })
    };
    let late = beyond(&slots, available, |g| g.triggers().1);
    if !generator.lite && !late.is_empty() {
        let what = format!(
            "the script needs {needed} triggers of data and traps, which share what they can; an event generator has {available}: \
             without {} it fits",
            excess_probes(app, script, &late)
        );
        return excess(&late, what);
    }
    let available = usize::from(generator.slots);
    let late = beyond(&slots, available, |g| g.triggers().0);
    if !late.is_empty() {
        let what = format!(
            "the script needs {} triggers, one for each point of the program; an event generator has {available}: without {} \
             it fits",
            slots.iter().map(|g| g.triggers().0).sum::<usize>(),
            excess_probes(app, script, &late)
        );
        return excess(&late, what);
    }
    Ok(())
}

/// A probe with its line number.
pub(crate) fn at_line(u: &Use, script: &str) -> String {
    let line = 1 + script.as_bytes().iter().take(u.at).filter(|b| **b == b'\n').count();
    format!("{} (line {line})", u.name)
}

/// Probes whose triggers do not fit, each with its line number.
fn excess_probes(app: &App, script: &str, groups: &[&Group]) -> String {
    let mut names: Vec<String> = Vec::new();
    for u in groups.iter().flat_map(|g| &g.uses) {
        let shown = at_line(&app.uses[*u], script);
        if !names.contains(&shown) {
            names.push(shown);
        }
    }
    names.join(", ")
}

/// Bits over the link for an event of this many words, with its frame.
pub fn event_bits(words: usize) -> f64 {
    8.0 * (2 * words + FRAME_BYTES) as f64
}

/// Expected link rate of the events that go to the host as they are, bit/s, by probe; the highest first.
pub fn event_rates(app: &App, layout: &Layout, rates: &Rates) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = Vec::new();
    for (u, share) in layout.shares.iter().enumerate() {
        let Some(slot) = share.slot.map(|n| &layout.slots[n]).filter(|s| s.dest == HOST) else { continue };
        let (name, bits) = (&app.uses[u].name, rates.uses[u] * event_bits(slot_words(slot)));
        // uses of one name share their slot, or have the same events
        match all.iter_mut().find(|a| a.0 == *name) {
            Some(known) => known.1 = known.1.max(bits),
            None => all.push((name.clone(), bits)),
        }
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

/// Words of the packet of a slot's event.
fn slot_words(slot: &Slot) -> usize {
    2 + 2 * usize::from(slot.stamped) + 2 * slot.captures.len()
}

/// Expected link rate, bit/s.
pub fn cost(app: &App, layout: &Layout, rates: &Rates) -> f64 {
    let bits = event_bits;
    let mut sum = rates.trace;
    for (n, slot) in layout.slots.iter().enumerate().filter(|s| s.1.dest == HOST) {
        // each use that shares the slot gets all of its events
        let each = layout.shares.iter().zip(&rates.uses).filter(|s| s.0.slot == Some(n)).map(|s| *s.1);
        sum += each.fold(0.0, f64::max) * bits(slot_words(slot));
    }
    for (u, share) in layout.shares.iter().enumerate() {
        let Some(slot) = share.slot.map(|n| &layout.slots[n]) else { continue };
        if slot.dest == HOST {
            continue;
        }
        let words = slot_words(slot);
        if let Consumer::Clause(c) = app.uses[u].consumer {
            let map = app.clauses[c].statements().find_map(|s| match s {
                crate::app::Stmt::Sum(m, ..) => Some(*m),
                _ => None,
            });
            let kept = app.clauses[c].body.len() == 1 && map.is_some_and(|m| layout.cut.maps[m]);
            if layout.cut.filters[c] && !kept {
                // a predicate that is only partly on the chip lets more events pass
                let whole = app.clauses[c].predicate.as_ref().and_then(chip_terms).is_some_and(|t| t.2);
                let passes = if whole { rates.passed[c] } else { (rates.passed[c] * 1.5).min(rates.uses[u]) };
                sum += passes * bits(words);
            }
        }
    }
    for log in app.logs.iter().zip(&layout.cut.logs).filter(|l| *l.1).map(|l| l.0) {
        let each = f64::from(LOG_DEPTH - 1) * bits(6) + bits(12);
        let rate = match log.trigger {
            Origin::Machine(m) => rates.reports[m],
            Origin::Slot(u) => rates.uses[u],
            Origin::Span(_) | Origin::Log(_) | Origin::Begin | Origin::Tick | Origin::End => 0.0,
        };
        sum += if log.freezes { rate.min(rates.flushes) * each + rates.flushes * bits(3) } else { rate * each };
    }
    // the tick event; responses to flushes are counted with the tables
    if app.tick.is_some() {
        sum += rates.flushes * bits(8);
    }
    let logged =
        |m: usize| (0..app.logs.len()).any(|l| app.logs[l].trigger == Origin::Machine(m) && layout.cut.logs[l]);
    let fed = |origin: Origin| {
        let taker = app.clauses.iter().find(|c| c.origin == origin);
        taker.is_some_and(|c| matches!(c.body.as_slice(), [crate::app::Stmt::Sum(m, ..)] if layout.cut.maps[*m]))
    };
    for (m, rate) in rates.reports.iter().enumerate() {
        if layout.cut.machines[m] && !fed(Origin::Machine(m)) && !logged(m) {
            sum += rate * bits(2 + 2 + 8);
        }
    }
    for (s, rate) in rates.spans.iter().enumerate() {
        // a clause whose sum is not on the chip
        let on_host = |c: &crate::app::Clause| only_sum(c).is_none_or(|(m, ..)| !layout.cut.maps[m]);
        let mut takers = app.clauses.iter().filter(|c| c.origin == Origin::Span(s)).peekable();
        if layout.cut.spans[s] && (takers.peek().is_none() || takers.any(on_host)) {
            sum += rate * bits(2 + 2 + 4);
        }
    }
    for (m, keys) in rates.keys.iter().enumerate() {
        if layout.cut.maps[m] {
            let (results, words) = match (layout.counters[m], app.maps[m].summary) {
                (Some(_), _) => (1.0, 6),
                (None, Some(s)) if s.is_histogram() => (12.0, 8),
                (None, _) => (1.0, 14),
            };
            sum += rates.flushes * (keys.max(1.0) * results * bits(words) + bits(3));
        }
    }
    sum
}

/// The layout of a cut, if the chip also has enough triggers for it.
fn layout_if_fits(app: &App, params: &ChipParams, cut: &Cut) -> Result<Layout, String> {
    order::check(app, cut)?;
    let found = layout(app, &params.nodes, cut)?;
    params.generator.check(&found.slots).map_err(|e| format!("its events would need separate triggers: {e}"))?;
    Ok(found)
}

/// Parts that can be on the chip or on the host: kind and number, as in [`bit`].
fn parts(app: &App) -> Vec<(usize, usize)> {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let filters = |c: &usize| {
        let clause = &app.clauses[*c];
        matches!(clause.origin, Origin::Slot(u) if !app.uses[u].traced)
            && clause.predicate.as_ref().and_then(chip_terms).is_some()
    };
    parts.extend((0..app.clauses.len()).filter(filters).map(|c| (0, c)));
    parts.extend((0..app.maps.len()).map(|m| (1, m)));
    parts.extend((0..app.machines.len()).map(|m| (2, m)));
    parts.extend((0..app.spans.len()).map(|s| (3, s)));
    parts.extend((0..app.logs.len()).map(|l| (4, l)));
    parts
}

/// A cut with its expected rate.
#[derive(Clone, Debug, PartialEq)]
pub struct CutRate {
    /// Parts on the chip.
    pub on_chip: Vec<String>,
    /// Expected rate over the link, bit/s.
    pub bits: f64,
}

/// All cuts that a chip can hold, sorted by rate. With more than 12 parts, only those that differ from the plan in one
/// or two parts.
pub fn cuts(app: &App, params: &ChipParams, rates: &Rates) -> Vec<CutRate> {
    let parts = parts(app);
    let mut tried: Vec<Cut> = Vec::new();
    if parts.len() <= MAX_EXHAUSTIVE_PARTS {
        for choice in 0_u32..1 << parts.len() {
            let mut cut = Cut::host(app);
            for (n, part) in parts.iter().enumerate() {
                *bit(&mut cut, *part) = choice >> n & 1 == 1;
            }
            tried.push(cut);
        }
    } else if let Ok(best) = plan(app, params, rates) {
        tried.extend([Cut::host(app), best.layout.cut.clone()]);
        for i in 0..parts.len() {
            for j in i..parts.len() {
                let mut cut = best.layout.cut.clone();
                *bit(&mut cut, parts[i]) ^= true;
                if i != j {
                    *bit(&mut cut, parts[j]) ^= true;
                }
                tried.push(cut);
            }
        }
    }
    let mut seen = std::collections::HashSet::new();
    tried.retain(|cut| seen.insert(cut.clone()));
    let rate = |cut: &mut Cut| -> Option<CutRate> {
        let found = layout_if_fits(app, params, cut).ok()?;
        let on_chip = parts.iter().filter(|p| *bit(cut, **p)).map(|p| name(app, *p)).collect();
        Some(CutRate { on_chip, bits: cost(app, &found, rates) })
    };
    let mut rates: Vec<CutRate> = tried.iter_mut().filter_map(rate).collect();
    rates.sort_by(|a, b| a.bits.total_cmp(&b.bits).then(a.on_chip.len().cmp(&b.on_chip.len())));
    rates
}

/// Name of a part.
fn name(app: &App, (kind, n): (usize, usize)) -> String {
    match kind {
        0 => match app.clauses[n].origin {
            Origin::Slot(u) => format!("predicate of {}", app.uses[u].name),
            // the predicates of other origins are on the host
            _ => format!("predicate {n}"),
        },
        1 => format!("@{}", app.maps[n].name),
        2 => format!("machine {}", app.machines[n].name),
        3 => format!("span {}", app.spans[n].name),
        _ => format!("log {}", app.logs[n].name),
    }
}

/// Plans an application for a chip.
pub fn plan(app: &App, params: &ChipParams, rates: &Rates) -> Result<Plan, String> {
    let host = Cut::host(app);
    let host_layout = layout_if_fits(app, params, &host)?;
    let host_bits = cost(app, &host_layout, rates);
    let parts = parts(app);
    let mut best = (host_bits, host_layout);
    let consider = |cut: &Cut, best: &mut (f64, Layout)| {
        let Ok(found) = layout_if_fits(app, params, cut) else { return false };
        let bits = cost(app, &found, rates);
        let better = bits < best.0 || bits == best.0 && found.places.len() < best.1.places.len();
        if better {
            *best = (bits, found);
        }
        better
    };
    if parts.len() <= MAX_EXHAUSTIVE_PARTS {
        for choice in 1_u32..1 << parts.len() {
            let mut cut = host.clone();
            for (n, part) in parts.iter().enumerate() {
                *bit(&mut cut, *part) = choice >> n & 1 == 1;
            }
            consider(&cut, &mut best);
        }
    } else {
        // a table may only fit together with its filter, so parts are moved singly and in pairs
        let mut improved = true;
        while improved {
            improved = false;
            for i in 0..parts.len() {
                for j in i..parts.len() {
                    let mut cut = best.1.cut.clone();
                    *bit(&mut cut, parts[i]) ^= true;
                    if i != j {
                        *bit(&mut cut, parts[j]) ^= true;
                    }
                    improved |= consider(&cut, &mut best);
                }
            }
        }
    }
    let (bits, found) = best;
    let reasons = reasons(app, params, &found, &parts);
    Ok(Plan { layout: found, bits, host_bits, reasons })
}

fn bit(cut: &mut Cut, (kind, n): (usize, usize)) -> &mut bool {
    match kind {
        0 => &mut cut.filters[n],
        1 => &mut cut.maps[n],
        2 => &mut cut.machines[n],
        3 => &mut cut.spans[n],
        _ => &mut cut.logs[n],
    }
}

/// Description of a trigger that several probes share.
fn shown(trigger: Trigger) -> String {
    match trigger {
        Trigger::Trap { interrupt: Some(true), .. } => "all interrupts".into(),
        Trigger::Trap { interrupt: Some(false), .. } => "all exceptions".into(),
        Trigger::Trap { interrupt: None, .. } => "all traps".into(),
        Trigger::Data { first, last, .. } => {
            format!("all accesses to {first:#x}..{last:#x}, {} bytes", last - first + 1)
        }
        Trigger::Pc(at) | Trigger::Return(at) => format!("{at:#x}"),
        Trigger::Entry { first, .. } | Trigger::ReturnFrom { first, .. } => format!("{first:#x}"),
        Trigger::TrapReturn => "all trap returns".into(),
    }
}

fn reasons(app: &App, params: &ChipParams, found: &Layout, parts: &[(usize, usize)]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for (n, u) in app.uses.iter().enumerate() {
        let Some(slot) = found.shares[n].slot.map(|s| &found.slots[s]) else {
            let why = "no trigger is left for it; it needs no values, and the trace reports it".into();
            reasons.push(Reason { what: u.name.clone(), place: "host: trace of the cores".into(), why });
            continue;
        };
        let bytes = 2 * (2 + 2 * usize::from(slot.stamped) + 2 * slot.captures.len());
        let first = usize::from(slot.event);
        let why = match u.original_trigger {
            _ if first != n => format!("in the event of {}", app.uses[first].name),
            Some(_) => format!("event of {bytes} bytes; its trigger takes {}", shown(u.trigger)),
            None if !u.also.is_empty() => format!("event of {bytes} bytes, from {} locations", 1 + u.also.len()),
            None => format!("event of {bytes} bytes"),
        };
        reasons.push(Reason { what: u.name.clone(), place: "chip: event generators".into(), why });
    }
    for (c, clause) in app.clauses.iter().enumerate() {
        if let (Origin::Slot(u), Some(_), false) = (clause.origin, &clause.predicate, parts.contains(&(0, c))) {
            let what = format!("predicate of {}", app.uses[u].name);
            let why = match app.uses[u].traced {
                true => "its events come from the trace, which the host has",
                false => "a filter cannot evaluate any term of it",
            };
            reasons.push(Reason { what, place: "host".into(), why: why.into() });
        }
    }
    for part in parts {
        let what = name(app, *part);
        let mut cut = found.cut.clone();
        let on_chip = std::mem::replace(bit(&mut cut, *part), true);
        let place = if on_chip {
            let node = found.places.iter().find(|p| p.0 == what).map_or(0, |p| p.1);
            format!("chip: {} (node {})", params.nodes[node].name(), node + 16)
        } else {
            "host".into()
        };
        let why = match layout_if_fits(app, params, &cut) {
            _ if on_chip && part.0 == 2 && app.machines[part.1].may_exceed_keys() => {
                format!("fewer bits leave the chip; events of more than {MAX_KEYS} keys are passed on to the host")
            }
            _ if on_chip => "fewer bits leave the chip".into(),
            Ok(_) => "on the chip it would not make the stream smaller".into(),
            Err(why) => why,
        };
        reasons.push(Reason { what, place, why });
    }
    if let Some((_, node)) = found.places.iter().find(|p| p.0 == "tick") {
        let place = format!("chip: {} (node {})", params.nodes[*node].name(), node + 16);
        let nodes = match found.flushed.iter().filter(|a| **a != trace::ADDRESS).count() {
            0 => "no table is on the chip; the host gets the clock".into(),
            1 => "it flushes the node with a table, which sends what was added since".into(),
            n => format!("it flushes the {n} nodes with tables, which send what was added since"),
        };
        reasons.push(Reason { what: "tick".into(), place, why: nodes });
    }
    reasons
}
