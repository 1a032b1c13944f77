//! Values of events, maps, and statements

use crate::syntax::{Binary, Expr, ExprKind, Linear, Query, Stmt, Summary, Unary};
use std::ops;

/// A value: a field of an event, a number, or an expression of these. Numbers have 64 bits and wrap, a division by 0
/// gives 0, a comparison gives 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value(pub(super) Expr);

fn of(kind: ExprKind) -> Value {
    Value(Expr { at: 0, kind })
}

/// The field of this name, as in a script.
pub fn field(name: &str) -> Value {
    of(ExprKind::Field(name.into()))
}

/// The address of a symbol: `&name`
pub fn address(name: &str) -> Value {
    of(ExprKind::Address(name.into()))
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])* pub fn $name() -> Value {
            field(stringify!($name))
        })*
    };
}

fields! {
    /// The core.
    core
    /// The clock.
    time
    /// What a function returns.
    retval
    /// Clocks of a call or a span.
    elapsed
    /// Address of an access.
    addr
    /// Value of an access.
    value
    /// Cause of a trap.
    cause
    /// The return address.
    ra
    /// The stack pointer.
    sp
    /// Key of a violation, a span or what a log kept.
    key
    /// Who owns the transaction that is violated.
    owner
    /// State in which a machine is violated.
    state
    /// Number of the probe that violates it, or that a log kept.
    step
}

/// An argument in a register, 0 to 7.
pub fn arg(n: u8) -> Value {
    field(&format!("arg{n}"))
}

/// A word on the stack, 0 to 15.
pub fn stack_arg(n: u8) -> Value {
    field(&format!("sarg{n}"))
}

/// A register, 1 to 31.
pub fn register(n: u8) -> Value {
    field(&format!("x{n}"))
}

impl From<u32> for Value {
    fn from(n: u32) -> Self {
        of(ExprKind::Number(n.into()))
    }
}

impl From<i32> for Value {
    fn from(n: i32) -> Self {
        let size = Self::from(n.unsigned_abs());
        if n < 0 {
            -size
        } else {
            size
        }
    }
}

fn binary(op: Binary, a: Value, b: Value) -> Value {
    of(ExprKind::Binary(op, Box::new(a.0), Box::new(b.0)))
}

macro_rules! operators {
    ($($name:ident $method:ident)*) => {
        $(impl<T: Into<Value>> ops::$name<T> for Value {
            type Output = Value;

            fn $method(self, other: T) -> Value {
                binary(Binary::$name, self, other.into())
            }
        })*
    };
}

operators! { BitOr bitor BitXor bitxor BitAnd bitand Shl shl Shr shr Add add Sub sub Mul mul Div div Rem rem }

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $op:ident)*) => {
        impl Value {
            $($(#[$doc])* pub fn $name(self, other: impl Into<Value>) -> Value {
                binary(Binary::$op, self, other.into())
            })*
        }
    };
}

comparisons! {
    /// `==`
    is Eq
    /// `!=`
    is_not Ne
    /// `<`
    below Lt
    /// `<=`
    at_most Le
    /// `>`
    above Gt
    /// `>=`
    at_least Ge
    /// `&&`
    and And
    /// `||`
    or Or
}

impl Value {
    /// `~`
    pub fn invert(self) -> Value {
        of(ExprKind::Unary(Unary::Invert, Box::new(self.0)))
    }
}

impl Value {
    /// `self ? then : other`
    pub fn choose(self, then: impl Into<Value>, other: impl Into<Value>) -> Value {
        of(ExprKind::Choose(Box::new([self.0, then.into().0, other.into().0])))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        of(ExprKind::Text(text.into()))
    }
}

/// A scratch variable of a clause: `$name`
pub fn scratch(name: &str) -> Value {
    of(ExprKind::Scratch(name.into()))
}

/// Sets a scratch variable: `$name = value`
pub fn assign(name: &str, value: impl Into<Value>) -> Stmt {
    Stmt::Let { at: 0, name: name.into(), value: value.into().0 }
}

/// Runs statements if the condition is not 0, otherwise the others.
pub fn when(
    condition: impl Into<Value>,
    then: impl IntoIterator<Item = Stmt>,
    other: impl IntoIterator<Item = Stmt>,
) -> Stmt {
    let (then, other) = (then.into_iter().collect(), other.into_iter().collect());
    Stmt::If { condition: condition.into().0, then, other }
}

