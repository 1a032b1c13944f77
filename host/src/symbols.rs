//! Symbols of code, from the symbol table of an ELF

use crate::input::elf_bytes;
use crate::HostError;
use object::{Object, ObjectSymbol, SymbolKind};
use std::ops::Range;

/// Code addresses with their names, in address order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(Vec<(u64, String)>);

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
        let named = file.symbols().filter(code).filter_map(|s| Some((s.address(), s.name().ok()?.to_string())));
        let mut all: Vec<_> = named.filter(|(_, n)| !n.is_empty() && !n.starts_with(['$', '.'])).collect();
        all.sort();
        all.dedup_by_key(|s| s.0);
        Ok(Self(all))
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

    /// Address ranges of the symbols `name`, each up to the next symbol.
    pub fn ranges<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Range<u64>> + 'a {
        let end = |at: usize| self.0.get(at + 1).map_or(u64::MAX, |s| s.0);
        self.0.iter().enumerate().filter(move |(_, s)| s.1 == name).map(move |(at, s)| s.0..end(at))
    }

    /// Whether there are no symbols.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The symbol at or before `pc`, and the offset from it.
    pub fn at(&self, pc: u64) -> Option<(&str, u64)> {
        let next = self.0.partition_point(|s| s.0 <= pc);
        let (start, name) = self.0.get(next.checked_sub(1)?)?;
        Some((name, pc - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_name_of_the_symbol_before_it() {
        let s = Symbols(vec![(0x100, "a".into()), (0x120, "b".into())]);
        assert_eq!(
            [0xff, 0x100, 0x11e, 0x124].map(|pc| s.at(pc)),
            [None, Some(("a", 0)), Some(("a", 0x1e)), Some(("b", 4))]
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
