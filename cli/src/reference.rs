//! The reference page of all commands: `docs/reference/command-line.md`
//!
//! Made from the commands themselves. `tools/reference` writes it; the test below compares it.

use crate::Cli;
use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Commands from which a group of options is described once, at the end of the page.
const SHARED: usize = 3;

/// A group of options: its heading, and the rows of its table.
type Group = (String, String);

/// Text that is whole in the cell of a table, on one line.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// The values of an option that its help does not list.
fn values(arg: &Arg) -> String {
    let possible: Vec<PossibleValue> = arg.get_possible_values().into_iter().filter(|v| !v.is_hide_set()).collect();
    // a flag has the values true and false
    if !arg.get_action().takes_values() || possible.is_empty() {
        return String::new();
    }
    let value = |v: &PossibleValue| match v.get_help() {
        Some(help) => format!("`{}`: {}", v.get_name(), cell(&help.to_string())),
        None => format!("`{}`", v.get_name()),
    };
    format!(". {}", possible.iter().map(value).collect::<Vec<_>>().join("; "))
}

/// The row of an argument.
fn row(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default().join(" ");
    let value = match arg.get_action().takes_values() || arg.is_positional() {
        true if arg.is_positional() => format!("<{names}>"),
        true => format!(" <{names}>"),
        false => String::new(),
    };
    let short = arg.get_short().map(|s| format!("-{s}, ")).unwrap_or_default();
    let long = arg.get_long().map(|l| format!("--{l}")).unwrap_or_default();
    let help = arg.get_long_help().or_else(|| arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let default: Vec<String> = arg.get_default_values().iter().map(|v| v.to_string_lossy().into_owned()).collect();
    let flag = !arg.get_action().takes_values();
    let default = match default.is_empty() || flag || arg.is_hide_default_value_set() {
        true => String::new(),
        false => format!(" [default: {}]", default.join(",")),
    };
    let required = if arg.is_required_set() { ". Required." } else { "" };
    let text = cell(&format!("{}{}{default}", help.trim_end_matches('.'), values(arg)));
    format!("| `{}` | {text}{required} |\n", cell(&format!("{short}{long}{value}")))
}

/// The groups of a command's arguments, in the order of its help.
fn groups(command: &Command) -> Vec<Group> {
    let mut found: Vec<Group> = Vec::new();
    for arg in command.get_arguments().filter(|a| !a.is_hide_set() && a.get_id() != "help" && a.get_id() != "version") {
        let heading = match arg.get_help_heading() {
            Some(heading) => heading.to_string(),
            None if arg.is_positional() => "Arguments".into(),
            None => "Options".into(),
        };
        match found.iter_mut().find(|g| g.0 == heading) {
            Some(group) => group.1 += &row(arg),
            None => found.push((heading, row(arg))),
        }
    }
    found
}

/// Commands without subcommands, with their full names.
fn leaves<'a>(command: &'a Command, name: &str, found: &mut Vec<(String, &'a Command)>) {
    let mut below = command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set()).peekable();
    if below.peek().is_none() {
        found.push((name.into(), command));
    }
    for each in below {
        leaves(each, &format!("{name} {}", each.get_name()), found);
    }
}

/// A help text as Markdown: indented lines are blocks of code.
fn prose(text: &str) -> String {
    let (mut page, mut code, mut blank) = (String::new(), false, 0);
    for line in text.lines() {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        let indented = line.starts_with(' ');
        if code && !indented {
            page += "```\n";
        }
        page += &"\n".repeat(std::mem::take(&mut blank));
        if indented && !code {
            page += "```\n";
        }
        code = indented;
        page += line.strip_prefix("  ").filter(|_| code).unwrap_or(line);
        page.push('\n');
    }
    if code {
        page += "```";
    }
    page.trim_end().to_string()
}

/// The page.
fn page() -> String {
    let mut root = Cli::command();
    root.build();
    let mut commands = Vec::new();
    leaves(&root, "goshawk", &mut commands);
    let mut users: BTreeMap<Group, usize> = BTreeMap::new();
    for (_, command) in &commands {
        groups(command).into_iter().for_each(|g| *users.entry(g).or_default() += 1);
    }
    let shared = |group: &Group| users[group] >= SHARED && !["Arguments", "Options"].contains(&group.0.as_str());
    let mut text = String::from(
        "# Command line\n\nAll commands with their options, as `goshawk help COMMAND` shows them. [Commands by task](../how-to/commands.md) is an \
         overview.\n\nGenerated from the commands by `tools/reference`.\n",
    );
    let table = |text: &mut String, rows: &str| {
        let _ = write!(text, "\n| option | meaning |\n| --- | --- |\n{rows}");
    };
    let mut last: Vec<Group> = Vec::new();
    for (name, command) in &commands {
        let about =
            command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
        let usage = (*command).clone().render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        let _ = write!(text, "\n## {name}\n\n{}\n\n```text\n{usage}\n```\n", prose(&about));
        for group in groups(command) {
            let anchor: String =
                group.0.to_lowercase().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect();
            if shared(&group) {
                let _ = write!(text, "\nOptions of the group [{}](#{}).\n", group.0, anchor.replace(' ', "-"));
                if !last.contains(&group) {
                    last.push(group);
                }
            } else {
                if group.0 != "Arguments" && group.0 != "Options" {
                    let _ = write!(text, "\n{}:\n", group.0);
                }
                table(&mut text, &group.1);
            }
        }
        if let Some(examples) = command.get_after_help().map(ToString::to_string) {
            if let Some(examples) = examples.split("Examples:\n").nth(1) {
                let lines: Vec<&str> = examples.lines().map(str::trim).take_while(|l| !l.is_empty()).collect();
                let _ = write!(text, "\n```text\n{}\n```\n", lines.join("\n"));
            }
        }
    }
    for group in last {
        let _ = write!(text, "\n## {}\n", group.0);
        table(&mut text, &group.1);
    }
    text
}

#[test]
fn the_page_of_all_commands_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/command-line.md");
    if std::env::var("GOSHAWK_REFERENCE").is_ok_and(|v| v == "write") {
        std::fs::write(&path, page()).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    let differs = page().lines().zip(kept.lines()).find(|(made, kept)| made != kept).map(|(made, _)| made.to_string());
    assert!(page() == kept, "docs/reference/command-line.md: tools/reference makes it again; first: {differs:?}");
}

#[test]
fn indented_lines_of_a_help_text_are_code() {
    assert_eq!(prose("One:\n\n  a\n  b\n\nTwo."), "One:\n\n```\na\nb\n```\n\nTwo.");
    assert_eq!(prose("One:\n\n  a"), "One:\n\n```\na\n```");
}
