//! Names of processes, from a file
//!
//! A text with one line for each address space: its number, the name of its process, and optionally the process's program. Text after
//! `#` is a comment. A system, a debugger or a script writes it.

use crate::HostError;
use retire::file::input;
use std::path::Path;

/// A named address space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Number of the address space.
    pub space: u32,
    /// Name of the process.
    pub name: String,
    /// Its program.
    pub program: Option<String>,
}

/// Maximum size of the file, bytes.
const MAX_NAMES: u64 = 1 << 26;

/// The number of an address space, of at most 16 bits; hexadecimal with prefix `0x`.
pub fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => text.parse(),
    }
    .ok()
    .filter(|id| *id < 1 << 16)
}

/// A line of such a file. In a name and a path, characters that the file cannot have are `_`.
pub fn line(space: u32, name: &str, program: Option<&str>) -> String {
    let word = |text: &str| text.replace(|c: char| c.is_whitespace() || c.is_control() || c == '#', "_");
    match program {
        // another path would be another file
        Some(program) if word(program) == program => format!("{space} {} {program}\n", word(name)),
        _ => format!("{space} {}\n", word(name)),
    }
}

/// Reads a file of names.
///
/// # Errors
/// The file cannot be read, or the line that is wrong.
pub fn read(path: &Path) -> Result<Vec<Process>, HostError> {
    let text = input::text(path, MAX_NAMES, "names of processes")?;
    parse(&text).map_err(|e| HostError::Other(format!("{}: {e}", path.display())))
}

fn parse(text: &str) -> Result<Vec<Process>, String> {
    let mut all: Vec<Process> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let wrong = |what: String| format!("line {}: {what}; expected ID NAME or ID NAME ELF, as 3 sh", at + 1);
        let mut words = line.split_whitespace();
        let Some(id) = words.next() else { continue };
        let space = number(id).ok_or_else(|| wrong(format!("`{id}` is not an address space of at most 16 bits")))?;
        let name = words.next().ok_or_else(|| wrong("has no name".into()))?.to_string();
        let program = words.next().map(str::to_string);
        if let Some(more) = words.next() {
            return Err(wrong(format!("`{more}` is one word too many")));
        }
        if all.iter().any(|known| known.space == space) {
            return Err(wrong(format!("address space {space} already has a name")));
        }
        all.push(Process { space, name, program });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_number_a_name_and_perhaps_a_program() {
        let of = |space, name: &str, program: Option<&str>| Process {
            space,
            name: name.into(),
            program: program.map(Into::into),
        };
        let found = parse("# a system\n1 init\n\n0x10 sh sh.elf # the shell\n").unwrap();
        assert_eq!(found, [of(1, "init", None), of(16, "sh", Some("sh.elf"))]);
        let lines = line(1, "init", None) + &line(16, "my sh#", Some("sh.elf")) + &line(2, "x", Some("a b"));
        let names: Vec<Process> = parse(&lines).unwrap();
        assert_eq!(names, [of(1, "init", None), of(16, "my_sh_", Some("sh.elf")), of(2, "x", None)]);
        for (bad, what) in [
            ("x sh", "line 1: `x` is not an address space"),
            ("1 a\n2", "line 2: has no name"),
            ("1 a b c", "line 1: `c` is one word too many"),
            ("1 a\n1 b", "line 2: address space 1 already has a name"),
        ] {
            let said = parse(bad).unwrap_err();
            assert!(said.starts_with(what), "{said}");
        }
    }
}
