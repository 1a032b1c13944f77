//! Source lines of code addresses, from a program's DWARF

use crate::input::{elf_bytes, located};
use crate::HostError;
use gimli::{EndianRcSlice, LittleEndian};
use object::{Object, ObjectSection};
use retire::elf::ElfError;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::OnceLock;

/// A function at a source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceLocation {
    /// Name of the function.
    pub function: String,
    /// Source file, as given to the compiler.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
}

/// The functions of [`Lines::frames`], from the innermost inlined one to that into which it was inlined, as text.
pub fn functions(frames: &[SourceLocation]) -> String {
    let mut text = frames.first().map(|f| f.function.clone()).unwrap_or_default();
    for outer in frames.iter().skip(1) {
        text += &format!(" < {} ({}:{})", outer.function, shown(&outer.file), outer.line);
    }
    text
}

/// A source file as text output names it: relative to the current folder, if it is below that.
pub fn shown(file: &str) -> &str {
    static CURRENT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let current = CURRENT.get_or_init(|| std::env::current_dir().ok());
    current.as_deref().map_or(file, |folder| below(file, folder))
}

fn below<'a>(file: &'a str, folder: &Path) -> &'a str {
    Path::new(file).strip_prefix(folder).ok().and_then(Path::to_str).filter(|f| !f.is_empty()).unwrap_or(file)
}

/// Line tables of a program.
pub struct Lines {
    context: addr2line::Context<EndianRcSlice<LittleEndian>>,
    /// Address at which the program was loaded, which debug information does not know.
    base: u64,
}

impl Lines {
    /// Reads them from an ELF file or `builtin:NAME`.
    ///
    /// # Errors
    /// There are no line tables, or they are damaged.
    pub fn open(name: &str) -> Result<Self, HostError> {
        let elf = elf_bytes(name)?;
        let bad = |e: &dyn std::fmt::Display| HostError::Other(format!("{name}: line tables: {e}"));
        let file = object::File::parse(&*elf)
            .map_err(|e| HostError::Program { name: name.into(), source: ElfError::NotElf(e.to_string()) })?;
        if file.section_by_name(".debug_line").is_none() {
            return Err(HostError::Other(format!("{name}: has no line tables; it must be built with -g")));
        }
        let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
            let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
            Ok(EndianRcSlice::new(Rc::from(data.as_deref().unwrap_or_default()), LittleEndian))
        };
        let dwarf = gimli::Dwarf::load(section).map_err(|e| bad(&e))?;
        let base = located(name).1.unwrap_or(0);
        Ok(Self { context: addr2line::Context::from_dwarf(dwarf).map_err(|e| bad(&e))?, base })
    }

    /// The functions that contain an address: the innermost inlined one first, then those that it was inlined into.
    pub fn frames(&self, pc: u64) -> Vec<SourceLocation> {
        let mut locations = Vec::new();
        let Ok(mut frames) = self.context.find_frames(pc.wrapping_sub(self.base)).skip_all_loads() else {
            return locations;
        };
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            let function = frame.function.and_then(|f| f.raw_name().map(|n| n.into_owned()).ok());
            locations.push(SourceLocation {
                function: function.unwrap_or_default(),
                file: location.file.unwrap_or_default().into(),
                line: location.line.unwrap_or(0),
            });
        }
        locations
    }

    /// Source file and line of an address.
    pub fn at(&self, pc: u64) -> Option<(&str, u32)> {
        let location = self.context.find_location(pc.wrapping_sub(self.base)).ok()??;
        Some((location.file?, location.line?))
    }

    /// Column of an address, from 1; 0: unknown.
    pub fn column(&self, pc: u64) -> u32 {
        let location = self.context.find_location(pc.wrapping_sub(self.base)).ok().flatten();
        location.and_then(|l| l.column).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_the_folder_are_relative() {
        let folder = Path::new("/home/me/p");
        assert_eq!(below("/home/me/p/src/a.c", folder), "src/a.c");
        assert_eq!(below("/home/me/px/a.c", folder), "/home/me/px/a.c");
        assert_eq!(below("./a.c", folder), "./a.c");
        assert_eq!(below("/home/me/p", folder), "/home/me/p");
    }
}
