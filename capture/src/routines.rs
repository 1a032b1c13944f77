//! Routines of a program by name, and their code ranges
//!
//! A routine is a function of the symbol table, from its address on with its size, together with the part that a
//! compiler puts elsewhere (`NAME.cold`). A name that is not in the symbol table is looked up in the debug information.
//! A name selects one routine; an address (`0x...`) selects one of several.
//!
//! # Source
//! Paper 003, tables 4.1, 4.3, 4.5 and 4.6: `-filter_rtn`. As with Pin's routines, the address of an instruction
//! decides, not its caller.

mod debug;

use crate::layout::MAX_RANGES;
use crate::machine::{Executable, Machine};
use crate::CaptureError;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use retire::file::input;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::ops::Range;

/// A routine that is traced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routine {
    /// Name, as requested.
    pub name: String,
    /// Its code ranges, as addresses of the ELF.
    pub pieces: Vec<Range<u64>>,
}

/// A requested routine.
#[derive(Clone, Copy)]
enum RoutineSpec<'a> {
    Name(&'a str),
    /// Its start address.
    Address(u64),
}

impl<'a> RoutineSpec<'a> {
    fn of(name: &'a str) -> Self {
        let address = name.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
        address.map_or(Self::Name(name), Self::Address)
    }
}

struct Symbol<'a> {
    name: &'a str,
    start: u64,
    size: u64,
    /// Source file of a local symbol.
    file: Option<&'a str>,
}

/// Code of a name, with the source file if known.
struct Place {
    pieces: Vec<Range<u64>>,
    file: Option<String>,
}

/// Finds routines of a program.
///
/// # Errors
/// If a name is unknown or ambiguous, or has no code.
pub fn find(executable: &Executable, names: &[String]) -> Result<Vec<Routine>, CaptureError> {
    if names.is_empty() {
        return Ok(Vec::new());
    }
    look_up_in(executable, |file, symbols| {
        let routine = |name: &String| Ok(Routine { name: name.clone(), pieces: look_up(file, symbols, name)? });
        names.iter().map(routine).collect()
    })
}

/// Address of the ELF at which a routine begins. Unlike in [`find`], a label of assembler code without a size is one, too.
///
/// # Errors
/// The name is unknown or ambiguous.
pub fn entry(executable: &Executable, name: &str) -> Result<u64, CaptureError> {
    look_up_in(executable, |file, symbols| {
        let mut labels: Vec<u64> = symbols.iter().filter(|s| s.name == name).map(|s| s.start).collect();
        labels.sort_unstable();
        labels.dedup();
        match labels[..] {
            [start] => Ok(start),
            _ => Ok(look_up(file, symbols, name)?[0].start),
        }
    })
}

/// What `look` finds in the symbols of a program.
fn look_up_in<T>(
    executable: &Executable,
    look: impl FnOnce(&object::File<'_>, &[Symbol<'_>]) -> Result<T, String>,
) -> Result<T, CaptureError> {
    let bad = |what: String| CaptureError::Program { program: executable.path.display().to_string(), what };
    let data = input::elf(&executable.path)?;
    let file = object::File::parse(&*data).map_err(|e| bad(format!("is a damaged ELF file ({e})")))?;
    look(&file, &symbols(&file, executable.machine)).map_err(bad)
}

/// All code ranges, sorted and merged.
pub(crate) fn pieces(routines: &[Routine]) -> Result<Vec<Range<u64>>, CaptureError> {
    let mut all: Vec<Range<u64>> = routines.iter().flat_map(|r| r.pieces.iter().cloned()).collect();
    all.sort_by_key(|p| p.start);
    let mut merged: Vec<Range<u64>> = Vec::new();
    for piece in all {
        match merged.last_mut().filter(|last| piece.start <= last.end) {
            Some(last) => last.end = last.end.max(piece.end),
            None => merged.push(piece),
        }
    }
    if merged.len() > MAX_RANGES {
        let what = format!("`--routine`: {} ranges of code, expected at most {MAX_RANGES}", merged.len());
        return Err(CaptureError::Routines(what));
    }
    Ok(merged)
}

