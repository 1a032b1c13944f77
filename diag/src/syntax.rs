//! A script as it is written: items, statements, expressions, each with its place

pub use crate::probe::Probe;

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
#[allow(missing_docs)] // they are what their names say
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

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Where it begins.
    pub at: usize,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Number(i64),
    /// A field of the event.
    Field(String),
    /// The address of a symbol: `&name`.
    Address(String),
    /// A map at a key.
    Map(String, Vec<Expr>),
    /// `op a`
    Unary(Unary, Box<Expr>),
    /// `a op b`
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// How values are summed up.
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
}

impl Summary {
    /// The one of that name.
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "count" => Self::Count,
            "sum" => Self::Sum,
            "avg" => Self::Avg,
            "min" => Self::Min,
            "max" => Self::Max,
            "stats" => Self::Stats,
            "hist" => Self::Hist,
            _ => return None,
        })
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `@map[key] = count();` and the like.
    Sum {
        /// Place.
        at: usize,
        /// Name of the map.
        map: String,
        /// Keys.
        key: Vec<Expr>,
        /// How.
        summary: Summary,
        /// Of what; none for a count.
        value: Option<Expr>,
    },
    /// `@map[key] = value;`
    Set {
        /// Place.
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
        /// Place.
        at: usize,
        /// Format.
        format: String,
        /// Values.
        values: Vec<Expr>,
    },
    /// `print(@map, rows);`
    Print {
        /// Place.
        at: usize,
        /// Name of the map.
        map: String,
        /// The greatest so many; all.
        rows: Option<usize>,
    },
    /// `clear(@map);`
    Clear {
        /// Place.
        at: usize,
        /// Name of the map.
        map: String,
    },
}

/// A probe with the key that a state machine or span takes of its event.
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
    /// Probes, each with the place and the name of the state that it leads to.
    pub steps: Vec<(Probe, usize, String)>,
}

/// An item of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// `probe, probe /predicate/ { statements }`
    Clause {
        /// Where.
        probes: Vec<Probe>,
        /// When.
        predicate: Option<Expr>,
        /// What.
        body: Vec<Stmt>,
    },
    /// `txn name { open probe(key) close probe(key) }`
    Txn {
        /// Place.
        at: usize,
        /// Name.
        name: String,
        /// Opens it.
        open: Keyed,
        /// Closes it.
        close: Keyed,
    },
    /// `span name { from probe(key) to probe(key) }`
    Span {
        /// Place.
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
        /// Place.
        at: usize,
        /// Name.
        name: String,
        /// One for each value of this.
        by: Option<Expr>,
        /// States with their steps.
        states: Vec<State>,
    },
    /// `log name [by field] { keep probe(key), ... dump|freeze probe }`
    Log {
        /// Place.
        at: usize,
        /// Name.
        name: String,
        /// One for each value of this.
        by: Option<Expr>,
        /// What it keeps.
        keep: Vec<Keyed>,
        /// It is kept until the end, and not sent each time.
        freezes: bool,
        /// What makes it send.
        trigger: Keyed,
    },
    /// `ltl name [by field] { formula }`
    Ltl {
        /// Name.
        name: String,
        /// For each value of this by itself.
        by: Option<Expr>,
        /// What must hold.
        formula: crate::formula::Formula,
    },
}
