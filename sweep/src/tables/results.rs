//! The tables of `docs/reference/results.md`: rates and bits of every set and encoding, with 1 to 8 cores

use super::{cell, label, percent, published, Measured, Selection};
use crate::page::short;
use crate::spread::{spreads, Spread};
use crate::SweepError;
use host::text::count;
use report::markdown::{head, row};
use sim::analysis::ratio;

/// Numbers of harts of measured programs, and of the published figures.
pub(super) const HARTS: [u8; 4] = [1, 2, 4, 8];
const SETS: [&str; 6] = ["small", "medium", "large", "s1", "m4", "b4"];

/// The tables with their headings.
pub fn tables(m: &Measured) -> Result<Vec<(&'static str, String)>, SweepError> {
    let mut tables =
        vec![("Programs", workload(m)?), ("Misprediction rates", rates(m)?), ("Functional traces", totals(m, false)?)];
    // recordings without cycles have no time stamps
    let stamped = m.measured(|p| p.platform.timestamps);
    if stamped {
        tables.push(("Time-stamped traces", totals(m, true)?));
    }
    let spread = spread(m);
    tables.extend((!spread.is_empty()).then_some(("Spread over schedules", spread)));
    tables.push(("Functional traces by program", by_program(m, false)?));
    if stamped {
        tables.push(("Time-stamped traces by program", by_program(m, true)?));
    }
    Ok(tables)
}

/// Column headings: `kind, N = 1` and so on.
pub(super) fn columns(m: &Measured, kinds: &[&str]) -> Vec<String> {
    let harts = m.harts();
    kinds.iter().flat_map(|k| harts.iter().map(move |n| format!("{k}, N = {n}"))).collect()
}

/// Programs: instructions, cycles, branch mix for each N.
fn workload(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let harts = m.harts();
    let first = if m.traces().all(|t| m.has(t, 1, false)) { "instructions, N = 1" } else { "instructions" };
    let mut columns = super::heads(&[first, "conditional", "indirect", "traps"]);
    columns.extend(harts.iter().enumerate().map(|(i, n)| format!("{}N = {n}", if i == 0 { "IPC, " } else { "" })));
    head(&mut out, "program", &columns);
    for trace in m.traces() {
        let one = m.point(trace, Selection::alone("tr_e:small"))?;
        let mut cells = vec![
            short(trace),
            count(one.instructions),
            percent(one.rates.conditionals, one.instructions),
            percent(one.rates.indirects, one.instructions),
            count(one.rates.traps),
        ];
        for n in &harts {
            let sum = m.some_sum(Some(trace), Selection::new("tr_e:small", *n))?.filter(|s| !s.without_cycles);
            cells.push(cell(sum, |s| format!("{:.2}", ratio(s.instructions, s.cycles))));
        }
        row(&mut out, cells);
    }
    Ok(out)
}

/// Outcome and target misprediction rates of a set for each number of harts, over all programs.
pub(super) fn misses(m: &Measured, set: &str) -> Result<Vec<String>, SweepError> {
    let scheme = format!("tr_e:{set}");
    let rates = m.harts().into_iter().map(|n| m.rates(None, Selection::new(&scheme, n)));
    let rates = rates.collect::<Result<Vec<_>, _>>()?;
    let outcome = rates.iter().map(|r| percent(r.outcome_misses, r.conditionals));
    Ok(outcome.chain(rates.iter().map(|r| percent(r.target_misses, r.indirects))).collect())
}

/// Misprediction rates, totals over all programs, next to paper 000 table 4.
fn rates(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "set", &columns(m, &["outcome", "target"]));
    for set in SETS {
        row(&mut out, std::iter::once(set.to_string()).chain(misses(m, set)?));
        if let Some(p) = published::RATES.iter().find(|p| p.set == set && m.harts() == HARTS) {
            row(&mut out, p.row());
        }
    }
    Ok(out)
}

