//! The retire stream of the built-in simulator obeys the rules of [`retire`]

use crate::rv32_support::*;
use proptest::prelude::*;
use retire::elf::{Program, Segment};
use retire::isa::{flow, length, Flow, Indirect};
use retire::{FlowEvent, FlowKind, NullSink, RetireSink};
use sim::riscv::{Exit, Limits, Machine, MachineConfig, MachineError, Timing};

const LIMITS: Limits = Limits { instructions: 30_000, cycles: 100_000 };

/// Harts increment their own and a shared word, call and return, and trap occasionally; hart 0 sends software
/// interrupts to the others.
fn busy() -> Asm {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, BASE + 0x400).put(&[csrw(MTVEC, T0), addi(T0, ZERO, 8), csrw(MIE, T0)]);
    asm.put(&[csr(6, 0, MSTATUS, 8)]).li(S1, DATA + 64).li(A3, CLINT + 4);
    let top = asm.here();
    asm.put(&[addi(T1, ZERO, 1), amo(0, T2, S1, T1), jal(RA, 0x300 - (asm.here() - BASE) as i32 - 8)]);
    asm.put(&[i(0x13, 7, T2, T2, 15), branch(1, T2, ZERO, 8), ECALL]);
    asm.put(&[branch(1, A0, ZERO, 12), i(0x13, 7, T2, A1, 7), branch(1, T2, ZERO, 8), sw(T1, A3, 0)]);
    let back = top.wrapping_sub(asm.here()) as i32;
    asm.put(&[jal(ZERO, back)]);
    asm.org(0x300).put(&[addi(A1, A1, 1), lr(T2, S1), sc(T2, S1, T2), jalr(ZERO, RA, 0)]);
    // handler: an interrupt clears its msip, an exception continues after the ecall
    asm.org(0x400).put(&[csrr(T2, MCAUSE), branch(4, T2, ZERO, 20), csrr(T2, MEPC), addi(T2, T2, 4), csrw(MEPC, T2)]);
    asm.put(&[MRET]).li(T2, CLINT).put(&[i(0x13, 1, A2, A0, 2), r(0, 0, T2, T2, A2), sw(ZERO, T2, 0), MRET]);
    asm
}

fn configs() -> Vec<MachineConfig> {
    let mut all = Vec::new();
    for harts in [1, 2, 3, 8] {
        for timing in [Timing::functional(), Timing::default()] {
            for seed in [0, 1, 99] {
                all.push(MachineConfig { timing: timing.clone(), seed, ..config(harts) });
            }
        }
    }
    all
}

/// The required event of a control-flow instruction, derived from its encoding alone.
fn expected_kind(insn: u32, taken: bool) -> Option<FlowKind> {
    Some(match flow(insn, 32) {
        Flow::Sequential => return None,
        Flow::Conditional { .. } => FlowKind::Conditional { taken },
        Flow::Jump { call: true, .. } => FlowKind::Call,
        Flow::Jump { .. } => FlowKind::Jump,
        Flow::Indirect(Indirect::Jump) => FlowKind::IndirectJump,
        Flow::Indirect(Indirect::Call) => FlowKind::IndirectCall,
        Flow::Indirect(Indirect::Return) => FlowKind::Return,
        Flow::Indirect(Indirect::CoSwap) => FlowKind::CoSwap,
        Flow::TrapReturn => FlowKind::TrapReturn,
    })
}

