//! A figure: axes and series, for a page and for SVG

use serde::Serialize;

/// One axis of a figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// Quantity and unit.
    pub title: String,
    /// Logarithmic. Values of 0 or less are then omitted.
    pub log: bool,
    /// Names of the positions 0, 1, 2, ...; empty for a numeric axis.
    pub categories: Vec<String>,
}

impl Axis {
    /// A linear numeric axis.
    pub fn numbers(title: &str) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A logarithmic numeric axis.
    pub fn log(title: &str) -> Self {
        Self { title: title.into(), log: true, ..Self::default() }
    }

    /// A category axis.
    pub fn names(title: &str, categories: Vec<String>) -> Self {
        Self { title: title.into(), log: false, categories }
    }
}

/// Drawing style of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Points joined by lines.
    Line,
    /// Points alone.
    Points,
    /// A staircase: each value holds until the next point.
    Steps,
    /// Bars next to those of the other series.
    Bars,
    /// Bars stacked on those of the previous series.
    Stack,
}

/// A series of points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Series {
    /// Text in the legend; empty for no entry.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// x and y.
    pub points: Vec<(f64, f64)>,
    /// Minimum and maximum y of each point; empty for none.
    pub ranges: Vec<(f64, f64)>,
    /// Text at each point; empty for none.
    pub labels: Vec<String>,
}

impl Series {
    /// A series without ranges and labels.
    pub fn new(name: &str, style: Style, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), style, points, ranges: Vec::new(), labels: Vec::new() }
    }
}

/// A figure with two axes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Letters, digits and `-`: its file name, and its element in a page.
    pub id: String,
    /// Title above the figure.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Series in drawing order.
    pub series: Vec<Series>,
}

/// Colours of the series, in order: first those that colour-blind readers can distinguish (Okabe and Ito), then lighter
/// shades of the same.
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
