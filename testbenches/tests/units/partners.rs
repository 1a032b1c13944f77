//! Every circuit has a line in its folder's table, and a bench that names what the circuit is checked against

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Circuits that have no bench of their own, and what tests them.
const PARTS: [(&str, &str); 5] = [
    ("hdl/src/bus/pages.rs", "cli/tests/all/self_trace.rs, by a program that uses the registers of encoder and sink"),
    ("hdl/src/widget/delay.rs", "tests/units/front_end.rs, by the clocks of every front end"),
    ("hdl/src/widget/field_mem.rs", "tests/units/event_fifo.rs"),
    ("hdl/src/widget/pair_mem.rs", "tests/units/event_fifo.rs"),
    ("hdl/src/widget/mem.rs", "every bench of a block with a table"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All `.rs` files under `folder`, as paths from the root.
fn sources(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join(folder)).unwrap() {
        let name = format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy());
        if root().join(&name).is_dir() {
            found.extend(sources(&name));
        } else if name.ends_with(".rs") {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Expands `a/{b,c}.rs` to `a/b.rs` and `a/c.rs`.
fn expand_braces(name: &str) -> Vec<String> {
    match name.split_once('{').and_then(|(a, rest)| Some((a, rest.split_once('}')?))) {
        Some((a, (list, b))) => list.split(',').map(|n| format!("{a}{n}{b}")).collect(),
        None => vec![name.to_string()],
    }
}

/// Circuits that a bench names, before `against` in its first paragraph.
fn held(bench: &str) -> Vec<String> {
    let head = text(&root().join(bench));
    let head: Vec<&str> = head.lines().take_while(|l| l.starts_with("//! ")).collect();
    let head = head.join(" ");
    let Some((circuits, _)) = head.split_once(" against ") else { return Vec::new() };
    circuits.split('`').filter(|w| w.starts_with("hdl/src/")).flat_map(expand_braces).collect()
}

#[test]
fn every_circuit_has_a_line_and_a_bench() {
    let held: BTreeSet<String> = sources("testbenches/tests").iter().flat_map(|b| held(b)).collect();
    let mut missing = Vec::new();
    let mut blocks = 0;
    for file in sources("hdl/src") {
        let source = text(&root().join(&file));
        if !["#[derive(LogicBlock", "#[derive(crate::LogicBlock"].iter().any(|derive| source.contains(derive)) {
            continue;
        }
        blocks += 1;
        let (folder, name) = file.rsplit_once('/').unwrap();
        let list = if folder == "hdl/src" { "lib.rs" } else { "mod.rs" };
        let line = format!("[`{}`]", name.trim_end_matches(".rs"));
        if !text(&root().join(folder).join(list)).lines().any(|l| l.starts_with("//! |") && l.contains(&line)) {
            missing.push(format!("{file}: no line {line} in the table of {folder}/{list}"));
        }
        if !held.contains(&file) && !PARTS.iter().any(|(part, _)| *part == file) {
            missing.push(format!("{file}: no bench in testbenches/tests names it before `against` at its head"));
        }
    }
    assert!(blocks > 20, "{blocks} blocks are too few: were they looked for in the right place?");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// `hdl_derive` has the order of a sweep that needs few of them.
#[test]
fn circuits_derive_what_settles_in_few_sweeps() {
    let mut wrong = Vec::new();
    for file in ["hdl/src", "fpga/src"].into_iter().flat_map(sources) {
        let source = text(&root().join(&file));
        let named = ["use crate::LogicBlock;", "use hdl::LogicBlock;"].iter().any(|line| source.contains(line));
        if source.contains("#[derive(LogicBlock") && !named {
            wrong.push(file);
        }
    }
    assert!(
        wrong.is_empty(),
        "these derive rust-hdl's LogicBlock, write `use crate::LogicBlock;`: {}",
        wrong.join(", ")
    );
}

#[test]
fn what_a_bench_names_is_there() {
    for bench in sources("testbenches/tests") {
        for file in held(&bench) {
            assert!(root().join(&file).is_file(), "{bench} names {file}, which does not exist");
        }
    }
}
