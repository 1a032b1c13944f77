//! Widths of expressions in Rust and in Verilog, and where the difference matters
//!
//! For an expression e: `rust_width` is the width at which Rust wraps it; `verilog_width` is its self-determined width
//! in Verilog (IEEE 1364-2005 table 5-22); `dirty` means that in a wider context it may have bits above its Rust width,
//! as sums, shifts and inversions do.

use super::{Linter, Rule};
use rust_hdl::core::ast::{VerilogExpression as E, VerilogLiteral, VerilogOp as Op, VerilogOpUnary as Un};

impl Linter<'_> {
    /// Checks `e` and everything in it; the context truncates to its Rust width.
    pub(super) fn expression(&mut self, e: &E) {
        match e {
            E::Signal(name) => self.name(name),
            E::Literal(_) => {}
            E::Cast(inner, bits) => {
                self.expression(inner);
                let widens = self.rust_width(inner).is_none_or(|w| *bits > w);
                if widens && self.dirty(inner) {
                    self.report(Rule::Widened, text(e));
                }
            }
            E::Signed(inner) | E::Unsigned(inner) | E::Paren(inner) => self.expression(inner),
            E::Binary(left, op, right) => {
                self.expression(left);
                self.binary(e, left, op, right);
            }
            E::Unary(op, inner) => {
                self.expression(inner);
                let wider = self.wider(inner);
                let wrong = match op {
                    Un::Not | Un::Neg => false,
                    // zeros above make an AND false; bits above affect the others only if they are not zero
                    Un::All => wider,
                    Un::Any | Un::Xor => wider && self.dirty(inner),
                };
                if wrong {
                    self.report(Rule::Reduced, text(e));
                }
            }
            E::Index(base, index) | E::Slice(base, _, index) => {
                match &**base {
                    E::Signal(name) if self.signal_width(name) == Some(1) => self.report(Rule::SelectOfBit, text(e)),
                    E::Signal(_) => {}
                    _ => self.report(Rule::SelectOfExpression, text(e)),
                }
                self.expression(base);
                self.amount(index);
            }
            E::IndexReplace(base, index, value) => {
                self.expression(base);
                self.amount(index);
                self.expression(value);
                if self.dirty(value) {
                    self.report(Rule::Replaced, text(e));
                }
            }
        }
    }

    fn binary(&mut self, e: &E, left: &E, op: &Op, right: &E) {
        if matches!(op, Op::Shl | Op::Shr) {
            self.amount(right);
            if matches!(op, Op::Shr) && self.dirty(left) {
                self.report(Rule::ShiftedRight, text(e));
            }
            return;
        }
        self.expression(right);
        let dirty = [left, right].into_iter().filter(|x| self.dirty(x)).collect::<Vec<_>>();
        match op {
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => {
                let context = self.verilog_width(left).max(self.verilog_width(right));
                let wraps = self.rust_width(left).or(self.rust_width(right));
                if !dirty.is_empty() && wraps.is_none_or(|w| context > w) {
                    self.report(Rule::Compared, text(e));
                }
                if [left, right].into_iter().any(|x| matches!(x, E::Binary(_, Op::BitAnd | Op::BitXor | Op::BitOr, _)))
                {
                    self.report(Rule::Precedence, text(e));
                }
            }
            // `bits + bool`: the bool is extended to the width of the sum before it is inverted
            Op::Add | Op::Sub => {
                let sum = self.rust_width(left).max(self.rust_width(right));
                if dirty.iter().any(|x| self.rust_width(x) < sum) {
                    self.report(Rule::Widened, text(e));
                }
            }
            _ => {}
        }
    }

    /// An index, offset or shift amount, which Verilog evaluates on its own.
    pub(super) fn amount(&mut self, e: &E) {
        self.expression(e);
        if self.unwrapped(e) {
            self.report(Rule::Amount, text(e));
        }
    }

    /// Whether `e` on its own may have a value in Verilog that Rust has wrapped.
    fn unwrapped(&self, e: &E) -> bool {
        self.dirty(e) && self.wider(e)
    }

    fn wider(&self, e: &E) -> bool {
        self.rust_width(e).is_some_and(|w| self.verilog_width(e) > w)
    }

    /// Whether `e` may have bits above its Rust width in a wider context.
    pub(super) fn dirty(&self, e: &E) -> bool {
        match e {
            E::Signal(_) | E::Literal(_) | E::Cast(..) | E::Index(..) | E::Slice(..) => false,
            E::Signed(x) | E::Unsigned(x) | E::Paren(x) => self.dirty(x),
            E::Binary(l, op, r) => match op {
                Op::Add | Op::Sub | Op::Mul | Op::Shl => true,
                Op::BitAnd => self.dirty(l) && self.dirty(r),
                Op::BitOr | Op::BitXor => self.dirty(l) || self.dirty(r),
                Op::Shr => self.dirty(l),
                _ => false,
            },
            E::Unary(op, _) => matches!(op, Un::Not | Un::Neg),
            E::IndexReplace(base, ..) => self.dirty(base),
        }
    }

    /// `None`: the width is that of the context.
    fn rust_width(&self, e: &E) -> Option<usize> {
        match e {
            E::Signal(name) => self.signal_width(name),
            E::Literal(_) => None,
            E::Cast(_, bits) | E::Slice(_, bits, _) => Some(*bits),
            E::Signed(x) | E::Unsigned(x) | E::Paren(x) | E::IndexReplace(x, ..) => self.rust_width(x),
            E::Index(..) => Some(1),
            E::Binary(l, op, r) => match op {
                Op::Shl | Op::Shr => self.rust_width(l),
                Op::Add | Op::Sub | Op::Mul | Op::BitXor | Op::BitAnd | Op::BitOr => {
                    self.rust_width(l).max(self.rust_width(r))
                }
                _ => Some(1),
            },
            E::Unary(Un::Not | Un::Neg, x) => self.rust_width(x),
            E::Unary(..) => Some(1),
        }
    }

    fn verilog_width(&self, e: &E) -> usize {
        match e {
            // a loop variable is emitted as a plain number
            E::Signal(name) => self.signal_width(name).unwrap_or(32),
            E::Literal(l) => literal_width(l),
            E::Cast(x, bits) => self.verilog_width(x).max(*bits),
            E::Slice(_, bits, _) => *bits,
            E::Signed(x) | E::Unsigned(x) | E::Paren(x) => self.verilog_width(x),
            E::IndexReplace(x, _, v) => self.verilog_width(x).max(self.verilog_width(v)).max(32),
            E::Index(..) => 1,
            E::Binary(l, op, r) => match op {
                Op::Shl | Op::Shr => self.verilog_width(l),
                Op::Add | Op::Sub | Op::Mul | Op::BitXor | Op::BitAnd | Op::BitOr => {
                    self.verilog_width(l).max(self.verilog_width(r))
                }
                _ => 1,
            },
            E::Unary(Un::Not | Un::Neg, x) => self.verilog_width(x),
            E::Unary(..) => 1,
        }
    }
}

