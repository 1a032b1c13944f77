//! Points of the program for which no trigger is left: they come from a trace of the cores
//!
//! A control-flow trace, with the program, gives every instruction that a core retired, in order. So the host can see
//! that a point was reached, and on which core. It cannot see registers, memory, causes of traps, or cycles: the trace
//! has those for its messages, not for each instruction. Nor does it know the exact order of instructions of two cores.
//! Uses that need one of these keep their triggers. Of the others, as many as exceed the triggers come from the trace,
//! those with the highest rate first.
//!
//! Probes with the same trigger, and all that feed one machine or one order-dependent map, stay together.

use crate::app::{App, Clause, Consumer, Expr, Origin, Stmt, Use, Value};
use crate::plan::{event_bits, fitted, Excess, Rates};
use crate::resolve::{has_time, stmt_has_time};
use crate::{Mistake, ScriptError};
use sim::diag::chip::ChipParams;
use sim::diag::trigger::{Capture, Number, Trigger};

/// Uses that must all have triggers, or all come from the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Numbers of the uses.
    pub uses: Vec<usize>,
    /// A use that requires a trigger, and the value of it that a trace does not have.
    pub missing_from_trace: Option<(usize, String)>,
}

/// Name of a captured word.
fn capture_name(capture: &Capture, trigger: Trigger) -> String {
    match capture.number() {
        Some(Number::Register(10)) if trigger.is_return() => "retval".into(),
        Some(Number::Register(1)) => "ra".into(),
        Some(Number::Register(2)) => "sp".into(),
        Some(Number::Register(r @ 10..=17) | Number::EntryRegister(r @ 10..=17)) => format!("arg{}", r - 10),
        Some(Number::Register(r) | Number::EntryRegister(r)) => format!("x{r}"),
        Some(Number::Stack(n) | Number::EntryStack(n)) => format!("sarg{n}"),
        Some(Number::Pc) => "pc".into(),
        Some(Number::Address) => "addr".into(),
        Some(Number::Value) => "value".into(),
        None if *capture == Capture::Cause => "cause".into(),
        None => "elapsed".into(),
    }
}

/// Whether the time of the event is used.
fn uses_time(app: &App, u: &Use) -> bool {
    match u.consumer {
        Consumer::Clause(_) => u.stamped,
        Consumer::Class(m, _) => {
            let shows = |c: &Clause| {
                c.predicate.as_ref().is_some_and(has_time)
                    || c.statements().any(|s| stmt_has_time(s) || matches!(s, Stmt::Printf(..)))
            };
            app.clauses.iter().any(|c| c.origin == Origin::Machine(m) && shows(c))
                || app.logs.iter().any(|l| l.trigger == Origin::Machine(m))
        }
        Consumer::Span(..) | Consumer::Log(..) => true,
    }
}

/// What a use needs that a trace does not have.
fn missing_from_trace(app: &App, u: &Use) -> Option<String> {
    let word = u.captures.iter().find(|c| **c != Capture::Pc).map(|c| format!("`{}`", capture_name(c, u.trigger)));
    match u.trigger {
        _ if word.is_some() => word,
        Trigger::Return(_) | Trigger::ReturnFrom { .. } => {
            Some("the return address and the stack pointer, which identify a return".into())
        }
        Trigger::Data { .. } => Some("the addresses of accesses".into()),
        Trigger::Trap { interrupt: None, cause: None }
        | Trigger::Pc(_)
        | Trigger::Entry { .. }
        | Trigger::TrapReturn => {
            uses_time(app, u).then(|| "the time, which `time`, a text, a span and a log have".into())
        }
        Trigger::Trap { .. } => Some("the causes of traps".into()),
    }
}

fn reads(e: &Expr, m: usize) -> bool {
    e.any(&|e| matches!(e, Expr::Map(_, n, _) if *n == m))
}

/// Whether a clause uses a map, and whether the order matters.
pub(crate) fn uses_map(c: &Clause, m: usize) -> (bool, bool) {
    let (mut any, mut when) = (false, c.predicate.as_ref().is_some_and(|p| reads(p, m)));
    for s in c.statements() {
        when |= s.expressions().iter().any(|e| reads(e, m));
        match s {
            Stmt::Sum(n, ..) => any |= *n == m,
            Stmt::Set(n, ..) | Stmt::Delete(n, _) | Stmt::Print(n, _) | Stmt::Clear(n) => when |= *n == m,
            // what comes after it does not count
            Stmt::Exit => when = true,
            Stmt::Printf(..) | Stmt::Let(..) | Stmt::If(..) => {}
        }
    }
    (any || when, when)
}

/// Disjoint sets (union-find).
struct Sets(Vec<usize>);

