//! Resolves the names of a script to addresses, captures and indices

use crate::app::{App, Clause, Consumer, Expr, MachineDef, Map, Origin, Part, SpanDef, Stmt, Use, Value};
use crate::symbols::{SiteKind, Symbols};
use crate::syntax::{self, ExprKind, Item, Keyed, Probe, Summary};
use crate::Mistake;
use places::Place;
use sim::diag::trigger::{Capture, Trigger, CAPTURES};

mod places;
mod watchers;

/// Source and content of a probe's events.
enum Source {
    /// Places of the program, at least one.
    Slot(Vec<Place>),
    Machine(usize),
    Span(usize),
    Log(usize),
    Tick,
    End,
}

struct Resolver<'a> {
    symbols: &'a Symbols,
    clock_hz: u64,
    app: App,
    /// Position of the tick in the script, for messages.
    tick_at: usize,
}

/// Resolves the items of a script for a program; times are computed with `clock_hz`.
pub fn resolve(items: &[Item], symbols: &Symbols, clock_hz: u64) -> Result<App, Mistake> {
    let mut r = Resolver { symbols, clock_hz, app: App::default(), tick_at: 0 };
    r.declare_maps(items)?;
    for item in items {
        r.declare(item)?;
    }
    for item in items {
        if let Item::Clause { probes, predicate, body } = item {
            for probe in probes {
                r.clause(probe, predicate.as_ref(), body)?;
            }
        }
    }
    Ok(r.app)
}

