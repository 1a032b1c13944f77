//! Which task of an operating system each core runs, and what tasks cost
//!
//! A recorded run, and a recording with loads and stores, has values: the pointer to the control block of the running task is followed
//! through its stores, and the name of a task is read from its control block ([`Running`]). A trace of the control flow has none; its stacks,
//! by number, take the place of tasks.

use super::stack::follower::Follower;
use super::stack::Change;
use crate::contexts::running::{ReadyLists, Running};
use crate::contexts::{Contexts, Selection};
use retire::{DataEvent, FlowEvent, MasterStore, RetireSink};
use std::collections::{BTreeMap, HashMap};

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
    source: Option<Running>,
    /// Whether the pointer to a control block was stored.
    pointed: bool,
    contexts: Contexts,
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
    selection: Selection,
}

impl Tasks {
    /// By the stacks of a trace.
    pub fn by_stack(follower: Follower, cores: u8) -> Self {
        let mut tasks = Self {
            follower,
            source: None,
            pointed: false,
            contexts: Contexts::new(cores),
            tasks: Vec::new(),
            known: HashMap::new(),
            blocks: HashMap::new(),
            now: Vec::new(),
            top: vec![Vec::new(); cores.into()],
            counts: HashMap::new(),
            selection: Selection::default(),
        };
        tasks.now = (0..cores).map(|core| tasks.task(stack_name(core, 0))).collect();
        tasks
    }

    /// By the control blocks of a run.
    pub fn by_memory(follower: Follower, cores: u8, running: Running) -> Self {
        let mut tasks = Self::by_stack(follower, cores);
        (tasks.tasks, tasks.known) = (Vec::new(), HashMap::new());
        let none = tasks.task("before the first task".into());
        tasks.now = vec![none; cores.into()];
        tasks.source = Some(running);
        tasks
    }

    /// Whether control blocks are known, or stacks take their place.
    pub fn are_known(&self) -> bool {
        self.source.is_none() || self.pointed
    }

    /// Counts only instructions of these contexts.
    #[must_use]
    pub fn only(self, selection: Selection) -> Self {
        Self { selection, ..self }
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
        self.source.as_ref()?.ready()
    }

    /// Whether a store may change the task of a core, or make one ready.
    #[inline]
    pub fn concerns(&self, addr: u64, value: u64) -> bool {
        let Some(running) = &self.source else { return false };
        running.core_of(addr).is_some() || running.ready().is_some_and(|lists| lists.hold(value))
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
}

fn stack_name(core: u8, number: u32) -> String {
    format!("core {core}, stack {number}")
}

impl RetireSink for Tasks {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let core = usize::from(e.hart);
        self.contexts.pass(e);
        let (top, counts, task) = (&mut self.top[core], &mut self.counts, self.now[core]);
        let counted = self.selection.has(self.follower.stack(e.hart).context());
        let mut stack = None;
        // what retires after a switch of stacks is the next event's
        self.follower.event(e, |change| match change {
            Change::Retired(n) => {
                if let Some(function) = top.last().filter(|_| counted) {
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
        // addresses of user mode are those of the process
        if self.contexts.of(d.hart).privilege() == 0 {
            return;
        }
        let Some(running) = &mut self.source else { return };
        let Some(core) = running.data(d) else { return };
        self.pointed = true;
        let (block, name) = (running.block(core), running.name(core));
        if let (Some(block), Some(name)) = (block, name) {
            let task = self.switch(core.into(), name);
            self.blocks.insert(block, task);
        }
    }

    fn master(&mut self, s: &MasterStore) {
        if let Some(running) = &mut self.source {
            running.master(s);
        }
    }
}
