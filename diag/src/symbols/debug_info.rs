//! Functions, their inlined copies, variables and source lines of a program, from DWARF

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, Reader as _, Unit, UnitOffset};
use std::sync::Arc;

pub(super) type Reader = gimli::EndianArcSlice<gimli::LittleEndian>;
pub(super) type Entry = DebuggingInformationEntry<Reader>;

/// Maximum length of a chain of entries that refer to each other.
const MAX_CHAIN: usize = 16;

/// A debugging entry: number of its unit, and its offset there.
pub(super) type EntryId = (usize, UnitOffset);

/// A function or variable as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Declared {
    /// Name in the source.
    pub name: String,
    /// Name for the linker, if it is another.
    pub linkage: Option<String>,
    /// Path of the source file.
    pub file: Option<String>,
    /// Line.
    pub line: u64,
}

/// A place at which a function was inlined.
#[derive(Clone, Debug)]
pub(super) struct Inlined {
    pub declared: Declared,
    /// Where it is entered.
    pub entry: u64,
    /// Its code: start and end of each range.
    pub ranges: Vec<(u64, u64)>,
}

/// A variable or function with its address.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub at: u64,
    pub declared: Declared,
    /// Its entry, or that of the declaration.
    pub entry: EntryId,
    /// Its own entry.
    pub own: EntryId,
}

/// A row of the line table at which a statement starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    pub at: u64,
    pub line: u32,
    /// Number of the file.
    pub file: u32,
}

/// Debug information of a program.
pub(super) struct DebugInfo {
    pub dwarf: Arc<Dwarf<Reader>>,
    pub units: Vec<Unit<Reader>>,
    pub functions: Vec<Placed>,
    pub inlined: Vec<Inlined>,
    pub variables: Vec<Placed>,
    /// By address.
    pub rows: Vec<Row>,
    /// Paths of source files.
    pub files: Vec<String>,
}

impl DebugInfo {
    /// Reads it; `is_code` selects addresses of code that the linker did not remove.
    pub fn read(dwarf: Arc<Dwarf<Reader>>, is_code: impl Fn(u64) -> bool) -> Self {
        let (mut units, mut headers) = (Vec::new(), dwarf.units());
        while let Ok(Some(header)) = headers.next() {
            units.extend(dwarf.unit(header).ok());
        }
        let mut info = Self {
            dwarf,
            units,
            functions: Vec::new(),
            inlined: Vec::new(),
            variables: Vec::new(),
            rows: Vec::new(),
            files: Vec::new(),
        };
        for unit in 0..info.units.len() {
            // what cannot be read is as if it were not there
            let _ = info.entries(unit, &is_code);
            let _ = info.lines(unit, &is_code);
        }
        info.rows.sort_unstable();
        info.rows.dedup();
        info
    }

