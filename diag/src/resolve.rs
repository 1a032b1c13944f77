//! Resolves the names of a script to addresses, captures and indices

use crate::app::{App, Consumer, Expr, MachineDef, SpanDef, Stmt, Use, Value};
use crate::symbols::{SiteKind, Symbols};
use crate::syntax::{Item, Keyed, Probe};
use crate::Mistake;
use expressions::Cx;
use places::Place;
use sim::diag::trigger::{Capture, Trigger, CAPTURES};

mod clauses;
mod expressions;
mod fields;
mod maps;
mod places;
mod ticks;
mod watchers;

/// Source and content of a probe's events.
enum Source {
    /// Locations of the program, at least one.
    Slot(Vec<Place>),
    Machine(usize),
    Span(usize),
    Log(usize),
    Begin,
    /// Each tick whose number is a multiple of this.
    Tick(u32),
    End,
}

struct Resolver<'a> {
    symbols: &'a Symbols,
    clock_hz: u64,
    app: App,
    /// Periods of ticks, and their positions.
    periods: Vec<(u32, usize)>,
    /// Tables of texts that the application has.
    tables: Vec<fields::Table>,
}

/// Resolves the items of a script for a program; times are computed with `clock_hz`.
pub fn resolve(items: &[Item], symbols: &Symbols, clock_hz: u64) -> Result<App, Mistake> {
    let app = App { wide: symbols.xlen() == 64, ..App::default() };
    let mut r = Resolver { symbols, clock_hz, app, periods: Vec::new(), tables: Vec::new() };
    r.declare_maps(items)?;
    r.declare_ticks(items)?;
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
    r.check_size(items)?;
    Ok(r.app)
}

impl Resolver<'_> {
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
        let mut cx = Cx::new(&source, &keyed.probe);
        let value = self.number(key, &mut cx)?;
        captures.append(&mut cx.captures);
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
            "tick" => self.tick(probe).map(Source::Tick),
            "begin" | "BEGIN" => Ok(Source::Begin),
            "end" | "END" => Ok(Source::End),
            other => {
                let what = format!(
                    "`{other}` is not a probe; expected call, ret, pc, line, read, write, access, trap, interrupt, exception, trapret, \
                     violation, span, log, tick, begin or end"
                );
                Err(Mistake::new(probe.at, what))
            }
        }
    }
}

/// Whether an expression uses the time.
pub(crate) fn has_time(e: &Expr) -> bool {
    e.any(&|e| *e == Expr::Value(Value::Time))
}

/// Whether a statement uses the time.
pub(crate) fn stmt_has_time(s: &Stmt) -> bool {
    s.expressions().into_iter().any(has_time)
}
