//! Writes outputs as text, JSON lines, CSV or a Perfetto trace

use crate::buckets::{quantile, range};
use crate::losses::{LossKind, LossLocation};
use crate::output::{Key, Mark, Output, Sum, TextPart};
use crate::perfetto;
use crate::symbols::Symbols;
use crate::syntax::Summary;
use serde_json::{json, Value};
use std::io::{self, Write};

/// Perfetto's track of losses.
const LOSSES: u32 = 98;

/// Output format of a script's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
    /// Rows: cycle, map or `printf`, core, keys, numbers.
    Csv,
    /// Track events for Perfetto's UI.
    Perfetto,
}

/// A writer of outputs.
pub struct Sink<'a, W: Write> {
    out: W,
    format: Format,
    symbols: &'a Symbols,
    clock_hz: u64,
    tracks: u32,
    /// Time of the last output in Perfetto's format, ns.
    last: u64,
}

/// A number as text: the symbol at it, if there is one.
fn symbol_text(number: i64, symbols: &Symbols) -> String {
    symbols.address(number).and_then(|a| symbols.at(a)).unwrap_or_else(|| number.to_string())
}

/// A key as text.
pub fn key_text(key: &[Key], symbols: &Symbols) -> String {
    let one = |k: &Key| match k {
        Key::Number(number) => symbol_text(*number, symbols),
        Key::Text(text) => text.clone(),
    };
    key.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A text with its values inserted.
pub fn text(parts: &[TextPart], symbols: &Symbols) -> String {
    parts.iter().map(|p| part_text(p, symbols)).collect()
}

fn part_text(part: &TextPart, symbols: &Symbols) -> String {
    match part {
        TextPart::Text(t) => t.clone(),
        TextPart::Number(n) => n.to_string(),
        TextPart::Hex(n) => format!("{n:x}"),
        TextPart::Symbol(n) => symbol_text(*n, symbols),
        TextPart::Wide(part, width) => width.fill(&part_text(part, symbols)),
    }
}

/// Columns of a table after the key, and the numbers of a row.
fn columns(summary: Option<Summary>) -> &'static [&'static str] {
    match summary {
        None => &["value"],
        Some(Summary::Count) => &["count"],
        Some(Summary::Sum) => &["sum"],
        Some(Summary::Avg) => &["avg"],
        Some(Summary::Min) => &["min"],
        Some(Summary::Max) => &["max"],
        Some(Summary::Stats) => &["count", "sum", "avg", "min", "max"],
        Some(Summary::Hist | Summary::Lhist(_)) => &["count"],
        Some(Summary::Quantiles) => &["count", "p50", "p90", "p99"],
    }
}

/// Whether the buckets of a summary are printed.
fn shows_buckets(summary: Option<Summary>) -> bool {
    matches!(summary, Some(Summary::Hist | Summary::Lhist(_)))
}

fn numbers(summary: Option<Summary>, s: &Sum) -> Vec<String> {
    let average = || format!("{:.2}", s.sum as f64 / s.count.max(1) as f64);
    match summary {
        None | Some(Summary::Sum) => vec![s.sum.to_string()],
        Some(Summary::Count | Summary::Hist | Summary::Lhist(_)) => vec![s.count.to_string()],
        Some(Summary::Quantiles) => {
            let of = |percent| quantile(&s.buckets, percent).to_string();
            vec![s.count.to_string(), of(50), of(90), of(99)]
        }
        Some(Summary::Avg) => vec![average()],
        Some(Summary::Min) => vec![s.minimum.to_string()],
        Some(Summary::Max) => vec![s.maximum.to_string()],
        Some(Summary::Stats) => {
            vec![s.count.to_string(), s.sum.to_string(), average(), s.minimum.to_string(), s.maximum.to_string()]
        }
    }
}

/// An output as a JSON object.
pub fn object(output: &Output, symbols: &Symbols) -> Value {
    let mut object = match output {
        Output::Text { core, time, parts, .. } => {
            json!({ "clock": time, "core": core, "text": text(parts, symbols).trim_end_matches('\n') })
        }
        Output::Table { map, summary, time, rows, rest, .. } => {
            let row = |(key, s): &(Vec<Key>, Sum)| {
                let plain = |k: &Key| match k {
                    Key::Number(number) => Value::from(*number),
                    Key::Text(text) => Value::from(text.as_str()),
                };
                let plain: Vec<Value> = key.iter().map(plain).collect();
                let mut row = json!({ "key": plain, "name": key_text(key, symbols) });
                for (name, number) in columns(*summary).iter().zip(numbers(*summary, s)) {
                    row[*name] = number
                        .parse::<i64>()
                        .map(Value::from)
                        .or_else(|_| number.parse::<f64>().map(Value::from))
                        .unwrap_or(Value::Null);
                }
                if shows_buckets(*summary) {
                    let bucket =
                        |(b, n): (&i64, &u64)| json!({ "from": Some(b).filter(|b| **b > i64::MIN), "count": n });
                    row["buckets"] = s.buckets.iter().map(bucket).collect();
                }
                row
            };
            let rows: Vec<Value> = rows.iter().map(row).collect();
            json!({ "clock": time, "map": map, "rows": rows, "other": { "keys": rest.0, "values": rest.1 } })
        }
    };
    if output.mark().any() {
        object["marks"] = words(output.mark()).into();
    }
    object
}

