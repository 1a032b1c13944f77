//! Test that help texts use standard terms: home-made ones are refused

use crate::Cli;
use clap::{Command, CommandFactory};

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

/// Whether `text` contains the words of `term`, with any punctuation around them.
fn has(text: &str, term: &str) -> bool {
    let words = |t: &str| -> Vec<String> {
        let split = t.split(|c: char| !c.is_alphanumeric() && !"'-_.".contains(c));
        split.map(|w| w.trim_matches(['.', '\'']).to_lowercase()).filter(|w| !w.is_empty()).collect()
    };
    let (text, term) = (words(text), words(term));
    text.windows(term.len()).any(|w| *w == term[..])
}

#[test]
fn help_has_no_home_made_words() {
    let mut all = Vec::new();
    texts(&Cli::command(), "goshawk", &mut all);
    assert!(all.len() > 500, "{} texts are too few", all.len());
    let mut found: Vec<String> = Vec::new();
    for (place, text) in &all {
        let terms = TERMS.iter().filter(|(term, _)| has(text, term));
        found.extend(terms.map(|(term, right)| format!("{place}: `{term}` in \"{text}\"; write {right}")));
    }
    found.dedup();
    assert!(found.is_empty(), "{} texts:\n{}", found.len(), found.join("\n"));
}

#[test]
fn a_term_is_found_as_a_word() {
    assert!(has("What is Told, then", "told"));
    assert!(has("One block a clock.", "a clock"));
    assert!(!has("untold; told_2 and fortold", "told"));
}
