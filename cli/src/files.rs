//! Checks of output files: a command must not write to its own input, or write a file twice
//!
//! An argument that names a file or folder to write has the type [`OutputPath`]. Any other argument whose value name
//! refers to a file is an input. So [`check`] covers all commands, before any of them starts. Two names are the same
//! file if the system says so, as with `./x`, links and hard links.

use crate::Failure;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Arg, ArgMatches, Command};
use retire::file::{input, is_stdout};
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::ops::Deref;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file or a folder that a command writes.
#[derive(Clone, Debug)]
pub struct OutputPath(PathBuf);

impl From<OsString> for OutputPath {
    fn from(path: OsString) -> Self {
        Self(path.into())
    }
}

impl AsRef<Path> for OutputPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Deref for OutputPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

/// The parser of an argument that names an input, which need not be UTF-8.
pub fn input_name() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().try_map(|path| input::name(&path))
}

/// The parser of a folder of source files, which must exist.
pub fn source_folder(name: &str) -> Result<String, String> {
    match Path::new(name).is_dir() {
        true => Ok(name.into()),
        false => Err("expected a folder with the source files".into()),
    }
}

/// As [`input_name`], for an argument of the form `KEY=FILE`.
pub fn keyed_input<T: Clone + Send + Sync + 'static>(
    parse: fn(&str) -> Result<T, String>,
) -> impl TypedValueParser<Value = T> {
    OsStringValueParser::new().try_map(move |value| match keyed(&value) {
        Some((key, path)) => parse(&format!("{key}={}", input::name(path)?)),
        None => parse(&value.to_string_lossy()),
    })
}

/// As [`input_name`], for an argument of the form `FILE`, `separator`, text; the last separator counts.
pub fn suffixed_input<T: Clone + Send + Sync + 'static>(
    separator: char,
    form: &'static str,
    parse: fn(&str, &str) -> Result<T, String>,
) -> impl TypedValueParser<Value = T> {
    OsStringValueParser::new().try_map(move |value| {
        use std::os::unix::ffi::OsStrExt;
        let bytes = value.as_bytes();
        let missing = || format!("no `{separator}` after the name of the file; expected {form}");
        let at = bytes.iter().rposition(|b| *b == separator as u8).filter(|at| *at > 0).ok_or_else(missing)?;
        parse(&input::name(OsStr::from_bytes(&bytes[..at]))?, &String::from_utf8_lossy(&bytes[at + 1..]))
    })
}

/// What follows the name of a file: keys and texts.
pub type Parts = [(String, String)];

/// As [`input_name`], for an argument of the form `FILE[,KEY=TEXT]...` with these keys.
pub fn input_with<T: Clone + Send + Sync + 'static>(
    keys: &'static [&'static str],
    parse: fn(&str, &Parts) -> Result<T, String>,
) -> impl TypedValueParser<Value = T> {
    OsStringValueParser::new().try_map(move |value| {
        use std::os::unix::ffi::OsStrExt;
        let mut file = value.as_bytes();
        let mut parts = Vec::new();
        while let Some(at) = file.iter().rposition(|b| *b == b',').filter(|at| *at > 0) {
            let part = std::str::from_utf8(&file[at + 1..]).ok().and_then(|part| part.split_once('='));
            let Some((key, text)) = part.filter(|(key, _)| keys.contains(key)) else { break };
            parts.insert(0, (key.to_string(), text.to_string()));
            file = &file[..at];
        }
        parse(&input::name(OsStr::from_bytes(file))?, &parts)
    })
}

/// The parts of `KEY=FILE`.
fn keyed(value: &OsStr) -> Option<(String, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;
    let at = value.as_bytes().iter().position(|b| *b == b'=')?;
    let (key, path) = value.as_bytes().split_at(at);
    Some((String::from_utf8_lossy(key).into_owned(), OsStr::from_bytes(&path[1..])))
}