impl Resolver<'_> {
    fn map(&self, name: &str, at: usize) -> Result<usize, Mistake> {
        let found = self.app.maps.iter().position(|m| m.name == name);
        found.ok_or_else(|| Mistake::new(at, format!("@{name} is never written; `@{name}[key] = count()` would do it")))
    }

    fn declare_maps(&mut self, items: &[Item]) -> Result<(), Mistake> {
        let bodies = items.iter().filter_map(|i| if let Item::Clause { body, .. } = i { Some(body) } else { None });
        for stmt in bodies.flatten() {
            let (at, name, summary) = match stmt {
                syntax::Stmt::Sum { at, map, summary, .. } => (*at, map, Some(*summary)),
                syntax::Stmt::Set { at, map, .. } => (*at, map, None),
                _ => continue,
            };
            match self.app.maps.iter().find(|m| m.name == *name) {
                Some(m) if m.summary != summary => {
                    let what = format!("@{name} is written in another way before; a map is written in one way");
                    return Err(Mistake::new(at, what));
                }
                Some(_) => {}
                None => self.app.maps.push(Map { name: name.clone(), summary, read: false }),
            }
        }
        Ok(())
    }

    fn declare(&mut self, item: &Item) -> Result<(), Mistake> {
        match item {
            Item::Clause { .. } => {}
            Item::Txn { name, open, close, .. } => {
                let m = self.app.machines.len();
                let mut classes = Vec::new();
                for (n, keyed) in [open, close].into_iter().enumerate() {
                    let key = self.keyed(keyed, Consumer::Class(m, n), true)?;
                    classes.push((keyed.probe.to_string(), Some(key)));
                }
                let states = vec!["idle".into(), "open".into()];
                self.app.machines.push(MachineDef {
                    name: name.clone(),
                    states,
                    classes,
                    steps: None,
                    by_key: false,
                    restarts: false,
                });
            }
            Item::Span { name, from, to, .. } => {
                let s = self.app.spans.len();
                let keys =
                    [self.keyed(from, Consumer::Span(s, 0), false)?, self.keyed(to, Consumer::Span(s, 1), false)?];
                for u in self.app.uses.iter_mut().rev().take(2) {
                    u.stamped = true;
                }
                self.app.spans.push(SpanDef { name: name.clone(), keys });
            }
            Item::Machine { at, name, by, states } => self.machine(*at, name, by.as_ref(), states)?,
            Item::Log { at, name, by, keep, freezes, trigger } => {
                self.log(*at, name, (by.as_ref(), keep), *freezes, trigger)?;
            }
            Item::Ltl { name, by, formula } => self.ltl(name, by.as_ref(), formula)?,
        }
        Ok(())
    }

    /// Adds the slot of a probe whose event has a key, and returns the key.
    fn keyed(&mut self, keyed: &Keyed, consumer: Consumer, stamped: bool) -> Result<Value, Mistake> {
        let Some(key) = &keyed.key else {
            let what = "a key in parentheses is needed after this probe: the argument that identifies it";
            return Err(Mistake::new(keyed.probe.at, what));
        };
        let mut captures = Vec::new();
        let source = self.source(&keyed.probe)?;
        let value = self.expr(key, &source, &keyed.probe, &mut captures)?;
        let Expr::Value(value) = value else {
            return Err(Mistake::new(key.at, "a key is a field: arg0, core, ..."));
        };
        if value == Value::Time {
            return Err(Mistake::new(key.at, "the time cannot be a key"));
        }
        self.slot(&keyed.probe, consumer, captures, stamped)?;
        Ok(value)
    }

    fn slot(
        &mut self,
        probe: &Probe,
        consumer: Consumer,
        captures: Vec<Capture>,
        stamped: bool,
    ) -> Result<usize, Mistake> {
        let Source::Slot(places) = self.source(probe)? else {
            return Err(Mistake::new(
                probe.at,
                format!("`{}` cannot be used here; a point of the program can", probe.kind),
            ));
        };
        if captures.len() > CAPTURES {
            let what = format!("this needs {} words of {}; an event carries {CAPTURES}", captures.len(), probe);
            return Err(Mistake::new(probe.at, what));
        }
        let mut triggers = self.triggers(probe, places, &captures)?;
        self.app.uses.push(Use {
            name: probe.to_string(),
            at: probe.at,
            trigger: triggers.remove(0),
            also: triggers,
            captures,
            stamped,
            consumer,
            original_trigger: None,
            selection: None,
            traced: false,
        });
        Ok(self.app.uses.len() - 1)
    }

    fn source(&mut self, probe: &Probe) -> Result<Source, Mistake> {
        let slot = |trigger| Ok(Source::Slot(vec![(trigger, SiteKind::Function)]));
        let point = probe.point.clone().unwrap_or_default();
        let cause = || match probe.point.as_deref() {
            None => Ok(None),
            Some(p) => p
                .parse()
                .map(Some)
                .map_err(|_| Mistake::new(probe.at, format!("`{p}` is not a cause; expected 0 to 63"))),
        };
        match probe.kind.as_str() {
            "call" => Ok(Source::Slot(self.calls(probe)?)),
            "pc" => Ok(Source::Slot(self.instructions(probe)?)),
            "ret" => Ok(Source::Slot(self.returns(probe)?)),
            "line" => Ok(Source::Slot(self.source_line(probe)?)),
            "read" | "write" | "access" => Ok(Source::Slot(self.accesses(probe)?)),
            "trap" => slot(Trigger::Trap { interrupt: None, cause: None }),
            "interrupt" => slot(Trigger::Trap { interrupt: Some(true), cause: cause()? }),
            "exception" => slot(Trigger::Trap { interrupt: Some(false), cause: cause()? }),
            "trapret" => slot(Trigger::TrapReturn),
            "violation" => match self.app.machines.iter().position(|m| m.name == point) {
                Some(m) => Ok(Source::Machine(m)),
                None => {
                    Err(Mistake::new(probe.at, format!("there is no `txn`, `machine` or `ltl` of the name `{point}`")))
                }
            },
            "span" => match self.app.spans.iter().position(|s| s.name == point) {
                Some(s) => Ok(Source::Span(s)),
                None => Err(Mistake::new(probe.at, format!("there is no `span` of the name `{point}`"))),
            },
            "log" => match self.app.logs.iter().position(|l| l.name == point) {
                Some(l) => Ok(Source::Log(l)),
                None => Err(Mistake::new(probe.at, format!("there is no `log` of the name `{point}`"))),
            },
            "tick" => {
                let clocks = self.period(&point).ok_or_else(|| {
                    Mistake::new(
                        probe.at,
                        format!(
                            "`{point}` is not a period; expected 100000cycles, 10us, 5ms or 1s, up to 2^32 - 1 cycles"
                        ),
                    )
                })?;
                if self.app.tick.is_some_and(|t| t != clocks) {
                    return Err(Mistake::new(probe.at, "there is a tick of another period; a script has one"));
                }
                self.app.tick = Some(clocks);
                self.tick_at = probe.at;
                Ok(Source::Tick)
            }
            "end" => Ok(Source::End),
            other => {
                let what = format!(
                    "`{other}` is not a probe; call, ret, pc, line, read, write, access, trap, interrupt, exception, trapret, violation, \
                     span, log, tick and end are"
                );
                Err(Mistake::new(probe.at, what))
            }
        }
    }

    fn period(&self, text: &str) -> Option<u32> {
        let end = text.find(|c: char| !c.is_ascii_digit())?;
        let number: u128 = text[..end].parse().ok()?;
        let clocks = match &text[end..] {
            "cycles" => number,
            "us" => number * u128::from(self.clock_hz) / 1_000_000,
            "ms" => number * u128::from(self.clock_hz) / 1000,
            "s" => number * u128::from(self.clock_hz),
            _ => return None,
        };
        u32::try_from(clocks).ok().filter(|c| *c > 0)
    }

    fn clause(
        &mut self,
        probe: &Probe,
        predicate: Option<&syntax::Expr>,
        body: &[syntax::Stmt],
    ) -> Result<(), Mistake> {
        let source = self.source(probe)?;
        // one clause per sum, so that each can run where its table is
        let reads = |e: &syntax::Expr| has_map(e);
        let sums = body.iter().all(|s| match s {
            syntax::Stmt::Sum { key, value, .. } => !key.iter().any(reads) && !value.as_ref().is_some_and(reads),
            _ => false,
        });
        let split = sums && !predicate.is_some_and(reads) && matches!(source, Source::Slot(_));
        let parts: Vec<&[syntax::Stmt]> = if split { body.chunks(1).collect() } else { vec![body] };
        for part in parts {
            let mut captures = Vec::new();
            let predicate = predicate.map(|p| self.expr(p, &source, probe, &mut captures)).transpose()?;
            let body = part.iter().map(|s| self.stmt(s, &source, probe, &mut captures));
            let body = body.collect::<Result<Vec<_>, _>>()?;
            let n = self.app.clauses.len();
            let origin = match source {
                Source::Slot(_) => {
                    let printed = body.iter().any(|s| matches!(s, Stmt::Printf(..)));
                    let stamped = printed || predicate.iter().any(has_time) || body.iter().any(stmt_has_time);
                    Origin::Slot(self.slot(probe, Consumer::Clause(n), captures, stamped)?)
                }
                Source::Machine(m) => Origin::Machine(m),
                Source::Span(s) => Origin::Span(s),
                Source::Log(l) => Origin::Log(l),
                Source::Tick => Origin::Tick,
                Source::End => Origin::End,
            };
            self.app.clauses.push(Clause { origin, predicate, body });
        }
        Ok(())
    }

    fn stmt(
        &mut self,
        s: &syntax::Stmt,
        source: &Source,
        probe: &Probe,
        captures: &mut Vec<Capture>,
    ) -> Result<Stmt, Mistake> {
        let mut all = |r: &mut Self, list: &[syntax::Expr]| {
            list.iter().map(|e| r.expr(e, source, probe, captures)).collect::<Result<Vec<_>, _>>()
        };
        Ok(match s {
            syntax::Stmt::Sum { at, map, key, summary, value } => {
                let key = all(self, key)?;
                let value = match value {
                    Some(v) => all(self, std::slice::from_ref(v))?.remove(0),
                    None => Expr::Number(0),
                };
                let _: &Summary = summary;
                Stmt::Sum(self.map(map, *at)?, key, value)
            }
            syntax::Stmt::Set { at, map, key, value } => {
                let key = all(self, key)?;
                let value = all(self, std::slice::from_ref(value))?.remove(0);
                Stmt::Set(self.map(map, *at)?, key, value)
            }
            syntax::Stmt::Printf { at, format, values } => {
                let parts = format_parts(format).map_err(|what| Mistake::new(*at, what))?;
                let wanted = parts.iter().filter(|p| !matches!(p, Part::Text(_))).count();
                if wanted != values.len() {
                    let what = format!("the format has {wanted} placeholders for {} values", values.len());
                    return Err(Mistake::new(*at, what));
                }
                Stmt::Printf(parts, all(self, values)?)
            }
            syntax::Stmt::Print { at, map, rows } => Stmt::Print(self.map(map, *at)?, *rows),
            syntax::Stmt::Clear { at, map } => Stmt::Clear(self.map(map, *at)?),
        })
    }

    fn expr(
        &mut self,
        e: &syntax::Expr,
        source: &Source,
        probe: &Probe,
        captures: &mut Vec<Capture>,
    ) -> Result<Expr, Mistake> {
        Ok(match &e.kind {
            ExprKind::Number(n) => Expr::Number(*n),
            ExprKind::Address(name) => Expr::Number(self.address_of(name, e.at)?.into()),
            ExprKind::Field(name) => Expr::Value(self.field(name, e.at, source, probe, captures)?),
            ExprKind::Map(name, key) => {
                let map = self.map(name, e.at)?;
                if self.app.maps[map]
                    .summary
                    .is_some_and(|s| !matches!(s, Summary::Count | Summary::Sum | Summary::Min | Summary::Max))
                {
                    return Err(Mistake::new(e.at, format!("@{name} is not a number; it can be printed")));
                }
                self.app.maps[map].read = true;
                let key = key.iter().map(|k| self.expr(k, source, probe, captures)).collect::<Result<_, _>>()?;
                Expr::Map(map, key)
            }
            ExprKind::Unary(op, a) => Expr::Unary(*op, Box::new(self.expr(a, source, probe, captures)?)),
            ExprKind::Binary(op, a, b) => Expr::Binary(
                *op,
                Box::new(self.expr(a, source, probe, captures)?),
                Box::new(self.expr(b, source, probe, captures)?),
            ),
        })
    }

    fn field(
        &self,
        name: &str,
        at: usize,
        source: &Source,
        probe: &Probe,
        captures: &mut Vec<Capture>,
    ) -> Result<Value, Mistake> {
        let bad = |has: &str| Err(Mistake::new(at, format!("`{}` has no field `{name}`; it has {has}", probe)));
        let fixed: &[(&str, Value)] = match source {
            Source::Machine(_) => &[
                ("state", Value::Arg(0)),
                ("step", Value::Arg(1)),
                ("key", Value::Arg(2)),
                ("owner", Value::Arg(3)),
                ("core", Value::Core),
                ("time", Value::Time),
            ],
            Source::Span(_) => {
                &[("key", Value::Arg(0)), ("elapsed", Value::Arg(1)), ("core", Value::Core), ("time", Value::Time)]
            }
            Source::Log(_) => {
                &[("step", Value::Arg(0)), ("key", Value::Arg(1)), ("core", Value::Core), ("time", Value::Time)]
            }
            Source::Tick | Source::End => &[("time", Value::Time)],
            Source::Slot(places) => {
                let trigger = &places[0].0;
                let Some(capture) = (match name {
                    "core" => return Ok(Value::Core),
                    "time" => return Ok(Value::Time),
                    _ => capture(name, trigger),
                }) else {
                    return bad(match trigger {
                        Trigger::Return(_) | Trigger::ReturnFrom { .. } => {
                            "arg0 to arg7 and sarg0.. (as at the entry), retval, elapsed, sp, core, time"
                        }
                        Trigger::Data { .. } => "addr, value, pc, arg0 to arg7, ra, sp, core, time",
                        Trigger::Trap { .. } => "cause, pc, sp, core, time",
                        Trigger::Pc(_) | Trigger::Entry { .. } | Trigger::TrapReturn => {
                            "arg0 to arg7, sarg0.., ra, sp, x1 to x31, pc, core, time"
                        }
                    });
                };
                let n = captures.iter().position(|c| *c == capture).unwrap_or_else(|| {
                    captures.push(capture);
                    captures.len() - 1
                });
                return Ok(Value::Arg(n as u8));
            }
        };
        match fixed.iter().find(|f| f.0 == name) {
            Some(f) => Ok(f.1),
            None => bad(&fixed.iter().map(|f| f.0).collect::<Vec<_>>().join(", ")),
        }
    }
}

