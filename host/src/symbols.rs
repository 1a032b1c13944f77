//! Symbols of code, from the symbol table of an ELF

use crate::input::elf_bytes;
use crate::HostError;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::ops::Range;

/// A name, for the addresses from `start` up to `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

/// The symbols of a program's code, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    /// Reads them from an ELF file or `builtin:NAME`; empty without a symbol table.
    pub fn open(name: &str) -> Result<Self, HostError> {
        Self::parse(name, &elf_bytes(name)?)
    }

    fn parse(name: &str, elf: &[u8]) -> Result<Self, HostError> {
        let file = object::File::parse(elf).map_err(|e| HostError::Other(format!("{name}: {e}")))?;
        // assembler labels have no type; mapping symbols ($x) are not names
        let code = |s: &object::Symbol<'_, '_>| {
            s.section_index().is_some()
                && matches!(s.kind(), SymbolKind::Text | SymbolKind::Unknown | SymbolKind::Label)
        };
        let named = file.symbols().filter(code).filter_map(|s| {
            let section = file.section_by_index(s.section_index()?).ok()?;
            Some((s.address(), s.name().ok()?.to_string(), section.address() + section.size()))
        });
        Ok(Self::new(named.filter(|(_, n, _)| !n.is_empty() && !n.starts_with(['$', '.'])).collect()))
    }

    /// Symbols by their start, name, and the end of their section: each lasts up to the next one, or to that.
    fn new(mut all: Vec<(u64, String, u64)>) -> Self {
        all.sort();
        all.dedup_by_key(|s| s.0);
        let next: Vec<u64> = all.iter().skip(1).map(|s| s.0).chain([u64::MAX]).collect();
        let symbol = |((start, name, end), next): ((u64, String, u64), u64)| Symbol {
            start,
            end: end.max(start + 1).min(next),
            name,
        };
        Self(all.into_iter().zip(next).map(symbol).collect())
    }

    /// Address of the code or data symbol `symbol` in an ELF file or `builtin:NAME`.
    pub fn data(name: &str, symbol: &str) -> Result<u32, HostError> {
        let elf = elf_bytes(name)?;
        let file = object::File::parse(&*elf).map_err(|e| HostError::Other(format!("{name}: {e}")))?;
        let found = file.symbols().find(|s| s.name() == Ok(symbol)).and_then(|s| u32::try_from(s.address()).ok());
        found.ok_or_else(|| {
            HostError::Other(format!("{name}: has no symbol `{symbol}`; an address is written as 0x80001000"))
        })
    }

    /// The addresses of each function called `name`: up to the next symbol, or to the end of the section.
    pub fn ranges<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Range<u64>> + 'a {
        self.0.iter().filter(move |s| s.name == name).map(|s| s.start..s.end)
    }

    /// Whether there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The symbol that `pc` is in, and the offset from its start.
    pub fn at(&self, pc: u64) -> Option<(&str, u64)> {
        let next = self.0.partition_point(|s| s.start <= pc);
        let symbol = self.0.get(next.checked_sub(1)?).filter(|s| pc < s.end)?;
        Some((&symbol.name, pc - symbol.start))
    }

    /// The addresses around `pc` that have the same symbol, and its name; of code without a symbol, up to those that have one.
    pub fn around(&self, pc: u64) -> (Range<u64>, Option<&str>) {
        let next = self.0.partition_point(|s| s.start <= pc);
        let before = next.checked_sub(1).map(|at| &self.0[at]);
        match before {
            Some(s) if pc < s.end => (s.start..s.end, Some(&s.name)),
            _ => (before.map_or(0, |s| s.end)..self.0.get(next).map_or(u64::MAX, |s| s.start), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_the_symbol_before_it() {
        let s = Symbols::new(vec![(0x120, "b".into(), 0x140), (0x100, "a".into(), 0x140)]);
        assert_eq!(
            [0xff, 0x100, 0x11e, 0x124, 0x140].map(|pc| s.at(pc)),
            [None, Some(("a", 0)), Some(("a", 0x1e)), Some(("b", 4)), None]
        );
        assert_eq!(
            [0xff, 0x11e, 0x124, 0x140].map(|pc| s.around(pc)),
            [(0..0x100, None), (0x100..0x120, Some("a")), (0x120..0x140, Some("b")), (0x140..u64::MAX, None)]
        );
    }

    #[test]
    fn built_in_programs_name_their_entry() {
        let s = Symbols::open("builtin:fft").unwrap();
        let entry = crate::input::Named::open("builtin:fft").unwrap().program.entry;
        assert!(s.at(entry).is_some_and(|(name, offset)| !name.is_empty() && offset == 0), "{:?}", s.at(entry));
        assert!(Symbols::open("builtin:no").is_err());
    }
}
