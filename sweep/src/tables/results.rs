//! The tables of `docs/results.md`: rates and bits of every set and encoding, with 1 to 8 cores

use super::{label, percent, published, Measured, Way};
use crate::page::short;
use crate::SweepError;
use report::markdown::{head, row};
use sim::analysis::ratio;

/// Numbers of harts that are measured.
pub(super) const HARTS: [u8; 4] = [1, 2, 4, 8];
const SETS: [&str; 6] = ["small", "medium", "large", "s1", "m4", "b4"];

/// The tables with their headings.
pub fn tables(m: &Measured) -> Result<Vec<(&'static str, String)>, SweepError> {
    Ok(vec![
        ("Programs", workload(m)?),
        ("Misprediction rates", rates(m)?),
        ("Functional traces", totals(m, false)?),
        ("Time-stamped traces", totals(m, true)?),
        ("Functional traces by program", by_program(m, false)?),
        ("Time-stamped traces by program", by_program(m, true)?),
    ])
}

/// `kind, N = 1` and so on.
pub(super) fn columns(kinds: &[&str]) -> Vec<String> {
    kinds.iter().flat_map(|k| HARTS.map(|n| format!("{k}, N = {n}"))).collect()
}

/// Programs: instructions, cycles, branch mix for each N.
fn workload(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns = ["instructions, N = 1", "conditional", "indirect", "traps", "IPC, N = 1", "N = 2", "N = 4", "N = 8"];
    head(&mut out, "program", &super::heads(&columns));
    for trace in m.traces() {
        let one = m.point(trace, Way::new("tr_e:small", 1))?;
        let mut cells = vec![
            short(trace),
            one.instructions.to_string(),
            percent(one.rates.conditionals, one.instructions),
            percent(one.rates.indirects, one.instructions),
            one.rates.traps.to_string(),
        ];
        for n in HARTS {
            let p = m.point(trace, Way::new("tr_e:small", n))?;
            cells.push(format!("{:.2}", ratio(p.instructions, p.cycles)));
        }
        row(&mut out, cells);
    }
    Ok(out)
}

/// Outcome and target misprediction rates of a set with `HARTS`, all programs.
pub(super) fn misses(m: &Measured, set: &str) -> Result<Vec<String>, SweepError> {
    let scheme = format!("tr_e:{set}");
    let rates = HARTS.map(|n| m.rates(None, Way::new(&scheme, n)));
    let rates = rates.into_iter().collect::<Result<Vec<_>, _>>()?;
    let outcome = rates.iter().map(|r| percent(r.outcome_misses, r.conditionals));
    Ok(outcome.chain(rates.iter().map(|r| percent(r.target_misses, r.indirects))).collect())
}

/// Misprediction rates, totals over all programs, beside paper 000 table 4.
fn rates(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    head(&mut out, "set", &columns(&["outcome", "target"]));
    for set in SETS {
        row(&mut out, std::iter::once(set.to_string()).chain(misses(m, set)?));
        if let Some(p) = published::RATES.iter().find(|p| p.set == set) {
            row(&mut out, p.row());
        }
    }
    Ok(out)
}

/// Bits per instruction over all programs, beside the totals of paper 000 tables 5 and 6.
fn totals(m: &Measured, timestamps: bool) -> Result<String, SweepError> {
    let mut out = String::new();
    let mut heads = columns(&["bpi", "bpc"]);
    heads.extend(["nx_b / this, N = 1".into(), "N = 8".into()]);
    head(&mut out, "scheme", &heads);
    let schemes = ["nx_b".to_string(), "nexs".to_string()].into_iter();
    for scheme in schemes.chain(SETS.iter().flat_map(|s| [format!("tr_b:{s}"), format!("tr_e:{s}")])) {
        let name = label(&scheme);
        let sums = |scheme: &str| -> Result<Vec<_>, SweepError> {
            HARTS.into_iter().map(|harts| m.sum(None, Way { scheme, harts, timestamps })).collect()
        };
        let (these, nx) = (sums(&scheme)?, sums("nx_b")?);
        let mut cells = vec![name.clone()];
        cells.extend(these.iter().map(|s| format!("{:.4}", s.bpi())));
        cells.extend(these.iter().map(|s| format!("{:.3}", s.bpc())));
        cells.extend([0, 3].map(|i| format!("{:.1}", nx[i].bpi() / these[i].bpi())));
        row(&mut out, cells);
        if let Some(p) = published::BPI.iter().find(|p| p.scheme == name && p.timestamps == timestamps) {
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

/// Bits per instruction of each program.
fn by_program(m: &Measured, timestamps: bool) -> Result<String, SweepError> {
    let mut out = String::new();
    let schemes = ["nx_b", "tr_e:small", "tr_e:medium", "tr_b:large", "tr_e:large"];
    let columns: Vec<String> =
        [1u8, 4].iter().flat_map(|n| schemes.map(|c| format!("{}, N = {n}", label(c)))).collect();
    head(&mut out, "program", &columns);
    for trace in m.traces() {
        let name = short(trace);
        let mut cells = vec![name.clone()];
        for harts in [1, 4] {
            for scheme in schemes {
                cells.push(format!("{:.4}", m.sum(Some(trace), Way { scheme, harts, timestamps })?.bpi()));
            }
        }
        row(&mut out, cells);
        if let Some((_, splash, v)) = published::ALIKE.iter().find(|(ours, _, _)| *ours == name && !timestamps) {
            let mut cells = vec![String::new(); schemes.len() * 2];
            for (i, v) in [(0, v[0]), (3, v[1]), (4, v[2])] {
                cells[i] = format!("*{v:.3}*");
            }
            row(&mut out, std::iter::once(format!("*Splash2 {splash}, paper 000*")).chain(cells));
        }
    }
    Ok(out)
}
