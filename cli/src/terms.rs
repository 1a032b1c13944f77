//! What a user reads is written in the field's words: those that mean something here alone are refused
//!
//! Help is read from the commands; errors and output are the string literals of every crate's sources.

use crate::Cli;
use clap::{Command, CommandFactory};
use std::path::{Path, PathBuf};

/// Home-made words, and what to write instead (docs/reference/glossary.md).
const TERMS: &[(&str, &str)] = &[
    ("tell", "report, show or encode"),
    ("tells", "reports, shows or encodes"),
    ("told", "reported, shown or encoded"),
    ("held to", "checked against"),
    ("a clock", "per cycle, or one cycle"),
    ("anew", "again, or repeated"),
    ("beside", "with, next to, or in addition to"),
    ("besides", "in addition to"),
    ("behind", "after"),
    ("places", "entries, or locations"),
    ("landing", "resync PC FIFO"),
    ("settle", "warm-up"),
    ("haste", "scale of the warm-up"),
    ("veil", "filter"),
    ("verdict", "decision"),
    ("roomy", "below the watermark"),
    ("brim", "full"),
    ("crowd", "almost full"),
    ("goes by", "passes"),
    ("stands", "is, or holds"),
    ("mended", "fixed"),
    ("one's own", "your own"),
    ("of its own", "separate"),
    ("of their own", "separate"),
    ("so many", "the number, or this many"),
    ("would be right", "expected ..."),
    ("are possible", "expected ..."),
];

/// Crates whose texts are read by users.
const CRATES: &[&str] = &["sim", "retire", "host", "capture", "diag", "hdl", "fpga", "sweep", "report", "cli"];

/// Sources whose literals are not read, and why.
const NOT_READ: &[(&str, &str)] = &[
    ("cli/src/terms.rs", "the words themselves"),
    ("cli/src/names.rs", "a test"),
    ("cli/src/testbench.rs", "Verilog"),
    ("cli/src/testbench/", "Verilog"),
    ("cli/src/diag/vectors.rs", "Verilog"),
    ("fpga/src/soc/core/cv32e40p.rs", "Verilog"),
    ("hdl/src/verilog/blocks.rs", "comments of the emitted Verilog, which changes with the circuits alone"),
    ("hdl/src/scheme/cfiat/vectors.rs", "conditions on fields of the test vectors, by their names"),
    ("hdl/src/scheme/data.rs", "heading of the test vectors, which the test bench reads"),
    ("hdl/src/ingress/", "panics of constructors"),
    ("hdl/src/spine/stamp.rs", "panics of constructors"),
];

/// Every help text of a command and its subcommands, with its location.
fn texts(command: &Command, path: &str, to: &mut Vec<(String, String)>) {
    let mut add = |place: String, text: Option<String>| to.extend(text.map(|t| (place, t)));
    let text = |t: Option<&clap::builder::StyledStr>| t.map(ToString::to_string);
    for t in [command.get_about(), command.get_long_about(), command.get_after_help(), command.get_after_long_help()] {
        add(path.into(), text(t));
    }
    for arg in command.get_arguments() {
        let place = format!("{path} {}", arg.get_long().map_or(arg.get_id().to_string(), |long| format!("--{long}")));
        add(place.clone(), text(arg.get_help()));
        add(place.clone(), text(arg.get_long_help()));
        for value in arg.get_possible_values() {
            add(format!("{place} {}", value.get_name()), text(value.get_help()));
        }
    }
    for below in command.get_subcommands() {
        texts(below, &format!("{path} {}", below.get_name()), to);
    }
}

/// The words of a text, without what is between them.
fn words(text: &str) -> Vec<String> {
    let split = text.split(|c: char| !c.is_alphanumeric() && !"'-_.".contains(c));
    split.map(|w| w.trim_matches(['.', '\'']).to_lowercase()).filter(|w| !w.is_empty()).collect()
}

/// Whether `text` has the words of `term`.
fn has(text: &str, term: &str) -> bool {
    let (text, term) = (words(text), words(term));
    text.windows(term.len()).any(|w| *w == term[..])
}

