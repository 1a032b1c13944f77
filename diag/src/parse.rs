//! Parser of scripts
//!
//! ```text
//! script  = { item }
//! item    = probe { "," probe } [ "/" expr "/" ] "{" { statement } "}"
//!         | "txn" name "{" "open" keyed "close" keyed "}"
//!         | "span" name "{" "from" keyed "to" keyed "}"
//!         | "machine" name [ "by" expr ] "{" { state ":" probe "->" state { "," probe "->" state } ";" } "}"
//!         | "log" name [ "by" expr ] "{" "keep" keyed { "," keyed } ( "dump" | "freeze" ) keyed "}"
//!         | "ltl" name [ "by" expr ] "{" formula "}"            formula: parse/formula.rs
//! probe   = kind [ ":" ( point [ "+" number ] | number [ unit ] ) ]        point: [ file ":" ] name, or either in quotation marks
//! keyed = probe "(" expr ")"
//! statement: parse/statement.rs
//! ```
//! Comments start with `#` or `//`. Operators and their precedence are those of C.

use crate::syntax::{Binary, Expr, ExprKind, Item, Keyed, Number, Probe, Query, State, Unary};
use crate::Mistake;

mod formula;
mod statement;

/// Maximum nesting depth of expressions.
const DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Number(i64),
    Text(String),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 47] = [
    "->", "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "||", "&&", "==", "!=", "<=", ">=",
    "<<", ">>", "{", "}", "(", ")", "[", "]", ",", ";", ":", "@", "=", "|", "^", "&", "<", ">", "+", "-", "*", "/",
    "%", "!", "~", "?", ".", "$",
];

/// Tokens with their starts, and their ends.
type Tokens = (Vec<(usize, Token)>, Vec<usize>);

/// The tokens of a script.
fn lex(script: &str) -> Result<Tokens, Mistake> {
    let (bytes, mut at, mut tokens, mut ends) = (script.as_bytes(), 0, Vec::new(), Vec::new());
    while at < bytes.len() {
        let rest = &script[at..];
        let c = bytes[at];
        let run = |f: fn(&u8) -> bool| rest.bytes().take_while(&f).count();
        if c.is_ascii_whitespace() {
            at += 1;
        } else if c == b'#' || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if c.is_ascii_digit() {
            let len = run(|b| b.is_ascii_alphanumeric() || *b == b'_');
            let digits = rest[..len].replace('_', "");
            let (number, unit) = match digits.strip_prefix("0x") {
                Some(hex) => (i64::from_str_radix(hex, 16).ok(), ""),
                None => {
                    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
                    (digits[..end].parse().ok(), &digits[end..])
                }
            };
            let number = number.ok_or_else(|| Mistake::new(at, format!("`{}` is not a number", &rest[..len])))?;
            tokens.push((at, Token::Number(number)));
            if !unit.is_empty() {
                ends.push(at + len - unit.len());
                tokens.push((at + len - unit.len(), Token::Name(unit.into())));
            }
            at += len;
        } else if c.is_ascii_alphabetic() || c == b'_' {
            let len = run(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'.');
            tokens.push((at, Token::Name(rest[..len].into())));
            at += len;
        } else if c == b'"' {
            let mut text = String::new();
            let mut chars = rest.char_indices().skip(1);
            let end = loop {
                match chars.next() {
                    None | Some((_, '\n')) => return Err(Mistake::new(at, "this text has no end; `\"` is missing")),
                    Some((i, '"')) => break i + 1,
                    Some((i, '\\')) => match chars.next() {
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, 't')) => text.push('\t'),
                        Some((_, c @ ('"' | '\\'))) => text.push(c),
                        _ => return Err(Mistake::new(at + i, "expected n, t, \" or \\ after `\\`")),
                    },
                    Some((_, c)) => text.push(c),
                }
            };
            tokens.push((at, Token::Text(text)));
            at += end;
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
            let sign =
                sign.ok_or_else(|| Mistake::new(at, format!("unexpected `{}`", rest.chars().next().unwrap_or(' '))))?;
            tokens.push((at, Token::Sign(sign)));
            at += sign.len();
        }
        if ends.len() < tokens.len() {
            ends.push(at);
        }
    }
    tokens.push((script.len(), Token::End));
    ends.push(script.len());
    Ok((tokens, ends))
}

struct Parser<'a> {
    script: &'a str,
    /// Tokens, with their start and end.
    tokens: Vec<(usize, Token)>,
    ends: Vec<usize>,
    next: usize,
    depth: usize,
    /// In a predicate a `/` ends it, except in parentheses.
    predicate: bool,
}

