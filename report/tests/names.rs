//! Names of code and of tests that pages mention exist

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn find(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, extension, found);
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
}

/// The Rust sources of all crates, with their texts.
fn sources() -> Vec<(PathBuf, String)> {
    let crates = [
        "retire",
        "sim",
        "hdl",
        "hdl-derive",
        "host",
        "diag",
        "sweep",
        "report",
        "capture",
        "fpga",
        "programs",
        "testbenches",
        "cli",
        "options",
    ];
    let mut found = Vec::new();
    crates.iter().for_each(|c| find(&root().join(c), "rs", &mut found));
    found.into_iter().map(|path| (path.clone(), std::fs::read_to_string(&path).unwrap())).collect()
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The code spans of a text, without those of code blocks.
fn spans(text: &str) -> Vec<&str> {
    let prose = text.split("```").step_by(2);
    prose.flat_map(|part| part.lines().flat_map(|line| line.split('`').skip(1).step_by(2))).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The names in a span of code that is a path (`a::B`, `some_name`, `TypeName`).
fn code_names(span: &str) -> Vec<&str> {
    let is_path = span.chars().all(|c| is_word(c) || c == ':') && span.starts_with(|c: char| c.is_ascii_alphabetic());
    let type_name = span.starts_with(|c: char| c.is_ascii_uppercase()) && span.chars().any(|c| c.is_ascii_lowercase());
    let is_name = span.contains("::") || span.contains('_') || type_name;
    if is_path && is_name {
        span.split("::").filter(|name| !name.is_empty()).collect()
    } else {
        Vec::new()
    }
}

/// Pages that explain the code to those who change it.
const PAGES: [&str; 3] =
    ["docs/how-to/extend.md", "docs/explanation/architecture.md", "docs/explanation/trace-module.md"];

/// Names on these pages that are no names of code: ports of generated modules, and parts of names to replace.
const OTHER: [&str; 5] = ["stall_i", "NAME_mem", "NAME_cross_mem", "NAME_pair_mem", "NAME_field_mem"];

#[test]
fn names_of_code_on_pages_exist() {
    let sources = sources();
    let mut known: BTreeSet<&str> = sources.iter().flat_map(|(_, text)| text.split(|c| !is_word(c))).collect();
    known.extend(sources.iter().filter_map(|(path, _)| path.file_stem()?.to_str()));
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for name in PAGES {
        let text = page(name);
        for span in spans(&text) {
            let names = code_names(span);
            checked += names.len();
            let missing = names.iter().filter(|n| !known.contains(**n) && !OTHER.contains(n));
            wrong.extend(missing.map(|n| format!("{name}: `{span}`: no source has `{n}`")));
        }
    }
    assert!(checked > 60, "{checked} names");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn paths_of_files_on_pages_exist() {
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for name in PAGES {
        let text = page(name);
        for span in spans(&text) {
            let is_file = span.contains('/') && [".rs", ".md", ".py", ".toml"].iter().any(|e| span.ends_with(e));
            if !is_file || span.contains(' ') {
                continue;
            }
            checked += 1;
            if !root().join(span).exists() {
                wrong.push(format!("{name}: {span} does not exist"));
            }
        }
    }
    assert!(checked > 20, "{checked} paths");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The functions of each module, by the name of its file and of the folder that the file is in.
fn functions(sources: &[(PathBuf, String)]) -> BTreeMap<String, BTreeSet<&str>> {
    let mut found: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in sources {
        let names =
            text.lines().filter_map(|line| line.trim_start().strip_prefix("fn ")?.split(|c| !is_word(c)).next());
        let names: Vec<&str> = names.collect();
        let folder = path.parent().and_then(Path::file_name);
        for module in path.file_stem().into_iter().chain(folder) {
            found.entry(module.to_string_lossy().into_owned()).or_default().extend(names.iter().copied());
        }
    }
    found
}

/// What a text says about tests to run: `--test units formal::chunks` and `cargo test ... lane::`.
fn test_filters(text: &str) -> Vec<(&str, &str)> {
    let commands = text.lines().filter(|l| l.contains("cargo test") && !l.contains('`'));
    let mentioned =
        spans(text).into_iter().filter(|s| s.contains("--test ") || s.contains("--lib ") || s.contains("cargo test"));
    let words = commands.chain(mentioned).flat_map(str::split_whitespace);
    let names = words.map(|word| word.trim_matches(|c| !is_word(c) && c != ':'));
    let mut found: Vec<(&str, &str)> = names.filter_map(|name| name.rsplit_once("::")).collect();
    found.iter_mut().for_each(|(module, _)| *module = module.rsplit("::").next().unwrap_or(module));
    found
}

#[test]
fn tests_that_pages_name_exist() {
    let sources = sources();
    let functions = functions(&sources);
    let mut pages = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    find(&root().join("docs"), "md", &mut pages);
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in pages {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        for (module, test) in test_filters(&text) {
            checked += 1;
            match functions.get(module) {
                None => wrong.push(format!("{name}: there is no module `{module}` with tests")),
                Some(tests) if !tests.iter().any(|t| t.starts_with(test)) => {
                    wrong.push(format!("{name}: `{module}` has no test `{test}`"));
                }
                Some(_) => {}
            }
        }
    }
    assert!(checked > 100, "{checked} tests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn spans_and_filters_are_read_from_text() {
    let text = "Run `cargo test -p x --test units a::b_c` or `Part::latency`.\n```\n`no`\n$ cargo test y::z::\n```\n`--lib q::`";
    assert_eq!(spans(text), ["cargo test -p x --test units a::b_c", "Part::latency", "--lib q::"]);
    assert_eq!(test_filters(text), [("z", ""), ("a", "b_c"), ("q", "")]);
    assert_eq!(code_names("hdl::spine::credits"), ["hdl", "spine", "credits"]);
    assert_eq!(code_names("TraceFsm"), ["TraceFsm"]);
    assert!(code_names("--set small").is_empty() && code_names("S2").is_empty() && code_names("plain").is_empty());
}