impl Sets {
    fn of(&self, mut n: usize) -> usize {
        while self.0[n] != n {
            n = self.0[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
    }
}

/// The units of an application on this many cores.
pub fn units(app: &App, cores: u8) -> Vec<Unit> {
    let (uses, machines, spans) = (app.uses.len(), app.machines.len(), app.spans.len());
    let machine = |m: usize| uses + m;
    let span = |s: usize| uses + machines + s;
    let log = |l: usize| uses + machines + spans + l;
    let map = |m: usize| uses + machines + spans + app.logs.len() + m;
    let mut sets = Sets((0..map(app.maps.len())).collect());
    let node = |origin: Origin| match origin {
        Origin::Slot(u) => Some(u),
        Origin::Machine(m) => Some(machine(m)),
        Origin::Span(s) => Some(span(s)),
        Origin::Log(l) => Some(log(l)),
        Origin::Begin | Origin::Tick | Origin::End => None,
    };
    for (n, u) in app.uses.iter().enumerate() {
        match u.consumer {
            Consumer::Clause(_) => {}
            Consumer::Class(m, _) => sets.join(n, machine(m)),
            Consumer::Span(s, _) => sets.join(n, span(s)),
            Consumer::Log(l, _) => sets.join(n, log(l)),
        }
        if let Some(same) = app.uses[..n].iter().position(|o| o.triggers().any(|t| u.triggers().any(|own| own == t))) {
            sets.join(n, same);
        }
    }
    for (l, def) in app.logs.iter().enumerate() {
        node(def.trigger).into_iter().for_each(|n| sets.join(n, log(l)));
    }
    // a sum does not depend on the order; other operations on a map do
    let of = |c: &Clause, m: usize| node(c.origin).map(|n| (n, uses_map(c, m)));
    let ordered: Vec<bool> =
        (0..app.maps.len()).map(|m| app.clauses.iter().filter_map(|c| of(c, m)).any(|(_, t)| t.1)).collect();
    for m in (0..app.maps.len()).filter(|m| ordered[*m]) {
        for (n, _) in app.clauses.iter().filter_map(|c| of(c, m)).filter(|(_, t)| t.0) {
            sets.join(n, map(m));
        }
    }
    let by_core = |m: usize| {
        let def = &app.machines[m];
        def.by_key && def.classes.iter().all(|c| c.1 == Some(Value::Core))
    };
    let mut units: Vec<(usize, Unit)> = Vec::new();
    for n in 0..uses {
        let set = sets.of(n);
        match units.iter_mut().find(|u| u.0 == set) {
            Some((_, unit)) => unit.uses.push(n),
            None => units.push((set, Unit { uses: vec![n], missing_from_trace: None })),
        }
    }
    for (set, unit) in &mut units {
        unit.missing_from_trace = unit.uses.iter().find_map(|u| Some((*u, missing_from_trace(app, &app.uses[*u])?)));
        let in_order = |n: usize| sets.of(n) == *set;
        let across = (0..machines).any(|m| in_order(machine(m)) && !by_core(m))
            || (0..app.maps.len()).any(|m| ordered[m] && in_order(map(m)));
        if unit.missing_from_trace.is_none() && cores > 1 && across {
            unit.missing_from_trace = Some((unit.uses[0], "the order of events of several cores".into()));
        }
    }
    units.into_iter().map(|u| u.1).collect()
}

/// Bits per second that a unit would send to the host.
fn bits(app: &App, unit: &Unit, rates: &Rates) -> f64 {
    let of = |u: &usize| {
        let site = &app.uses[*u];
        rates.uses[*u] * event_bits(2 + 2 * usize::from(site.stamped) + 2 * site.captures.len())
    };
    unit.uses.iter().map(of).fold(0.0, f64::max)
}

/// As [`crate::plan::fit`], for a chip that also has trace modules: uses beyond its triggers come from the trace.
pub fn fit(app: &mut App, params: &ChipParams, rates: &Rates, name: &str, script: &str) -> Result<(), ScriptError> {
    let notes = app.notes.len();
    // the second value: every count is as the script says
    let tried = |moved: &[&Unit]| -> Result<(App, bool), Excess> {
        let mut tried = app.clone();
        moved.iter().flat_map(|u| &u.uses).for_each(|u| tried.uses[*u].traced = true);
        fitted(&mut tried, params, script)?;
        let whole = tried.notes.len() == notes;
        Ok((tried, whole))
    };
    let units = units(app, params.cores);
    let mut free: Vec<&Unit> = units.iter().filter(|u| u.missing_from_trace.is_none()).collect();
    free.sort_by(|a, b| bits(app, b, rates).total_cmp(&bits(app, a, rates)).then(b.uses[0].cmp(&a.uses[0])));
    let enough = |n: usize, whole: bool| matches!(tried(&free[..n]), Ok((_, w)) if w || !whole);
    let Some((most, whole)) =
        [true, false].into_iter().find_map(|w| Some(((0..=free.len()).find(|n| enough(*n, w))?, w)))
    else {
        return match tried(&free) {
            Ok((found, _)) => {
                *app = found;
                Ok(())
            }
            Err(excess) => Err(excess_mistake(app, &excess, &units, free.len(), script).in_script(name, script)),
        };
    };
    let mut moved = free[..most].to_vec();
    // moves that did not help are undone
    for n in (0..moved.len()).rev() {
        let mut fewer = moved.clone();
        fewer.remove(n);
        if matches!(tried(&fewer), Ok((_, w)) if w || !whole) {
            moved = fewer;
        }
    }
    if let Ok((found, _)) = tried(&moved) {
        *app = found;
    }
    Ok(())
}

/// The error message: the excess uses, and why the trace cannot replace their triggers.
fn excess_mistake(app: &App, excess: &Excess, units: &[Unit], free: usize, script: &str) -> Mistake {
    let mut missing_from_trace: Vec<String> = Vec::new();
    for (u, what) in
        excess.uses.iter().filter_map(|u| units.iter().find(|x| x.uses.contains(u))?.missing_from_trace.as_ref())
    {
        let shown = format!("{} needs {what}", crate::plan::at_line(&app.uses[*u], script));
        if !missing_from_trace.contains(&shown) {
            missing_from_trace.push(shown);
        }
    }
    let from = if free == 0 { "none of its points".into() } else { format!("{free} of its points") };
    let what = format!(
        "{}; {from} can come from a trace of the control flow: {}",
        excess.mistake.what,
        missing_from_trace.join(", ")
    );
    Mistake::new(excess.mistake.at, what)
}

/// Points that come from the trace, each with its line number.
pub fn names(app: &App, script: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for u in app.uses.iter().filter(|u| u.traced) {
        let shown = crate::plan::at_line(u, script);
        if !names.contains(&shown) {
            names.push(shown);
        }
    }
    names
}