fn capture(name: &str, trigger: &Trigger) -> Option<Capture> {
    let number = |prefix: &str, limit: u8| name.strip_prefix(prefix)?.parse::<u8>().ok().filter(|n| *n < limit);
    let is_return = trigger.is_return();
    Some(match name {
        "retval" if is_return => Capture::Register(10),
        "elapsed" if is_return => Capture::Elapsed,
        "addr" if matches!(trigger, Trigger::Data { .. }) => Capture::Address,
        "value" if matches!(trigger, Trigger::Data { .. }) => Capture::Value,
        "cause" if matches!(trigger, Trigger::Trap { .. }) => Capture::Cause,
        "pc" => Capture::Pc,
        "ra" => Capture::Register(1),
        "sp" => Capture::Register(2),
        _ => {
            if let Some(n) = number("arg", 8) {
                return Some(if is_return { Capture::EntryRegister(10 + n) } else { Capture::Register(10 + n) });
            }
            if let Some(n) = number("sarg", 16) {
                return Some(if is_return { Capture::EntryStack(n) } else { Capture::Stack(n) });
            }
            Capture::Register(number("x", 32).filter(|n| *n > 0)?)
        }
    })
}

fn has_map(e: &syntax::Expr) -> bool {
    match &e.kind {
        ExprKind::Map(..) => true,
        ExprKind::Unary(_, a) => has_map(a),
        ExprKind::Binary(_, a, b) => has_map(a) || has_map(b),
        ExprKind::Number(_) | ExprKind::Field(_) | ExprKind::Address(_) => false,
    }
}

