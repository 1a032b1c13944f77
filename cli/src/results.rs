//! `goshawk results`: the tables of `docs/results.md`, measured

use crate::measured::PageArgs;
use crate::output::TOOL;
use crate::{Failure, Status};
use ::sweep::tables::{results, RESULTS};
use std::io::Write;

/// Measure every program, set, encoding and number of cores, and write the tables
///
/// What is measured is the plan sweep/plans/results.toml. The run takes some minutes.
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
    let head = format!(
        "# Results\n\nMade by `goshawk results` ({TOOL}): the built-in programs on the built-in simulator, timing model of \
         paper 000 section 2, seed 0, golden model streams; bits are the lengths of the streams. Rows in italics are \
         published figures (paper 000, Splash2 on IA-32): other programs and another instruction set, there to compare \
         the shape and not the digits.\n"
    );
    // what other commands measure is kept in the notes
    args.page.write("results", RESULTS, &head, &["Gates", "Place and route", "Speed"], results::tables)
}
