//! Symbols and source lines of a program, from its ELF

use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use retire::isa::{self, Flow};
use std::borrow::Cow;

type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;

/// Symbols and source lines.
pub struct Symbols {
    /// By address: address, size, name, whether it is code.
    all: Vec<(u32, u32, String, bool)>,
    lines: Option<addr2line::Context<Reader>>,
    code: Vec<(u32, Vec<u8>)>,
}

impl std::fmt::Debug for Symbols {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} symbols", self.all.len())
    }
}

impl Symbols {
    /// Reads them from an ELF file; empty if it has no symbols or debug information.
    pub fn parse(elf: &[u8]) -> Result<Self, String> {
        let file = object::File::parse(elf).map_err(|e| e.to_string())?;
        let mut all: Vec<(u32, u32, String, bool)> = file
            .symbols()
            .filter(|s| s.section_index().is_some())
            .filter_map(|s| {
                let code = match s.kind() {
                    SymbolKind::Text => true,
                    // an assembler label in a code section
                    SymbolKind::Unknown | SymbolKind::Label => {
                        let section = file.section_by_index(s.section_index()?).ok()?;
                        section.kind() == object::SectionKind::Text
                    }
                    SymbolKind::Data => false,
                    _ => return None,
                };
                let name = s.name().ok().filter(|n| !n.is_empty() && !n.starts_with(['$', '.']))?;
                Some((s.address() as u32, s.size() as u32, name.to_string(), code))
            })
            .collect();
        all.sort_by(|a, b| (a.0, std::cmp::Reverse(a.1), &a.2).cmp(&(b.0, std::cmp::Reverse(b.1), &b.2)));
        let load = |id: gimli::SectionId| -> Result<Reader, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
            let data = data.unwrap_or(Cow::Borrowed(&[]));
            Ok(Reader::new(std::sync::Arc::from(&*data), gimli::LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(load).ok();
        let lines = dwarf.and_then(|d| addr2line::Context::from_dwarf(d).ok());
        let text = file.sections().filter(|s| s.kind() == object::SectionKind::Text);
        let bytes = |s: object::Section| s.uncompressed_data().map(Cow::into_owned).unwrap_or_default();
        let code = text.map(|s| (s.address() as u32, bytes(s))).collect();
        Ok(Self { all, lines, code })
    }

    /// No symbols.
    pub fn none() -> Self {
        Self { all: Vec::new(), lines: None, code: Vec::new() }
    }

    /// Address and size of a symbol, and whether it is code.
    pub fn find(&self, name: &str) -> Option<(u32, u32, bool)> {
        self.all.iter().find(|s| s.2 == name).map(|s| (s.0, s.1, s.3))
    }

    /// The symbol at an address, with `+0x..` if inside it.
    pub fn at(&self, addr: u32) -> Option<String> {
        let next = self.all.partition_point(|s| s.0 <= addr);
        let (start, size, name, _) = self.all[..next].iter().rev().find(|s| s.0 == addr || addr - s.0 < s.1)?;
        let _ = size;
        Some(if *start == addr { name.clone() } else { format!("{name}+{:#x}", addr - start) })
    }

    /// Source file and line of an address.
    pub fn line(&self, addr: u32) -> Option<String> {
        let place = self.lines.as_ref()?.find_location(addr.into()).ok()??;
        Some(format!("{}:{}", place.file?, place.line?))
    }

    /// Locations at which a function was inlined: up to four addresses, with their lines.
    pub fn inlined(&self, name: &str) -> Vec<String> {
        let Some(lines) = &self.lines else { return Vec::new() };
        let (mut found, mut inside) = (Vec::new(), false);
        for addr in self.code.iter().flat_map(|(at, bytes)| (*at..at + bytes.len() as u32).step_by(2)) {
            let mut here = false;
            if let Ok(mut frames) = lines.find_frames(addr.into()).skip_all_loads() {
                while let Ok(Some(frame)) = frames.next() {
                    let called = frame.function.as_ref().and_then(|f| f.raw_name().ok());
                    here |= called.is_some_and(|n| n == name);
                }
            }
            if here && !inside && found.len() < 4 {
                found.push(format!("{addr:#x} ({})", self.at(addr).unwrap_or_default()));
            }
            inside = here;
        }
        found
    }

    /// The clone that the compiler made of a function, if it replaced the function itself: `copy.constprop.0` of
    /// `copy`.
    pub fn clone_of(&self, name: &str) -> Option<&str> {
        let is_clone = |s: &&str| s.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.all.iter().filter(|s| s.3).map(|s| s.2.as_str()).find(is_clone)
    }

    /// Address of a branch or jump in the function at `start`, of `size` bytes, that goes back to its first
    /// instruction.
    pub fn back_to_start(&self, start: u32, size: u32) -> Option<u32> {
        let (at, bytes) =
            self.code.iter().find(|(at, b)| start.checked_sub(*at).is_some_and(|o| o < b.len() as u32))?;
        let mut pc = start;
        while pc < start.saturating_add(size) {
            let rest = &bytes.get((pc - at) as usize..).filter(|b| b.len() >= 2)?;
            let half = |n: usize| u32::from(u16::from_le_bytes([rest[n], rest[n + 1]]));
            let long = half(0) & 3 == 3;
            let insn = if long && rest.len() >= 4 { half(2) << 16 | half(0) } else { half(0) };
            if let Flow::Conditional { offset } | Flow::Jump { offset, call: false } = isa::flow(insn, 32) {
                if pc.wrapping_add_signed(offset) == start {
                    return Some(pc);
                }
            }
            pc += if long { 4 } else { 2 };
        }
        None
    }

    /// A symbol similar to `name`, for messages.
    pub fn like(&self, name: &str) -> Option<&str> {
        let near = |s: &str| {
            s.eq_ignore_ascii_case(name) || s.contains(name) || (name.len() > 3 && name.contains(s) && s.len() > 3)
        };
        self.all.iter().map(|s| s.2.as_str()).find(|s| near(s))
    }
}
