//! `goshawk papers`: the tables of papers 000, 001 and 002 with our programs, beside what they print

mod measure;
mod one;
mod three;
mod two;

use crate::baselines;
use crate::output::TOOL;
use crate::progress::bar;
use crate::results::note;
use crate::{Failure, Status};
use measure::Run;
use rayon::prelude::*;
use serde_json::json;
use sim::file::Replacement;
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use testbenches::programs::PROGRAMS;

/// Redraw the papers' tables: statistics, rates, chunk sizes, bits of every scheme and baseline
///
/// Every baseline is decoded and compared. The run takes some minutes and, for each program, about a gigabyte of
/// memory.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk papers -o docs/paper-tables.md --notes docs/paper-notes.md\n  goshawk papers --program fft --instructions 1000000 -o fft.md"
)]
pub struct Args {
    /// Markdown file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Also write every measured point as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Only this built-in program; may be given several times
    #[arg(long, value_name = "NAME")]
    program: Vec<String>,
    /// Instructions of each run at most
    #[arg(long, value_name = "N")]
    instructions: Option<u64>,
    /// Text to put behind each table: a Markdown file whose headings are those of the tables
    #[arg(long, value_name = "FILE")]
    notes: Option<PathBuf>,
}

/// Measures and writes.
pub fn run(args: &Args, _: &mut dyn Write) -> Result<Status, Failure> {
    let names: Vec<&str> = args.program.iter().map(|p| p.trim_start_matches("builtin:")).collect();
    if let Some(unknown) = names.iter().find(|n| testbenches::programs::find(n).is_none()) {
        return Err(Failure::unknown_program(unknown));
    }
    let notes = match &args.notes {
        Some(path) => std::fs::read_to_string(path).map_err(|e| Failure::io(path, e))?,
        None => String::new(),
    };
    // a folder that cannot be written is told before the work, not after
    let mut file = Replacement::create(&args.output)?;
    let json_file = args.json.as_deref().map(Replacement::create).transpose()?;
    let chosen: Vec<_> = PROGRAMS.iter().filter(|p| names.is_empty() || names.contains(&p.name)).collect();
    let progress = bar("measuring", "programs", Some(2 * chosen.len() as u64));
    let mut runs = Vec::new();
    for info in &chosen {
        runs.extend(measure::program(info, args.instructions)?);
        progress.inc(1);
    }
    let mut rows: Vec<baselines::Row> = chosen
        .par_iter()
        .map(|info| {
            let row = baselines::of_program(info.name, args.instructions);
            progress.inc(1);
            row
        })
        .collect::<Result<_, _>>()?;
    progress.finish_and_clear();
    rows.push(baselines::total(&rows));
    let text = page(&runs, &rows, &notes);
    file.write_all(text.as_bytes()).map_err(|e| Failure::io(&args.output, e))?;
    file.commit()?;
    if let (Some(mut file), Some(path)) = (json_file, &args.json) {
        let object = json!({
            "tool": TOOL, "instructions": args.instructions, "runs": runs,
            "baselines": rows.iter().map(baselines::Row::object).collect::<Vec<_>>(),
        });
        writeln!(file, "{object}").map_err(|e| Failure::io(path, e))?;
        file.commit()?;
    }
    Ok(Status::Done)
}

fn page(runs: &[Run], rows: &[baselines::Row], notes: &str) -> String {
    let mut s = format!(
        "# The papers' tables\n\nMade by `goshawk papers` ({TOOL}): the built-in programs on the built-in simulator, \
         timing model of paper 000 section 2, seed 0. Bits are the lengths of the streams, and every baseline was \
         decoded and compared with what went in. Rows in italics are published figures: paper 000 ran Splash2 on \
         IA-32, papers 001 and 002 ran MiBench on ARM, so only rows of the same name are of like programs, and what \
         can be compared is the shape. What the scans of the papers have lost is left out. `all` weighs each program \
         by its instructions, as the papers' totals do.\n"
    );
    let sections = [
        ("Paper 001, table 1: streams", one::streams(runs)),
        ("Paper 001, table 2: BASE by size", one::base_by_size(runs)),
        ("Paper 001, figures 3 and 4: ways and variants", one::ways_and_variants(runs)),
        ("Paper 001, section III.D: other compressors", one::others(rows)),
        ("Paper 002, table 1: branches", two::branches(runs, rows)),
        ("Paper 002, table 3: prediction rates", two::rates(runs)),
        ("Paper 002, table 4: chunk sizes", two::chunks(runs)),
        ("Paper 002, table 5: bits per instruction", two::comparison(runs, rows)),
        ("RISC-V E-Trace and its modes", two::etrace(rows)),
        ("Paper 002, figure 10: compression and gates", two::gates(runs)),
        ("Paper 000, table 2: Nexus-like traces", three::nexus(runs)),
        ("Paper 000, table 4: misprediction rates", three::rates(runs)),
        ("Paper 000, table 5: functional traces", three::traces(runs, false)),
        ("Paper 000, table 6: time-stamped traces", three::traces(runs, true)),
    ];
    for (heading, table) in sections {
        let _ = write!(s, "\n## {heading}\n\n{table}");
        let note = note(notes, heading);
        if !note.is_empty() {
            let _ = write!(s, "\n{note}\n");
        }
    }
    for heading in ["The order of the schemes", "Speed of the golden model"] {
        let note = note(notes, heading);
        if !note.is_empty() {
            let _ = write!(s, "\n## {heading}\n\n{note}\n");
        }
    }
    s
}
