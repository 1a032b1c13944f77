//! Fields of events

use super::expressions::Cx;
use super::{Resolver, Source};
use crate::app::{Expr, Kind, Number, Value};
use crate::symbols::{Passed, SiteKind, MASTER};
use crate::Mistake;
use sim::diag::master::no_pc;
use sim::diag::trigger::{Capture, Trigger};

/// A table of texts by address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Functions.
    Functions,
    /// Source lines.
    Lines,
}

/// The address that a trigger of code waits for.
fn code_address(trigger: &Trigger) -> Option<u64> {
    match trigger {
        Trigger::Pc(at) | Trigger::Return(at) => Some(*at),
        Trigger::Entry { first, .. } | Trigger::ReturnFrom { first, .. } => Some(*first),
        Trigger::Data { .. } | Trigger::Trap { .. } | Trigger::TrapReturn => None,
    }
}

impl Resolver<'_> {
    /// The number of a text.
    pub(super) fn text(&mut self, text: &str) -> i64 {
        let texts = &mut self.app.texts;
        let at = texts.iter().position(|t| t == text).unwrap_or_else(|| {
            texts.push(text.to_string());
            texts.len() - 1
        });
        at as i64
    }

    /// Number of a table of texts; it is made when it is first needed.
    fn table(&mut self, table: Table) -> usize {
        if let Some(known) = self.tables.iter().position(|t| *t == table) {
            return known;
        }
        let rows = match table {
            Table::Functions => self.symbols.function_starts(),
            Table::Lines => self.symbols.lines(),
        };
        let mut numbers = std::collections::HashMap::new();
        let first = self.app.texts.len();
        let mut of = Vec::new();
        for (at, text) in rows {
            let next = first + numbers.len();
            let number = *numbers.entry(text.clone()).or_insert(next);
            if number == self.app.texts.len() {
                self.app.texts.push(text);
            }
            of.push((at, number as i64));
        }
        // stores of bus masters are at no instruction
        of.push((no_pc(self.app.xlen()), self.text(MASTER)));
        self.app.lookups.push(of);
        self.tables.push(table);
        self.tables.len() - 1
    }

    /// The value of a captured word.
    fn word(cx: &mut Cx<'_>, capture: Capture) -> u8 {
        let n = cx.captures.iter().position(|c| *c == capture).unwrap_or_else(|| {
            cx.captures.push(capture);
            cx.captures.len() - 1
        });
        n as u8
    }

    /// A captured number, or the lower 32 bits of it if no others are used.
    fn captured(&self, cx: &mut Cx<'_>, capture: Capture) -> Expr {
        let low = Self::word(cx, capture);
        Expr::Value(match capture.number().filter(|_| self.app.wide && !cx.lower) {
            Some(number) => Value::Wide(low, Self::word(cx, Capture::Upper(number))),
            None => Value::Arg(low),
        })
    }

    /// `args.NAME`: a parameter by its name, with the sign of its type.
    fn parameter(&self, name: &str, at: usize, cx: &mut Cx<'_>) -> Result<Expr, Mistake> {
        let wrong = |what: String| Err(Mistake::new(at, what));
        let (Source::Slot(places), true) = (cx.source, ["call", "ret"].contains(&cx.probe.kind.as_str())) else {
            return wrong("`args` are those of call: and ret:".into());
        };
        // an inlined copy is no place for an event with arguments
        let called: Vec<Trigger> = places.iter().filter(|p| p.1 == SiteKind::Function).map(|p| p.0).collect();
        let Some(trigger) = called.first() else {
            return wrong(format!("`args.{name}`: every call of {} was inlined; no register has it", cx.probe));
        };
        let mut found: Vec<(u8, Number)> = Vec::new();
        for at in called.iter().filter_map(code_address) {
            let Some(parameters) = self.symbols.parameters(at) else {
                let what = "has no debug information of its parameters; arg0 to arg7 are there";
                return wrong(format!("{} {what}", cx.probe));
            };
            let Some(parameter) = parameters.iter().find(|p| p.name == name) else {
                let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
                return wrong(format!("{} has no parameter `{name}`; it has {}", cx.probe, names.join(", ")));
            };
            match (parameter.passed, parameter.number) {
                (Passed::Register(register), Some(number)) => found.push((register, number)),
                (Passed::Nowhere, _) => {
                    let shown = self.symbols.at(at).unwrap_or_default();
                    return wrong(format!("`args.{name}`: no register has it where {shown} is entered, at {at:#x}"));
                }
                _ => {
                    return wrong(format!(
                        "`args.{name}`: a parameter before it, or itself, is not a number in one register; arg0 to arg7 and \
                         sarg0.. are words"
                    ))
                }
            }
        }
        let (register, of) = found[0];
        if found.iter().any(|f| *f != found[0]) {
            let what = "is not in the same register, or not of the same type, in all functions and copies";
            return wrong(format!("`args.{name}` {what} that {} selects; name one of them", cx.probe));
        }
        let capture = if trigger.is_return() { Capture::EntryRegister(register) } else { Capture::Register(register) };
        if of.size == 8 {
            return Ok(self.captured(cx, capture));
        }
        let word = Expr::Value(Value::Arg(Self::word(cx, capture)));
        Ok(if of.size == 4 && !of.signed { word } else { Expr::Cast(of, Box::new(word)) })
    }

    pub(super) fn field(&mut self, name: &str, at: usize, cx: &mut Cx<'_>) -> Result<(Expr, Kind), Mistake> {
        if let Some(parameter) = name.strip_prefix("args.") {
            return Ok((self.parameter(parameter, at, cx)?, Kind::Number));
        }
        if name == "probe" {
            return Ok((Expr::Number(self.text(&cx.probe.to_string())), Kind::Text));
        }
        if let (Source::Slot(places), "func" | "line") = (cx.source, name) {
            let table = self.table(if name == "func" { Table::Functions } else { Table::Lines });
            // of one place it is known
            if let ([(trigger, _)], "call" | "ret" | "pc" | "line") = (&places[..], cx.probe.kind.as_str()) {
                let known = code_address(trigger).filter(|_| name == "func" || !trigger.is_return());
                if let Some(pc) = known {
                    return Ok((Expr::Number(self.app.text_at(table, pc)), Kind::Text));
                }
            }
            let pc = self.captured(cx, Capture::Pc);
            return Ok((Expr::Lookup(table, Box::new(pc)), Kind::Text));
        }
        let bad = |has: &str| Err(Mistake::new(at, format!("`{}` has no field `{name}`; it has {has}", cx.probe)));
        let fixed: &[(&str, Value)] = match cx.source {
            Source::Machine(m) if self.app.machines[*m].is_wide() => &[
                ("state", Value::Arg(0)),
                ("step", Value::Arg(1)),
                ("key", Value::Wide(2, 3)),
                ("owner", Value::Wide(4, 5)),
                ("core", Value::Core),
                ("time", Value::Time),
            ],
            Source::Span(s) if self.app.spans[*s].is_wide() => {
                &[("key", Value::Wide(0, 1)), ("elapsed", Value::Arg(2)), ("core", Value::Core), ("time", Value::Time)]
            }
            Source::Log(l) if self.app.logs[*l].is_wide() => {
                &[("step", Value::Arg(0)), ("key", Value::Wide(1, 2)), ("core", Value::Core), ("time", Value::Time)]
            }
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
            Source::Begin | Source::Tick(_) | Source::End => &[("time", Value::Time)],
            Source::Slot(places) => {
                let trigger = &places[0].0;
                let Some(capture) = (match name {
                    "core" => return Ok((Expr::Value(Value::Core), Kind::Number)),
                    "time" => return Ok((Expr::Value(Value::Time), Kind::Number)),
                    _ => capture(name, trigger),
                }) else {
                    return bad(match trigger {
                        Trigger::Return(_) | Trigger::ReturnFrom { .. } => {
                            "arg0 to arg7 and sarg0.. (as at the entry), args.NAME, retval, elapsed, sp, func, probe, core, time"
                        }
                        Trigger::Data { .. } => "addr, value, pc, func, line, arg0 to arg7, ra, sp, probe, core, time",
                        Trigger::Trap { .. } => "cause, pc, func, line, sp, probe, core, time",
                        Trigger::Pc(_) | Trigger::Entry { .. } | Trigger::TrapReturn => {
                            "arg0 to arg7, sarg0.., args.NAME, ra, sp, x1 to x31, pc, func, line, probe, core, time"
                        }
                    });
                };
                return Ok((self.captured(cx, capture), Kind::Number));
            }
        };
        match fixed.iter().find(|f| f.0 == name) {
            Some(f) => Ok((Expr::Value(f.1), Kind::Number)),
            None => bad(&fixed.iter().map(|f| f.0).chain(["probe"]).collect::<Vec<_>>().join(", ")),
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
