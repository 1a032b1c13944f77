//! An application: a script with resolved names
//!
//! Each use of a probe is a separate [`Use`] with one consumer. Uses with the same trigger may share a trigger slot
//! ([`crate::share`]).

pub use crate::format::Part;
use crate::order::Order;
pub use crate::symbols::Number;
use crate::syntax::{Binary, Query, Summary, Unary};
use crate::Mistake;
use sim::diag::trigger::{Capture, Trigger};

/// A value of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// An argument, by index.
    Arg(u8),
    /// The core.
    Core,
    /// The cycle, in full width.
    Time,
    /// A number of 64 bits: the arguments that hold its lower and its upper half.
    Wide(u8, u8),
}

/// An expression. Numbers are 64-bit and wrap; fields are unsigned; a division by 0 gives 0; a comparison gives 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(i64),
    /// A value of the event.
    Value(Value),
    /// What is read of a map, with the key of an entry.
    Map(Query, usize, Vec<Expr>),
    /// `op a`
    Unary(Unary, Box<Expr>),
    /// `a op b`; `||` and `&&` give 0 or 1 and evaluate both sides.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// The low bytes of a number, with or without a sign.
    Cast(Number, Box<Expr>),
    /// `a ? b : c`
    Choose(Box<[Expr; 3]>),
    /// A scratch variable of the clause; 0 before it is set.
    Scratch(usize),
    /// The text of the code at an address, from a table of the application.
    Lookup(usize, Box<Expr>),
}

/// Kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A text: its number among the application's texts.
    Text,
}

/// A statement of a clause, with names resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Adds a value to a map's summary: map, key, value.
    Sum(usize, Vec<Expr>, Expr),
    /// Stores a value in a map: map, key, value.
    Set(usize, Vec<Expr>, Expr),
    /// Prints text: parts of the format, and values.
    Printf(Vec<Part>, Vec<(Expr, Kind)>),
    /// Prints a map: all rows, or this many.
    Print(usize, Option<usize>),
    /// Clears a map.
    Clear(usize),
    /// Removes an entry of a map.
    Delete(usize, Vec<Expr>),
    /// Sets a scratch variable.
    Let(usize, Expr),
    /// Runs the first statements if the condition is not 0, otherwise the second.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Ends the script: no clause runs after this one, except those of the end.
    Exit,
}

/// Source of a clause's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A use of a point of the program.
    Slot(usize),
    /// Reports of a machine.
    Machine(usize),
    /// Results of a span.
    Span(usize),
    /// Events that a log sends.
    Log(usize),
    /// The start of the script.
    Begin,
    /// The tick.
    Tick,
    /// The end of the run.
    End,
}

/// Consumer of the events of a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consumer {
    /// A clause.
    Clause(usize),
    /// A class of a machine.
    Class(usize, usize),
    /// First (0) or second (1) event of a span.
    Span(usize, usize),
    /// An event that a log keeps; the last index is the event that triggers the log.
    Log(usize, usize),
}

/// A use of a point of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Name, as in the script.
    pub name: String,
    /// Position in the script.
    pub at: usize,
    /// Trigger of its event.
    pub trigger: Trigger,
    /// Further triggers of the same event: other locations of the point.
    pub also: Vec<Trigger>,
    /// Words that its event carries.
    pub captures: Vec<Capture>,
    /// Whether the event needs a time.
    pub stamped: bool,
    /// Consumer of the event.
    pub consumer: Consumer,
    /// Trigger that the script asks for, if `trigger` was widened so that others share it.
    pub original_trigger: Option<Trigger>,
    /// Condition that selects its events among those of a widened trigger, unless the consumer is a clause, whose
    /// predicate includes it.
    pub selection: Option<Expr>,
    /// Whether it has no trigger: the host finds the event in a trace of the cores ([`crate::points`]).
    pub traced: bool,
}

/// A clause of a script: a probe, a predicate and statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Source of its events.
    pub origin: Origin,
    /// Condition for running the body.
    pub predicate: Option<Expr>,
    /// Statements.
    pub body: Vec<Stmt>,
    /// Number of scratch variables.
    pub scratch: usize,
    /// For a tick: it runs at each tick whose number is a multiple of this.
    pub every: u32,
}

/// A map of a script: its keys, and the summary of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Name.
    pub name: String,
    /// Summary of its values; `None`: it stores values.
    pub summary: Option<Summary>,
    /// What its keys are, if a statement of it has any.
    pub keys: Vec<Kind>,
    /// Whether an expression reads it: then it must be on the same side of the link as that expression.
    pub read: bool,
}

/// A state machine or transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineDef {
    /// Name.
    pub name: String,
    /// Its states by name.
    pub states: Vec<String>,
    /// Its event classes: text in the script, and key.
    pub classes: Vec<(String, Option<Value>)>,
    /// Next state by state and class; `None` in a row: no step. No table at all: a transaction with two classes.
    pub steps: Option<Vec<Vec<Option<u8>>>>,
    /// Whether there is one machine per value of the key.
    pub by_key: bool,
    /// Whether it restarts after an undefined step; otherwise it stays in its state.
    pub restarts: bool,
}

