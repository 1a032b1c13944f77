//! Points to the tables of `docs/results.md`

use super::measure::{Point, HARTS};
use super::paper;
use sim::analysis::ratio;
use std::fmt::Write;

/// Sums the points that `keep` keeps: instructions, cycles, bits.
fn total(points: &[Point], keep: impl Fn(&Point) -> bool) -> (u64, u64, u64) {
    points.iter().filter(|p| keep(p)).fold((0, 0, 0), |t, p| (t.0 + p.instructions, t.1 + p.cycles, t.2 + p.bits))
}

fn programs(points: &[Point]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for p in points {
        if !names.contains(&p.program.as_str()) {
            names.push(&p.program);
        }
    }
    names
}

/// Row of a Markdown table.
pub fn row(out: &mut String, cells: impl IntoIterator<Item = String>) {
    out.push('|');
    for c in cells {
        let _ = write!(out, " {c} |");
    }
    out.push('\n');
}

/// Head of a Markdown table.
pub fn head(out: &mut String, first: &str, rest: &[String]) {
    row(out, std::iter::once(first.to_string()).chain(rest.iter().cloned()));
    row(out, std::iter::once("---".to_string()).chain(rest.iter().map(|_| "---:".to_string())));
}

/// Programs: instructions, cycles, branch mix for each N.
pub fn workload(points: &[Point]) -> String {
    let mut out = String::new();
    let columns: Vec<String> =
        ["instructions, N = 1", "conditional", "indirect", "traps", "IPC, N = 1", "N = 2", "N = 4", "N = 8"]
            .map(String::from)
            .to_vec();
    head(&mut out, "program", &columns);
    for name in programs(points) {
        let of =
            |n| points.iter().find(|p| p.program == name && p.harts == n && p.config == "tr_e small" && !p.timestamps);
        let Some(one) = of(1) else { continue };
        let percent = |n: u64| format!("{:.2} %", 100.0 * ratio(n, one.instructions));
        let mut cells = vec![
            name.to_string(),
            one.instructions.to_string(),
            percent(one.rates.conditionals),
            percent(one.rates.indirects),
            one.rates.traps.to_string(),
        ];
        cells.extend(HARTS.map(|n| of(n).map_or("-".into(), |p| format!("{:.2}", ratio(p.instructions, p.cycles)))));
        row(&mut out, cells);
    }
    out
}

/// Misprediction rates, totals over all programs, beside paper 000 table 4.
pub fn rates(points: &[Point]) -> String {
    let mut out = String::new();
    let columns: Vec<String> =
        ["outcome", "target"].iter().flat_map(|k| HARTS.map(|n| format!("{k}, N = {n}"))).collect();
    head(&mut out, "set", &columns);
    for set in ["small", "medium", "large", "s1", "m4", "b4"] {
        let config = format!("tr_e {set}");
        let rate = |n: u8, target: bool| {
            let mut t = (0, 0);
            for p in points.iter().filter(|p| p.harts == n && p.config == config && !p.timestamps) {
                let r = p.rates;
                let (miss, all) =
                    if target { (r.target_misses, r.indirects) } else { (r.outcome_misses, r.conditionals) };
                t = (t.0 + miss, t.1 + all);
            }
            format!("{:.2} %", 100.0 * ratio(t.0, t.1))
        };
        let cells = HARTS.map(|n| rate(n, false)).into_iter().chain(HARTS.map(|n| rate(n, true)));
        row(&mut out, std::iter::once(set.to_string()).chain(cells));
        if let Some(p) = paper::RATES.iter().find(|p| p.set == set) {
            let cells = p.outcome.iter().chain(&p.target).map(|v| format!("*{v:.2} %*"));
            row(&mut out, std::iter::once(format!("*{set}, paper 000*")).chain(cells));
        }
    }
    out
}

/// Bits per instruction over all programs, beside the totals of paper 000 tables 5 and 6.
pub fn totals(points: &[Point], timestamps: bool) -> String {
    let mut out = String::new();
    let mut columns: Vec<String> = HARTS.map(|n| format!("bpi, N = {n}")).to_vec();
    columns.extend(HARTS.map(|n| format!("bpc, N = {n}")));
    columns.push("nx_b / this, N = 1".into());
    columns.push("N = 8".into());
    head(&mut out, "scheme", &columns);
    let mut configs: Vec<&str> = Vec::new();
    for p in points {
        if !configs.contains(&p.config.as_str()) {
            configs.push(&p.config);
        }
    }
    let of = |config: &str, n: u8| total(points, |p| p.config == config && p.harts == n && p.timestamps == timestamps);
    let bpi = |config: &str, n| ratio(of(config, n).2, of(config, n).0);
    for config in configs {
        let mut cells = vec![config.to_string()];
        cells.extend(HARTS.map(|n| format!("{:.4}", bpi(config, n))));
        cells.extend(HARTS.map(|n| format!("{:.3}", ratio(of(config, n).2, of(config, n).1))));
        cells.extend([1, 8].map(|n| format!("{:.1}", bpi("nx_b", n) / bpi(config, n))));
        row(&mut out, cells);
        if let Some(p) = paper::BPI.iter().find(|p| p.scheme == config && p.timestamps == timestamps) {
            let mut cells = vec![format!("*{config}, paper 000*")];
            cells.extend(p.bpi.map(|v| format!("*{v:.3}*")));
            cells.extend(std::iter::repeat_n(String::new(), 4));
            let nx = &paper::BPI[if timestamps { 3 } else { 0 }].bpi;
            cells.extend([0, 3].map(|i| format!("*{:.1}*", nx[i] / p.bpi[i])));
            row(&mut out, cells);
        }
    }
    out
}

/// Bits per instruction of each program.
pub fn by_program(points: &[Point], timestamps: bool) -> String {
    let mut out = String::new();
    let configs = ["nx_b", "tr_e small", "tr_e medium", "tr_b large", "tr_e large"];
    let columns: Vec<String> = [1u8, 4].iter().flat_map(|n| configs.map(|c| format!("{c}, N = {n}"))).collect();
    head(&mut out, "program", &columns);
    for name in programs(points) {
        let mut cells = vec![name.to_string()];
        for n in [1, 4] {
            for c in configs {
                let t =
                    total(points, |p| p.program == name && p.harts == n && p.config == c && p.timestamps == timestamps);
                cells.push(if t.0 == 0 { "-".into() } else { format!("{:.4}", ratio(t.2, t.0)) });
            }
        }
        row(&mut out, cells);
        if let Some((_, splash, v)) = paper::ALIKE.iter().find(|(ours, _, _)| *ours == name && !timestamps) {
            let mut cells = vec![String::new(); configs.len() * 2];
            for (i, v) in [(0, v[0]), (3, v[1]), (4, v[2])] {
                cells[i] = format!("*{v:.3}*");
            }
            row(&mut out, std::iter::once(format!("*Splash2 {splash}, paper 000*")).chain(cells));
        }
    }
    out
}
