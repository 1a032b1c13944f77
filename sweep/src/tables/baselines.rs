//! Table of control-flow compressors and this project's schemes, by input

use super::{label, Measured};
use crate::plan::Plan;
use crate::point::Point;
use crate::SweepError;
use serde_json::{json, Map, Value};
use sim::analysis::ratio;
use sim::baseline::etrace::Options;

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Input as given, or `all`.
    pub input: String,
    /// Harts.
    pub harts: u8,
    /// Instructions of all harts.
    pub instructions: u64,
    /// Streams of paper 001, including those that a trap or the end cuts short.
    pub streams: u64,
    /// Bits by scheme, under the names used in tables; `None` if it was omitted for this input.
    pub bits: Vec<(String, Option<u64>)>,
}

impl Row {
    /// The row as JSON.
    pub fn object(&self) -> Value {
        let bits: Map<_, _> = self.bits.iter().map(|(n, b)| (n.clone(), json!(b))).collect();
        json!({
            "input": self.input, "harts": self.harts, "instructions": self.instructions, "streams": self.streams,
            "bits": bits,
        })
    }

    /// Bits per instruction, by scheme.
    pub fn bpi(&self) -> impl Iterator<Item = (&str, String)> {
        let text = |b: u64| format!("{:.4}", ratio(b, self.instructions));
        self.bits.iter().map(move |(name, bits)| (name.as_str(), bits.map_or("-".into(), text)))
    }
}

/// Column heading of a scheme; `None` if it is only in the JSON object.
pub fn heading(name: &str) -> Option<&str> {
    match name.parse::<Options>() {
        Ok(Options::BASE) | Err(_) => Some(name),
        Ok(Options::ALL_MODES) => Some("etrace, all modes"),
        Ok(_) => None,
    }
}

/// A row for each input of `plan`, and a total.
///
/// # Errors
/// If a point is missing for another reason than that it needs the program of a recording.
pub fn rows(plan: &Plan, m: &Measured, left_out: &[String]) -> Result<Vec<Row>, SweepError> {
    let schemes = plan.schemes()?;
    let mut rows = Vec::new();
    for trace in m.traces() {
        let points: Vec<&Point> = m.points.iter().filter(|p| p.trace == trace).collect();
        let Some(first) = points.first() else { continue };
        let mut bits = Vec::new();
        for spec in &schemes {
            let found = points.iter().find(|p| p.scheme == spec.name).and_then(|p| p.bits);
            let excused =
                spec.needs_program() && left_out.iter().any(|l| l.starts_with(&format!("{} of {trace}:", spec.name)));
            if found.is_none() && !excused {
                return Err(SweepError::Other(format!("{} of {trace} was not measured: no table is made", spec.name)));
            }
            bits.push((label(&spec.name), found));
        }
        rows.push(Row {
            input: trace.to_string(),
            harts: first.harts,
            instructions: first.instructions,
            streams: m.census(trace, first.harts)?.all_streams,
            bits,
        });
    }
    rows.push(total(&rows));
    Ok(rows)
}

/// The total of all rows.
fn total(rows: &[Row]) -> Row {
    let mut total = Row { input: "all".into(), harts: 0, instructions: 0, streams: 0, bits: Vec::new() };
    for row in rows {
        total.instructions += row.instructions;
        total.streams += row.streams;
        if total.bits.is_empty() {
            total.bits = row.bits.iter().map(|(n, _)| (n.clone(), Some(0))).collect();
        }
        total.bits.iter_mut().zip(&row.bits).for_each(|(t, b)| t.1 = t.1.zip(b.1).map(|(t, b)| t + b));
    }
    total
}
