//! The workflow runs a tiny sweep in shards and merges it; the result equals that of a single run

use crate::common::Place;
use std::path::Path;
use std::process::{Command, Output};

const PLAN: &str = "traces = [\"p.elf\", \"builtin:fft\"]\nharts = [1, 2]\nencodings = [\"tr_e\", \"nx_b\"]\n\
                    sets = [\"s0\", \"m4\"]\nmax_instructions = 50000\n";

fn snakemake(place: &Place, more: &[&str]) -> Option<Output> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workflow/Snakefile");
    let goshawk = format!("goshawk={}", assert_cmd::cargo::cargo_bin("goshawk").display());
    let output = Command::new("snakemake")
        .current_dir(place.path())
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .arg("--snakefile")
        .arg(file)
        .args(["--cores", "2", "--config", &goshawk, "out=o", "shards=3", "threads=1"])
        .args(more)
        .output();
    if output.is_err() {
        eprintln!("workflow: skipped, snakemake is not installed; tools/setup installs it");
    }
    output.ok()
}

/// The table without the seconds.
fn table(place: &Place, folder: &str) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(place.path().join(folder).join("results.csv")).unwrap();
    let cells = |r: csv::StringRecord| r.iter().enumerate().filter(|c| c.0 != 23).map(|c| c.1.to_string()).collect();
    reader.records().map(|r| cells(r.unwrap())).collect()
}

#[test]
fn shards_on_an_executor_merge_to_what_one_run_gives() {
    let place = Place::new();
    std::fs::write(place.path().join("plan.toml"), PLAN).unwrap();
    for shared in ["shared=true", "shared=false"] {
        let _ = std::fs::remove_dir_all(place.path().join("o"));
        let Some(output) = snakemake(&place, &["plan=plan.toml", shared]) else { return };
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{error}");
        place.command("sweep --plan plan.toml -o whole").assert().success();
        assert_eq!(table(&place, "o/merged"), table(&place, "whole"));
        assert_eq!(table(&place, "o/merged").len(), 12);
        let page = std::fs::read_to_string(place.path().join("o/index.html")).unwrap();
        assert!(page.contains("12 of 12") && page.ends_with("</html>\n"));
        assert!(place.path().join("o/figures/bpi.svg").exists());
    }
    let output = snakemake(&place, &["shared=false"]).unwrap();
    assert!(!output.status.success());
    let text = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("no plan is given: --config plan=FILE.toml"), "{text}");
}

/// Needs root and Debian's Slurm; `tools/slurm` sets up a cluster of one node.
#[test]
#[ignore = "long: needs root and Slurm"]
fn shards_on_a_slurm_of_one_node_merge_to_what_one_run_gives() {
    let place = Place::new();
    std::fs::write(place.path().join("plan.toml"), PLAN).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(root.join("tools/slurm"))
        .args(["run", "slurm", "snakemake", "--executor", "slurm", "--jobs", "3"])
        .args(["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "2"])
        .args(["--seconds-between-status-checks", "2", "--snakefile"])
        .arg(root.join("workflow/Snakefile"))
        .args(["--config", &format!("goshawk={}", assert_cmd::cargo::cargo_bin("goshawk").display())])
        .args(["plan=plan.toml", "out=o", "shards=3", "threads=1"])
        .current_dir(place.path())
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    if error.contains("is missing: apt-get install") || error.contains("only root") {
        eprintln!("shards_on_a_slurm_of_one_node: skipped: {error}");
        return;
    }
    assert!(output.status.success(), "{error}");
    assert!(error.contains("has been submitted with SLURM jobid"), "{error}");
    place.command("sweep --plan plan.toml -o whole").assert().success();
    assert_eq!(table(&place, "o/merged"), table(&place, "whole"));
    assert_eq!(table(&place, "o/merged").len(), 12);
}
