//! Symbols of code, from the symbol table of an ELF

use crate::input::elf_bytes;
use crate::HostError;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::ops::Range;

/// A name, for the addresses from `start` up to `end`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
    /// Other names of the same start.
    others: Vec<String>,
}

/// The symbols of a program's code, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols(Vec<Symbol>);

impl Symbols {
    /// Reads them from an ELF file or `builtin:NAME`: those of executable sections. Empty without a symbol table.
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
            if section.kind() != SectionKind::Text {
                return None;
            }
            Some((s.address(), s.name().ok()?.to_string(), section.address() + section.size()))
        });
        Ok(Self::new(named.filter(|(_, n, _)| !n.is_empty() && !n.starts_with(['$', '.'])).collect()))
    }

    /// Adds names, the last of one address; an address that has a symbol keeps it.
    #[must_use]
    pub fn with(self, names: Vec<(Range<u64>, String)>) -> Self {
        let names_of = |s: Symbol| {
            let others = s.others.into_iter().map(move |name| (s.start, name, s.end));
            std::iter::once((s.start, s.name, s.end)).chain(others)
        };
        let own = self.0.into_iter().flat_map(names_of);
        let mut all: Vec<(u64, String, u64)> =
            own.chain(names.into_iter().rev().map(|(range, name)| (range.start, name, range.end))).collect();
        all.sort_by_key(|s| s.0);
        Self::ordered(all)
    }

    /// Symbols by their start, name, and the end of their section: each lasts up to the next one, or to that.
    fn new(mut all: Vec<(u64, String, u64)>) -> Self {
        all.sort();
        Self::ordered(all)
    }

    /// As [`Symbols::new`], of symbols in order; of several with one start, the first counts.
    fn ordered(all: Vec<(u64, String, u64)>) -> Self {
        let mut symbols: Vec<Symbol> = Vec::new();
        for (start, name, end) in all {
            match symbols.last_mut() {
                Some(last) if last.start == start => last.others.push(name),
                last => {
                    if let Some(last) = last {
                        last.end = last.end.min(start);
                    }
                    symbols.push(Symbol { start, end: end.max(start + 1), name, others: Vec::new() });
                }
            }
        }
        Self(symbols)
    }

    /// As [`Symbols::address`], of a symbol.
    ///
    /// # Errors
    /// There is no such symbol.
    pub fn data(name: &str, symbol: &str) -> Result<u32, HostError> {
        Self::address(name, symbol)
    }

    /// Address of the code or data symbol `symbol` in an ELF file or `builtin:NAME`.
    fn symbol(name: &str, symbol: &str) -> Result<u64, HostError> {
        let elf = elf_bytes(name)?;
        let file = object::File::parse(&*elf).map_err(|e| HostError::Other(format!("{name}: {e}")))?;
        let found = file.symbols().find(|s| s.name() == Ok(symbol)).map(|s| s.address());
        found.ok_or_else(|| {
            let object = symbol.split(['.', '[', '-']).next().unwrap_or_default();
            let is_part = object != symbol && file.symbols().any(|s| s.name() == Ok(object));
            HostError::Other(if is_part {
                format!(
                    "`{symbol}`: expected an object of the program, optionally with an offset in bytes, as {object}+8; GDB's \
                     `print (long)&{symbol} - (long)&{object}` has the offset"
                )
            } else {
                format!("{name}: has no symbol `{symbol}`; expected NAME, NAME+BYTES or an address such as 0x80001000")
            })
        })
    }

    /// The address that a text means: `0x` and hexadecimal digits, or a symbol of the program `name`, with an optional `+N`.
    ///
    /// # Errors
    /// There is no such symbol.
    pub fn address64(name: &str, text: &str) -> Result<u64, HostError> {
        let number = |text: &str| {
            text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok())
        };
        let (start, further) = match text.rsplit_once('+').and_then(|(s, n)| Some((s, number(n)?))) {
            Some((start, further)) => (start, further),
            None => (text, 0),
        };
        let hex = start.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
        let address = match hex {
            Some(address) => address,
            None => Self::symbol(name, start)?,
        };
        Ok(address.wrapping_add(further))
    }

    /// As [`Symbols::address64`], of 32 bits.
    ///
    /// # Errors
    /// There is no such symbol, or its address has more bits.
    pub fn address(name: &str, text: &str) -> Result<u32, HostError> {
        u32::try_from(Self::address64(name, text)?)
            .map_err(|_| HostError::Other(format!("{name}: `{text}` is an address of more than 32 bits")))
    }

    /// The addresses of each function that has the name `name`, also where another name is shown: up to the next symbol, or to the end of the section.
    pub fn ranges<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Range<u64>> + 'a {
        let has = move |s: &&Symbol| s.name == name || s.others.iter().any(|other| other == name);
        self.0.iter().filter(has).map(|s| s.start..s.end)
    }

    /// All symbols: address and name.
    pub fn all(&self) -> impl Iterator<Item = (u64, &str)> {
        self.0.iter().map(|s| (s.start, s.name.as_str()))
    }

    /// Names of all functions, also those of which another name is shown.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flat_map(|s| std::iter::once(&s.name).chain(&s.others)).map(String::as_str)
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