/// Whether an expression uses the time.
pub(crate) fn has_time(e: &Expr) -> bool {
    match e {
        Expr::Number(_) => false,
        Expr::Value(v) => *v == Value::Time,
        Expr::Map(_, key) => key.iter().any(has_time),
        Expr::Unary(_, a) => has_time(a),
        Expr::Binary(_, a, b) => has_time(a) || has_time(b),
    }
}

/// Whether a statement uses the time.
pub(crate) fn stmt_has_time(s: &Stmt) -> bool {
    match s {
        Stmt::Sum(_, key, v) | Stmt::Set(_, key, v) => key.iter().any(has_time) || has_time(v),
        Stmt::Printf(_, values) => values.iter().any(has_time),
        Stmt::Print(..) | Stmt::Clear(_) => false,
    }
}

pub(crate) fn format_parts(format: &str) -> Result<Vec<Part>, String> {
    let (mut parts, mut text, mut chars) = (Vec::new(), String::new(), format.chars());
    while let Some(c) = chars.next() {
        if c != '%' {
            text.push(c);
            continue;
        }
        let part = match chars.next() {
            Some('%') => {
                text.push('%');
                continue;
            }
            Some('d' | 'u') => Part::Decimal,
            Some('x') => Part::Hex,
            Some('s') => Part::Symbol,
            other => {
                let other = other.map_or(String::new(), String::from);
                return Err(format!("`%{other}` is not a placeholder; expected %d, %x, %s (symbol) or %%"));
            }
        };
        parts.extend([Part::Text(std::mem::take(&mut text)), part]);
    }
    parts.push(Part::Text(text));
    Ok(parts)
}
