//! The event generator, case by case: each event is produced or counted as lost, and none is invented

use sim::diag::generator::{Access, Generator, ObservedInsn};
use sim::diag::packet::Event;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, SlotError, Trigger};
use sim::stimulus::Source;

const NOP: u32 = 0x13;
const RET: u32 = 0x8067;
const JAL_RA: u32 = 0xef;
const MRET: u32 = 0x3020_0073;
const SW_SP: u32 = 0x0001_2023;

/// A core that a test steps by hand.
struct Core {
    g: Generator,
    cycle: u64,
    pc: u64,
    events: Vec<Event>,
}

impl Core {
    fn new(slots: Vec<Slot>) -> Self {
        Self::with(GeneratorParams::FULL, slots)
    }

    fn with(params: GeneratorParams, slots: Vec<Slot>) -> Self {
        let mut g = Generator::new(params, 3);
        g.set(slots).unwrap();
        let mut core = Self { g, cycle: 0, pc: 0x100, events: Vec::new() };
        core.set(2, 0x8000);
        core.set(1, 0);
        core
    }

    fn step(&mut self, mut seen: ObservedInsn) {
        self.cycle += 1;
        (seen.cycle, seen.pc) = (self.cycle, self.pc);
        if seen.next_pc == 0 {
            seen.next_pc = self.pc + 4;
        }
        if seen.insn == 0 {
            seen.insn = NOP;
        }
        seen.len = 4;
        self.g.clock(Some(&seen));
        self.pc = seen.next_pc;
        self.idle(1);
    }

    fn idle(&mut self, clocks: u32) {
        for _ in 0..clocks {
            self.cycle += 1;
            self.g.clock(None);
            self.events.extend(self.g.pop().map(|e| e.1));
        }
    }

    /// Executes a write to a register.
    fn set(&mut self, rd: u8, value: u64) {
        self.step(ObservedInsn { rd: Some((rd, value)), ..ObservedInsn::default() });
    }

    fn at(&mut self, pc: u64) {
        self.pc = pc;
        self.step(ObservedInsn::default());
    }

    /// Executes a call of `to` at `from`.
    fn call(&mut self, from: u64, to: u64) {
        self.pc = from;
        self.step(ObservedInsn { insn: JAL_RA, next_pc: to, rd: Some((1, from + 4)), ..ObservedInsn::default() });
    }

    fn ret(&mut self, to: u64) {
        self.step(ObservedInsn { insn: RET, next_pc: to, ..ObservedInsn::default() });
    }

    /// Enters a function with a stack frame; the caller of this method keeps the return address.
    fn enter(&mut self, frame: u64, sp: u64) {
        self.set(2, sp - frame);
    }

    fn found(&mut self) -> Vec<(u8, Vec<u32>)> {
        self.idle(64);
        self.events.drain(..).map(|e| (e.id, e.args.to_vec())).collect()
    }
}

fn slot(trigger: Trigger, event: u8, captures: &[Capture]) -> Slot {
    Slot { trigger, event, dest: 63, captures: captures.to_vec(), stamped: true, yields: false }
}

const F: u64 = 0x1000;

fn entry_and_return() -> Vec<Slot> {
    vec![
        slot(Trigger::Pc(F), 1, &[Capture::Register(10)]),
        slot(Trigger::Return(F), 2, &[Capture::EntryRegister(10), Capture::Register(10), Capture::Elapsed]),
    ]
}

#[test]
fn a_reset_of_the_core_ends_its_calls_and_forgets_its_registers() {
    let mut c = Core::new(entry_and_return());
    c.set(10, 77);
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    c.pc = 0x80;
    c.step(ObservedInsn { first: true, ..ObservedInsn::default() });
    // the stack pointer and the address of the return are those of the call before the reset
    c.set(2, 0x8000);
    c.ret(0x204);
    assert_eq!(c.g.counts().0.total(), 0);
    // x10, and the return address of this call, are unknown
    c.at(F);
    assert_eq!(c.found(), [(1, vec![77])]);
    assert_eq!(c.g.counts().0.total(), 2);
}