    fn entries(&mut self, n: usize, is_code: &impl Fn(u64) -> bool) -> gimli::Result<()> {
        let (mut functions, mut inlined, mut variables) = (Vec::new(), Vec::new(), Vec::new());
        let unit = &self.units[n];
        let mut cursor = unit.entries();
        while let Some(entry) = cursor.next_dfs()? {
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    let low = entry.attr_value(gimli::DW_AT_low_pc);
                    let low = low.and_then(|v| self.dwarf.attr_address(unit, v).ok().flatten());
                    if let Some(at) = low.filter(|at| is_code(*at)) {
                        let (declared, id) = self.declared(n, entry);
                        functions.push(Placed { at, declared, entry: id, own: (n, entry.offset()) });
                    }
                }
                gimli::DW_TAG_inlined_subroutine => {
                    let Ok(mut all) = self.dwarf.die_ranges(unit, entry) else { continue };
                    let mut ranges = Vec::new();
                    while let Ok(Some(range)) = all.next() {
                        ranges.push((range.begin, range.end));
                    }
                    ranges.retain(|r| r.0 < r.1 && is_code(r.0));
                    let Some(first) = ranges.first().map(|r| r.0) else { continue };
                    let entered = match entry.attr_value(gimli::DW_AT_entry_pc) {
                        // from DWARF 5 on it may be an offset from the first address
                        Some(AttributeValue::Udata(offset)) => Some(first.wrapping_add(offset)),
                        value => value.and_then(|v| self.dwarf.attr_address(unit, v).ok().flatten()),
                    };
                    let entered = entered.unwrap_or(first);
                    let inside = ranges.iter().any(|r| (r.0..r.1).contains(&entered));
                    let (declared, _) = self.declared(n, entry);
                    inlined.push(Inlined { declared, entry: if inside { entered } else { first }, ranges });
                }
                gimli::DW_TAG_variable => {
                    let Some(AttributeValue::Exprloc(place)) = entry.attr_value(gimli::DW_AT_location) else {
                        continue;
                    };
                    let mut operations = place.operations(unit.encoding());
                    if let (Ok(Some(gimli::Operation::Address { address })), Ok(None)) =
                        (operations.next(), operations.next())
                    {
                        let (declared, id) = self.declared(n, entry);
                        let own = (n, entry.offset());
                        variables.push(Placed { at: address, declared, entry: id, own });
                    }
                }
                _ => {}
            }
        }
        self.functions.extend(functions);
        self.inlined.extend(inlined);
        self.variables.extend(variables);
        Ok(())
    }

    fn lines(&mut self, n: usize, is_code: &impl Fn(u64) -> bool) -> gimli::Result<()> {
        let Some(program) = self.units[n].line_program.clone() else { return Ok(()) };
        let mut numbers: Vec<(u64, u32)> = Vec::new();
        let (mut rows, mut found) = (program.rows(), Vec::new());
        while let Some((_, row)) = rows.next_row()? {
            let (file, at) = (row.file_index(), row.address());
            let Some(line) = row.line().filter(|_| row.is_stmt() && !row.end_sequence() && is_code(at)) else {
                continue;
            };
            let file = match numbers.iter().find(|f| f.0 == file) {
                Some(known) => known.1,
                None => {
                    let path = self.path(n, file).unwrap_or_default();
                    let number = self.files.iter().position(|f| *f == path).unwrap_or_else(|| {
                        self.files.push(path);
                        self.files.len() - 1
                    });
                    numbers.push((file, number as u32));
                    number as u32
                }
            };
            found.push(Row { at, line: line.get() as u32, file });
        }
        self.rows.extend(found);
        Ok(())
    }

    /// Path of a source file.
    fn path(&self, n: usize, file: u64) -> Option<String> {
        let unit = &self.units[n];
        let header = unit.line_program.as_ref()?.header();
        let entry = header.file(file)?;
        let text = |v| self.dwarf.attr_string(unit, v).ok().and_then(|s| Some(s.to_string_lossy().ok()?.into_owned()));
        let name = text(entry.path_name())?;
        match entry.directory(header).and_then(text) {
            Some(directory) if !name.starts_with('/') && !directory.is_empty() => Some(format!("{directory}/{name}")),
            _ => Some(name),
        }
    }

    /// An entry, by its number.
    pub fn entry(&self, (n, offset): EntryId) -> Option<Entry> {
        self.units.get(n)?.entry(offset).ok()
    }

    /// The entry to which an attribute refers.
    pub fn referred(&self, n: usize, value: Option<AttributeValue<Reader>>) -> Option<EntryId> {
        match value? {
            AttributeValue::UnitRef(offset) => Some((n, offset)),
            AttributeValue::DebugInfoRef(offset) => self.units.iter().enumerate().find_map(|(n, unit)| {
                let offset = offset.to_unit_offset(&unit.header)?;
                Some((n, offset))
            }),
            _ => None,
        }
    }

    /// What the source declares for an entry, and the entry of the declaration.
    fn declared(&self, n: usize, entry: &Entry) -> (Declared, EntryId) {
        let mut found = Declared::default();
        let (mut id, mut entry) = ((n, entry.offset()), entry.clone());
        for _ in 0..MAX_CHAIN {
            let text = |v: Option<AttributeValue<Reader>>| {
                let text = self.dwarf.attr_string(&self.units[id.0], v?).ok()?;
                Some(text.to_string_lossy().ok()?.into_owned())
            };
            if found.name.is_empty() {
                found.name = text(entry.attr_value(gimli::DW_AT_name)).unwrap_or_default();
            }
            found.linkage = found.linkage.or_else(|| text(entry.attr_value(gimli::DW_AT_linkage_name)));
            if let (None, Some(AttributeValue::FileIndex(file))) =
                (&found.file, entry.attr_value(gimli::DW_AT_decl_file))
            {
                found.file = self.path(id.0, file);
                found.line = entry.attr_value(gimli::DW_AT_decl_line).and_then(|v| v.udata_value()).unwrap_or(0);
            }
            let next = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification]
                .iter()
                .find_map(|name| self.referred(id.0, entry.attr_value(*name)));
            let Some((next, of)) = next.and_then(|next| Some((next, self.entry(next)?))) else { break };
            (id, entry) = (next, of);
        }
        (found, id)
    }
}
