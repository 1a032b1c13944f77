//! Resolves clauses and their statements

use super::expressions::Cx;
use super::maps::all_of;
use super::{stmt_has_time, Resolver, Source};
use crate::app::{Clause, Consumer, Expr, Kind, Origin, Stmt};
use crate::format;
use crate::syntax::{self, Binary, ExprKind, Probe, Query, Summary, Unary};
use crate::Mistake;

/// A part of a clause that can be on its own: conditions, and statements.
type Piece<'a> = (Vec<syntax::Expr>, Vec<&'a syntax::Stmt>);

fn any(e: &syntax::Expr, is: &impl Fn(&ExprKind) -> bool) -> bool {
    let inside = match &e.kind {
        ExprKind::Map(.., key) => key.iter().any(|k| any(k, is)),
        ExprKind::Unary(_, a) | ExprKind::Cast(_, a) => any(a, is),
        ExprKind::Binary(_, a, b) => any(a, is) || any(b, is),
        ExprKind::Choose(all) => all.iter().any(|e| any(e, is)),
        ExprKind::Number(_) | ExprKind::Field(_) | ExprKind::Address(_) | ExprKind::Text(_) | ExprKind::Scratch(_) => {
            false
        }
    };
    inside || is(&e.kind)
}

fn has_map(e: &syntax::Expr) -> bool {
    any(e, &|k| matches!(k, ExprKind::Map(..)))
}

/// The condition that holds where another does not.
fn opposite(e: &syntax::Expr) -> syntax::Expr {
    let opposed = |op| {
        Some(match op {
            Binary::Eq => Binary::Ne,
            Binary::Ne => Binary::Eq,
            Binary::Lt => Binary::Ge,
            Binary::Ge => Binary::Lt,
            Binary::Gt => Binary::Le,
            Binary::Le => Binary::Gt,
            _ => return None,
        })
    };
    let kind = match &e.kind {
        ExprKind::Binary(op, a, b) if opposed(*op).is_some() => {
            ExprKind::Binary(opposed(*op).unwrap_or(*op), a.clone(), b.clone())
        }
        _ => ExprKind::Unary(Unary::Not, Box::new(e.clone())),
    };
    syntax::Expr { at: e.at, kind }
}