/// Value names that refer to a file or folder.
const FILE_WORDS: [&str; 7] = ["FILE", "DIR", "ELF", "RET", "RBT1", "TRACE", "SCRIPT"];

/// Whether `arg` names an output.
pub fn is_output(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<OutputPath>()
}

/// Whether `arg` names an input.
pub fn is_input(arg: &Arg) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    arg.get_action().takes_values()
        && !is_output(arg)
        && names.iter().flat_map(|n| n.split(['|', '='])).any(|n| FILE_WORDS.contains(&n))
}

/// The values given for `arg`, as paths.
fn values<'a>(matches: &'a ArgMatches, arg: &Arg) -> impl Iterator<Item = &'a Path> {
    let has_key = arg.get_value_names().unwrap_or_default().iter().any(|n| n.contains('='));
    let path = move |value| keyed(value).filter(|_| has_key).map_or(value, |(_, path)| path);
    matches.get_raw(arg.get_id().as_str()).into_iter().flatten().map(move |value| Path::new(path(value)))
}

/// Whether an output file goes to standard output: then messages go to standard error.
pub fn takes_stdout(command: &Command, matches: &ArgMatches) -> bool {
    if let Some((name, matches)) = matches.subcommand() {
        return command.find_subcommand(name).is_some_and(|command| takes_stdout(command, matches));
    }
    command.get_arguments().filter(|a| is_output(a)).any(|a| values(matches, a).any(is_stdout))
}

/// Whether both are the same regular file or folder; a device may be read and written.
fn same(a: &Path, b: &Path) -> bool {
    let identity = |p: &Path| {
        let kept = p.metadata().ok().filter(|m| m.is_file() || m.is_dir())?;
        Some((kept.dev(), kept.ino()))
    };
    identity(a).is_some_and(|a| identity(b) == Some(a))
}

/// Whether both will be the same file, which does not exist yet.
fn will_be_same(a: &Path, b: &Path) -> bool {
    let place = |p: &Path| {
        let folder = p.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(p.file_name()?))
    };
    place(a).is_some_and(|a| Some(a) == place(b))
}

