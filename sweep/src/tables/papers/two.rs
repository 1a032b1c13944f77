//! Paper 002: branches, prediction rates, chunk sizes, comparison of all schemes, gates
//!
//! Published figures: those in the text of sections 2, 5 and 6; the scan lacks the tables' bodies.

use crate::tables::{heads, number, percent, published_row, rows, Measured, Selection, FEWEST_HARTS};
use crate::SweepError;
use report::markdown::{head, row};
use sim::analysis::ratio;
use sim::params::{Chunks, Coding, NAMED_SETS};

/// Address bits of the papers' ARM core, for its complexity: 32 minus two that are always 0.
const ADDRESS_BITS: u32 = 30;
/// Upper address bits that the papers' tables do not store.
const UPPER_BITS: u8 = 12;

/// Table 1. PET consists of the `<SL, TA>` pairs, 8 and 32 bits.
pub fn branches(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns = ["IC, millions", "DirUB", "DirCB", "IndUB", "all branches", "traps", "PET, bpi"];
    head(&mut out, "program", &heads(&columns));
    let mut all = (0, [0; 4]);
    for (name, trace) in rows(m) {
        let (n, counts) = match trace {
            Some(trace) => {
                let (n, w) = (m.instructions(trace, FEWEST_HARTS)?, m.census(trace, FEWEST_HARTS)?);
                let counts = [w.direct_unconditional, w.direct_conditional, w.indirect, w.traps];
                all.0 += n;
                all.1.iter_mut().zip(counts).for_each(|(a, c)| *a += c);
                (n, counts)
            }
            None => all,
        };
        let branches = counts[..3].iter().sum();
        let pet = number(m.decoded(trace, Selection::alone("sl-ta"))?.bpi());
        let [direct, conditional, indirect, traps] = counts;
        let cells = [direct, conditional, indirect, branches].map(|c| percent(c, n));
        let rest = [traps.to_string(), pet];
        row(&mut out, [name, format!("{:.1}", n as f64 / 1e6)].into_iter().chain(cells).chain(rest));
    }
    row(&mut out, published_row("MiBench, paper 002", ["", "", "", "", "under 20 %, but stringsearch", "", "1.05"]));
    row(
        &mut out,
        published_row("bf_e (most), adpcm_c (least), paper 002", ["", "", "", "over 5.5 %", "", "", "4.91, 0.15"]),
    );
    Ok(out)
}

/// Table 3: rates of correct predictions. S, M, B differ only in outcomes, 0 to 4 only in targets.
pub fn rates(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns = ["outcome, S", "M", "B", "target, M0", "M1: RAS 8", "M2: iBTB 16", "M3: iBTB 32", "M4: iBTB 64"];
    head(&mut out, "program", &heads(&columns));
    let rate = |trace, set: &str, target: bool| -> Result<String, SweepError> {
        let r = m.rates(trace, Selection::alone(&format!("tr_e:{set}")))?;
        let (missed, all) = if target { (r.target_misses, r.indirects) } else { (r.outcome_misses, r.conditionals) };
        Ok(percent(all - missed, all))
    };
    for (name, trace) in rows(m) {
        let mut cells = vec![name];
        for set in ["s0", "m0", "b0"] {
            cells.push(rate(trace, set, false)?);
        }
        for set in ["m0", "m1", "m2", "m3", "m4"] {
            cells.push(rate(trace, set, true)?);
        }
        row(&mut out, cells);
    }
    row(
        &mut out,
        published_row("lame, the least, paper 002", ["about 86 %", "about 86 %", "about 86 %", "", "", "", "", ""]),
    );
    Ok(out)
}

