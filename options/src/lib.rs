//! The options of trace systems: one table of names, values, rules and help texts
//!
//! The command line's arguments, help and error messages, and the reference page `docs/reference/options.md`, are generated from
//! [`table`]. The emitter of the circuits checks against the same rules, so nothing is refused in one place only.
//! An option has no value unless it is given, so that one without effect can be refused.
//!
//! # Example
//! ```
//! use options::GivenOptions;
//!
//! let given = GivenOptions::default().with("set", "large").with("cores", "4");
//! let scheme = given.scheme().expect("such a set exists");
//! assert_eq!(scheme.scheme.to_string(), "tr_e:large");
//! assert!(given.check(&scheme, true).is_ok());
//!
//! let refused = given.with("variant", "base").check(&scheme, true).unwrap_err();
//! assert!(refused.starts_with("`--variant base`: "), "{refused}");
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | [`table`] | the options |
//! | [`rule`] | rules about which options and values can be combined, and the error message of each |
//! | [`given`] | the options that were given |
//! | `check` | checks of these options against each other |
//! | `platform` | the traced platform that the options describe |
//! | [`verilog_name`] | valid names of Verilog modules |
//! | [`page`] | the reference page |

mod check;
pub mod given;
mod keywords;
pub mod page;
mod platform;
pub mod rule;
pub mod table;
pub mod verilog_name;

pub use given::GivenOptions;
use rule::Rule;

/// The value of an option.
#[derive(Clone, Copy)]
pub enum ValueKind {
    /// Nothing.
    Switch,
    /// One of a list.
    One(&'static [&'static str]),
    /// A number in this range, ends included.
    Range(u32, u32),
    /// A text that `check` accepts; otherwise it returns what is accepted. `such` are examples that differ from the
    /// default.
    Text {
        /// Refuses an invalid text.
        check: fn(&str) -> Result<(), String>,
        /// Examples.
        such: &'static [&'static str],
    },
}

impl ValueKind {
    /// Checks a value.
    ///
    /// # Errors
    /// What is accepted.
    pub fn check(&self, text: &str) -> Result<(), String> {
        let right = |ok: bool| if ok { Ok(()) } else { Err(format!("expected {}", self.values())) };
        match self {
            Self::Switch => Ok(()),
            Self::One(values) => right(values.contains(&text)),
            Self::Range(from, to) => right(text.parse().is_ok_and(|n: u32| (*from..=*to).contains(&n))),
            Self::Text { check, .. } => check(text),
        }
    }

    /// The accepted values, in words.
    pub fn values(&self) -> String {
        match self {
            Self::Switch => String::new(),
            Self::One(values) => rule::or(values.iter().map(ToString::to_string)),
            Self::Range(from, to) => format!("{from} to {to}"),
            Self::Text { such, .. } => format!("such as {}", rule::or(such.iter().map(ToString::to_string))),
        }
    }

    /// Values for tests: all of a list, both ends of a range, the examples of a text.
    pub fn test_values(&self) -> Vec<String> {
        match self {
            Self::Switch => vec![String::new()],
            Self::One(values) => values.iter().map(ToString::to_string).collect(),
            Self::Range(from, to) => vec![from.to_string(), to.to_string()],
            Self::Text { such, .. } => such.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A section of the help, and the options that a command accepts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Parameters of the trace stream; for every command that writes or reads one.
    Trace,
    /// Parameters of a stream cache; together with [`Group::Trace`].
    StreamCache,
    /// The circuit of a trace system.
    Circuit,
    /// Connection of the system to a chip.
    Chip,
}

impl Group {
    /// All groups, in the order of the help.
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

/// An option: name, values, default, rules and help.
#[derive(Clone, Copy)]
pub struct Opt {
    /// Its name, without dashes.
    pub name: &'static str,
    /// The name of its value in the help.
    pub unit: &'static str,
    /// Its values.
    pub takes: ValueKind,
    /// The default value; empty: no default.
    pub default: &'static str,
    /// Its section in the help.
    pub group: Group,
    /// Options that it turns on.
    pub implies: &'static [&'static str],
    /// Which options it can be combined with.
    pub rules: &'static [Rule],
    /// Additional rules for circuits; models do not have them.
    pub circuit: &'static [Rule],
    /// Sentences about the option, without values, default and rules.
    pub help: &'static str,
    /// Values that come from lists of schemes and predictors, in words; empty if none do.
    pub list: fn() -> String,
}

/// Beginning of a rule that is a condition.
const ONLY: &str = "Only with ";

impl Opt {
    /// The help text: what the option does, its values, its rules and its default.
    pub fn text(&self) -> String {
        let mut text = self.help.to_string();
        match self.takes {
            ValueKind::Switch => {}
            ValueKind::Text { .. } => {
                let list = (self.list)();
                if !list.is_empty() {
                    text += &format!(": {list}");
                }
            }
            // after a simple noun phrase, values read as part of it
            ValueKind::One(_) | ValueKind::Range(..) if text.contains([';', '.', '(']) => {
                text += &format!(". Values: {}", self.takes.values());
            }
            ValueKind::One(_) | ValueKind::Range(..) => text += &format!(": {}", self.takes.values()),
        }
        let mut previous = String::new();
        for rule in self.rules.iter().chain(self.circuit) {
            let rule = rule.text();
            // two conditions in a row are one sentence
            match rule.strip_prefix(ONLY).filter(|_| previous.starts_with(ONLY)) {
                Some(condition) => text += &format!(" and {condition}"),
                None => text += &format!(". {rule}"),
            }
            previous = rule;
        }
        if !self.default.is_empty() {
            text += &format!(" [default: {}]", self.default);
        }
        text
    }
}

/// The option named `name`.
///
/// # Panics
/// If there is no such option in the table.
pub fn find(name: &str) -> &'static Opt {
    table::OPTIONS.iter().find(|o| o.name == name).unwrap_or_else(|| panic!("no option is called {name}"))
}
