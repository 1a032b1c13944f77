//! Members of variables and numbers, from the types in DWARF

use super::debug_info::{DebugInfo, Entry, EntryId};
use gimli::{AttributeValue, Reader as _};

/// Maximum depth of type definitions that are followed.
pub(super) const MAX_DEPTH: usize = 32;

/// A number in memory or in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Bytes.
    pub size: u32,
    /// Whether it may be negative.
    pub signed: bool,
}

pub(super) fn number(entry: &Entry, name: gimli::DwAt) -> Option<u64> {
    match entry.attr_value(name)? {
        AttributeValue::Encoding(encoding) => Some(u64::from(encoding.0)),
        value => value.udata_value(),
    }
}

impl DebugInfo {
    /// The type of an entry, without names and qualifiers.
    pub(super) fn type_of(&self, id: EntryId) -> Option<EntryId> {
        let mut id = id;
        for _ in 0..MAX_DEPTH {
            id = self.referred(id.0, self.entry(id)?.attr_value(gimli::DW_AT_type))?;
            match self.entry(id)?.tag() {
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => {}
                _ => return Some(id),
            }
        }
        None
    }

    pub(super) fn children(&self, id: EntryId) -> Vec<EntryId> {
        let mut all = Vec::new();
        let Some(Ok(mut tree)) = self.units.get(id.0).map(|u| u.entries_tree(Some(id.1))) else { return all };
        let Ok(root) = tree.root() else { return all };
        let mut children = root.children();
        while let Ok(Some(child)) = children.next() {
            all.push((id.0, child.entry().offset()));
        }
        all
    }

    pub(super) fn name(&self, id: EntryId) -> Option<String> {
        let value = self.entry(id)?.attr_value(gimli::DW_AT_name)?;
        let name = self.dwarf.attr_string(&self.units[id.0], value).ok()?;
        Some(name.to_string_lossy().ok()?.into_owned())
    }

    /// Bytes of an address, as in a unit.
    pub(super) fn word(&self, unit: usize) -> u64 {
        self.units[unit].encoding().address_size.into()
    }

    /// Elements of an array type.
    fn elements(&self, id: EntryId) -> u64 {
        let dimensions = self.children(id).into_iter().filter_map(|c| self.entry(c));
        let count = |d: Entry| {
            number(&d, gimli::DW_AT_count).or_else(|| Some(number(&d, gimli::DW_AT_upper_bound)?.saturating_add(1)))
        };
        dimensions.map(|d| count(d).unwrap_or(0)).fold(1, u64::saturating_mul)
    }

    pub(super) fn size(&self, id: EntryId, depth: usize) -> Option<u64> {
        let entry = self.entry(id)?;
        if let Some(size) = number(&entry, gimli::DW_AT_byte_size) {
            return Some(size);
        }
        if entry.tag() != gimli::DW_TAG_array_type || depth == 0 {
            return None;
        }
        Some(self.size(self.type_of(id)?, depth - 1)?.saturating_mul(self.elements(id)))
    }

    /// Names of the members of a variable's type, for messages.
    fn members(&self, id: EntryId) -> String {
        let names: Vec<String> = self.children(id).into_iter().filter_map(|c| self.name(c)).take(12).collect();
        names.join(", ")
    }

    /// Offset and size of a member of a variable: `.a[2].b`.
    pub fn member(&self, variable: EntryId, path: &str) -> Result<(u64, u64), String> {
        let no_type = || "its type is not in the debug information".to_string();
        let (mut id, mut offset) = (self.type_of(variable).ok_or_else(no_type)?, 0_u64);
        let mut rest = path;
        while !rest.is_empty() {
            let entry = self.entry(id).ok_or_else(no_type)?;
            if let Some(index) = rest.strip_prefix('[') {
                let (index, after) = index.split_once(']').ok_or("`]` is missing")?;
                let index: u64 = index.parse().map_err(|_| format!("`[{index}]` is not an index"))?;
                if entry.tag() != gimli::DW_TAG_array_type {
                    return Err(format!("`[{index}]`: it is not an array"));
                }
                let dimensions = self.children(id).len();
                if dimensions > 1 {
                    return Err(format!("it is an array of {dimensions} dimensions; use an offset in bytes"));
                }
                let count = self.elements(id);
                if index >= count {
                    return Err(format!("`[{index}]`: it has {count} elements"));
                }
                id = self.type_of(id).ok_or_else(no_type)?;
                offset = offset.saturating_add(index.saturating_mul(self.size(id, MAX_DEPTH).ok_or_else(no_type)?));
                rest = after;
                continue;
            }
            let named = rest.strip_prefix('.').ok_or_else(|| format!("`{rest}` is not a member"))?;
            let end = named.find(['.', '[']).unwrap_or(named.len());
            let name = &named[..end];
            let found = self.children(id).into_iter().find(|c| self.name(*c).as_deref() == Some(name));
            let Some(found) = found else {
                let members = self.members(id);
                let has = if members.is_empty() { "it has none".into() } else { format!("it has {members}") };
                return Err(format!("there is no member `{name}`; {has}"));
            };
            let member = self.entry(found).ok_or_else(no_type)?;
            if member.attr_value(gimli::DW_AT_bit_size).is_some() {
                return Err(format!("`{name}` is a bit-field; a store writes whole bytes"));
            }
            // a member of a union has no offset
            offset = offset.saturating_add(number(&member, gimli::DW_AT_data_member_location).unwrap_or(0));
            id = self.type_of(found).ok_or_else(no_type)?;
            rest = &named[end..];
        }
        let size = self.size(id, MAX_DEPTH).ok_or_else(no_type)?;
        match size {
            1.. => Ok((offset, size)),
            0 => Err("it has no size".into()),
        }
    }

    /// A type as a number; a pointer is an unsigned one.
    pub(super) fn number(&self, id: EntryId) -> Option<Number> {
        let entry = self.entry(id)?;
        let size = self.size(id, 0).unwrap_or_else(|| self.word(id.0)) as u32;
        let signed = match entry.tag() {
            gimli::DW_TAG_base_type => {
                let encoding = gimli::DwAte(number(&entry, gimli::DW_AT_encoding)? as u8);
                match encoding {
                    gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => true,
                    gimli::DW_ATE_float | gimli::DW_ATE_complex_float => return None,
                    _ => false,
                }
            }
            gimli::DW_TAG_enumeration_type => self.type_of(id).and_then(|t| self.number(t)).is_some_and(|n| n.signed),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_ptr_to_member_type => false,
            _ => return None,
        };
        Some(Number { size, signed })
    }
}
