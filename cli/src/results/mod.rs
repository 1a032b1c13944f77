//! `goshawk results`: the tables of `docs/results.md`, measured

mod measure;
pub mod paper;
pub mod tables;

use crate::output::TOOL;
use crate::progress::bar;
use crate::{Failure, Status};
use serde_json::json;
use sim::file::Replacement;
use sim::retire::FlowEvent;
use sim::rv32::{Limits, Machine, MachineConfig};
use std::io::Write;
use std::path::PathBuf;
use testbenches::programs::PROGRAMS;

/// Measure every program, set, encoding and number of cores, and write the tables
///
/// The run takes some minutes and, for each program, a few hundred megabytes of memory.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk results -o docs/results.md --json results.json\n  goshawk results --program vm --instructions 1000000 -o vm.md"
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
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    instructions: u64,
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
    let configs = measure::configs();
    let chosen: Vec<_> = PROGRAMS.iter().filter(|p| names.is_empty() || names.contains(&p.name)).collect();
    let mut points = Vec::new();
    let progress = bar("measuring", "runs", Some((chosen.len() * measure::HARTS.len()) as u64));
    for info in chosen {
        for harts in measure::HARTS {
            let machine = |source| Failure::Machine { name: format!("builtin:{}", info.name), source };
            let program =
                info.load().map_err(|source| Failure::Program { name: format!("builtin:{}", info.name), source })?;
            let mut events: Vec<FlowEvent> = Vec::new();
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let limits = Limits { instructions: args.instructions, ..Limits::default() };
            let summary =
                Machine::new(&program, config).and_then(|mut m| m.run(&mut events, limits)).map_err(machine)?;
            points.extend(measure::measure(info.name, harts, summary.cycles, &events, &configs));
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let text = page(&points, &notes);
    file.write_all(text.as_bytes()).map_err(|e| Failure::io(&args.output, e))?;
    file.commit()?;
    if let (Some(mut file), Some(path)) = (json_file, &args.json) {
        let object = json!({ "tool": TOOL, "instructions": args.instructions, "points": points });
        writeln!(file, "{object}").map_err(|e| Failure::io(path, e))?;
        file.commit()?;
    }
    Ok(Status::Done)
}

/// The section of `notes` under `heading`.
pub fn note<'a>(notes: &'a str, heading: &str) -> &'a str {
    let Some(at) = notes.find(&format!("## {heading}\n")) else { return "" };
    let body = &notes[at + heading.len() + 4..];
    body.find("\n## ").map_or(body, |end| &body[..end]).trim()
}

fn page(points: &[measure::Point], notes: &str) -> String {
    let mut s = format!(
        "# Results\n\nMade by `goshawk results` ({TOOL}): the built-in programs on the built-in simulator, timing model of \
         paper 000 section 2, seed 0, golden model streams; bits are the lengths of the streams. Rows in italics are \
         published figures (paper 000, Splash2 on IA-32): other programs and another instruction set, there to compare \
         the shape and not the digits.\n"
    );
    let sections = [
        ("Programs", tables::workload(points)),
        ("Misprediction rates", tables::rates(points)),
        ("Functional traces", tables::totals(points, false)),
        ("Time-stamped traces", tables::totals(points, true)),
        ("Functional traces by program", tables::by_program(points, false)),
        ("Time-stamped traces by program", tables::by_program(points, true)),
    ];
    for (heading, table) in sections {
        s.push_str(&format!("\n## {heading}\n\n{table}"));
        let note = note(notes, heading);
        if !note.is_empty() {
            s.push_str(&format!("\n{note}\n"));
        }
    }
    // what other commands measure is kept in the notes
    for heading in ["Gates", "Place and route", "Speed"] {
        let note = note(notes, heading);
        if !note.is_empty() {
            s.push_str(&format!("\n## {heading}\n\n{note}\n"));
        }
    }
    s
}
