//! Formats of results: numbers, aligned columns, and the JSON object of `--json`

use crate::Status;
use clap::builder::styling::{AnsiColor, Style};
use comfy_table::CellAlignment;
pub use host::text::{count, plural};
use host::trace::LossSummary;
use host::HostError;
use serde_json::{json, Map, Value};
use sim::core_trace::Rates;
use sim::params::TraceParams;
use sim::replay::ReplaySummary;
use sim::scheme::sc_lsp::Counts;
use sim::stream_params::StreamParams;
use std::io::Write;
use std::path::Path;

pub use host::TOOL;

/// Style of errors.
pub const RED: Style = AnsiColor::Red.on_default().bold();
/// Style of headings.
const BOLD: Style = Style::new().bold();

/// Whether standard output is a terminal with colours, and the environment allows them.
fn coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// A speed in words: `23.4 million`, `1,030 million`.
pub fn big(v: f64) -> String {
    match v / 1e6 {
        m if m >= 100.0 => format!("{} million", count(m.round() as u64)),
        m if m >= 0.1 => format!("{m:.1} million"),
        _ => count(v.round() as u64),
    }
}

/// `a / b` in percent, or a dash if `b` is 0.
pub fn percent(a: u64, b: u64) -> String {
    if b == 0 {
        "-".into()
    } else {
        format!("{:.2} %", 100.0 * sim::analysis::ratio(a, b))
    }
}

/// Sum over all cores.
pub fn sum(rates: &[Rates]) -> Rates {
    rates.iter().fold(Rates::default(), |mut t, r| {
        t += *r;
        t
    })
}

/// Sum over all cores.
pub fn sum_streams(counts: &[Counts]) -> Counts {
    counts.iter().fold(Counts::default(), |mut t, c| {
        t += *c;
        t
    })
}

/// Stream counts as text.
pub fn stream_lines(c: &Counts) -> [(&'static str, String); 3] {
    let of = |n| format!("{} of {}", percent(n, c.streams), count(c.streams));
    [("cache hits", of(c.cache_hits)), ("streams predicted", of(c.predicted)), ("long streams", count(c.long))]
}

/// Writes a file in one step.
#[cfg(feature = "hardware")]
pub fn write_file(path: &Path, text: &[u8]) -> Result<(), crate::Failure> {
    let mut file = retire::file::Replacement::create(path)?;
    file.write_all(text).and_then(|()| file.flush()).map_err(|e| crate::Failure::io(path, e))?;
    file.commit()?;
    Ok(())
}

/// Creates the folder if it does not exist.
#[cfg(feature = "hardware")]
pub fn folder(path: &Path) -> Result<(), crate::Failure> {
    if path.is_file() {
        return Err(crate::Failure::Other(format!("{}: is a file; expected a folder", path.display())));
    }
    std::fs::create_dir_all(path).map_err(|e| crate::Failure::io(path, e))
}

/// First 8 hex digits of a build id: enough to distinguish two builds.
pub fn short_id(build_id: &str) -> &str {
    if build_id.is_empty() {
        return "unknown";
    }
    build_id.get(..8).unwrap_or(build_id)
}

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// For words.
    Left,
    /// For numbers.
    Right,
}
pub use Align::{Left, Right};

/// Number of lines of a list that the user requested; a default otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub Option<usize>);

impl Limit {
    /// Most lines to print.
    pub fn lines(self) -> usize {
        self.0.unwrap_or(20)
    }

    /// Says how many of the `found` lines were printed, unless it is all of them or the user chose the number.
    pub fn report_omitted(self, found: usize, what: &str) {
        if self.0.is_none() && found > self.lines() {
            eprintln!("goshawk: {} of {} {what}; `--limit N` lists more", self.lines(), count(found as u64));
        }
    }
}

/// A table with a heading, and columns two spaces apart.
#[derive(Debug)]
pub struct Table(comfy_table::Table);

impl Table {
    /// Creates a table with this heading.
    pub fn new<const N: usize>(columns: [(&str, Align); N]) -> Self {
        Self::of(&columns)
    }

