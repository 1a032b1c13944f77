//! Figures drawn as SVG

use crate::figure::{Axis, Figure, Series, Style, COLOURS};
use std::fmt::{self, Display, Write};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Width of the legend, if there is one.
const LEGEND: f64 = 178.0;
/// Space for the names of the vertical axis, and for those of the horizontal one: in lines, and upright.
const LEFT: f64 = 66.0;
const BELOW: f64 = 46.0;
const UPRIGHT: f64 = 114.0;
const INK: &str = "#1D2329";
const GRID: &str = "#E1E6EB";

impl Figure {
    /// An SVG of the figure, 720 x 420 units.
    pub fn to_svg(&self) -> String {
        let mut svg = Svg(format!(
            "<svg width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" xmlns=\"http://www.w3.org/2000/svg\" \
             font-family=\"sans-serif\">\n"
        ));
        svg.rectangle((0.0, 0.0), (WIDTH, HEIGHT), "#FFFFFF");
        svg.text((12.0, 24.0), &Text { size: 16.0, ..Text::default() }, &self.title);
        let named: Vec<(usize, &Series)> = self.series.iter().enumerate().filter(|(_, s)| !s.name.is_empty()).collect();
        let legend = if named.len() > 1 { LEGEND } else { 0.0 };
        axes_and_series(self, WIDTH - 8.0 - legend, &mut svg);
        if legend > 0.0 {
            draw_legend(&named, WIDTH - 4.0 - legend, &mut svg);
        }
        svg.0.push_str("</svg>\n");
        svg.0
    }
}

/// A coordinate, to a tenth of a unit.
struct Tenth(f64);

impl Display for Tenth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (10.0 * self.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        write!(f, "{sign}{}", tenths.abs() / 10)?;
        match tenths.abs() % 10 {
            0 => Ok(()),
            rest => write!(f, ".{rest}"),
        }
    }
}

/// How a text is drawn.
#[derive(Default)]
struct Text {
    size: f64,
    /// `text-anchor`: empty at the start.
    anchor: &'static str,
    /// Degrees, clockwise, around its position.
    turned: i32,
}

type Point = (f64, f64);

/// Elements of an SVG. Writing to a string does not fail.
struct Svg(String);