/// Whether an address is in a code section: in debug information, code that a linker removed has address 0.
fn is_code(file: &object::File<'_>, address: u64) -> bool {
    let has = |s: &object::Section<'_, '_>| (s.address()..s.address().saturating_add(s.size())).contains(&address);
    file.sections().any(|s| s.kind() == SectionKind::Text && has(&s))
}

fn symbols<'a>(file: &object::File<'a>, machine: Machine) -> Vec<Symbol<'a>> {
    let (mut found, mut of) = (Vec::new(), None);
    for s in file.symbols().chain(file.dynamic_symbols()) {
        let Ok(name) = s.name() else { continue };
        match s.kind() {
            // the names after it are those of this file, up to the first global symbol
            SymbolKind::File => of = Some(name).filter(|n| !n.is_empty()),
            // an assembler label has no kind
            SymbolKind::Text | SymbolKind::Unknown | SymbolKind::Label if is_code(file, s.address()) => {
                let file = of.filter(|_| s.is_local());
                found.push(Symbol { name, start: s.address() & machine.code_mask(), size: s.size(), file });
            }
            _ => {}
        }
    }
    found
}

fn look_up(file: &object::File<'_>, symbols: &[Symbol<'_>], name: &str) -> Result<Vec<Range<u64>>, String> {
    let wanted = RoutineSpec::of(name);
    let is_wanted = |s: &&Symbol<'_>| match wanted {
        RoutineSpec::Name(name) => s.name == name,
        RoutineSpec::Address(start) => s.start == start,
    };
    // one address may have several names, and a name may be in both tables
    let mut found: Vec<&Symbol<'_>> = symbols.iter().filter(is_wanted).collect();
    found.sort_by_key(|s| (s.start, Reverse(s.size)));
    found.dedup_by_key(|s| s.start);
    let place = |s: &&Symbol<'_>| Place { pieces: of_symbol(symbols, s), file: s.file.map(str::to_string) };
    let mut places: Vec<Place> = found.iter().filter(|s| s.size > 0).map(place).collect();
    let mut inlined = Vec::new();
    if places.is_empty() {
        // damaged debug information is treated as missing
        let debug = debug::find(file, wanted).unwrap_or_default();
        (places, inlined) = (debug.places, debug.inlined);
    }
    match (&mut places[..], &found[..], &inlined[..]) {
        ([one], ..) => Ok(std::mem::take(&mut one.pieces)),
        ([], [], []) => Err(unknown(symbols, name)),
        ([], [], at) => Err(format!(
            "routine `{name}` was inlined wherever it is called (at {}), so it has no code to trace; \
             __attribute__((noinline)) keeps it",
            listed(at.iter().map(|a| format!("{a:#x}")))
        )),
        ([], [first, ..], _) => Err(format!(
            "routine `{name}` at {:#x} has no size in the symbol table, and no debug information; a routine with `.size` \
             is needed",
            first.start
        )),
        (several, ..) => {
            let at = |p: &Place| {
                let file = p.file.as_ref().map_or_else(String::new, |f| format!(" ({f})"));
                format!("{:#x}{file}", p.pieces[0].start)
            };
            let first = several[0].pieces[0].start;
            Err(format!(
                "routine `{name}` is at {}; an address selects one of them, such as {first:#x}",
                listed(several.iter().map(at))
            ))
        }
    }
}