/// Table 4: the chunk sizes in the paper's range that need the fewest bits over all programs.
pub fn chunks(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns =
        ["bCnt", "bCnt, paper 002", "\\|diffTA\\|", "bits of bCnt, ours of best", "bits of \\|diffTA\\|, ours of best"];
    head(&mut out, "set", &heads(&columns));
    for set in &NAMED_SETS[3..] {
        let lengths = m.lengths(Selection::alone(&format!("tr_e:{}", set.name)))?;
        let text = |c: Chunks| format!("({}, {})", c.first, c.next);
        let (b_cnt, b_cost) = lengths.b_cnt.best(6);
        let (diff_ta, ta_cost) = lengths.diff_ta.best(14);
        let paper = if set.name.ends_with('0') { "*(2, 1)*" } else { "*(2, 2), (3, 1) or (3, 2)*" };
        let times = |cost: u64, best: u64| format!("{:.3}", ratio(cost, best));
        let ours = Coding::tr_e(set.params.target.predicts());
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

/// Columns of table 5: software compressors; their streams are decoded.
const SOFTWARE: [&str; 4] = ["gzip-1", "gzip-9", "zstd-19", "xz-9"];
const SETS: [&str; 5] = ["s0", "s1", "s4", "m4", "b4"];

/// Table 5.
pub fn comparison(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let mut columns = heads(&["NEXS", "TSLZ", "eDMTF(192,4)", "rSDC-LSP 32x4", "gzip -1", "gzip -9"]);
    columns.extend(heads(&["zstd -19", "xz -9"]));
    columns.extend(SETS.map(str::to_uppercase));
    head(&mut out, "program", &columns);
    for (name, trace) in rows(m) {
        let own = |scheme: &str| Ok::<_, SweepError>(number(m.sum(trace, Selection::alone(scheme))?.bpi()));
        let decoded = |scheme: &str| Ok::<_, SweepError>(number(m.decoded(trace, Selection::alone(scheme))?.bpi()));
        let mut cells = vec![name, own("nexs")?, decoded("tslz(256x12,9)")?, decoded("edmtf(192,4)")?];
        cells.push(own("sc-lsp:rbase-32x4")?);
        for scheme in SOFTWARE {
            cells.push(decoded(scheme)?);
        }
        for set in SETS {
            cells.push(own(&format!("tr_e:{set}"))?);
        }
        row(&mut out, cells);
    }
    for (name, figures) in [
        (
            "MiBench, paper 002",
            ["0.907", "0.446", "0.118", "0.15", "", "", "", "", "", "0.0748", "", "0.0292", "0.0261"],
        ),
        ("least, paper 002", ["0.149", "0.024", "0.001", "", "", "", "", "", "", "", "", "", "0.0003"]),
        ("most, paper 002", ["4.01", "1.96", "0.306", "", "", "", "", "", "", "", "", "", "0.16"]),
    ] {
        row(&mut out, published_row(name, figures));
    }
    Ok(out)
}

/// E-Trace is not in the papers, but is what a RISC-V core would send today.
pub fn etrace(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let schemes = ["etrace", "etrace+ir8", "etrace+bp512", "etrace+jtc64", "etrace+ir8+bp512+jtc64"];
    let mut columns =
        heads(&["all modes off", "implicit return, 8", "branch prediction, 512", "jump target cache, 64"]);
    columns.extend(heads(&["all three", "tr_e m4", "three modes / tr_e m4"]));
    head(&mut out, "program", &columns);
    // a recording without its program has no E-Trace
    let known = m.traces().filter(|t| schemes.iter().all(|s| m.knows(t, s))).count();
    for (name, trace) in rows(m) {
        if trace.map_or(known < m.traces().count(), |t| !schemes.iter().all(|s| m.knows(t, s))) {
            continue;
        }
        let sums = schemes.map(|s| m.decoded(trace, Selection::alone(s))).into_iter().collect::<Result<Vec<_>, _>>()?;
        let (three, own) = (sums[4], m.sum(trace, Selection::alone("tr_e:m4"))?);
        let cells = sums.iter().chain([&own]).map(|s| number(s.bpi()));
        let times = format!("{:.1}", ratio(three.bits, own.bits));
        row(&mut out, std::iter::once(name).chain(cells).chain([times]));
    }
    Ok(out)
}

/// Figure 10: gates of the predictors' state by the paper's rule, and 32 bits per instruction over what is sent. State and
/// bits are those of the same predictors: with the upper address bits apart, where targets are predicted.
pub fn gates(m: &Measured) -> Result<String, SweepError> {
    let mut out = String::new();
    let columns =
        ["state, bits", "state at 1.5 gates a bit", "gates, paper 002", "bpi", "32 / bpi", "32 / bpi, paper 002"];
    head(&mut out, "set", &heads(&columns));
    for set in &NAMED_SETS[3..] {
        let mut params = set.params;
        let mut scheme = format!("tr_e:{}", set.name);
        if params.target.predicts() {
            params.upper_bits = UPPER_BITS;
            scheme += &format!("+upper{UPPER_BITS}");
        }
        let bits = params.state_bits(ADDRESS_BITS);
        let bpi = m.sum(None, Selection::alone(&scheme))?.bpi();
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
        row(&mut out, published_row(&format!("{name}, paper 002"), ["", "", gates, bpi, "", &compression]));
    }
    Ok(out)
}
