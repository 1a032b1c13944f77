//! Help texts whose examples can be copied
//!
//! clap wraps lines at the width of the terminal, and a wrapped command is wrong when it is pasted. So blanks in
//! example lines, which start with a blank, are replaced by non-breaking ones until the text is printed.

use clap::error::Error;
use clap::Command;
use std::ffi::OsString;

/// A non-breaking blank.
pub const NON_BREAKING_SPACE: &str = "\u{a0}";

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
