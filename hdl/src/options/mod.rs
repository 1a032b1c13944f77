//! The options of trace systems: one table of names, values, rules and texts
//!
//! The command line's arguments, its help, its refusals and the reference page `docs/options.md` are made from [`table`].
//! Circuits are checked against the same rules ([`crate::emit`]), so that nothing is refused in one place only. An option
//! has no value unless it is given: so one that would change nothing can be refused.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`table`] | the options |
//! | [`rule`] | which options and values go together, and how a refusal reads |
//! | [`given`] | the options that were given |
//! | `check` | what of them does not go together |
//! | [`system`] | the system that they mean together |
//! | [`page`] | the reference page |

mod check;
pub mod given;
pub mod page;
pub mod rule;
pub mod system;
pub mod table;

pub use given::Given;
use rule::Rule;
pub use system::System;

/// What an option takes.
#[derive(Clone, Copy)]
pub enum Takes {
    /// Nothing.
    Switch,
    /// One of these.
    One(&'static [&'static str]),
    /// A number, both ends included.
    Range(u32, u32),
    /// A text that `check` accepts, or says what would be right; `such` are examples that differ from the default.
    Text {
        /// Refuses what cannot be meant.
        check: fn(&str) -> Result<(), String>,
        /// Examples.
        such: &'static [&'static str],
    },
}

impl Takes {
    /// Refuses what is no value.
    ///
    /// # Errors
    /// What would be right.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let right = |ok: bool| if ok { Ok(()) } else { Err(format!("expected {}", self.values())) };
        match self {
            Self::Switch => Ok(()),
            Self::One(values) => right(values.contains(&text)),
            Self::Range(from, to) => right(text.parse().is_ok_and(|n: u32| (*from..=*to).contains(&n))),
            Self::Text { check, .. } => check(text),
        }
    }

    /// The values in words.
    pub fn values(&self) -> String {
        match self {
            Self::Switch => String::new(),
            Self::One(values) => rule::or(values.iter().map(ToString::to_string)),
            Self::Range(from, to) => format!("{from} to {to}"),
            Self::Text { such, .. } => format!("such as {}", rule::or(such.iter().map(ToString::to_string))),
        }
    }

    /// Values that tests try: all of a list, both ends of a range, the examples of a text.
    pub fn tried(&self) -> Vec<String> {
        match self {
            Self::Switch => vec![String::new()],
            Self::One(values) => values.iter().map(ToString::to_string).collect(),
            Self::Range(from, to) => vec![from.to_string(), to.to_string()],
            Self::Text { such, .. } => such.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Options that stand together in help, and which commands take together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// What a stream is made with; of every command that makes or reads one.
    Trace,
    /// The shape of a stream cache; with [`Group::Trace`].
    StreamCache,
    /// The circuit of a trace system.
    Circuit,
    /// How it is joined to a chip.
    Chip,
}

impl Group {
    /// All of them, in the order of help.
    pub const ALL: [Self; 4] = [Self::Circuit, Self::Trace, Self::StreamCache, Self::Chip];

    /// Its heading.
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Trace => "Trace parameters",
            Self::StreamCache => "Stream cache (with --scheme sc-lsp)",
            Self::Circuit => "Trace system",
            Self::Chip => "Interface to the chip",
        }
    }
}

/// An option.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Its name, without dashes.
    pub name: &'static str,
    /// What its value is called in help.
    pub unit: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// The value in force where it is not given; empty: none is.
    pub default: &'static str,
    /// Where it stands in help.
    pub group: Group,
    /// Others that it turns on.
    pub implies: &'static [&'static str],
    /// What goes with it.
    pub rules: &'static [Rule],
    /// The same where there is a circuit: models do without.
    pub circuit: &'static [Rule],
    /// Sentences about it, without values, default and rules.
    pub help: &'static str,
    /// Values that come from lists of schemes and predictors, in words; empty: none do.
    pub list: fn() -> String,
}

impl Opt {
    /// Its help: what it does, its values, what goes with it, and its default.
    pub fn text(&self) -> String {
        let mut text = self.help.to_string();
        match self.takes {
            Takes::Switch => {}
            Takes::Text { .. } => {
                let list = (self.list)();
                if !list.is_empty() {
                    text += &format!(": {list}");
                }
            }
            Takes::One(_) | Takes::Range(..) => text += &format!(": {}", self.takes.values()),
        }
        for rule in self.rules.iter().chain(self.circuit) {
            text += &format!(". {}", rule.text());
        }
        if !self.default.is_empty() {
            text += &format!(" [default: {}]", self.default);
        }
        text
    }
}

/// The option of that name.
///
/// # Panics
/// Where there is none: names are those of the table.
pub fn find(name: &str) -> &'static Opt {
    table::OPTIONS.iter().find(|o| o.name == name).unwrap_or_else(|| panic!("no option is called {name}"))
}
