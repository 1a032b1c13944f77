//! `goshawk papers`: the tables of papers 000, 001 and 002 with the project's programs and the printed values

use crate::measured::PageArgs;
use crate::output::TOOL;
use crate::{Failure, Status};
use ::sweep::tables::{papers, PAPERS};
use std::io::Write;

/// Reproduce the papers' tables: statistics, rates, chunk sizes, bits of every scheme and baseline
///
/// The plan is sweep/plans/papers.toml. Every baseline is decoded and compared. The run takes some minutes.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk papers -o docs/reference/paper-tables.md --notes docs/maintainers/paper-notes.md\n  goshawk papers --program fft --max-instructions 1000000 -o fft.md\n  goshawk papers --trace vm.ret,gcc.rbt1.zst --elf builtin:vm -o own.md"
)]
pub struct Args {
    #[command(flatten)]
    page: PageArgs,
}

/// Measures and writes.
pub fn run(args: &Args, _: &mut dyn Write) -> Result<Status, Failure> {
    let head = format!(
        "# The papers' tables\n\nMade by `goshawk papers` ({TOOL}): the built-in programs on the built-in simulator, \
         timing model of paper 000 section 2, seed 0. Bits are the lengths of the streams, and every baseline was \
         decoded and compared with what went in. Rows in italics are published figures: paper 000 ran Splash2 on \
         IA-32, papers 001 and 002 ran MiBench on ARM, so only rows of the same name are of like programs, and what \
         can be compared is the shape. What the scans of the papers have lost is left out. `all` weighs each program \
         by its instructions, as the papers' totals do.\n"
    );
    let others = ["The order of the schemes", "Speed of the golden model"];
    args.page.write("papers", PAPERS, &head, &others, papers::tables)
}
