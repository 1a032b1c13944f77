//! Help texts whose examples can be copied
//!
//! clap wraps lines at the width of the terminal, and a wrapped command is wrong when it is pasted. So blanks in
//! example lines, which start with a blank, are replaced by non-breaking ones until the text is printed.

use crate::output::RED;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::Command;
use options::rule::{and, or};
use std::ffi::OsString;

/// A non-breaking blank.
const NON_BREAKING_SPACE: &str = "\u{a0}";

/// `command` and its subcommands, with examples that are not wrapped.
pub fn with_unwrapped_examples(command: Command) -> Command {
    let firm = |text: String| {
        let lines =
            text.lines().map(|l| if l.starts_with(' ') { l.replace(' ', NON_BREAKING_SPACE) } else { l.to_string() });
        lines.collect::<Vec<_>>().join("\n")
    };
    let command = match command.get_after_help().map(ToString::to_string) {
        Some(text) => command.after_help(firm(text)),
        None => command,
    };
    command.mut_subcommands(with_unwrapped_examples)
}

/// The words of the command line; `help help` prints the same as `help`.
pub fn words(root: &Command, given: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = given.collect();
    let mut command = root;
    for at in 1..words.len() {
        if words[at] == "help" && command.has_subcommands() {
            let mut place = 0;
            words.retain(|w| {
                place += 1;
                place <= at || (w != "--help" && w != "-h")
            });
            break;
        }
        match words[at].to_str().and_then(|word| command.find_subcommand(word)) {
            Some(found) => command = found,
            None => break,
        }
    }
    words
}

/// Prints a help text or the version.
pub fn print(help: &Error) {
    use std::io::Write;
    let text = help.render().ansi().to_string().replace(NON_BREAKING_SPACE, " ");
    // ignores a closed pipe
    let _ = write!(anstream::stdout(), "{text}");
}

/// What is wrong with the command line of `root`, after the program's name.
pub fn print_error(error: &Error, root: &Command) {
    let text = bad_value(error)
        .or_else(|| not_built(error))
        .or_else(|| of_another_command(error, root))
        .unwrap_or_else(|| error.render().to_string().replace(NON_BREAKING_SPACE, " "));
    anstream::eprint!("{RED}goshawk:{RED:#} {}", text.strip_prefix("error: ").unwrap_or(&text));
}

/// Commands that are named for an option of other commands.
const NAMED: usize = 4;

/// An option that the command does not have, and others do.
fn of_another_command(error: &Error, root: &Command) -> Option<String> {
    let (ErrorKind::UnknownArgument, Some(ContextValue::String(arg))) =
        (error.kind(), error.get(ContextKind::InvalidArg))
    else {
        return None;
    };
    let name = arg.strip_prefix("--")?.split('=').next()?;
    let has = |c: &&Command| c.get_arguments().any(|a| a.get_long() == Some(name));
    let mut found: Vec<String> = root.get_subcommands().filter(has).map(|c| format!("`{}`", c.get_name())).collect();
    if found.is_empty() {
        return None;
    }
    if found.len() > NAMED {
        found.truncate(NAMED);
        found.push("others".into());
    }
    let have = if found.len() == 1 { "has" } else { "have" };
    Some(format!("`--{name}`: not an option of this command; {} {have} it\n", and(found)))
}

/// Commands that need the feature `hardware`.
const HARDWARE: [&str; 8] = ["demo", "diag", "gates", "gen", "registers", "serial", "sim", "soc"];

/// A command that this build is without.
fn not_built(error: &Error) -> Option<String> {
    match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(name)))
            if cfg!(not(feature = "hardware")) && HARDWARE.contains(&name.as_str()) =>
        {
            Some(format!(
                "`{name}`: this build has no circuits; `cargo install --path cli` without `--no-default-features` builds \
                 all commands\n"
            ))
        }
        _ => None,
    }
}

/// A value that an argument does not take, in the form of all other errors: the option as it was typed, and what is
/// expected.
fn bad_value(error: &Error) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    };
    let (arg, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue).filter(|v| !v.is_empty())?);
    let typed = match arg.split_once(' ') {
        Some((option, _)) => format!("`{option} {value}`"),
        None => format!("`{value}` as {arg}"),
    };
    let why = match (error.kind(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(values))) => {
            format!("expected {}", or(values.iter().cloned()))
        }
        (ErrorKind::ValueValidation, _) => expected(&std::error::Error::source(error)?.to_string()),
        _ => return None,
    };
    Some(format!("{typed}: {why}\n"))
}

/// Why clap's own parsers refuse a number, without the syntax of Rust.
fn expected(why: &str) -> String {
    if let Some((_, range)) = why.split_once(" is not in ") {
        let (from, to) = range.split_once("..").unwrap_or((range, ""));
        return match to.strip_prefix('=') {
            Some(to) => format!("expected {from} to {to}"),
            None => format!("expected {from} or more"),
        };
    }
    let of_std = ["invalid digit", "cannot parse", "number too large", "number too small", "invalid float"];
    match of_std.iter().any(|text| why.starts_with(text)) {
        true => "expected a number".into(),
        false => why.into(),
    }
}
