//! The control block of the task or process that each core runs, from the stores of a run
//!
//! An operating system points to the control block of what a core runs, and keeps the name in it: `pxCurrentTCB` of FreeRTOS, or an array
//! with a pointer for each core; `cpus` of xv6, an array of structures that begin with the pointer.

use crate::input::elf_bytes;
use crate::symbols::Symbols;
use crate::HostError;
use gimli::{EndianRcSlice, LittleEndian, Reader, UnitOffset};
use object::{Object, ObjectSection};
use retire::elf::Program;
use retire::{DataEvent, DataKind, MasterStore};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

type Slice = EndianRcSlice<LittleEndian>;

/// Bytes of a name.
const NAME: usize = 32;

/// A known operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// FreeRTOS.
    FreeRtos,
    /// ThreadX.
    ThreadX,
    /// Zephyr.
    Zephyr,
}

/// Layout of the tasks in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Address of the pointer to the control block of what core 0 runs.
    pub current: u64,
    /// Distance of the pointers of two cores, bytes.
    pub stride: u64,
    /// Offset of the name in a control block.
    pub name: u64,
    /// Whether a pointer to the name is there.
    pub name_by_pointer: bool,
    /// The stack of a task, if its control block has it.
    pub stack: Option<StackMembers>,
    /// Bytes of a pointer.
    pub pointer: u8,
    /// Lists of tasks that are ready, if the program has those of FreeRTOS.
    pub ready: Option<ReadyLists>,
    /// The operating system, if it is a known one.
    pub system: Option<System>,
}

/// Offsets in a control block of what describes the task's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackMembers {
    /// Its lowest address.
    pub start: u64,
    /// Its end, if it is there.
    pub end: Option<StackEnd>,
}

/// Offset in a control block of what says where the task's stack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackEnd {
    /// The highest address that it uses.
    Pointer(u64),
    /// Its size, in bytes.
    Size(u64),
}

/// Lists of tasks that are ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyLists {
    /// Offset in a control block of the pointer to the list that the task is in.
    pub container: u64,
    /// Address of the lists.
    pub start: u64,
    /// The first address after them.
    pub end: u64,
}

impl ReadyLists {
    /// Whether a list is one of them.
    pub fn hold(&self, list: u64) -> bool {
        (self.start..self.end).contains(&list)
    }
}

