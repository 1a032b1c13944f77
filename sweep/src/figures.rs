//! Figures of a sweep for papers, modelled on those of papers 000 and 002
//!
//! | figure | paper 000 |
//! | --- | --- |
//! | `cdf-b_cnt`, `cdf-diff_ta`, `cdf-diff_cc` | 9 |
//! | `bpi`, `bpc` | 10, 11 |
//! | `fields-stamped`, `bpc-stamped` | 12, 13 |
//! | `time-TRACE` | 14 |
//!
//! In addition: `bpi-stamped`, `fields`, `pareto`, `mispredictions`, and `chunks-b_cnt`, `chunks-diff_ta`,
//! `chunks-diff_cc` for the search of chunk sizes. Figures without data are omitted.

use crate::gates::GateList;
use crate::page::{field_bits, short, FieldBits, MAX_CHUNK};
use crate::point::Point;
use report::figure::{Axis, Figure, Series, Style};
use sim::analysis::ratio;
use sim::lengths::{FieldLengths, Lengths};
use sim::params::Chunks;
use sim::scheme::Family;

type Points<'a> = Vec<&'a Point>;

/// Groups, in the order of their first members.
fn group<'a, K: PartialEq>(points: &[&'a Point], key: impl Fn(&Point) -> K) -> Vec<(K, Points<'a>)> {
    let mut groups: Vec<(K, Points)> = Vec::new();
    for p in points {
        let k = key(p);
        match groups.iter_mut().find(|g| g.0 == k) {
            Some(g) => g.1.push(p),
            None => groups.push((k, vec![p])),
        }
    }
    groups
}

fn sum(points: &[&Point], f: impl Fn(&Point) -> u64) -> u64 {
    points.iter().map(|p| f(p)).sum()
}

/// Bits per instruction, or per cycle, over all points.
fn rate(points: &[&Point], per_cycle: bool) -> f64 {
    let under = |p: &Point| if per_cycle { p.cycles } else { p.instructions };
    ratio(sum(points, |p| p.bits.unwrap_or(0)), sum(points, under))
}

fn unit(per_cycle: bool) -> &'static str {
    if per_cycle {
        "bits per clock cycle"
    } else {
        "bits per instruction"
    }
}

