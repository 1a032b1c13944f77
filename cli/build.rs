//! Adds the commit to `goshawk --version` if this is built in its own repository; otherwise adds nothing, so that the
//! same sources give the same program

use std::path::Path;
use std::process::Command;

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
}

/// The commit, if the repository is that of these sources, and not one that merely contains them.
fn commit() -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.canonicalize().ok()?;
    let top = Path::new(&git(&["rev-parse", "--show-toplevel"])?).canonicalize().ok()?;
    for file in ["HEAD", "logs/HEAD"] {
        println!("cargo::rerun-if-changed={}", git(&["rev-parse", "--git-path", file])?);
    }
    git(&["rev-parse", "--short=10", "HEAD"]).filter(|_| top == root)
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = commit().map(|c| format!(" ({c})")).unwrap_or_default();
    println!("cargo::rustc-env=GOSHAWK_COMMIT={commit}");
}
