//! How many single changes of a trace system its own test bench finds
//!
//! `cargo run --release -p testbenches --example mutate DIR [COUNT] [SEED]`, of a folder of `goshawk gen`: draws COUNT changes of
//! `goshawk_trace.v` (100; see [`testbenches::mutation`]), runs `goshawk_tb.v` in Icarus on each, and prints those it does not find.
//! A change that Icarus refuses is not counted. A simulation that takes a minute of processor time (that of the unchanged text takes a few
//! seconds) counts as found. Of the others those are left out that are equivalent: power-up values that reset overwrites, what Yosys proves (a minute a
//! proof), and constants of registers in whose place the bench passes with an unknown value, where it reaches the line. The exit status is 1 if less than 95 % of the rest is found.

use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use testbenches::equal::{Equality, Prover};
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

/// Runs a simulation. Its limit is processor time: the time that it takes depends on what else the machine does.
const SIMULATION: &str = "ulimit -t 60 && exec vvp tb";

/// Runs the bench in `folder` with `text` in place of the design.
fn run(folder: &Path, text: &str) -> Result<Found, Box<dyn Error + Send + Sync>> {
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
    let bench = Command::new("sh").args(["-c", SIMULATION]).current_dir(place.path()).stderr(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&bench.stdout);
    Ok(if said.lines().any(|l| l.starts_with("PASS")) { Found::Pass } else { Found::Fail })
}

fn main() -> Result<ExitCode, Box<dyn Error + Send + Sync>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = args.as_slice() else { return Err("usage: mutate DIR [COUNT] [SEED]".into()) };
    let number = |i: usize, default: u64| numbers.get(i).map_or(Ok(default), |n| n.parse());
    let (count, seed) = (number(0, 100)? as usize, number(1, 1)?);
    let folder = Path::new(folder);
    let text = std::fs::read_to_string(folder.join(DESIGN))?;
    if run(folder, &text)? != Found::Pass {
        return Err("the unchanged design does not pass its bench".into());
    }
    let mut all = mutants(&text);
    let changes = all.len();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    all.truncate(count);
    let found: Vec<(Mutant, Found)> = all
        .into_par_iter()
        .map(|mutant| run(folder, &mutant.apply(&text)).map(|found| (mutant, found)))
        .collect::<Result<_, _>>()?;
    let mut kinds: BTreeMap<_, [u32; 3]> = BTreeMap::new();
    for (mutant, found) in &found {
        let equivalent = match found {
            Found::Pass => equivalent(folder, mutant, &text)?,
            Found::Fail | Found::Refused => None,
        };
        let [tried, equal, killed] = kinds.entry(mutant.kind).or_default();
        *tried += u32::from(*found != Found::Refused);
        *equal += u32::from(equivalent.is_some());
        *killed += u32::from(*found == Found::Fail);
        if *found == Found::Pass {
            println!("{}: line {}, {}", equivalent.unwrap_or("not found"), mutant.line, mutant.kind);
            println!("  - {}\n  + {}", mutant.lines.0.trim(), mutant.lines.1.trim());
        }
    }
    println!("\n| change | tried | equivalent | found |\n| --- | ---: | ---: | ---: |");
    let mut sum = [0; 3];
    for (kind, [tried, equal, killed]) in &kinds {
        println!("| {kind} | {tried} | {equal} | {killed} |");
        sum = [sum[0] + tried, sum[1] + equal, sum[2] + killed];
    }
    let [tried, equal, killed] = sum;
    let percent = f64::from(100 * killed) / f64::from((tried - equal).max(1));
    println!("| all | {tried} | {equal} | {killed} |\n\n{percent:.1} % found; {changes} changes in all, seed {seed}");
    Ok(if percent >= 95.0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// What a proof may take.
const PROOF: Duration = Duration::from_secs(60);

/// Why no bench can find a mutant, if that is known.
fn equivalent(
    folder: &Path,
    mutant: &Mutant,
    text: &str,
) -> Result<Option<&'static str>, Box<dyn Error + Send + Sync>> {
    if mutant.overwritten(text) {
        return Ok(Some("reset overwrites it"));
    }
    if let Some(unknown) = mutant.unknown() {
        // of a line that the bench does not reach, that says nothing
        let reached = match mutant.ending() {
            Some(ending) => run(folder, &ending.apply(text))? != Found::Pass,
            None => true,
        };
        let passes = reached && run(folder, &unknown.apply(text))? == Found::Pass;
        return Ok(passes.then_some("an unknown value passes"));
    }
    Ok(match Prover::new(PROOF).texts(text, &mutant.apply(text)) {
        Equality::Proved | Equality::Normalised | Equality::Bytes => Some("proved to be equal"),
        Equality::No(_) => None,
    })
}