/// A span of a script: the time between two events of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanDef {
    /// Name.
    pub name: String,
    /// Keys of the two events.
    pub keys: [Value; 2],
}

/// A log, which keeps the last events before a trigger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogDef {
    /// Name.
    pub name: String,
    /// Keys of its events, that of the trigger last.
    pub keys: Vec<Option<Value>>,
    /// Trigger: a slot or the reports of a machine.
    pub trigger: Origin,
    /// Whether there is one log per value of the key.
    pub by_key: bool,
    /// Whether it is sent when it is flushed, instead of immediately.
    pub freezes: bool,
}

/// A diagnosis application: a script whose names are resolved.
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
    /// Cycles per tick.
    pub tick: Option<u32>,
    /// Texts that values are.
    pub texts: Vec<String>,
    /// Tables of texts by address of code: start, number of the text.
    pub lookups: Vec<Vec<(u64, i64)>>,
    /// How the host treats the order of events ([`crate::order::require`]).
    pub order: Order,
    /// Whether addresses and registers of the program have 64 bits.
    pub wide: bool,
    /// Notes about its probes for the user.
    pub notes: Vec<Mistake>,
}

impl Use {
    /// All triggers of its event.
    pub fn triggers(&self) -> impl Iterator<Item = Trigger> + '_ {
        std::iter::once(self.trigger).chain(self.also.iter().copied())
    }

    /// All triggers of its event, to change them.
    pub(crate) fn triggers_mut(&mut self) -> impl Iterator<Item = &mut Trigger> {
        std::iter::once(&mut self.trigger).chain(&mut self.also)
    }
}

impl Value {
    /// Whether it has 64 bits: no node can compare it.
    pub fn is_wide(self) -> bool {
        matches!(self, Self::Wide(..))
    }
}

impl SpanDef {
    /// Whether a key has 64 bits.
    pub fn is_wide(&self) -> bool {
        self.keys.iter().any(|k| k.is_wide())
    }
}

impl LogDef {
    /// Whether a key has 64 bits.
    pub fn is_wide(&self) -> bool {
        self.keys.iter().flatten().any(|k| k.is_wide())
    }
}

impl MachineDef {
    /// Whether a key has 64 bits.
    pub fn is_wide(&self) -> bool {
        self.classes.iter().filter_map(|c| c.1).any(Value::is_wide)
    }

    /// Whether there may be more keys than a node has entries. Cores are never too many.
    pub fn may_exceed_keys(&self) -> bool {
        self.by_key && self.classes.iter().any(|c| c.1 != Some(Value::Core))
    }
}

impl Expr {
    /// Whether `is` holds for it or for an expression in it.
    pub fn any(&self, is: &impl Fn(&Self) -> bool) -> bool {
        let inside = match self {
            Self::Number(_) | Self::Value(_) | Self::Scratch(_) => false,
            Self::Map(.., key) => key.iter().any(|k| k.any(is)),
            Self::Unary(_, a) | Self::Cast(_, a) | Self::Lookup(_, a) => a.any(is),
            Self::Binary(_, a, b) => a.any(is) || b.any(is),
            Self::Choose(all) => all.iter().any(|e| e.any(is)),
        };
        inside || is(self)
    }

    /// Whether it reads a map.
    pub fn reads_maps(&self) -> bool {
        self.any(&|e| matches!(e, Self::Map(..)))
    }
}

impl Stmt {
    /// It and all statements in it.
    pub fn all(&self) -> Vec<&Self> {
        match self {
            Self::If(_, then, other) => {
                std::iter::once(self).chain(then.iter().chain(other).flat_map(Self::all)).collect()
            }
            _ => vec![self],
        }
    }

    /// Its expressions, without those of statements in it.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Sum(_, key, value) | Self::Set(_, key, value) => key.iter().chain([value]).collect(),
            Self::Printf(_, values) => values.iter().map(|v| &v.0).collect(),
            Self::Delete(_, key) => key.iter().collect(),
            Self::Let(_, value) | Self::If(value, ..) => vec![value],
            Self::Print(..) | Self::Clear(_) | Self::Exit => Vec::new(),
        }
    }
}

impl Clause {
    /// All of its statements, with those in others.
    pub fn statements(&self) -> impl Iterator<Item = &Stmt> {
        self.body.iter().flat_map(Stmt::all)
    }
}

impl App {
    /// Width of the program's addresses and registers, bits: 32 or 64.
    pub fn xlen(&self) -> u8 {
        if self.wide {
            64
        } else {
            32
        }
    }

    /// The number of the text of the code at an address.
    pub fn text_at(&self, table: usize, addr: u64) -> i64 {
        let rows = &self.lookups[table];
        rows[..rows.partition_point(|r| r.0 <= addr)].last().map_or(0, |r| r.1)
    }

    /// Whether a clause ends the script.
    pub fn exits(&self) -> bool {
        self.clauses.iter().any(|c| c.statements().any(|s| *s == Stmt::Exit))
    }
}
