//! Paper 002: branches, prediction rates, chunk sizes, all schemes beside each other, gates
//!
//! Published figures: those in the text of sections 2, 5 and 6; the tables' bodies are lost in the scan.

use super::measure::{bpi, number, programs, published, Run};
use super::one::total;
use crate::baselines::Row;
use crate::results::tables::{head, row};
use crate::Failure;
use sim::analysis::{ratio, FieldLengths};
use sim::golden::core::Rates;
use sim::params::{named_set, Chunks, NAMED_SETS};

/// Address bits of the papers' ARM, which its complexity is of: 32 less two that are always 0.
const ADDRESS_BITS: u32 = 30;
/// Upper address bits that their tables do not hold.
const UPPER_BITS: u8 = 12;

fn heads(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|t| t.to_string()).collect()
}

fn percent(n: u64, of: u64) -> String {
    format!("{:.2} %", 100.0 * ratio(n, of))
}

/// Table 1. PET is the `<SL, TA>` pairs, 8 and 32 bits.
pub fn branches(runs: &[Run], rows: &[Row]) -> String {
    let mut out = String::new();
    let columns = ["IC, millions", "DirUB", "DirCB", "IndUB", "all branches", "traps", "PET, bpi"];
    head(&mut out, "program", &heads(&columns));
    let mut all = (0, [0; 4]);
    let mut line = |name: &str, n: u64, counts: [u64; 4]| {
        let branches = counts[..3].iter().sum();
        let pet = rows.iter().find(|r| r.input == name).map_or("-".into(), |r| r.bpi("sl-ta", number));
        let [direct, conditional, indirect, traps] = counts;
        let cells = [direct, conditional, indirect, branches].map(|c| percent(c, n));
        let rest = [traps.to_string(), pet];
        row(&mut out, [name.to_string(), format!("{:.1}", n as f64 / 1e6)].into_iter().chain(cells).chain(rest));
    };
    for r in programs(runs) {
        let Some(w) = &r.workload else { continue };
        let counts = [w.direct_unconditional, w.direct_conditional, w.indirect, w.traps];
        all.0 += r.instructions;
        all.1.iter_mut().zip(counts).for_each(|(a, c)| *a += c);
        line(r.program, r.instructions, counts);
    }
    line("all", all.0, all.1);
    row(&mut out, published("MiBench, paper 002", ["", "", "", "", "under 20 %, but stringsearch", "", "1.05"]));
    row(
        &mut out,
        published("bf_e (most), adpcm_c (least), paper 002", ["", "", "", "over 5.5 %", "", "", "4.91, 0.15"]),
    );
    out
}

/// Table 3: rates of correct predictions. S, M, B are told apart by outcomes only, 0 to 4 by targets only.
pub fn rates(runs: &[Run]) -> String {
    let mut out = String::new();
    let columns = ["outcome, S", "M", "B", "target, M0", "M1: RAS 8", "M2: iBTB 16", "M3: iBTB 32", "M4: iBTB 64"];
    head(&mut out, "program", &heads(&columns));
    let outcomes = ["tr_e s0", "tr_e m0", "tr_e b0"];
    let targets = ["tr_e m0", "tr_e m1", "tr_e m2", "tr_e m3", "tr_e m4"];
    let mut line = |name: &str, of: &dyn Fn(&str) -> Rates| {
        let outcome = outcomes.map(of).map(|r| percent(r.conditionals - r.outcome_misses, r.conditionals));
        let target = targets.map(of).map(|r| percent(r.indirects - r.target_misses, r.indirects));
        row(&mut out, std::iter::once(name.to_string()).chain(outcome).chain(target));
    };
    let of_run = |r: &Run, config: &str| r.point(config).map(|p| p.rates).unwrap_or_default();
    for r in programs(runs) {
        line(r.program, &|config| of_run(r, config));
    }
    line("all", &|config| {
        let mut sum = Rates::default();
        programs(runs).for_each(|r| sum += of_run(r, config));
        sum
    });
    row(
        &mut out,
        published("lame, the least, paper 002", ["about 86 %", "about 86 %", "about 86 %", "", "", "", "", ""]),
    );
    out
}

/// Table 4: the chunk sizes that need the fewest bits over all programs, in the paper's range.
pub fn chunks(runs: &[Run]) -> Result<String, Failure> {
    let mut out = String::new();
    let columns =
        ["bCnt", "bCnt, paper 002", "\\|diffTA\\|", "bits of bCnt, ours of best", "bits of \\|diffTA\\|, ours of best"];
    head(&mut out, "set", &heads(&columns));
    for set in &NAMED_SETS[3..] {
        let config = format!("tr_e {}", set.name);
        let mut lengths = FieldLengths::default();
        for r in programs(runs) {
            let counted = r.point(&config).and_then(|p| p.lengths.as_ref());
            lengths += counted.ok_or_else(|| {
                Failure::Other(format!("table of chunk sizes: the fields of {config} of {} were not counted", r.program))
            })?;
        }
        let text = |c: Chunks| format!("({}, {})", c.first, c.next);
        let (b_cnt, b_cost) = lengths.b_cnt.best(6);
        let (diff_ta, ta_cost) = lengths.diff_ta.best(14);
        let paper = if set.name.ends_with('0') { "*(2, 1)*" } else { "*(2, 2), (3, 1) or (3, 2)*" };
        let times = |cost: u64, best: u64| format!("{:.3}", ratio(cost, best));
        let ours = set.tr_e;
        row(
            &mut out,
            [
                set.name.to_string(),
                text(b_cnt),
                paper.into(),
                text(diff_ta),
                format!("{} {}", text(ours.b_cnt), times(lengths.b_cnt.cost(ours.b_cnt), b_cost)),
                format!("{} {}", text(ours.diff_ta), times(lengths.diff_ta.cost(ours.diff_ta), ta_cost)),
            ],
        );
    }
    Ok(out)
}

