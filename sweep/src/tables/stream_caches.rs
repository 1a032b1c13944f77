//! The tables of `docs/reference/stream-cache-results.md`: paper 001 for this project's programs, and a comparison of hashes
//!
//! Of figure 4 only the numbers in the paper's text are known: variant, entries, bits per instruction.

use super::papers::{base_by_size, streams};
use super::{heads, rows, Measured, Selection};
use crate::SweepError;
use report::markdown::{head, row};
use sim::analysis::ratio;

const ENTRIES: [u16; 6] = [32, 64, 128, 256, 512, 1024];
const VARIANTS: [&str; 3] = ["base", "ebase", "rbase"];
const FIGURE_4: [(&str, u16, &str); 7] = [
    ("base", 32, "0.43"),
    ("base", 128, "0.174"),
    ("base", 512, "0.14"),
    ("ebase", 32, "0.35"),
    ("ebase", 128, "0.146"),
    ("ebase", 512, "0.11"),
    ("rbase", 128, "0.15"),
];

/// The tables with their headings.
pub fn tables(m: &Measured) -> Result<Vec<(&'static str, String)>, SweepError> {
    Ok(vec![
        ("Table 1: streams", streams(m)?),
        ("Table 2: BASE by entries, 4 ways", base_by_size(m)?),
        ("Figure 4: the three variants by entries, 4 ways, all programs", variants(m)?),
        ("Figure 3: BASE by ways, all programs", ways(m)?),
        ("32x4 and the other schemes", beside(m)?),
        ("Direction and shift of the hash, rBASE 32x4, all programs", hashes(m)?),
    ])
}

/// Bits per instruction of all programs with a stream cache of the given shape.
fn all(m: &Measured, shape: &str) -> Result<f64, SweepError> {
    Ok(m.sum(None, Selection::alone(&format!("sc-lsp:{shape}")))?.bpi())
}

fn variants(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "entries", &heads(&["BASE", "eBASE", "rBASE"]));
    for n in ENTRIES {
        let mut cells = vec![n.to_string()];
        for v in VARIANTS {
            let theirs = FIGURE_4.iter().find(|f| (f.0, f.1) == (v, n)).map(|f| format!(", *{}*", f.2));
            cells.push(format!("{:.3}{}", all(m, &format!("{v}-{}x4", n / 4))?, theirs.unwrap_or_default()));
        }
        row(&mut out, cells);
    }
    Ok(out)
}

fn ways(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "entries", &heads(&["1 way", "2 ways", "4 ways", "8 ways"]));
    for n in ENTRIES {
        let mut cells = vec![n.to_string()];
        for w in [1, 2, 4, 8] {
            cells.push(format!("{:.3}", all(m, &format!("base-{}x{w}", n / w))?));
        }
        row(&mut out, cells);
    }
    Ok(out)
}

/// The last three columns have time stamps.
fn beside(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns =
        ["hit rate SC", "hit rate LSP", "BASE", "eBASE", "rBASE", "tr_e m4", "nx_b", "tBASE", "teBASE", "trBASE"];
    head(&mut out, "program", &heads(&columns));
    let shapes = VARIANTS.map(|v| format!("sc-lsp:{v}-32x4"));
    for (name, trace) in rows(m) {
        let c = m.streams(trace, Selection::alone(&shapes[2]))?;
        let rate = |n| format!("{:.2} %", 100.0 * ratio(n, c.streams));
        let mut cells = vec![name, rate(c.cache_hits), rate(c.predicted)];
        let functional = shapes.iter().map(String::as_str).chain(["tr_e:m4", "nx_b"]).map(Selection::alone);
        let stamped = shapes.iter().map(|s| Selection { timestamps: true, ..Selection::alone(s) });
        for way in functional.chain(stamped) {
            cells.push(format!("{:.3}", m.sum(trace, way)?.bpi()));
        }
        row(&mut out, cells);
    }
    Ok(out)
}

fn hashes(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "shift", &(0..=6).map(|s| s.to_string()).collect::<Vec<_>>());
    for (hash, name) in [("right", "right"), ("left", "left, as printed")] {
        let mut cells = vec![name.to_string()];
        for shift in 0..=6 {
            // right4 is the default hash of a shape
            let more = if (hash, shift) == ("right", 4) { String::new() } else { format!("+{hash}{shift}") };
            cells.push(format!("{:.4}", all(m, &format!("rbase-32x4{more}"))?));
        }
        row(&mut out, cells);
    }
    Ok(out)
}
