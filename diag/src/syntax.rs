//! Syntax tree of a script: items, statements, expressions, each with its position

pub use crate::probe::Probe;
pub use crate::symbols::Number;

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    Invert,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names describe them
pub enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// An expression with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Start position.
    pub at: usize,
    /// Kind of expression.
    pub kind: ExprKind,
}

/// A kind of expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Number(i64),
    /// A field of the event.
    Field(String),
    /// A text in quotation marks.
    Text(String),
    /// `(int8) a`
    Cast(Number, Box<Expr>),
    /// `a ? b : c`
    Choose(Box<[Expr; 3]>),
    /// A scratch variable: `$name`.
    Scratch(String),
    /// The address of a symbol: `&name`.
    Address(String),
    /// What is read of a map: name, key.
    Map(Query, String, Vec<Expr>),
    /// `op a`
    Unary(Unary, Box<Expr>),
    /// `a op b`
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// Part of a map that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// The value of an entry, `@m[key]`; 0 if there is none.
    Value,
    /// 1 if there is an entry, else 0: `has_key(@m[key])`.
    HasKey,
    /// Number of entries: `len(@m)`.
    Len,
}

impl Query {
    /// The query that is called by this name.
    pub fn called(name: &str) -> Option<Self> {
        match name {
            "has_key" => Some(Self::HasKey),
            "len" => Some(Self::Len),
            _ => None,
        }
    }
}

/// Summary of a map's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Summary {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Stats,
    Hist,
    Quantiles,
    Lhist(Linear),
}

/// Buckets of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Least value of the first one.
    pub min: i64,
    /// Above the greatest value of the last one.
    pub max: i64,
    /// Their size, from 1 on.
    pub step: i64,
}

impl Summary {
    /// The summary of this name.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            "stats" => Self::Stats,
            "hist" => Self::Hist,
            "quantiles" => Self::Quantiles,
            _ => return None,
        })
    }

    /// Whether a histogram node can count for it.
    pub fn is_histogram(self) -> bool {
        matches!(self, Self::Hist | Self::Quantiles)
    }
}

/// A statement of a script, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `@map[key] = count();` and other summaries.
    Sum {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
        /// Keys.
        key: Vec<Expr>,
        /// Summary.
        summary: Summary,
        /// Its argument; `None` for a count.
        value: Option<Expr>,
    },
    /// `@map[key] = value;`
    Set {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
        /// Keys.
        key: Vec<Expr>,
        /// The value.
        value: Expr,
    },
    /// `printf("...", values);`
    Printf {
        /// Position.
        at: usize,
        /// Format.
        format: String,
        /// Values.
        values: Vec<Expr>,
    },
    /// `print(@map, rows);`
    Print {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
        /// Number of rows with the greatest values; `None`: all.
        rows: Option<usize>,
    },
    /// `clear(@map);`
    Clear {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
    },
    /// `@map[key]++;`
    Increment {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
        /// Keys.
        key: Vec<Expr>,
    },
    /// `delete(@map[key]);`
    Delete {
        /// Position.
        at: usize,
        /// Name of the map.
        map: String,
        /// Keys.
        key: Vec<Expr>,
    },
    /// `$name = value;`
    Let {
        /// Position.
        at: usize,
        /// Name of the variable.
        name: String,
        /// Its value.
        value: Expr,
    },
    /// `if (condition) { statements } else { statements }`
    If {
        /// Condition.
        condition: Expr,
        /// Statements if it is not 0.
        then: Vec<Stmt>,
        /// Otherwise.
        other: Vec<Stmt>,
    },
    /// `exit();`
    Exit,
}

/// A probe with the key that a state machine or span takes from its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// The probe.
    pub probe: Probe,
    /// Its key.
    pub key: Option<Expr>,
}

/// A state of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Name.
    pub name: String,
    /// Steps: probe, position and name of the next state.
    pub steps: Vec<(Probe, usize, String)>,
}

/// An item of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `probe, probe /predicate/ { statements }`
    Clause {
        /// Probes.
        probes: Vec<Probe>,
        /// Condition.
        predicate: Option<Expr>,
        /// Statements.
        body: Vec<Stmt>,
    },
    /// `txn name { open probe(key) close probe(key) }`
    Txn {
        /// Position.
        at: usize,
        /// Name.
        name: String,
        /// Probe that opens it.
        open: Keyed,
        /// Probe that closes it.
        close: Keyed,
    },
    /// `span name { from probe(key) to probe(key) }`
    Span {
        /// Position.
        at: usize,
        /// Name.
        name: String,
        /// First event.
        from: Keyed,
        /// Second event.
        to: Keyed,
    },
    /// `machine name [by field] { state: probe -> state, ...; ... }`
    Machine {
        /// Position.
        at: usize,
        /// Name.
        name: String,
        /// Field that selects the instance, if there is one per value.
        by: Option<Expr>,
        /// States with their steps.
        states: Vec<State>,
    },
    /// `log name [by field] { keep probe(key), ... dump|freeze probe }`
    Log {
        /// Position.
        at: usize,
        /// Name.
        name: String,
        /// Field that selects the instance, if there is one per value.
        by: Option<Expr>,
        /// Probes whose events it keeps.
        keep: Vec<Keyed>,
        /// Whether its events are kept until the end, instead of being sent at each trigger.
        freezes: bool,
        /// Probe that triggers it.
        trigger: Keyed,
    },
    /// `ltl name [by field] { formula }`
    Ltl {
        /// Name.
        name: String,
        /// Field that selects the instance, if there is one per value.
        by: Option<Expr>,
        /// Formula that must hold.
        formula: crate::formula::Formula,
    },
}
