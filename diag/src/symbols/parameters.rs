//! Parameters of functions and the registers that have them, from DWARF
//!
//! Optimised code says in which register a parameter is at the first instruction. A compiler may drop parameters of a
//! copy (`.isra`, `.constprop`), so that its registers are not those of the calling convention. Where a parameter is
//! stored on the stack for the whole function, as without optimisation, the calling convention has its register.

use super::debug_info::{DebugInfo, EntryId, Reader};
use super::types::{number, Number, MAX_DEPTH};
use gimli::{AttributeValue, Expression, Operation};

/// Register or stack word of a parameter at the entry of its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// In this register.
    Register(u8),
    /// It, or one before it, is not a number in one register.
    Words,
    /// In no register: the compiler removed it.
    Nowhere,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Name in the source.
    pub name: String,
    /// Its type, if it is a number.
    pub number: Option<Number>,
    /// Its place.
    pub passed: Passed,
}

/// First and last register of arguments.
const ARGUMENTS: std::ops::RangeInclusive<u16> = 10..=17;
/// Registers of the largest result that is in registers.
const MAX_RESULT_REGISTERS: u64 = 2;

/// Where DWARF says that a parameter is.
enum Location {
    Register(u8),
    /// In memory for the whole function.
    Memory,
    Other,
}

impl DebugInfo {
    /// Parameters of the function at `first`; `function`: its own entry, `declared`: that of its declaration.
    pub fn parameters(&self, first: u64, function: EntryId, declared: EntryId) -> Vec<Parameter> {
        let own = self.formal(function);
        let mut source = function;
        for _ in 0..MAX_DEPTH {
            let origin = self.entry(source).and_then(|e| e.attr_value(gimli::DW_AT_abstract_origin));
            let Some(next) = self.referred(source.0, origin) else { break };
            source = next;
        }
        let hidden = u16::from(self.is_returned_in_memory(declared));
        let mut simple = true;
        let mut all = Vec::new();
        for (n, id) in self.formal(source).into_iter().enumerate() {
            let is_this = |c: &&EntryId| {
                let origin = self.entry(**c).and_then(|e| e.attr_value(gimli::DW_AT_abstract_origin));
                **c == id || self.referred(c.0, origin) == Some(id)
            };
            let location = own.iter().find(is_this).map_or(Location::Other, |c| self.location(*c, first));
            let number = self.type_of(id).and_then(|t| self.number(t));
            let is_word = number.is_some_and(|n| u64::from(n.size) <= self.word(function.0));
            simple &= is_word;
            let passed = match location {
                _ if !is_word => Passed::Words,
                Location::Register(r) => Passed::Register(r),
                Location::Memory => match ARGUMENTS.start() + hidden + n as u16 {
                    r if simple && ARGUMENTS.contains(&r) => Passed::Register(r as u8),
                    _ => Passed::Words,
                },
                Location::Other => Passed::Nowhere,
            };
            all.push(Parameter { name: self.name(id).unwrap_or_default(), number, passed });
        }
        all
    }

    fn formal(&self, function: EntryId) -> Vec<EntryId> {
        let is = |c: &EntryId| self.entry(*c).is_some_and(|e| e.tag() == gimli::DW_TAG_formal_parameter);
        self.children(function).into_iter().filter(is).collect()
    }

    /// Whether the caller passes the address of the result in the first register.
    fn is_returned_in_memory(&self, function: EntryId) -> bool {
        let Some(result) = self.type_of(function) else { return false };
        // C++: a type that is not copied as bytes
        let by_reference = self.entry(result).and_then(|e| number(&e, gimli::DW_AT_calling_convention))
            == Some(gimli::DW_CC_pass_by_reference.0.into());
        by_reference
            || self.size(result, MAX_DEPTH).is_some_and(|size| size > MAX_RESULT_REGISTERS * self.word(function.0))
    }

    /// Where a parameter is at the first instruction of its function.
    fn location(&self, parameter: EntryId, first: u64) -> Location {
        let (unit, entry) = (&self.units[parameter.0], self.entry(parameter));
        match entry.and_then(|e| e.attr_value(gimli::DW_AT_location)) {
            Some(AttributeValue::Exprloc(place)) => match self.one_register(parameter.0, place.clone()) {
                Some(register) => Location::Register(register),
                None if self.is_in_memory(parameter.0, place) => Location::Memory,
                None => Location::Other,
            },
            Some(list) => {
                let Ok(Some(mut places)) = self.dwarf.attr_locations(unit, list) else { return Location::Other };
                while let Ok(Some(place)) = places.next() {
                    if (place.range.begin..place.range.end).contains(&first) {
                        let register = self.one_register(parameter.0, place.data);
                        return register.map_or(Location::Other, Location::Register);
                    }
                }
                Location::Other
            }
            None => Location::Other,
        }
    }

    /// The register of arguments that is all of a location.
    fn one_register(&self, unit: usize, place: Expression<Reader>) -> Option<u8> {
        let mut operations = place.operations(self.units[unit].encoding());
        match (operations.next().ok()??, operations.next().ok()?) {
            (Operation::Register { register }, None) if ARGUMENTS.contains(&register.0) => Some(register.0 as u8),
            _ => None,
        }
    }

    fn is_in_memory(&self, unit: usize, place: Expression<Reader>) -> bool {
        let mut operations = place.operations(self.units[unit].encoding());
        let (first, second) = (operations.next().ok().flatten(), operations.next().ok().flatten());
        matches!(first, Some(Operation::FrameOffset { .. } | Operation::RegisterOffset { .. })) && second.is_none()
    }
}
