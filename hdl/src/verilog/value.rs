//! Expressions of an exact width
//!
//! Verilog extends operands to the width of their context, and lint tools warn about it. Here every operand has the
//! width of its operation, and bits that are zero or not needed are omitted, so that the text means the same in any
//! context.

/// Index of a signal in its module.
pub(super) type Id = usize;

/// Operators whose two operands have the width of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
}

/// Operators with two operands of the same width and a single-bit result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Logical, between single bits.
    Both,
    Either,
}

/// Operators from all bits to a single one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduce {
    All,
    Any,
    Odd,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number {
        value: u128,
        width: usize,
    },
    /// A named constant.
    Named {
        name: String,
        value: u128,
        width: usize,
    },
    /// Bits of a signal that has `of` bits.
    Slice {
        signal: Id,
        of: usize,
        low: usize,
        width: usize,
    },
    /// Bits of a signal from a computed index.
    Element {
        signal: Id,
        of: usize,
        at: Box<Value>,
        width: usize,
    },
    /// Concatenation, highest part first.
    Concat(Vec<Value>),
    Not(Box<Value>),
    Negative(Box<Value>),
    Reduce(Reduce, Box<Value>),
    Binary(Op, Box<Value>, Box<Value>),
    Test(Test, Box<Value>, Box<Value>),
    /// Left or right shift by an amount of any width.
    Shift {
        left: bool,
        value: Box<Value>,
        by: Box<Value>,
    },
    /// The low bits of a value that is not a signal.
    Low(Box<Value>, usize),
}

use Value::{Binary, Concat, Element, Low, Named, Negative, Not, Number, Shift, Slice};

/// A number of `width` ones.
pub(super) fn ones(width: usize) -> u128 {
    if width >= 128 {
        u128::MAX
    } else {
        (1 << width) - 1
    }
}

impl Value {
    pub fn number(value: u128, width: usize) -> Self {
        Number { value: value & ones(width), width }
    }

    pub fn whole(signal: Id, width: usize) -> Self {
        Slice { signal, of: width, low: 0, width }
    }

    pub fn width(&self) -> usize {
        match self {
            Number { width, .. } | Named { width, .. } | Slice { width, .. } | Element { width, .. } => *width,
            Low(_, width) => *width,
            Concat(parts) => parts.iter().map(Value::width).sum(),
            Not(v) | Negative(v) | Binary(_, v, _) | Shift { value: v, .. } => v.width(),
            Value::Reduce(..) | Value::Test(..) => 1,
        }
    }

