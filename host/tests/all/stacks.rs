//! The functions that a core is in, against a shadow stack that knows where each stack lies
//!
//! The programs of `programs/stacks` unwind, switch and interrupt their stacks in every way. The shadow stack is kept for each of the
//! arrays `stack_*` of a program, by the stack pointer: it does not guess which stack the core runs on.

use host::symbols::Symbols;
use host::views::profile::Profile;
use host::views::stack::functions::Functions;
use host::views::stack::{Change, Stack, DEEPEST};
use object::{Object, ObjectSymbol};
use retire::elf::Program;
use retire::image::Image;
use retire::{FlowEvent, FlowKind, RetireSink};
use sim::riscv::{Limits, Machine, MachineConfig};
use std::collections::HashMap;
use std::ops::Range;

/// Programs, and whether addresses alone tell all of their stacks.
const PROGRAMS: [(&str, bool); 9] = [
    ("longjmp", true),
    // two coroutines wait at the same places
    ("coroutines", false),
    // what setjmp saved is called by nobody
    ("jumped", false),
    ("tasks", true),
    ("nested", true),
    ("tail", true),
    ("recover", true),
    ("deep", true),
    ("exceptions", true),
];

struct Bench {
    symbols: Symbols,
    image: Image,
    program: Program,
    stacks: Vec<Range<u64>>,
}

impl Bench {
    fn open(name: &str) -> Self {
        let path = format!("{}/../programs/stacks/elf/{name}.elf", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(&path).unwrap();
        let program = Program::parse(&bytes).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let stacks = file.symbols().filter(|s| s.name().is_ok_and(|n| n.starts_with("stack_")) && s.size() > 0);
        let stacks = stacks.map(|s| s.address()..s.address() + s.size()).collect();
        Self { symbols: Symbols::open(&path).unwrap(), image: Image::new(&program), program, stacks }
    }

    fn run(&self) -> Vec<(FlowEvent, u64)> {
        let config = MachineConfig { harts: 1, ram_bytes: 1 << 24, ..MachineConfig::default() };
        let mut machine = Machine::new(&self.program, config).unwrap();
        let mut log = Log::default();
        machine.run(&mut log, Limits { instructions: 10_000_000, ..Limits::default() }).unwrap();
        log.events
    }

    /// Where the function of `pc` begins.
    fn function(&self, pc: u64) -> u64 {
        self.symbols.at(pc).map_or(pc, |(_, offset)| pc - offset)
    }

    /// The array that `sp` points into, or to the end of.
    fn stack(&self, sp: u64) -> Option<usize> {
        self.stacks.iter().position(|s| s.start < sp && sp <= s.end)
    }
}

#[derive(Default)]
struct Log {
    events: Vec<(FlowEvent, u64)>,
    sp: u64,
}

impl RetireSink for Log {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.events.push((*e, self.sp));
    }

    fn stack_pointer(&mut self, _: u8, sp: u64) {
        self.sp = sp;
    }
}

struct Called {
    function: u64,
    back: u64,
    sp: u64,
    handler: bool,
}

/// Calls by the stack that they lie on.
struct Shadow<'a> {
    bench: &'a Bench,
    stacks: Vec<Vec<Called>>,
    now: usize,
}

impl Shadow<'_> {
    fn functions(&self) -> Vec<u64> {
        self.stacks[self.now].iter().map(|c| c.function).collect()
    }

    fn event(&mut self, e: &FlowEvent, sp: u64) {
        use FlowKind::{Call, CoSwap, IndirectCall, IndirectJump, Return, Start, Trap, TrapReturn};
        let function = self.bench.function(e.target);
        if matches!(e.kind, Return | CoSwap | IndirectJump | TrapReturn) {
            self.now = self.bench.stack(sp).unwrap_or(self.now);
        }
        let stack = &mut self.stacks[self.now];
        match e.kind {
            Start => stack.push(Called { function, back: 0, sp: u64::MAX, handler: false }),
            Call | IndirectCall => stack.push(Called { function, back: e.fall_through(), sp, handler: false }),
            Trap { .. } => stack.push(Called { function, back: e.pc, sp, handler: true }),
            Return | CoSwap if stack.last().is_some_and(|top| top.back == e.target) => drop(stack.pop()),
            // within a function, or a call at the end of one
            IndirectJump
                if stack.last().is_some_and(|top| {
                    top.sp > sp || function == e.target || (top.sp, top.function) == (sp, function)
                }) => {}
            Return | CoSwap | IndirectJump => {
                while stack.last().is_some_and(|top| top.sp <= sp) {
                    stack.pop();
                }
            }
            TrapReturn => {
                if let Some(at) = stack.iter().rposition(|c| c.handler) {
                    stack.truncate(at);
                }
            }
            _ => {}
        }
        match stack.last_mut() {
            // it runs on in another function: a tail call, or a part of it
            Some(top) => top.function = function,
            None => stack.push(Called { function, back: 0, sp: u64::MAX, handler: false }),
        }
    }
}

