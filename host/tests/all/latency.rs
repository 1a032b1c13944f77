//! Latencies from interrupts to tasks, against what `programs/faults/wake.c` measures itself by `minstret`

use host::contexts::running::{Layout, Running};
use host::symbols::{Objects, Symbols};
use host::views::latency::{Found, Latencies};
use host::views::stack::follower::Follower;
use host::views::tasks::Tasks;
use host::views::thinned::INTERRUPT;
use retire::elf::Program;
use retire::image::Image;
use retire::{DataEvent, DataKind, FlowEvent, FlowKind, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use std::ops::Range;

const SOFTWARE: u32 = INTERRUPT + 3;
const TIMER: u32 = INTERRUPT + 7;

fn elf() -> String {
    format!("{}/../programs/faults/elf/wake.elf", env!("CARGO_MANIFEST_DIR"))
}

/// The stores to a variable, in order, and what `S` does.
struct Watched<S> {
    sink: S,
    variables: [Range<u64>; 2],
    stored: [Vec<u64>; 2],
    events: Vec<FlowEvent>,
}

impl<S: RetireSink> RetireSink for Watched<S> {
    const WANTS_DATA: bool = true;
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.events.push(*e);
        self.sink.event(e);
    }

    fn stack_pointer(&mut self, hart: u8, sp: u64) {
        self.sink.stack_pointer(hart, sp);
    }

    fn data(&mut self, d: &DataEvent) {
        if let DataKind::Store { addr, value, .. } = d.kind {
            for (variable, stored) in self.variables.iter().zip(&mut self.stored) {
                if variable.contains(&addr) {
                    stored.push(value);
                }
            }
        }
        self.sink.data(d);
    }
}

/// Runs the program. `layout`: where its tasks are; without it, stacks take their place.
fn run(layout: impl Fn(Layout) -> Option<Layout>) -> Watched<Latencies> {
    let (elf, program) = (elf(), Program::parse(&std::fs::read(elf()).unwrap()).unwrap());
    let all = Layout::open(&elf, "pxCurrentTCB", "pcTaskName", 32).unwrap();
    assert!(all.ready.is_some());
    let follower = Follower::new(Symbols::open(&elf).unwrap(), Some(Image::new(&program)), 1);
    let tasks = match layout(all) {
        Some(layout) => Tasks::by_memory(follower, 1, Running::new(layout, &program, 1)),
        None => Tasks::by_stack(follower, 1),
    };
    let objects = Objects::open(&elf).unwrap();
    let variable = |name| objects.area(Symbols::data(&elf, name).unwrap().into()).range;
    let mut watched = Watched {
        sink: Latencies::new(tasks, 1, false),
        variables: [variable("measured_sensor"), variable("measured_logger")],
        stored: [Vec::new(), Vec::new()],
        events: Vec::new(),
    };
    let config = MachineConfig { harts: 1, ram_bytes: 1 << 24, ..MachineConfig::default() };
    let mut machine = Machine::new(&program, config).unwrap();
    machine.run(&mut watched, Limits { instructions: 10_000_000, ..Limits::default() }).unwrap();
    watched
}

fn instructions(found: &[Found], cause: u32, task: &str) -> Vec<u64> {
    let of = found.iter().find(|f| (f.cause, f.task.as_str()) == (cause, task));
    of.unwrap_or_else(|| panic!("no {task} by {cause} in {found:?}")).all.iter().map(|l| l.instructions).collect()
}

#[test]
fn latencies_are_those_that_the_tasks_measure() {
    let run = run(Some);
    let found = run.sink.found();
    assert_eq!(found.len(), 2, "{found:?}");
    let [sensor, logger] = &run.stored;
    assert!(sensor.len() == 40 && logger.len() > 10, "{} and {}", sensor.len(), logger.len());
    assert_eq!(&instructions(&found, SOFTWARE, "sensor"), sensor);
    assert_eq!(&instructions(&found, TIMER, "logger"), logger);
    // it waits for the sensor in some cases, and in others not
    let (least, most) = (logger.iter().min().unwrap(), logger.iter().max().unwrap());
    assert!(most > &(4 * least), "{logger:?}");
    let interrupts = run.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { interrupt: true, .. }));
    assert_eq!(run.sink.interrupts, interrupts.count() as u64);
}

/// What switches without lists: the handlers after which another task runs, which take all of the latency.
#[test]
fn without_lists_only_the_tasks_count_to_which_a_handler_switches() {
    let run_switched = run(|layout| Some(Layout { ready: None, ..layout }));
    let switched = run_switched.sink.found();
    let [sensor, logger] = &run_switched.stored;
    assert_eq!(&instructions(&switched, SOFTWARE, "sensor"), sensor);
    let direct = instructions(&switched, TIMER, "logger");
    assert!(!direct.is_empty() && direct.len() < logger.len(), "{} of {}", direct.len(), logger.len());
    assert!(direct.iter().all(|n| n == logger.iter().min().unwrap()), "{direct:?}");
    // by stacks it is the same; with the cycles of the handlers
    let run_stacks = run(|_| None);
    let by_time = |found: Vec<Found>| {
        let mut all: Vec<_> = found.into_iter().flat_map(|f| f.all.into_iter().map(move |l| (l, f.cause))).collect();
        all.sort_by_key(|(l, _)| l.time);
        all
    };
    let (by_task, by_stack) = (by_time(switched), by_time(run_stacks.sink.found()));
    // a stack that runs for the first time is of a task, too
    assert_eq!(by_task, by_stack);
    // handlers: their first cycle, instructions and cause; and those that follow one another without an instruction between them
    let (mut open, mut handled, mut returned) = (Vec::new(), Vec::new(), false);
    for e in &run_stacks.events {
        let follows = returned && e.count == 0;
        match e.kind {
            FlowKind::Trap { interrupt, cause } => {
                if !(interrupt && follows) {
                    open.clear();
                }
                if interrupt {
                    open.push((e.cycle, 0, u32::from(cause) + INTERRUPT));
                }
            }
            _ if returned && !follows => open.clear(),
            _ => open.iter_mut().for_each(|(_, retired, _)| *retired += u64::from(e.count)),
        }
        returned = e.kind == FlowKind::TrapReturn;
        if returned {
            handled.extend(open.iter().map(|(cycle, retired, cause)| (*cycle, e.cycle - cycle, *retired, *cause)));
        }
    }
    for (l, cause) in by_stack {
        assert!(handled.contains(&(l.time, l.cycles, l.instructions, cause)), "{l:?}");
    }
}
