//! Parser of statements
//!
//! ```text
//! block     = "{" { statement ";" } "}"          no ";" is needed after a block and before "}"
//! statement = map "=" summary "(" [ expr { "," number } ] ")" | map "=" expr | map op "=" expr | map "++" | map "--"
//!           | "$" name "=" expr | "$" name op "=" expr | "$" name "++" | "$" name "--"
//!           | "if" "(" expr ")" block [ "else" ( block | if ) ]
//!           | "printf" "(" string { "," expr } ")" | "print" "(" map [ "," number ] ")" | "clear" "(" map ")"
//!           | "delete" "(" map ")" | "exit" "(" ")"
//! map       = "@" [ name ] [ "[" expr { "," expr } "]" ]
//! ```

use super::{Parser, Token};
use crate::syntax::{Binary, Expr, ExprKind, Linear, Query, Stmt, Summary, Unary};
use crate::Mistake;

/// What statements start with, for messages.
const STATEMENTS: &str = "`@map = ...`, `$name = ...`, `if`, `printf`, `print`, `clear`, `delete` or `exit`";

/// Operators that can be before `=`.
const ASSIGNED: [(&str, Binary); 10] = [
    ("+=", Binary::Add),
    ("-=", Binary::Sub),
    ("*=", Binary::Mul),
    ("/=", Binary::Div),
    ("%=", Binary::Rem),
    ("&=", Binary::BitAnd),
    ("|=", Binary::BitOr),
    ("^=", Binary::BitXor),
    ("<<=", Binary::Shl),
    (">>=", Binary::Shr),
];

/// A number that is written as such.
fn constant(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Number(n) => Some(*n),
        ExprKind::Unary(Unary::Negate, a) => constant(a)?.checked_neg(),
        _ => None,
    }
}

