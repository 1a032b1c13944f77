//! No dependency cycles: neither between sibling modules of a crate nor between the crates of the workspace
//!
//! Dependencies are taken from the sources: paths that begin with `crate::`, `super::` or `self::`, followed through
//! re-exports of modules, and names of other crates. Unit tests are exempt, and so are dependencies between a module
//! and its submodules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// A cycle of the graph, from a node back to itself.
fn cycle(graph: &Graph) -> Option<Vec<String>> {
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

/// The code outside of tests, without comments.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or(text);
    text.lines().map(|l| l.split("//").next().unwrap_or(l)).collect::<Vec<_>>().join("\n")
}

type Names = Vec<String>;

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Adds the paths at the start of `text` to `found`: one, or those of a group in braces. Returns the rest of `text`.
fn expand<'a>(text: &'a str, before: &[String], found: &mut Vec<Names>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            let next = expand(rest, before, found).trim_start();
            let Some(more) = next.strip_prefix(',') else { return next.strip_prefix('}').unwrap_or(next) };
            rest = more;
        }
        return &rest.trim_start()[1..];
    }
    let (name, rest) = text.split_at(text.find(|c| !is_word(c)).unwrap_or(text.len()));
    if name.is_empty() {
        found.push(before.to_vec());
        return rest.strip_prefix('*').unwrap_or(rest);
    }
    let path = [before, &[name.to_string()]].concat();
    if let Some(rest) = rest.strip_prefix("::") {
        return expand(rest, &path, found);
    }
    found.push(path);
    let alias = rest.strip_prefix(" as ").map(|alias| alias.trim_start_matches(is_word));
    alias.unwrap_or(rest)
}

/// Paths after each `prefix` in `code`, and whether they are public there.
fn paths(code: &str, prefix: &str) -> Vec<(Names, bool)> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // `sim::crate_of` and `my_crate::` are other names
        if code[..at].ends_with(|c| is_word(c) || c == ':') {
            continue;
        }
        let statement = code[..at].rsplit([';', '}', '\n']).next().unwrap_or_default().trim();
        let public = statement.starts_with("pub") && (statement.ends_with("use") || prefix == "use ");
        let mut found = Vec::new();
        expand(&code[at + prefix.len()..], &[], &mut found);
        paths.extend(found.into_iter().map(|path| (path, public)));
    }
    paths
}

