//! Profiles in speedscope's format: JSON
//!
//! Samples are stacks, weights their instructions; the order of samples is that in which stacks occurred first.
//!
//! # Source
//! `file-format-schema.json` of github.com/jlfwong/speedscope: a `sampled` profile.

use serde_json::json;
use std::io::{self, Write};

/// Writes stacks of functions by number, innermost first, with their instructions.
///
/// # Errors
/// `out` failed.
pub fn write<'a>(
    title: &str,
    functions: impl Iterator<Item = &'a str>,
    stacks: impl Iterator<Item = (Vec<u32>, u64)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let frames: Vec<_> = functions.map(|name| json!({ "name": name })).collect();
    let (mut samples, mut weights, mut all) = (Vec::new(), Vec::new(), 0);
    for (mut stack, instructions) in stacks {
        stack.reverse();
        samples.push(stack);
        weights.push(instructions);
        all += instructions;
    }
    let file = json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "goshawk",
        "name": title,
        "activeProfileIndex": 0,
        "shared": { "frames": frames },
        "profiles": [{
            "type": "sampled", "name": title, "unit": "none", "startValue": 0, "endValue": all,
            "samples": samples, "weights": weights,
        }],
    });
    serde_json::to_writer(&mut *out, &file)?;
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_begin_with_the_outermost_function_and_weights_add_up() {
        let mut out = Vec::new();
        let stacks = [(vec![0], 3), (vec![1, 0], 5)];
        write("t", ["main", "f"].into_iter(), stacks.into_iter(), &mut out).unwrap();
        let file: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(file["shared"]["frames"], json!([{ "name": "main" }, { "name": "f" }]));
        let profile = &file["profiles"][0];
        assert_eq!((&profile["samples"], &profile["weights"]), (&json!([[0], [0, 1]]), &json!([3, 5])));
        assert_eq!((&profile["startValue"], &profile["endValue"]), (&json!(0), &json!(8)));
    }
}
