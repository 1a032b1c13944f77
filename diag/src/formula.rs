//! Syntax of temporal-logic formulas; [`crate::ltl`] has their meaning

use crate::probe::Probe;
use std::fmt;

/// A formula with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Start position.
    pub at: usize,
    /// Kind of formula.
    pub kind: Kind,
}

/// A kind of formula.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // their names describe them
pub enum Kind {
    /// Holds at the events of a probe.
    Probe(Probe),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    Once(Box<Formula>),
    Historically(Box<Formula>),
    Previous(Box<Formula>),
    Since(Box<Formula>, Box<Formula>),
}

impl Formula {
    fn parts(&self) -> Vec<&Formula> {
        match &self.kind {
            Kind::Probe(_) => vec![],
            Kind::Not(a)
            | Kind::Next(a)
            | Kind::Always(a)
            | Kind::Once(a)
            | Kind::Historically(a)
            | Kind::Previous(a) => vec![a],
            Kind::And(a, b) | Kind::Or(a, b) | Kind::Implies(a, b) | Kind::Until(a, b) | Kind::Since(a, b) => {
                vec![a, b]
            }
        }
    }

    /// Calls `each` for all probes in it, from left to right.
    pub fn probes<'a>(&'a self, each: &mut impl FnMut(&'a Probe)) {
        if let Kind::Probe(p) = &self.kind {
            each(p);
        }
        self.parts().into_iter().for_each(|f| f.probes(each));
    }

    /// Whether it depends on later events.
    pub fn has_future(&self) -> bool {
        matches!(self.kind, Kind::Next(_) | Kind::Always(_) | Kind::Until(..))
            || self.parts().into_iter().any(Self::has_future)
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Probe(p) => p.fmt(f),
            Kind::Not(a) => write!(f, "!{a}"),
            Kind::And(a, b) => write!(f, "({a} && {b})"),
            Kind::Or(a, b) => write!(f, "({a} || {b})"),
            Kind::Implies(a, b) => write!(f, "({a} -> {b})"),
            Kind::Next(a) => write!(f, "next {a}"),
            Kind::Always(a) => write!(f, "always {a}"),
            Kind::Until(a, b) => write!(f, "({a} until {b})"),
            Kind::Once(a) => write!(f, "once {a}"),
            Kind::Historically(a) => write!(f, "historically {a}"),
            Kind::Previous(a) => write!(f, "previous {a}"),
            Kind::Since(a, b) => write!(f, "({a} since {b})"),
        }
    }
}
