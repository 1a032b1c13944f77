//! How deep each stack went, and where a stack pointer left its stack
//!
//! A stack is an area of memory ([`Objects::area`]): an array, a section, or what no object of the program lies in. Stack pointers in
//! such a free area are one stack for each core. A stack pointer that a function lowers below the area in which the function was called
//! has left its stack: an overflow. A pointer that is loaded, as a switch of tasks does, is another stack.

use super::stack::follower::{Follower, Path};
use super::stack::Entry;
use crate::symbols::{Area, Objects};
use retire::{FlowEvent, FlowKind};
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
}

/// Follows the stack pointers of all cores.
#[derive(Clone, Debug)]
pub struct Usage {
    objects: Objects,
    /// Areas by their start.
    areas: BTreeMap<u64, Area>,
    stacks: Vec<Used>,
    cores: Vec<Core>,
}

impl Usage {
    /// At the beginning.
    pub fn new(objects: Objects, cores: u8) -> Self {
        Self { objects, areas: BTreeMap::new(), stacks: Vec::new(), cores: vec![Core::default(); cores.into()] }
    }

    /// The area of a stack pointer of `core`: its stack, which is full at its lowest address, or that of the byte that was pushed last.
    fn area(&mut self, core: usize, sp: u64) -> Area {
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
        let same = |s: &Used| s.area == area && (!own || s.deepest.core == moment.core);
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
        let area = self.area(me, sp);
        let top = &frames[depth - 1];
        let lowers =
            matches!(e.kind, FlowKind::Call | FlowKind::IndirectCall | FlowKind::Jump | FlowKind::Conditional { .. });
        if let Some(called) = top.sp.filter(|called| lowers && top.entry == Entry::Call && sp < *called) {
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

    /// An instruction at `pc` writes `sp` to the stack pointer.
    pub fn pointer(&mut self, core: u8, pc: u64, sp: u64, follower: &Follower) {
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