#[test]
fn a_call_carries_its_argument_and_duration_to_the_return() {
    let mut c = Core::new(entry_and_return());
    c.set(10, 77);
    c.call(0x200, F);
    let entered = c.cycle + 1;
    c.step(ObservedInsn::default());
    c.set(10, 5);
    c.ret(0x204);
    let left = c.cycle - 1;
    assert_eq!(c.found(), [(1, vec![77]), (2, vec![77, 5, (left - entered) as u32])]);
    // the return address is executed again, and jumped to: not a return
    c.at(0x204);
    c.pc = 0x300;
    c.step(ObservedInsn { insn: 0x6f, next_pc: 0x204, ..ObservedInsn::default() });
    assert_eq!(c.found(), []);
    assert_eq!(c.g.counts().0.total(), 0);
}

#[test]
fn loop_iterations_are_not_calls() {
    let entered = slot(Trigger::Entry { first: F, last: F + 0x1f }, 1, &[Capture::Register(10)]);
    let mut c = Core::new(vec![entered]);
    let go = |c: &mut Core, from, insn, to| {
        c.pc = from;
        c.step(ObservedInsn { insn, next_pc: to, ..ObservedInsn::default() });
    };
    let (jump, branch, mret) = (0x6f, 0x63, 0x3020_0073);
    c.set(10, 1);
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    assert_eq!(c.found(), [(1, vec![1])]);
    // iterations: from its first byte, its last word, by branch and jump; and its first instruction again
    for (from, insn) in [(F + 4, branch), (F + 0x1c, jump), (F, jump)] {
        go(&mut c, from, insn, F);
        c.step(ObservedInsn::default());
    }
    assert_eq!((c.found(), c.g.counts().0.total()), (vec![], 0));
    // it calls itself; a function after it jumps to it; one before it ends there; a trap handler begins there
    for n in 2..6 {
        c.set(10, n);
        match n {
            2 => c.call(F + 8, F),
            3 => go(&mut c, F + 0x20, jump, F),
            4 => c.at(F - 4),
            _ => go(&mut c, F + 4, branch, F),
        }
        c.step(ObservedInsn { trap: (n == 5).then_some((true, 7, F)), ..ObservedInsn::default() });
    }
    assert_eq!(c.found(), [(1, vec![2]), (1, vec![3]), (1, vec![4]), (1, vec![5])]);
    assert_eq!(c.g.counts().0.total(), 0);
    // a trap came before it and returns there: uncertain
    go(&mut c, 0x80, mret, F);
    c.step(ObservedInsn::default());
    assert_eq!((c.found(), c.g.counts().0.unknown), (vec![], 1));
}

#[test]
fn loop_iterations_do_not_change_the_matching_return() {
    let captures = [Capture::EntryRegister(10), Capture::Elapsed];
    for trigger in [Trigger::ReturnFrom { first: F, last: F + 0x1f }, Trigger::Return(F)] {
        let mut c = Core::new(vec![slot(trigger, 1, &captures)]);
        c.set(10, 9);
        c.call(0x200, F);
        let entered = c.cycle + 1;
        for n in (0..9).rev() {
            c.step(ObservedInsn { rd: Some((10, n)), ..ObservedInsn::default() });
            c.step(ObservedInsn { insn: 0x63, next_pc: if n > 0 { F } else { F + 8 }, ..ObservedInsn::default() });
        }
        c.ret(0x204);
        let left = c.cycle - 1;
        assert_eq!(c.found(), [(1, vec![9, (left - entered) as u32])]);
        assert_eq!(c.g.counts().0.total(), 0);
    }
}