/// The code of a symbol, including its rarely executed part elsewhere.
fn of_symbol(symbols: &[Symbol<'_>], symbol: &Symbol<'_>) -> Vec<Range<u64>> {
    let is_cold = |s: &&Symbol<'_>| s.name.strip_suffix(".cold") == Some(symbol.name) && s.size > 0;
    let mut cold: Vec<&Symbol<'_>> = symbols.iter().filter(is_cold).collect();
    cold.sort_by_key(|s| s.start);
    cold.dedup_by_key(|s| s.start);
    // of a name in several files, each has its own
    if cold.len() > 1 || symbol.file.is_some() {
        cold.retain(|s| s.file == symbol.file);
    }
    let whole = |s: &Symbol<'_>| s.start..s.start.saturating_add(s.size);
    let mut pieces = vec![whole(symbol)];
    pieces.extend(cold.into_iter().map(whole));
    pieces
}

/// A list of at most four items, and the number of the others.
fn listed(all: impl ExactSizeIterator<Item = String>) -> String {
    const MOST: usize = 4;
    let n = all.len();
    let mut text = String::new();
    for (i, one) in all.take(MOST).enumerate() {
        let between = match i {
            0 => "",
            _ if i + 1 == n => " and ",
            _ => ", ",
        };
        text.push_str(between);
        text.push_str(&one);
    }
    if n > MOST {
        text.push_str(&format!(" and {} more", n - MOST));
    }
    text
}

fn unknown(symbols: &[Symbol<'_>], name: &str) -> String {
    if symbols.is_empty() {
        return format!("no routine `{name}`: it has no symbols; expected a program that is not stripped");
    }
    if let RoutineSpec::Address(at) = RoutineSpec::of(name) {
        let inside = |s: &&Symbol<'_>| (s.start..s.start.saturating_add(s.size)).contains(&at);
        return match symbols.iter().find(inside) {
            Some(s) => format!("no routine begins at {name}; `{}` begins at {:#x}", s.name, s.start),
            None => format!("no routine begins at {name}; expected an address of its symbol table"),
        };
    }
    let functions = || symbols.iter().filter(|s| s.size > 0).map(|s| s.name);
    let is_clone = |s: &&str| s.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let is_like = |s: &&str| s.eq_ignore_ascii_case(name) || near(s, name);
    match functions().find(is_clone).or_else(|| functions().find(is_like)) {
        Some(like) => format!("no routine `{name}` in its symbols or debug information; there is `{like}`"),
        None => format!("no routine `{name}` in its symbols or debug information"),
    }
}

/// Whether two names differ by one edit: a replaced or additional letter, or two swapped ones.
pub fn near(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().min(b.len()) < 2 {
        return false;
    }
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    match (&a[..a.len() - end], &b[..b.len() - end]) {
        ([] | [_], [] | [_]) => true,
        ([w, x], [y, z]) => w == z && x == y,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routine(pieces: &[Range<u64>]) -> Routine {
        Routine { name: "f".into(), pieces: pieces.to_vec() }
    }

    #[test]
    fn pieces_are_in_order_and_one_where_they_touch() {
        let all = pieces(&[routine(&[20..30, 4..8]), routine(&[8..12, 22..24]), routine(&[40..44, 50..52])]).unwrap();
        assert_eq!(all, [4..12, 20..30, 40..44, 50..52]);
        let many: Vec<_> = (0..MAX_RANGES as u64 + 1).map(|i| 8 * i..8 * i + 4).collect();
        assert!(pieces(&[routine(&many[1..])]).is_ok());
        let refused = pieces(&[routine(&many)]).unwrap_err().to_string();
        assert_eq!(refused, "`--routine`: 129 ranges of code, expected at most 128");
    }

    #[test]
    fn names_that_were_mistyped_are_near() {
        for (a, b) in
            [("work", "wrok"), ("work", "wor"), ("work", "works"), ("work", "wark"), ("wool", "wol"), ("aab", "aba")]
        {
            assert!(near(a, b) && near(b, a), "{a} {b}");
        }
        for (a, b) in
            [("work", "walk"), ("work", "kwor"), ("f", "g"), ("work", "main"), ("work", "wrko"), ("abab", "baba")]
        {
            assert!(!near(a, b) && !near(b, a), "{a} {b}");
        }
    }

    #[test]
    fn lists_are_short() {
        let list = |n: u32| listed((0..n).map(|i| i.to_string()).collect::<Vec<_>>().into_iter());
        assert_eq!([list(1), list(2), list(4)], ["0", "0 and 1", "0, 1, 2 and 3"]);
        assert_eq!(list(6), "0, 1, 2, 3 and 2 more");
    }
}
