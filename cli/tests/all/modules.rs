//! Modules of the command: subcommands use lower modules and never each other

use std::path::Path;

/// Shared modules, lowest level first: a module only uses modules of lower levels.
const SHARED: [&[&str]; 10] = [
    &["help"],
    &["error", "signals"],
    &["files", "options", "output"],
    &["progress"],
    &["locations"],
    &["args", "vectors", "etrace"],
    &["run"],
    &["cfiat", "circuit", "descriptors", "hardware", "inputs", "measured", "ports", "testbench"],
    &["describe"],
    &["package"],
];

/// Level of a module; subcommands are above all shared modules.
fn level(module: &str) -> usize {
    SHARED.iter().position(|names| names.contains(&module)).unwrap_or(SHARED.len())
}

/// Modules named in the text of a file: after `crate::`, single or in braces.
fn named(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + 7..];
        let list = match rest.strip_prefix('{') {
            Some(inner) => inner.split('}').next().unwrap_or_default(),
            None => rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default(),
        };
        let first = |item: &str| item.trim().split("::").next().unwrap_or_default().to_string();
        // types re-exported by the root come from `error`
        names.extend(list.split(',').map(first).filter(|n| n.starts_with(|c: char| c.is_ascii_lowercase())));
    }
    names
}

fn check(folder: &Path, command: Option<&str>, found: &mut usize) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_string();
        if path.is_dir() {
            check(&path, Some(&stem), found);
            continue;
        }
        if stem == "lib" || stem == "main" {
            continue;
        }
        let module = command.unwrap_or(&stem);
        for name in named(&std::fs::read_to_string(&path).unwrap()) {
            *found += 1;
            assert!(
                name == module || level(&name) < level(module),
                "{}: names {name}; a command takes what it shares with others from below: {SHARED:?}",
                path.display()
            );
        }
    }
}

#[test]
fn no_module_names_one_beside_or_above_it() {
    assert_eq!(named("use crate::{progress, Failure}; crate::args::X; use crate::Failure;"), ["progress", "args"]);
    let mut found = 0;
    check(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), None, &mut found);
    assert!(found > 40, "{found}");
}
