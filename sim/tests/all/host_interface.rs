//! `tohost` and semihosting: printed output, end of a run, and replay by every scheme

use crate::cfiat_support;
use crate::inputs_support;
use crate::rv32_support::*;
use retire::elf::{HostInterface, Program};
use retire::image::Image;
use retire::{FlowEvent, FlowKind};
use sim::params::{Platform, TraceParams};
use sim::replay::Events;
use sim::riscv::{Exit, Limits, Machine, MachineConfig, RunSummary};
use sim::scheme::cfiat;
use sim::scheme::inputs::params::Sizes;
use sim::system::System;

/// `slli x0, x0, 0x1f`, `ebreak`, `srai x0, x0, 7`.
const CALL: [u32; 3] = [0x01f0_1013, EBREAK, 0x4070_5013];
const LIMITS: Limits = Limits { instructions: 100_000, cycles: 1_000_000 };
/// Address of `tohost` in these programs.
const TOHOST: u32 = DATA + 0x100;

fn run(program: &Program, harts: u8) -> (RunSummary, Vec<FlowEvent>) {
    run_as(program, config(harts))
}

fn run_as(program: &Program, config: MachineConfig) -> (RunSummary, Vec<FlowEvent>) {
    let mut events: Vec<FlowEvent> = Vec::new();
    let summary = Machine::new(program, config).unwrap().run(&mut events, LIMITS).unwrap();
    (summary, events)
}

/// Runs a program and replays it by every scheme; returns its output and how it ended.
fn replayed(program: &Program, harts: u8) -> (String, Exit) {
    replayed_as(program, config(harts), Sizes::default())
}

/// As [`replayed`], with this machine and these sizes of the scheme `inputs`.
fn replayed_as(program: &Program, config: MachineConfig, sizes: Sizes) -> (String, Exit) {
    let harts = config.harts;
    let (summary, events) = run_as(program, config.clone());
    for name in ["tr_e:small", "tr_b:m4", "nx_b", "nexs", "sc-lsp:rbase-32x4"] {
        let platform = Platform { cores: harts, xlen: program.xlen, ..Platform::RV32 };
        let params = TraceParams::new(platform, name.parse().unwrap());
        let mut system = System::new(&params).unwrap();
        events.iter().for_each(|e| retire::RetireSink::event(&mut system, e));
        system.finish(summary.cycles);
        let words: Vec<u32> = system.drain().collect();
        let (image, mut reported) = (Image::new(program), Vec::<FlowEvent>::new());
        sim::replay::Replay::new(&image, &params, words.into_iter()).unwrap().run(&mut Events(&mut reported)).unwrap();
        for hart in 0..harts {
            let of = |list: &[FlowEvent]| list.iter().filter(|e| e.hart == hart).copied().collect::<Vec<_>>();
            let (run, reported) = (of(&events), of(&reported));
            let same = run.len() == reported.len() && run.iter().zip(&reported).all(|(a, b)| a.same_flow(b));
            assert!(same, "{name}, hart {hart}: {run:?} {reported:?}");
        }
    }
    let recorded = inputs_support::record(program, config.clone(), LIMITS.instructions, sizes);
    inputs_support::assert_replays(program, &recorded, "inputs");
    // load values do not contain the host's stores
    if program.xlen == 32 && !sizes.masters {
        let sizes: cfiat::params::Sizes = "cfiat".parse().unwrap();
        let traced = cfiat_support::trace(program, config, LIMITS.instructions, sizes);
        cfiat_support::assert_replays(program, &traced, "cfiat");
    }
    (String::from_utf8(summary.uart).unwrap(), summary.exit)
}

fn with_tohost(asm: &Asm) -> Program {
    Program { tohost: Some(HostInterface { to: TOHOST.into(), from: None }), ..asm.program() }
}

/// Waits until `tohost`, to which t0 points, is 0, as programs do before each command.
fn wait(asm: &mut Asm) -> &mut Asm {
    asm.put(&[lw(T1, T0, 0), lw(T2, T0, 4), r(0, 6, T1, T1, T2), branch(1, T1, ZERO, -12)])
}

