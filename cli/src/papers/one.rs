//! Paper 001: streams, stream caches by size, ways and variant, other compressors
//!
//! Published figures: tables 1 and 2, sections III.A to III.D. Figures 3 and 4 are known from the text only.

use super::measure::{bpi, cache, number, programs, published, sum, Run, ENTRIES, WAYS};
use crate::baselines::Row;
use crate::results::tables::{head, row};
use sim::analysis::ratio;
use sim::stream_cache::Variant;

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

fn name(program: &str) -> String {
    match program {
        "all" => "MiBench, paper 001".into(),
        "strsearch" => "stringsearch, paper 001".into(),
        _ => format!("{program}, paper 001"),
    }
}

fn heads(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| t.to_string()).collect()
}

/// Table 1.
pub fn streams(runs: &[Run]) -> String {
    let mut out = String::new();
    head(&mut out, "program", &heads(&["IC, millions", "USC", "max SL", "avg SL", "CDF 90 %"]));
    let (mut all, mut weight) = ([0.0; 5], 0.0);
    for r in programs(runs) {
        let Some(w) = &r.workload else { continue };
        let n = r.instructions as f64;
        let average = ratio(w.in_streams, w.streams);
        for (a, v) in all.iter_mut().zip([n / 1e6, w.unique as f64, w.longest.into(), average, w.cdf_90 as f64]) {
            *a += n * v;
        }
        weight += n;
        let cells = [w.unique, w.longest.into()].map(|v| v.to_string());
        let [unique, longest] = cells;
        let average = format!("{average:.1}");
        row(&mut out, [r.program.into(), format!("{:.1}", n / 1e6), unique, longest, average, w.cdf_90.to_string()]);
        if let Some((_, figures)) = STREAMS.iter().find(|p| p.0 == r.program) {
            row(&mut out, published(&name(r.program), *figures));
        }
    }
    let cells = all.map(|a| format!("{:.1}", if weight > 0.0 { a / weight } else { 0.0 }));
    row(&mut out, std::iter::once("all".to_string()).chain(cells));
    row(&mut out, published(&name("all"), STREAMS[2].1));
    out
}

/// Table 2.
pub fn base_by_size(runs: &[Run]) -> String {
    let mut out = String::new();
    head(&mut out, "program", &ENTRIES.map(|e| e.to_string()));
    let line = |program: Option<&str>| ENTRIES.map(|e| bpi(runs, program, 1, &cache(Variant::Base, e, 4)));
    for r in programs(runs) {
        row(&mut out, std::iter::once(r.program.to_string()).chain(line(Some(r.program))));
        if let Some((_, figures)) = BASE.iter().find(|p| p.0 == r.program) {
            row(&mut out, published(&name(r.program), *figures));
        }
    }
    row(&mut out, std::iter::once("all".to_string()).chain(line(None)));
    row(&mut out, published(&name("all"), BASE[2].1));
    out
}

/// Figures 3 and 4.
pub fn ways_and_variants(runs: &[Run]) -> String {
    let mut out = String::new();
    head(&mut out, "stream cache, all programs", &ENTRIES.map(|e| e.to_string()));
    let mut line = |variant: Variant, ways| {
        let cells = ENTRIES.map(|e| bpi(runs, None, 1, &cache(variant, e, ways)));
        row(&mut out, std::iter::once(format!("{}, {ways} ways", variant.name())).chain(cells));
    };
    WAYS.into_iter().for_each(|ways| line(Variant::Base, ways));
    line(Variant::Ebase, 4);
    line(Variant::Rbase, 4);
    for (variant, figures) in [
        ("base", ["0.43", "", "0.174", "", "0.14", ""]),
        ("ebase", ["0.35", "", "0.146", "", "0.11", ""]),
        ("rbase", ["", "", "0.15", "", "", ""]),
    ] {
        row(&mut out, published(&format!("{variant}, 4 ways, paper 001"), figures));
    }
    out
}

/// Section III.D.
pub fn others(rows: &[Row]) -> String {
    let mut out = String::new();
    head(&mut out, "program", &heads(&["rbase 32x4", "LZ, 256 x 12 bits", "the same, longer matches", "gzip -1"]));
    for r in rows {
        let cells = ["rbase 32x4", "tslz(256x12,9)", "tslz(256x12,129)", "gzip-1"].map(|s| r.bpi(s, number));
        row(&mut out, std::iter::once(r.input.clone()).chain(cells));
    }
    row(&mut out, published(&name("all"), ["0.15", "0.47", "", "0.031"]));
    out
}

/// Bits per instruction of the whole suite in a configuration, as a number.
pub fn total(runs: &[Run], config: &str) -> f64 {
    sum(runs, None, 1, config).map_or(0.0, |(bits, n, _)| ratio(bits, n))
}