/// Ends the script.
pub fn exit() -> Stmt {
    Stmt::Exit
}

impl ops::Not for Value {
    type Output = Value;

    fn not(self) -> Value {
        of(ExprKind::Unary(Unary::Not, Box::new(self.0)))
    }
}

impl ops::Neg for Value {
    type Output = Value;

    fn neg(self) -> Value {
        of(ExprKind::Unary(Unary::Negate, Box::new(self.0)))
    }
}

/// A map, with or without a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    name: String,
    key: Vec<Expr>,
}

/// The map of this name.
pub fn map(name: &str) -> Map {
    Map { name: name.into(), key: Vec::new() }
}

macro_rules! summaries {
    ($($(#[$doc:meta])* $name:ident $summary:ident)*) => {
        impl Map {
            $($(#[$doc])* pub fn $name(self, value: impl Into<Value>) -> Stmt {
                self.summed(Summary::$summary, Some(value.into()))
            })*
        }
    };
}

summaries! {
    /// Sums values up.
    sum Sum
    /// Their average.
    avg Avg
    /// The least.
    min Min
    /// The greatest.
    max Max
    /// Number, sum, average, least and greatest.
    stats Stats
    /// How many there are of each size.
    hist Hist
    /// The values that 50, 90 and 99 percent do not exceed.
    quantiles Quantiles
}

impl Map {
    /// Adds a value to the key.
    pub fn by(mut self, key: impl Into<Value>) -> Self {
        self.key.push(key.into().0);
        self
    }

    fn summed(self, summary: Summary, value: Option<Value>) -> Stmt {
        Stmt::Sum { at: 0, map: self.name, key: self.key, summary, value: value.map(|v| v.0) }
    }

    /// Counts events.
    pub fn count(self) -> Stmt {
        self.summed(Summary::Count, None)
    }

    /// How many there are in each step from `range.start` up to `range.end`.
    ///
    /// # Panics
    /// If the range is empty, or the step is below 1.
    pub fn lhist(self, value: impl Into<Value>, range: ops::Range<i64>, step: i64) -> Stmt {
        assert!(!range.is_empty() && step >= 1, "{range:?} in steps of {step} is not a range");
        self.summed(Summary::Lhist(Linear { min: range.start, max: range.end, step }), Some(value.into()))
    }

    /// Adds 1: `@map++`
    pub fn increment(self) -> Stmt {
        Stmt::Increment { at: 0, map: self.name, key: self.key }
    }

    /// Removes the entry.
    pub fn delete(self) -> Stmt {
        Stmt::Delete { at: 0, map: self.name, key: self.key }
    }

    /// Keeps a value.
    pub fn set(self, value: impl Into<Value>) -> Stmt {
        Stmt::Set { at: 0, map: self.name, key: self.key, value: value.into().0 }
    }

    /// Reads the entry.
    pub fn get(self) -> Value {
        of(ExprKind::Map(Query::Value, self.name, self.key))
    }

    /// Whether there is the entry.
    pub fn has_key(self) -> Value {
        of(ExprKind::Map(Query::HasKey, self.name, self.key))
    }

    /// Number of entries.
    pub fn entries(self) -> Value {
        of(ExprKind::Map(Query::Len, self.name, Vec::new()))
    }

    /// Prints all rows.
    pub fn print(self) -> Stmt {
        Stmt::Print { at: 0, map: self.name, rows: None }
    }

    /// Prints the rows with the greatest values.
    pub fn top(self, rows: u32) -> Stmt {
        Stmt::Print { at: 0, map: self.name, rows: Some(rows as usize) }
    }

    /// Clears the map.
    pub fn clear(self) -> Stmt {
        Stmt::Clear { at: 0, map: self.name }
    }
}

/// Prints a text, with values in place of `%d`, `%x` and `%s`.
pub fn printf(format: &str, values: impl IntoIterator<Item = Value>) -> Stmt {
    let values = values.into_iter().map(|v| v.0).collect();
    Stmt::Printf { at: 0, format: format.into(), values }
}
