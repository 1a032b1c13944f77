//! A figure: axes and series, for a page and for SVG

use serde::Serialize;

/// One axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// What and in which unit.
    pub title: String,
    /// Logarithmic. Values that are not above 0 are then left out.
    pub log: bool,
    /// Names of 0, 1, 2, ...; empty for an axis of numbers.
    pub categories: Vec<String>,
}

impl Axis {
    /// An axis of numbers.
    pub fn numbers(title: &str) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A logarithmic axis of numbers.
    pub fn log(title: &str) -> Self {
        Self { title: title.into(), log: true, ..Self::default() }
    }

    /// An axis of names.
    pub fn names(title: &str, categories: Vec<String>) -> Self {
        Self { title: title.into(), log: false, categories }
    }
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Points joined by lines.
    Line,
    /// Points alone.
    Points,
    /// A staircase: each value holds until the next point.
    Steps,
    /// Bars beside those of the other series.
    Bars,
    /// Bars upon those of the series before.
    Stack,
}

/// Points of one kind.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// In the legend; empty: not in it.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// Least and greatest y of each point; empty for none.
    pub ranges: Vec<(f64, f64)>,
    /// Text at each point; empty for none.
    pub labels: Vec<String>,
}

impl Series {
    /// Without ranges and labels.
    pub fn new(name: &str, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), style, points, ranges: Vec::new(), labels: Vec::new() }
    }
}

/// A figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Letters, digits and `-`: the name of its file, its place in a page.
    pub id: String,
    /// Above it.
    pub title: String,
    /// Horizontal.
    pub x: Axis,
    /// Vertical.
    pub y: Axis,
    /// What is drawn, in order.
    pub series: Vec<Series>,
}

/// Colours of the series, in order; told apart by people who do not see all colours (Okabe and Ito), then by
/// lighter forms of the same.
pub const COLOURS: [(u8, u8, u8); 14] = [
    (0, 114, 178),
    (213, 94, 0),
    (0, 158, 115),
    (204, 121, 167),
    (230, 159, 0),
    (86, 180, 233),
    (60, 60, 60),
    (150, 130, 0),
    (120, 190, 235),
    (240, 160, 110),
    (120, 205, 180),
    (230, 180, 210),
    (245, 205, 110),
    (160, 160, 160),
];

/// A figure that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("figure {id}: {what}")]
pub struct FigureError {
    /// Which one.
    pub id: String,
    /// Why not.
    pub what: String,
}