/// Bits per instruction over all programs, next to the totals of paper 000 tables 5 and 6.
fn totals(m: &Measured, timestamps: bool) -> Result<String, SweepError> {
    let mut out = String::new();
    let harts = m.harts();
    let ends: Vec<usize> = if harts.len() > 1 { vec![0, harts.len() - 1] } else { vec![0] };
    let mut heads = columns(m, &["bpi", "bpc"]);
    heads.extend(ends.iter().map(|i| format!("{}N = {}", if *i == 0 { "nx_b / this, " } else { "" }, harts[*i])));
    head(&mut out, "scheme", &heads);
    let schemes = ["nx_b".to_string(), "nexs".to_string()].into_iter();
    for scheme in schemes.chain(SETS.iter().flat_map(|s| [format!("tr_b:{s}"), format!("tr_e:{s}")])) {
        let name = label(&scheme);
        let sums = |scheme: &str| -> Result<Vec<_>, SweepError> {
            harts.iter().map(|harts| m.sum(None, Selection { scheme, harts: *harts, timestamps })).collect()
        };
        let (these, nx) = (sums(&scheme)?, sums("nx_b")?);
        let mut cells = vec![name.clone()];
        cells.extend(these.iter().map(|s| format!("{:.4}", s.bpi())));
        cells.extend(these.iter().map(|s| cell(s.bpc(), |v| format!("{v:.3}"))));
        cells.extend(ends.iter().map(|i| format!("{:.1}", nx[*i].bpi() / these[*i].bpi())));
        row(&mut out, cells);
        if let Some(p) =
            published::BPI.iter().find(|p| p.scheme == name && p.timestamps == timestamps && harts == HARTS)
        {
            let mut cells = vec![format!("*{name}, paper 000*")];
            cells.extend(p.bpi.map(|v| format!("*{v:.3}*")));
            cells.extend(std::iter::repeat_n(String::new(), 4));
            let nx = &published::BPI[if timestamps { 3 } else { 0 }].bpi;
            cells.extend([0, 3].map(|i| format!("*{:.1}*", nx[i] / p.bpi[i])));
            row(&mut out, cells);
        }
    }
    Ok(out)
}

/// Means over programs with their confidence intervals over the seeds, and the extremes of programs and windows; empty if no
/// program ran with several schedules.
fn spread(m: &Measured) -> String {
    let mut out = String::new();
    let repeated = m.points.iter().filter(|p| p.seed().is_some_and(|seed| seed > 0));
    let rows: Vec<Spread> = spreads(repeated).into_iter().filter(|r| r.runs > 1).collect();
    let columns = ["N", "bpi, total", "arithmetic mean", "geometric mean", "least program", "greatest program"];
    let columns = [&columns[..], &["least window", "greatest window", "start-up"]].concat();
    if !rows.is_empty() {
        head(&mut out, "scheme", &super::heads(&columns));
    }
    for r in rows {
        let mut cells = vec![if r.timestamps { "t " } else { "" }.to_string() + &label(&r.scheme), r.harts.to_string()];
        cells.extend([&r.total, &r.arithmetic].map(|mean| mean.text(4)));
        cells.push(cell(r.geometric, |mean| mean.text(4)));
        let windows = r.windows.map(|w| [w.0, w.1]);
        cells.extend([r.range.0, r.range.1].map(|v| format!("{v:.4}")));
        cells.extend([0, 1].map(|i| cell(windows, |w| format!("{:.4}", w[i]))));
        cells.push(cell(r.startup, |v| format!("{v:.4}")));
        row(&mut out, cells);
    }
    out
}

/// Bits per instruction of each program.
fn by_program(m: &Measured, timestamps: bool) -> Result<String, SweepError> {
    let mut out = String::new();
    let schemes = ["nx_b", "tr_e:small", "tr_e:medium", "tr_b:large", "tr_e:large"];
    // two of the papers' numbers of harts, or all that the user's traces have
    let harts: Vec<u8> = m.harts().into_iter().filter(|n| m.harts() != HARTS || [1, 4].contains(n)).collect();
    let columns: Vec<String> = harts.iter().flat_map(|n| schemes.map(|c| format!("{}, N = {n}", label(c)))).collect();
    head(&mut out, "program", &columns);
    for trace in m.traces() {
        let name = short(trace);
        let mut cells = vec![name.clone()];
        for harts in &harts {
            for scheme in schemes {
                let sum = m.some_sum(Some(trace), Selection { scheme, harts: *harts, timestamps })?;
                cells.push(cell(sum, |s| format!("{:.4}", s.bpi())));
            }
        }
        row(&mut out, cells);
        if let Some((_, splash, v)) =
            published::SIMILAR_PROGRAMS.iter().find(|(ours, _, _)| *ours == name && !timestamps && m.harts() == HARTS)
        {
            let mut cells = vec![String::new(); schemes.len() * 2];
            for (i, v) in [(0, v[0]), (3, v[1]), (4, v[2])] {
                cells[i] = format!("*{v:.3}*");
            }
            row(&mut out, std::iter::once(format!("*Splash2 {splash}, paper 000*")).chain(cells));
        }
    }
    Ok(out)
}
