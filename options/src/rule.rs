//! Rules about options, as data: help texts and error messages are generated from the same rule

use crate::given::GivenOptions;
use crate::Opt;
use sim::scheme::any::AnyScheme;

/// A condition that holds or not.
#[derive(Clone, Copy)]
pub enum Cond {
    /// The option has one of these values, given or by default; with an empty list: the option is given.
    Is(&'static str, &'static [&'static str]),
    /// The scheme has a property.
    Scheme(Property),
}

/// A property of a scheme.
#[derive(Clone, Copy)]
pub struct Property {
    /// The property, as in "with TEXT".
    pub text: &'static str,
    /// Whether a scheme has it.
    pub holds: fn(&AnyScheme) -> bool,
}

/// The requirement of a rule.
#[derive(Clone, Copy)]
pub enum Requirement {
    /// At least one of the conditions holds.
    Any(&'static [Cond]),
    /// None of the conditions holds.
    None(&'static [Cond]),
    /// The value of another option is at least this number, in this unit.
    Least(&'static str, u32, &'static str),
}

/// A rule of an option.
#[derive(Clone, Copy)]
pub struct Rule {
    /// Values of the option that the rule is for; empty: all.
    of: &'static [&'static str],
    /// The rule applies only if all of these conditions hold.
    when: &'static [Cond],
    needs: Requirement,
    /// The reason, as a clause.
    why: &'static str,
}

impl Rule {
    const fn new(needs: Requirement, why: &'static str) -> Self {
        Self { of: &[], when: &[], needs, why }
    }

    /// The option requires one of these conditions.
    pub const fn only(conds: &'static [Cond], why: &'static str) -> Self {
        Self::new(Requirement::Any(conds), why)
    }

    /// The option excludes all of these conditions.
    pub const fn never(conds: &'static [Cond], why: &'static str) -> Self {
        Self::new(Requirement::None(conds), why)
    }

    /// The option requires another option to be at least `least`.
    pub const fn least(option: &'static str, least: u32, unit: &'static str, why: &'static str) -> Self {
        Self::new(Requirement::Least(option, least, unit), why)
    }

    /// Restricts the rule to these values.
    pub const fn of(self, of: &'static [&'static str]) -> Self {
        Self { of, ..self }
    }

    /// Restricts the rule to cases in which all of these conditions hold.
    pub const fn when(self, when: &'static [Cond]) -> Self {
        Self { when, ..self }
    }

    /// The reason.
    pub const fn why(&self) -> &'static str {
        self.why
    }

    /// The rule as a sentence without a full stop.
    pub fn text(&self) -> String {
        let when = match self.when {
            [] => String::new(),
            when => format!("with {}, ", and(when.iter().map(Cond::text))),
        };
        let of = match self.of {
            [] => String::new(),
            of => format!("{} ", or(of.iter().map(|v| format!("`{v}`")))),
        };
        let text = match self.needs {
            Requirement::Any([]) => format!("{when}{of}is not possible in a circuit"),
            Requirement::Any(conds) => format!("{when}{of}only with {}", or(conds.iter().map(Cond::text))),
            Requirement::None(conds) => format!("{when}{of}not with {}", or(conds.iter().map(Cond::text))),
            Requirement::Least(option, least, _) => format!("{when}{of}needs `--{option} {least}` or more"),
        };
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + letters.as_str())
    }

    /// The error message if `option`, which is given, breaks the rule.
    pub fn violation(&self, option: &Opt, given: &GivenOptions, scheme: &AnyScheme) -> Option<String> {
        let value = given.value(option.name);
        if !self.of.is_empty() && !self.of.contains(&value) || !self.when.iter().all(|c| c.holds(given, scheme)) {
            return None;
        }
        let mut own = given.shown(option.name);
        for cond in self.when {
            own += &format!(" with {}", cond.shown(given));
        }
        let text = match self.needs {
            Requirement::Any(conds) => {
                if conds.iter().any(|c| c.holds(given, scheme)) {
                    return None;
                }
                if conds.is_empty() {
                    return Some(format!("{own}: not in a circuit; {}", self.why));
                }
                let others: Vec<String> = conds.iter().filter_map(|c| c.stated(given)).collect();
                let not = if others.is_empty() { String::new() } else { format!(", not {}", or(others)) };
                format!("{own}: only with {}{not}", or(conds.iter().map(Cond::text)))
            }
            Requirement::None(conds) => {
                let held = conds.iter().find(|c| c.holds(given, scheme))?;
                format!("{own}: not with {}", held.shown(given))
            }
            Requirement::Least(other, least, unit) => {
                if given.value(other).parse().is_ok_and(|n: u32| n >= least) {
                    return None;
                }
                match given.get(other) {
                    Some(_) => format!("{}: {own} needs at least {least} {unit}", given.shown(other)),
                    None => format!("{own}: needs `--{other} {least}` or more, the default is {}", given.value(other)),
                }
            }
        };
        Some(format!("{text}; {}", self.why))
    }
}

impl Cond {
    /// Whether the condition holds.
    pub fn holds(&self, given: &GivenOptions, scheme: &AnyScheme) -> bool {
        match self {
            Self::Is(name, []) => given.has(name),
            Self::Is(name, values) => values.contains(&given.value(name)),
            Self::Scheme(property) => (property.holds)(scheme),
        }
    }

    /// The condition in words.
    fn text(&self) -> String {
        match self {
            Self::Is(name, []) => format!("`--{name}`"),
            Self::Is(name, values) => {
                let (first, others) = values.split_first().map_or(("", [].as_slice()), |(f, o)| (*f, o));
                or(std::iter::once(format!("`--{name} {first}`")).chain(others.iter().map(|v| format!("`{v}`"))))
            }
            Self::Scheme(property) => property.text.into(),
        }
    }

    /// The options of the condition, as the user typed them or by default.
    fn shown(&self, given: &GivenOptions) -> String {
        match self {
            Self::Is(name, _) => given.shown(name),
            Self::Scheme(_) => given.shown_scheme(),
        }
    }

    /// The options of the condition that the user typed.
    fn stated(&self, given: &GivenOptions) -> Option<String> {
        match self {
            Self::Is(name, _) => given.get(name).map(|_| given.shown(name)),
            Self::Scheme(_) => Some(given.shown_scheme()),
        }
    }
}

/// Joins items as `a`, `b` or `c`.
pub fn or(items: impl IntoIterator<Item = String>) -> String {
    joined(items, "or")
}

/// Joins items as `a`, `b` and `c`.
pub fn and(items: impl IntoIterator<Item = String>) -> String {
    joined(items, "and")
}

fn joined(items: impl IntoIterator<Item = String>, word: &str) -> String {
    let items: Vec<String> = items.into_iter().collect();
    match items.split_last() {
        None => String::new(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} {word} {last}", others.join(", ")),
    }
}