/// The texts that have home-made words, each with what to write instead.
fn refused(texts: &[(String, String)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (place, text) in texts {
        let terms = TERMS.iter().filter(|(term, _)| has(text, term));
        found.extend(terms.map(|(term, right)| format!("{place}: `{term}` in \"{text}\"; write {right}")));
    }
    found.dedup();
    found
}

/// The string literals of a source, with their lines, as far as they are read: no comments, and no tests, which are last
/// in each file.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = source.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let (mut found, mut rest) = (Vec::new(), source);
    let line = |rest: &str| source[..source.len() - rest.len()].lines().count();
    while let Some(at) = rest.find(['"', '/', '\'', 'r']) {
        let (before, here) = rest.split_at(at);
        let starts_word = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let hashes = here[1..].chars().take_while(|c| *c == '#').count();
        rest = if here.starts_with("//") {
            here.find('\n').map_or("", |end| &here[end..])
        } else if let Some(text) = here.strip_prefix('\'') {
            // a character, or the name of a lifetime
            let escaped = usize::from(text.starts_with('\\'));
            let end = here[1 + escaped..].char_indices().nth(1).map_or(here.len(), |(i, _)| 1 + escaped + i);
            if here[end..].starts_with('\'') {
                &here[end + 1..]
            } else {
                &here[1..]
            }
        } else if here.starts_with('r') && starts_word && here[1 + hashes..].starts_with('"') {
            let text = &here[2 + hashes..];
            let end = text.find(&format!("\"{}", "#".repeat(hashes))).unwrap_or(text.len());
            found.push((line(here), text[..end].to_string()));
            &text[end + 1 + hashes..]
        } else if let Some(text) = here.strip_prefix('"') {
            let mut escaped = false;
            let end = text.find(|c| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.unwrap_or(text.len());
            let joined: Vec<&str> = text[..end].split("\\\n").collect();
            let joined = joined.iter().enumerate().map(|(i, part)| if i == 0 { part } else { part.trim_start() });
            found.push((line(here), joined.collect()));
            &text[end + 1..]
        } else {
            &here[1..]
        };
    }
    found
}

/// A format string without the names of its values.
fn without_values(text: &str) -> String {
    text.split('{')
        .enumerate()
        .map(|(i, part)| if i == 0 { part } else { part.split_once('}').map_or(part, |p| p.1) })
        .collect()
}

/// The sources below a folder.
fn sources(folder: &Path, to: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, to);
        } else if path.extension().is_some_and(|e| e == "rs") {
            to.push(path);
        }
    }
}

#[test]
fn help_has_no_home_made_words() {
    let mut all = Vec::new();
    texts(&Cli::command(), "goshawk", &mut all);
    assert!(all.len() > 500, "{} texts are too few", all.len());
    let found = refused(&all);
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

#[test]
fn errors_and_output_have_no_home_made_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    CRATES.iter().for_each(|c| sources(&root.join(c).join("src"), &mut files));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let name = file.strip_prefix(&root).unwrap().display().to_string();
        if NOT_READ.iter().any(|(path, _)| name.starts_with(path)) {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        let texts = literals(&source).into_iter().map(|(line, text)| (line, without_values(&text)));
        let sentences = texts.filter(|(_, text)| words(text).len() >= 3);
        all.extend(sentences.map(|(line, text)| (format!("{name}:{line}"), text)));
    }
    assert!(all.len() > 2000, "{} texts are too few", all.len());
    let found = refused(&all);
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
    for (path, _) in NOT_READ {
        assert!(root.join(path).exists(), "{path} is not there any more");
    }
}

#[test]
fn a_term_is_found_as_a_word() {
    assert!(has("What is Told, then", "told"));
    assert!(has("One block a clock.", "a clock"));
    assert!(!has("untold; told_2 and fortold", "told"));
}

#[test]
fn literals_are_found_without_comments_and_tests() {
    let source = "// \"no\"\nfn f<'a>(x: &'a str) { p('\"', '\\'', \"one \\\"two\\\" \\\n   three\", r#\"raw \"x\"\"#); } /// \"no\"\n\
                  #[cfg(test)]\nmod tests { \"no\" }";
    let found: Vec<String> = literals(source).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["one \\\"two\\\" three", "raw \"x\""]);
}