#[test]
fn recursion_returns_as_often_as_it_enters() {
    for depth in [6_u32, 16, 20] {
        let mut c = Core::new(entry_and_return());
        let mut to = 0x204;
        let mut stack = Vec::new();
        c.set(10, 0);
        c.call(0x200, F);
        for n in 0..depth {
            let sp = 0x8000 - 16 * u64::from(n);
            stack.push((to, sp));
            c.step(ObservedInsn::default());
            c.enter(16, sp);
            c.set(10, u64::from(n) + 1);
            if n + 1 < depth {
                to = 0x1044;
                c.call(0x1040, F);
            }
        }
        while let Some((to, sp)) = stack.pop() {
            c.set(2, sp);
            c.set(1, to);
            c.ret(to);
        }
        let found = c.found();
        let (calls, returns) = (found.iter().filter(|e| e.0 == 1).count(), found.iter().filter(|e| e.0 == 2).count());
        let lost = c.g.counts().0;
        assert_eq!(calls as u32, depth);
        assert_eq!(returns as u64 + lost.returns, u64::from(depth), "{lost:?}");
        assert_eq!(lost.returns, u64::from(depth.saturating_sub(16)));
        // the innermost return first, each with its own argument
        let args: Vec<u32> = found.iter().filter(|e| e.0 == 2).map(|e| e.1[0]).collect();
        assert_eq!(args, (depth - returns as u32..depth).rev().collect::<Vec<_>>());
    }
}

#[test]
fn preempted_threads_in_one_function_return_each() {
    let mut c = Core::new(entry_and_return());
    for (sp, a0) in [(0x8000, 1), (0x9000, 2), (0xa000, 3)] {
        c.set(2, sp);
        c.set(10, a0);
        c.call(0x200, F);
        c.step(ObservedInsn::default());
    }
    // out of order, all to the same return address
    for sp in [0x9000, 0x8000, 0xa000] {
        c.set(2, sp);
        c.pc = 0x1010;
        c.ret(0x204);
    }
    let returns: Vec<u32> = c.found().iter().filter(|e| e.0 == 2).map(|e| e.1[0]).collect();
    assert_eq!(returns, [2, 1, 3]);
}

#[test]
fn a_call_left_by_longjmp_has_no_return_event() {
    let mut c = Core::new(entry_and_return());
    c.set(10, 1);
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    // left by longjmp, to elsewhere with a greater stack pointer; then the instruction after the call is executed
    c.set(2, 0x8100);
    c.ret(0x500);
    c.set(2, 0x8000);
    c.at(0x204);
    assert_eq!(c.found().iter().filter(|e| e.0 == 2).count(), 0);
    // another function, called from the same place with the same stack pointer, returns
    c.call(0x200, 0x3000);
    c.step(ObservedInsn::default());
    c.ret(0x204);
    assert_eq!(c.found(), []);
    assert_eq!((c.g.abandoned(), c.g.counts().0.total()), (1, 0));
    // and the first function again
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    c.ret(0x204);
    assert_eq!(c.found().len(), 2);
}

