//! What each process of a system cost, by the contexts that a trace reports

use super::stack::follower::Follower;
use super::stack::Change;
use crate::contexts::Selection;
use retire::{Context, FlowEvent, RetireSink};
use std::collections::{BTreeMap, HashMap};

/// An address space, and what ran in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Number of its address space.
    pub space: u32,
    /// Instructions in user, supervisor and machine mode.
    pub modes: [u64; 3],
    /// How often a core began to run it.
    pub switches: u64,
    /// Instructions by function.
    pub functions: BTreeMap<String, u64>,
}

impl Process {
    /// Instructions.
    pub fn instructions(&self) -> u64 {
        self.modes.iter().sum()
    }
}

/// Counts the instructions of address spaces.
pub struct Processes {
    follower: Follower,
    /// Number of the function on top, of each core.
    top: Vec<Vec<u32>>,
    /// Address space of each core.
    now: Vec<Option<u32>>,
    switches: HashMap<u32, u64>,
    counts: HashMap<(Context, u32), u64>,
    selection: Selection,
}

impl Processes {
    /// At the beginning.
    pub fn new(follower: Follower, cores: u8) -> Self {
        let (top, now) = (vec![Vec::new(); cores.into()], vec![None; cores.into()]);
        Self { follower, top, now, switches: HashMap::new(), counts: HashMap::new(), selection: Selection::default() }
    }

    /// Counts only instructions of these contexts.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
    }

    /// The address spaces, by their instructions.
    pub fn found(&self) -> Vec<Process> {
        let mut all: HashMap<u32, Process> = HashMap::new();
        for ((context, function), n) in &self.counts {
            let space = context.id();
            let process = all.entry(space).or_insert_with(|| Process { space, ..Process::default() });
            process.modes[usize::from(context.privilege()).min(2)] += n;
            *process.functions.entry(self.follower.name(*function).to_string()).or_default() += n;
        }
        let mut all: Vec<Process> = all.into_values().collect();
        for process in &mut all {
            process.switches = self.switches.get(&process.space).copied().unwrap_or(0);
        }
        all.sort_by_key(|p| (std::cmp::Reverse(p.instructions()), p.space));
        all
    }
}

impl RetireSink for Processes {
    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        let context = self.follower.stack(e.hart).context();
        if e.count > 0 && self.now[core] != Some(context.id()) {
            self.now[core] = Some(context.id());
            *self.switches.entry(context.id()).or_default() += 1;
        }
        let (top, counts, counted) = (&mut self.top[core], &mut self.counts, self.selection.has(context));
        self.follower.event(e, |change| match change {
            Change::Retired(n) => {
                if let Some(function) = top.last().filter(|_| counted) {
                    *counts.entry((context, *function)).or_insert(0) += u64::from(n);
                }
            }
            Change::Enter(function) => top.push(function),
            Change::Leave => {
                top.pop();
            }
            Change::Switch(_) => {}
        });
    }
}
