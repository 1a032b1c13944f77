//! Lowers rust-hdl's syntax tree to statements: unrolls loops, resolves names, makes widths explicit
//!
//! An operand has the width that it has in rust-hdl's own Verilog (IEEE 1364-2005, 5.4.1), so that both texts mean the
//! same.

use super::capture::literal;
use super::module::Statement;
use super::refused::Unsupported;
use super::value::{self, binary, not, reduce, shift, Id, Op, Reduce, Test, Value};
use rust_hdl::core::ast::{
    VerilogBlockOrConditional as Else, VerilogExpression as E, VerilogLink, VerilogOp, VerilogOpUnary as Un,
    VerilogStatement as S,
};
use std::collections::HashMap;

/// The meaning of a name in a kernel.
#[derive(Clone)]
pub(super) enum Meaning {
    Signal(Id, usize),
    /// A constant, with its name if that is useful.
    Constant(Value),
}

#[derive(Default)]
pub(super) struct Lower {
    pub names: HashMap<String, Meaning>,
    /// Width of a signal in rust-hdl's text, if it is narrower here.
    pub contexts: HashMap<Id, usize>,
    loops: Vec<(String, usize)>,
}

/// Width of a number without a size: that of an `int`.
const INT: usize = 32;

type Result<T> = std::result::Result<T, Unsupported>;

fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(Unsupported(what.into()))
}

impl Lower {
    /// The statements of a kernel.
    pub fn block(&mut self, code: &[S]) -> Result<Vec<Statement>> {
        let mut out = Vec::new();
        for s in code {
            self.statement(s, &mut out)?;
        }
        Ok(out)
    }

    fn statement(&mut self, s: &S, out: &mut Vec<Statement>) -> Result<()> {
        match s {
            S::Assignment(to, value) => {
                let E::Signal(name) = to else { return refuse("assignment to an expression") };
                let (to, width) = self.signal(name)?;
                let context = self.contexts.get(&to).copied().unwrap_or(width);
                let value = value::extended(self.sized(value, context)?, width);
                out.push(Statement::Assign { to, part: None, value });
            }
            S::SliceAssignment { base, width, offset, replacement } => {
                let E::Signal(name) = base else { return refuse("assignment to bits of an expression") };
                let (to, _) = self.signal(name)?;
                let at = self.self_determined(offset)?.trimmed();
                let value = self.sized(replacement, *width)?;
                out.push(Statement::Assign { to, part: Some((at, *width)), value });
            }
            S::If(c) => {
                let test = self.condition(&c.test)?;
                let then = self.block(&c.then)?;
                let otherwise = match &c.otherwise {
                    Else::Block(b) => self.block(b)?,
                    Else::Conditional(s) => self.block(std::slice::from_ref(s))?,
                    Else::None => Vec::new(),
                };
                match test.constant() {
                    Some(0) => out.extend(otherwise),
                    Some(_) => out.extend(then),
                    None => out.push(Statement::If { test, then, otherwise }),
                }
            }
            S::Match(m) => {
                let test = self.self_determined(&m.test)?;
                let mut arms = Vec::new();
                for case in &m.cases {
                    let label = match case.condition.as_str() {
                        "default" => None,
                        name => Some(value::extended(self.label(name)?, test.width())),
                    };
                    arms.push((label, self.block(&case.block)?));
                }
                // values without a label keep what was assigned before
                let all = test.width() < 16 && arms.len() == 1 << test.width();
                if !all && arms.iter().all(|a| a.0.is_some()) {
                    arms.push((None, Vec::new()));
                }
                out.push(Statement::Case { test, arms });
            }
            S::Loop(l) => {
                for i in l.from.as_usize()..l.to.as_usize() {
                    self.loops.push((l.index.clone(), i));
                    let done = self.block(&l.block);
                    self.loops.pop();
                    out.extend(done?);
                }
            }
            S::Link(links) => {
                for link in links {
                    out.push(self.link(link)?);
                }
            }
            S::Macro(block) => out.extend(self.block(block)?),
            S::Comment(_) => {}
        }
        Ok(())
    }

    fn link(&self, link: &VerilogLink) -> Result<Statement> {
        let (to, from, name) = match link {
            VerilogLink::Forward(l) => (&l.other_name, &l.owner_name, &l.my_name),
            VerilogLink::Backward(l) => (&l.owner_name, &l.other_name, &l.my_name),
            VerilogLink::Bidirectional(_) => return refuse("a port of both directions"),
        };
        let name = name.trim_start_matches('.');
        let (to, width) = self.signal(&format!("{to}${name}"))?;
        let value = match self.meaning(&format!("{from}${name}"))? {
            Meaning::Signal(id, width) => Value::whole(id, width),
            Meaning::Constant(value) => value,
        };
        if width != value.width() {
            return refuse(format!("link of {width} to {} bits at {name}", value.width()));
        }
        Ok(Statement::Assign { to, part: None, value })
    }