impl Parser<'_> {
    /// Statements in braces.
    pub(super) fn block(&mut self) -> Result<Vec<Stmt>, Mistake> {
        self.need("{")?;
        let mut body = Vec::new();
        while !self.is("}") {
            let stmt = self.stmt()?;
            let is_block = matches!(stmt, Stmt::If { .. });
            body.push(stmt);
            if !self.is(";") && !is_block && !matches!(self.peek(), Token::Sign("}")) {
                return self.wrong("`;` or `}`");
            }
        }
        Ok(body)
    }

    /// What is assigned with an operator, or by `++` and `--`; `old` is the value before. `None`: `=` is next.
    fn changed(&mut self, at: usize, old: ExprKind) -> Result<Option<Expr>, Mistake> {
        let binary = |op, b: Expr| {
            let old = Box::new(Expr { at, kind: old });
            Ok(Some(Expr { at, kind: ExprKind::Binary(op, old, Box::new(b)) }))
        };
        let one = Expr { at, kind: ExprKind::Number(1) };
        if self.is("++") {
            return binary(Binary::Add, one);
        }
        if self.is("--") {
            return binary(Binary::Sub, one);
        }
        for (sign, op) in ASSIGNED {
            if self.is(sign) {
                let value = self.expr()?;
                return binary(op, value);
            }
        }
        self.need("=")?;
        Ok(None)
    }

    fn stmt(&mut self) -> Result<Stmt, Mistake> {
        let at = self.at();
        match self.peek() {
            Token::Sign("@") => return self.assignment(at),
            Token::Sign("$") => {
                self.take();
                let name = self.name("the name of a variable")?;
                let value = match self.changed(at, ExprKind::Scratch(name.clone()))? {
                    Some(value) => value,
                    None => self.expr()?,
                };
                return Ok(Stmt::Let { at, name, value });
            }
            _ => {}
        }
        let word = self.name(STATEMENTS)?;
        if word == "if" {
            return self.condition(at);
        }
        if !["printf", "print", "clear", "delete", "exit"].contains(&word.as_str()) {
            return Err(Mistake::new(at, format!("`{word}` is not a statement; expected {STATEMENTS}")));
        }
        self.need("(")?;
        let stmt = match word.as_str() {
            "printf" => self.printf(at)?,
            "print" => {
                let (map, _) = self.map()?;
                let mut rows = None;
                if self.is(",") {
                    match self.take() {
                        Token::Number(n) if n > 0 => rows = Some(n as usize),
                        _ => {
                            self.next -= 1;
                            return self.wrong("a number of rows, at least 1,");
                        }
                    }
                }
                Stmt::Print { at, map, rows }
            }
            "delete" => {
                let (map, mut key) = self.map()?;
                // `delete(@m, key)` is the other way to write it
                let listed = key.is_empty();
                while listed && self.is(",") {
                    key.push(self.expr()?);
                }
                Stmt::Delete { at, map, key }
            }
            "exit" => Stmt::Exit,
            _ => Stmt::Clear { at, map: self.map()?.0 },
        };
        self.need(")")?;
        Ok(stmt)
    }

    fn printf(&mut self, at: usize) -> Result<Stmt, Mistake> {
        let Token::Text(format) = self.take() else {
            self.next -= 1;
            return self.wrong("a text in quotation marks");
        };
        let mut values = Vec::new();
        while self.is(",") {
            values.push(self.expr()?);
        }
        Ok(Stmt::Printf { at, format, values })
    }

    /// What follows `if`.
    fn condition(&mut self, at: usize) -> Result<Stmt, Mistake> {
        self.deeper(at)?;
        self.need("(")?;
        let condition = self.expr()?;
        self.need(")")?;
        let then = self.block()?;
        let mut other = Vec::new();
        if matches!(self.peek(), Token::Name(n) if n == "else") {
            self.take();
            let at = self.at();
            other = match self.peek() {
                Token::Name(n) if n == "if" => {
                    self.take();
                    vec![self.condition(at)?]
                }
                _ => self.block()?,
            };
        }
        self.depth -= 1;
        Ok(Stmt::If { condition, then, other })
    }

    /// An assignment to a map.
    fn assignment(&mut self, at: usize) -> Result<Stmt, Mistake> {
        let (map, key) = self.map()?;
        if self.is("++") {
            return Ok(Stmt::Increment { at, map, key });
        }
        if let Some(value) = self.changed(at, ExprKind::Map(Query::Value, map.clone(), key.clone()))? {
            return Ok(Stmt::Set { at, map, key, value });
        }
        let place = self.at();
        let called = match (self.peek(), self.tokens.get(self.next + 1)) {
            (Token::Name(name), Some((_, Token::Sign("(")))) if Query::called(name).is_none() => Some(name.clone()),
            _ => None,
        };
        let Some(name) = called else {
            return Ok(Stmt::Set { at, map, key, value: self.expr()? });
        };
        self.take();
        self.take();
        let mut values = Vec::new();
        if !matches!(self.peek(), Token::Sign(")")) {
            values.push(self.expr()?);
            while self.is(",") {
                values.push(self.expr()?);
            }
        }
        self.need(")")?;
        let summary = summary(&name, &values).map_err(|what| Mistake::new(place, what))?;
        let value = values.into_iter().next();
        Ok(Stmt::Sum { at, map, key, summary, value })
    }
}

/// The summary of this name with these arguments.
fn summary(name: &str, values: &[Expr]) -> Result<Summary, String> {
    if name == "lhist" {
        let numbers: Vec<i64> = values.iter().skip(1).filter_map(constant).collect();
        let right = "expected lhist(value, least, greatest, size), with numbers as the last three";
        let ([min, max, step], 4) = (&numbers[..], values.len()) else { return Err(right.into()) };
        if min >= max || *step < 1 {
            return Err(format!("lhist: {min} to {max} in steps of {step} is not a range; {right}"));
        }
        return Ok(Summary::Lhist(Linear { min: *min, max: *max, step: *step }));
    }
    let Some(summary) = Summary::of(name) else {
        let known = "count, sum, avg, min, max, stats, hist, lhist or quantiles";
        return Err(format!("`{name}` is not known; expected {known}"));
    };
    if values.len() != usize::from(summary != Summary::Count) {
        return Err("count() has no value in its parentheses, all others have one".into());
    }
    Ok(summary)
}