/// Goes through a run with a stack of the views; how many events have other callers than the shadow stack says.
fn wrong(bench: &Bench, events: &[(FlowEvent, u64)], registers: bool) -> usize {
    let mut functions = Functions::new(bench.symbols.clone());
    let mut stack = Stack::default();
    let mut shadow = Shadow { bench, stacks: bench.stacks.iter().map(|_| Vec::new()).collect(), now: 0 };
    shadow.now = bench.stacks.iter().position(|s| s.end - s.start > 0x10000).unwrap();
    let (mut wrong, mut retired, mut shown) = (0, 0, Vec::new());
    for (at, (e, sp)) in events.iter().enumerate() {
        stack.event(e, Some(*sp).filter(|_| registers), &mut functions, Some(&bench.image), |change| match change {
            Change::Retired(count) => retired += u64::from(count),
            Change::Enter(function) => shown.push(function),
            Change::Leave => drop(shown.pop().unwrap()),
            Change::Switch(_) => assert!(shown.is_empty()),
        });
        if e.kind == FlowKind::Stop {
            break;
        }
        shadow.event(e, *sp);
        let (model, right): (Vec<u64>, _) =
            (stack.frames().iter().map(|f| f.function.start).collect(), shadow.functions());
        assert_eq!(model.last(), right.last(), "event {at}: {e:?}");
        let mut reported: Vec<u32> = stack.frames().iter().map(|f| f.function.number).take(DEEPEST).collect();
        if stack.frames().len() > DEEPEST {
            reported[DEEPEST - 1] = stack.frames().last().unwrap().function.number;
        }
        assert_eq!(shown, reported, "event {at}: {e:?}");
        let names = |all: &[u64]| -> Vec<String> {
            all.iter().map(|pc| bench.symbols.at(*pc).map_or_else(|| format!("{pc:x}"), |(n, _)| n.into())).collect()
        };
        assert!(
            !registers || model == right,
            "event {at}: {e:x?}, sp {sp:x}: {:?}, expected {:?}",
            names(&model),
            names(&right)
        );
        wrong += usize::from(model != right);
    }
    assert_eq!(retired, events.iter().map(|(e, _)| u64::from(e.count)).sum::<u64>());
    wrong
}

#[test]
fn stacks_are_those_of_the_shadow_stack() {
    for (name, exact) in PROGRAMS {
        let bench = Bench::open(name);
        let events = bench.run();
        assert!(events.len() > 500, "{name}: {} events", events.len());
        assert_eq!(wrong(&bench, &events, true), 0);
        let without = wrong(&bench, &events, false);
        eprintln!("{name}: {} events, {without} with other callers where registers are not known", events.len());
        assert_eq!(without == 0, exact, "{name}: {without} of {} events", events.len());
    }
}

/// Instructions of each function, by their addresses.
fn by_address(bench: &Bench, events: &[(FlowEvent, u64)]) -> HashMap<String, u64> {
    let (mut counts, mut pc) = (HashMap::new(), 0);
    for (e, _) in events {
        for _ in 0..e.count {
            let name = bench.symbols.at(pc).unwrap().0;
            *counts.entry(name.to_string()).or_default() += 1;
            pc = bench.image.skip(pc, 1).unwrap();
        }
        pc = e.target;
    }
    counts
}

#[test]
fn own_instructions_are_those_at_the_addresses_of_the_function() {
    for (name, _) in PROGRAMS {
        let bench = Bench::open(name);
        let events = bench.run();
        let right = by_address(&bench, &events);
        for registers in [false, true] {
            let mut profile = Profile::new(bench.symbols.clone(), Some(bench.image.clone()), 1);
            for (e, sp) in &events {
                if registers {
                    profile.stack_pointer(0, *sp);
                }
                profile.event(e);
            }
            // static functions may have one name
            let mut own = HashMap::new();
            for share in profile.flat().into_iter().filter(|s| s.own > 0) {
                *own.entry(share.function).or_default() += share.own;
            }
            assert_eq!(right, own, "{name}");
        }
    }
}
