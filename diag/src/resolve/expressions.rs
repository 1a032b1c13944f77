//! Resolves expressions

use super::{Resolver, Source};
use crate::app::{Expr, Kind, Number, Stmt, Value};
use crate::syntax::{self, Binary, ExprKind, Probe, Query, Summary};
use crate::Mistake;
use sim::diag::trigger::Capture;

/// A scratch variable of a clause.
#[derive(Clone, Debug)]
struct Scratch {
    name: String,
    kind: Kind,
    /// What it is the same as; otherwise it has a number.
    same: Result<Expr, usize>,
}

/// What the expressions of a clause refer to.
pub(super) struct Cx<'a> {
    pub source: &'a Source,
    pub probe: &'a Probe,
    /// Words that the event carries.
    pub captures: Vec<Capture>,
    /// Only the lower 32 bits of a field are used.
    pub lower: bool,
    /// Names of scratch variables, as often as they are assigned.
    pub assigned: Vec<String>,
    scratch: Vec<Scratch>,
}

impl<'a> Cx<'a> {
    pub fn new(source: &'a Source, probe: &'a Probe) -> Self {
        Self { source, probe, captures: Vec::new(), lower: false, assigned: Vec::new(), scratch: Vec::new() }
    }

    /// Number of scratch variables that have one.
    pub fn slots(&self) -> usize {
        self.scratch.iter().filter(|s| s.same.is_err()).count()
    }

    /// Assigns a scratch variable. A field that is assigned once is only another name of it, so that nodes can take it.
    pub fn assign(&mut self, name: &str, value: Expr, kind: Kind, outer: bool) -> Result<Option<Stmt>, String> {
        if let Some(known) = self.scratch.iter().find(|s| s.name == name) {
            return match (&known.same, known.kind == kind) {
                (Err(n), true) => Ok(Some(Stmt::Let(*n, value))),
                _ => Err(format!("${name} is a number in one place and a text in another")),
            };
        }
        let once = self.assigned.iter().filter(|a| *a == name).count() == 1;
        let is_leaf = matches!(value, Expr::Value(_) | Expr::Number(_));
        let (name, n) = (name.to_string(), self.slots());
        if once && outer && is_leaf {
            self.scratch.push(Scratch { name, kind, same: Ok(value) });
            return Ok(None);
        }
        self.scratch.push(Scratch { name, kind, same: Err(n) });
        Ok(Some(Stmt::Let(n, value)))
    }
}

impl Resolver<'_> {
    /// A number.
    pub(super) fn number(&mut self, e: &syntax::Expr, cx: &mut Cx<'_>) -> Result<Expr, Mistake> {
        match self.expr(e, cx)? {
            (found, Kind::Number) => Ok(found),
            (_, Kind::Text) => {
                Err(Mistake::new(e.at, "this is a text; a number is needed, and a text can be a key or a value of %s"))
            }
        }
    }

    /// Keys with their kinds.
    pub(super) fn keys(&mut self, key: &[syntax::Expr], cx: &mut Cx<'_>) -> Result<(Vec<Expr>, Vec<Kind>), Mistake> {
        let all = key.iter().map(|k| self.expr(k, cx)).collect::<Result<Vec<_>, _>>()?;
        Ok(all.into_iter().unzip())
    }

    /// The low bytes of a number. Of a field, no more words are carried than are used.
    fn cast(&mut self, of: Number, e: &syntax::Expr, cx: &mut Cx<'_>) -> Result<Expr, Mistake> {
        cx.lower = of.size <= 4 && matches!(e.kind, ExprKind::Field(_));
        let found = self.number(e, cx);
        let lower = std::mem::take(&mut cx.lower);
        let found = found?;
        let whole = lower && (of.size, of.signed) == (4, false) && matches!(found, Expr::Value(Value::Arg(_)));
        Ok(if whole { found } else { Expr::Cast(of, Box::new(found)) })
    }

    /// An expression, and what its value is.
    pub(super) fn expr(&mut self, e: &syntax::Expr, cx: &mut Cx<'_>) -> Result<(Expr, Kind), Mistake> {
        let number = match &e.kind {
            ExprKind::Number(n) => Expr::Number(*n),
            ExprKind::Address(name) => Expr::Number(self.address_of(name, e.at)? as i64),
            ExprKind::Text(text) => return Ok((Expr::Number(self.text(text)), Kind::Text)),
            ExprKind::Scratch(name) => {
                let Some(known) = cx.scratch.iter().find(|s| s.name == *name) else {
                    return Err(Mistake::new(e.at, format!("${name} is not set before; `${name} = ...` sets it")));
                };
                let value = known.same.clone().unwrap_or_else(Expr::Scratch);
                return Ok((value, known.kind));
            }
            ExprKind::Field(name) => return self.field(name, e.at, cx),
            ExprKind::Map(query, name, key) => {
                let map = self.map(name, e.at)?;
                let readable = |s: Summary| matches!(s, Summary::Count | Summary::Sum | Summary::Min | Summary::Max);
                if *query == Query::Value && self.app.maps[map].summary.is_some_and(|s| !readable(s)) {
                    return Err(Mistake::new(e.at, format!("@{name} is not a number; it can be printed")));
                }
                self.app.maps[map].read = true;
                let (key, kinds) = self.keys(key, cx)?;
                self.keys_are(map, &kinds, e.at)?;
                Expr::Map(*query, map, key)
            }
            ExprKind::Unary(op, a) => Expr::Unary(*op, Box::new(self.number(a, cx)?)),
            ExprKind::Cast(of, a) => self.cast(*of, a, cx)?,
            ExprKind::Choose(all) => {
                let [c, a, b] = &**all;
                let condition = self.number(c, cx)?;
                let ((a, kind), (b, other)) = (self.expr(a, cx)?, self.expr(b, cx)?);
                if kind != other {
                    return Err(Mistake::new(e.at, "one of the two is a number and the other a text"));
                }
                return Ok((Expr::Choose(Box::new([condition, a, b])), kind));
            }
            ExprKind::Binary(op @ (Binary::Eq | Binary::Ne), a, b) => {
                let (at, (a, kind), (b, other)) = (b.at, self.expr(a, cx)?, self.expr(b, cx)?);
                if kind != other {
                    return Err(Mistake::new(at, "a number cannot be compared with a text"));
                }
                Expr::Binary(*op, Box::new(a), Box::new(b))
            }
            ExprKind::Binary(op, a, b) => {
                Expr::Binary(*op, Box::new(self.number(a, cx)?), Box::new(self.number(b, cx)?))
            }
        };
        Ok((number, Kind::Number))
    }
}