    /// Its value, if it is constant.
    pub fn constant(&self) -> Option<u128> {
        match self {
            Number { value, .. } | Named { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The signal, if the value is all of one.
    pub fn signal(&self) -> Option<Id> {
        match self {
            Slice { signal, of, width, .. } if of == width => Some(*signal),
            _ => None,
        }
    }

    /// Calls `f` for every signal in it.
    pub fn signals(&self, f: &mut impl FnMut(Id)) {
        match self {
            Number { .. } | Named { .. } => {}
            Slice { signal, .. } => f(*signal),
            Element { signal, at, .. } => {
                f(*signal);
                at.signals(f);
            }
            Concat(parts) => parts.iter().for_each(|p| p.signals(f)),
            Not(v) | Negative(v) | Value::Reduce(_, v) | Low(v, _) => v.signals(f),
            Binary(_, a, b) | Value::Test(_, a, b) | Shift { value: a, by: b, .. } => {
                a.signals(f);
                b.signals(f);
            }
        }
    }

    /// Whether `signal` is in it.
    pub fn does_read(&self, signal: Id) -> bool {
        match self {
            Number { .. } | Named { .. } => false,
            Slice { signal: s, .. } => *s == signal,
            Element { signal: s, at, .. } => *s == signal || at.does_read(signal),
            Concat(parts) => parts.iter().any(|p| p.does_read(signal)),
            Not(v) | Negative(v) | Value::Reduce(_, v) | Low(v, _) => v.does_read(signal),
            Binary(_, a, b) | Value::Test(_, a, b) | Shift { value: a, by: b, .. } => {
                a.does_read(signal) || b.does_read(signal)
            }
        }
    }

    /// Calls `f` for it and every value in it, inner ones first.
    pub fn each(&mut self, f: &mut impl FnMut(&mut Value)) {
        match self {
            Number { .. } | Named { .. } | Slice { .. } => {}
            Element { at: v, .. } | Not(v) | Negative(v) | Value::Reduce(_, v) | Low(v, _) => v.each(f),
            Concat(parts) => parts.iter_mut().for_each(|p| p.each(f)),
            Binary(_, a, b) | Value::Test(_, a, b) | Shift { value: a, by: b, .. } => {
                a.each(f);
                b.each(f);
            }
        }
        f(self);
    }

    /// Number of low bits that can be nonzero.
    fn significant(&self) -> usize {
        let width = self.width();
        match self {
            Number { value, .. } | Named { value, .. } => 128 - value.leading_zeros() as usize,
            Concat(parts) => match parts.first() {
                Some(first) => width - first.width() + first.significant(),
                None => 0,
            },
            Binary(Op::And, a, b) => a.significant().min(b.significant()),
            Binary(Op::Or | Op::Xor, a, b) => a.significant().max(b.significant()),
            Binary(Op::Add, a, b) => width.min(a.significant().max(b.significant()) + 1),
            Shift { left: false, value, by } => match by.constant() {
                Some(by) => value.significant().saturating_sub(usize::try_from(by).unwrap_or(width)),
                None => value.significant(),
            },
            Low(v, w) => v.significant().min(*w),
            _ => width,
        }
    }

    /// The same value, rebuilt after a part of it was replaced.
    pub fn again(self) -> Self {
        let of = |v: Box<Value>| v.again();
        match self {
            Concat(parts) => concat(parts.into_iter().map(Value::again).collect()),
            Not(v) => not(of(v)),
            Value::Reduce(how, v) => reduce(how, of(v)),
            Binary(op, a, b) => binary(op, of(a), of(b)),
            Value::Test(how, a, b) => test(how, of(a), of(b)),
            Shift { left, value, by } => shift(left, of(value), of(by)),
            Low(v, width) => of(v).low(width),
            v => v,
        }
    }

    fn has_low(&self) -> bool {
        let mut found = false;
        self.clone().each(&mut |v| found |= matches!(v, Low(..)));
        found
    }

    /// Removes zeros at the top if that needs no logic. A value of 0 bits keeps one bit.
    pub fn trimmed(self) -> Self {
        let significant = self.significant().max(1);
        if significant >= self.width() {
            return self;
        }
        let low = self.clone().low(significant);
        if low.has_low() {
            self
        } else {
            low
        }
    }

    /// The same value in `width` bits: truncated, or zero-extended.
    pub fn fit(self, width: usize) -> Self {
        let own = self.width();
        if own >= width {
            return self.low(width);
        }
        match self {
            Number { value, .. } | Named { value, .. } => Number { value, width },
            v => concat(vec![Number { value: 0, width: width - own }, v]),
        }
    }

    /// The low `width` bits.
    pub fn low(self, width: usize) -> Self {
        if width >= self.width() {
            return self;
        }
        match self {
            Number { value, .. } | Named { value, .. } => Value::number(value, width),
            Slice { signal, of, low, .. } => Slice { signal, of, low, width },
            Concat(parts) => {
                let mut left = width;
                let mut kept = Vec::new();
                for part in parts.into_iter().rev() {
                    if left == 0 {
                        break;
                    }
                    let part = part.low(left);
                    left -= part.width();
                    kept.push(part);
                }
                kept.reverse();
                concat(kept)
            }
            Not(v) => not(v.low(width)),
            Negative(v) => Negative(Box::new(v.low(width))),
            Binary(op, a, b) => binary(op, a.low(width), b.low(width)),
            Shift { left: true, value, by } => shift(true, value.low(width), *by),
            Low(v, _) => v.low(width),
            v => Low(Box::new(v), width),
        }
    }

    /// Without the low `by` bits, if that is only a matter of naming.
    fn high(&self, by: usize) -> Option<Self> {
        let width = self.width() - by;
        match self {
            Number { value, .. } | Named { value, .. } => Some(Value::number(value >> by, width)),
            Slice { signal, of, low, .. } => Some(Slice { signal: *signal, of: *of, low: low + by, width }),
            Concat(parts) => {
                let mut drop = by;
                let mut kept = Vec::new();
                for part in parts.iter().rev() {
                    if drop >= part.width() {
                        drop -= part.width();
                    } else if drop > 0 {
                        kept.push(part.high(drop)?);
                        drop = 0;
                    } else {
                        kept.push(part.clone());
                    }
                }
                kept.reverse();
                Some(concat(kept))
            }
            _ => None,
        }
    }

    /// `width` bits from `low`, if that is only a matter of naming.
    fn middle(&self, low: usize, width: usize) -> Option<Self> {
        if low == 0 && width == self.width() {
            return Some(self.clone());
        }
        let v = self.high(low)?.low(width);
        (!v.has_low()).then_some(v)
    }
}

/// Concatenates parts, highest first, and joins adjacent parts of one signal.
pub(super) fn concat(parts: Vec<Value>) -> Value {
    let mut out: Vec<Value> = Vec::new();
    let mut flat = Vec::new();
    for part in parts {
        match part {
            Concat(inner) => flat.extend(inner),
            p => flat.push(p),
        }
    }
    for part in flat.into_iter().filter(|p| p.width() > 0) {
        let joined = match (out.last(), &part) {
            (Some(Number { value: a, width: v }), Number { value: b, width: w }) if v + w <= 128 => {
                Some(Number { value: a << w | b, width: v + w })
            }
            (
                Some(Slice { signal, of, low, width }),
                Slice { signal: other, low: other_low, width: other_width, .. },
            ) if signal == other && *low == other_low + other_width => {
                Some(Slice { signal: *signal, of: *of, low: *other_low, width: width + other_width })
            }
            _ => None,
        };
        match (joined, out.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => out.push(part),
        }
    }
    match out.pop() {
        Some(only) if out.is_empty() => only,
        last => {
            out.extend(last);
            Concat(out)
        }
    }
}

pub(super) fn not(v: Value) -> Value {
    match v {
        Not(inner) => *inner,
        Number { value, width } => Value::number(!value, width),
        v if v.width() == 1 => match v {
            Value::Test(Test::Eq, a, b) => Value::Test(Test::Ne, a, b),
            Value::Test(Test::Ne, a, b) => Value::Test(Test::Eq, a, b),
            Value::Reduce(Reduce::Any, a) => {
                let zero = Value::number(0, a.width());
                Value::Test(Test::Eq, a, Box::new(zero))
            }
            v => Not(Box::new(v)),
        },
        v => Not(Box::new(v)),
    }
}

/// An operation on two operands of the same width.
pub(super) fn binary(op: Op, a: Value, b: Value) -> Value {
    let width = a.width();
    let (ca, cb) = (a.constant(), b.constant());
    if let (Some(x), Some(y)) = (ca, cb) {
        let value = match op {
            Op::And => x & y,
            Op::Or => x | y,
            Op::Xor => x ^ y,
            Op::Add => x.wrapping_add(y),
            Op::Sub => x.wrapping_sub(y),
            Op::Mul => x.wrapping_mul(y),
        };
        return Value::number(value, width);
    }
    match (op, ca, cb) {
        (Op::And, Some(0), _) | (Op::And, _, Some(0)) => return Value::number(0, width),
        (Op::And, Some(x), _) if x == ones(width) => return b,
        (Op::And, _, Some(x)) if x == ones(width) => return a,
        (Op::Or, Some(x), _) | (Op::Or, _, Some(x)) if x == ones(width) => return Value::number(x, width),
        (Op::Or | Op::Xor | Op::Add, Some(0), _) => return b,
        (Op::Or | Op::Xor | Op::Add | Op::Sub, _, Some(0)) => return a,
        _ => {}
    }
    match op {
        Op::And | Op::Or | Op::Xor => bitwise(op, a, b),
        _ => Binary(op, Box::new(a), Box::new(b)),
    }
}

/// Applies the operation part by part if, in every part, one side is constant and folds. So an `or` of fields becomes a
/// concatenation, and a mask of low bits a slice.
fn bitwise(op: Op, a: Value, b: Value) -> Value {
    let width = a.width();
    let cuts = |v: &Value| {
        let mut at = 0;
        let mut cuts = Vec::new();
        if let Concat(parts) = v {
            for p in parts.iter().rev() {
                at += p.width();
                cuts.push(at);
            }
        }
        // a mask is split at the borders between zeros and ones; but a named constant is clearer than a few bits
        let name = matches!(v, Named { value, .. } if !(value + 1).is_power_of_two());
        if let (Op::And, Some(c), false) = (op, v.constant(), name) {
            cuts.extend((1..width).filter(|i| (c >> i & 1) != (c >> (i - 1) & 1)));
        }
        cuts
    };
    let mut all: Vec<usize> = cuts(&a).into_iter().chain(cuts(&b)).filter(|c| (1..width).contains(c)).collect();
    all.sort_unstable();
    all.dedup();
    all.push(width);
    if (2..=9).contains(&all.len()) {
        let mut low = 0;
        let mut parts = Vec::new();
        for high in all {
            let (Some(x), Some(y)) = (a.middle(low, high - low), b.middle(low, high - low)) else { break };
            let plain = x.constant().is_some_and(|c| c == 0 || (op == Op::And && c == ones(high - low)))
                || y.constant().is_some_and(|c| c == 0 || (op == Op::And && c == ones(high - low)));
            if !plain {
                break;
            }
            parts.push(binary(op, x, y));
            low = high;
        }
        if low == width {
            parts.reverse();
            return concat(parts);
        }
    }
    Binary(op, Box::new(a), Box::new(b))
}

/// A comparison of any two values.
pub(super) fn test(test: Test, a: Value, b: Value) -> Value {
    let (a, b) = (a.trimmed(), b.trimmed());
    let width = a.width().max(b.width());
    let (a, b) = (extended(a, width), extended(b, width));
    if let (Some(x), Some(y)) = (a.constant(), b.constant()) {
        let holds = match test {
            Test::Eq => x == y,
            Test::Ne => x != y,
            Test::Lt => x < y,
            Test::Le => x <= y,
            Test::Gt => x > y,
            Test::Ge => x >= y,
            Test::Both => x != 0 && y != 0,
            Test::Either => x != 0 || y != 0,
        };
        return Value::number(holds.into(), 1);
    }
    // a known operand decides, or leaves the result to the other one
    let known = |c: &Value| c.constant().map(|c| c != 0);
    match (test, known(&a), known(&b)) {
        (Test::Both, Some(false), _) | (Test::Both, _, Some(false)) => return Value::number(0, 1),
        (Test::Either, Some(true), _) | (Test::Either, _, Some(true)) => return Value::number(1, 1),
        (Test::Both | Test::Either, Some(_), None) => return reduce(Reduce::Any, b),
        (Test::Both | Test::Either, None, Some(_)) => return reduce(Reduce::Any, a),
        _ => {}
    }
    // a number goes on the right of a comparison; nothing is greater than all ones
    match (test, a.constant(), b.constant()) {
        (Test::Gt, _, Some(c)) if c == ones(width) => Value::number(0, 1),
        (Test::Eq | Test::Ne, Some(_), None) => Value::Test(test, Box::new(b), Box::new(a)),
        _ => Value::Test(test, Box::new(a), Box::new(b)),
    }
}

/// As [`Value::fit`], but a constant keeps its name.
pub(super) fn extended(v: Value, width: usize) -> Value {
    if v.width() == width {
        v
    } else {
        v.fit(width)
    }
}

pub(super) fn reduce(how: Reduce, v: Value) -> Value {
    let v = match (how, v) {
        (Reduce::All, v) => v,
        (_, Concat(parts)) => concat(parts.into_iter().filter(|p| p.constant() != Some(0)).collect()),
        (_, v) => v.trimmed(),
    };
    match v.constant() {
        Some(c) => {
            let bit = match how {
                Reduce::All => c == ones(v.width()),
                Reduce::Any => c != 0,
                Reduce::Odd => c.count_ones() % 2 == 1,
            };
            Value::number(bit.into(), 1)
        }
        None if v.width() == 1 => v,
        None if how == Reduce::All && v.significant() < v.width() => Value::number(0, 1),
        None => Value::Reduce(how, Box::new(v)),
    }
}

/// A shift, with the width of `v`.
pub(super) fn shift(left: bool, v: Value, by: Value) -> Value {
    let width = v.width();
    let Some(amount) = by.constant().map(|by| usize::try_from(by).unwrap_or(width)) else {
        return match v.constant() {
            Some(0) => v,
            _ => Shift { left, value: Box::new(v), by: Box::new(by.trimmed()) },
        };
    };
    if amount == 0 {
        return v;
    }
    if amount >= width {
        return Value::number(0, width);
    }
    if left {
        let kept = v.clone().low(width - amount);
        if !kept.has_low() {
            return concat(vec![kept, Value::number(0, amount)]);
        }
    } else if let Some(high) = v.high(amount) {
        return high.fit(width);
    }
    Shift { left, value: Box::new(v), by: Box::new(Value::number(amount as u128, 32).trimmed()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(id: Id, width: usize) -> Value {
        Value::whole(id, width)
    }

    #[test]
    fn fields_side_by_side_are_a_concatenation() {
        let shifted = shift(true, signal(1, 2).fit(8), Value::number(3, 32));
        let both = binary(Op::Or, signal(0, 3).fit(8), shifted);
        assert_eq!(both, Concat(vec![Value::number(0, 3), signal(1, 2), signal(0, 3)]));
        assert_eq!(both.fit(5), Concat(vec![signal(1, 2), signal(0, 3)]));
    }

    #[test]
    fn masks_and_constant_shifts_are_slices() {
        let low = binary(Op::And, signal(0, 8), Value::number(0xf, 8));
        let slice = |low, width| Slice { signal: 0, of: 8, low, width };
        assert_eq!(low.trimmed(), slice(0, 4));
        let high = shift(false, signal(0, 8), Value::number(5, 3));
        assert_eq!(high.clone().trimmed(), slice(5, 3));
        assert_eq!(high.width(), 8);
        assert_eq!(reduce(Reduce::Any, binary(Op::And, signal(0, 8), Value::number(0x40, 8))), slice(6, 1));
    }

    #[test]
    fn a_sum_is_cut_at_its_operands_and_a_shifted_one_is_not() {
        let sum = binary(Op::Add, signal(0, 4).fit(32), Value::number(1, 32));
        assert_eq!(sum.clone().fit(4), Binary(Op::Add, Box::new(signal(0, 4)), Box::new(Value::number(1, 4))));
        assert!(shift(false, sum, Value::number(1, 3)).fit(4).has_low());
    }

    #[test]
    fn what_a_constant_decides_is_a_constant() {
        let (x, all) = (signal(0, 3), Value::number(7, 3));
        assert_eq!(binary(Op::Or, x.clone(), all.clone()), all);
        assert_eq!(binary(Op::Or, all.clone(), x.clone()), all);
        assert_eq!(binary(Op::And, x.clone(), all.clone()), x);
        assert_eq!(test(Test::Gt, x, all), Value::number(0, 1));
    }

    #[test]
    fn all_ones_of_what_has_zeros_above_is_never() {
        assert_eq!(reduce(Reduce::All, signal(0, 3).fit(4)), Value::number(0, 1));
        assert_eq!(test(Test::Eq, signal(0, 3).fit(32), Value::number(5, 32)).width(), 1);
    }
}