/// Bars by the number of harts, one colour per scheme, with the minimum and maximum over the traces.
fn by_harts(id: &str, points: &[&Point], per_cycle: bool) -> Option<Figure> {
    // a recording without cycles has no figure per cycle
    let points: Points = points.iter().filter(|p| !per_cycle || p.cycles > 0).copied().collect();
    if points.is_empty() {
        return None;
    }
    let mut harts: Vec<u8> = points.iter().map(|p| p.harts).collect();
    harts.sort_unstable();
    harts.dedup();
    // only traces that were measured with each number of harts are comparable
    let counts = |mine: &[&Point]| harts.iter().filter(|n| mine.iter().any(|p| p.harts == **n)).count();
    let everywhere = group(&points, Point::workload).into_iter().filter(|(_, mine)| counts(mine) == harts.len());
    let points: Points = everywhere.flat_map(|(_, mine)| mine).collect();
    let series: Vec<Series> = group(&points, |p| p.scheme.clone())
        .into_iter()
        .map(|(name, mine)| {
            let mut s = Series::new(&name, Style::Bars, Vec::new());
            for (x, n) in harts.iter().enumerate() {
                let here: Points = mine.iter().filter(|p| p.harts == *n).copied().collect();
                if here.is_empty() {
                    continue;
                }
                let each = group(&here, Point::workload).into_iter().map(|(_, runs)| rate(&runs, per_cycle));
                let limits = each.fold((f64::INFINITY, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
                s.points.push((x as f64, rate(&here, per_cycle)));
                s.ranges.push(limits);
            }
            s
        })
        .collect();
    (!series.is_empty()).then(|| Figure {
        id: id.into(),
        title: format!("{}: all traces, with the least and the greatest", capital(unit(per_cycle))),
        x: Axis::names("cores", harts.iter().map(u8::to_string).collect()),
        y: Axis::log(unit(per_cycle)),
        series,
    })
}

fn cores(n: u8) -> String {
    format!("{n} core{}", if n == 1 { "" } else { "s" })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Stacked bars: bits per instruction by field, one bar for each scheme and number of harts.
fn by_field(id: &str, points: &[&Point]) -> Option<Figure> {
    let chunked: Points = points.iter().filter(|p| field_bits(p).is_some()).copied().collect();
    let bars = group(&chunked, |p| format!("{} {}", p.scheme, p.harts));
    type Part = (&'static str, fn(&FieldBits) -> u64);
    let parts: [Part; 5] = [
        ("bCnt or SL", |f| f.b_cnt),
        ("diffTA", |f| f.diff_ta),
        ("Ti", |f| f.ti),
        ("diffCC", |f| f.diff_cc),
        ("other", |f| f.other),
    ];
    let series: Vec<Series> = parts
        .iter()
        .map(|(name, of)| {
            let height = |mine: &[&Point]| {
                ratio(sum(mine, |p| field_bits(p).map_or(0, |f| of(&f))), sum(mine, |p| p.instructions))
            };
            let points = bars.iter().enumerate().map(|(x, (_, mine))| (x as f64, height(mine))).collect();
            Series::new(name, Style::Stack, points)
        })
        .filter(|s| s.points.iter().any(|p| p.1 > 0.0))
        .collect();
    (!bars.is_empty()).then(|| Figure {
        id: id.into(),
        title: "Bits per instruction, by field".into(),
        x: Axis::names("scheme and cores", bars.into_iter().map(|b| b.0).collect()),
        y: Axis::numbers("bits per instruction"),
        series,
    })
}

/// One point per run and predictor: other codings of the same messages have the same lengths.
fn profiles<'a>(points: &[&'a Point]) -> Points<'a> {
    let key = |p: &Point| (p.trace.clone(), p.harts, p.family, p.set.clone(), p.platform.timestamps);
    let with: Points = points.iter().filter(|p| p.lengths.is_some()).copied().collect();
    group(&with, key).into_iter().map(|g| g.1[0]).collect()
}

type Field = (&'static str, &'static str, fn(&FieldLengths) -> &Lengths);
const FIELDS: [Field; 3] =
    [("b_cnt", "bCnt", |l| &l.b_cnt), ("diff_ta", "|diffTA|", |l| &l.diff_ta), ("diff_cc", "diffCC", |l| &l.diff_cc)];

fn pooled(points: &[&Point], of: fn(&FieldLengths) -> &Lengths) -> Lengths {
    points.iter().filter_map(|p| p.lengths.as_ref()).fold(Lengths::default(), |mut sum, l| {
        sum += of(l);
        sum
    })
}

/// Cumulative distribution of the lengths of a field, one line per set.
fn distribution(points: &[&Point], (id, name, of): Field) -> Option<Figure> {
    let line = |(set, mine): (String, Points)| {
        let all = pooled(&mine, of);
        let total = all.total();
        let mut so_far = 0;
        let share = |(bits, n): (usize, &u64)| {
            so_far += n;
            (bits as f64, 100.0 * ratio(so_far, total))
        };
        let points = all.counts.iter().enumerate().map(share).collect();
        (total > 0).then(|| Series::new(&set, Style::Line, points))
    };
    let name_of = |p: &Point| if p.set.is_empty() { p.encoding.clone() } else { p.set.clone() };
    let series: Vec<Series> = group(&profiles(points), name_of).into_iter().filter_map(line).collect();
    (!series.is_empty()).then(|| Figure {
        id: format!("cdf-{id}"),
        title: format!("Bits needed for {name}"),
        x: Axis::numbers("significant bits"),
        y: Axis::numbers("values of at most this many bits, %"),
        series,
    })
}

/// Cost of a field by the size of its first chunk, one line for each size of the later chunks.
fn chunk_search(points: &[&Point], (id, name, of): Field) -> Option<Figure> {
    let tr: Points = profiles(points).into_iter().filter(|p| p.family == Family::Tr).collect();
    let (all, instructions) = (pooled(&tr, of), sum(&tr, |p| p.instructions));
    if all.total() == 0 {
        return None;
    }
    let (best, _) = all.best(MAX_CHUNK);
    let line = |next: u8| {
        let cost = |first: u8| (f64::from(first), ratio(all.cost(Chunks::new(first, next)), instructions));
        Series::new(&format!("later chunks {next}"), Style::Line, (1..=MAX_CHUNK).map(cost).collect())
    };
    Some(Figure {
        id: format!("chunks-{id}"),
        title: format!("Bits for {name}; the least at ({best})"),
        x: Axis::numbers("first chunk, bits"),
        y: Axis::numbers("bits per instruction"),
        series: [1, 2, 3, 4, 6, 8, 12].map(line).into(),
    })
}

/// The points of the runs on which most schemes were measured: others are not comparable.
fn comparable(dots: Vec<((f64, f64), Vec<&str>)>) -> Vec<(f64, f64)> {
    let alike = |runs: &[&str]| dots.iter().filter(|d| d.1 == runs).count();
    let most = dots.iter().map(|d| alike(&d.1)).max();
    let runs = dots.iter().find(|d| Some(alike(&d.1)) == most).map(|d| d.1.clone());
    dots.iter().filter(|d| Some(&d.1) == runs.as_ref()).map(|d| d.0).collect()
}

/// Gates per core against bits per instruction.
fn pareto(points: &[&Point], gates: &GateList) -> Option<Figure> {
    // software compressors are not circuits
    let circuit = |p: &&&Point| !p.platform.timestamps && p.family != Family::Baseline;
    let functional: Points = points.iter().filter(circuit).copied().collect();
    let measured = functional.iter().any(|p| gates.of(p).is_some());
    let x = |p: &Point| if measured { gates.of(p) } else { Some(p.rule_gates()) };
    let harts = functional.iter().map(|p| p.harts).max()?;
    let mut series = Vec::new();
    let mut dots = Vec::new();
    for (encoding, mine) in group(&functional, |p| p.encoding.clone()) {
        let mut s = Series::new(&encoding, Style::Points, Vec::new());
        let mut found = Vec::new();
        for (set, here) in group(&mine, |p| p.set.clone()) {
            let here: Points = here.into_iter().filter(|p| p.harts == harts).collect();
            let Some(gates) = here.first().and_then(|p| x(p)) else { continue };
            let dot = (gates, rate(&here, false));
            let mut runs: Vec<&str> = here.iter().map(|p| p.trace.as_str()).collect();
            runs.sort_unstable();
            dots.push((dot, runs));
            found.push((dot, set));
        }
        found.sort_by(|a, b| a.0 .0.total_cmp(&b.0 .0));
        (s.points, s.labels) = found.into_iter().unzip();
        if !s.points.is_empty() {
            series.push(s);
        }
    }
    let mut dots = comparable(dots);
    dots.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut best = f64::INFINITY;
    dots.retain(|d| {
        d.1 < best && {
            best = d.1;
            true
        }
    });
    series.push(Series::new("front", Style::Steps, dots));
    let (what, axis) = match measured {
        true => ("Gates of a core", "gates per core, measured, memory at 1.5 a bit"),
        false => ("Predictor state of a core", "gates of the predictor state, at 1.5 a bit"),
    };
    (series.len() > 1).then(|| Figure {
        id: "pareto".into(),
        title: format!("{what} against bits per instruction, {}", cores(harts)),
        x: Axis::numbers(axis),
        y: Axis::log("bits per instruction"),
        series,
    })
}

/// Misprediction rates by set, over all runs.
fn mispredictions(points: &[&Point]) -> Option<Figure> {
    let tr: Points =
        profiles(points).into_iter().filter(|p| p.family == Family::Tr && !p.platform.timestamps).collect();
    let sets = group(&tr, |p| p.set.clone());
    let rates = |missed: fn(&Point) -> u64, all: fn(&Point) -> u64| {
        let rate =
            |(x, (_, mine)): (usize, &(String, Points))| (x as f64, 100.0 * ratio(sum(mine, missed), sum(mine, all)));
        sets.iter().enumerate().map(rate).collect::<Vec<_>>()
    };
    let outcomes = rates(|p| p.rates.outcome_misses, |p| p.rates.conditionals);
    let targets = rates(|p| p.rates.target_misses, |p| p.rates.indirects);
    (!sets.is_empty()).then(|| Figure {
        id: "mispredictions".into(),
        title: "Mispredictions, all runs".into(),
        x: Axis::names("predictor set", sets.iter().map(|s| s.0.clone()).collect()),
        y: Axis::log("mispredicted, %"),
        series: vec![Series::new("outcomes", Style::Bars, outcomes), Series::new("targets", Style::Bars, targets)],
    })
}

/// Bits per cycle over time, of the run with the most harts; time-stamped if there is such a stream. Of a recording without
/// cycles, bits per instruction over the instructions.
fn over_time(trace: &str, points: &[&Point]) -> Option<Figure> {
    // one run of those with several seeds
    let seed = points.first()?.seed();
    let points: Points = points.iter().filter(|p| p.seed() == seed).copied().collect();
    let harts = points.iter().map(|p| p.harts).max()?;
    let stamped = points.iter().any(|p| p.harts == harts && p.platform.timestamps);
    let mine = points.iter().filter(|p| p.harts == harts && p.platform.timestamps == stamped);
    let timed = points.iter().all(|p| p.cycles > 0);
    let line = |p: &&Point| {
        let step = |all: &[u64], i: usize| all[i] - if i == 0 { 0 } else { all[i - 1] };
        let at = |i: usize| if timed { (i as u64 + 1) * p.window_cycles } else { p.window_instructions[i] };
        let under = |i: usize| if timed { p.window_cycles } else { step(&p.window_instructions, i) };
        let point = |i: usize| (at(i) as f64 / 1e6, ratio(step(&p.window_bits, i), under(i)));
        let points = (0..p.window_bits.len()).map(point).collect();
        Series::new(&p.scheme, Style::Line, points)
    };
    let series: Vec<Series> = mine.map(line).filter(|s| s.points.len() > 1).collect();
    let name = short(trace);
    let id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let time = if stamped { "time-stamped" } else { "functional" };
    (!series.is_empty()).then(|| Figure {
        id: format!("time-{id}"),
        title: format!("{name}, {}, {time}: {} over time", cores(harts), unit(timed)),
        x: Axis::numbers(if timed { "million clock cycles" } else { "million instructions" }),
        y: Axis::log(unit(timed)),
        series,
    })
}

/// All figures for which there are data.
pub fn figures(points: &[(String, Point)], gates: &GateList) -> Vec<Figure> {
    let streams: Points = points.iter().map(|p| &p.1).filter(|p| p.bits.is_some()).collect();
    let (stamped, functional): (Points, Points) = streams.iter().partition(|p| p.platform.timestamps);
    let mut all = vec![
        by_harts("bpi", &functional, false),
        by_harts("bpc", &functional, true),
        by_harts("bpi-stamped", &stamped, false),
        by_harts("bpc-stamped", &stamped, true),
        by_field("fields", &functional),
        by_field("fields-stamped", &stamped),
        pareto(&streams, gates),
        mispredictions(&streams),
    ];
    for field in FIELDS {
        let timed = field.0 == "diff_cc";
        let mine = if timed || functional.is_empty() { &stamped } else { &functional };
        all.push(distribution(mine, field));
        all.push(chunk_search(mine, field));
    }
    all.extend(group(&streams, |p| p.trace.clone()).into_iter().map(|(trace, mine)| over_time(&trace, &mine)));
    all.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_front_has_only_what_was_measured_on_the_same_runs() {
        let dots = vec![((1.0, 9.0), vec!["a", "b"]), ((1.0, 0.1), vec!["a"]), ((2.0, 5.0), vec!["a", "b"])];
        assert_eq!(comparable(dots), [(1.0, 9.0), (2.0, 5.0)]);
        assert!(comparable(Vec::new()).is_empty());
    }
}