/// Follows the events of one hart through the code: runs between events are sequential and have the reported length,
/// and every control-flow instruction has its event.
fn check_hart(program: &Program, events: &[FlowEvent]) -> u64 {
    let code = &program.segments[0].data;
    let insn = |pc: u64| {
        let at = (pc - u64::from(BASE)) as usize;
        let mut bytes = [0; 4];
        let end = code.len().min(at + 4);
        bytes[..end - at].copy_from_slice(&code[at..end]);
        u32::from_le_bytes(bytes)
    };
    assert_eq!((events[0].kind, events[0].count), (FlowKind::Start, 0));
    let mut pc = events[0].target;
    let mut retired = 0;
    for e in &events[1..] {
        let flows = !matches!(e.kind, FlowKind::Trap { .. } | FlowKind::Stop);
        for n in 0..e.count {
            let last = flows && n == e.count - 1;
            let bits = insn(pc);
            if last {
                assert_eq!((e.pc, e.len), (pc, length(bits as u16)), "{e:?}");
                let taken = e.target != e.fall_through();
                assert_eq!(expected_kind(bits, taken), Some(e.kind), "{e:?}");
            } else {
                assert_eq!(flow(bits, 32), Flow::Sequential, "pc 0x{pc:x} before {e:?}");
            }
            pc += u64::from(length(bits as u16));
        }
        assert!(e.count > 0 || !flows, "{e:?}");
        assert_eq!(e.len == 0, !flows, "{e:?}");
        if !flows {
            assert_eq!(e.pc, pc, "{e:?}");
        }
        retired += u64::from(e.count);
        pc = e.target;
    }
    assert_eq!(events.last().map(|e| e.kind), Some(FlowKind::Stop));
    retired
}

#[test]
fn events_are_ordered_complete_and_sequential_between() {
    let asm = busy();
    for config in configs() {
        let log = asm.run_with(config.clone(), LIMITS);
        assert_eq!(log.summary.exit, Exit::Limit, "{config:?}");
        assert_eq!(log.summary.instructions.iter().sum::<u64>(), LIMITS.instructions);
        assert!(log.order.is_sorted(), "{config:?}");
        let stops = log.events.iter().rev().take(usize::from(config.harts));
        let order: Vec<u8> = stops.map(|e| e.hart).collect();
        assert!(order.iter().rev().copied().eq(0..config.harts), "stops in hart order: {order:?}");
        for hart in 0..config.harts {
            let events: Vec<_> = log.events.iter().filter(|e| e.hart == hart).copied().collect();
            let retired = check_hart(&asm.program(), &events);
            assert_eq!(retired, log.summary.instructions[usize::from(hart)], "{config:?} hart {hart}");
            // one instruction per cycle: control-flow instructions retire in different cycles
            let cycles: Vec<_> = events.iter().filter(|e| e.len > 0).map(|e| e.cycle).collect();
            assert!(cycles.windows(2).all(|w| w[0] < w[1]), "{config:?} hart {hart}");
            let traps = events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).count();
            assert!(traps > 10 || config.harts > 1, "{traps} traps");
        }
        let interrupts = log.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { interrupt: true, .. }));
        assert!(config.harts == 1 || interrupts.count() > 5, "{config:?}");
    }
}

#[test]
fn a_configuration_gives_the_same_run_each_time_and_a_seed_another() {
    let asm = busy();
    for config in configs() {
        let (a, b) = (asm.run_with(config.clone(), LIMITS), asm.run_with(config.clone(), LIMITS));
        assert_eq!((a.events, a.data, a.summary), (b.events, b.data, b.summary), "{config:?}");
    }
    let of_seed = |seed| asm.run_with(MachineConfig { seed, ..config(3) }, LIMITS).events;
    assert_ne!(of_seed(1), of_seed(2));
}

/// Events with the stack pointer at each.
#[derive(Default)]
struct Stacks {
    events: Vec<FlowEvent>,
    pointers: Vec<u64>,
}

impl RetireSink for Stacks {
    const WANTS_STACK_POINTER: bool = true;

    fn event(&mut self, e: &FlowEvent) {
        self.events.push(*e);
    }

    fn stack_pointer(&mut self, _: u8, sp: u64) {
        self.pointers.push(sp);
    }
}

#[test]
fn a_run_is_the_same_for_each_kind_of_sink() {
    let mut stepped = Asm::new();
    stepped.put(&[addi(SP, SP, 16), jal(ZERO, -4)]);
    for (asm, config) in [busy(), stepped].iter().flat_map(|asm| configs().into_iter().map(move |c| (asm, c))) {
        let log = asm.run_with(config.clone(), LIMITS);
        let machine = || Machine::new(&asm.program(), config.clone()).expect("the machine can be built");
        let (mut events, mut stacks) = (Vec::new(), Stacks::default());
        for summary in [
            machine().run(&mut NullSink, LIMITS),
            machine().run(&mut events, LIMITS),
            machine().run(&mut stacks, LIMITS),
        ] {
            assert_eq!(summary.expect("it runs"), log.summary, "{config:?}");
        }
        assert!(events == log.events && stacks.events == log.events, "{config:?}");
        assert!(stacks.pointers.len() > 100, "{config:?}");
    }
}

