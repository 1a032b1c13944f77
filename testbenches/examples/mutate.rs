//! How many single changes of a trace system its own test bench finds
//!
//! `cargo run --release -p testbenches --example mutate DIR [COUNT] [SEED]`, of a folder of `goshawk gen`: draws COUNT changes of
//! `goshawk_trace.v` (100; see [`testbenches::mutation`]), runs `goshawk_tb.v` in Icarus on each, and prints those it does not find.
//! A change that Icarus refuses is not counted. A simulation that takes more than a minute of processor time (that of the unchanged text takes
//! seconds, and the bench gives up after a number of clocks) is counted apart, as not found. Of the others those are left out that are equivalent: what
//! Yosys proves for unbounded time (a minute a proof), a bit that is never set, by induction, and what a solver proves for 24 cycles from power-up
//! ([`testbenches::bounded`], five minutes a proof). Power-up values are not changed: the bench has to pass from unknown ones. The exit
//! status is 1 if less than 95 % of the rest is found.

use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::error::Error;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;
use testbenches::bounded;
use testbenches::equal::{Equality, Prover};
use testbenches::mutation::{mutants, without_power_up, Mutant};

const DESIGN: &str = "goshawk_trace.v";
const BENCH: &str = "goshawk_tb.v";

type Failure = Box<dyn Error + Send + Sync>;

/// What a bench says of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// Icarus does not take it.
    Refused,
    Pass,
    Fail,
    /// It has no result in the time that it is given.
    Slow,
    /// It passes, and no bench could find it; the reason.
    Equivalent(String),
    /// It passes with an unknown value, too: nothing that the bench compares depends on the constant.
    Unseen,
}

/// Runs a simulation. Its limit is processor time: the time that it takes depends on what else the machine does.
const SIMULATION: &str = "ulimit -t 60 && exec vvp tb";

/// Runs the bench in `folder` with `text` in place of the design.
fn run(folder: &Path, text: &str) -> Result<Found, Failure> {
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
    Ok(match bench.status.signal() {
        Some(_) => Found::Slow,
        None if said.lines().any(|l| l.starts_with("PASS")) => Found::Pass,
        None => Found::Fail,
    })
}

/// What a proof for unbounded time may take, and one for a number of cycles.
const LIMITS: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(300));
/// Cycles of a bounded proof.
const CYCLES: u32 = 24;

/// Why no bench can find a mutant, if that is known.
fn equivalent(mutant: &Mutant, text: &str) -> Result<Option<String>, Failure> {
    let equality = Prover::new(LIMITS.0).texts(text, &mutant.apply(text));
    if matches!(equality, Equality::Proved | Equality::Normalised | Equality::Bytes) {
        return Ok(Some("proved to be equal".into()));
    }
    if let Some((signal, bit)) = mutant.lost_bit() {
        let never = bounded::never_set(text, mutant.line, signal, bit, LIMITS.1)?;
        return Ok(never.then(|| "the bit is never set".into()));
    }
    let module = bounded::same_outputs(text, &mutant.apply(text), mutant.line, CYCLES, LIMITS.1)?;
    Ok(module.map(|module| format!("proved for {CYCLES} cycles of {module}")))
}

/// Whether the bench reaches an assignment of a constant and passes with an unknown value in its place.
fn unseen(folder: &Path, mutant: &Mutant, text: &str) -> Result<bool, Failure> {
    let Some(unknown) = mutant.unknown() else { return Ok(false) };
    // of a line that the bench does not reach, that says nothing
    let reached = match mutant.ending() {
        Some(ending) => run(folder, &ending.apply(text))? != Found::Pass,
        None => true,
    };
    Ok(reached && run(folder, &unknown.apply(text))? == Found::Pass)
}

fn main() -> Result<ExitCode, Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = args.as_slice() else { return Err("usage: mutate DIR [COUNT] [SEED]".into()) };
    let number = |i: usize, default: u64| numbers.get(i).map_or(Ok(default), |n| n.parse());
    let (count, seed) = (number(0, 100)? as usize, number(1, 1)?);
    let folder = Path::new(folder);
    let text = std::fs::read_to_string(folder.join(DESIGN))?;
    if run(folder, &text)? != Found::Pass {
        return Err("the unchanged design does not pass its bench".into());
    }
    if run(folder, &without_power_up(&text))? != Found::Pass {
        return Err("the design does not pass its bench from unknown power-up values".into());
    }
    let mut all = mutants(&text);
    let changes = all.len();
    all.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    all.truncate(count);
    let try_one = |mutant: Mutant| -> Result<(Mutant, Found), Failure> {
        let mut found = run(folder, &mutant.apply(&text))?;
        if found == Found::Pass {
            found = match equivalent(&mutant, &text)? {
                Some(why) => Found::Equivalent(why),
                None if unseen(folder, &mutant, &text)? => Found::Unseen,
                None => Found::Pass,
            };
        }
        Ok((mutant, found))
    };
    let found: Vec<(Mutant, Found)> = all.into_par_iter().map(try_one).collect::<Result<_, _>>()?;
    let mut kinds: BTreeMap<_, [u32; 4]> = BTreeMap::new();
    for (mutant, found) in &found {
        let counts = kinds.entry(mutant.kind.to_string()).or_default();
        counts[0] += u32::from(*found != Found::Refused);
        let (what, column) = match found {
            Found::Refused => continue,
            Found::Fail => {
                counts[2] += 1;
                continue;
            }
            Found::Pass => ("not found", None),
            Found::Slow => ("no result in a minute", Some(3)),
            Found::Equivalent(why) => (why.as_str(), Some(1)),
            Found::Unseen => ("not found, and an unknown value passes", None),
        };
        column.into_iter().for_each(|c: usize| counts[c] += 1);
        println!("{what}: line {}, {}", mutant.line, mutant.kind);
        println!("  - {}\n  + {}", mutant.lines.0.trim(), mutant.lines.1.trim());
    }
    println!("\n| change | tried | equivalent | found | no result |\n| --- | ---: | ---: | ---: | ---: |");
    let mut sum = [0; 4];
    for (kind, counts) in &kinds {
        let [tried, equal, killed, slow] = counts;
        println!("| {kind} | {tried} | {equal} | {killed} | {slow} |");
        sum.iter_mut().zip(counts).for_each(|(s, c)| *s += c);
    }
    let [tried, equal, killed, slow] = sum;
    let percent = f64::from(100 * killed) / f64::from((tried - equal).max(1));
    println!("| all | {tried} | {equal} | {killed} | {slow} |\n\n{percent:.1} % found; {changes} changes in all, seed {seed}");
    Ok(if percent >= 95.0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
