//! Figures drawn as SVG with plotters

use crate::figure::{Axis, Figure, FigureError, Series, Style, COLOURS};
use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const WIDTH: u32 = 720;
const HEIGHT: u32 = 420;
/// Width of the legend, if there is one.
const LEGEND: u32 = 178;
const INK: RGBColor = RGBColor(29, 35, 41);
const GRID: RGBColor = RGBColor(225, 230, 235);

impl Figure {
    /// An SVG of the figure, 720 x 420 units.
    pub fn to_svg(&self) -> Result<String, FigureError> {
        draw(self).map_err(|what| FigureError { id: self.id.clone(), what })
    }
}

/// The position on an axis: logarithmic axes are drawn as linear axes of log10.
fn scale(axis: &Axis, v: f64) -> Option<f64> {
    let scaled = if axis.log { v.log10() } else { v };
    scaled.is_finite().then_some(scaled)
}

/// Text of a tick.
fn tick(axis: &Axis, v: f64) -> String {
    if !axis.categories.is_empty() {
        return axis.categories.get(v.round() as usize).cloned().unwrap_or_default();
    }
    let v = if axis.log { 10f64.powf(v) } else { v };
    if v.abs() > 1e-12 && !(1e-3..1e6).contains(&(1.000_001 * v.abs())) {
        return format!("{v:.0e}");
    }
    // as many digits as are needed to distinguish two ticks
    let text = format!("{v:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Scaled positions of the ticks: steps of 1, 2 or 5, decades, or every category.
fn ticks(axis: &Axis, (low, high): (f64, f64)) -> Vec<f64> {
    if !axis.categories.is_empty() {
        return (0..axis.categories.len()).map(|i| i as f64).collect();
    }
    if axis.log {
        let within: &[f64] = match high - low {
            decades if decades < 1.5 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
            decades if decades < 3.5 => &[1.0, 2.0, 5.0],
            _ => &[1.0],
        };
        let decades = low.floor() as i32..=high.ceil() as i32;
        let all = decades.flat_map(|d| within.iter().map(move |v| f64::from(d) + v.log10()));
        return all.filter(|v| (low..=high).contains(v)).collect();
    }
    let raw = (high - low) / 8.0;
    let unit = 10f64.powf(raw.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|s| *s >= raw).unwrap_or(raw);
    let first = (low / step).ceil() as i64;
    (first..).map(|i| i as f64 * step).take_while(|v| *v <= high).collect()
}

/// A linear axis with given ticks.
struct Scaled {
    range: (f64, f64),
    ticks: Vec<f64>,
}

impl Ranged for Scaled {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, v: &f64, (start, end): (i32, i32)) -> i32 {
        let (low, high) = self.range;
        start + ((v - low) / (high - low) * f64::from(end - start)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.range.0..self.range.1
    }
}

impl ValueFormatter<f64> for Scaled {
    fn format(v: &f64) -> String {
        v.to_string()
    }
}

fn bars(style: Style) -> bool {
    matches!(style, Style::Bars | Style::Stack)
}

/// Scaled range of the values to draw, with a margin.
fn extent(axis: &Axis, values: impl Iterator<Item = f64>, from_zero: bool) -> (f64, f64) {
    if !axis.categories.is_empty() {
        return (-0.6, axis.categories.len() as f64 - 0.4);
    }
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for v in values.filter_map(|v| scale(axis, v)) {
        (low, high) = (low.min(v), high.max(v));
    }
    if low > high {
        return (0.0, 1.0);
    }
    if axis.log {
        return (low - 0.08 * (high - low).max(0.5), high + 0.08 * (high - low).max(0.5));
    }
    let from_zero = from_zero || (low >= 0.0 && low < 0.4 * high);
    let room = 0.05 * if from_zero { high } else { high - low };
    let room = if room > 0.0 { room } else { 1.0 };
    (if from_zero { 0.0 } else { low - room }, high + room)
}

fn colour(index: usize) -> RGBColor {
    let (r, g, b) = COLOURS[index % COLOURS.len()];
    RGBColor(r, g, b)
}

/// The whole figure.
fn draw(f: &Figure) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, (WIDTH, HEIGHT)).into_drawing_area();
        paint(f, &root).map_err(|e| e.to_string())?;
        root.present().map_err(|e| e.to_string())?;
    }
    Ok(text)
}

type Failed = Box<dyn std::error::Error>;

fn paint(f: &Figure, root: &Area) -> Result<(), Failed> {
    root.fill(&WHITE).map_err(|e| e.to_string())?;
    let style = TextStyle::from(("sans-serif", 16).into_font()).color(&INK);
    root.draw(&Text::new(f.title.clone(), (12, 10), style)).map_err(|e| e.to_string())?;
    let named: Vec<(usize, &Series)> = f.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()).collect();
    let legend = if named.len() > 1 { LEGEND } else { 0 };
    let (plot, side) = root.margin(34, 4, 4, 8).split_horizontally(WIDTH - 12 - legend);
    axes_and_series(f, &plot, root)?;
    if legend > 0 {
        draw_legend(&named, &side)?;
    }
    Ok(())
}