#[test]
fn the_stack_pointer_is_that_at_the_event() {
    let mut asm = Asm::new();
    asm.put(&[addi(SP, ZERO, 0), addi(SP, SP, 16), jal(ZERO, -4)]);
    for timing in [Timing::functional(), Timing::default()] {
        let mut stacks = Stacks::default();
        let config = MachineConfig { timing, ..config(1) };
        let mut machine = Machine::new(&asm.program(), config).expect("the machine can be built");
        machine.run(&mut stacks, LIMITS).expect("it runs");
        // the first event is that of the start
        let jumps: Vec<u64> = stacks.pointers.into_iter().skip_while(|sp| *sp == 0).collect();
        assert!(jumps.len() > 1_000);
        assert!(jumps.iter().zip(1..).all(|(sp, turn)| *sp == 16 * turn), "{:?}", &jumps[..4]);
    }
}

/// Cycles in which the harts start.
fn starts(asm: &Asm, harts: u8, seed: u64) -> Vec<u64> {
    let limits = Limits { instructions: 2_000, cycles: 600 };
    let events = asm.run_with(MachineConfig { seed, ..config(harts) }, limits).events;
    let first = |hart| events.iter().find(|e| e.hart == hart && e.kind == FlowKind::Start).expect("it starts").cycle;
    (0..harts).map(first).collect()
}

#[test]
fn harts_start_in_as_many_patterns_as_there_are_seeds() {
    let mut asm = Asm::new();
    asm.put(&[addi(T0, T0, 1), jal(ZERO, -4)]);
    let at_once = starts(&asm, 4, 0);
    assert!(at_once.iter().all(|at| *at == at_once[0]), "{at_once:?}");
    for harts in [2, 4] {
        let mut delays: Vec<Vec<u64>> = (1..=100).map(|seed| starts(&asm, harts, seed)).collect();
        // the whole range is used, by each hart
        for hart in 0..usize::from(harts) {
            let of_hart = || delays.iter().map(|d| d[hart] - at_once[0]);
            assert!(of_hart().min() < Some(32) && of_hart().max() > Some(223) && of_hart().max() < Some(256));
        }
        let patterns = |all: &mut Vec<Vec<u64>>| {
            all.sort();
            all.dedup();
            all.len()
        };
        assert_eq!(patterns(&mut delays.clone()), 100, "{harts} harts");
        // what counts for the interleaving: by how much each hart starts after the first one. Of 100 pairs of random
        // bytes, 88 differences are expected to be different
        delays.iter_mut().for_each(|d| *d = d[1..].iter().map(|at| at.wrapping_sub(d[0])).collect());
        let (found, least) = (patterns(&mut delays), if harts == 2 { 80 } else { 100 });
        assert!(found >= least, "{harts} harts: {found} patterns of 100 seeds");
    }
}

#[test]
fn data_do_not_change_the_run() {
    let asm = busy();
    for config in configs() {
        let with = asm.run_with(config.clone(), LIMITS);
        let mut machine = Machine::new(&asm.program(), config.clone()).expect("it can be built");
        let mut events = Vec::<FlowEvent>::new();
        let summary = machine.run(&mut events, LIMITS).expect("it runs");
        assert_eq!((&summary, &events), (&with.summary, &with.events));
        let mut machine = Machine::new(&asm.program(), config).expect("it can be built");
        assert_eq!(machine.run(&mut NullSink, LIMITS).expect("it runs"), summary);
    }
}

