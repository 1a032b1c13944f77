//! Names of addresses in output: functions, source lines and variables

use crate::Failure;
use capture::routines;
use host::symbols::{Objects, Symbols};
use host::views::lines::{functions, shown, Lines};

/// Symbols and source lines of the program, if available.
pub struct Locations {
    symbols: Symbols,
    /// Variables.
    pub objects: Objects,
    lines: Option<Lines>,
}

impl Locations {
    /// Opens those of `program`, if `wanted`.
    pub fn open(program: &str, wanted: bool) -> Self {
        if !wanted {
            return Self { symbols: Symbols::default(), objects: Objects::default(), lines: None };
        }
        // a program without symbols or line tables may crash, too
        let (symbols, objects) = (Symbols::open(program), Objects::open(program));
        Self {
            symbols: symbols.unwrap_or_default(),
            objects: objects.unwrap_or_default(),
            lines: Lines::open(program).ok(),
        }
    }

    /// The function of an address, with the offset.
    pub fn function(&self, pc: u64) -> Option<String> {
        // an address far from all code has a preceding symbol, but is not in it
        let (name, offset) = self.symbols.at(pc).filter(|(_, offset)| *offset < 1 << 16)?;
        Some(if offset == 0 { name.into() } else { format!("{name}+0x{offset:x}") })
    }

    /// Refuses a name that is neither a function nor a variable, as the value of `option`.
    ///
    /// # Errors
    /// The program has no such name.
    pub fn check_name(&self, option: &str, name: &str) -> Result<(), Failure> {
        let names = || self.symbols.names().chain(self.objects.names());
        if names().any(|known| known == name) {
            return Ok(());
        }
        let wanted = name.to_lowercase();
        let mut near: Vec<&str> = names().filter(|known| routines::near(&known.to_lowercase(), &wanted)).collect();
        near.sort_unstable();
        near.dedup();
        let near: Vec<String> = near.iter().take(3).map(|known| format!("`{known}`")).collect();
        let near = if near.is_empty() { String::new() } else { format!("; near: {}", near.join(", ")) };
        Err(Failure::Other(format!("`{option} {name}`: the program has no function or variable of this name{near}")))
    }

    /// Whether an address of code is in a function of that name.
    pub fn is_in(&self, pc: u64, name: &str) -> bool {
        self.symbols.ranges(name).any(|range| range.contains(&pc))
    }

    /// File and line of an address.
    pub fn line(&self, pc: u64) -> Option<String> {
        let (file, line) = self.lines.as_ref()?.at(pc)?;
        Some(format!("{}:{line}", shown(file)))
    }

    /// The functions of an address in inlined code, from the innermost one outwards.
    pub fn inlined(&self, pc: u64) -> Option<String> {
        let frames = self.lines.as_ref()?.frames(pc);
        (frames.len() > 1).then(|| functions(&frames))
    }

    /// An address of code as text.
    pub fn at(&self, pc: u64) -> String {
        let function = self.function(pc).map(|f| format!(" in {f}")).unwrap_or_default();
        let line = self.line(pc).map(|l| format!(" ({l})")).unwrap_or_default();
        format!("pc 0x{pc:08x}{function}{line}")
    }

    /// An address of data as text.
    pub fn address(&self, addr: u64) -> String {
        match self.objects.at(addr) {
            Some(_) => format!("0x{addr:08x} ({})", self.objects.text(addr)),
            None => format!("0x{addr:08x}"),
        }
    }
}