/// Refuses to overwrite an input, or to write a file twice.
///
/// # Errors
/// The output, the input that it equals, and what would be right.
pub fn check(command: &Command, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some((name, matches)) = matches.subcommand() {
        return command.find_subcommand(name).map_or(Ok(()), |command| check(command, matches));
    }
    let outputs: Vec<(&Arg, &Path)> = command
        .get_arguments()
        .filter(|a| is_output(a))
        .flat_map(|a| values(matches, a).map(move |v| (a, v)))
        .collect();
    let is_set = |flag| matches.try_get_one::<bool>(flag).is_ok_and(|set| set == Some(&true));
    let inputs = || command.get_arguments().filter(|a| is_input(a)).flat_map(|a| values(matches, a));
    if let Some(input) = inputs().find(|i| is_set("stdio") && input::is_stdin(i)) {
        return Err(Failure::Other(format!(
            "{}: GDB is on standard input with `--stdio`, expected a file",
            input.display()
        )));
    }
    for (i, (arg, output)) in outputs.iter().enumerate() {
        let option = arg.get_long().unwrap_or("output");
        let refuse = |what: String| Err(Failure::Other(format!("{}: {what}", output.display())));
        if let Some(input) = inputs().find(|input| same(input, output)) {
            let other = if input == *output { String::new() } else { format!(", as {}", input.display()) };
            return refuse(format!("is read by this command{other}; `--{option}` must name another file"));
        }
        if let Some((first, _)) = outputs[..i].iter().find(|(_, o)| same(o, output) || will_be_same(o, output)) {
            let first = first.get_long().unwrap_or("output");
            return refuse(format!("is already written by `--{first}`; `--{option}` must name another file"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    /// All runnable commands, with the words that invoke them.
    fn commands(command: &Command, words: &str) -> Vec<(String, Command)> {
        let below = command.get_subcommands().flat_map(|c| commands(c, format!("{words} {}", c.get_name()).trim()));
        let mut all: Vec<_> = below.collect();
        if all.is_empty() || command.get_arguments().next().is_some() {
            all.push((words.to_string(), command.clone()));
        }
        all
    }

    fn is_folder(arg: &Arg) -> bool {
        arg.get_value_names().unwrap_or_default().iter().any(|n| n == "DIR")
    }

    fn words(arg: &Arg, path: &Path) -> Vec<OsString> {
        let option = arg.get_long().map(|l| format!("--{l}").into());
        // the program of an address space has its number in front
        let has_number = arg.get_value_names().unwrap_or_default().iter().any(|n| n.contains("ID"));
        let mut value = OsString::from(if has_number { "1=" } else { "" });
        value.push(path);
        option.into_iter().chain([value]).collect()
    }

    #[test]
    fn every_argument_is_listed_as_read_or_written() {
        let mut text = String::new();
        for (name, command) in commands(&crate::Cli::command(), "") {
            for (what, is) in [("reads", is_input as fn(&Arg) -> bool), ("writes", is_output)] {
                let name_of = |a: &Arg| a.get_long().map_or_else(|| a.get_id().to_string(), |l| format!("--{l}"));
                let found: Vec<String> = command.get_arguments().filter(|a| is(a)).map(name_of).collect();
                if !found.is_empty() {
                    text.push_str(&format!("{name} {what} {}\n", found.join(" ")));
                }
            }
            for arg in command.get_arguments() {
                let path = arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
                assert!(
                    !path || is_input(arg),
                    "{name} {}: neither an input by its value name nor an OutputPath",
                    arg.get_id()
                );
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn no_command_writes_what_it_reads_by_whatever_name() {
        let place = tempfile::tempdir().unwrap();
        let [file, link, hard] = ["x", "link", "hard"].map(|n| place.path().join(n));
        std::fs::write(&file, "kept").unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let dotted = place.path().join(".").join("x");
        let mut pairs = 0;
        for (name, command) in commands(&crate::Cli::command(), "") {
            let command = command.no_binary_name(true).ignore_errors(true);
            for output in command.get_arguments().filter(|a| is_output(a)) {
                for input in command.get_arguments().filter(|a| is_input(a) && is_folder(a) == is_folder(output)) {
                    let other = if is_folder(output) { place.path().join(".") } else { place.path().join("new") };
                    for (path, refused) in
                        [(&file, true), (&dotted, true), (&link, true), (&hard, true), (&other, is_folder(output))]
                    {
                        let read = if is_folder(input) { place.path() } else { &file };
                        let written = if is_folder(output) { &other } else { path };
                        let line = [words(output, written), words(input, read)].concat();
                        let matches = command.clone().try_get_matches_from(&line).unwrap();
                        assert_eq!(check(&command, &matches).is_err(), refused, "{name} {line:?}");
                        pairs += 1;
                    }
                }
            }
        }
        assert!(pairs > 60, "{pairs}");
    }

    #[test]
    fn no_command_writes_one_file_twice() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new");
        let mut pairs = 0;
        for (name, command) in commands(&crate::Cli::command(), "") {
            let command = command.no_binary_name(true).ignore_errors(true);
            let outputs: Vec<&Arg> = command.get_arguments().filter(|a| is_output(a) && !is_folder(a)).collect();
            for (i, first) in outputs.iter().enumerate() {
                for second in &outputs[..i] {
                    let line = [words(first, &path), words(second, &place.path().join(".").join("new"))].concat();
                    let matches = command.clone().try_get_matches_from(&line).unwrap();
                    assert!(check(&command, &matches).is_err(), "{name} {line:?}");
                    pairs += 1;
                }
            }
        }
        assert!(pairs > 1, "{pairs}");
    }
}