/// An area of memory that has a name: an object of the program, or the rest of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Name of the object or section; none between sections.
    pub name: Option<String>,
    /// Its addresses.
    pub range: Range<u64>,
}

/// The objects and sections of a program's memory, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// Variables, and what else has a size; they do not overlap.
    objects: Vec<Symbol>,
    sections: Vec<Symbol>,
}

impl Objects {
    /// Reads them from an ELF file or `builtin:NAME`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(name: &str) -> Result<Self, HostError> {
        let elf = elf_bytes(name)?;
        let file = object::File::parse(&*elf).map_err(|e| HostError::Other(format!("{name}: {e}")))?;
        let of = |start: u64, size: u64, name: &str| Symbol {
            start,
            end: start + size,
            name: name.to_string(),
            others: Vec::new(),
        };
        let data = file.symbols().filter(|s| {
            s.size() > 0 && s.section_index().is_some() && matches!(s.kind(), SymbolKind::Data | SymbolKind::Unknown)
        });
        let objects = data.filter_map(|s| Some(of(s.address(), s.size(), s.name().ok().filter(|n| !n.is_empty())?)));
        let sections = file.sections().filter(|s| {
            use SectionKind::{Data, ReadOnlyData, ReadOnlyString, Text, UninitializedData};
            s.size() > 0 && matches!(s.kind(), Text | Data | ReadOnlyData | ReadOnlyString | UninitializedData)
        });
        let sections = sections.filter_map(|s| Some(of(s.address(), s.size(), s.name().ok()?)));
        Ok(Self { objects: ordered(objects.collect()), sections: ordered(sections.collect()) })
    }

    /// The object that `addr` is in, and the offset from its start.
    pub fn at(&self, addr: u64) -> Option<(&str, u64)> {
        let symbol = within(&self.objects, addr)?;
        Some((&symbol.name, addr - symbol.start))
    }

    /// Names of all objects.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|s| s.name.as_str())
    }

    /// The area around `addr`: an object, the rest of a section, or what is between two of them.
    pub fn area(&self, addr: u64) -> Area {
        let whole = |s: &Symbol| Area { name: Some(s.name.clone()), range: s.start..s.end };
        if let Some(object) = within(&self.objects, addr) {
            return whole(object);
        }
        let all = || self.objects.iter().chain(&self.sections);
        let start = all().map(|s| s.end).filter(|end| *end <= addr).max().unwrap_or(0);
        let end = all().map(|s| s.start).filter(|start| *start > addr).min().unwrap_or(u64::MAX);
        match within(&self.sections, addr) {
            Some(section) => {
                let range = start.max(section.start)..end.min(section.end);
                Area { name: Some(section.name.clone()), range }
            }
            None => Area { name: None, range: start..end },
        }
    }

    /// An address as text: object and offset, or the number.
    pub fn text(&self, addr: u64) -> String {
        match self.at(addr) {
            Some((name, 0)) => name.to_string(),
            Some((name, offset)) => format!("{name}+{offset}"),
            None => format!("0x{addr:08x}"),
        }
    }
}