#[test]
fn a_trap_is_reported_with_the_first_instruction_after_it() {
    // the handler begins with a register write: the trap comes before it, in its cycle
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, BASE + 0x100).put(&[csrw(MTVEC, T0), ECALL]).org(0x100).out(T0).exit();
    let log = asm.run();
    let trap = log.events.iter().position(|e| matches!(e.kind, FlowKind::Trap { .. })).expect("it traps");
    let e = log.events[trap];
    assert_eq!((e.pc, e.target, e.count), ((BASE + 20).into(), (BASE + 0x100).into(), 5));
    let first = log.data.iter().find(|d| d.pc == e.target).expect("the handler writes a register");
    assert_eq!(e.cycle, first.cycle);
    let at = log.order.iter().position(|o| *o == (e.cycle, 0)).expect("it is told");
    assert_eq!(at, trap + log.data.iter().position(|d| d == first).expect("it is told"));
    // consecutive exceptions are one event: pc of the first, target and cause of the last
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, BASE + 0x100).put(&[csrw(MTVEC, T0)]);
    asm.li(T1, 8).put(&[csrw(MIE, T1)]).li(T1, CLINT).put(&[addi(T2, ZERO, 1), sw(T2, T1, 0), csr(6, 0, MSTATUS, 8)]);
    asm.put(&[NOP]).org(0x100).put(&[NOP]).exit();
    let log = asm.run();
    let traps: Vec<_> = log.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).collect();
    assert_eq!(traps.len(), 1);
    assert_eq!(traps[0].kind, FlowKind::Trap { interrupt: true, cause: 3 });
}

#[test]
fn a_stopped_machine_goes_on_with_a_new_start() {
    let asm = busy();
    let mut machine = Machine::new(&asm.program(), config(2)).expect("it can be built");
    let mut retired = [0; 2];
    for _ in 0..3 {
        let mut events = Vec::<FlowEvent>::new();
        let summary = machine.run(&mut events, Limits { instructions: 1001, cycles: u64::MAX }).expect("it runs");
        for hart in 0..2u8 {
            let own: Vec<_> = events.iter().filter(|e| e.hart == hart).copied().collect();
            retired[usize::from(hart)] += check_hart(&asm.program(), &own);
        }
        assert_eq!(summary.instructions, retired);
    }
    assert_eq!(retired.iter().sum::<u64>(), 3003);
}

#[test]
fn limits_are_exact() {
    let asm = busy();
    for timing in [Timing::functional(), Timing::default()] {
        for n in [0, 1, 2, 777] {
            let c = MachineConfig { timing: timing.clone(), ..config(3) };
            let log = asm.run_with(c.clone(), Limits { instructions: n, cycles: u64::MAX });
            assert_eq!(log.summary.instructions.iter().sum::<u64>(), n);
            let log = asm.run_with(c, Limits { instructions: u64::MAX, cycles: n });
            assert!(log.order.iter().all(|(cycle, _)| *cycle <= n.max(log.summary.cycles)));
            let flows = log.events.iter().filter(|e| e.len > 0);
            assert!(flows.clone().all(|e| e.cycle < n), "{n}");
        }
    }
}

#[test]
fn unfit_programs_and_settings_are_refused_by_name() {
    let error = |program: &Program, config| Machine::new(program, config).map(|_| ()).unwrap_err();
    let good = busy().program();
    let cases = [
        (MachineConfig { harts: 9, ..config(1) }, "harts = 9, expected 1 to 8"),
        (MachineConfig { harts: 0, ..config(1) }, "harts = 0, expected 1 to 8"),
        (MachineConfig { ram_bytes: 1000, ..config(1) }, "ram_bytes = 1000, expected 64 KiB to 1 GiB"),
        (MachineConfig { mtime_divider: 0, ..config(1) }, "mtime_divider = 0, expected 1 and above"),
    ];
    for (config, text) in cases {
        assert_eq!(error(&good, config).to_string(), text);
    }
    let mut wide = good.clone();
    wide.xlen = 128;
    assert_eq!(error(&wide, config(1)), MachineError::WrongIsa(128));
    let mut big = good.clone();
    big.segments[0].mem_size = 0x2_0000;
    let text = "the ELF needs 0x80000000 to 0x80020000; RAM is 0x80000000 to 0x80010000";
    assert_eq!(error(&big, config(1)).to_string(), text);
    for addr in [0x7fff_ffff, 0xffff_ffff, 1 << 32, u64::MAX] {
        let mut far = good.clone();
        far.segments[0].addr = addr;
        assert!(matches!(error(&far, config(1)), MachineError::OutsideRam { .. }), "{addr:x}");
    }
    let whole = MachineConfig { ram_bytes: 16 << 20, ..config(1) };
    for (addr, device) in [(0, "0x100000"), (0x01ff_f000, "0x2000000"), (0x0ff0_0000, "0x10000000")] {
        let mut over = good.clone();
        over.segments[0].addr = addr;
        let text = error(&over, whole.clone()).to_string();
        assert!(text.ends_with(&format!("would cover the device at {device}")), "{text}");
    }
}