#[test]
fn tohost_prints_and_ends_with_a_code() {
    let mut asm = Asm::new();
    asm.li(T0, TOHOST).li(S1, 0x0101_0000);
    // 'a' has bit 0 set: alone in the lower half it would end the program
    for letter in *b"hai" {
        wait(&mut asm).put(&[addi(A0, ZERO, letter.into()), sw(A0, T0, 0), sw(S1, T0, 4)]);
    }
    wait(&mut asm).put(&[addi(A0, ZERO, 7 << 1 | 1), sw(A0, T0, 0), sw(ZERO, T0, 4), jal(0, 0)]);
    assert_eq!(replayed(&with_tohost(&asm), 1), ("hai".into(), Exit::Finished(7)));
    // without the symbol, the same program stores into RAM and waits forever
    let (summary, _) = run(&asm.program(), 1);
    assert_eq!((summary.uart, summary.exit), (vec![], Exit::Limit));
}

#[test]
fn the_lower_half_alone_ends_where_it_is_stored_again_and_again() {
    let mut asm = Asm::new();
    asm.li(T0, TOHOST).put(&[addi(A0, ZERO, 1), sw(A0, T0, 0), jal(0, -4)]);
    assert_eq!(replayed(&with_tohost(&asm), 1), (String::new(), Exit::Finished(0)));
}

#[test]
fn what_is_no_command_does_nothing_and_reads_back_as_zero() {
    let mut asm = Asm::new();
    asm.li(T0, TOHOST).li(S0, DATA).li(A0, 0x1234_5678);
    // a proxied system call, bytes, and stores that only overlap it
    asm.put(&[sw(A0, T0, 0), sw(ZERO, T0, 4), store(0, A0, T0, 3), sw(A0, T0, 6), sw(A0, T0, -2)]);
    for place in [-4, 0, 4, 8] {
        asm.put(&[lw(T2, T0, place)]).out(T2);
    }
    asm.exit();
    let program = with_tohost(&asm);
    assert_eq!(replayed(&program, 1), (String::new(), Exit::Finished(0)));
    let mut words = Vec::new();
    let mut machine = Machine::new(&program, config(1)).unwrap();
    machine.run(&mut Out(&mut words), LIMITS).unwrap();
    assert_eq!(words, [0x5678_0000, 0, 0, 0x1234]);
}

/// Block of system calls, and address of `fromhost`, in these programs.
const BLOCK: u32 = DATA + 0x200;
const FROMHOST: u32 = DATA + 0x140;

fn with_fromhost(asm: &Asm) -> Program {
    Program { tohost: Some(HostInterface { to: TOHOST.into(), from: Some(FROMHOST.into()) }), ..asm.program() }
}

/// A machine that gets `input`; `inputs` with the stores of bus masters.
fn reading(input: &[u8]) -> (MachineConfig, Sizes) {
    (MachineConfig { input: input.into(), ..config(1) }, Sizes { masters: true, ..Sizes::default() })
}

/// A system call as 32-bit programs make it: 64-bit words, and two stores to `tohost`. The result is stored to [`DATA`].
fn system_call(asm: &mut Asm, words: [u32; 4]) -> &mut Asm {
    asm.li(T0, BLOCK);
    for (i, word) in words.into_iter().enumerate() {
        asm.li(T1, word).put(&[sw(T1, T0, 8 * i as i32), sw(ZERO, T0, 8 * i as i32 + 4)]);
    }
    asm.li(T1, TOHOST).put(&[sw(T0, T1, 0), sw(ZERO, T1, 4)]);
    asm.li(T2, FROMHOST).put(&[lw(T1, T2, 0), branch(0, T1, ZERO, -4), sw(ZERO, T2, 0), lw(A0, T0, 0)]).out(A0)
}

