//! Temporal-logic formulas as Rust values

use super::Point;
use crate::formula::{Formula, Kind};
use std::ops::Not;

/// A formula; a point holds at its event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holds(pub(super) Formula);

fn of(kind: Kind) -> Holds {
    Holds(Formula { at: 0, kind })
}

impl From<Point> for Holds {
    fn from(point: Point) -> Self {
        of(Kind::Probe(point.0))
    }
}

/// Holds at the events of a point.
pub fn happens(point: Point) -> Holds {
    point.into()
}

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident $kind:ident)*) => {
        $($(#[$doc])* pub fn $name(formula: impl Into<Holds>) -> Holds {
            of(Kind::$kind(Box::new(formula.into().0)))
        })*
    };
}

words! {
    /// It holds from now on.
    always Always
    /// It holds at the next event.
    next Next
    /// It held at some event so far.
    once Once
    /// It held at all events so far.
    historically Historically
    /// It held at the event before, which there was.
    previous Previous
}

/// The formula does not hold from now on.
pub fn never(formula: impl Into<Holds>) -> Holds {
    always(!formula.into())
}

impl Not for Holds {
    type Output = Holds;

    fn not(self) -> Holds {
        of(Kind::Not(Box::new(self.0)))
    }
}

macro_rules! joined {
    ($($(#[$doc:meta])* $name:ident $kind:ident)*) => {
        impl Holds {
            $($(#[$doc])* pub fn $name(self, other: impl Into<Holds>) -> Holds {
                of(Kind::$kind(Box::new(self.0), Box::new(other.into().0)))
            })*
        }
    };
}

joined! {
    /// Both hold.
    and And
    /// One holds.
    or Or
    /// If it holds, so does the other.
    implies Implies
    /// It holds up to the first event at which the other does, which may never come.
    until Until
    /// The other held, and it did at each event after that.
    since Since
}
