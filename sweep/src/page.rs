//! The page of a sweep: its points as data, and `assets/sweep.js`, which plots the reader's selection

use crate::gates::GateList;
use crate::plan::Plan;
use crate::point::{Point, Startup, Verified};
use crate::spread::{configuration, windows};
use crate::store::Manifest;
use host::machine::TimingModel;
use report::page::Page;
use serde::Serialize;
use sim::lengths::{FieldLengths, Lengths};
use sim::params::Coding;
use sim::scheme::Family;
use std::collections::BTreeMap;

/// Largest chunk size in the search, bits.
pub const MAX_CHUNK: u8 = 12;

/// Bits of a stream by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FieldBits {
    /// `bCnt`, or SL.
    #[serde(rename = "bCnt")]
    pub b_cnt: u64,
    /// Addresses with their signs.
    #[serde(rename = "diffTA")]
    pub diff_ta: u64,
    /// Core indices.
    #[serde(rename = "Ti")]
    pub ti: u64,
    /// `diffCC`.
    #[serde(rename = "diffCC")]
    pub diff_cc: u64,
    /// Escapes, header, end.
    pub other: u64,
}

/// Chunk sizes of a point, if its fields are chunked.
fn coding(p: &Point) -> Option<Coding> {
    p.flow?.chunks()
}

/// Bits of a point by field, if its fields are chunked.
pub fn field_bits(p: &Point) -> Option<FieldBits> {
    let (c, l, bits) = (coding(p)?, p.lengths.as_ref()?, p.bits?);
    let messages: u64 = p.kinds.values().map(|k| k.0).sum();
    let b_cnt = l.b_cnt.cost(c.b_cnt);
    let diff_ta = l.diff_ta.cost(c.diff_ta) + l.diff_ta.total();
    let ti = messages * u64::from(p.platform.ti_bits());
    let diff_cc = l.diff_cc.cost(c.diff_cc);
    Some(FieldBits { b_cnt, diff_ta, ti, diff_cc, other: bits.saturating_sub(b_cnt + diff_ta + ti + diff_cc) })
}

/// File name of a trace, without `builtin:`.
pub fn short(trace: &str) -> String {
    let name = trace.trim_start_matches("builtin:");
    std::path::Path::new(name).file_name().map_or_else(|| name.into(), |n| n.to_string_lossy().into_owned())
}

#[derive(Serialize)]
struct Window<'a> {
    cycles: u64,
    instructions: &'a [u64],
    bits: &'a [u64],
}

/// Chunk sizes in the form that the page expects.
fn chunks(c: &Coding) -> BTreeMap<&'static str, [u8; 2]> {
    [("b_cnt", c.b_cnt), ("diff_ta", c.diff_ta), ("diff_cc", c.diff_cc), ("i_cnt", c.i_cnt)]
        .into_iter()
        .map(|(name, c)| (name, [c.first, c.next]))
        .collect()
}

#[derive(Serialize)]
struct Lists<'a> {
    b_cnt: &'a [u64],
    diff_ta: &'a [u64],
    diff_cc: &'a [u64],
    i_cnt: &'a [u64],
}

impl<'a> Lists<'a> {
    fn of(l: &'a FieldLengths) -> Self {
        let list = |l: &'a Lengths| l.counts.as_slice();
        Self { b_cnt: list(&l.b_cnt), diff_ta: list(&l.diff_ta), diff_cc: list(&l.diff_cc), i_cnt: list(&l.i_cnt) }
    }
}

/// A point in the form that the page's script expects.
#[derive(Serialize)]
struct Shown<'a> {
    trace: String,
    harts: u8,
    scheme: &'a str,
    encoding: &'a str,
    set: &'a str,
    time: &'static str,
    family: Family,
    shared: bool,
    predicts: bool,
    instructions: u64,
    cycles: u64,
    bits: Option<u64>,
    /// Bits and instructions after the start-up.
    steady: Option<(u64, u64)>,
    startup: Option<Startup>,
    seed: Option<u64>,
    configuration: String,
    windows: Vec<f64>,
    conditionals: u64,
    outcome_misses: u64,
    indirects: u64,
    target_misses: u64,
    state_bits: u64,
    rule_gates: f64,
    gates: Option<f64>,
    verified: &'a Verified,
    kinds: &'a BTreeMap<String, (u64, u64)>,
    fields: Option<FieldBits>,
    lengths: Option<Lists<'a>>,
    tr_e: Option<BTreeMap<&'static str, [u8; 2]>>,
    window: Window<'a>,
    file: &'a str,
    repeat: Option<String>,
}

