//! How long interrupts take to reach the tasks that they make ready
//!
//! A latency begins at the first instruction of an interrupt's handler and ends at the first instruction of the task. Where the program has
//! the lists of FreeRTOS, a task is made ready when its state item goes to a ready list within the handler, and it may run long after; of
//! other recorded runs, and of traces, which have no values, only tasks count to which the handler itself switches.
//!
//! Instructions are those of the core that took the interrupt; a task that another core then runs is counted in
//! [`Latencies::elsewhere`].

use super::tasks::Tasks;
use super::thinned::INTERRUPT;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, MasterStore, RetireSink};
use std::collections::{BTreeMap, HashMap};

/// Cause of a trap of a trace that does not say what kind of trap it is.
pub const TRAP: u32 = u32::MAX;

/// The entry of an interrupt's handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    /// As in [`super::thinned::cause_name`], or [`TRAP`].
    cause: u32,
    core: u8,
    /// Instructions of the core before it.
    retired: u64,
    /// The cycle, or in a recorded run the moment.
    time: u64,
}

/// The time from an interrupt to the first instruction of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// Instructions of the core before the first of the task.
    pub instructions: u64,
    /// Clock cycles, from the handler's first instruction to the last before the task, where they are known. In a recorded run: instructions of all
    /// cores.
    pub cycles: u64,
    /// The core.
    pub core: u8,
    /// Instructions of the core before the handler.
    pub retired: u64,
    /// The cycle of the handler's first instruction, or in a recorded run its moment.
    pub time: u64,
}

/// The latencies of an interrupt and a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// As in [`super::thinned::cause_name`], or [`TRAP`].
    pub cause: u32,
    /// Name of the task.
    pub task: String,
    /// All of them, in order.
    pub all: Vec<Latency>,
}

/// Distribution of numbers. Quantiles are the smallest number that is not below this part of all (nearest rank).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// The smallest.
    pub min: u64,
    /// The median.
    pub median: u64,
    /// 99 % are not above it.
    pub p99: u64,
    /// The largest.
    pub max: u64,
}

impl Distribution {
    /// That of at least one number.
    pub fn of(numbers: impl Iterator<Item = u64>) -> Option<Self> {
        let mut sorted: Vec<u64> = numbers.collect();
        sorted.sort_unstable();
        let rank = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some(Self { min: *sorted.first()?, median: rank(50)?, p99: rank(99)?, max: *sorted.last()? })
    }
}

impl Found {
    /// The latency of most instructions, the first of several.
    pub fn worst(&self) -> Option<&Latency> {
        self.all.iter().rev().max_by_key(|l| l.instructions)
    }
}

/// What a core is in.
#[derive(Clone, Debug, Default)]
struct Core {
    retired: u64,
    /// Handlers that it is in, outermost first: those of interrupts.
    handlers: Vec<Option<Entry>>,
    /// It has switched to another task outside of a handler, and has not jumped to it yet.
    switching: bool,
    /// It is before the first instruction of a task that was made ready; another interrupt may come before it.
    arrived: Option<Arrival>,
}

/// A core before the first instruction of a task.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    task: usize,
    retired: u64,
    time: u64,
}

/// Measures all latencies of an execution.
pub struct Latencies {
    tasks: Tasks,
    cores: Vec<Core>,
    /// Tasks that are ready and have not run since, by number.
    ready: HashMap<usize, Entry>,
    found: BTreeMap<(u32, usize), Vec<Latency>>,
    /// The trace does not distinguish interrupts from exceptions.
    unknown: bool,
    /// Number of interrupts.
    pub interrupts: u64,
    /// Latencies that were left out because another core ran the task.
    pub elsewhere: u64,
    /// Latencies that were left out because instructions were lost.
    pub lost: u64,
}

impl Latencies {
    /// At the beginning. `unknown`: the trace does not distinguish interrupts from exceptions.
    pub fn new(tasks: Tasks, cores: u8, unknown: bool) -> Self {
        Self {
            tasks,
            cores: vec![Core::default(); cores.into()],
            ready: HashMap::new(),
            found: BTreeMap::new(),
            unknown,
            interrupts: 0,
            elsewhere: 0,
            lost: 0,
        }
    }

    /// The latencies, by interrupt and task.
    pub fn found(&self) -> Vec<Found> {
        let names: Vec<&str> = self.tasks.names().collect();
        let found = self.found.iter();
        found.map(|((cause, task), all)| Found { cause: *cause, task: names[*task].into(), all: all.clone() }).collect()
    }

    /// The interrupt whose handler a core is in.
    fn within(&self, core: u8) -> Option<Entry> {
        self.cores[usize::from(core)].handlers.last().copied().flatten()
    }

