//! Applications as Rust values: an alternative to the text of a script
//!
//! Points of a program ([`call`], [`ret`], [`write()`], ...), values of their events ([`arg`], [`core()`], [`elapsed`],
//! ...), maps ([`map`]) and formulas ([`always`], ...) are combined to a [`Script`]. [`Script::resolve`] gives the
//! application for the planner. `to_string` gives the script's text, which error messages quote.
//!
//! ```
//! use diag::build::{arg, call, key, map, owner, ret, violation, Script};
//! use diag::symbols::Symbols;
//!
//! let races = Script::new()
//!     .txn("account", call("get_balance").key(arg(0)), ret("set_balance").key(arg(0)))
//!     .on(violation("account"), [map("races").by(key()).by(owner()).count()]);
//! assert_eq!(
//!     races.to_string(),
//!     "txn account { open call:get_balance(arg0) close ret:set_balance(arg0) }\n\
//!      violation:account { @races[key, owner] = count(); }\n"
//! );
//! let symbols = Symbols::parse(programs::find("bank").unwrap().elf)?;
//! let app = races.resolve(&symbols, 50_000_000)?;
//! assert_eq!((app.uses.len(), app.machines[0].name.as_str()), (2, "account"));
//!
//! // mistakes are reported as for a script, with their position in its text
//! let wrong = Script::new().on(call("get_balanc").when(arg(0).below(4)), [map("n").count()]);
//! let mistake = wrong.resolve(&symbols, 50_000_000).unwrap_err();
//! assert_eq!((mistake.line, mistake.column), (1, 1));
//! assert!(mistake.what.ends_with("did you mean get_balance?"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod formula;
mod point;
mod value;

pub use crate::syntax::{Item, Keyed, State, Stmt};
pub use formula::{always, happens, historically, never, next, once, previous, Holds};
pub use point::{
    access, any, begin, call, end, every, exception, exceptions, interrupt, interrupts, line, log, pc, read, ret, span,
    trap, trap_return, violation, write, CodeLocation, On, Period, Point,
};
pub use value::{
    addr, address, arg, assign, cause, core, elapsed, exit, field, key, map, owner, printf, ra, register, retval,
    scratch, sp, stack_arg, state, step, time, value, when, Map, Value,
};

use crate::app::App;
use crate::symbols::Symbols;
use crate::{parse, resolve, ScriptError};
use std::fmt;

/// A script, built item by item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    items: Vec<Item>,
}

/// Action of a log when it is triggered: [`dump`] or [`freeze`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogAction {
    freezes: bool,
    trigger: Keyed,
}

/// The log sends what it keeps, each time it is triggered.
pub fn dump(trigger: impl Into<Keyed>) -> LogAction {
    LogAction { freezes: false, trigger: trigger.into() }
}

/// The log stops when it is triggered, and sends what it keeps when it is flushed.
pub fn freeze(trigger: impl Into<Keyed>) -> LogAction {
    LogAction { freezes: true, trigger: trigger.into() }
}

/// A state of a machine, with the points that lead to other states.
pub fn state_of<'a>(name: &str, steps: impl IntoIterator<Item = (Point, &'a str)>) -> State {
    let steps = steps.into_iter().map(|(point, to)| (point.0, 0, to.to_string()));
    State { name: name.into(), steps: steps.collect() }
}

impl Script {
    /// Creates an empty script.
    pub fn new() -> Self {
        Self::default()
    }

    fn with(mut self, item: Item) -> Self {
        self.items.push(item);
        self
    }

    /// Adds a clause for one or several points: `probe, probe /predicate/ { ... }`
    pub fn on(self, on: impl Into<On>, body: impl IntoIterator<Item = Stmt>) -> Self {
        let On { probes, predicate } = on.into();
        self.with(Item::Clause { probes, predicate, body: body.into_iter().collect() })
    }

    /// Adds a transaction, which is opened and closed with the same key: `txn name { open ... close ... }`
    pub fn txn(self, name: &str, open: impl Into<Keyed>, close: impl Into<Keyed>) -> Self {
        self.with(Item::Txn { at: 0, name: name.into(), open: open.into(), close: close.into() })
    }

    /// Adds a span, the cycles between two events with the same key: `span name { from ... to ... }`
    pub fn span(self, name: &str, from: impl Into<Keyed>, to: impl Into<Keyed>) -> Self {
        self.with(Item::Span { at: 0, name: name.into(), from: from.into(), to: to.into() })
    }

    /// Adds a state machine, which starts in its first state: `machine name { ... }`
    pub fn machine(self, name: &str, states: impl IntoIterator<Item = State>) -> Self {
        self.with(Item::Machine { at: 0, name: name.into(), by: None, states: states.into_iter().collect() })
    }

    /// Adds a formula that must hold: `ltl name { ... }`
    pub fn ltl(self, name: &str, formula: impl Into<Holds>) -> Self {
        self.with(Item::Ltl { name: name.into(), by: None, formula: formula.into().0 })
    }

    /// Adds a log of the last events before a trigger: `log name { keep ... dump|freeze ... }`
    pub fn log<K: Into<Keyed>>(self, name: &str, keep: impl IntoIterator<Item = K>, ending: LogAction) -> Self {
        let keep = keep.into_iter().map(Into::into).collect();
        let LogAction { freezes, trigger } = ending;
        self.with(Item::Log { at: 0, name: name.into(), by: None, keep, freezes, trigger })
    }

    /// Gives the last added machine, formula or log one instance per value of a field: `ltl name by arg0 { ... }`
    ///
    /// # Panics
    /// If the last item is none of these.
    pub fn by(mut self, key: Value) -> Self {
        match self.items.last_mut() {
            Some(Item::Machine { by, .. } | Item::Ltl { by, .. } | Item::Log { by, .. }) => *by = Some(key.0),
            other => panic!("by: {other:?} is not a machine, formula or log"),
        }
        self
    }

    /// Its items, without positions.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Resolves the application for a program; times are computed with `clock_hz`.
    pub fn resolve(&self, symbols: &Symbols, clock_hz: u64) -> Result<App, ScriptError> {
        // through its text, to which the positions in errors and notes refer
        let text = self.to_string();
        let app = parse::parse(&text).and_then(|items| resolve::resolve(&items, symbols, clock_hz));
        app.map_err(|m| m.in_script("script", &text))
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.iter().try_for_each(|i| writeln!(f, "{i}"))
    }
}
