//! Points of a program, and other events

use super::{value::Value, Keyed};
use crate::syntax::{Expr, Probe};

/// A point, which a script calls a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point(pub(super) Probe);

/// A symbol, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLocation(String);

impl From<&str> for CodeLocation {
    fn from(name: &str) -> Self {
        Self(name.into())
    }
}

impl From<u32> for CodeLocation {
    fn from(address: u32) -> Self {
        Self(address.to_string())
    }
}

fn point(kind: &str, point: Option<String>) -> Point {
    Point(Probe { at: 0, kind: kind.into(), point, offset: 0 })
}

macro_rules! places {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])* pub fn $name(place: impl Into<CodeLocation>) -> Point {
            point(stringify!($name), Some(place.into().0))
        })*
    };
}

places! {
    /// A function is entered.
    call
    /// A function returns.
    ret
    /// An instruction retires.
    pc
    /// A byte of a variable is loaded.
    read
    /// A byte of a variable is stored.
    write
    /// A byte of a variable is loaded or stored.
    access
}

macro_rules! named {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])* pub fn $name(name: &str) -> Point {
            point(stringify!($name), Some(name.into()))
        })*
    };
}

named! {
    /// A transaction, machine or formula is not kept.
    violation
    /// A span is over.
    span
    /// A log reports an event that it kept.
    log
}

/// Any trap is taken.
pub fn trap() -> Point {
    point("trap", None)
}

/// Any interrupt is taken.
pub fn interrupts() -> Point {
    point("interrupt", None)
}

/// The interrupt of a cause is taken.
pub fn interrupt(cause: u8) -> Point {
    point("interrupt", Some(cause.to_string()))
}

/// Any exception is taken.
pub fn exceptions() -> Point {
    point("exception", None)
}

/// The exception of a cause is taken.
pub fn exception(cause: u8) -> Point {
    point("exception", Some(cause.to_string()))
}

/// A trap returns: `trapret`
pub fn trap_return() -> Point {
    point("trapret", None)
}

/// The script starts.
pub fn begin() -> Point {
    point("begin", None)
}

/// The first instruction of a source line retires.
pub fn line(file: &str, number: u32) -> Point {
    point("line", Some(format!("{file}:{number}")))
}

/// The run is over.
pub fn end() -> Point {
    point("end", None)
}

/// Time between two ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Period {
    /// Clocks.
    Cycles(u32),
    /// Microseconds.
    Us(u32),
    /// Milliseconds.
    Ms(u32),
    /// Seconds.
    S(u32),
}

/// A period has passed: `tick:1ms`
pub fn every(period: Period) -> Point {
    let text = match period {
        Period::Cycles(n) => format!("{n}cycles"),
        Period::Us(n) => format!("{n}us"),
        Period::Ms(n) => format!("{n}ms"),
        Period::S(n) => format!("{n}s"),
    };
    point("tick", Some(text))
}

impl Point {
    /// Adds an offset in bytes: `call:name+8`
    pub fn plus(mut self, bytes: u32) -> Self {
        self.0.offset = bytes.into();
        self
    }

    /// Adds the key that identifies the event's owner, for transactions, spans and logs.
    pub fn key(self, key: Value) -> Keyed {
        Keyed { probe: self.0, key: Some(key.0) }
    }

    /// Restricts it to events for which `predicate` is not 0.
    pub fn when(self, predicate: Value) -> On {
        On::from(self).when(predicate)
    }
}

impl From<Point> for Keyed {
    fn from(point: Point) -> Self {
        Self { probe: point.0, key: None }
    }
}

/// Points with the same action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct On {
    pub(super) probes: Vec<Probe>,
    pub(super) predicate: Option<Expr>,
}

/// Combines several points.
pub fn any(points: impl IntoIterator<Item = Point>) -> On {
    On { probes: points.into_iter().map(|p| p.0).collect(), predicate: None }
}

impl On {
    /// Restricts it to events for which `predicate` is not 0, in addition to earlier predicates.
    pub fn when(mut self, predicate: Value) -> Self {
        self.predicate = Some(match self.predicate {
            Some(before) => Value(before).and(predicate).0,
            None => predicate.0,
        });
        self
    }
}

impl From<Point> for On {
    fn from(point: Point) -> Self {
        any([point])
    }
}
