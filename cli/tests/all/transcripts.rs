//! What pages print after a command is what the command prints
//!
//! The pages of `docs/` outside of the tutorials, which `days.rs` repeats, and of the maintainers' part. In a block,
//! lines after `$ goshawk ...` are its standard output, whole and without limits; a line `...` stands for any lines.
//! Blocks after a paragraph that begins with a file name are those files. Compilers of the page are called, too.
//! Commands with softcores run with `GOSHAWK_LONG=1` only.

use crate::common::Place;
use crate::examples::{blocks, markdown, root};
use sim::stimulus::long;
use std::process::Command;

/// A command of a page, and the lines that the page shows after it.
#[derive(Debug, PartialEq)]
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a block.
fn shown(block: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut open = false;
    for line in block.lines() {
        if open {
            let last = &mut found.last_mut().unwrap().command;
            last.push('\n');
            last.push_str(line);
            open = line.ends_with('\\');
        } else if let Some(command) = line.strip_prefix("$ ") {
            open = command.ends_with('\\');
            found.push(Shown { command: command.into(), output: Vec::new() });
        } else if let Some(last) = found.last_mut() {
            last.output.push(line.into());
        }
    }
    found
}

/// Whether `printed` is `shown`, in which a line `...` stands for any lines.
fn matches(shown: &[String], printed: &[&str]) -> bool {
    let same = |a: &str, b: &str| a.trim_end() == b.trim_end();
    match shown.split_first() {
        None => printed.is_empty(),
        Some((dots, rest)) if dots == "..." => (0..=printed.len()).any(|n| matches(rest, &printed[n..])),
        Some((line, rest)) => printed.split_first().is_some_and(|(p, below)| same(line, p) && matches(rest, below)),
    }
}

#[test]
fn dots_stand_for_any_lines() {
    let page = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
    assert!(matches(&page("a\n...\nd"), &["a", "b", "c", "d"]));
    assert!(matches(&page("a\n..."), &["a"]));
    assert!(!matches(&page("a\n...\nd"), &["a", "b", "d", "e"]));
    assert!(!matches(&page("a"), &["a", "b"]));
    let found = shown("$ goshawk run x \\\n    --y\none\n$ next\n");
    assert_eq!(found[0], Shown { command: "goshawk run x \\\n    --y".into(), output: vec!["one".into()] });
    assert_eq!(found[1], Shown { command: "next".into(), output: vec![] });
}

/// The file that a block of the page is, if the paragraph before it begins with its name.
fn file(before: &str) -> Option<&str> {
    let name = before.trim_end().rsplit("\n\n").next()?.strip_prefix('`')?.split('`').next()?;
    (name.contains('.') && !name.contains([' ', '/'])).then_some(name)
}

/// Runs the commands of a page that print something, and what they need; says what differs, and the number compared.
fn differences(name: &str, text: &str) -> (String, usize) {
    let place = Place::new();
    let bin = place.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(assert_cmd::cargo::cargo_bin("goshawk"), bin.join("goshawk")).unwrap();
    std::os::unix::fs::symlink(root().join("programs"), place.path().join("programs")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let (mut wrong, mut compared) = (String::new(), 0);
    let mut without: Vec<String> = Vec::new();
    // what a server or another command in the background would write
    let mut behind: Vec<String> = Vec::new();
    for (before, block) in blocks(text) {
        if let (Some(name), true) = (file(before), shown(block).is_empty()) {
            std::fs::write(place.path().join(name), format!("{block}\n")).unwrap();
        }
        for Shown { command, output } in shown(block) {
            if command.ends_with(" &") {
                behind.extend(command.split_once(" -o ").map(|(_, f)| f.split(' ').next().unwrap().to_string()));
            }
            if command.ends_with(" &") || behind.iter().any(|f| command.contains(f.as_str())) {
                continue;
            }
            let soc = command.contains("--soc") || without.iter().any(|f| command.contains(f.as_str()));
            if soc && !long() {
                // the file that it would write
                without.extend(command.split_once("--trace ").map(|(_, f)| f.split(' ').next().unwrap().to_string()));
                continue;
            }
            let runs = command.starts_with("goshawk ") && !output.is_empty() || command.starts_with("riscv64-");
            if !runs {
                continue;
            }
            let o = Command::new("bash")
                .args(["-c", &command])
                .current_dir(place.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let printed = String::from_utf8_lossy(&o.stdout);
            let lines: Vec<&str> = printed.lines().collect();
            compared += usize::from(!output.is_empty());
            if !matches(&output, &lines) && !output.is_empty() || output.is_empty() && !o.status.success() {
                wrong += &format!("{name}: $ {command}\n{printed}{}\n", String::from_utf8_lossy(&o.stderr));
            }
        }
    }
    (wrong, compared)
}

#[test]
fn outputs_on_pages_are_those_of_the_commands() {
    use rayon::prelude::*;
    let mut files = Vec::new();
    markdown(&root().join("docs"), &mut files);
    let of_others = |name: &str| name.starts_with("docs/tutorials/") || name.starts_with("docs/maintainers/");
    let pages: Vec<(String, String)> = files
        .iter()
        .map(|f| (f.strip_prefix(root()).unwrap().display().to_string(), std::fs::read_to_string(f).unwrap()))
        .filter(|(name, _)| !of_others(name))
        .collect();
    let found: Vec<(String, usize)> = pages.par_iter().map(|(name, text)| differences(name, text)).collect();
    let wrong: String = found.iter().map(|f| f.0.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong}");
    let compared: usize = found.iter().map(|f| f.1).sum();
    assert!(compared > 15, "{compared} outputs");
}

/// The codes in the first cells of the table whose first title is `title`.
fn first_cells(page: &str, title: &str) -> Vec<String> {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let rows = text.lines().skip_while(|l| !l.starts_with(&format!("| {title} |"))).skip(2);
    let cells = rows.take_while(|l| l.starts_with('|')).filter_map(|l| l.split(" | ").next());
    cells.flat_map(|c| c.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>()).collect()
}

#[test]
fn names_of_schemes_on_the_page_of_sweeps_are_accepted() {
    let place = Place::new();
    let schemes = first_cells("docs/how-to/sweep.md", "`--encoding`");
    let suffixes = first_cells("docs/how-to/sweep.md", "suffix");
    assert!(schemes.len() > 15 && suffixes.len() > 5, "{schemes:?} {suffixes:?}");
    let sets = suffixes.iter().map(|s| format!("--encoding tr_e --set small{s}"));
    for options in schemes.iter().map(|s| format!("--encoding {s}")).chain(sets) {
        let o = place.output(&format!("sweep --trace p.elf {options} --dry-run -o x"));
        assert!(o.status.success(), "{options}: {}", String::from_utf8_lossy(&o.stderr));
    }
    assert!(!place.output("sweep --trace p.elf --encoding tr_f --dry-run -o x").status.success());
}