/// Reads the DWARF of an ELF file.
fn with_dwarf<T>(
    elf: &str,
    read: impl FnOnce(&gimli::Dwarf<Slice>) -> Result<T, gimli::Error>,
) -> Result<T, HostError> {
    let bytes = elf_bytes(elf)?;
    let bad = |e: &dyn std::fmt::Display| HostError::Other(format!("{elf}: {e}"));
    let file = object::File::parse(&*bytes).map_err(|e| bad(&e))?;
    let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
        Ok(EndianRcSlice::new(Rc::from(data.as_deref().unwrap_or_default()), LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(section).map_err(|e| bad(&e))?;
    read(&dwarf).map_err(|e| bad(&e))
}

/// Whether an ELF file has a symbol of that name.
pub(super) fn has_symbol(elf: &str, name: &str) -> bool {
    Symbols::address64(elf, name).is_ok()
}

/// A member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub offset: u64,
    /// Whether it is a pointer.
    pub pointer: bool,
}

/// A structure's member of that name, or `STRUCTURE.NAME`, from the DWARF of an ELF file.
///
/// # Errors
/// There is no such member, or there are several at different offsets; or the file cannot be read.
pub(super) fn member(elf: &str, name: &str) -> Result<Member, HostError> {
    let (of, member) = name.rsplit_once('.').map_or((None, name), |(of, member)| (Some(of), member));
    let found = with_dwarf(elf, |dwarf| members(dwarf, of, member))?;
    let mut offsets: Vec<u64> = found.iter().map(|(_, member)| member.offset).collect();
    offsets.sort_unstable();
    offsets.dedup();
    match offsets[..] {
        [_] => Ok(found[0].1),
        [] => Err(HostError::Other(format!(
            "{elf}: no structure has a member `{name}`; `--task-name` names it, or its offset"
        ))),
        _ => {
            let all: BTreeMap<&str, u64> = found.iter().map(|(of, member)| (of.as_str(), member.offset)).collect();
            let all: Vec<String> = all.iter().take(4).map(|(of, offset)| format!("{of} at {offset}")).collect();
            Err(HostError::Other(format!(
                "{elf}: several structures have a member `{member}`: {}; expected STRUCTURE.{member} in `--task-name`",
                all.join(", ")
            )))
        }
    }
}

/// Structures with a member of that name.
fn members(dwarf: &gimli::Dwarf<Slice>, of: Option<&str>, name: &str) -> Result<Vec<(String, Member)>, gimli::Error> {
    let (mut units, mut found) = (dwarf.units(), Vec::new());
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let text = |value| Ok::<_, gimli::Error>(dwarf.attr_string(&unit, value)?.to_string_lossy()?.into_owned());
        // the structures around an entry, with their depth
        let mut around: Vec<(isize, String)> = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            let depth = entry.depth();
            around.retain(|(outer, _)| *outer < depth);
            let named = entry.attr_value(gimli::DW_AT_name).map(text).transpose()?.unwrap_or_default();
            match entry.tag() {
                gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                    around.push((depth, named));
                }
                gimli::DW_TAG_member if named == name => {
                    let outer = around.last().map(|(_, outer)| outer.as_str()).unwrap_or_default();
                    let offset =
                        entry.attr_value(gimli::DW_AT_data_member_location).map(|at| offset(&at, unit.encoding()));
                    if of.is_none_or(|of| of == outer) {
                        // a member of a union has no offset
                        let offset = offset.transpose()?.unwrap_or(0);
                        let pointer = is_pointer(&unit, type_of(entry))?;
                        found.push((outer.to_string(), Member { offset, pointer }));
                    }
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// The offset of a member: a number, or, in DWARF 2, the operation that adds it.
fn offset(at: &gimli::AttributeValue<Slice>, encoding: gimli::Encoding) -> Result<u64, gimli::Error> {
    if let Some(offset) = at.udata_value() {
        return Ok(offset);
    }
    let gimli::AttributeValue::Exprloc(expression) = at else { return Err(gimli::Error::UnsupportedEvaluation) };
    match expression.clone().operations(encoding).next()? {
        Some(gimli::Operation::PlusConstant { value }) => Ok(value),
        _ => Err(gimli::Error::UnsupportedEvaluation),
    }
}

/// Bytes of an element of the array of that name, if there is one.
pub(super) fn element(elf: &str, name: &str) -> Result<Option<u64>, HostError> {
    Ok(array_of(elf, name)?.map(|array| array.element))
}

/// Number of elements of the array of that name, if there is one.
pub(super) fn array(elf: &str, name: &str) -> Result<Option<u64>, HostError> {
    Ok(array_of(elf, name)?.map(|array| array.elements))
}

/// The array that a variable or a member of that name is.
fn array_of(elf: &str, name: &str) -> Result<Option<Array>, HostError> {
    with_dwarf(elf, |dwarf| {
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs()? {
                if !matches!(entry.tag(), gimli::DW_TAG_variable | gimli::DW_TAG_member) {
                    continue;
                }
                let Some(found) = entry.attr_value(gimli::DW_AT_name) else { continue };
                if dwarf.attr_string(&unit, found)?.to_string_lossy()? != name {
                    continue;
                }
                if let Some(array) = array_type(&unit, type_of(entry))? {
                    return Ok(Some(array));
                }
            }
        }
        Ok(None)
    })
}

/// Bytes of the structure of that name.
pub(super) fn bytes_of(elf: &str, name: &str) -> Result<Option<u64>, HostError> {
    with_dwarf(elf, |dwarf| {
        let mut units = dwarf.units();
        while let Some(header) = units.next()? {
            let unit = dwarf.unit(header)?;
            let mut entries = unit.entries();
            while let Some(entry) = entries.next_dfs()? {
                let Some(found) = entry.attr_value(gimli::DW_AT_name) else { continue };
                let bytes = entry.attr_value(gimli::DW_AT_byte_size).and_then(|n| n.udata_value());
                if entry.tag() == gimli::DW_TAG_structure_type
                    && bytes.is_some()
                    && dwarf.attr_string(&unit, found)?.to_string_lossy()? == name
                {
                    return Ok(bytes);
                }
            }
        }
        Ok(None)
    })
}

/// Whether the type at that offset is a pointer.
fn is_pointer(unit: &gimli::Unit<Slice>, mut at: Option<UnitOffset>) -> Result<bool, gimli::Error> {
    // a chain of names and qualifiers is short
    for _ in 0..16 {
        let Some(offset) = at else { return Ok(false) };
        let entry = unit.entry(offset)?;
        match entry.tag() {
            gimli::DW_TAG_pointer_type => return Ok(true),
            gimli::DW_TAG_typedef | gimli::DW_TAG_volatile_type | gimli::DW_TAG_const_type => at = type_of(&entry),
            _ => return Ok(false),
        }
    }
    Ok(false)
}

fn type_of(entry: &gimli::DebuggingInformationEntry<Slice>) -> Option<UnitOffset> {
    match entry.attr_value(gimli::DW_AT_type)? {
        gimli::AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

/// An array.
struct Array {
    /// Bytes of an element.
    element: u64,
    /// Their number; 0 if it is not known.
    elements: u64,
}

/// The array, if the type at that offset is one.
fn array_type(unit: &gimli::Unit<Slice>, mut at: Option<UnitOffset>) -> Result<Option<Array>, gimli::Error> {
    let mut elements = None;
    // a chain of names and qualifiers is short
    for _ in 0..16 {
        let Some(offset) = at else { return Ok(None) };
        let entry = unit.entry(offset)?;
        let bytes = entry.attr_value(gimli::DW_AT_byte_size).and_then(|n| n.udata_value());
        match entry.tag() {
            gimli::DW_TAG_array_type => elements = Some(elements_of(unit, offset)?),
            gimli::DW_TAG_typedef | gimli::DW_TAG_volatile_type | gimli::DW_TAG_const_type => {}
            _ => return Ok(bytes.zip(elements).map(|(element, elements)| Array { element, elements })),
        }
        at = type_of(&entry);
    }
    Ok(None)
}

/// Number of elements of an array type, or 0.
fn elements_of(unit: &gimli::Unit<Slice>, array: UnitOffset) -> Result<u64, gimli::Error> {
    let mut tree = unit.entries_tree(Some(array))?;
    let mut ranges = tree.root()?.children();
    while let Some(range) = ranges.next()? {
        let entry = range.entry();
        let number = |name| entry.attr_value(name).and_then(|n| n.udata_value());
        let elements = number(gimli::DW_AT_count).or_else(|| Some(number(gimli::DW_AT_upper_bound)? + 1));
        if let Some(elements) = elements {
            return Ok(elements);
        }
    }
    Ok(0)
}

/// Bytes of a page of memory.
const PAGE: usize = 4096;

/// Memory as the stores of a run leave it.
#[derive(Debug, Default)]
struct Memory(HashMap<u64, Box<[u8; PAGE]>>);

impl Memory {
    fn write(&mut self, addr: u64, data: &[u8]) {
        for (byte, at) in data.iter().zip(0..) {
            let at = addr.wrapping_add(at);
            let page = self.0.entry(at / PAGE as u64).or_insert_with(|| Box::new([0; PAGE]));
            page[(at % PAGE as u64) as usize] = *byte;
        }
    }

    fn byte(&self, at: u64) -> u8 {
        self.0.get(&(at / PAGE as u64)).map_or(0, |page| page[(at % PAGE as u64) as usize])
    }

    /// A number of `bytes` bytes.
    fn word(&self, addr: u64, bytes: u8) -> u64 {
        let byte = |n: u8| u64::from(self.byte(addr.wrapping_add(n.into()))) << (8 * n);
        (0..bytes).map(byte).sum()
    }

    fn text(&self, addr: u64) -> String {
        let bytes = (0..NAME as u64).map(|at| self.byte(addr.wrapping_add(at))).take_while(|byte| *byte != 0);
        String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
    }
}

/// The task that each core runs.
#[derive(Debug)]
pub struct Running {
    layout: Layout,
    memory: Memory,
    blocks: Vec<Option<u64>>,
}

impl Running {
    /// At the beginning of a run of `program`.
    pub fn new(layout: Layout, program: &Program, cores: u8) -> Self {
        let mut memory = Memory::default();
        for segment in &program.segments {
            memory.write(segment.virtual_addr, &segment.data);
        }
        Self { layout, memory, blocks: vec![None; cores.into()] }
    }

    /// Control block of what a core runs: `None` before the pointer was stored, 0 where the core runs nothing.
    pub fn block(&self, core: u8) -> Option<u64> {
        self.blocks[usize::from(core)]
    }

    /// Name of what a core runs, as memory has it now.
    pub fn name(&self, core: u8) -> Option<String> {
        let block = self.block(core)?;
        if block == 0 {
            return Some("no task".into());
        }
        let at = block.wrapping_add(self.layout.name);
        let at = if self.layout.name_by_pointer { self.memory.word(at, self.layout.pointer) } else { at };
        let name = self.memory.text(at);
        Some(if name.is_empty() { format!("0x{block:08x}") } else { name })
    }

    /// Stack of the task that a core runs: its lowest address, and the first one after it if the control block has that.
    pub fn stack(&self, core: u8) -> Option<(u64, Option<u64>)> {
        let (block, stack) = (self.block(core).filter(|block| *block != 0)?, self.layout.stack?);
        let word = |offset| self.memory.word(block.wrapping_add(offset), self.layout.pointer);
        let start = word(stack.start);
        let end = stack.end.map(|end| match end {
            StackEnd::Pointer(offset) => word(offset),
            StackEnd::Size(offset) => start.wrapping_add(word(offset)),
        });
        Some((start, end))
    }

    /// Lists of tasks that are ready, if they are known.
    pub fn ready(&self) -> Option<ReadyLists> {
        self.layout.ready
    }

    /// The core whose pointer is at an address.
    #[inline]
    pub fn core_of(&self, addr: u64) -> Option<u8> {
        let Layout { current, stride, .. } = self.layout;
        let offset = addr.checked_sub(current)?;
        let core = offset / stride;
        (offset % stride == 0 && core < self.blocks.len() as u64).then_some(core as u8)
    }

    /// A store. Returns the core whose pointer it wrote.
    pub fn stored(&mut self, addr: u64, data: &[u8]) -> Option<u8> {
        self.memory.write(addr, data);
        let core = self.core_of(addr).filter(|_| data.len() >= usize::from(self.layout.pointer))?;
        let mut bytes = [0; 8];
        let n = data.len().min(8);
        bytes[..n].copy_from_slice(&data[..n]);
        self.blocks[usize::from(core)] = Some(u64::from_le_bytes(bytes));
        Some(core)
    }

    /// As [`Running::stored`], of what an instruction did.
    pub fn data(&mut self, d: &DataEvent) -> Option<u8> {
        match d.kind {
            DataKind::Store { size, addr, value } => {
                self.stored(addr, &value.to_le_bytes()[..usize::from(size).min(8)])
            }
            _ => None,
        }
    }

    /// As [`Running::stored`], of what a bus master did.
    pub fn master(&mut self, s: &MasterStore) {
        for lane in (0..4usize).filter(|lane| s.mask >> lane & 1 == 1) {
            self.stored(s.addr + lane as u64, &s.value.to_le_bytes()[lane..=lane]);
        }
    }
}