    /// As [`Table::new`], for a number of columns known at run time.
    pub fn of(columns: &[(&str, Align)]) -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(columns.iter().map(|c| c.0));
        for (column, (_, align)) in table.column_iter_mut().zip(columns) {
            column.set_padding((0, 2));
            column.set_cell_alignment(match align {
                Left => CellAlignment::Left,
                Right => CellAlignment::Right,
            });
        }
        Self(table)
    }

    /// Appends a row of as many cells as there are columns.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.add_row(cells);
    }

    /// As [`Table::row`], for a number of columns known at run time.
    pub fn cells(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().collect::<Vec<_>>());
    }

    /// Prints the table.
    pub fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        self.lines(out, if coloured() { BOLD } else { Style::new() })
    }

    /// Writes the table to a file, without colours.
    pub fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        self.lines(out, Style::new())
    }

    fn lines(&self, out: &mut dyn Write, heading: Style) -> std::io::Result<()> {
        for (i, line) in self.0.lines().enumerate() {
            let style = if i == 0 { heading } else { Style::new() };
            writeln!(out, "{style}{}{style:#}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Prints `name` and `value` lines, values in one column.
pub fn facts(out: &mut dyn Write, facts: &[(&str, String)]) -> std::io::Result<()> {
    let width = facts.iter().map(|f| f.0.len()).max().unwrap_or(0);
    for (name, value) in facts {
        writeln!(out, "{name:<width$}  {value}")?;
    }
    Ok(())
}

/// The JSON object of `--json`: tool, command and input first, then the members that the command adds.
#[derive(Clone, Debug)]
pub struct Object(Map<String, Value>);

impl Object {
    /// Creates an object.
    pub fn new(command: &str, input: &str) -> Self {
        let mut map = Map::new();
        map.insert("tool".into(), TOOL.into());
        map.insert("command".into(), command.into());
        map.insert("input".into(), input.into());
        Self(map)
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        self.0.insert(name.into(), value);
        self
    }

    /// Adds the full parameter set.
    #[must_use]
    pub fn with_params(self, params: &TraceParams, set: Option<&str>) -> Self {
        self.with("parameters", parameters(params, set))
    }

    /// Prints it in one line, for several objects.
    pub fn line(&self, out: &mut dyn Write) -> std::io::Result<()> {
        serde_json::to_writer(&mut *out, &self.0)?;
        writeln!(out)
    }

    /// Prints it with indentation.
    pub fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &self.0)?;
        writeln!(out)
    }
}

/// All parameters with their name, canonical line and fingerprint.
pub fn parameters(params: &TraceParams, set: Option<&str>) -> Value {
    let mut value = json!(params);
    if let Value::Object(map) = &mut value {
        map.insert("set".into(), set.into());
        map.insert("canonical".into(), params.canonical().into());
        map.insert("fingerprint".into(), format!("0x{:08x}", params.fingerprint()).into());
    }
    value
}

/// Parameters of any stream.
pub fn stream_parameters(stream: &dyn StreamParams) -> Value {
    if let Some(params) = stream.flow() {
        return parameters(params, params.flow.set().as_deref());
    }
    let mut value = json!({ "scheme": stream.name(), "cores": stream.cores() });
    if let Value::Object(map) = &mut value {
        map.extend(stream.state_bits().map(|bits| ("state_bits".into(), bits.into())));
        map.insert("canonical".into(), stream.canonical().into());
        map.insert("fingerprint".into(), format!("0x{:08x}", stream.fingerprint()).into());
    }
    value
}

/// Prints on standard error which parts of a trace were not read.
pub fn report_damage(trace: &Path, summary: &ReplaySummary) {
    let path = trace.display();
    if summary.skipped > 0 {
        eprintln!("goshawk: {path}: {} before the first header skipped", plural(summary.skipped, "word"));
    }
    if summary.damaged > 0 {
        eprintln!("goshawk: {path}: damaged, read on at a later header, {}", plural(summary.damaged, "time"));
    }
    if let Some((_, unconfirmed @ 1..)) = summary.confirmation() {
        eprintln!("goshawk: {path}: {} not confirmed by a signature", plural(unconfirmed, "instruction"));
    }
}

/// Prints on standard error, at the end, what is missing in the result.
pub fn report_missing(trace: &Path, lost: &LossSummary, damage: Option<&HostError>) -> Status {
    let path = trace.display();
    if let Some(damage) = damage {
        eprintln!("goshawk: {damage}; the output ends there");
    }
    if let Some(lost) = lost.describe() {
        eprintln!("goshawk: {path}: the trace lost {lost}");
    }
    if damage.is_some() || lost.gaps > 0 {
        Status::Partial
    } else {
        Status::Done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(n), text);
        }
    }

    #[test]
    fn columns_are_aligned_and_lines_have_no_trailing_blanks() {
        let mut t = Table::new([("name", Left), ("n", Right), ("", Left)]);
        t.row(["a".into(), "10".into(), String::new()]);
        t.row(["long name".into(), "7".into(), "x".into()]);
        let mut out = Vec::new();
        t.print(&mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "name        n\na          10\nlong name   7  x\n");
    }
}
