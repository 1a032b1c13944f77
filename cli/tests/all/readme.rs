//! The README shows the output of the demo, which leaves its files
//!
//! `tools/readme` runs this test to rewrite the block; times and speeds are kept.

use crate::common::Place;
use std::path::Path;

/// The line before the demo's output.
const PROMPT: &str = "$ cargo run --release -- demo\n";

/// `text` without times and speeds, which depend on the machine.
fn without_times(text: &str) -> String {
    let blank = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let timed = |i: usize| {
            words.get(i + 1) == Some(&"s;") || words[i..].starts_with(&[words[i], "million", "per", "second"])
        };
        (0..words.len()).map(|i| if timed(i) { "-" } else { words[i] }).collect::<Vec<_>>().join(" ")
    };
    text.lines().map(|l| blank(l) + "\n").collect()
}

#[test]
fn the_demo_prints_what_the_readme_shows_and_leaves_its_files() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme.split_once(PROMPT).expect("the README has the demo");
    let (shown, after) = rest.split_once("```\n").unwrap();
    let place = Place::new();
    let printed = place.good("demo");
    if std::env::var("GOSHAWK_README").is_ok_and(|v| v == "write") {
        let text = format!("{before}{PROMPT}{printed}```\n{after}");
        std::fs::write(&path, text).unwrap();
        return;
    }
    assert_eq!(without_times(shown), without_times(&printed), "tools/readme writes it anew");
    let mut files: Vec<String> = std::fs::read_dir(place.path().join("goshawk-demo"))
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    insta::assert_snapshot!("demo_files", files.join("\n"));
    // the other commands accept the files
    let next = "replay goshawk-demo/fft.gtr --elf goshawk-demo/fft.elf --check goshawk-demo/fft.ret";
    assert!(place.good(next).contains("equal to"));
}

#[test]
fn times_alone_are_blanked() {
    let shown = "replay 11,447,862 instructions at 1,261 million per second\nTotal: 9.6 s; files in x.\n";
    let blanked = "replay 11,447,862 instructions at - million per second\nTotal: - s; files in x.\n";
    assert_eq!(without_times(shown), blanked);
}

/// The cells of the first row of `table` that starts with `name`.
fn row<'a>(text: &'a str, table: &str, name: &str) -> Vec<&'a str> {
    let table = text.split(&format!("## {table}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let line = table.lines().find(|l| l.starts_with(&format!("| {name} |"))).unwrap();
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// The rows of `table` by program, and the column `name`.
fn column(text: &str, table: &str, name: &str) -> Vec<f64> {
    let table = text.split(&format!("## {table}\n")).nth(1).unwrap().split("\n## ").next().unwrap();
    let mut rows = table.lines().filter(|l| l.starts_with("| ") && !l.contains('*'));
    let at = rows.next().unwrap().split('|').position(|c| c.trim() == name).unwrap();
    rows.filter_map(|r| r.split('|').nth(at)?.trim().parse().ok()).collect()
}

#[test]
fn the_headline_is_that_of_the_results() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let results = std::fs::read_to_string(root.join("docs/reference/results.md")).unwrap();
    for scheme in ["nx_b", "tr_e small", "tr_e medium", "tr_e large"] {
        let figures = ["Functional", "Time-stamped"].map(|kind| {
            let all: f64 = row(&results, &format!("{kind} traces"), scheme)[3].parse().unwrap();
            let each = column(&results, &format!("{kind} traces by program"), &format!("{scheme}, N = 4"));
            assert_eq!(each.len(), programs::PROGRAMS.len(), "{scheme}");
            let least = each.iter().copied().fold(f64::INFINITY, f64::min);
            [all, least, each.iter().copied().fold(0.0, f64::max)].map(|v| format!("{v:.3}"))
        });
        let cells: Vec<String> = (0..3).map(|i| format!("{} \\| {}", figures[0][i], figures[1][i])).collect();
        let line = readme.lines().find(|l| l.starts_with(&format!("| `{scheme}`"))).unwrap();
        assert!(line.ends_with(&format!("| {} |", cells.join(" | "))), "{line}: {cells:?}");
    }
}
