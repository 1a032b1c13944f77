//! What a script prints, and what is not assured about it

use crate::buckets::Buckets;
use crate::format::Width;
use crate::syntax::Summary;

/// Mark of an output that is not certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Events that it would include were lost.
    pub incomplete: bool,
    /// It may include what did not happen, as events were lost.
    pub doubtful: bool,
    /// It depends on the order of events of several producers, which is not assured.
    pub unordered: bool,
}

impl Mark {
    /// Whether anything is not assured.
    pub fn any(self) -> bool {
        self != Self::default()
    }

    /// What is not assured: a word, and a sentence.
    pub fn notes(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let notes = [
            (self.incomplete, "incomplete", "is incomplete: events were lost"),
            (self.doubtful, "doubtful", "may be wrong: events were lost"),
            (self.unordered, "unordered", "may differ: events may have been taken in another order"),
        ];
        notes.into_iter().filter(|n| n.0).map(|n| (n.1, n.2))
    }
}

/// Summary of the values of a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Number of values.
    pub count: u64,
    /// Sum of the values; for a map that stores values, the value.
    pub sum: i128,
    /// Least value.
    pub minimum: i64,
    /// Greatest value.
    pub maximum: i64,
    /// Number of values by bucket.
    pub buckets: Buckets,
}

/// An output of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Text of a `printf`, with the core and cycle of its event.
    Text {
        /// Core, if the event has one.
        core: Option<u8>,
        /// Cycle.
        time: u64,
        /// Text, values and symbols.
        parts: Vec<TextPart>,
        /// What is not assured about it.
        mark: Mark,
    },
    /// Rows of a map.
    Table {
        /// Its name.
        map: String,
        /// Its summary.
        summary: Option<Summary>,
        /// Cycle.
        time: u64,
        /// Keys with their summaries.
        rows: Vec<(Vec<Key>, Sum)>,
        /// Number of omitted keys, and of their values.
        rest: (usize, u64),
        /// What is not assured about it.
        mark: Mark,
    },
}

/// A part of the key of a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// Literal text.
    Text(String),
    /// A number.
    Number(i64),
    /// A number, in hexadecimal.
    Hex(i64),
    /// The symbol at a number.
    Symbol(i64),
    /// A part, filled to a width.
    Wide(Box<TextPart>, Width),
}

impl Output {
    /// What is not assured about it.
    pub fn mark(&self) -> Mark {
        match self {
            Self::Text { mark, .. } | Self::Table { mark, .. } => *mark,
        }
    }

    pub(crate) fn mark_mut(&mut self) -> &mut Mark {
        match self {
            Self::Text { mark, .. } | Self::Table { mark, .. } => mark,
        }
    }
}