/// Parses a script.
pub fn parse(script: &str) -> Result<Vec<Item>, Mistake> {
    let (tokens, ends) = lex(script)?;
    let mut p = Parser { script, tokens, ends, next: 0, depth: 0, predicate: false };
    let mut items = Vec::new();
    while *p.peek() != Token::End {
        items.push(p.item()?);
    }
    if items.is_empty() {
        return Err(Mistake::new(
            0,
            "the script is empty; expected a probe with a block: call:main { printf(\"hello\\n\"); }",
        ));
    }
    Ok(items)
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].1
    }

    fn at(&self) -> usize {
        self.tokens[self.next].0
    }

    fn take(&mut self) -> Token {
        let token = self.tokens[self.next].1.clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    fn wrong<T>(&self, right: &str) -> Result<T, Mistake> {
        let found = match self.peek() {
            Token::Name(n) => format!("`{n}`"),
            Token::Number(n) => format!("`{n}`"),
            Token::Text(_) => "a text".into(),
            Token::Sign(s) => format!("`{s}`"),
            Token::End => "the end of the script".into(),
        };
        Err(Mistake::new(self.at(), format!("expected {right}, found {found}")))
    }

    fn is(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(s) if *s == sign);
        if found {
            self.take();
        }
        found
    }

    fn need(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.is(sign) {
            return Ok(());
        }
        self.wrong(&format!("`{sign}`"))
    }

    fn name(&mut self, what: &str) -> Result<String, Mistake> {
        if let Token::Name(n) = self.peek() {
            let n = n.clone();
            self.take();
            return Ok(n);
        }
        self.wrong(what)
    }

    fn word(&mut self, word: &str) -> Result<(), Mistake> {
        if matches!(self.peek(), Token::Name(n) if n == word) {
            self.take();
            return Ok(());
        }
        self.wrong(&format!("`{word}`"))
    }

    fn item(&mut self) -> Result<Item, Mistake> {
        let at = self.at();
        let word = match self.peek() {
            Token::Name(n) => n.clone(),
            _ => return self.wrong("a probe (call:NAME), `txn`, `span`, `machine`, `ltl` or `log`"),
        };
        // `span:NAME` is a probe
        let is_probe = matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign(":"))));
        match word.as_str() {
            "txn" | "span" if !is_probe => {
                self.take();
                let name = self.name("a name")?;
                self.need("{")?;
                let (first, second) = if word == "txn" { ("open", "close") } else { ("from", "to") };
                self.word(first)?;
                let a = self.keyed()?;
                self.word(second)?;
                let b = self.keyed()?;
                self.need("}")?;
                Ok(if word == "txn" {
                    Item::Txn { at, name, open: a, close: b }
                } else {
                    Item::Span { at, name, from: a, to: b }
                })
            }
            "machine" => self.machine(at),
            "ltl" if !is_probe => {
                self.take();
                let (name, by) = (self.name("a name")?, self.by()?);
                self.need("{")?;
                let formula = self.formula()?;
                self.need("}")?;
                Ok(Item::Ltl { name, by, formula })
            }
            "log" if !is_probe => self.log(at),
            _ => self.clause(),
        }
    }

    /// `by field`: one instance per value of the field.
    fn by(&mut self) -> Result<Option<Expr>, Mistake> {
        if !matches!(self.peek(), Token::Name(n) if n == "by") {
            return Ok(None);
        }
        self.take();
        self.expr().map(Some)
    }

    fn machine(&mut self, at: usize) -> Result<Item, Mistake> {
        self.take();
        let (name, by) = (self.name("a name")?, self.by()?);
        self.need("{")?;
        let mut states = Vec::new();
        while !self.is("}") {
            let name = self.name("the name of a state")?;
            self.need(":")?;
            let mut steps = Vec::new();
            loop {
                let probe = self.probe()?;
                self.need("->")?;
                let place = self.at();
                steps.push((probe, place, self.name("the name of a state")?));
                if !self.is(",") {
                    break;
                }
            }
            self.need(";")?;
            states.push(State { name, steps });
        }
        Ok(Item::Machine { at, name, by, states })
    }

    fn log(&mut self, at: usize) -> Result<Item, Mistake> {
        self.take();
        let (name, by) = (self.name("a name")?, self.by()?);
        self.need("{")?;
        self.word("keep")?;
        let mut keep = vec![self.keyed()?];
        while self.is(",") {
            keep.push(self.keyed()?);
        }
        let freezes = matches!(self.peek(), Token::Name(n) if n == "freeze");
        if freezes {
            self.take();
        } else {
            self.word("dump")?;
        }
        let trigger = self.keyed()?;
        self.need("}")?;
        Ok(Item::Log { at, name, by, keep, freezes, trigger })
    }

    fn keyed(&mut self) -> Result<Keyed, Mistake> {
        let probe = self.probe()?;
        let mut key = None;
        if self.is("(") {
            key = Some(self.expr()?);
            self.need(")")?;
        }
        Ok(Keyed { probe, key })
    }

    fn probe(&mut self) -> Result<Probe, Mistake> {
        let at = self.at();
        let kind = self.name("a probe")?;
        let (mut point, mut offset) = (None, 0);
        if self.is(":") {
            let start = self.at();
            match self.take() {
                Token::Name(_) | Token::Sign("*") => point = Some(self.point(start)),
                Token::Text(text) => point = Some(text),
                Token::Number(n) => {
                    let unit = match self.peek() {
                        Token::Name(u) if ["s", "ms", "us", "cycles"].contains(&u.as_str()) => u.clone(),
                        _ => String::new(),
                    };
                    if !unit.is_empty() {
                        self.take();
                    }
                    point = Some(format!("{n}{unit}"));
                }
                _ => {
                    self.next -= 1;
                    return self.wrong("a name, a name in quotation marks or a number");
                }
            }
            if self.is("+") {
                match self.take() {
                    Token::Number(n) => offset = n as u64,
                    _ => {
                        self.next -= 1;
                        return self.wrong("a number of bytes");
                    }
                }
            }
        }
        Ok(Probe { at, kind, point, offset })
    }

    /// The text of a point that starts at `start`: a name with `::`, `*`, a file before it or members after it, without
    /// spaces.
    fn point(&mut self, start: usize) -> String {
        loop {
            let end = self.ends[self.next - 1];
            let near = |n: usize| {
                let adjacent =
                    n == 0 || self.ends.get(self.next + n - 1) == self.tokens.get(self.next + n).map(|t| &t.0);
                self.tokens.get(self.next + n).filter(|_| adjacent).map(|t| &t.1)
            };
            if self.at() != end {
                return self.script[start..end].to_string();
            }
            let name = |t: Option<&Token>| matches!(t, Some(Token::Name(_) | Token::Sign("*" | "~")));
            let taken = match (near(0), near(1), near(2)) {
                (Some(Token::Name(_) | Token::Sign("*" | "~")), ..) => 1,
                (Some(Token::Sign(":")), Some(Token::Sign(":")), after) if name(after) => 3,
                (Some(Token::Sign(":")), Some(Token::Name(_) | Token::Number(_) | Token::Sign("*")), _) => 2,
                (Some(Token::Sign(".")), Some(Token::Name(_)), _) => 2,
                (Some(Token::Sign("[")), Some(Token::Number(_)), Some(Token::Sign("]"))) => 3,
                _ => return self.script[start..end].to_string(),
            };
            self.next += taken;
        }
    }

    fn clause(&mut self) -> Result<Item, Mistake> {
        let mut probes = vec![self.probe()?];
        while self.is(",") {
            probes.push(self.probe()?);
        }
        let mut predicate = None;
        if self.is("/") {
            self.predicate = true;
            predicate = Some(self.expr()?);
            self.predicate = false;
            self.need("/")?;
        }
        let body = self.block()?;
        Ok(Item::Clause { probes, predicate, body })
    }

    /// Whether a comma is in the parentheses that start here, and `]` after them.
    fn is_tuple(&self) -> bool {
        let (mut depth, mut comma) = (0, false);
        for (n, (_, token)) in self.tokens[self.next..].iter().enumerate() {
            match token {
                Token::Sign("(" | "[") => depth += 1,
                Token::Sign(")" | "]") => depth -= 1,
                Token::Sign(",") => comma |= depth == 1,
                Token::End => return false,
                _ => {}
            }
            if depth == 0 {
                return comma && matches!(self.tokens.get(self.next + n + 1), Some((_, Token::Sign("]"))));
            }
        }
        false
    }

    fn map(&mut self) -> Result<(String, Vec<Expr>), Mistake> {
        self.need("@")?;
        // a map may have no name, as in bpftrace
        let name = if matches!(self.peek(), Token::Name(_)) { self.name("a name")? } else { String::new() };
        let mut key = Vec::new();
        if self.is("[") {
            let outer = std::mem::take(&mut self.predicate);
            // a tuple as a key is several keys
            let tuple = matches!(self.peek(), Token::Sign("(")) && self.is_tuple();
            if tuple {
                self.take();
            }
            loop {
                key.push(self.expr()?);
                if !self.is(",") {
                    break;
                }
            }
            if tuple {
                self.need(")")?;
            }
            self.need("]")?;
            self.predicate = outer;
        }
        Ok((name, key))
    }

    fn expr(&mut self) -> Result<Expr, Mistake> {
        let condition = self.binary(0)?;
        if !self.is("?") {
            return Ok(condition);
        }
        self.deeper(condition.at)?;
        let outer = std::mem::take(&mut self.predicate);
        let then = self.expr()?;
        self.need(":")?;
        self.predicate = outer;
        let other = self.expr()?;
        self.depth -= 1;
        Ok(Expr { at: condition.at, kind: ExprKind::Choose(Box::new([condition, then, other])) })
    }

    /// Refuses what is nested too deep.
    fn deeper(&mut self, at: usize) -> Result<(), Mistake> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Mistake::new(at, format!("this is nested deeper than {DEPTH}")));
        }
        Ok(())
    }

    fn operator(&self) -> Option<(u8, Binary)> {
        let Token::Sign(s) = self.peek() else { return None };
        Some(match *s {
            "||" => (1, Binary::Or),
            "&&" => (2, Binary::And),
            "|" => (3, Binary::BitOr),
            "^" => (4, Binary::BitXor),
            "&" => (5, Binary::BitAnd),
            "==" => (6, Binary::Eq),
            "!=" => (6, Binary::Ne),
            "<" => (7, Binary::Lt),
            "<=" => (7, Binary::Le),
            ">" => (7, Binary::Gt),
            ">=" => (7, Binary::Ge),
            "<<" => (8, Binary::Shl),
            ">>" => (8, Binary::Shr),
            "+" => (9, Binary::Add),
            "-" => (9, Binary::Sub),
            "*" => (10, Binary::Mul),
            "/" if !self.predicate => (10, Binary::Div),
            "%" => (10, Binary::Rem),
            _ => return None,
        })
    }

    fn binary(&mut self, least: u8) -> Result<Expr, Mistake> {
        let mut left = self.unary()?;
        while let Some((level, op)) = self.operator().filter(|o| o.0 > least) {
            self.take();
            let right = self.binary(level)?;
            left = Expr { at: left.at, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    /// The type in `(int8)`, if that is next.
    fn cast(&self) -> Option<Number> {
        let token = |n: usize| self.tokens.get(self.next + n).map(|t| &t.1);
        let (Some(Token::Name(name)), Some(Token::Sign(")"))) = (token(1), token(2)) else { return None };
        let (signed, bits) = match name.strip_prefix('u') {
            Some(rest) => (false, rest),
            None => (true, name.as_str()),
        };
        let size = match bits.strip_prefix("int")? {
            "8" | "8_t" => 1,
            "16" | "16_t" => 2,
            "32" | "32_t" => 4,
            "64" | "64_t" => 8,
            _ => return None,
        };
        Some(Number { size, signed })
    }

    /// What follows `has_key(` and `len(`.
    fn query(&mut self, query: Query) -> Result<ExprKind, Mistake> {
        let at = self.at();
        let (name, mut key) = self.map()?;
        if query == Query::Len && !key.is_empty() {
            return Err(Mistake::new(at, format!("`len` takes a map without a key: `len(@{name})`")));
        }
        // `has_key(@m, key)` is the other way to write it
        let listed = query == Query::HasKey && key.is_empty();
        while listed && self.is(",") {
            key.push(self.expr()?);
        }
        self.need(")")?;
        Ok(ExprKind::Map(query, name, key))
    }

    fn unary(&mut self) -> Result<Expr, Mistake> {
        let at = self.at();
        self.deeper(at)?;
        let kind = match self.peek().clone() {
            Token::Number(n) => {
                self.take();
                ExprKind::Number(n)
            }
            Token::Name(n) => {
                self.take();
                match Query::called(&n).filter(|_| self.is("(")) {
                    Some(query) => self.query(query)?,
                    None => ExprKind::Field(n),
                }
            }
            Token::Sign("@") => {
                let (name, key) = self.map()?;
                ExprKind::Map(Query::Value, name, key)
            }
            Token::Text(text) => {
                self.take();
                ExprKind::Text(text)
            }
            Token::Sign("$") => {
                self.take();
                ExprKind::Scratch(self.name("the name of a variable")?)
            }
            Token::Sign("(") if self.cast().is_some() => {
                let number = self.cast().unwrap_or(Number { size: 8, signed: true });
                (0..3).for_each(|_| drop(self.take()));
                ExprKind::Cast(number, Box::new(self.unary()?))
            }
            Token::Sign("(") => {
                self.take();
                let outer = std::mem::take(&mut self.predicate);
                let inner = self.expr()?;
                self.need(")")?;
                self.predicate = outer;
                inner.kind
            }
            Token::Sign("&") => {
                self.take();
                ExprKind::Address(self.name("the name of a symbol")?)
            }
            Token::Sign(s @ ("-" | "!" | "~")) => {
                self.take();
                let op = match s {
                    "-" => Unary::Negate,
                    "!" => Unary::Not,
                    _ => Unary::Invert,
                };
                ExprKind::Unary(op, Box::new(self.unary()?))
            }
            _ => return self.wrong("a number, a field, a map, a variable, a text or `(`"),
        };
        self.depth -= 1;
        Ok(Expr { at, kind })
    }
}
