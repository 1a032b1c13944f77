//! Symbols and source lines of a program, from its ELF
//!
//! What the source calls by one name may be several things: functions of the same name in several files, C++ overloads,
//! copies that the compiler made, and places at which it was inlined. [`Symbols::functions`] and [`Symbols::variables`]
//! find all of one function or variable, and refuse a name that several have.

mod code;
mod debug_info;
mod find;
mod lines;
mod names;
mod parameters;
mod types;

pub use find::{Site, SiteKind, Variable};
pub use parameters::{Parameter, Passed};
pub use types::Number;

use code::Code;
use debug_info::{DebugInfo, Reader};
use names::Name;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use sim::diag::master::no_pc;
use std::borrow::Cow;
use std::sync::Arc;

/// Value in place of the address of a store that no instruction made.
pub const MASTER: &str = "bus master";

/// A symbol.
#[derive(Clone, Debug)]
struct Symbol {
    at: u64,
    size: u64,
    /// As the linker has it.
    raw: String,
    name: Name,
    is_code: bool,
    /// Source file, of a symbol that only this file has.
    file: Option<String>,
    /// As it is printed.
    printed: String,
}

/// Symbols and source lines.
pub struct Symbols {
    /// By address.
    all: Vec<Symbol>,
    xlen: u8,
    lines: Option<addr2line::Context<Reader>>,
    debug: Option<DebugInfo>,
    code: Code,
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} symbols", self.all.len())
    }
}

/// Symbols of functions and variables, and the addresses at which code and data start.
fn read_symbols(file: &object::File<'_>) -> (Vec<Symbol>, Vec<(u64, bool)>) {
    let (mut all, mut starts, mut source) = (Vec::new(), Vec::new(), None);
    for s in file.symbols() {
        let Ok(raw) = s.name() else { continue };
        if s.kind() == SymbolKind::File {
            // symbols of one file follow its name
            source = Some(raw.to_string());
            continue;
        }
        let Some(section) = s.section_index() else { continue };
        let in_code = || file.section_by_index(section).is_ok_and(|s| s.kind() == object::SectionKind::Text);
        let at = s.address();
        if raw.starts_with("$x") || raw.starts_with("$d") {
            starts.push((at, raw.starts_with("$x")));
            continue;
        }
        let is_code = match s.kind() {
            SymbolKind::Text => true,
            // an assembler label in a code section
            SymbolKind::Unknown | SymbolKind::Label => in_code(),
            SymbolKind::Data => false,
            _ => continue,
        };
        if raw.is_empty() || raw.starts_with(['$', '.']) {
            continue;
        }
        if is_code {
            starts.push((at, true));
        }
        let name = Name::of(raw);
        all.push(Symbol {
            at,
            size: s.size(),
            raw: raw.to_string(),
            printed: name.full(),
            name,
            is_code,
            file: source.clone().filter(|_| s.is_local()),
        });
    }
    all.sort_by(|a, b| (a.at, std::cmp::Reverse(a.size), &a.raw).cmp(&(b.at, std::cmp::Reverse(b.size), &b.raw)));
    // data at the start of code is data
    starts.sort_unstable_by_key(|s| (s.0, s.1));
    starts.dedup_by_key(|s| s.0);
    (all, starts)
}

