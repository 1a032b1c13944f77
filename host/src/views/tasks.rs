//! Which task of an operating system each core runs, and what tasks cost
//!
//! A recorded run has values: the word that points to the control block of the running task (`pxCurrentTCB` of FreeRTOS, an array of them
//! for several cores) is followed through its stores, and the name of a task is read from its control block. A trace of the
//! control flow has none; its stacks, by number, take the place of tasks.

use super::stack::follower::Follower;
use super::stack::Change;
use crate::input::elf_bytes;
use crate::symbols::{Objects, Symbols};
use crate::HostError;
use gimli::{EndianRcSlice, LittleEndian, Reader};
use object::{Object, ObjectSection};
use retire::elf::Program;
use retire::{DataEvent, DataKind, FlowEvent, MasterStore, RetireSink};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a name.
const NAME: usize = 32;

/// Locations of the tasks' names and of the running task in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Address of the pointer to the control block of the running task; of further cores the next words.
    pub current: u64,
    /// Offset of the name in a control block.
    pub name: u64,
    /// Bytes of a pointer.
    pub pointer: u8,
    /// Lists of tasks that are ready, if the program has those of FreeRTOS.
    pub ready: Option<ReadyLists>,
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
    /// The lists `pxReadyTasksLists` of FreeRTOS; `None` if the program does not have them.
    pub fn of_freertos(elf: &str) -> Option<Self> {
        let lists = Symbols::data(elf, "pxReadyTasksLists").ok()?;
        let item = member(elf, "xStateListItem").ok()?;
        // the name in FreeRTOS before version 10.2.1
        let container = member(elf, "pxContainer").or_else(|_| member(elf, "pvContainer")).ok()?;
        let Range { start, end } = Objects::open(elf).ok()?.area(lists.into()).range;
        Some(Self { container: item + container, start, end })
    }

    fn hold(&self, list: u64) -> bool {
        (self.start..self.end).contains(&list)
    }
}

/// Offset of a structure's member of that name, from the DWARF of an ELF file.
///
/// # Errors
/// There is no such member, or the file cannot be read.
pub fn member(elf: &str, name: &str) -> Result<u64, HostError> {
    let bytes = elf_bytes(elf)?;
    let bad = |e: &dyn std::fmt::Display| HostError::Other(format!("{elf}: {e}"));
    let file = object::File::parse(&*bytes).map_err(|e| bad(&e))?;
    let section = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let data = file.section_by_name(id.name()).and_then(|s| s.uncompressed_data().ok());
        Ok(EndianRcSlice::new(Rc::from(data.as_deref().unwrap_or_default()), LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(section).map_err(|e| bad(&e))?;
    find_member(&dwarf, name).map_err(|e| bad(&e))?.ok_or_else(|| {
        HostError::Other(format!("{elf}: no structure has a member `{name}`; `--task-name` names it, or its offset"))
    })
}

fn find_member(dwarf: &gimli::Dwarf<EndianRcSlice<LittleEndian>>, name: &str) -> Result<Option<u64>, gimli::Error> {
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_member {
                continue;
            }
            let Some(found) = entry.attr_value(gimli::DW_AT_name) else { continue };
            if dwarf.attr_string(&unit, found)?.to_string_lossy()? == name {
                let offset = entry.attr_value(gimli::DW_AT_data_member_location);
                return Ok(offset.and_then(|o| o.udata_value()));
            }
        }
    }
    Ok(None)
}

/// RAM as the stores of a run leave it.
struct Memory {
    base: u64,
    bytes: Vec<u8>,
}

impl Memory {
    fn new(program: &Program, base: u64, size: usize) -> Self {
        let mut memory = Self { base, bytes: vec![0; size] };
        for segment in &program.segments {
            memory.write(segment.addr, &segment.data);
        }
        memory
    }

    fn write(&mut self, addr: u64, data: &[u8]) {
        let Some(at) = addr.checked_sub(self.base).and_then(|at| usize::try_from(at).ok()) else { return };
        if let Some(to) = self.bytes.get_mut(at..at.saturating_add(data.len())) {
            to.copy_from_slice(data);
        }
    }

    fn text(&self, addr: u64) -> String {
        let at = addr.checked_sub(self.base).and_then(|at| usize::try_from(at).ok());
        let bytes = at.and_then(|at| self.bytes.get(at..)).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(NAME)];
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}

/// A task and what it cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// Instructions.
    pub instructions: u64,
    /// How often a core began to run it.
    pub switches: u64,
    /// Instructions by function.
    pub functions: BTreeMap<String, u64>,
}

/// Counts the instructions of tasks.
pub struct Tasks {
    follower: Follower,
    source: Option<(Layout, Memory)>,
    tasks: Vec<Task>,
    /// Tasks by name.
    known: HashMap<String, usize>,
    /// Tasks by the address of their control block.
    blocks: HashMap<u64, usize>,
    /// Task of each core.
    now: Vec<usize>,
    /// Number of the function on top, of each core.
    top: Vec<Vec<u32>>,
    counts: HashMap<(usize, u32), u64>,
}

impl Tasks {
    /// By the stacks of a trace.
    pub fn by_stack(follower: Follower, cores: u8) -> Self {
        let mut tasks = Self {
            follower,
            source: None,
            tasks: Vec::new(),
            known: HashMap::new(),
            blocks: HashMap::new(),
            now: Vec::new(),
            top: vec![Vec::new(); cores.into()],
            counts: HashMap::new(),
        };
        tasks.now = (0..cores).map(|core| tasks.task(stack_name(core, 0))).collect();
        tasks
    }

