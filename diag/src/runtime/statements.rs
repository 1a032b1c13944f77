//! Statements and expressions of clauses

use super::{arg, weight, wide, Context, Mark, Output, Provenance, Runtime, Sum};
use crate::app::{Expr, Kind, Stmt, Value};
use crate::syntax::{Binary, Query, Unary};

impl Runtime {
    fn key(&self, key: &[Expr], cx: &Context<'_>) -> Vec<i64> {
        key.iter().map(|k| self.eval(k, cx)).collect()
    }

    /// Runs statements. Returns false if they end the script.
    pub(super) fn run(&mut self, body: &[Stmt], cx: &mut Context<'_>) -> bool {
        for s in body {
            match s {
                Stmt::Sum(m, key, value) => {
                    let (key, value) = (self.key(key, cx), self.eval(value, cx));
                    self.add(*m, key, value);
                }
                Stmt::Set(m, key, value) => {
                    let (key, value) = (self.key(key, cx), self.eval(value, cx));
                    self.maps[*m].insert(key, Sum { sum: value.into(), ..Sum::default() });
                }
                Stmt::Printf(parts, values) => {
                    let mut values = values.iter().map(|(v, kind)| (self.eval(v, cx), *kind));
                    let mut next = || values.next().unwrap_or((0, Kind::Number));
                    let shown = parts.iter().map(|p| {
                        let (value, kind) = if p.takes_value() { next() } else { (0, Kind::Number) };
                        let text = self.app.texts.get(value as usize).filter(|_| kind == Kind::Text);
                        p.shown(value, text.map(String::as_str))
                    });
                    let parts = shown.collect();
                    let text = Output::Text { core: cx.core, time: cx.time, parts, mark: Mark::default() };
                    self.outputs.push((text, Provenance::Clause(cx.clause)));
                }
                Stmt::Print(m, rows) => self.print(*m, *rows, cx.time),
                Stmt::Clear(m) => self.maps[*m].clear(),
                Stmt::Delete(m, key) => {
                    let key = self.key(key, cx);
                    self.maps[*m].remove(&key);
                }
                Stmt::Let(n, value) => {
                    let value = self.eval(value, cx);
                    if let Some(place) = cx.scratch.get_mut(*n) {
                        *place = value;
                    }
                }
                Stmt::If(condition, then, other) => {
                    let taken = if self.eval(condition, cx) != 0 { then } else { other };
                    if !self.run(taken, cx) {
                        return false;
                    }
                }
                Stmt::Exit => {
                    self.exited = self.exited.or(Some(cx.time));
                    return false;
                }
            }
        }
        true
    }

    /// The value of an expression.
    pub(super) fn eval(&self, e: &Expr, cx: &Context<'_>) -> i64 {
        match e {
            Expr::Number(n) => *n,
            Expr::Value(Value::Arg(n)) => arg(cx.event, *n).into(),
            Expr::Value(Value::Wide(low, high)) => wide(cx.event, *low, *high) as i64,
            Expr::Value(Value::Core) => cx.event.core.into(),
            Expr::Value(Value::Time) => cx.time as i64,
            Expr::Map(query, m, key) => {
                let key: Vec<i64> = key.iter().map(|k| self.eval(k, cx)).collect();
                let (map, summary) = (&self.maps[*m], self.app.maps[*m].summary);
                match query {
                    Query::Value => map.get(&key).map_or(0, |s| weight(summary, s) as i64),
                    Query::HasKey => i64::from(map.contains_key(&key)),
                    Query::Len => map.len() as i64,
                }
            }
            Expr::Scratch(n) => cx.scratch.get(*n).copied().unwrap_or(0),
            Expr::Cast(of, a) => {
                let (a, unused) = (self.eval(a, cx), 64 - 8 * of.size);
                match of.signed {
                    true => a << unused >> unused,
                    false => ((a as u64) << unused >> unused) as i64,
                }
            }
            Expr::Choose(all) => {
                let [condition, then, other] = &**all;
                self.eval(if self.eval(condition, cx) != 0 { then } else { other }, cx)
            }
            Expr::Lookup(table, a) => self.app.text_at(*table, self.eval(a, cx) as u64),
            Expr::Unary(op, a) => {
                let a = self.eval(a, cx);
                match op {
                    Unary::Negate => a.wrapping_neg(),
                    Unary::Not => i64::from(a == 0),
                    Unary::Invert => !a,
                }
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, cx), self.eval(b, cx));
                match op {
                    Binary::Or => i64::from(a != 0 || b != 0),
                    Binary::And => i64::from(a != 0 && b != 0),
                    Binary::BitOr => a | b,
                    Binary::BitXor => a ^ b,
                    Binary::BitAnd => a & b,
                    Binary::Eq => i64::from(a == b),
                    Binary::Ne => i64::from(a != b),
                    Binary::Lt => i64::from(a < b),
                    Binary::Le => i64::from(a <= b),
                    Binary::Gt => i64::from(a > b),
                    Binary::Ge => i64::from(a >= b),
                    Binary::Shl => a.wrapping_shl(b as u32),
                    Binary::Shr => a.wrapping_shr(b as u32),
                    Binary::Add => a.wrapping_add(b),
                    Binary::Sub => a.wrapping_sub(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::Div => a.checked_div(b).unwrap_or(0),
                    Binary::Rem => a.checked_rem(b).unwrap_or(0),
                }
            }
        }
    }
}
