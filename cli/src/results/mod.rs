//! `goshawk results`: the tables of `docs/results.md`, measured

mod measure;
pub mod paper;
pub mod tables;

use crate::measured::PageArgs;
use crate::output::TOOL;
use crate::progress::bar;
use crate::{Failure, Status};
use retire::FlowEvent;
use serde_json::json;
use sim::rv32::{Limits, Machine, MachineConfig};
use std::io::Write;

/// Measure every program, set, encoding and number of cores, and write the tables
///
/// The run takes some minutes and, for each program, a few hundred megabytes of memory.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk results -o docs/results.md --json results.json\n  goshawk results --program vm --instructions 1000000 -o vm.md"
)]
pub struct Args {
    #[command(flatten)]
    page: PageArgs,
}

/// Measures and writes.
pub fn run(args: &Args, _: &mut dyn Write) -> Result<Status, Failure> {
    let page = args.page.begin()?;
    let configs = measure::configs();
    let mut points = Vec::new();
    let progress = bar("measuring", "runs", Some((page.programs.len() * measure::HARTS.len()) as u64));
    for info in &page.programs {
        for harts in measure::HARTS {
            let machine = |source| Failure::Machine { name: format!("builtin:{}", info.name), source };
            let program =
                info.load().map_err(|source| Failure::Program { name: format!("builtin:{}", info.name), source })?;
            let mut events: Vec<FlowEvent> = Vec::new();
            let config = MachineConfig { harts, ..MachineConfig::default() };
            let limits = Limits { instructions: args.page.instructions.unwrap_or(u64::MAX), ..Limits::default() };
            let summary =
                Machine::new(&program, config).and_then(|mut m| m.run(&mut events, limits)).map_err(machine)?;
            points.extend(measure::measure(info.name, harts, summary.cycles, &events, &configs));
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    let head = format!(
        "# Results\n\nMade by `goshawk results` ({TOOL}): the built-in programs on the built-in simulator, timing model of \
         paper 000 section 2, seed 0, golden model streams; bits are the lengths of the streams. Rows in italics are \
         published figures (paper 000, Splash2 on IA-32): other programs and another instruction set, there to compare \
         the shape and not the digits.\n"
    );
    let tables = [
        ("Programs", tables::workload(&points)),
        ("Misprediction rates", tables::rates(&points)),
        ("Functional traces", tables::totals(&points, false)),
        ("Time-stamped traces", tables::totals(&points, true)),
        ("Functional traces by program", tables::by_program(&points, false)),
        ("Time-stamped traces by program", tables::by_program(&points, true)),
    ];
    // what other commands measure is kept in the notes
    page.finish(
        &head,
        &tables,
        &["Gates", "Place and route", "Speed"],
        || json!({ "tool": TOOL, "instructions": args.page.instructions, "points": points }),
    )
}