/// First names after each `prefix` in `code`.
fn names(code: &str, prefix: &str) -> Names {
    paths(code, prefix).into_iter().filter_map(|(path, _)| path.into_iter().next()).collect()
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

/// The modules of a crate, with the paths that they name and re-export.
#[derive(Default)]
struct Modules {
    named: BTreeMap<Names, Vec<Names>>,
    exports: BTreeMap<Names, Names>,
}

impl Modules {
    /// Reads the modules of the crate whose sources are in `src`.
    fn of(src: &Path) -> Self {
        let mut modules = Self::default();
        for file in sources(src) {
            let place = place(src, &file);
            let code = code(&std::fs::read_to_string(&file).unwrap());
            modules.add(&place, &code);
        }
        modules
    }

    fn add(&mut self, place: &[String], code: &str) {
        let supers = (1..=place.len()).map(|n| ("super::".repeat(n), &place[..place.len() - n]));
        let roots = [("crate::".to_string(), &[][..]), ("self::".to_string(), place)];
        let mut named = Vec::new();
        for (prefix, root) in roots.into_iter().chain(supers) {
            for (path, public) in paths(code, &prefix) {
                // `super::super::` is another prefix
                if path.first().is_none_or(|name| name == "super") {
                    continue;
                }
                let path = [root, &path].concat();
                if public {
                    self.export(place, &path);
                }
                named.push(path);
            }
        }
        // a module names its submodules without a prefix
        for (path, _) in paths(code, "use ").into_iter().filter(|(_, public)| *public) {
            if path.first().is_some_and(|name| !["crate", "self", "super"].contains(&name.as_str())) {
                self.export(place, &[place, &path].concat());
            }
        }
        self.named.entry(place.to_vec()).or_default().extend(named);
    }

    fn export(&mut self, place: &[String], path: &[String]) {
        self.exports.insert([place, &path[path.len() - 1..]].concat(), path.to_vec());
    }

    /// The module that contains the item of a path.
    fn module(&self, path: &[String]) -> Names {
        let mut path = path.to_vec();
        // a re-export of a re-export, with a limit against cycles
        for _ in 0..8 {
            let known = |n: &usize| self.exports.contains_key(&path[..*n]) && !self.named.contains_key(&path[..*n]);
            let Some(n) = (1..=path.len()).rev().find(known) else { break };
            path = [&self.exports[&path[..n]], &path[n..]].concat();
        }
        while !self.named.contains_key(&path) && path.pop().is_some() {}
        path
    }

    /// Dependencies between sibling modules, by their parent module.
    fn graphs(&self) -> BTreeMap<String, Graph> {
        let mut graphs = BTreeMap::<String, Graph>::new();
        for (from, named) in &self.named {
            for to in named.iter().map(|path| self.module(path)) {
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                    let graph = graphs.entry(from[..common].join("::")).or_default();
                    graph.entry(a.clone()).or_default().insert(b.clone());
                }
            }
        }
        graphs
    }
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

/// Modules that still have cycles: parameters and schemes, which name each other's types; ports that the spine and the
/// ingress share; a hart and its bus; code that files carry and the files; the expansion of captures and the code that it
/// collects; the ring of the plugin and the processes that share it; texts of results.
const KNOWN_CYCLES: [(&str, &str); 7] =
    [("hdl", ""), ("sim", ""), ("sim", "riscv"), ("retire", ""), ("capture", ""), ("capture/plugin", ""), ("diag", "")];

#[test]
fn no_crate_has_a_circle_of_modules() {
    let mut circles = BTreeMap::new();
    let mut arrows = 0;
    for (name, folder) in crates() {
        for (place, graph) in Modules::of(&folder.join("src")).graphs() {
            arrows += graph.values().map(BTreeSet::len).sum::<usize>();
            circles.extend(cycle(&graph).map(|c| ((name.clone(), place), c.join(" -> "))));
        }
    }
    assert!(arrows > 500, "{arrows} arrows are too few to trust this");
    for (name, place) in KNOWN_CYCLES {
        let found = circles.remove(&(name.to_string(), place.to_string()));
        assert!(found.is_some(), "{name}::{place} has no circle any more: take it out of CIRCLES");
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn crates_depend_only_on_lower_layers() {
    let crates = crates();
    let mut graph = Graph::new();
    for (name, folder) in &crates {
        let code: String =
            sources(&folder.join("src")).iter().map(|f| code(&std::fs::read_to_string(f).unwrap())).collect();
        let uses = crates.keys().filter(|other| *other != name && !names(&code, &format!("{other}::")).is_empty());
        graph.insert(name.clone(), uses.cloned().collect());
    }
    assert_eq!(cycle(&graph), None);
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
    assert_eq!(cycle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let found = cycle(&graph(&[("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")])).unwrap();
    assert_eq!(found, ["b", "c", "d", "b"]);
}

#[test]
fn arrows_are_read_off_the_paths() {
    let text =
        "use crate::a::B;\nuse crate::{c, d::{E, F}, g};\n// use crate::h;\nfn f() { crate::i::j(); my_crate::k(); }\n\
                #[cfg(test)]\nmod tests { use crate::l; }";
    assert_eq!(names(&code(text), "crate::"), ["a", "c", "d", "d", "g", "i"]);
    assert_eq!(names("use super::super::m::n; use super::o;", "super::super::"), ["m"]);
}

#[test]
fn arrows_are_followed_through_what_modules_re_export() {
    let mut modules = Modules::default();
    let place = |path: &str| path.split("::").map(String::from).collect::<Names>();
    modules.add(&place("a"), "pub mod b;\npub mod c;\npub use b::B;\npub(super) use self::c::{C, D as E};");
    modules.add(&place("a::b"), "use super::c;\nuse super::super::d::{self, F};\nfn f() -> crate::d::F {}");
    modules.add(&place("a::c"), "use super::B;");
    modules.add(&place("d"), "use crate::a::C;");
    let graphs = modules.graphs();
    let arrows = |place: &str| format!("{:?}", graphs[place]);
    assert_eq!(arrows(""), r#"{"a": {"d"}, "d": {"a"}}"#);
    assert_eq!(arrows("a"), r#"{"b": {"c"}, "c": {"b"}}"#);
}
