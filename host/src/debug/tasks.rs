//! Tasks that wait, as a debugger shows them: each as it was when its core left it
//!
//! One pass over the run finds where the pointer to the control block of the running task changes. The registers of a task that waits are
//! those of the moment at which its core left it: at the first instruction of the handler in which it was switched, or, without a trap, before the store to that
//! pointer. They are found by going back there, so that nothing must be known of how a system saves registers.

use super::scene::Scene;
use crate::contexts::running::Layout;
use crate::contexts::states::{State, States};
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::timeline::Timeline;
use std::collections::BTreeMap;

/// Longest name of a task.
const NAME: usize = 32;

/// Instructions between two looks at what happened.
const STEP: u64 = 1 << 14;

/// The tasks of an operating system in the memory of a recorded run.
#[derive(Clone, Debug)]
pub struct Tasks {
    /// Where they are.
    pub layout: Layout,
    /// Where their states are, if that is known.
    pub states: Option<States>,
}

impl Tasks {
    /// State of a task that does not run.
    pub fn state(&self, scene: &impl Scene, block: u64) -> State {
        let read = |addr, bytes| word(scene, addr, bytes);
        self.states.as_ref().map_or(State::Unknown, |states| states.state(&read, block, self.layout.pointer))
    }

    /// The control blocks of all tasks that are in the lists of the system, also of those that have not run.
    pub fn listed(&self, scene: &impl Scene) -> Vec<u64> {
        let read = |addr, bytes| word(scene, addr, bytes);
        self.states.as_ref().and_then(|states| states.all(&read, self.layout.pointer)).unwrap_or_default()
    }
}

/// Moment at which a core left a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The moment from which on it waits.
    pub at: u64,
    /// The moment whose registers are its.
    pub moment: u64,
    /// The core.
    pub core: u8,
}

/// All switches of a run.
#[derive(Debug)]
pub struct History {
    layout: Layout,
    cores: u8,
    /// By the address of the control block, in order.
    left: BTreeMap<u64, Vec<Left>>,
}

/// What an instruction did that concerns tasks.
#[derive(Default)]
struct Probe {
    /// Addresses of the pointers.
    pointers: std::ops::Range<u64>,
    trap: bool,
    trap_return: bool,
    stored: bool,
}

impl RetireSink for Probe {
    const WANTS_DATA: bool = true;

    #[inline]
    fn event(&mut self, e: &FlowEvent) {
        match e.kind {
            FlowKind::Trap { .. } => self.trap = true,
            FlowKind::TrapReturn => self.trap_return = true,
            _ => {}
        }
    }

    #[inline]
    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Store { addr, .. } = d.kind {
            self.stored |= self.pointers.contains(&addr);
        }
    }
}

/// A number of `bytes` bytes in memory.
fn word(scene: &impl Scene, addr: u64, bytes: u8) -> Option<u64> {
    let found = scene.memory(addr, bytes.into());
    let mut all = [0; 8];
    all[..usize::from(bytes)].copy_from_slice(found.get(..usize::from(bytes))?);
    Some(u64::from_le_bytes(all))
}

impl Layout {
    /// Control block of the task that `core` runs; `None` before the first one.
    pub fn running(&self, scene: &impl Scene, core: u8) -> Option<u64> {
        word(scene, self.current + u64::from(core) * self.stride, self.pointer).filter(|block| *block != 0)
    }

    /// Name of a task; its address if it has none.
    pub fn task_name(&self, scene: &impl Scene, block: u64) -> String {
        let at = block.wrapping_add(self.name);
        let at = if self.name_by_pointer { word(scene, at, self.pointer).unwrap_or(0) } else { at };
        let bytes = scene.memory(at, NAME);
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        match String::from_utf8_lossy(&bytes[..end]) {
            name if name.is_empty() => format!("0x{block:08x}"),
            name => name.into_owned(),
        }
    }
}

impl History {
    /// Goes through the run from its beginning, and back to the present moment. Damage ends it.
    ///
    /// # Errors
    /// The run cannot be replayed up to the present moment.
    pub fn of<S: Scene>(line: &mut Timeline<S>, layout: Layout) -> Result<Self, S::Error> {
        let here = line.replay().position();
        line.seek(line.first())?;
        let cores = line.replay().cores();
        let all = usize::from(cores);
        let end = layout.current + u64::from(cores) * layout.stride;
        let mut probe = Probe { pointers: layout.current..end, ..Probe::default() };
        let mut running: Vec<Option<u64>> = (0..cores).map(|core| layout.running(line.replay(), core)).collect();
        // the moment of the first instruction of the outermost handler that a core is in, and how many it is in
        let mut traps = vec![(0, 0u32); all];
        let mut left: BTreeMap<u64, Vec<Left>> = BTreeMap::new();
        let happened = |probe: &mut Probe, _: u64| probe.trap || probe.trap_return || probe.stored;
        while let Ok(Some(core)) = line.advance(&mut probe, STEP, happened) {
            let (scene, at) = (line.replay(), line.replay().position());
            let (moment, depth) = &mut traps[usize::from(core)];
            if std::mem::take(&mut probe.trap) {
                if *depth == 0 {
                    *moment = at - 1;
                }
                *depth += 1;
            }
            if std::mem::take(&mut probe.stored) {
                let before = if *depth > 0 { *moment } else { at - 1 };
                for (of, was) in (0..cores).zip(&mut running) {
                    let now = layout.running(scene, of);
                    let gone = std::mem::replace(was, now);
                    if let Some(block) = gone.filter(|_| gone != now) {
                        left.entry(block).or_default().push(Left { at, moment: before, core });
                    }
                }
            }
            if std::mem::take(&mut probe.trap_return) {
                *depth = depth.saturating_sub(1);
            }
        }
        line.seek(here)?;
        Ok(Self { layout, cores, left })
    }

    /// The tasks that wait at the moment of `scene`, by number, with their control blocks.
    pub fn waiting(&self, scene: &impl Scene) -> Vec<(usize, u64, Left)> {
        let running: Vec<Option<u64>> = (0..self.cores).map(|core| self.layout.running(scene, core)).collect();
        let at = |all: &[Left]| all[..all.partition_point(|l| l.at <= scene.position())].last().copied();
        let tasks = self.left.iter().enumerate().filter(|(_, (block, _))| !running.contains(&Some(**block)));
        tasks.filter_map(|(number, (block, all))| Some((number, *block, at(all)?))).collect()
    }
}