    /// A name from the tree, as rust-hdl writes it: `v[i+1]$q$next` to `v$2$q`.
    fn key(&self, name: &str) -> Result<String> {
        let mut key = name.trim_start_matches('.').replace('.', "$").replace("::", "$");
        if let Some(short) = key.strip_suffix("$next") {
            key = short.to_string();
        }
        while let Some((before, rest)) = key.split_once('[') {
            let Some((index, after)) = rest.split_once(']') else { return refuse(format!("index in {name}")) };
            key = format!("{before}${}{after}", self.index(index)?);
        }
        Ok(key)
    }

    /// Sums and differences of numbers and loop variables.
    fn index(&self, text: &str) -> Result<usize> {
        let wrong = || Unsupported(format!("index {text}"));
        let mut sum: i64 = 0;
        let plain: String = text.chars().filter(|c| !matches!(c, '(' | ')' | ' ')).collect();
        if plain.contains(['*', '/', '%']) || text.contains("-(") {
            return Err(wrong());
        }
        for term in plain.replace('-', "+-").split('+').filter(|t| !t.is_empty()) {
            let (sign, term) = term.strip_prefix('-').map_or((1, term), |t| (-1, t));
            let looped = self.loops.iter().rev().find(|l| l.0 == term).map(|l| l.1);
            let number = looped.or_else(|| term.parse().ok()).ok_or_else(wrong)?;
            sum += sign * number as i64;
        }
        usize::try_from(sum).map_err(|_| wrong())
    }

    fn meaning(&self, name: &str) -> Result<Meaning> {
        if let Some((_, i)) = self.loops.iter().rev().find(|l| l.0 == name) {
            return Ok(Meaning::Constant(Value::number(*i as u128, INT)));
        }
        if let Some(meaning) = self.names.get(name).filter(|_| !name.ends_with("$next")) {
            return Ok(meaning.clone());
        }
        let key = self.key(name)?;
        self.names.get(&key).cloned().ok_or_else(|| Unsupported(format!("{key} is not declared")))
    }

    fn signal(&self, name: &str) -> Result<(Id, usize)> {
        match self.meaning(name)? {
            Meaning::Signal(id, width) => Ok((id, width)),
            Meaning::Constant(_) => refuse(format!("{name} is a constant")),
        }
    }

    /// Label of an arm: a number, or an enum's label.
    fn label(&self, name: &str) -> Result<Value> {
        match name.parse() {
            Ok(n) => Ok(Value::number(n, INT)),
            Err(_) => match self.meaning(name)? {
                Meaning::Constant(v) => Ok(v),
                Meaning::Signal(..) => refuse(format!("{name} as a label")),
            },
        }
    }

    /// `e` as Verilog evaluates it in a context of `width` bits.
    fn sized(&self, e: &E, width: usize) -> Result<Value> {
        let own = self.width(e)?;
        Ok(value::extended(self.value(e, own.max(width))?, width))
    }

    /// `e` as Verilog evaluates it on its own.
    fn self_determined(&self, e: &E) -> Result<Value> {
        self.value(e, self.width(e)?)
    }

    /// A single bit: whether `e` is not zero.
    fn condition(&self, e: &E) -> Result<Value> {
        Ok(reduce(Reduce::Any, self.self_determined(e)?))
    }

    /// The self-determined width of `e`.
    fn width(&self, e: &E) -> Result<usize> {
        Ok(match e {
            E::Signal(name) => match self.meaning(name)? {
                Meaning::Signal(_, width) => width,
                Meaning::Constant(v) => v.width(),
            },
            E::Literal(l) => literal(l)?.1,
            E::Cast(x, bits) => self.width(x)?.max(*bits),
            E::Slice(_, bits, _) => *bits,
            E::Paren(x) => self.width(x)?,
            E::Signed(_) | E::Unsigned(_) => return refuse("a signed expression"),
            E::IndexReplace(x, _, v) => self.width(x)?.max(self.width(v)?).max(INT),
            E::Index(..) => 1,
            E::Binary(l, op, r) => match op {
                VerilogOp::Shl | VerilogOp::Shr => self.width(l)?,
                VerilogOp::Add
                | VerilogOp::Sub
                | VerilogOp::Mul
                | VerilogOp::BitXor
                | VerilogOp::BitAnd
                | VerilogOp::BitOr => self.width(l)?.max(self.width(r)?),
                _ => 1,
            },
            E::Unary(Un::Not | Un::Neg, x) => self.width(x)?,
            E::Unary(..) => 1,
        })
    }