/// Symbols in order; one that begins in another is left out.
fn ordered(mut all: Vec<Symbol>) -> Vec<Symbol> {
    all.sort_by(|a, b| (a.start, std::cmp::Reverse(a.end), &a.name).cmp(&(b.start, std::cmp::Reverse(b.end), &b.name)));
    let mut end = 0;
    all.retain(|s| {
        let apart = s.start >= end;
        end = end.max(s.end);
        apart
    });
    all
}

fn within(all: &[Symbol], addr: u64) -> Option<&Symbol> {
    let next = all.partition_point(|s| s.start <= addr);
    all.get(next.checked_sub(1)?).filter(|s| addr < s.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_has_all_of_its_names() {
        let of = |start, name: &str| (start, name.to_string(), 0x140);
        let symbols = Symbols::new(vec![of(0x120, "free"), of(0x100, "malloc"), of(0x120, "__malloc_free")]);
        let symbols = symbols.with(vec![(0x100..0x110, "jitted".into()), (0x130..0x140, "last".into())]);
        let ranges = |name| symbols.ranges(name).map(|range| (range.start, range.end)).collect::<Vec<_>>();
        assert_eq!([ranges("free"), ranges("__malloc_free")], [[(0x120, 0x130)], [(0x120, 0x130)]]);
        assert_eq!(
            [ranges("malloc"), ranges("jitted"), ranges("last")],
            [[(0x100, 0x120)], [(0x100, 0x120)], [(0x130, 0x140)]]
        );
        assert_eq!([0x100, 0x124].map(|pc| symbols.at(pc)), [Some(("malloc", 0)), Some(("__malloc_free", 4))]);
        assert!(ranges("nobody").is_empty());
    }

    #[test]
    fn an_area_is_an_object_or_what_is_between_objects_and_sections() {
        let of = |start, end, name: &str| Symbol { start, end, name: name.into(), others: Vec::new() };
        let objects = Objects {
            objects: ordered(vec![of(0x120, 0x140, "b"), of(0x100, 0x110, "a"), of(0x100, 0x104, "part")]),
            sections: ordered(vec![of(0x100, 0x180, ".bss")]),
        };
        let area = |addr| {
            let area = objects.area(addr);
            (area.name.unwrap_or_default(), area.range)
        };
        assert_eq!(area(0x104), ("a".into(), 0x100..0x110));
        assert_eq!(area(0x110), (".bss".into(), 0x110..0x120));
        assert_eq!(area(0x150), (".bss".into(), 0x140..0x180));
        assert_eq!(area(0x180), (String::new(), 0x180..u64::MAX));
        assert_eq!([0x102, 0x110].map(|addr| objects.text(addr)), ["a+2", "0x00000110"]);
    }

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
    fn names_are_added_where_the_program_has_none() {
        let own = Symbols::new(vec![(0x100, "a".into(), 0x140)]);
        let names = [(0x100..0x140, "x"), (0x200..0x208, "old"), (0x200..0x210, "new")];
        let s = own.with(names.map(|(range, name)| (range, name.to_string())).to_vec());
        assert_eq!([0x100, 0x20c, 0x210].map(|pc| s.at(pc)), [Some(("a", 0)), Some(("new", 0xc)), None]);
    }

    #[test]
    fn symbols_are_those_of_code() {
        for name in crate::input::builtins() {
            let program = crate::input::Named::open(&name).unwrap().program;
            let code = |at| {
                let within =
                    |s: &retire::elf::Segment| (s.virtual_addr..s.virtual_addr + s.data.len() as u64).contains(&at);
                program.segments.iter().any(|s| s.executable && within(s))
            };
            let symbols = Symbols::open(&name).unwrap();
            assert!(!symbols.is_empty());
            let other: Vec<_> = symbols.all().filter(|(at, _)| !code(*at)).collect();
            assert!(other.is_empty(), "{name}: {other:?}");
        }
    }

    #[test]
    fn built_in_programs_name_their_entry() {
        let s = Symbols::open("builtin:fft").unwrap();
        let entry = crate::input::Named::open("builtin:fft").unwrap().program.entry;
        assert!(s.at(entry).is_some_and(|(name, offset)| !name.is_empty() && offset == 0), "{:?}", s.at(entry));
        assert!(Symbols::open("builtin:no").is_err());
    }
}