fn draw_legend(named: &[(usize, &Series)], side: &Area) -> Result<(), Failed> {
    // smaller if there are many entries
    let step = (360 / named.len().max(1)).clamp(9, 18) as i32;
    let size = (step - 4).clamp(7, 12);
    for (row, (index, s)) in named.iter().enumerate() {
        let y = 8 + row as i32 * step;
        let mark = if bars(s.style) { 5 } else { 1 };
        side.draw(&Rectangle::new([(4, y + 6 - mark), (20, y + 6 + mark)], colour(*index).filled()))
            .map_err(|e| e.to_string())?;
        let style = TextStyle::from(("sans-serif", size).into_font()).color(&INK);
        side.draw(&Text::new(s.name.clone(), (26, y), style)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Draws the names of the categories vertically below the axis.
fn upright_names(axis: &Axis, root: &Area, at: impl Fn(f64) -> (i32, i32)) -> Result<(), Failed> {
    let size = (400 / axis.categories.len().max(1)).clamp(8, 12) as u32;
    let font = ("sans-serif", size).into_font().transform(FontTransform::Rotate90);
    for (i, name) in axis.categories.iter().enumerate() {
        let style = TextStyle::from(font.clone()).color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        let (x, y) = at(i as f64);
        root.draw(&Text::new(name.clone(), (x, y + 6), style)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn axes_and_series(f: &Figure, plot: &Area, root: &Area) -> Result<(), Failed> {
    let stacked = f.series.iter().any(|s| s.style == Style::Stack);
    let any_bars = f.series.iter().any(|s| bars(s.style));
    let xs = f.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
    let x_range = extent(&f.x, xs, false);
    let mut ys: Vec<f64> = f.series.iter().flat_map(|s| s.points.iter().map(|p| p.1)).collect();
    ys.extend(f.series.iter().flat_map(|s| s.ranges.iter().flat_map(|r| [r.0, r.1])));
    if stacked {
        ys.extend(stack_heights(f));
    }
    let y_range = extent(&f.y, ys.into_iter(), any_bars);
    let names: usize = f.x.categories.iter().map(|c| c.len() + 2).sum();
    let long = names > 70;
    let mut chart = ChartBuilder::on(plot)
        .x_label_area_size(if long { 110 } else { 42 })
        .y_label_area_size(62)
        .build_cartesian_2d(
            Scaled { range: x_range, ticks: ticks(&f.x, x_range) },
            Scaled { range: y_range, ticks: ticks(&f.y, y_range) },
        )?;
    let x_text = |v: &f64| if long { String::new() } else { tick(&f.x, *v) };
    let y_text = |v: &f64| tick(&f.y, *v);
    let mut mesh = chart.configure_mesh();
    let label = ("sans-serif", 12).into_font().color(&INK);
    mesh.x_desc(&f.x.title)
        .y_desc(&f.y.title)
        .x_label_formatter(&x_text)
        .y_label_formatter(&y_text)
        .x_label_style(label.clone())
        .y_label_style(label)
        .axis_desc_style(("sans-serif", 13).into_font().color(&INK))
        .axis_style(INK)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT);
    if !f.x.categories.is_empty() {
        mesh.disable_x_mesh();
    }
    mesh.draw()?;
    if long {
        upright_names(&f.x, root, |x| chart.backend_coord(&(x, y_range.0)))?;
    }
    let groups = f.series.iter().filter(|s| s.style == Style::Bars).count().max(1);
    let (mut group, mut floor) = (0, vec![0.0; f.x.categories.len()]);
    for (index, s) in f.series.iter().enumerate() {
        let ink = colour(index);
        // a line drops to the bottom at missing values: otherwise it would suggest values there
        let nothing = if s.style == Style::Line { Some(y_range.0) } else { None };
        let at = |p: &(f64, f64)| Some((scale(&f.x, p.0)?, scale(&f.y, p.1).or(nothing)?));
        let points: Vec<(f64, f64)> = s.points.iter().filter_map(at).collect();
        match s.style {
            Style::Line => drop(chart.draw_series(LineSeries::new(points.clone(), ink.stroke_width(2)))?),
            Style::Steps => {
                let stairs = points.windows(2).flat_map(|w| [w[0], (w[1].0, w[0].1)]).chain(points.last().copied());
                chart.draw_series(LineSeries::new(stairs, ink.stroke_width(1)))?;
            }
            Style::Points => drop(chart.draw_series(points.iter().map(|p| Circle::new(*p, 4, ink.filled())))?),
            Style::Bars => {
                let width = 0.84 / groups as f64;
                let left = -0.42 + width * group as f64;
                group += 1;
                chart.draw_series(points.iter().map(|(x, y)| {
                    let base = if f.y.log { y_range.0 } else { 0.0 };
                    Rectangle::new([(x + left, base), (x + left + 0.94 * width, *y)], ink.filled())
                }))?;
                let middle = left + 0.47 * width;
                for (p, (low, high)) in s.points.iter().zip(&s.ranges) {
                    let ends = [scale(&f.y, *low).unwrap_or(y_range.0), scale(&f.y, *high).unwrap_or(y_range.0)];
                    let x = p.0 + middle;
                    chart.draw_series(LineSeries::new(ends.map(|y| (x, y)), INK.stroke_width(1)))?;
                }
            }
            Style::Stack => {
                for (x, y) in &s.points {
                    let Some(base) = floor.get_mut(*x as usize) else { continue };
                    let bar = [(x - 0.36, *base), (x + 0.36, *base + y)];
                    chart.draw_series([Rectangle::new(bar, ink.filled())])?;
                    *base += y;
                }
            }
        }
        let style = TextStyle::from(("sans-serif", 10).into_font()).color(&INK);
        // alternately above and below: neighbouring labels then rarely overlap
        for (i, (p, label)) in points.iter().zip(&s.labels).enumerate() {
            let text = Text::new(label.clone(), (-6, if i % 2 == 0 { -15 } else { 7 }), style.clone());
            chart.draw_series([EmptyElement::at(*p) + text])?;
        }
    }
    Ok(())
}

/// Heights of the stacks.
fn stack_heights(f: &Figure) -> Vec<f64> {
    let mut stack_heights = vec![0.0; f.x.categories.len()];
    for (x, y) in f.series.iter().filter(|s| s.style == Style::Stack).flat_map(|s| &s.points) {
        if let Some(top) = stack_heights.get_mut(*x as usize) {
            *top += y;
        }
    }
    stack_heights
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(y: Axis, series: Vec<Series>) -> Figure {
        let x = Axis::names("cores", vec!["1".into(), "2".into()]);
        Figure { id: "f".into(), title: "a <title>".into(), x, y, series }
    }

    #[test]
    fn every_style_is_drawn_with_its_texts() {
        for style in [Style::Line, Style::Points, Style::Steps, Style::Bars, Style::Stack] {
            for y in [Axis::numbers("bits"), Axis::log("bits")] {
                let mut one = Series::new("first & only", style, vec![(0.0, 0.5), (1.0, 2.0)]);
                one.labels = vec!["here".into(), "there".into()];
                let two = Series::new("second", style, vec![(0.0, 1.5), (1.0, 0.0)]);
                let svg = figure(y, vec![one, two]).to_svg().unwrap();
                for text in ["a &lt;title&gt;", "first &amp; only", "second", "cores", "bits", "here"] {
                    assert!(svg.contains(text), "{style:?}: no {text} in {svg}");
                }
                let marks = svg.matches("#0072B2").count();
                assert!(marks >= 2, "{style:?}: {marks} marks of the first series");
            }
        }
    }

    #[test]
    fn ticks_are_short_and_tell_values_apart() {
        let (plain, log) = (Axis::numbers(""), Axis::log(""));
        assert_eq!([0.0, 0.25, 1200.0, 2e6].map(|v| tick(&plain, v)), ["0", "0.25", "1200", "2e6"]);
        let logs = [-1.0, 2f64.log10(), 1.0, -4.0].map(|v| tick(&log, v));
        assert_eq!(logs, ["0.1", "2", "10", "1e-4"]);
        let names = Axis::names("", vec!["a".into(), "b".into()]);
        assert_eq!([tick(&names, 0.0), tick(&names, 1.0), tick(&names, 2.0)], ["a", "b", ""]);
    }

    #[test]
    fn ticks_are_round_numbers_inside_the_axis() {
        let text = |axis: &Axis, range| ticks(axis, range).into_iter().map(|v| tick(axis, v)).collect::<Vec<_>>();
        assert_eq!(text(&Axis::numbers(""), (0.0, 1.05)), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(text(&Axis::numbers(""), (-3.0, 41.0)), ["0", "10", "20", "30", "40"]);
        assert_eq!(text(&Axis::log(""), (-1.1, 1.1)), ["0.1", "0.2", "0.5", "1", "2", "5", "10"]);
        assert_eq!(text(&Axis::log(""), (-3.2, 1.2)), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(text(&Axis::names("", vec!["a".into(), "b".into()]), (-0.6, 1.6)), ["a", "b"]);
    }

    #[test]
    fn a_figure_of_nothing_is_still_a_figure() {
        let svg = figure(Axis::numbers("y"), vec![Series::new("a", Style::Line, vec![])]).to_svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
}
