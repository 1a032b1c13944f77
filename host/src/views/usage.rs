//! How deep each stack went, and where a stack pointer left its stack
//!
//! A stack is an area of memory ([`Objects::area`]): an array, a section, or what no object of the program lies in. Stack pointers in
//! such a free area are one stack for each core. A stack pointer that a function lowers below the area in which the function was called
//! has left its stack: an overflow. A pointer that is loaded, as a switch of tasks does, is another stack. Where control blocks of tasks
//! say so, the stack of a task is a part of an object: many systems allocate stacks from one array.

use super::stack::follower::{Follower, Path};
use super::stack::Entry;
use crate::symbols::{Area, Objects};
use retire::{DataEvent, DataKind, FlowEvent, FlowKind};
use std::collections::BTreeMap;

/// A moment of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Core.
    pub core: u8,
    /// Instructions that it had retired.
    pub retired: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// Calls that led there.
    pub path: Path,
    /// Stack pointer.
    pub sp: u64,
}

/// A stack that was used, with the moment at which it was deepest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Where it is.
    pub area: Area,
    /// Highest stack pointer in it.
    pub top: u64,
    /// When it was deepest.
    pub deepest: Moment,
    /// When it first left its area, and the area that it went to.
    pub overflow: Option<(Moment, Area)>,
}

impl Used {
    /// Bytes that were in use at most.
    pub fn bytes(&self) -> u64 {
        self.end() - self.deepest.sp
    }

    /// Address after the stack: the end of an object, or where a stack in free memory began.
    pub fn end(&self) -> u64 {
        if self.area.name.is_some() {
            self.area.range.end
        } else {
            self.top
        }
    }

    /// Bytes of the stack, where it is an object or a section.
    pub fn size(&self) -> Option<u64> {
        self.area.name.as_ref().map(|_| self.area.range.end - self.area.range.start)
    }
}

#[derive(Clone, Debug, Default)]
struct Core {
    retired: u64,
    /// The stack in use.
    now: Option<usize>,
    /// Number of frames at which it left its stack.
    left: Option<usize>,
    /// Number of frames at which a stack pointer was loaded that is in another stack.
    loaded: Option<usize>,
    /// Address of the last instruction, if it loaded.
    load: Option<u64>,
}

/// Stack of a task.
#[derive(Clone, Debug)]
struct TaskStack {
    name: String,
    /// First address after it; if that is not known, the next stack, or the end of the object in which it is.
    end: u64,
    known: bool,
    /// Highest stack pointer.
    top: u64,
}

/// Follows the stack pointers of all cores.
#[derive(Clone, Debug)]
pub struct Usage {
    objects: Objects,
    /// Areas by their start.
    areas: BTreeMap<u64, Area>,
    /// Stacks of tasks, by their start.
    tasks: BTreeMap<u64, TaskStack>,
    stacks: Vec<Used>,
    cores: Vec<Core>,
}

impl Usage {
    /// At the beginning.
    pub fn new(objects: Objects, cores: u8) -> Self {
        Self {
            objects,
            areas: BTreeMap::new(),
            tasks: BTreeMap::new(),
            stacks: Vec::new(),
            cores: vec![Core::default(); cores.into()],
        }
    }

    /// A core runs a task with this stack: its lowest address, and the first one after it, if that is known.
    pub fn task(&mut self, name: &str, start: u64, end: Option<u64>) {
        if self.tasks.get(&start).is_some_and(|task| task.name == name) {
            return;
        }
        let next = self.tasks.range(start + 1..).next().map_or(u64::MAX, |(next, _)| *next);
        let within = end.unwrap_or_else(|| next.min(self.objects.area(start).range.end));
        if let Some((_, before)) = self.tasks.range_mut(..start).next_back().filter(|(_, task)| !task.known) {
            before.end = before.end.min(start);
        }
        let task = TaskStack { name: name.to_string(), end: within, known: end.is_some(), top: 0 };
        // the memory of a task that was deleted may be that of another
        self.tasks.insert(start, task);
    }

    /// The stack of a task that a stack pointer is in.
    fn of_task(&mut self, sp: u64) -> Option<Area> {
        let (start, task) = self.tasks.range_mut(..sp).next_back().filter(|(_, task)| sp <= task.end)?;
        task.top = task.top.max(sp);
        Some(Area { name: Some(task.name.clone()), range: *start..task.end })
    }

    /// Ends stacks of tasks whose end is not known where their highest stack pointer was.
    pub fn finish(&mut self) {
        for used in &mut self.stacks {
            let task =
                self.tasks.get(&used.area.range.start).filter(|task| used.area.name.as_ref() == Some(&task.name));
            if let Some(task) = task {
                used.area.range.end = if task.known { task.end } else { task.top.max(used.top) };
            }
        }
    }