/// The command that measures a point again; none for a plan of several parts, each of which has its own settings.
fn repeat(p: &Point, plan: &Plan) -> Option<String> {
    if !plan.part.is_empty() {
        return None;
    }
    let word = |text: &str| match text.contains(|c: char| !c.is_ascii_alphanumeric() && !"_-+:./,=".contains(c)) {
        true => format!("'{}'", text.replace('\'', "'\\''")),
        false => text.to_string(),
    };
    let mut command = format!("goshawk sweep --trace {} --encoding {}", word(&p.trace), word(&p.scheme));
    let mut add = |name: &str, value: &str| command += &format!(" --{name} {value}");
    // a recording has its own harts and settings
    if let Some(settings) = &p.run {
        add("harts", &p.harts.to_string());
        if settings.timing == TimingModel::Functional {
            add("timing", "functional");
        }
        if !settings.caches.is_empty() {
            add("caches", &settings.caches.to_string());
        }
        if settings.seed != 0 {
            add("seed", &settings.seed.to_string());
        }
        if let Some(most) = settings.max_instructions {
            add("max-instructions", &most.to_string());
        }
    }
    if plan.startup > 0 {
        add("startup", &plan.startup.to_string());
    }
    plan.elfs.iter().for_each(|elf| add("elf", &word(elf)));
    if p.platform.timestamps {
        add("timestamps", "yes");
    }
    Some(command + if plan.any_build { " --any-build -o again" } else { " -o again" })
}

fn shown<'a>(file: &'a str, p: &'a Point, gates: &GateList, plan: &Plan) -> Shown<'a> {
    let family = p.family;
    Shown {
        trace: short(&p.workload()),
        harts: p.harts,
        scheme: &p.scheme,
        encoding: &p.encoding,
        set: &p.set,
        time: if p.platform.timestamps { "stamped" } else { "functional" },
        family,
        shared: p.shares(),
        predicts: p.predicts(),
        instructions: p.instructions,
        cycles: p.cycles,
        bits: p.bits,
        steady: p.steady(),
        startup: p.startup,
        seed: p.seed(),
        configuration: configuration(p),
        windows: windows(p),
        conditionals: p.rates.conditionals,
        outcome_misses: p.rates.outcome_misses,
        indirects: p.rates.indirects,
        target_misses: p.rates.target_misses,
        state_bits: p.state_bits,
        rule_gates: p.rule_gates(),
        gates: gates.of(p),
        verified: &p.verified,
        kinds: &p.kinds,
        fields: field_bits(p),
        lengths: p.lengths.as_ref().map(Lists::of),
        tr_e: p
            .flow
            .and_then(|f| f.predictors())
            .filter(|(_, shared)| !shared)
            .map(|(tr, _)| chunks(&Coding::tr_e(tr.target.predicts()))),
        window: Window { cycles: p.window_cycles, instructions: &p.window_instructions, bits: &p.window_bits },
        file,
        repeat: repeat(p, plan),
    }
}

#[derive(Serialize)]
struct Data<'a> {
    max_chunk: u8,
    points: Vec<Shown<'a>>,
}

/// The page of a sweep.
pub fn page(title: &str, manifest: &Manifest, points: &[(String, Point)], gates: &GateList) -> Page {
    let mut page = Page::new(title);
    let plan = serde_json::to_string(&manifest.plan).unwrap_or_default();
    let equal = points.iter().filter(|p| p.1.verified == Verified::Equal).count();
    let streams = points.iter().filter(|p| p.1.bits.is_some()).count();
    page.facts(&[
        ("made by", manifest.tool.clone()),
        ("command", manifest.command.clone()),
        ("plan", plan),
        ("points", format!("{} of {}", points.len(), manifest.points.len())),
        ("decoded", format!("{equal} of {streams} streams were decoded and equal their inputs")),
        ("gates", gates.describe()),
    ]);
    page.place("filters").place("chosen");
    page.heading("Schemes")
        .text(
        "Each row is a scheme, over the chosen traces. bits/instr: all bits divided by all instructions, without the start-up if it was measured separately (--startup); ± 95 %: half of the confidence interval over the seeds. Arithmetic and geometric mean, least and greatest are those of the traces; least and greatest window, of an eighth of a run. State and gates are those of the system divided by its cores.",
    );
    page.place("totals");
    page.heading("Bits, by trace and by harts").text(
        "The last figure compares numbers of harts, over the traces that were measured with all of them. Lines reach from the least trace to the greatest.",
    );
    page.place("measure").place("by-trace").place("by-harts");
    page.heading("Gates against bits").text(
        "Each point is a scheme, over all chosen traces; lower and further left is better. The dotted line joins the schemes that no other scheme measured on the same runs beats in both.",
    );
    page.place("axis").place("pareto");
    page.heading("Mispredictions")
        .text("Direct conditionals with a wrong outcome; indirect branches with a wrong target.");
    page.place("rates");
    page.heading("Lengths of the fields")
        .text("Significant bits of the values sent, from which chunk sizes are chosen.");
    page.raw("<div class=\"plots\"><div id=\"cdf-b_cnt\"></div><div id=\"cdf-diff_ta\"></div><div id=\"cdf-diff_cc\"></div></div>\n");
    page.heading("Chunk sizes")
        .text("Bits of each field with other chunk sizes, computed from the lengths above. The cross marks the least.");
    page.place("field").place("chunks").place("chunk-table");
    page.heading("What the bits are").place("fields").place("kinds");
    page.heading("Over time").text("Bits of each window; windows double in length as a run grows.").place("time");
    page.heading("All points").place("points");
    page.data(
        "sweep",
        &Data {
            max_chunk: MAX_CHUNK,
            points: points.iter().map(|(f, p)| shown(f, p, gates, &manifest.plan)).collect(),
        },
    );
    page.script(include_str!("../assets/sweep.js"));
    page
}