#[test]
fn a_tail_call_ends_both_functions_at_once() {
    let mut slots = entry_and_return();
    slots.push(slot(Trigger::Return(0x2000), 3, &[Capture::Elapsed]));
    let mut c = Core::new(slots);
    c.set(10, 4);
    c.call(0x200, F);
    c.step(ObservedInsn { insn: 0x6f, next_pc: 0x2000, ..ObservedInsn::default() });
    c.step(ObservedInsn::default());
    // a loop to its first instruction is not a second call
    c.step(ObservedInsn { insn: 0x6f, next_pc: 0x2000, ..ObservedInsn::default() });
    c.step(ObservedInsn::default());
    c.ret(0x204);
    assert_eq!(c.found().iter().map(|e| e.0).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_function_of_one_instruction_returns_in_no_time() {
    let mut c = Core::new(entry_and_return());
    c.set(10, 4);
    c.call(0x200, F);
    c.ret(0x204);
    assert_eq!(c.found(), [(1, vec![4]), (2, vec![4, 4, 0])]);
}

#[test]
fn sixteen_triggers_in_one_clock_make_sixteen_events_or_are_counted() {
    let many: Vec<Slot> = (0..16).map(|n| slot(Trigger::Pc(0x400), n, &[Capture::Pc])).collect();
    let mut c = Core::new(many.clone());
    c.at(0x400);
    let ids: Vec<u8> = c.found().iter().map(|e| e.0).collect();
    assert_eq!(ids, (0..16).collect::<Vec<_>>());
    // in every cycle
    let mut g = Generator::new(GeneratorParams::FULL, 0);
    g.set(many).unwrap();
    let (mut made, mut reported) = (0, 0);
    for cycle in 0..1000 {
        let seen = ObservedInsn { cycle, pc: 0x400, next_pc: 0x400, insn: NOP, len: 4, ..ObservedInsn::default() };
        g.clock(Some(&seen));
        if cycle % 3 == 0 {
            if let Some((_, e)) = g.pop() {
                made += 1;
                reported += u64::from(e.lost);
            }
        }
    }
    for _ in 0..1000 {
        g.clock(None);
        if let Some((_, e)) = g.pop() {
            made += 1;
            reported += u64::from(e.lost);
        }
    }
    assert_eq!(made + reported + g.unreported(), 16_000);
    assert!(made >= 340, "{made}: a third of the clocks carries an event");
}

#[test]
fn stack_arguments_are_seen_or_the_event_is_lost() {
    let captures = [Capture::Register(10), Capture::Stack(0), Capture::Stack(1)];
    let mut c = Core::new(vec![slot(Trigger::Pc(F), 1, &captures)]);
    c.set(10, 1);
    let store = |addr, value, insn| ObservedInsn {
        insn,
        accesses: [Some(Access { addr, size: 4, value, store: true }), None],
        ..ObservedInsn::default()
    };
    c.step(store(0x8000, 90, SW_SP));
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    assert_eq!((c.found(), c.g.counts().0.unknown), (vec![], 1));
    c.step(store(0x8004, 91, SW_SP));
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    assert_eq!(c.found(), [(1, vec![1, 90, 91])]);
    // another store writes one of its bytes: no longer known
    let byte = ObservedInsn {
        accesses: [Some(Access { addr: 0x8006, size: 1, value: 3, store: true }), None],
        ..ObservedInsn::default()
    };
    c.step(byte);
    c.call(0x200, F);
    c.step(ObservedInsn::default());
    assert_eq!((c.found(), c.g.counts().0.unknown), (vec![], 2));
}

#[test]
fn data_traps_and_trap_returns_are_reported_with_their_words() {
    let data = Trigger::Data { first: 0x4000, last: 0x4003, loads: false, stores: true, value: None };
    let seven = Trigger::Data { first: 0x4000, last: 0x4003, loads: true, stores: true, value: Some(7) };
    let mut c = Core::new(vec![
        slot(data, 1, &[Capture::Address, Capture::Value, Capture::Pc]),
        slot(seven, 2, &[Capture::Value]),
        slot(Trigger::Trap { interrupt: Some(true), cause: None }, 3, &[Capture::Cause, Capture::Pc]),
        slot(Trigger::TrapReturn, 4, &[]),
    ]);
    let access = |addr, size, value, store| Some(Access { addr, size, value, store });
    let with = |a, b| ObservedInsn { accesses: [a, b], ..ObservedInsn::default() };
    c.pc = 0x500;
    c.step(with(access(0x4002, 1, 8, true), None));
    c.step(with(access(0x3ffe, 4, 9, true), None)); // its last byte but one is inside
    c.step(with(access(0x4004, 4, 9, true), None));
    c.step(with(access(0x4000, 4, 6, false), access(0x4000, 4, 7, true))); // an atomic
    c.step(ObservedInsn { trap: Some((true, 7, 0x900)), ..ObservedInsn::default() });
    c.step(ObservedInsn { trap: Some((false, 2, 0x904)), ..ObservedInsn::default() });
    c.step(ObservedInsn { insn: MRET, next_pc: 0x900, ..ObservedInsn::default() });
    let want: Vec<(u8, Vec<u32>)> = vec![
        (1, vec![0x4002, 8, 0x500]),
        (1, vec![0x3ffe, 9, 0x504]),
        (1, vec![0x4000, 7, 0x50c]),
        (2, vec![7]),
        (3, vec![0x8000_0007, 0x900]),
        (4, vec![]),
    ];
    assert_eq!(c.found(), want);
}

#[test]
fn a_lite_generator_tells_addresses_only() {
    let plain = |pc, id| slot(Trigger::Pc(pc), id, &[]);
    let mut c = Core::with(GeneratorParams::LITE, vec![plain(0x400, 1), plain(0x404, 2)]);
    c.at(0x400);
    c.step(ObservedInsn::default());
    assert_eq!(c.found(), [(1, vec![]), (2, vec![])]);
    let check = |slots: &[Slot]| GeneratorParams::LITE.check(slots);
    assert_eq!(
        check(&(0..13).map(|n| plain(0, n)).collect::<Vec<_>>()),
        Err(SlotError::Slots { found: 13, right: 12 })
    );
    assert!(check(&[slot(Trigger::Return(0), 1, &[])]).is_err());
    assert!(check(&[slot(Trigger::Pc(0), 1, &[Capture::Pc])]).is_err());
}

/// A random walk of calls, returns and thread switches, checked against a list of what was done.
#[test]
fn random_calls_are_reported_or_counted() {
    for seed in 0..40 {
        let mut s = Source::seeded(seed);
        let functions = [0x1000_u64, 0x2000, 0x3000];
        let slots = functions
            .iter()
            .enumerate()
            .map(|(n, f)| slot(Trigger::Return(*f), n as u8, &[Capture::EntryRegister(10), Capture::Elapsed]));
        let mut c = Core::new(slots.collect());
        // (function, argument, return address, sp) by thread
        let mut threads: Vec<Vec<(usize, u32, u64, u64)>> = vec![Vec::new(); 3];
        let (mut t, mut calls, mut wanted) = (0, 0_u32, Vec::new());
        for _ in 0..600 {
            let base = 0x1_0000 * (t as u64 + 1);
            let sp = threads[t].last().map_or(base, |f| f.3 - 32);
            match s.below(10) {
                0 => t = s.below(3) as usize,
                1..=4 if threads[t].len() < 5 => {
                    let f = s.below(3) as usize;
                    let from = 0x8000 + 64 * s.below(3);
                    calls += 1;
                    c.set(2, sp);
                    c.set(10, calls.into());
                    c.call(from, functions[f]);
                    c.step(ObservedInsn::default());
                    threads[t].push((f, calls, from + 4, sp));
                }
                5..=8 => {
                    if let Some((f, arg, to, sp)) = threads[t].pop() {
                        c.set(2, sp);
                        c.pc = functions[f] + 0x40;
                        c.ret(to);
                        wanted.push((f as u8, arg));
                    }
                }
                // longjmp over some frames: to an address and stack pointer that no return waits for
                _ => {
                    let keep = threads[t].len().saturating_sub(1 + s.below(3) as usize);
                    threads[t].truncate(keep);
                    c.set(2, base + 8);
                    c.ret(0x9000);
                }
            }
        }
        let found: Vec<(u8, u32)> = c.found().iter().map(|(id, args)| (*id, args[0])).collect();
        let lost = c.g.counts().0.returns;
        // no invented events, all in order, and missing ones were counted
        let mut rest = wanted.iter();
        assert!(found.iter().all(|f| rest.any(|w| w == f)), "seed {seed}");
        assert!(
            wanted.len() as u64 <= found.len() as u64 + lost,
            "seed {seed}: {} of {}, {lost}",
            found.len(),
            wanted.len()
        );
        assert!(found.len() > 100, "seed {seed}: {} of {}", found.len(), wanted.len());
    }
}
