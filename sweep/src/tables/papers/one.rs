//! Paper 001: streams, stream caches by size, ways and variant, other compressors
//!
//! Published figures: tables 1 and 2, sections III.A to III.D. Of figures 3 and 4 only the numbers in the text are
//! known.

use crate::page::short;
use crate::tables::{heads, number, published_row, rows, Measured, Selection, FEWEST_HARTS};
use crate::SweepError;
use report::markdown::{head, row};
use sim::analysis::ratio;

/// Sizes of paper 001 table 2, entries.
const ENTRIES: [u16; 6] = [32, 64, 128, 256, 512, 1024];
/// Ways of paper 001 figure 3.
const WAYS: [u8; 4] = [1, 2, 4, 8];

/// Table 1: IC in millions, USC, max SL, avg SL, CDF 90 %.
const STREAMS: [(&str, [&str; 5]); 3] = [
    ("fft", ["631", "846", "94", "10.5", "209"]),
    ("strsearch", ["4", "436", "65", "6.0", "48"]),
    ("all", ["816", "1791", "145", "21.6", "77.8"]),
];
/// Table 2, by [`ENTRIES`].
const BASE: [(&str, [&str; 6]); 3] = [
    ("fft", ["1.492", "1.007", "0.616", "0.354", "0.256", "0.219"]),
    ("strsearch", ["1.369", "0.938", "0.472", "0.387", "0.401", "0.382"]),
    ("all", ["0.426", "0.272", "0.174", "0.142", "0.136", "0.135"]),
];

fn paper(program: &str) -> String {
    match program {
        "all" => "MiBench, paper 001".into(),
        "strsearch" => "stringsearch, paper 001".into(),
        _ => format!("{program}, paper 001"),
    }
}

/// Bits per instruction of the stream caches of a variant, by [`ENTRIES`].
fn by_size(m: &Measured, trace: Option<&str>, variant: &str, ways: u8) -> Result<Vec<String>, SweepError> {
    let one = |entries: u16| {
        let scheme = format!("sc-lsp:{variant}-{}x{ways}", entries / u16::from(ways));
        Ok(number(m.sum(trace, Selection::alone(&scheme))?.bpi()))
    };
    ENTRIES.into_iter().map(one).collect()
}

/// Table 1.
pub fn streams(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "program", &heads(&["IC, millions", "USC", "max SL", "avg SL", "CDF 90 %"]));
    let (mut all, mut weight) = ([0.0; 5], 0.0);
    for trace in m.traces() {
        let (name, w, n) = (short(trace), m.census(trace, FEWEST_HARTS)?, m.instructions(trace, FEWEST_HARTS)? as f64);
        let average = ratio(w.in_streams, w.streams);
        for (a, v) in all.iter_mut().zip([n / 1e6, w.unique as f64, w.longest.into(), average, w.cdf_90 as f64]) {
            *a += n * v;
        }
        weight += n;
        let (unique, longest, most) = (w.unique.to_string(), w.longest.to_string(), w.cdf_90.to_string());
        row(&mut out, [name.clone(), format!("{:.1}", n / 1e6), unique, longest, format!("{average:.1}"), most]);
        if let Some((_, figures)) = STREAMS.iter().find(|p| p.0 == name) {
            row(&mut out, published_row(&paper(&name), *figures));
        }
    }
    let cells = all.map(|a| format!("{:.1}", if weight > 0.0 { a / weight } else { 0.0 }));
    row(&mut out, std::iter::once("all".to_string()).chain(cells));
    row(&mut out, published_row(&paper("all"), STREAMS[2].1));
    Ok(out)
}

/// Table 2.
pub fn base_by_size(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "program", &ENTRIES.map(|e| e.to_string()));
    for (name, trace) in rows(m) {
        row(&mut out, std::iter::once(name.clone()).chain(by_size(m, trace, "base", 4)?));
        if let Some((_, figures)) = BASE.iter().find(|p| p.0 == name) {
            row(&mut out, published_row(&paper(&name), *figures));
        }
    }
    Ok(out)
}

/// Figures 3 and 4.
pub fn ways_and_variants(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "stream cache, all programs", &ENTRIES.map(|e| e.to_string()));
    let lines = WAYS.map(|w| ("base", w)).into_iter().chain([("ebase", 4), ("rbase", 4)]);
    for (variant, ways) in lines {
        let cells = by_size(m, None, variant, ways)?;
        row(&mut out, std::iter::once(format!("{variant}, {ways} ways")).chain(cells));
    }
    for (variant, figures) in [
        ("base", ["0.43", "", "0.174", "", "0.14", ""]),
        ("ebase", ["0.35", "", "0.146", "", "0.11", ""]),
        ("rbase", ["", "", "0.15", "", "", ""]),
    ] {
        row(&mut out, published_row(&format!("{variant}, 4 ways, paper 001"), figures));
    }
    Ok(out)
}

/// Section III.D.
pub fn others(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "program", &heads(&["rbase 32x4", "LZ, 256 x 12 bits", "the same, longer matches", "gzip -1"]));
    for (name, trace) in rows(m) {
        let mut cells = vec![name, number(m.sum(trace, Selection::alone("sc-lsp:rbase-32x4"))?.bpi())];
        for scheme in ["tslz(256x12,9)", "tslz(256x12,129)", "gzip-1"] {
            cells.push(number(m.decoded(trace, Selection::alone(scheme))?.bpi()));
        }
        row(&mut out, cells);
    }
    row(&mut out, published_row(&paper("all"), ["0.15", "0.47", "", "0.031"]));
    Ok(out)
}