impl Svg {
    fn rectangle(&mut self, a: Point, b: Point, fill: &str) {
        let (x, y) = (Tenth(a.0.min(b.0)), Tenth(a.1.min(b.1)));
        let (width, height) = (Tenth((a.0 - b.0).abs()), Tenth((a.1 - b.1).abs()));
        let _ = writeln!(self.0, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>");
    }

    fn circle(&mut self, at: Point, fill: &str) {
        let _ = writeln!(self.0, "<circle cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{fill}\"/>", Tenth(at.0), Tenth(at.1));
    }

    fn line(&mut self, points: impl IntoIterator<Item = Point>, stroke: &str, width: u32) {
        let points: Vec<String> = points.into_iter().map(|p| format!("{},{}", Tenth(p.0), Tenth(p.1))).collect();
        if points.len() > 1 {
            let points = points.join(" ");
            let _ = writeln!(
                self.0,
                "<polyline points=\"{points}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
            );
        }
    }

    fn text(&mut self, at: Point, style: &Text, text: &str) {
        let (x, y) = (Tenth(at.0), Tenth(at.1));
        let _ = write!(self.0, "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" fill=\"{INK}\"", style.size);
        if !style.anchor.is_empty() {
            let _ = write!(self.0, " text-anchor=\"{}\"", style.anchor);
        }
        if style.turned != 0 {
            let _ = write!(self.0, " transform=\"rotate({} {x} {y})\"", style.turned);
        }
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(self.0, ">{text}</text>");
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

fn colour(index: usize) -> String {
    let (r, g, b) = COLOURS[index % COLOURS.len()];
    format!("#{r:02X}{g:02X}{b:02X}")
}

fn draw_legend(named: &[(usize, &Series)], left: f64, svg: &mut Svg) {
    // smaller if there are many entries
    let step = (360 / named.len()).clamp(9, 18) as f64;
    let size = (step - 4.0).clamp(7.0, 12.0);
    for (row, (index, s)) in named.iter().enumerate() {
        let y = 48.0 + row as f64 * step;
        let mark = if bars(s.style) { 5.0 } else { 1.0 };
        svg.rectangle((left + 4.0, y - mark), (left + 20.0, y + mark), &colour(*index));
        svg.text((left + 26.0, y + 0.36 * size), &Text { size, ..Text::default() }, &s.name);
    }
}

/// The rectangle of the data: its sides, and the scaled values there.
struct Frame {
    x: (f64, f64),
    y: (f64, f64),
    x_range: (f64, f64),
    y_range: (f64, f64),
}

impl Frame {
    fn at(&self, (x, y): Point) -> Point {
        let map = |v: f64, (low, high): (f64, f64), (start, end): (f64, f64)| {
            start + (v - low) / (high - low) * (end - start)
        };
        (map(x, self.x_range, self.x), map(y, self.y_range, self.y))
    }
}

/// `right`: where the frame ends.
fn axes_and_series(f: &Figure, right: f64, svg: &mut Svg) {
    let stacked = f.series.iter().any(|s| s.style == Style::Stack);
    let any_bars = f.series.iter().any(|s| bars(s.style));
    let xs = f.series.iter().flat_map(|s| s.points.iter().map(|p| p.0));
    let mut ys: Vec<f64> = f.series.iter().flat_map(|s| s.points.iter().map(|p| p.1)).collect();
    ys.extend(f.series.iter().flat_map(|s| s.ranges.iter().flat_map(|r| [r.0, r.1])));
    if stacked {
        ys.extend(stack_heights(f));
    }
    let (x_range, y_range) = (extent(&f.x, xs, false), extent(&f.y, ys.into_iter(), any_bars));
    let names: usize = f.x.categories.iter().map(|c| c.len() + 2).sum();
    let upright = names > 70;
    let bottom = HEIGHT - if upright { UPRIGHT } else { BELOW };
    let frame = Frame { x: (LEFT, right), y: (bottom, 38.0), x_range, y_range };
    axes(f, &frame, upright, svg);
    let groups = f.series.iter().filter(|s| s.style == Style::Bars).count().max(1);
    let (mut group, mut floor) = (0, vec![0.0; f.x.categories.len()]);
    for (index, s) in f.series.iter().enumerate() {
        let place = if s.style == Style::Bars { group } else { 0 };
        group += usize::from(s.style == Style::Bars);
        let bar = Bar { width: 0.84 / groups as f64, place, floor: &mut floor };
        series(f, s, &frame, bar, &colour(index), svg);
    }
}

fn axes(f: &Figure, frame: &Frame, upright: bool, svg: &mut Svg) {
    let ((left, right), (bottom, top)) = (frame.x, frame.y);
    for v in ticks(&f.y, frame.y_range) {
        let (_, y) = frame.at((frame.x_range.0, v));
        svg.line([(left, y), (right, y)], GRID, 1);
        svg.line([(left - 5.0, y), (left, y)], INK, 1);
        svg.text((left - 8.0, y + 4.0), &Text { size: 12.0, anchor: "end", turned: 0 }, &tick(&f.y, v));
    }
    for v in ticks(&f.x, frame.x_range) {
        let (x, _) = frame.at((v, frame.y_range.0));
        if f.x.categories.is_empty() {
            svg.line([(x, bottom), (x, top)], GRID, 1);
        }
        svg.line([(x, bottom), (x, bottom + 5.0)], INK, 1);
        let name = tick(&f.x, v);
        if upright {
            let size = (400 / f.x.categories.len()).clamp(8, 12) as f64;
            svg.text((x - 0.36 * size, bottom + 8.0), &Text { size, anchor: "", turned: 90 }, &name);
        } else {
            svg.text((x, bottom + 17.0), &Text { size: 12.0, anchor: "middle", turned: 0 }, &name);
        }
    }
    svg.line([(left, top), (left, bottom), (right, bottom)], INK, 1);
    svg.text(((left + right) / 2.0, HEIGHT - 10.0), &Text { size: 13.0, anchor: "middle", turned: 0 }, &f.x.title);
    svg.text((16.0, (bottom + top) / 2.0), &Text { size: 13.0, anchor: "middle", turned: -90 }, &f.y.title);
}

/// Where the bars of a series are: their width and number within a category, and the heights on which they stand.
struct Bar<'a> {
    width: f64,
    place: usize,
    floor: &'a mut [f64],
}

fn series(f: &Figure, s: &Series, frame: &Frame, bar: Bar, ink: &str, svg: &mut Svg) {
    let lowest = frame.y_range.0;
    // a line drops to the bottom at missing values: otherwise it would suggest values there
    let nothing = (s.style == Style::Line).then_some(lowest);
    let at = |p: &Point| Some((scale(&f.x, p.0)?, scale(&f.y, p.1).or(nothing)?));
    let points: Vec<Point> = s.points.iter().filter_map(at).collect();
    match s.style {
        Style::Line => svg.line(points.iter().map(|p| frame.at(*p)), ink, 2),
        Style::Steps => {
            let stairs = points.windows(2).flat_map(|w| [w[0], (w[1].0, w[0].1)]).chain(points.last().copied());
            svg.line(stairs.map(|p| frame.at(p)), ink, 1);
        }
        Style::Points => points.iter().for_each(|p| svg.circle(frame.at(*p), ink)),
        Style::Bars => {
            let left = -0.42 + bar.width * bar.place as f64;
            let base = if f.y.log { lowest } else { 0.0 };
            for (x, y) in &points {
                svg.rectangle(frame.at((x + left, base)), frame.at((x + left + 0.94 * bar.width, *y)), ink);
            }
            let middle = left + 0.47 * bar.width;
            for (p, (low, high)) in s.points.iter().zip(&s.ranges) {
                let ends = [*low, *high].map(|y| frame.at((p.0 + middle, scale(&f.y, y).unwrap_or(lowest))));
                svg.line(ends, INK, 1);
            }
        }
        Style::Stack => {
            for (x, y) in &s.points {
                let Some(base) = bar.floor.get_mut(*x as usize) else { continue };
                svg.rectangle(frame.at((x - 0.36, *base)), frame.at((x + 0.36, *base + y)), ink);
                *base += y;
            }
        }
    }
    // alternately above and below: neighbouring labels then rarely overlap
    for (i, (p, label)) in points.iter().zip(&s.labels).enumerate() {
        let (x, y) = frame.at(*p);
        svg.text((x - 6.0, y + if i % 2 == 0 { -6.0 } else { 16.0 }), &Text { size: 10.0, ..Text::default() }, label);
    }
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
                let svg = figure(y, vec![one, two]).to_svg();
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
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
        let svg = figure(Axis::numbers("y"), vec![Series::new("a", Style::Line, vec![])]).to_svg();
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }

    #[test]
    fn bars_are_where_their_values_are() {
        let mut one = Series::new("", Style::Bars, vec![(0.0, 1.0), (1.0, 0.5)]);
        one.ranges = vec![(0.9, 1.05), (0.5, 0.5)];
        let svg = figure(Axis::numbers("bits"), vec![one]).to_svg();
        let bars: Vec<&str> = svg.lines().filter(|l| l.starts_with("<rect") && l.contains("#0072B2")).collect();
        // the frame is 646 wide for 2.2 categories, and 336 high for 1.1025
        assert_eq!(bars[0], "<rect x=\"118.9\" y=\"69.2\" width=\"231.9\" height=\"304.8\" fill=\"#0072B2\"/>");
        assert_eq!(bars[1], "<rect x=\"412.5\" y=\"221.6\" width=\"231.9\" height=\"152.4\" fill=\"#0072B2\"/>");
        assert!(svg.contains("points=\"234.8,99.7 234.8,54\""), "{svg}");
    }

    #[test]
    fn coordinates_have_one_digit() {
        let text = [0.0, -0.04, 0.05, -0.25, 12.0, 99.96].map(|v| Tenth(v).to_string());
        assert_eq!(text, ["0", "0", "0.1", "-0.3", "12", "100"]);
    }
}