impl Symbols {
    /// Reads them from an ELF file; empty if it has no symbols or debug information.
    pub fn parse(elf: &[u8]) -> Result<Self, String> {
        let file = object::File::parse(elf).map_err(|e| e.to_string())?;
        let (mut all, starts) = read_symbols(&file);
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
            let data = data.unwrap_or(Cow::Borrowed(&[]));
            Ok(Reader::new(Arc::from(&*data), gimli::LittleEndian))
        };
        let xlen = if file.is_64() { 64 } else { 32 };
        let low =
            |s: &object::Section| s.address().checked_add(s.size()).is_some_and(|end| end <= u64::MAX >> (64 - xlen));
        let text = file.sections().filter(|s| s.kind() == object::SectionKind::Text && low(s));
        let bytes = |s: object::Section| s.uncompressed_data().map(Cow::into_owned).unwrap_or_default();
        let code = Code { sections: text.map(|s| (s.address(), bytes(s))).collect(), starts };
        let dwarf = gimli::Dwarf::load(load).ok().map(Arc::new);
        let lines = dwarf.clone().and_then(|d| addr2line::Context::from_arc_dwarf(d).ok());
        let debug = dwarf.map(|d| DebugInfo::read(d, |at| code.has(at)));
        if let Some(debug) = &debug {
            name_files(&mut all, debug);
        }
        name_twins(&mut all);
        Ok(Self { all, xlen, lines, debug, code })
    }

    /// No symbols.
    pub fn none() -> Self {
        Self { all: Vec::new(), xlen: 32, lines: None, debug: None, code: Code::default() }
    }

    /// Width of the program's addresses and registers, bits: 32 or 64.
    pub fn xlen(&self) -> u8 {
        self.xlen
    }

    /// Address and size of a symbol, and whether it is code.
    pub fn find(&self, name: &str) -> Option<(u64, u64, bool)> {
        self.all.iter().find(|s| s.raw == name).map(|s| (s.at, s.size, s.is_code))
    }

    /// The symbol that contains an address.
    fn containing(&self, addr: u64) -> Option<&Symbol> {
        let next = self.all.partition_point(|s| s.at <= addr);
        self.all[..next].iter().rev().find(|s| s.at == addr || addr - s.at < s.size)
    }

    /// A number as an address; `None`: it is too large.
    pub fn address(&self, number: i64) -> Option<u64> {
        if self.xlen == 64 {
            return Some(number as u64);
        }
        u32::try_from(number).ok().map(u64::from)
    }

    /// The symbol at an address, with `+0x..` if inside it.
    pub fn at(&self, addr: u64) -> Option<String> {
        if addr == no_pc(self.xlen) {
            return Some(MASTER.into());
        }
        let s = self.containing(addr)?;
        Some(if s.at == addr { s.printed.clone() } else { format!("{}+{:#x}", s.printed, addr - s.at) })
    }

    /// Source file and line of an address.
    pub fn line(&self, addr: u64) -> Option<String> {
        let place = self.lines.as_ref()?.find_location(addr).ok()??;
        Some(format!("{}:{}", place.file?, place.line?))
    }

    /// The start of the instruction that contains an address; `None`: the program has none there.
    pub fn instruction_at(&self, addr: u64) -> Option<u64> {
        self.code.instruction_at(addr)
    }

    /// Address of a branch or jump in the function at `start`, of `size` bytes, that goes back to its first
    /// instruction. A function of 0 bytes, as in assembler code, reaches up to the next one.
    pub fn back_to_start(&self, start: u64, size: u64) -> Option<u64> {
        self.code.back_to_start(start, self.end(start, size), self.xlen)
    }

    /// End of the function at `start`, of `size` bytes or, if that is 0, up to the next one.
    pub fn end(&self, start: u64, size: u64) -> u64 {
        if size == 0 {
            self.code.end(start)
        } else {
            start.saturating_add(size)
        }
    }

    /// A symbol similar to `name`, for messages.
    pub fn like(&self, name: &str) -> Option<&str> {
        let near = |s: &str| {
            s.eq_ignore_ascii_case(name) || s.contains(name) || (name.len() > 3 && name.contains(s) && s.len() > 3)
        };
        self.all.iter().map(|s| s.name.shown.as_str()).find(|s| near(s))
    }
}

/// Adds the source files that only debug information has.
fn name_files(all: &mut [Symbol], debug: &DebugInfo) {
    for placed in debug.functions.iter().chain(&debug.variables) {
        let same = all.partition_point(|s| s.at < placed.at);
        let twins = all[same..].iter_mut().take_while(|s| s.at == placed.at);
        for symbol in twins {
            symbol.file = placed.declared.file.clone().or_else(|| symbol.file.take());
        }
    }
}

/// Prints the file before a name that several symbols have.
fn name_twins(all: &mut [Symbol]) {
    let mut count = std::collections::HashMap::<String, usize>::new();
    all.iter().for_each(|s| *count.entry(s.printed.clone()).or_default() += 1);
    for s in all.iter_mut().filter(|s| count[&s.printed] > 1) {
        if let Some(file) = &s.file {
            s.printed = format!("{}:{}", file.rsplit('/').next().unwrap_or(file), s.printed);
        }
    }
}