#[test]
fn system_calls_write_read_and_exit() {
    let mut asm = Asm::new();
    let text = BASE + 0x600;
    asm.li(S0, DATA);
    system_call(&mut asm, [64, 1, text, 5]);
    // three bytes to an odd address; then two are left of four
    system_call(&mut asm, [63, 0, DATA + 0x301, 3]);
    system_call(&mut asm, [63, 0, DATA + 0x308, 4]);
    system_call(&mut asm, [63, 0, DATA + 0x310, 4]);
    asm.li(T0, DATA + 0x300).put(&[lw(A0, T0, 0)]).out(A0).put(&[lw(A0, T0, 8)]).out(A0);
    system_call(&mut asm, [80, 1, 0, 0]);
    system_call(&mut asm, [93, 7, 0, 0]).put(&[jal(0, 0)]);
    assert!(asm.bytes.len() <= 0x600);
    asm.org(0x600).bytes.extend_from_slice(b"hello");
    let program = with_fromhost(&asm);
    let (machine, sizes) = reading(b"abcde");
    let mut words = Vec::new();
    let summary = Machine::new(&program, machine.clone()).unwrap().run(&mut Out(&mut words), LIMITS).unwrap();
    assert_eq!(words, [5, 3, 2, 0, 0x6362_6100, 0x6564, -38i32 as u32]);
    let unanswered: Vec<_> = summary.unanswered.iter().map(|u| (u.name(), u.operation, u.proxied, u.count)).collect();
    assert_eq!(unanswered, [("fstat", 80, true, 1)]);
    assert_eq!(replayed_as(&program, machine, sizes), ("hello".into(), Exit::Finished(7)));
}

#[test]
fn a_doubleword_calls_the_system_at_once() {
    let mut asm = Asm::new();
    // t0 = block: number 64, file, address of "ok", length; s1 = tohost
    asm.put(&[auipc(T0, 0x8000), addi(T0, T0, 0x200), addi(S1, T0, -0x100)]);
    asm.put(&[auipc(T2, 0), addi(T2, T2, 0x700 - 12)]);
    asm.put(&[addi(T1, ZERO, 64), store(3, T1, T0, 0), store(3, T2, T0, 16)]);
    asm.put(&[addi(T1, ZERO, 2), store(3, T1, T0, 24), store(3, T0, S1, 0), load(3, T1, S1, 0x40)]);
    asm.put(&[branch(0, T1, ZERO, -4), load(3, T1, T0, 0), addi(T1, T1, 1), store(3, T1, S1, 0), jal(0, 0)]);
    asm.org(0x700).bytes.extend_from_slice(b"ok");
    let program = Program { xlen: 64, ..with_fromhost(&asm) };
    let (machine, sizes) = reading(b"");
    assert_eq!(replayed_as(&program, machine, sizes), ("ok".into(), Exit::Finished(1)));
}

/// The host reads its time from `mtime`: 10 MHz, one tick in ten cycles. It is written here first.
#[test]
fn semihosting_reads_input_and_time() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, CLINT + 0xbff8).li(T1, 20_000_000).put(&[sw(T1, T0, 0)]);
    call(&mut asm, 0x10, 0).out(A0);
    call(&mut asm, 0x11, 0).out(A0);
    call(&mut asm, 0x31, 0).out(A0);
    call(&mut asm, 0x30, DATA + 0x308).out(A0).li(T0, DATA + 0x300).put(&[lw(A0, T0, 12)]).out(A0);
    call(&mut asm, 7, 0).out(A0);
    let at = block(&mut asm, &[1, DATA + 0x302, 3]);
    call(&mut asm, 6, at).out(A0).li(T0, DATA + 0x300).put(&[lw(A0, T0, 0)]).out(A0).put(&[lw(A0, T0, 4)]).out(A0);
    // the UART has the fifth byte, and then no more
    asm.li(T0, UART)
        .put(&[load(4, A0, T0, 5)])
        .out(A0)
        .put(&[load(4, A0, T0, 0)])
        .out(A0)
        .put(&[load(4, A0, T0, 5)])
        .out(A0);
    call(&mut asm, 7, 0).out(A0);
    call(&mut asm, 6, at).out(A0);
    call(&mut asm, 24, 0x2_0026).put(&[jal(0, 0)]);
    let program = asm.program();
    let (machine, sizes) = reading(b"abcde");
    let mut words = Vec::new();
    Machine::new(&program, machine.clone()).unwrap().run(&mut Out(&mut words), LIMITS).unwrap();
    let (text, none) = (u32::from(b'a'), u32::MAX);
    assert_eq!(words, [200, 2, 10_000_000, 0, 0, text, 0, 0x6362_0000, 0x64, 0x61, 0x65, 0x60, none, 3]);
    assert_eq!(replayed_as(&program, machine.clone(), sizes), (String::new(), Exit::Finished(0)));
}