#[test]
fn a_program_that_only_jumps_to_itself_is_over() {
    let program = |words: &[u32]| {
        let data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let (addr, mem_size) = (0x8000_0000, data.len() as u64);
        let segments = vec![Segment::code(addr, data).of_size(mem_size)];
        Program {
            xlen: 32,
            compressed: true,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: addr,
            segments,
            build_id: vec![1],
        }
    };
    let far = Limits { instructions: 50_000_000, ..Limits::default() };
    let run = |words: &[u32], harts| {
        let mut events: Vec<FlowEvent> = Vec::new();
        let summary = Machine::new(&program(words), config(harts)).unwrap().run(&mut events, far).unwrap();
        assert!(matches!(events.last().map(|e| e.kind), Some(FlowKind::Stop)));
        (summary.exit, summary.instructions.iter().sum::<u64>())
    };
    let (nop, wfi) = (0x13, 0x1050_0073);
    for (words, harts) in [(vec![nop, 0x6f], 1), (vec![nop, 0x0001_a001], 1), (vec![nop, 0x6f], 3)] {
        let (exit, instructions) = run(&words, harts);
        assert_eq!(exit, Exit::Deadlock);
        assert!(instructions < 1_000_000, "{instructions}");
    }
    // hart 0 waits, the others jump: csrr x5, mhartid; bnez x5, 8
    assert_eq!(run(&[0xf140_22f3, 0x0002_9463, wfi, 0x6f], 2).0, Exit::Deadlock);
    // a loop that counts is not stuck
    let counts = [0x0010_8093, 0xffdf_f06f]; // addi x1, x1, 1; j -4
    assert_eq!(run(&counts, 1), (Exit::Limit, far.instructions));
}

#[test]
fn ram_lies_where_the_program_wants_it() {
    // x8 is the value stored after the code, otherwise the program does not end
    let words: [u32; 8] = [
        0x0000_0397, // auipc x7, 0
        0x0473_a023, // sw x7, 64(x7)
        0x0403_a403, // lw x8, 64(x7)
        0x0083_9063, // bne x7, x8, .
        0x0010_02b7, // lui x5, 0x100
        0x0000_5337, // lui x6, 0x5
        0x5553_0313, // addi x6, x6, 0x555
        0x0062_a023, // sw x6, 0(x5)
    ];
    let data: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    for addr in [0x2001_0000u64, 0x8000_0000, 0x8001_0000, 0x3000] {
        let mem_size = data.len() as u64;
        let segments = vec![Segment::code(addr, data.clone()).of_size(mem_size)];
        let program = Program {
            xlen: 32,
            compressed: false,
            multiplies: true,
            zcm: false,
            tohost: None,
            entry: addr,
            segments,
            build_id: vec![1],
        };
        // 128 KiB: at 0x3000 there is space below the devices
        let mut machine = Machine::new(&program, MachineConfig { ram_bytes: 128 << 10, ..config(1) }).unwrap();
        let mut events: Vec<FlowEvent> = Vec::new();
        let limits = Limits { instructions: 100, ..Limits::default() };
        let summary = machine.run(&mut events, limits).unwrap();
        assert_eq!((summary.exit, summary.instructions[0]), (Exit::Finished(0), 8), "0x{addr:x}");
        assert_eq!((events[0].kind, events[0].target), (FlowKind::Start, addr));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// Random bytes as a program: no panic, and the rules hold, whatever it does.
    #[test]
    fn any_bytes_run_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 4..400), harts in 1..4u8) {
        let mut asm = Asm::new();
        asm.li(T0, BASE).put(&[csrw(MTVEC, T0)]);
        asm.bytes.extend_from_slice(&bytes);
        let log = asm.run_with(config(harts), Limits { instructions: 3000, cycles: 30_000 });
        prop_assert!(log.order.is_sorted());
        let reported: u64 = log.events.iter().map(|e| u64::from(e.count)).sum();
        prop_assert_eq!(reported, log.summary.instructions.iter().sum::<u64>());
    }
}
