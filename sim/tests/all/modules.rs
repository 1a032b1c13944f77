//! No circles: neither between the top-level modules of a crate nor between the crates of the workspace
//!
//! The arrows are read off the sources: paths that begin with `crate::` or with `super::`, and names of other crates.
//! Unit tests may look anywhere, and are left out; so is the root of a crate, which only wires.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// A circle of the graph, from a node back to itself.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn visit(graph: &Graph, node: &str, path: &mut Vec<String>, done: &mut BTreeSet<String>) -> bool {
        if let Some(at) = path.iter().position(|n| n == node) {
            path.drain(..at);
            path.push(node.to_string());
            return true;
        }
        if !done.contains(node) {
            path.push(node.to_string());
            for next in graph.get(node).into_iter().flatten() {
                if visit(graph, next, path, done) {
                    return true;
                }
            }
            path.pop();
            done.insert(node.to_string());
        }
        false
    }
    let (mut path, mut done) = (Vec::new(), BTreeSet::new());
    graph.keys().any(|node| visit(graph, node, &mut path, &mut done)).then_some(path)
}

/// What is compiled outside of tests, without comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    text.lines().map(|l| l.split("//").next().unwrap_or(l)).collect::<Vec<_>>().join("\n")
}

/// First names behind each `prefix` in `code`: one, or those of a group in braces.
fn names(code: &str, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        // `sim::crate_of` and `my_crate::` are other words
        if code[..at].ends_with(|c| word(c) || c == ':') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.extend(rest.split(|c| !word(c)).next().map(String::from));
            continue;
        };
        let (mut depth, mut name) = (0, String::new());
        for c in group.chars() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => names.push(std::mem::take(&mut name)),
                c if depth == 0 => name.push(c),
                _ => {}
            }
        }
        names.push(name);
    }
    names.iter().map(|n| n.trim().split("::").next().unwrap_or_default().trim().to_string()).collect()
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// Modules from the root of the crate to that of a file: `scheme/tr/mod.rs` is `scheme`, `tr`.
fn place(src: &Path, file: &Path) -> Vec<String> {
    let path = file.strip_prefix(src).unwrap().with_extension("");
    let mut names: Vec<String> = path.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// Arrows between the top-level modules of the crate whose sources are in `src`.
fn modules(src: &Path) -> Graph {
    let files = sources(src);
    let mut graph: Graph =
        files.iter().filter_map(|f| place(src, f).first().cloned()).map(|m| (m, BTreeSet::new())).collect();
    for file in &files {
        let place = place(src, file);
        let Some(own) = place.first() else { continue };
        let code = code(&std::fs::read_to_string(file).unwrap());
        // as many `super` as there are modules around it lead to the root
        let root = ["crate::".to_string(), "super::".repeat(place.len())];
        for name in root.iter().flat_map(|prefix| names(&code, prefix)) {
            if name != *own && graph.contains_key(&name) {
                graph.get_mut(own).unwrap().insert(name);
            }
        }
    }
    graph
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Folders of the crates, by their names.
fn crates() -> BTreeMap<String, PathBuf> {
    let manifest = std::fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let members = manifest.split("members = [").nth(1).unwrap().split(']').next().unwrap();
    let members = members.split(',').map(|m| m.trim().trim_matches('"').to_string()).filter(|m| !m.is_empty());
    members.map(|m| (m.clone(), workspace().join(m))).collect()
}

#[test]
fn no_crate_has_a_circle_of_modules() {
    let mut circles = Vec::new();
    let mut arrows = 0;
    for (name, folder) in crates() {
        let graph = modules(&folder.join("src"));
        arrows += graph.values().map(BTreeSet::len).sum::<usize>();
        circles.extend(circle(&graph).map(|c| format!("{name}: {}", c.join(" -> "))));
    }
    assert!(arrows > 100, "{arrows} arrows are too few to trust this");
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

#[test]
fn the_crates_have_no_circle_and_stand_in_the_order_of_the_house() {
    let crates = crates();
    let mut graph = Graph::new();
    for (name, folder) in &crates {
        let code: String =
            sources(&folder.join("src")).iter().map(|f| code(&std::fs::read_to_string(f).unwrap())).collect();
        let uses = crates.keys().filter(|other| *other != name && !names(&code, &format!("{other}::")).is_empty());
        graph.insert(name.clone(), uses.cloned().collect());
    }
    assert_eq!(circle(&graph), None);
    let uses = |a: &str, b: &str| graph[a].contains(b);
    assert!(uses("sim", "retire") && uses("hdl", "sim") && uses("cli", "sim"), "{graph:?}");
    for (above, below) in [("hdl", "sim"), ("cli", "sim"), ("testbenches", "hdl"), ("sim", "retire")] {
        assert!(!uses(below, above), "{below} uses {above}");
    }
}

#[test]
fn a_circle_is_found_and_named() {
    let graph = |arrows: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (a, b) in arrows {
            graph.entry(a.to_string()).or_default().insert(b.to_string());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = circle(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])).unwrap();
    assert_eq!(found, ["b", "c", "d", "b"]);
}

#[test]
fn arrows_are_read_off_the_paths() {
    let text =
        "use crate::a::B;\nuse crate::{c, d::{E, F}, g};\n// use crate::h;\nfn f() { crate::i::j(); my_crate::k(); }\n\
                #[cfg(test)]\nmod tests { use crate::l; }";
    assert_eq!(names(&code(text), "crate::"), ["a", "c", "d", "g", "i"]);
    assert_eq!(names("use super::super::m::n; use super::o;", "super::super::"), ["m"]);
}
