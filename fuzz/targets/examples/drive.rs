//! Runs targets on changed seeds for some time
//!
//! `cargo run --release -p fuzz-targets --example drive [SECONDS] [SEED] [TARGET...]`: 10 seconds a target, seed 1 and all targets without
//! arguments. What is found is written to `finding-TARGET`, and the exit status is 1. With `GOSHAWK_SEEDS=DIR` it writes the seeds there,
//! a folder a target, as `cargo fuzz` takes them, and runs nothing.

use fuzz_targets::drive::drive;
use fuzz_targets::{find, write_seeds, Target, TARGETS};
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Inputs between two looks at the clock.
const BATCH: u64 = 500;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if let Some(folder) = std::env::var_os("GOSHAWK_SEEDS") {
        TARGETS.iter().try_for_each(|target| write_seeds(target, Path::new(&folder)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize, default: u64| args.get(i).map_or(Ok(default), |a| a.parse());
    let (seconds, seed) = (number(0, 10)?, number(1, 1)?);
    let named: Vec<Target> =
        args.iter().skip(2).map(|n| find(n).ok_or(format!("no target {n}"))).collect::<Result<_, _>>()?;
    let targets = if named.is_empty() { TARGETS.to_vec() } else { named };
    let mut status = ExitCode::SUCCESS;
    for target in targets {
        let (begin, mut done, mut batch) = (Instant::now(), 0, seed);
        while begin.elapsed() < Duration::from_secs(seconds) {
            let (inputs, finding) = drive(&target, batch, BATCH, |run| {
                run();
                None
            });
            (done, batch) = (done + inputs, batch.wrapping_add(1 << 32));
            if let Some(finding) = finding {
                let file = format!("finding-{}", target.name);
                std::fs::write(&file, &finding.input)?;
                println!("{}: {}; {} bytes in {file}", target.name, finding.what, finding.input.len());
                status = ExitCode::from(1);
                break;
            }
        }
        println!("{}: {done} inputs, {:.0} a second", target.name, done as f64 / begin.elapsed().as_secs_f64());
    }
    Ok(status)
}