    /// The area of a stack pointer of `core`: its stack, which is full at its lowest address, or that of the byte that was pushed last.
    fn area(&mut self, core: usize, sp: u64) -> Area {
        if let Some(area) = self.of_task(sp) {
            return area;
        }
        let now = self.cores[core].now.map(|now| &self.stacks[now].area);
        if let Some(area) = now.filter(|a| (a.range.start..=a.range.end).contains(&sp)) {
            return area.clone();
        }
        let last = sp.wrapping_sub(1);
        if let Some((_, area)) = self.areas.range(..=last).next_back().filter(|(_, a)| a.range.contains(&last)) {
            return area.clone();
        }
        let area = self.objects.area(last);
        self.areas.insert(area.range.start, area.clone());
        area
    }

    /// The stack of a core in an area.
    fn stack(&mut self, area: Area, moment: Moment) -> usize {
        let own = area.name.is_none();
        let is = |a: &Area| a.name == area.name && a.range.start == area.range.start;
        let same = |s: &Used| is(&s.area) && (!own || s.deepest.core == moment.core);
        self.stacks.iter().position(same).unwrap_or_else(|| {
            self.stacks.push(Used { area, top: moment.sp, deepest: moment, overflow: None });
            self.stacks.len() - 1
        })
    }

    /// The next event, with the stack pointer after it and the stacks before it.
    pub fn event(&mut self, e: &FlowEvent, sp: u64, follower: &Follower) {
        let me = usize::from(e.hart);
        self.cores[me].retired += u64::from(e.count);
        let frames = follower.stack(e.hart).frames();
        let depth = frames.len();
        if sp == 0 || depth == 0 {
            return;
        }
        let moment =
            Moment { core: e.hart, retired: self.cores[me].retired, pc: e.pc, path: follower.path(e.hart), sp };
        if self.cores[me].left.is_some_and(|left| depth >= left) {
            return;
        }
        self.cores[me].left = None;
        self.cores[me].loaded = self.cores[me].loaded.filter(|loaded| depth >= *loaded);
        let switched = self.cores[me].loaded.is_some();
        let area = self.area(me, sp);
        let top = &frames[depth - 1];
        let lowers =
            matches!(e.kind, FlowKind::Call | FlowKind::IndirectCall | FlowKind::Jump | FlowKind::Conditional { .. });
        if let Some(called) = top.sp.filter(|called| lowers && !switched && top.entry == Entry::Call && sp < *called) {
            let from = self.area(me, called);
            if from != area {
                let stack = self.stack(from, Moment { sp: called, ..moment });
                self.stacks[stack].overflow.get_or_insert((moment, area));
                self.cores[me].left = Some(depth);
                return;
            }
        }
        // start-up code has not set its stack pointer yet
        if top.entry == Entry::Root && !lowers {
            return;
        }
        let stack = self.stack(area, moment);
        self.cores[me].now = Some(stack);
        let used = &mut self.stacks[stack];
        used.top = used.top.max(sp);
        if sp < used.deepest.sp {
            used.deepest = moment;
        }
    }

    /// What an instruction does.
    #[inline]
    pub fn data(&mut self, d: &DataEvent, follower: &Follower) {
        let load = &mut self.cores[usize::from(d.hart)].load;
        match d.kind {
            DataKind::Load { .. } => *load = Some(d.pc),
            DataKind::Register { rd: 2, value } => {
                let loaded = *load == Some(d.pc);
                self.pointer(d.hart, d.pc, value, loaded, follower);
            }
            DataKind::Register { .. } => *load = None,
            _ => {}
        }
    }

    /// An instruction at `pc` writes `sp` to the stack pointer; `loaded`: it loads it.
    fn pointer(&mut self, core: u8, pc: u64, sp: u64, loaded: bool, follower: &Follower) {
        let me = usize::from(core);
        if let Some(now) = self.cores[me].now.filter(|_| loaded) {
            let before = self.stacks[now].area.range.start;
            if self.area(me, sp).range.start != before {
                self.cores[me].loaded = Some(follower.stack(core).frames().len());
            }
        }
        if let Some((_, task)) = self.tasks.range_mut(..sp).next_back().filter(|(_, task)| sp <= task.end) {
            task.top = task.top.max(sp);
        }
        let me = &self.cores[usize::from(core)];
        let Some(now) = me.now.filter(|_| me.left.is_none()) else { return };
        let used = &mut self.stacks[now];
        if sp < used.deepest.sp && sp >= used.area.range.start {
            used.deepest = Moment { core, retired: me.retired, pc, path: follower.path(core), sp };
        }
    }

    /// All stacks, those with objects by address, then those in free memory by core.
    pub fn stacks(&self) -> Vec<&Used> {
        let mut all: Vec<&Used> = self.stacks.iter().collect();
        all.sort_by_key(|s| (s.area.name.is_none(), s.area.range.start, s.deepest.core));
        all
    }

    /// Stacks that left their areas.
    pub fn overflows(&self) -> impl Iterator<Item = &Used> {
        self.stacks.iter().filter(|s| s.overflow.is_some())
    }
}
