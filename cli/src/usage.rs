//! Errors of the command line, in the form of all other errors: the option and its value as they were typed, what was found, and what would be right

use crate::help::NON_BREAKING_SPACE;
use crate::output::RED;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command};
use host::text::number;
use options::rule::{and, or};
use std::ffi::OsString;

/// Prints what is wrong with the words of a command line of `root`, after the program's name.
pub fn print(error: &Error, root: &Command, words: &[OsString]) {
    // clap completes the names of options, as its own errors have them, when it builds the commands
    let mut built = root.clone();
    built.build();
    let line = Line::new(&built, words);
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && line.name == "goshawk" {
        // without words, the help is not an error message
        anstream::eprint!("{}", error.render().to_string().replace(NON_BREAKING_SPACE, " "));
        return;
    }
    let text = bad_value(error)
        .or_else(|| no_value(error))
        .or_else(|| not_built(error))
        .or_else(|| of_another_command(error, root))
        .or_else(|| line.missing(error))
        .or_else(|| line.conflict(error))
        .or_else(|| line.unknown(error))
        .or_else(|| line.unknown_command(error))
        .or_else(|| line.no_command(error))
        .unwrap_or_else(|| error.render().to_string().replace(NON_BREAKING_SPACE, " "));
    anstream::eprint!("{RED}goshawk:{RED:#} {}", text.strip_prefix("error: ").unwrap_or(&text));
}

/// The text of a part of an error.
fn text(error: &Error, kind: ContextKind) -> Option<&str> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text),
        ContextValue::Strings(texts) => texts.first().map(String::as_str),
        _ => None,
    }
}

/// Arguments that are missing: `--output <FILE>`.
fn missing(error: &Error) -> Vec<String> {
    match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(names))) => names.clone(),
        _ => Vec::new(),
    }
}

/// A line after an error that shows how the command is used.
fn usage(error: &Error) -> String {
    match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => format!("\n\n{usage}\n\nFor more information, try '--help'.\n"),
        _ => "\n".into(),
    }
}

/// The words of a command line, and the command that they name.
struct Line<'a> {
    root: &'a Command,
    words: &'a [OsString],
    command: &'a Command,
    /// The words of the command, such as `goshawk soc sim`.
    name: String,
}

impl<'a> Line<'a> {
    fn new(root: &'a Command, words: &'a [OsString]) -> Self {
        let (mut command, mut name) = (root, root.get_name().to_string());
        for word in words.iter().skip(1) {
            let Some(found) = word.to_str().and_then(|word| command.find_subcommand(word)) else { break };
            command = found;
            name = format!("{name} {}", found.get_name());
        }
        Self { root, words, command, name }
    }