/// Where events were lost, with their number, as a JSON object.
pub fn loss_object(loss: &LossLocation) -> Value {
    let (words, number) = loss.kind.words();
    json!({ (words.replace(' ', "_")): loss.name, (number.replace(' ', "_")): loss.events })
}

/// What is not assured, after a name.
fn suffix(mark: Mark) -> String {
    if mark.any() {
        format!(" ({})", words(mark).join(", "))
    } else {
        String::new()
    }
}

/// What is not assured, as words.
fn words(mark: Mark) -> Vec<&'static str> {
    mark.notes().map(|n| n.0).collect()
}

impl<'a, W: Write> Sink<'a, W> {
    /// Writes to `out`, with the symbols of a program; times are computed with `clock_hz`.
    pub fn new(mut out: W, format: Format, symbols: &'a Symbols, clock_hz: u64) -> io::Result<Self> {
        if format == Format::Csv {
            writeln!(out, "clock,name,core,key,column,value")?;
        }
        Ok(Self { out, format, symbols, clock_hz, tracks: 0, last: 0 })
    }

    /// Writes one output.
    pub fn put(&mut self, output: &Output) -> io::Result<()> {
        match self.format {
            Format::Text => self.text(output),
            Format::Json => {
                let line = object(output, self.symbols);
                writeln!(self.out, "{line}")
            }
            Format::Csv => self.csv(output),
            Format::Perfetto => self.perfetto(output),
        }
    }

    /// Writes the number of lost events, even if it is 0.
    pub fn lost(&mut self, lost: u64) -> io::Result<()> {
        match self.format {
            Format::Text => writeln!(self.out, "lost: {lost} events"),
            Format::Json => writeln!(self.out, "{}", json!({ "lost": lost })),
            Format::Csv => writeln!(self.out, ",lost,,,events,{lost}"),
            Format::Perfetto => Ok(()),
        }
    }

    /// Writes where events were lost, with their number. In Perfetto's format they are at the time of the last output.
    pub fn losses(&mut self, losses: &[LossLocation]) -> io::Result<()> {
        losses.iter().try_for_each(|loss| {
            let LossLocation { kind, name, events } = loss;
            let (words, column) = kind.words();
            let bound = if *kind == LossKind::On { "" } else { "at most " };
            match self.format {
                Format::Text => writeln!(self.out, "{words} {name}: {bound}{events}"),
                Format::Json => writeln!(self.out, "{}", loss_object(loss)),
                Format::Csv => {
                    let mut writer = csv::Writer::from_writer(&mut self.out);
                    let row = ["", "lost", "", name, column, &events.to_string()];
                    writer.write_record(row).map_err(io::Error::other)?;
                    writer.flush()
                }
                Format::Perfetto => {
                    self.track(LOSSES, "losses", false)?;
                    let text = format!("{words} {name}: {bound}{events}");
                    self.out.write_all(&perfetto::instant(self.last, LOSSES, &text))
                }
            }
        })
    }

