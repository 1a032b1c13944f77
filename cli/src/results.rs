//! `goshawk results`: measures the tables of `docs/reference/results.md`

use crate::measured::PageArgs;
use crate::output::TOOL;
use crate::{Failure, Status};
use ::sweep::tables::{results, stream_caches, RESULTS, STREAM_CACHES};
use std::io::Write;

/// Measure every program, set, encoding and number of cores, and write the tables
///
/// The plan is results.toml or stream-caches.toml of sweep/plans. The run takes some minutes.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  goshawk results -o docs/reference/results.md --json results.json\n  goshawk results --program vm --max-instructions 1000000 -o vm.md\n  goshawk results --trace vm.ret,gcc.rbt1.zst -o own.md\n  goshawk results --of stream-caches -o docs/reference/stream-cache-results.md"
)]
pub struct Args {
    /// Measured part
    #[arg(long, value_enum, default_value = "schemes")]
    of: Of,
    #[command(flatten)]
    page: PageArgs,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Of {
    /// Predictors and Nexus-like traces with 1 to 8 cores
    Schemes,
    /// Stream caches by size, ways, variant and hash
    StreamCaches,
}

/// Measures and writes.
pub fn run(args: &Args, _: &mut dyn Write) -> Result<Status, Failure> {
    let how = "the built-in programs on the built-in simulator, timing model of paper 000 section 2, seed 0, golden \
               model streams; bits are the lengths of the streams.";
    match args.of {
        Of::Schemes => {
            let head = format!(
                "# Results\n\nMade by `goshawk results` ({TOOL}): {how} Rows in italics are published figures (paper \
                 000, Splash2 on IA-32): other programs and another instruction set, there to compare the shape and not \
                 the digits.\n"
            );
            // results of other commands stay in the notes
            let others = ["Gates", "Place and route", "Speed"];
            args.page.write("results", RESULTS, &head, &others, results::tables)
        }
        Of::StreamCaches => {
            let head = format!(
                "# Stream caches on the test programs\n\nMade by `goshawk results --of stream-caches` ({TOOL}): {how} \
                 Bits per instruction on one core unless said otherwise. *Italic*: paper 001, which ran MiBench on ARM. \
                 What it means: [The stream cache scheme](../explanation/stream-cache.md#results).\n"
            );
            let others = ["Speed of the model"];
            args.page.write("results", STREAM_CACHES, &head, &others, stream_caches::tables)
        }
    }
}