    /// The option that a word is, if it is one.
    fn option(&self, word: &str) -> Option<&'a Arg> {
        let named = |arg: &&Arg| match word.strip_prefix("--") {
            Some(long) => arg
                .get_long_and_visible_aliases()
                .is_some_and(|names| long.split('=').next().is_some_and(|l| names.contains(&l))),
            None => word.strip_prefix('-').is_some_and(|short| arg.get_short().is_some_and(|c| short.starts_with(c))),
        };
        self.command.get_arguments().find(named)
    }

    /// The options with their values, as ranges of words.
    fn options(&self) -> Vec<std::ops::Range<usize>> {
        let mut found = Vec::new();
        let mut at = 1;
        while let Some(word) = self.words.get(at).map(|w| w.to_string_lossy()).filter(|w| w != "--") {
            let Some(arg) = self.option(&word) else {
                at += 1;
                continue;
            };
            // a value may be in the same word: `--harts=4`, `-oFILE`
            let own = word.contains('=') || !word.starts_with("--") && word.len() > 2;
            let end = at + 1 + usize::from(arg.get_action().takes_values() && !own);
            found.push(at..end.min(self.words.len()));
            at = end;
        }
        found
    }

    fn typed(&self, range: std::ops::Range<usize>) -> String {
        self.words[range].iter().map(|w| w.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    /// An option of an error, such as `--uart <CLOCKS>`, with the value that was typed.
    fn as_typed(&self, arg: &str) -> String {
        let name = arg.split(' ').next().unwrap_or(arg);
        let is = |range: &std::ops::Range<usize>| {
            let word = self.words[range.start].to_string_lossy().into_owned();
            word.split('=').next() == Some(name) || self.option(&word).is_some_and(|a| a.to_string() == arg)
        };
        self.options().into_iter().find(is).map_or_else(|| arg.into(), |range| self.typed(range))
    }

    /// An argument is missing: always, or because of an option that was typed.
    fn missing(&self, error: &Error) -> Option<String> {
        let names = missing(error);
        let first = names.first()?;
        let without = |range: &std::ops::Range<usize>| {
            let mut words = self.words.to_vec();
            words.drain(range.clone());
            match self.root.clone().try_get_matches_from(words) {
                Ok(_) => true,
                Err(e) => e.kind() == ErrorKind::MissingRequiredArgument && !missing(&e).contains(first),
            }
        };
        let needed = and(names.iter().map(|name| format!("`{name}`")));
        let what = match self.options().into_iter().find(without) {
            Some(option) => format!("`{}`: needs {needed}", self.typed(option)),
            None => format!("{needed} {} required", if names.len() == 1 { "is" } else { "are" }),
        };
        Some(what + &usage(error))
    }

    /// Two options exclude each other, or one is given twice.
    fn conflict(&self, error: &Error) -> Option<String> {
        if error.kind() != ErrorKind::ArgumentConflict {
            return None;
        }
        let (arg, other) = (text(error, ContextKind::InvalidArg)?, text(error, ContextKind::PriorArg)?);
        let arg_typed = self.as_typed(arg);
        Some(match arg == other {
            true => format!("`{arg_typed}`: given twice; expected once\n"),
            false => format!("`{arg_typed}`: cannot be used with `{}`\n", self.as_typed(other)),
        })
    }

    /// An option that no command has.
    fn unknown(&self, error: &Error) -> Option<String> {
        if error.kind() != ErrorKind::UnknownArgument {
            return None;
        }
        let arg = text(error, ContextKind::InvalidArg)?;
        if arg.strip_prefix('-').is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit())) {
            let at = self.words.iter().position(|w| w == arg)?;
            let option = self.words[at - 1].to_str().filter(|w| self.option(w).is_some());
            let typed = option.map_or_else(|| arg.to_string(), |option| format!("{option} {arg}"));
            return Some(format!("`{typed}`: expected a number that is not negative\n"));
        }
        if !arg.starts_with('-') {
            return Some(format!("`{arg}`: unexpected argument{}", usage(error)));
        }
        let right = match text(error, ContextKind::SuggestedArg) {
            Some(similar) => format!("a similar one is `{similar}`"),
            None => format!("`goshawk help{}` lists them", self.name.trim_start_matches("goshawk")),
        };
        Some(format!("`{arg}`: not an option of `{}`; {right}\n", self.name))
    }

    /// The error of a command that only has further commands; its help follows.
    fn no_command(&self, error: &Error) -> Option<String> {
        (error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand && self.name != "goshawk")
            .then(|| format!("`{}` needs a command\n\n{}", self.name, error.render()))
    }

    /// A command that does not exist.
    fn unknown_command(&self, error: &Error) -> Option<String> {
        if error.kind() != ErrorKind::InvalidSubcommand {
            return None;
        }
        let name = text(error, ContextKind::InvalidSubcommand)?;
        // the words after `help` are commands, too
        let name_of = match self.name.strip_prefix("goshawk help") {
            Some(rest) => format!("goshawk{rest}"),
            None => self.name.clone(),
        };
        let commands: Vec<String> =
            self.command.get_subcommands().map(|c| format!("`{}`", c.get_name())).filter(|c| c != "`help`").collect();
        let right = match text(error, ContextKind::SuggestedSubcommand) {
            Some(similar) => format!("a similar one is `{similar}`"),
            None if name_of == "goshawk" => "`goshawk help` lists them".into(),
            None if commands.is_empty() => "it has no commands".into(),
            None => format!("expected {}, or an option", or(commands.into_iter())),
        };
        Some(format!("`{name}`: not a command of `{name_of}`; {right}\n"))
    }
}

/// Commands that are named for an option of other commands.
const NAMED: usize = 4;

/// An option that the command does not have, and others do.
fn of_another_command(error: &Error, root: &Command) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let arg = text(error, ContextKind::InvalidArg)?;
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
    match (error.kind(), text(error, ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(name)) if cfg!(not(feature = "hardware")) && HARDWARE.contains(&name) => {
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
    let arg = text(error, ContextKind::InvalidArg)?;
    let value = text(error, ContextKind::InvalidValue).filter(|v| !v.is_empty())?;
    let typed = match arg.split_once(' ') {
        Some((option, _)) => format!("`{option} {value}`"),
        None => format!("`{value}` as {arg}"),
    };
    let why = match (error.kind(), error.get(ContextKind::ValidValue)) {
        (ErrorKind::InvalidValue, Some(ContextValue::Strings(values))) => {
            format!("expected {}", or(values.iter().cloned()))
        }
        (ErrorKind::ValueValidation, _) => {
            match (expected(&std::error::Error::source(error)?.to_string()), number(value)) {
                (why, Some(plain)) if value.contains(',') && why.starts_with("expected a number") => {
                    format!("expected a number without separators: {plain}")
                }
                (why, _) => why,
            }
        }
        _ => return None,
    };
    Some(format!("{typed}: {why}\n"))
}

/// An option without its value.
fn no_value(error: &Error) -> Option<String> {
    let arg = text(error, ContextKind::InvalidArg)?;
    let empty = text(error, ContextKind::InvalidValue).is_some_and(str::is_empty);
    if error.kind() != ErrorKind::InvalidValue || !empty {
        return None;
    }
    let (option, value) = arg.split_once(' ').unwrap_or((arg, "a value"));
    Some(match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            format!("`{option}`: a value is missing; expected {}\n", or(values.iter().cloned()))
        }
        _ => format!("`{option}`: a value is missing; expected `{option} {value}`\n"),
    })
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
