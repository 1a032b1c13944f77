//! How many single changes of a trace system its own test bench finds
//!
//! `cargo run --release -p testbenches --example mutate DIR [COUNT] [SEED]`, of a folder of `goshawk gen`: draws COUNT changes of
//! `goshawk_trace.v` (100; see [`testbenches::mutation`]), runs `goshawk_tb.v` in Icarus on each, and prints those it does not find.
//! A change that Icarus refuses is not counted. A simulation that takes ten times as long as that of the unchanged text counts as
//! found.

use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use testbenches::mutation::{mutants, Mutant};

const DESIGN: &str = "goshawk_trace.v";
const BENCH: &str = "goshawk_tb.v";

/// What a bench says of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// Icarus does not take it.
    Refused,
    Pass,
    /// It fails, or does not end in time.
    Fail,
}

/// Runs the bench in `folder` with `text` in place of the design.
fn run(folder: &Path, text: &str, limit: Duration) -> Result<Found, Box<dyn Error + Send + Sync>> {
    let place = tempfile::tempdir()?;
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            std::fs::copy(&path, place.path().join(path.file_name().unwrap_or_default()))?;
        }
    }
    std::fs::write(place.path().join(DESIGN), text)?;
    let compiled = Command::new("iverilog").args(["-o", "tb", BENCH, DESIGN]).current_dir(place.path()).output()?;
    if !compiled.status.success() {
        return Ok(Found::Refused);
    }
    let out = std::fs::File::create(place.path().join("out"))?;
    let mut bench =
        Command::new("vvp").arg("tb").current_dir(place.path()).stdout(out).stderr(Stdio::null()).spawn()?;
    let start = Instant::now();
    while bench.try_wait()?.is_none() {
        if start.elapsed() > limit {
            bench.kill()?;
            bench.wait()?;
            return Ok(Found::Fail);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let said = std::fs::read_to_string(place.path().join("out"))?;
    Ok(if said.lines().any(|l| l.starts_with("PASS")) { Found::Pass } else { Found::Fail })
}

fn main() -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = args.as_slice() else { return Err("usage: mutate DIR [COUNT] [SEED]".into()) };
    let number = |i: usize, default: u64| numbers.get(i).map_or(Ok(default), |n| n.parse());
    let (count, seed) = (number(0, 100)? as usize, number(1, 1)?);
    let folder = Path::new(folder);
    let text = std::fs::read_to_string(folder.join(DESIGN))?;
    let start = Instant::now();
    if run(folder, &text, Duration::from_secs(600))? != Found::Pass {
        return Err("the unchanged design does not pass its bench".into());
    }
    let limit = start.elapsed() * 10;
    let mut all = mutants(&text);
    let changes = all.len();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    all.truncate(count);
    let found: Vec<(Mutant, Found)> = all
        .into_par_iter()
        .map(|mutant| run(folder, &mutant.apply(&text), limit).map(|found| (mutant, found)))
        .collect::<Result<_, _>>()?;
    let mut kinds: BTreeMap<_, (u32, u32)> = BTreeMap::new();
    for (mutant, found) in &found {
        let (tried, killed) = kinds.entry(mutant.kind).or_default();
        *tried += u32::from(*found != Found::Refused);
        *killed += u32::from(*found == Found::Fail);
        if *found == Found::Pass {
            println!("not found: line {}, {}", mutant.line, mutant.kind);
            println!("  - {}\n  + {}", mutant.lines.0.trim(), mutant.lines.1.trim());
        }
    }
    println!("\n| change | tried | found |\n| --- | ---: | ---: |");
    for (kind, (tried, killed)) in &kinds {
        println!("| {kind} | {tried} | {killed} |");
    }
    let (tried, killed) = kinds.values().fold((0, 0), |sum, k| (sum.0 + k.0, sum.1 + k.1));
    println!("| all | {tried} | {killed} |\n\n{changes} changes in all, seed {seed}");
    Ok(if tried == killed { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
