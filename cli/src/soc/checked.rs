//! Results of checking a trace against a retire log, as text and JSON

use crate::output::count;
use fpga::soc::check::Checked;
use serde_json::json;
use sim::analysis::ratio;
use std::fmt::Display;

/// Results as JSON.
pub fn object(found: &Result<Checked, impl Display>, instructions: u64) -> serde_json::Value {
    match found {
        Ok(c) => json!({
            "equal": true,
            "bits": c.bits,
            "bits_per_instruction": ratio(c.bits, instructions),
            "messages": c.messages,
            "events": c.events,
            "overflows": c.overflows,
            "lost_instructions": c.lost,
            "in_retire_order": c.ordered,
            "golden_bits": c.golden,
        }),
        Err(e) => json!({ "equal": false, "difference": e.to_string() }),
    }
}

/// Results as text; a time-stamped trace is ordered by its time stamps, so its order is not mentioned.
pub fn lines(
    found: &Result<Checked, impl Display>,
    instructions: u64,
    timestamps: bool,
) -> Vec<(&'static str, String)> {
    let c = match found {
        Ok(c) => c,
        Err(e) => return vec![("replay", format!("DIFFERENT: {e}"))],
    };
    let mut lines = vec![
        ("trace", format!("{} bits, {} messages", count(c.bits), count(c.messages))),
        ("bits/instruction", format!("{:.4}", ratio(c.bits, instructions))),
        ("replay", format!("equal to the retire log, {} events", count(c.events))),
    ];
    if !timestamps {
        let text = if c.ordered { "that of retirement, across cores" } else { "NOT that of retirement" };
        lines.push(("message order", text.into()));
    }
    lines.push(match c.golden {
        Some(true) => ("golden model", "the same bits".into()),
        Some(false) => ("golden model", "OTHER bits".into()),
        None => {
            ("overflow", format!("{} messages, {} instructions lost; replay continues", c.overflows, count(c.lost)))
        }
    });
    lines
}
