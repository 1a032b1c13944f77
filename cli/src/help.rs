//! Help whose examples can be copied
//!
//! clap breaks lines where the terminal ends, and a command that is broken is another one when it is pasted. So the
//! blanks of lines that begin with one, the examples, are such that no line is broken at them until the text is printed.

use crate::output::RED;
use clap::error::Error;
use clap::Command;
use std::ffi::OsString;

/// A blank at which no line is broken.
const FIRM: &str = "\u{a0}";

/// `command`, and all below it, with examples that stay as they are.
pub fn with_firm_examples(command: Command) -> Command {
    let firm = |text: String| {
        let lines = text.lines().map(|l| if l.starts_with(' ') { l.replace(' ', FIRM) } else { l.to_string() });
        lines.collect::<Vec<_>>().join("\n")
    };
    let command = match command.get_after_help().map(ToString::to_string) {
        Some(text) => command.after_help(firm(text)),
        None => command,
    };
    command.mut_subcommands(with_firm_examples)
}

/// The words of the command line; asked for help on `help`, that is what it prints anyway.
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
    let text = help.render().ansi().to_string().replace(FIRM, " ");
    // a closed pipe is no concern of a help text
    let _ = write!(anstream::stdout(), "{text}");
}

/// What is wrong with the command line, behind the program's name.
pub fn complain(error: &Error) {
    let text = error.render().to_string().replace(FIRM, " ");
    anstream::eprint!("{RED}goshawk:{RED:#} {}", text.strip_prefix("error: ").unwrap_or(&text));
}