/// Records the values stored to [`DATA`].
struct Out<'a>(&'a mut Vec<u32>);

impl retire::RetireSink for Out<'_> {
    const WANTS_DATA: bool = true;
    fn event(&mut self, _: &FlowEvent) {}
    fn data(&mut self, d: &retire::DataEvent) {
        match d.kind {
            retire::DataKind::Store { addr, value, .. } if addr == u64::from(DATA) => self.0.push(value as u32),
            _ => {}
        }
    }
}

#[test]
fn a_doubleword_is_a_command_at_once() {
    let mut asm = Asm::new();
    // t0 = tohost relative to the pc: lui would sign-extend
    asm.put(&[auipc(T0, 0x8000), addi(T0, T0, 0x100)]);
    asm.put(&[addi(T1, ZERO, 0x101), i(0x13, 1, T1, T1, 48), addi(T1, T1, i32::from(b'!'))]);
    asm.put(&[store(3, T1, T0, 0), load(3, T2, T0, 0), branch(1, T2, ZERO, 0)]);
    asm.put(&[addi(T1, ZERO, 3 << 1 | 1), store(3, T1, T0, 0), jal(0, 0)]);
    let program = Program { xlen: 64, ..with_tohost(&asm) };
    assert_eq!(replayed(&program, 1), ("!".into(), Exit::Finished(3)));
}

#[test]
fn several_harts_take_turns_at_tohost() {
    let mut asm = Asm::new();
    asm.li(T0, TOHOST).li(S1, 0x0101_0000).li(S0, DATA);
    // hart n prints when the counter is n
    asm.put(&[lw(A1, S0, 0), branch(1, A1, A0, -4), addi(A2, A0, b'0'.into()), sw(A2, T0, 0), sw(S1, T0, 4)]);
    asm.put(&[addi(A1, A1, 1), sw(A1, S0, 0), addi(T1, ZERO, 4), branch(1, A1, T1, 0)]);
    asm.put(&[addi(A2, ZERO, 1), sw(A2, T0, 0), sw(ZERO, T0, 4), jal(0, 0)]);
    assert_eq!(replayed(&with_tohost(&asm), 4), ("0123".into(), Exit::Finished(0)));
}

/// A semihosting call with these arguments.
fn call(asm: &mut Asm, operation: u32, argument: u32) -> &mut Asm {
    asm.li(A0, operation).li(A1, argument).put(&CALL)
}

/// Stores a parameter block at [`DATA`] + 0x200.
fn block(asm: &mut Asm, words: &[u32]) -> u32 {
    let at = DATA + 0x200;
    asm.li(T0, at);
    for (i, word) in words.iter().enumerate() {
        asm.li(T1, *word).put(&[sw(T1, T0, 4 * i as i32)]);
    }
    at
}

#[test]
fn semihosting_prints_answers_and_ends() {
    for (reason, code) in [(0x2_0026, 0), (0x2_0023, 1)] {
        let mut asm = Asm::new();
        let text = BASE + 0x400;
        asm.li(S0, DATA);
        call(&mut asm, 4, text).out(A0);
        call(&mut asm, 3, text + 1).out(A0);
        let at = block(&mut asm, &[1, text + 2, 3]);
        call(&mut asm, 5, at).out(A0);
        call(&mut asm, 0x30, 0).out(A0);
        // an address outside RAM, and a length beyond the end of RAM
        call(&mut asm, 4, 0x10);
        let at = block(&mut asm, &[1, BASE + 0xfffe, u32::MAX]);
        call(&mut asm, 5, at);
        call(&mut asm, 24, reason).put(&[jal(0, 0)]);
        asm.org(0x400).bytes.extend_from_slice(b"semi\n\0");
        assert_eq!(asm.run().out(), [0, 0, 0, u32::MAX]);
        assert_eq!(replayed(&asm.program(), 1), ("semi\nemi\n\0\0".into(), Exit::Finished(code)));
    }
    let mut asm = Asm::new();
    let at = block(&mut asm, &[0x2_0026, 42]);
    call(&mut asm, 0x20, at);
    assert_eq!(replayed(&asm.program(), 2).1, Exit::Finished(42));
}