    /// By the control blocks of a recorded run of `program`, with `ram` bytes of RAM from `base` on.
    pub fn by_memory(follower: Follower, cores: u8, layout: Layout, program: &Program, base: u64, ram: usize) -> Self {
        let mut tasks = Self::by_stack(follower, cores);
        (tasks.tasks, tasks.known) = (Vec::new(), HashMap::new());
        let none = tasks.task("before the first task".into());
        tasks.now = vec![none; cores.into()];
        tasks.source = Some((layout, Memory::new(program, base, ram)));
        tasks
    }

    fn task(&mut self, name: String) -> usize {
        if let Some(at) = self.known.get(&name) {
            return *at;
        }
        self.tasks.push(Task { name: name.clone(), ..Task::default() });
        self.known.insert(name, self.tasks.len() - 1);
        self.tasks.len() - 1
    }

    /// A core runs the task of that name; returns the task's number.
    fn switch(&mut self, core: usize, name: String) -> usize {
        let task = self.task(name);
        if self.now[core] != task {
            self.now[core] = task;
            self.tasks[task].switches += 1;
        }
        task
    }

    /// Number of trap handlers that a core is in.
    pub fn handlers(&self, core: u8) -> usize {
        self.follower.stack(core).frames().iter().filter(|frame| frame.handler()).count()
    }

    /// Whether tasks have control blocks, which a recorded run knows.
    pub fn have_blocks(&self) -> bool {
        self.source.is_some()
    }

    /// The lists of tasks that are ready, if they are known.
    pub fn lists(&self) -> Option<ReadyLists> {
        self.source.as_ref()?.0.ready
    }

    /// Whether a store may change the task of a core, or make one ready.
    #[inline]
    pub fn concerns(&self, addr: u64, value: u64) -> bool {
        let Some((layout, _)) = &self.source else { return false };
        let pointers = layout.current..layout.current + self.now.len() as u64 * u64::from(layout.pointer);
        pointers.contains(&addr) || layout.ready.is_some_and(|lists| lists.hold(value))
    }

    /// The task that a store puts into a list of tasks that are ready. Tasks that have not run are not known.
    pub fn made_ready(&self, addr: u64, value: u64) -> Option<usize> {
        let lists = self.lists().filter(|lists| lists.hold(value))?;
        self.blocks.get(&addr.wrapping_sub(lists.container)).copied()
    }

    /// Number of the task that a core runs.
    pub fn running(&self, core: u8) -> usize {
        self.now[usize::from(core)]
    }

    /// Names of tasks, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tasks.iter().map(|t| t.name.as_str())
    }

    /// The tasks, by their instructions.
    pub fn found(&self) -> Vec<Task> {
        let mut all = self.tasks.clone();
        for ((task, function), n) in &self.counts {
            all[*task].instructions += n;
            *all[*task].functions.entry(self.follower.name(*function).to_string()).or_default() += n;
        }
        all.retain(|t| t.instructions > 0);
        all.sort_by(|a, b| b.instructions.cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
        all
    }

    /// A store to memory.
    fn stored(&mut self, addr: u64, data: &[u8]) {
        let Some((layout, memory)) = &mut self.source else { return };
        memory.write(addr, data);
        let pointer = u64::from(layout.pointer);
        let Some(core) = addr.checked_sub(layout.current).map(|offset| offset / pointer) else { return };
        if core >= self.now.len() as u64 || data.len() < usize::from(layout.pointer) {
            return;
        }
        let mut bytes = [0; 8];
        bytes[..data.len().min(8)].copy_from_slice(&data[..data.len().min(8)]);
        let block = u64::from_le_bytes(bytes);
        let name = match memory.text(block.wrapping_add(layout.name)) {
            name if name.is_empty() => format!("0x{block:08x}"),
            name => name,
        };
        let task = self.switch(core as usize, name);
        self.blocks.insert(block, task);
    }
}

fn stack_name(core: u8, number: u32) -> String {
    format!("core {core}, stack {number}")
}

impl RetireSink for Tasks {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        let (top, counts, task) = (&mut self.top[core], &mut self.counts, self.now[core]);
        let mut stack = None;
        // what retires after a switch of stacks is the next event's
        self.follower.event(e, |change| match change {
            Change::Retired(n) => {
                if let Some(function) = top.last() {
                    *counts.entry((task, *function)).or_insert(0) += u64::from(n);
                }
            }
            Change::Enter(function) => top.push(function),
            Change::Leave => {
                top.pop();
            }
            Change::Switch(number) => stack = Some(number),
        });
        if let Some(number) = stack.filter(|_| self.source.is_none()) {
            self.switch(core, stack_name(e.hart, number));
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.follower.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Store { size, addr, value } = d.kind {
            self.stored(addr, &value.to_le_bytes()[..usize::from(size).min(8)]);
        }
    }

    fn master(&mut self, s: &MasterStore) {
        for lane in (0..4usize).filter(|lane| s.mask >> lane & 1 == 1) {
            self.stored(s.addr + lane as u64, &s.value.to_le_bytes()[lane..=lane]);
        }
    }
}