impl Resolver<'_> {
    /// Divides a body into one piece for each sum, so that each can be where its table is. `None`: it does other things.
    fn pieces<'a>(
        &self,
        body: &'a [syntax::Stmt],
        when: &[syntax::Expr],
        lets: &[&'a syntax::Stmt],
    ) -> Option<Vec<Piece<'a>>> {
        let (mut pieces, mut lets) = (Vec::new(), lets.to_vec());
        for stmt in body {
            match stmt {
                syntax::Stmt::Sum { key, value, .. } if !key.iter().chain(value).any(has_map) => {
                    pieces.push((when.to_vec(), lets.iter().copied().chain([stmt]).collect()));
                }
                syntax::Stmt::Increment { map, key, .. }
                    if !key.iter().any(has_map)
                        && self.app.maps.iter().any(|m| m.name == *map && m.summary == Some(Summary::Count)) =>
                {
                    pieces.push((when.to_vec(), lets.iter().copied().chain([stmt]).collect()));
                }
                syntax::Stmt::Let { value, .. } if when.is_empty() && !has_map(value) => lets.push(stmt),
                syntax::Stmt::If { condition, then, other }
                    if !any(condition, &|k| matches!(k, ExprKind::Map(..) | ExprKind::Scratch(_))) =>
                {
                    let with = |e: syntax::Expr| when.iter().cloned().chain([e]).collect::<Vec<_>>();
                    pieces.extend(self.pieces(then, &with(condition.clone()), &lets)?);
                    pieces.extend(self.pieces(other, &with(opposite(condition)), &lets)?);
                }
                _ => return None,
            }
        }
        Some(pieces)
    }

    pub(super) fn clause(
        &mut self,
        probe: &Probe,
        predicate: Option<&syntax::Expr>,
        body: &[syntax::Stmt],
    ) -> Result<(), Mistake> {
        let source = self.source(probe)?;
        let divided = match source {
            Source::Slot(_) | Source::Span(_) if !predicate.is_some_and(has_map) => self.pieces(body, &[], &[]),
            _ => None,
        };
        let whole = || vec![(Vec::new(), body.iter().collect())];
        let pieces: Vec<Piece<'_>> = divided.filter(|p| !p.is_empty()).unwrap_or_else(whole);
        for (when, stmts) in pieces {
            let all = predicate.cloned().into_iter().chain(when);
            let predicate = all.reduce(|a, b| syntax::Expr {
                at: a.at,
                kind: ExprKind::Binary(Binary::And, Box::new(a), Box::new(b)),
            });
            self.piece(probe, &source, predicate.as_ref(), &stmts)?;
        }
        Ok(())
    }

    fn piece(
        &mut self,
        probe: &Probe,
        source: &Source,
        predicate: Option<&syntax::Expr>,
        stmts: &[&syntax::Stmt],
    ) -> Result<(), Mistake> {
        let mut cx = Cx::new(source, probe);
        let predicate = predicate.map(|p| self.number(p, &mut cx)).transpose()?;
        for stmt in stmts.iter().flat_map(|s| all_of(std::slice::from_ref(*s))) {
            if let syntax::Stmt::Let { name, .. } = stmt {
                cx.assigned.push(name.clone());
            }
        }
        let mut body = Vec::new();
        for stmt in stmts {
            body.extend(self.stmt(stmt, &mut cx, true)?);
        }
        let n = self.app.clauses.len();
        let mut every = 1;
        let origin = match source {
            Source::Slot(_) => {
                let inside = |s: &Stmt| s.all().iter().any(|s| matches!(s, Stmt::Printf(..)) || stmt_has_time(s));
                let stamped = predicate.iter().any(super::has_time) || body.iter().any(inside);
                Origin::Slot(self.slot(probe, Consumer::Clause(n), std::mem::take(&mut cx.captures), stamped)?)
            }
            Source::Machine(m) => Origin::Machine(*m),
            Source::Span(s) => Origin::Span(*s),
            Source::Log(l) => Origin::Log(*l),
            Source::Begin => Origin::Begin,
            Source::Tick(n) => {
                every = *n;
                Origin::Tick
            }
            Source::End => Origin::End,
        };
        let scratch = cx.slots();
        self.app.clauses.push(Clause { origin, predicate, body, scratch, every });
        Ok(())
    }

    fn block(&mut self, stmts: &[syntax::Stmt], cx: &mut Cx<'_>) -> Result<Vec<Stmt>, Mistake> {
        let mut body = Vec::new();
        for stmt in stmts {
            body.extend(self.stmt(stmt, cx, false)?);
        }
        Ok(body)
    }

    /// Keys of a map's entry.
    fn key(&mut self, map: usize, key: &[syntax::Expr], at: usize, cx: &mut Cx<'_>) -> Result<Vec<Expr>, Mistake> {
        let (key, kinds) = self.keys(key, cx)?;
        self.keys_are(map, &kinds, at)?;
        Ok(key)
    }

    /// A statement; `None`: it only names a value. `outer`: it is not in another statement.
    fn stmt(&mut self, s: &syntax::Stmt, cx: &mut Cx<'_>, outer: bool) -> Result<Option<Stmt>, Mistake> {
        Ok(Some(match s {
            syntax::Stmt::Sum { at, map, key, value, .. } => {
                let map = self.map(map, *at)?;
                let key = self.key(map, key, *at, cx)?;
                let value = value.as_ref().map(|v| self.number(v, cx)).transpose()?;
                Stmt::Sum(map, key, value.unwrap_or(Expr::Number(0)))
            }
            syntax::Stmt::Increment { at, map, key } => {
                let map = self.map(map, *at)?;
                let key = self.key(map, key, *at, cx)?;
                if self.app.maps[map].summary.is_some() {
                    return Ok(Some(Stmt::Sum(map, key, Expr::Number(0))));
                }
                self.app.maps[map].read = true;
                let old = Expr::Map(Query::Value, map, key.clone());
                Stmt::Set(map, key, Expr::Binary(Binary::Add, Box::new(old), Box::new(Expr::Number(1))))
            }
            syntax::Stmt::Set { at, map, key, value } => {
                let map = self.map(map, *at)?;
                let key = self.key(map, key, *at, cx)?;
                Stmt::Set(map, key, self.number(value, cx)?)
            }
            syntax::Stmt::Printf { at, format, values } => {
                let parts = format::parts(format).map_err(|what| Mistake::new(*at, what))?;
                let wanted = parts.iter().filter(|p| p.takes_value()).count();
                if wanted != values.len() {
                    let s = if wanted == 1 { "" } else { "s" };
                    let what = format!("the format has {wanted} placeholder{s}; values given: {}", values.len());
                    return Err(Mistake::new(*at, what));
                }
                let mut shown = Vec::new();
                for (value, part) in values.iter().zip(parts.iter().filter(|p| p.takes_value())) {
                    let (e, kind) = self.expr(value, cx)?;
                    if kind == Kind::Text && !matches!(part, format::Part::Symbol(_)) {
                        return Err(Mistake::new(value.at, format!("this is a text; %s shows it, not {part}")));
                    }
                    shown.push((e, kind));
                }
                Stmt::Printf(parts, shown)
            }
            syntax::Stmt::Print { at, map, rows } => Stmt::Print(self.map(map, *at)?, *rows),
            syntax::Stmt::Clear { at, map } => Stmt::Clear(self.map(map, *at)?),
            syntax::Stmt::Delete { at, map, key } => {
                let map = self.map(map, *at)?;
                match self.key(map, key, *at, cx)? {
                    key if key.is_empty() && !self.app.maps[map].keys.is_empty() => Stmt::Clear(map),
                    key => Stmt::Delete(map, key),
                }
            }
            syntax::Stmt::Let { at, name, value } => {
                let (value, kind) = self.expr(value, cx)?;
                return cx.assign(name, value, kind, outer).map_err(|what| Mistake::new(*at, what));
            }
            syntax::Stmt::If { condition, then, other } => {
                let condition = self.number(condition, cx)?;
                Stmt::If(condition, self.block(then, cx)?, self.block(other, cx)?)
            }
            syntax::Stmt::Exit => Stmt::Exit,
        }))
    }
}
