//! Compares two versions of emitted Verilog: whether they are the same circuits
//!
//! `cargo run --release -p testbenches --example equal OLD NEW` compares two files, or all `.v` files of two folders;
//! see [`testbenches::equal`]. `cargo run --release -p hdl --example dump FOLDER` writes the Verilog of many systems.
//! Prints one line per file and totals; the exit status is 1 if a file is not proved equal.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use testbenches::equal::{Equality, Prover};

/// Time limit of a proof.
const LIMIT: Duration = Duration::from_secs(300);

/// The files to compare, by name.
fn files(path: &Path) -> Result<BTreeMap<String, PathBuf>, Box<dyn Error>> {
    if path.is_file() {
        return Ok([(String::new(), path.to_path_buf())].into());
    }
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "v") {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            files.insert(name, path);
        }
    }
    Ok(files)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [old, new] = args.as_slice() else { return Err("usage: equal OLD NEW, two files or two folders".into()) };
    let (old, new) = (files(old)?, files(new)?);
    let mut prover = Prover::new(LIMIT);
    let mut sums = [0; 4];
    for name in old.keys().chain(new.keys().filter(|n| !old.contains_key(*n))) {
        let found = match (old.get(name), new.get(name)) {
            (Some(a), Some(b)) => prover.files(a, b)?,
            _ => Equality::No("only in one folder".into()),
        };
        let (at, text) = match &found {
            Equality::Bytes => (0, "equal".to_string()),
            Equality::Normalised => (1, "equal after normalisation".into()),
            Equality::Proved => (2, "proved".into()),
            Equality::No(why) => (3, format!("not proved: {why}")),
        };
        sums[at] += 1;
        println!("{name}: {text}");
    }
    let [equal, normalised, proved, not] = sums;
    println!(
        "{equal} equal, {normalised} equal after normalisation, {proved} proved ({} proofs of modules), {not} not proved",
        prover.proofs
    );
    Ok(if not == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
