//! Routines in debug information
//!
//! # Source
//! DWARF 5, sections 3.3.1 (subroutines), 3.3.8 (inlined subroutines), 2.17 (ranges of code).

use super::{is_code, Place, RoutineSpec};
use gimli::{constants as dw, AttributeValue, EndianSlice, LittleEndian};
use object::{Object, ObjectSection};
use std::borrow::Cow;
use std::ops::Range;

type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Unit<'a> = gimli::Unit<Reader<'a>>;
type Entry<'a> = gimli::DebuggingInformationEntry<Reader<'a>>;

/// Longest chain of references from an entry to its origin; a longer one is circular.
const MAX_STEPS: u32 = 8;

/// Debug information on a name.
#[derive(Default)]
pub(super) struct Debug {
    /// Places with code of its own.
    pub(super) places: Vec<Place>,
    /// Addresses where it was inlined.
    pub(super) inlined: Vec<u64>,
}

struct Units<'a> {
    dwarf: gimli::Dwarf<Reader<'a>>,
    all: Vec<Unit<'a>>,
}

/// Looks up a routine.
pub(super) fn find(file: &object::File<'_>, wanted: RoutineSpec<'_>) -> Result<Debug, gimli::Error> {
    let load = |id: gimli::SectionId| -> Result<Cow<'_, [u8]>, gimli::Error> {
        Ok(file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok()).unwrap_or_default())
    };
    let sections = gimli::DwarfSections::load(load)?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, LittleEndian));
    let (mut all, mut headers) = (Vec::new(), dwarf.units());
    while let Some(header) = headers.next()? {
        all.push(dwarf.unit(header)?);
    }
    let units = Units { dwarf, all };
    let mut found = Debug::default();
    for unit in &units.all {
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let inlined = match entry.tag() {
                dw::DW_TAG_subprogram => false,
                dw::DW_TAG_inlined_subroutine => true,
                _ => continue,
            };
            let mut pieces = units.pieces(unit, entry)?;
            pieces.retain(|p| is_code(file, p.start));
            let Some(first) = pieces.first().map(|p| p.start) else { continue };
            let is_wanted = match wanted {
                RoutineSpec::Name(name) => units.is_named(unit, entry, name.as_bytes(), MAX_STEPS)?,
                RoutineSpec::Address(at) => !inlined && first == at,
            };
            if is_wanted && inlined {
                found.inlined.push(first);
            } else if is_wanted && !found.places.iter().any(|p| p.pieces[0].start == first) {
                let file = unit.name.map(|n| n.to_string_lossy().into_owned());
                found.places.push(Place { pieces, file });
            }
        }
    }
    Ok(found)
}

impl<'a> Units<'a> {
    /// Code ranges of an entry in their stored order: the start of the routine is first.
    fn pieces(&self, unit: &Unit<'a>, entry: &Entry<'a>) -> Result<Vec<Range<u64>>, gimli::Error> {
        let (mut pieces, mut ranges) = (Vec::new(), self.dwarf.die_ranges(unit, entry)?);
        while let Some(range) = ranges.next()? {
            if range.begin < range.end {
                pieces.push(range.begin..range.end);
            }
        }
        Ok(pieces)
    }

    /// Whether the entry, or its origin, has this name.
    fn is_named(&self, unit: &Unit<'a>, entry: &Entry<'a>, name: &[u8], steps: u32) -> Result<bool, gimli::Error> {
        for attribute in [dw::DW_AT_linkage_name, dw::DW_AT_name] {
            if let Some(value) = entry.attr_value(attribute) {
                if self.dwarf.attr_string(unit, value)?.slice() == name {
                    return Ok(true);
                }
            }
        }
        for attribute in [dw::DW_AT_abstract_origin, dw::DW_AT_specification] {
            let (unit, at) = match entry.attr_value(attribute).filter(|_| steps > 0) {
                Some(AttributeValue::UnitRef(at)) => (unit, at),
                Some(AttributeValue::DebugInfoRef(at)) => {
                    let find = |u: &'_ Unit<'a>| at.to_unit_offset(&u.header);
                    match self.all.iter().find_map(|u| Some((u, find(u)?))) {
                        Some(found) => found,
                        None => continue,
                    }
                }
                _ => continue,
            };
            if self.is_named(unit, &unit.entry(at)?, name, steps - 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