    /// `e` in a context of `width` bits, which is at least its own width.
    fn value(&self, e: &E, width: usize) -> Result<Value> {
        Ok(match e {
            E::Signal(name) => match self.meaning(name)? {
                Meaning::Signal(id, own) => Value::whole(id, own).fit(width),
                Meaning::Constant(v) => value::extended(v, width),
            },
            E::Literal(l) => Value::number(literal(l)?.0, width),
            E::Cast(x, bits) => self.value(x, width)?.fit(*bits).fit(width),
            E::Paren(x) => self.value(x, width)?,
            E::Signed(_) | E::Unsigned(_) => return refuse("a signed expression"),
            E::Binary(l, op, r) => self.binary(l, op, r, width)?,
            E::Unary(op, x) => match op {
                Un::Not => not(self.value(x, width)?),
                Un::Neg => Value::Negative(Box::new(self.value(x, width)?)),
                Un::All => reduce(Reduce::All, self.self_determined(x)?).fit(width),
                Un::Any => reduce(Reduce::Any, self.self_determined(x)?).fit(width),
                Un::Xor => reduce(Reduce::Odd, self.self_determined(x)?).fit(width),
            },
            E::Index(x, at) => self.bits(x, at, 1)?.fit(width),
            E::Slice(x, bits, at) => self.bits(x, at, *bits)?.fit(width),
            E::IndexReplace(x, at, v) => {
                let at = self.self_determined(at)?;
                let bit = shift(true, Value::number(1, width), at.clone());
                let kept = binary(Op::And, self.value(x, width)?, not(bit));
                binary(Op::Or, kept, shift(true, self.sized(v, width)?, at))
            }
        })
    }

    fn binary(&self, l: &E, op: &VerilogOp, r: &E, width: usize) -> Result<Value> {
        let both = |op| Ok(binary(op, self.value(l, width)?, self.value(r, width)?));
        let compared = |how| {
            let context = self.width(l)?.max(self.width(r)?);
            Ok(value::test(how, self.value(l, context)?, self.value(r, context)?).fit(width))
        };
        let logical = |how| Ok(value::test(how, self.condition(l)?, self.condition(r)?).fit(width));
        match op {
            VerilogOp::Add => both(Op::Add),
            VerilogOp::Sub => both(Op::Sub),
            VerilogOp::Mul => both(Op::Mul),
            VerilogOp::BitXor => both(Op::Xor),
            VerilogOp::BitAnd => both(Op::And),
            VerilogOp::BitOr => both(Op::Or),
            VerilogOp::Shl => Ok(shift(true, self.value(l, width)?, self.self_determined(r)?)),
            VerilogOp::Shr => Ok(shift(false, self.value(l, width)?, self.self_determined(r)?)),
            VerilogOp::Eq => compared(Test::Eq),
            VerilogOp::Ne => compared(Test::Ne),
            VerilogOp::Lt => compared(Test::Lt),
            VerilogOp::Le => compared(Test::Le),
            VerilogOp::Gt => compared(Test::Gt),
            VerilogOp::Ge => compared(Test::Ge),
            VerilogOp::LogicalAnd => logical(Test::Both),
            VerilogOp::LogicalOr => logical(Test::Either),
        }
    }

    /// `width` bits of a signal from bit `at`.
    fn bits(&self, x: &E, at: &E, width: usize) -> Result<Value> {
        let at = self.self_determined(at)?.trimmed();
        let E::Signal(name) = x else { return refuse("bits of an expression") };
        let whole = match self.meaning(name)? {
            Meaning::Signal(id, of) => Value::whole(id, of),
            Meaning::Constant(v) => return Ok(shift(false, v, at).fit(width)),
        };
        let (Some(signal), of) = (whole.signal(), whole.width()) else { return refuse("bits of nothing") };
        match at.constant().map(|at| at as usize) {
            Some(low) if low + width <= of => Ok(Value::Slice { signal, of, low, width }),
            Some(low) => refuse(format!("bits {} to {low} of {name}, which has {of}", low + width - 1)),
            None => {
                // as many index bits as the signal needs
                let places = usize::BITS as usize - (of - 1).leading_zeros() as usize;
                Ok(Value::Element { signal, of, at: Box::new(at.fit(places.max(1))), width })
            }
        }
    }
}