/// The width of a literal, which rust-hdl gives only as text: `32'h5`.
fn literal_width(l: &VerilogLiteral) -> usize {
    l.to_string().split('\'').next().and_then(|bits| bits.parse().ok()).unwrap_or(32)
}

/// `e` approximately as it will be emitted, so that it can be found.
pub(super) fn text(e: &E) -> String {
    match e {
        E::Signal(name) => name.trim_end_matches("$next").to_string(),
        E::Literal(l) => l.to_string(),
        E::Cast(x, bits) => format!("bit_cast<{bits}>({})", text(x)),
        E::Signed(x) => format!("signed({})", text(x)),
        E::Unsigned(x) => format!("unsigned({})", text(x)),
        E::Paren(x) => format!("({})", text(x)),
        E::Index(x, i) => format!("{}[{}]", text(x), text(i)),
        E::Slice(x, bits, i) => format!("{}[{} +: {bits}]", text(x), text(i)),
        E::IndexReplace(x, i, v) => format!("replace_bit({}, {}, {})", text(x), text(i), text(v)),
        E::Unary(op, x) => {
            let sign = match op {
                Un::Not => "~",
                Un::Neg => "-",
                Un::All => "&",
                Un::Any => "|",
                Un::Xor => "^",
            };
            format!("{sign}{}", text(x))
        }
        E::Binary(l, op, r) => {
            let sign = match op {
                Op::Add => "+",
                Op::Sub => "-",
                Op::Mul => "*",
                Op::LogicalAnd => "&&",
                Op::LogicalOr => "||",
                Op::BitXor => "^",
                Op::BitAnd => "&",
                Op::BitOr => "|",
                Op::Shl => "<<",
                Op::Shr => ">>",
                Op::Eq => "==",
                Op::Lt => "<",
                Op::Le => "<=",
                Op::Ne => "!=",
                Op::Ge => ">=",
                Op::Gt => ">",
            };
            format!("{} {sign} {}", text(l), text(r))
        }
    }
}