    /// The core executes the task at which it has arrived.
    fn end(&mut self, core: u8, Arrival { task, retired, time }: Arrival) {
        let Some(entry) = self.ready.remove(&task) else { return };
        if entry.core != core {
            self.elsewhere += 1;
            return;
        }
        let instructions = retired - entry.retired;
        let cycles = time.saturating_sub(entry.time);
        let latency = Latency { instructions, cycles, core, retired: entry.retired, time: entry.time };
        self.found.entry((entry.cause, task)).or_default().push(latency);
    }

    /// The next instruction of `core` is the first of the task that it runs.
    fn begin(&mut self, core: u8, time: u64) {
        let task = self.tasks.running(core);
        let core = &mut self.cores[usize::from(core)];
        core.arrived = self.ready.contains_key(&task).then_some(Arrival { task, retired: core.retired, time });
    }

    /// A core lost instructions: what it has begun has no known end.
    fn forget(&mut self, core: u8) {
        let before = self.ready.len();
        self.ready.retain(|_, entry| entry.core != core);
        self.lost += (before - self.ready.len()) as u64;
        let core = &mut self.cores[usize::from(core)];
        *core = Core { retired: core.retired, ..Core::default() };
    }

    fn trap(&mut self, e: &FlowEvent, interrupt: bool, cause: u8) {
        let cause = match (self.unknown, interrupt) {
            (true, _) => Some(TRAP),
            (false, true) => Some(u32::from(cause) + INTERRUPT),
            (false, false) => None,
        };
        self.interrupts += u64::from(cause.is_some());
        // what a handler that never returned has left is gone
        let outer = self.tasks.handlers(e.hart).saturating_sub(1);
        let core = &mut self.cores[usize::from(e.hart)];
        core.handlers.truncate(outer);
        core.handlers.push(cause.map(|cause| Entry { cause, core: e.hart, retired: core.retired, time: e.cycle }));
    }

    fn trap_return(&mut self, e: &FlowEvent, before: usize, inner: Option<Entry>) {
        let open = self.tasks.handlers(e.hart);
        self.cores[usize::from(e.hart)].handlers.truncate(open);
        let now = self.tasks.running(e.hart);
        if let Some(entry) = inner.filter(|_| now != before && !self.tasks.have_blocks()) {
            self.ready.entry(now).or_insert(entry);
        }
        if open == 0 {
            self.begin(e.hart, e.cycle);
        }
    }

    /// After a store of `by`, a core or none, to `addr`; `before` were the tasks that the cores ran.
    fn stored(&mut self, by: Option<u8>, addr: u64, value: u64, before: &[usize]) {
        let entry = by.and_then(|core| self.within(core));
        if let (Some(task), Some(entry)) = (self.tasks.made_ready(addr, value), entry) {
            self.ready.entry(task).or_insert(entry);
        }
        for core in 0..self.cores.len() as u8 {
            let now = self.tasks.running(core);
            if before.get(usize::from(core)).is_none_or(|before| *before == now) {
                continue;
            }
            if let Some(entry) = entry.filter(|_| self.tasks.lists().is_none()) {
                self.ready.entry(now).or_insert(entry);
            }
            let core = &mut self.cores[usize::from(core)];
            core.switching = core.handlers.is_empty();
        }
    }
}

impl RetireSink for Latencies {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        let (before, inner) = (self.tasks.running(e.hart), self.within(e.hart));
        self.tasks.event(e);
        let core = &mut self.cores[usize::from(e.hart)];
        core.retired += u64::from(e.count);
        let switching = std::mem::take(&mut core.switching);
        match core.arrived {
            Some(arrival) if e.count > 0 => {
                core.arrived = None;
                self.end(e.hart, arrival);
            }
            _ if matches!(e.kind, FlowKind::Trap { .. }) => core.arrived = None,
            _ => {}
        }
        match e.kind {
            FlowKind::Trap { interrupt, cause } => self.trap(e, interrupt, cause),
            FlowKind::TrapReturn => self.trap_return(e, before, inner),
            FlowKind::Gap { .. } => self.forget(e.hart),
            _ if switching => self.begin(e.hart, e.cycle),
            _ => {}
        }
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.tasks.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        let DataKind::Store { addr, value, .. } = d.kind else { return };
        if !self.tasks.concerns(addr, value) {
            return self.tasks.data(d);
        }
        let before: Vec<usize> = (0..self.cores.len() as u8).map(|core| self.tasks.running(core)).collect();
        self.tasks.data(d);
        self.stored(Some(d.hart), addr, value, &before);
    }

    fn master(&mut self, s: &MasterStore) {
        self.tasks.master(s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_that_occurred() {
        let of = |numbers: &[u64]| Distribution::of(numbers.iter().copied());
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[7]), Some(Distribution { min: 7, median: 7, p99: 7, max: 7 }));
        assert_eq!(of(&[9, 1, 5, 3]), Some(Distribution { min: 1, median: 3, p99: 9, max: 9 }));
        let hundred: Vec<u64> = (1..=100).rev().collect();
        assert_eq!(of(&hundred), Some(Distribution { min: 1, median: 50, p99: 99, max: 100 }));
    }
}