    fn text(&mut self, output: &Output) -> io::Result<()> {
        match output {
            Output::Text { parts, mark, .. } => {
                let text = text(parts, self.symbols);
                if !mark.any() {
                    return write!(self.out, "{text}{}", if text.ends_with('\n') { "" } else { "\n" });
                }
                writeln!(self.out, "{}{}", text.trim_end_matches('\n'), suffix(*mark))
            }
            Output::Table { map, summary, rows, rest, mark, .. } => {
                let heads = columns(*summary);
                let mut table: Vec<Vec<String>> =
                    vec![std::iter::once(format!("@{map}")).chain(heads.iter().map(|h| h.to_string())).collect()];
                for (key, sum) in rows {
                    let mut row = vec![key_text(key, self.symbols)];
                    row.extend(numbers(*summary, sum));
                    table.push(row);
                    if shows_buckets(*summary) {
                        let most = sum.buckets.values().max().copied().unwrap_or(1);
                        for (b, n) in &sum.buckets {
                            let bar = "#".repeat((n * 40).div_ceil(most) as usize);
                            table.push(vec![format!("  {}", range(*summary, *b)), n.to_string(), bar]);
                        }
                    }
                }
                let columns = table.iter().map(Vec::len).max().unwrap_or(0);
                let width =
                    |c: usize| table.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0);
                let widths: Vec<usize> = (0..columns).map(width).collect();
                for row in &table {
                    let mut line = String::new();
                    for (c, cell) in row.iter().enumerate() {
                        let (w, bar) = (widths[c], cell.starts_with('#'));
                        line += &if c == 0 || bar { format!("{cell:<w$}  ") } else { format!("{cell:>w$}  ") };
                    }
                    writeln!(self.out, "{}", line.trim_end())?;
                }
                if rest.0 > 0 {
                    writeln!(self.out, "other: {} keys, {} values", rest.0, rest.1)?;
                }
                mark.notes().try_for_each(|(_, note)| writeln!(self.out, "@{map} {note}"))
            }
        }
    }

    fn csv(&mut self, output: &Output) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut put = |row: [&str; 6]| writer.write_record(row).map_err(io::Error::other);
        match output {
            Output::Text { core, time, parts, mark } => {
                let (core, time) = (core.map_or(String::new(), |c| c.to_string()), time.to_string());
                let text = text(parts, self.symbols);
                put([&time, "printf", &core, "", "text", text.trim_end_matches('\n')])?;
                words(*mark).iter().try_for_each(|word| put([&time, "printf", &core, "", "mark", word]))?;
            }
            Output::Table { map, summary, time, rows, mark, .. } => {
                for (key, sum) in rows {
                    let (time, key) = (time.to_string(), key_text(key, self.symbols));
                    for (column, value) in columns(*summary).iter().zip(numbers(*summary, sum)) {
                        put([&time, map, "", &key, column, &value])?;
                    }
                    for (b, n) in sum.buckets.iter().filter(|_| shows_buckets(*summary)) {
                        put([&time, map, "", &key, &format!("from {b}"), &n.to_string()])?;
                    }
                }
                words(*mark).iter().try_for_each(|word| put([&time.to_string(), map, "", "", "mark", word]))?;
            }
        }
        let bytes = writer.into_inner().map_err(|e| io::Error::other(e.to_string()))?;
        self.out.write_all(&bytes)
    }

    /// Texts become instants on a track per core; the first number of each row becomes a counter.
    fn perfetto(&mut self, output: &Output) -> io::Result<()> {
        let hz = u128::from(self.clock_hz);
        let nanoseconds = |clock: u64| (u128::from(clock) * 1_000_000_000 / hz) as u64;
        let (Output::Text { time, .. } | Output::Table { time, .. }) = output;
        self.last = nanoseconds(*time);
        match output {
            Output::Text { core, time, parts, mark } => {
                let core = core.map_or(99, u32::from);
                self.track(core, &format!("core {core}"), false)?;
                let name = text(parts, self.symbols);
                let name = format!("{}{}", name.trim_end(), suffix(*mark));
                self.out.write_all(&perfetto::instant(nanoseconds(*time), core, &name))
            }
            Output::Table { map, summary, time, rows, mark, .. } => {
                for (n, (key, sum)) in rows.iter().take(16).enumerate() {
                    let track = 100 + n as u32;
                    let name = format!("@{map}[{}]{}", key_text(key, self.symbols), suffix(*mark));
                    self.track(track, &name, true)?;
                    let value = numbers(*summary, sum)[0].parse::<f64>().unwrap_or(0.0);
                    self.out.write_all(&perfetto::counter(nanoseconds(*time), track, value as i64))?;
                }
                Ok(())
            }
        }
    }

    fn track(&mut self, track: u32, name: &str, counter: bool) -> io::Result<()> {
        // bits 0 to 15 are cores, bit 16 is the host's track, bit 17 that of losses; counters are described each time
        let bit = if track == LOSSES { 1 << 17 } else { 1 << track.min(16) };
        if !counter && self.tracks & bit != 0 {
            return Ok(());
        }
        if !counter {
            self.tracks |= bit;
        }
        self.out.write_all(&perfetto::track(track, name, counter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfetto_packet_is_the_bytes_worked_by_hand() {
        let mut bytes = Vec::new();
        let symbols = Symbols::none();
        let mut sink = Sink::new(&mut bytes, Format::Perfetto, &symbols, 1_000_000_000).unwrap();
        sink.put(&Output::Text {
            core: Some(0),
            time: 300,
            parts: vec![TextPart::Text("x".into())],
            mark: Mark::default(),
        })
        .unwrap();
        let descriptor =
            [0x0a, 0x11, 0x40, 0, 0x50, 1, 0xe2, 3, 10, 0x08, 1, 0x12, 6, b'c', b'o', b'r', b'e', b' ', b'0'];
        let event = [0x0a, 0x0f, 0x40, 0xac, 0x02, 0x50, 1, 0x5a, 8, 0x48, 3, 0x58, 1, 0xba, 1, 1, b'x'];
        assert_eq!(bytes, [&descriptor[..], &event[..]].concat());
    }
}
