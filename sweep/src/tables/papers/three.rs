//! Paper 000: Nexus-like traces, misprediction rates, functional and time-stamped traces, with 1 to 8 cores

use crate::tables::results::{columns, misses, HARTS};
use crate::tables::{cell, number, published, published_row, rows, Measured, Selection, Sum};
use crate::SweepError;
use report::markdown::{head, row};
use sim::analysis::ratio;

fn paper(program: &str) -> String {
    if program == "all" {
        "Splash2, paper 000".into()
    } else {
        format!("{program}, paper 000")
    }
}

/// Rows of table 2 for programs that have the same name here.
const NEXUS: [(&str, [&str; 16]); 4] = [
    (
        "fft",
        [
            "0.80", "0.87", "0.94", "1.00", "0.22", "0.49", "0.94", "1.59", "1.44", "1.50", "1.56", "1.62", "0.40",
            "0.84", "1.56", "2.57",
        ],
    ),
    (
        "lu",
        [
            "1.23", "1.35", "1.47", "1.59", "0.71", "1.47", "2.79", "4.77", "2.32", "2.44", "2.56", "2.67", "1.34",
            "2.65", "4.85", "8.01",
        ],
    ),
    (
        "radix",
        [
            "0.55", "0.59", "0.63", "0.67", "0.12", "0.22", "0.38", "0.50", "0.95", "0.99", "1.10", "1.19", "0.21",
            "0.37", "0.67", "0.89",
        ],
    ),
    (
        "all",
        [
            "0.79", "0.86", "0.95", "1.06", "0.36", "0.75", "1.49", "2.76", "1.42", "1.49", "1.61", "1.76", "0.64",
            "1.29", "2.52", "4.58",
        ],
    ),
];

/// The sums of a scheme, for each number of harts.
fn sums(m: &Measured, trace: Option<&str>, scheme: &str, timestamps: bool) -> Result<Vec<Option<Sum>>, SweepError> {
    m.harts().into_iter().map(|harts| m.some_sum(trace, Selection { scheme, harts, timestamps })).collect()
}

/// Table 2.
pub fn nexus(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let stamped = m.measured(|p| p.platform.timestamps);
    let kinds = ["NX_b, bpi", "NX_b, bpc", "tNX_b, bpi", "tNX_b, bpc"];
    head(&mut out, "program", &columns(m, if stamped { &kinds } else { &kinds[..2] }));
    for (name, trace) in rows(m) {
        let mut cells = vec![name.clone()];
        for timestamps in [false, true].into_iter().filter(|t| !t || stamped) {
            let sums = sums(m, trace, "nx_b", timestamps)?;
            cells.extend(sums.iter().map(|s| cell(*s, |s| format!("{:.2}", s.bpi()))));
            cells.extend(sums.iter().map(|s| cell(s.and_then(|s| s.bpc()), |v| format!("{v:.2}"))));
        }
        row(&mut out, cells);
        if let Some((_, figures)) = NEXUS.iter().find(|p| p.0 == name && m.harts() == HARTS && stamped) {
            row(&mut out, published_row(&paper(&name), *figures));
        }
    }
    Ok(out)
}

/// Table 4.
pub fn rates(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "set", &columns(m, &["outcome", "target"]));
    for p in &published::RATES {
        row(&mut out, std::iter::once(p.set.to_string()).chain(misses(m, p.set)?));
        if m.harts() == HARTS {
            row(&mut out, p.row());
        }
    }
    Ok(out)
}

/// Rows of tables 5 and 6 for programs that have the same name here, and the total: NX_b, TR_b, TR_e for N = 1, 2, 4,
/// 8.
const FUNCTIONAL: [(&str, [&str; 12]); 4] = [
    (
        "fft",
        ["0.803", "0.007", "0.007", "0.869", "0.008", "0.008", "0.935", "0.009", "0.008", "1.002", "0.010", "0.009"],
    ),
    (
        "lu",
        ["1.230", "0.061", "0.046", "1.350", "0.067", "0.053", "1.471", "0.074", "0.059", "1.592", "0.081", "0.066"],
    ),
    (
        "radix",
        ["0.546", "0.000", "0.000", "0.586", "0.000", "0.000", "0.627", "0.000", "0.000", "0.668", "0.000", "0.000"],
    ),
    (
        "all",
        ["0.789", "0.047", "0.033", "0.858", "0.052", "0.038", "0.954", "0.056", "0.042", "1.061", "0.057", "0.045"],
    ),
];
const TIME_STAMPED: [(&str, [&str; 12]); 4] = [
    (
        "fft",
        ["1.438", "0.018", "0.017", "1.499", "0.018", "0.018", "1.563", "0.020", "0.019", "1.625", "0.021", "0.020"],
    ),
    (
        "lu",
        ["2.320", "0.126", "0.120", "2.438", "0.132", "0.126", "2.556", "0.139", "0.132", "2.674", "0.146", "0.139"],
    ),
    (
        "radix",
        ["0.945", "0.000", "0.000", "0.985", "0.000", "0.000", "1.100", "0.000", "0.000", "1.189", "0.000", "0.000"],
    ),
    (
        "all",
        ["1.419", "0.104", "0.087", "1.486", "0.109", "0.092", "1.614", "0.112", "0.095", "1.759", "0.111", "0.095"],
    ),
];

/// Tables 5 and 6: the large set.
pub fn traces(m: &Measured, timestamps: bool) -> Result<String, SweepError> {
    let mut out = String::new();
    let (t, figures) = if timestamps { ("t", &TIME_STAMPED) } else { ("", &FUNCTIONAL) };
    let schemes = ["nx_b", "tr_b:large", "tr_e:large"];
    let harts = m.harts();
    let columns: Vec<String> =
        harts.iter().flat_map(|n| schemes.map(|s| format!("{t}{}, N = {n}", s.replace(':', " ")))).collect();
    head(&mut out, "program", &columns);
    // by scheme, then by harts
    let of = |trace| schemes.iter().map(|s| sums(m, trace, s, timestamps)).collect::<Result<Vec<_>, _>>();
    for (name, trace) in rows(m) {
        let sums = of(trace)?;
        let cells = (0..harts.len()).flat_map(|n| sums.iter().map(move |s| cell(s[n], |s| number(s.bpi()))));
        row(&mut out, std::iter::once(name.clone()).chain(cells));
        if let Some((_, figures)) = figures.iter().find(|p| p.0 == name && harts == HARTS) {
            row(&mut out, published_row(&paper(&name), *figures));
        }
    }
    let all = of(None)?;
    let bits = |i: usize, n: usize| all[i][n].map_or(0, |s| s.bits);
    let gain = |n: usize| [1, 2].map(|i: usize| number(ratio(bits(0, n), bits(i, n))));
    let cells = (0..harts.len()).flat_map(|n| [vec![String::new()], gain(n).to_vec()].concat());
    row(&mut out, std::iter::once(format!("{t}nx_b / this")).chain(cells));
    Ok(out)
}
