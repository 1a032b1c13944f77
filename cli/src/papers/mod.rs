//! `goshawk papers`: the tables of papers 000, 001 and 002 with our programs, beside what they print

mod measure;
mod one;
mod three;
mod two;

use crate::baselines;
use crate::measured::PageArgs;
use crate::output::TOOL;
use crate::progress::bar;
use crate::{Failure, Status};
use rayon::prelude::*;
use serde_json::json;
use std::io::Write;

/// Redraw the papers' tables: statistics, rates, chunk sizes, bits of every scheme and baseline
///
/// Every baseline is decoded and compared. The run takes some minutes and, for each program, about a gigabyte of
/// memory.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk papers -o docs/paper-tables.md --notes docs/paper-notes.md\n  goshawk papers --program fft --instructions 1000000 -o fft.md"
)]
pub struct Args {
    #[command(flatten)]
    page: PageArgs,
}

/// Measures and writes.
pub fn run(args: &Args, _: &mut dyn Write) -> Result<Status, Failure> {
    let page = args.page.begin()?;
    let instructions = args.page.instructions;
    let progress = bar("measuring", "programs", Some(2 * page.programs.len() as u64));
    let mut runs = Vec::new();
    for info in &page.programs {
        runs.extend(measure::program(info, instructions)?);
        progress.inc(1);
    }
    let mut rows: Vec<baselines::Row> = page
        .programs
        .par_iter()
        .map(|info| {
            let row = baselines::of_program(info.name, instructions);
            progress.inc(1);
            row
        })
        .collect::<Result<_, _>>()?;
    progress.finish_and_clear();
    rows.push(baselines::total(&rows));
    let head = format!(
        "# The papers' tables\n\nMade by `goshawk papers` ({TOOL}): the built-in programs on the built-in simulator, \
         timing model of paper 000 section 2, seed 0. Bits are the lengths of the streams, and every baseline was \
         decoded and compared with what went in. Rows in italics are published figures: paper 000 ran Splash2 on \
         IA-32, papers 001 and 002 ran MiBench on ARM, so only rows of the same name are of like programs, and what \
         can be compared is the shape. What the scans of the papers have lost is left out. `all` weighs each program \
         by its instructions, as the papers' totals do.\n"
    );
    let tables = [
        ("Paper 001, table 1: streams", one::streams(&runs)),
        ("Paper 001, table 2: BASE by size", one::base_by_size(&runs)),
        ("Paper 001, figures 3 and 4: ways and variants", one::ways_and_variants(&runs)),
        ("Paper 001, section III.D: other compressors", one::others(&rows)),
        ("Paper 002, table 1: branches", two::branches(&runs, &rows)),
        ("Paper 002, table 3: prediction rates", two::rates(&runs)),
        ("Paper 002, table 4: chunk sizes", two::chunks(&runs)?),
        ("Paper 002, table 5: bits per instruction", two::comparison(&runs, &rows)),
        ("RISC-V E-Trace and its modes", two::etrace(&rows)),
        ("Paper 002, figure 10: compression and gates", two::gates(&runs)),
        ("Paper 000, table 2: Nexus-like traces", three::nexus(&runs)),
        ("Paper 000, table 4: misprediction rates", three::rates(&runs)),
        ("Paper 000, table 5: functional traces", three::traces(&runs, false)),
        ("Paper 000, table 6: time-stamped traces", three::traces(&runs, true)),
    ];
    page.finish(&head, &tables, &["The order of the schemes", "Speed of the golden model"], || {
        let baselines: Vec<_> = rows.iter().map(baselines::Row::object).collect();
        json!({ "tool": TOOL, "instructions": instructions, "runs": runs, "baselines": baselines })
    })
}