#[test]
fn what_c_libraries_ask_at_their_start_is_answered_and_the_rest_is_named() {
    let mut asm = Asm::new();
    let names = BASE + 0x800;
    asm.li(S0, DATA);
    // newlib's librdimon: three consoles, for reading, writing and appending; then the features, which are empty
    for (name, length, mode) in [(0, 3, 0), (0, 3, 4), (0, 3, 8), (4, 22, 0)] {
        let at = block(&mut asm, &[names + name, mode, length]);
        call(&mut asm, 1, at).out(A0);
    }
    let at = block(&mut asm, &[1]);
    for operation in [12, 2, 9, 19, 21] {
        call(&mut asm, operation, at).out(A0);
    }
    let at = block(&mut asm, &[1, names, 3]);
    call(&mut asm, 5, at).out(A0);
    // a file, twice; a command; reading
    for _ in 0..2 {
        let at = block(&mut asm, &[names + 27, 0, 4]);
        call(&mut asm, 1, at).out(A0);
    }
    for operation in [18, 6] {
        call(&mut asm, operation, at).out(A0);
    }
    call(&mut asm, 24, 0x2_0026).put(&[jal(0, 0)]);
    assert!(asm.bytes.len() <= 0x800);
    asm.org(0x800).bytes.extend_from_slice(b":tt\0:semihosting-features\0\0file\0");
    let last = u32::MAX;
    // reading: nothing is there, so that all bytes are missing
    assert_eq!(asm.run().out(), [1, 1, 1, 1, 0, 0, 1, 5, last, 0, 1, 1, last, 4]);
    let (summary, _) = run(&asm.program(), 1);
    let unanswered: Vec<_> = summary.unanswered.iter().map(|u| (u.name(), u.file.as_deref(), u.count)).collect();
    assert_eq!(unanswered, [("SYS_OPEN", Some("file"), 2), ("SYS_SYSTEM", None, 1)]);
    assert_eq!(replayed(&asm.program(), 1), (":tt".into(), Exit::Finished(0)));
}

#[test]
fn a_program_that_asks_for_many_things_takes_no_memory_without_bound() {
    let mut asm = Asm::new();
    asm.li(S1, 0x100);
    // operations 0x100 to 0x163
    asm.li(T2, 0x164);
    asm.put(&[addi(A0, S1, 0)]).put(&CALL).put(&[addi(S1, S1, 1), branch(1, S1, T2, -20)]).exit();
    let (summary, _) = run(&asm.program(), 1);
    assert_eq!((summary.exit, summary.unanswered.len()), (Exit::Finished(0), 16));
}

#[test]
fn an_ebreak_without_its_marks_is_an_exception() {
    for (i, wrong) in [[NOP, EBREAK, CALL[2]], [CALL[0], EBREAK, NOP]].into_iter().enumerate() {
        let mut asm = Asm::new();
        asm.li(T0, BASE + 0x400).put(&[csrw(MTVEC, T0)]).li(A0, 24).li(A1, 0x2_0026).put(&wrong).put(&[jal(0, 0)]);
        asm.org(0x400).exit();
        let (summary, events) = run(&asm.program(), 1);
        assert_eq!(summary.exit, Exit::Finished(0));
        let traps = events.iter().filter(|e| e.kind == FlowKind::Trap { interrupt: false, cause: 3 }).count();
        assert_eq!(traps, 1, "case {i}");
    }
    // and one with its markers raises none
    let mut asm = Asm::new();
    call(&mut asm, 24, 0x2_0026);
    let (summary, events) = run(&asm.program(), 1);
    assert_eq!((summary.instructions, events.len()), (vec![6], 2));
}

#[test]
fn a_command_is_taken_with_any_timing_too() {
    let mut asm = Asm::new();
    asm.li(T0, TOHOST).put(&[addi(A0, ZERO, 9), sw(A0, T0, 0), sw(ZERO, T0, 4), jal(0, 0)]);
    let mut machine = Machine::new(&with_tohost(&asm), MachineConfig::default()).unwrap();
    assert_eq!(machine.run(&mut retire::NullSink, LIMITS).unwrap().exit, Exit::Finished(4));
}
