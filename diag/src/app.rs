//! An application: a script whose names are resolved
//!
//! Each use of a probe is one of its own ([`Use`]), with one consumer; those with the same trigger may share a trigger slot
//! ([`crate::share`]).

use crate::syntax::{Binary, Summary, Unary};
use crate::Mistake;
use sim::diag::trigger::{Capture, Trigger};

/// A value of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An argument.
    Arg(u8),
    /// The core.
    Core,
    /// The clock, whole.
    Time,
}

/// An expression. Numbers are 64-bit and wrap; fields are unsigned; a division by 0 is 0; a comparison is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// Of the event.
    Value(Value),
    /// A map at a key; 0 where it has none.
    Map(usize, Vec<Expr>),
    /// `op a`
    Unary(Unary, Box<Expr>),
    /// `a op b`; `||` and `&&` have the value 0 or 1 and look at both sides.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// A value is summed up.
    Sum(usize, Vec<Expr>, Expr),
    /// A value is kept.
    Set(usize, Vec<Expr>, Expr),
    /// Text, with the format's parts.
    Printf(Vec<Part>, Vec<Expr>),
    /// A map, so many rows.
    Print(usize, Option<usize>),
    /// A map is emptied.
    Clear(usize),
}

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it is.
    Text(String),
    /// The next value: decimal, hexadecimal, or the symbol at it.
    Decimal,
    /// Hexadecimal.
    Hex,
    /// Symbol.
    Symbol,
}

/// Where events of a clause come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A use of a point of the program.
    Slot(usize),
    /// Reports of a machine.
    Machine(usize),
    /// Results of a span.
    Span(usize),
    /// What a log sends.
    Log(usize),
    /// The tick.
    Tick,
    /// The end of the run.
    End,
}

/// Who takes the event of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consumer {
    /// A clause.
    Clause(usize),
    /// A class of a machine.
    Class(usize, usize),
    /// First (0) or second (1) event of a span.
    Span(usize, usize),
    /// An event that a log keeps; behind those, the one that triggers it.
    Log(usize, usize),
}

/// A use of a point of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// As it is in the script.
    pub name: String,
    /// Its place there.
    pub at: usize,
    /// What it waits for.
    pub trigger: Trigger,
    /// What its event carries.
    pub captures: Vec<Capture>,
    /// Its time is needed.
    pub stamped: bool,
    /// Who takes it.
    pub consumer: Consumer,
    /// What it waits for in the script, where the trigger was widened so that others share it.
    pub narrow: Option<Trigger>,
    /// Its events among those of such a trigger, if it is no clause: that has it in its predicate.
    pub only: Option<Expr>,
    /// No trigger waits for it: the host finds it in a trace of the cores ([`crate::points`]).
    pub traced: bool,
}

/// A clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Where its events come from.
    pub origin: Origin,
    /// When it is run.
    pub predicate: Option<Expr>,
    /// What it does.
    pub body: Vec<Stmt>,
}

/// A map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Name.
    pub name: String,
    /// How it sums up; none: it keeps values.
    pub summary: Option<Summary>,
    /// An expression reads it, so that it has to be where that is.
    pub read: bool,
}

/// A state machine or transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineDef {
    /// Name.
    pub name: String,
    /// Its states by name.
    pub states: Vec<String>,
    /// Its classes: as in the script, and the key.
    pub classes: Vec<(String, Option<Value>)>,
    /// Next state by state and class, where there is one; none: a transaction of two classes.
    pub steps: Option<Vec<Vec<Option<u8>>>>,
    /// There is one for each value of the key.
    pub by_key: bool,
    /// Behind a step that is not there it begins anew; else it stays where it is.
    pub restarts: bool,
}

/// A span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanDef {
    /// Name.
    pub name: String,
    /// Keys of both events.
    pub keys: [Value; 2],
}

/// A log: the last events before one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogDef {
    /// Name.
    pub name: String,
    /// Keys of its events, that of the trigger last.
    pub keys: Vec<Option<Value>>,
    /// What triggers it: a slot or reports of a machine.
    pub trigger: Origin,
    /// There is one for each value of the key.
    pub by_key: bool,
    /// It is sent when it is flushed, and not at once.
    pub freezes: bool,
}

/// An application.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct App {
    /// Uses of points of the program.
    pub uses: Vec<Use>,
    /// Clauses.
    pub clauses: Vec<Clause>,
    /// Maps.
    pub maps: Vec<Map>,
    /// Machines.
    pub machines: Vec<MachineDef>,
    /// Spans.
    pub spans: Vec<SpanDef>,
    /// Logs.
    pub logs: Vec<LogDef>,
    /// Clocks of a tick.
    pub tick: Option<u32>,
    /// What is worth knowing of its probes.
    pub notes: Vec<Mistake>,
}

impl MachineDef {
    /// There may be more keys than a node has places for. Cores are never too many.
    pub fn passes_keys(&self) -> bool {
        self.by_key && self.classes.iter().any(|c| c.1 != Some(Value::Core))
    }
}

impl Expr {
    /// Whether it reads a map.
    pub fn reads_maps(&self) -> bool {
        match self {
            Self::Number(_) | Self::Value(_) => false,
            Self::Map(..) => true,
            Self::Unary(_, a) => a.reads_maps(),
            Self::Binary(_, a, b) => a.reads_maps() || b.reads_maps(),
        }
    }
}