/// Columns of table 5 that are baselines, and those that are T-raptor's.
const BASELINES: [&str; 6] = ["nexs", "tslz(256x12,9)", "edmtf(192,4)", "rbase 32x4", "gzip-1", "gzip-9"];
const SETS: [&str; 5] = ["s0", "s1", "s4", "m4", "b4"];

/// Table 5.
pub fn comparison(runs: &[Run], rows: &[Row]) -> String {
    let mut out = String::new();
    let mut columns = heads(&["NEXS", "TSLZ", "eDMTF(192,4)", "rSDC-LSP 32x4", "gzip -1", "gzip -9"]);
    columns.extend(heads(&["zstd -19", "xz -9"]));
    columns.extend(SETS.map(str::to_uppercase));
    head(&mut out, "program", &columns);
    for r in rows {
        let program = (r.input != "all").then_some(r.input.as_str());
        let baselines = BASELINES.into_iter().chain(["zstd-19", "xz-9"]).map(|s| r.bpi(s, number));
        let sets = SETS.map(|s| bpi(runs, program, 1, &format!("tr_e {s}")));
        row(&mut out, std::iter::once(r.input.clone()).chain(baselines).chain(sets));
    }
    for (name, figures) in [
        (
            "MiBench, paper 002",
            ["0.907", "0.446", "0.118", "0.15", "", "", "", "", "", "0.0748", "", "0.0292", "0.0261"],
        ),
        ("least, paper 002", ["0.149", "0.024", "0.001", "", "", "", "", "", "", "", "", "", "0.0003"]),
        ("most, paper 002", ["4.01", "1.96", "0.306", "", "", "", "", "", "", "", "", "", "0.16"]),
    ] {
        row(&mut out, published(name, figures));
    }
    out
}

/// E-Trace has no table in the papers, but it is what a RISC-V core would send today.
pub fn etrace(rows: &[Row]) -> String {
    let mut out = String::new();
    let schemes = ["etrace", "etrace+ir8", "etrace+bp512", "etrace+jtc64", "etrace+ir8+bp512+jtc64"];
    let mut columns =
        heads(&["all modes off", "implicit return, 8", "branch prediction, 512", "jump target cache, 64"]);
    columns.extend(heads(&["all three", "tr_e m4", "three modes / tr_e m4"]));
    head(&mut out, "program", &columns);
    for r in rows {
        let cells = schemes.into_iter().chain(["tr_e m4"]).map(|s| r.bpi(s, number));
        let times = r.bits("etrace+ir8+bp512+jtc64").zip(r.bits("tr_e m4"));
        let times = times.map_or("-".into(), |(e, t)| format!("{:.1}", ratio(e, t)));
        row(&mut out, std::iter::once(r.input.clone()).chain(cells).chain([times]));
    }
    out
}

/// Figure 10: gates of the predictors' state by the paper's rule, and 32 bits an instruction over what is sent.
pub fn gates(runs: &[Run]) -> String {
    let mut out = String::new();
    let columns =
        ["state, bits", "state at 1.5 gates a bit", "gates, paper 002", "bpi", "32 / bpi", "32 / bpi, paper 002"];
    head(&mut out, "set", &heads(&columns));
    for set in &NAMED_SETS[3..] {
        let mut predictor = named_set(set.name).map(|s| s.predictor).unwrap_or(set.predictor);
        predictor.upper_bits = if predictor.ras + predictor.ibtb > 0 { UPPER_BITS } else { 0 };
        let bits = predictor.state_bits(ADDRESS_BITS);
        let bpi = total(runs, &format!("tr_e {}", set.name));
        let (gates, compression) = match set.name {
            "s0" => ("*1,771*", ""),
            "s1" => ("", "*428*"),
            "m4" => ("*4,846*", "*1,098*"),
            "b4" => ("*6,382*", "*1,226*"),
            _ => ("", ""),
        };
        let ours = if bpi > 0.0 { format!("{:.0}", 32.0 / bpi) } else { "-".into() };
        row(
            &mut out,
            [
                set.name.to_string(),
                bits.to_string(),
                (bits * 3 / 2).to_string(),
                gates.into(),
                number(bpi),
                ours,
                compression.into(),
            ],
        );
    }
    for (name, gates, bpi) in [
        ("rSDC-LSP(128,128)", "6,100", "0.15"),
        ("eDMTF(192,4)", "24,600", "0.118"),
        ("TSLZ, 256 x 12", "51,678", "0.446"),
    ] {
        let compression = bpi.parse().map_or(String::new(), |b: f64| format!("{:.0}", 32.0 / b));
        row(&mut out, published(&format!("{name}, paper 002"), ["", "", gates, bpi, "", &compression]));
    }
    out
}
