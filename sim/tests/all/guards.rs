//! PMP and triggers in programs: what is refused, and that recordings of it replay

use crate::inputs_support;
use crate::rv32_support::*;
use retire::elf::{Program, Segment};
use sim::riscv::{Exit, Limits, Machine, MachineConfig, MachineError};
use sim::scheme::inputs::params::Sizes;

const LIMITS: Limits = Limits { instructions: 100_000, cycles: 1_000_000 };
const HANDLER: usize = 0x400;

/// A handler that outputs cause and `mtval`, and continues after the instruction, which has four bytes.
fn with_handler(body: impl FnOnce(&mut Asm)) -> Asm {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, BASE + HANDLER as u32).put(&[csrw(MTVEC, T0)]);
    body(&mut asm);
    asm.exit();
    asm.org(HANDLER).put(&[csrr(A0, MCAUSE)]).out(A0).put(&[csrr(A0, MTVAL)]).out(A0);
    asm.put(&[csrr(A0, MEPC), addi(A0, A0, 4), csrw(MEPC, A0), MRET]);
    asm
}

/// What a program outputs; it is replayed, too, and at each moment alike whether in one go or step by step.
fn outputs(asm: &Asm) -> Vec<u32> {
    outputs_of(&asm.program(), &config(1))
}

/// As [`outputs`], of a program on a machine.
fn outputs_of(program: &Program, config: &MachineConfig) -> Vec<u32> {
    let log = run(program, config.clone(), LIMITS);
    assert_eq!(log.summary.exit, Exit::Finished(0));
    let recorded = inputs_support::record(program, config.clone(), LIMITS.instructions, Sizes::default());
    inputs_support::assert_replays(program, &recorded, "guards");
    log.out()
}

#[test]
fn a_locked_entry_of_the_pmp_protects_code_against_stores() {
    let asm = with_handler(|a| {
        // the first 4 KiB: read and execute, locked
        a.li(T0, (BASE >> 2) + 0x1ff).put(&[csrw(0x3b0, T0)]).put(&[addi(T0, ZERO, 0x9d), csrw(0x3a0, T0)]);
        a.li(T1, BASE + 0x800).put(&[sw(T0, T1, 0), lw(A1, T1, 0)]).out(A1);
        a.put(&[amo(0, A1, T1, T0), sc(A1, T1, T0)]);
        // it stays
        a.put(&[csrw(0x3a0, ZERO), sw(T0, T1, 4)]);
    });
    let code = BASE + 0x800;
    assert_eq!(outputs(&asm), [7, code, 0, 7, code, 7, code, 7, code + 4]);
}

/// The code and 0 after it, up to 4 KiB. Replay has the faults from the recording, and does not know the option.
#[test]
fn segments_without_write_permission_are_read_only_on_request() {
    let asm = with_handler(|a| {
        a.li(T1, BASE + 0x800).li(T0, 7).put(&[sw(T0, T1, 0), store(0, T0, T1, 3), lw(A1, T1, 0)]).out(A1);
        a.put(&[amo(0, A1, T1, T0), lr(A1, T1), sc(A1, T1, T0), lw(A1, T1, 0)]).out(A1);
        // the last two bytes of the segment, and the first ones after it
        a.li(T1, BASE + 0x1000).put(&[sw(T0, T1, -2), sw(T0, T1, 0), lw(A1, T1, 0)]).out(A1);
    });
    let mut program = asm.program();
    let code = Segment { writable: false, ..program.segments[0].clone() }.of_size(0x1000);
    program.segments = vec![code.clone()];
    let on = MachineConfig { read_only: true, ..config(1) };
    let at = BASE + 0x800;
    let refused = [7, at, 7, at + 3, 0, 7, at, 7, at, 0, 7, BASE + 0xffe, 7];
    assert_eq!(outputs_of(&program, &on), refused);
    // 7, and a byte of 7 above it; then the atomics add 7 and store 7
    assert_eq!(outputs_of(&program, &config(1)), [0x0700_0007, 7, 7]);
    program.segments = vec![Segment { writable: true, ..code }];
    assert_eq!(Machine::new(&program, on).unwrap_err(), MachineError::AllWritable);
}

#[test]
fn memory_that_is_not_executable_is_not_fetched() {
    let asm = with_handler(|a| {
        // four bytes at DATA + 0x100, read and write; the handler returns behind them, to a `ret`
        a.li(T1, DATA + 0x100).li(T0, NOP).put(&[sw(T0, T1, 0)]).li(T0, 0x0000_8067).put(&[sw(T0, T1, 4), FENCE_I]);
        a.li(T0, (DATA + 0x100) >> 2).put(&[csrw(0x3b0, T0), addi(T0, ZERO, 0x93), csrw(0x3a0, T0)]);
        a.put(&[jalr(RA, T1, 0)]);
    });
    assert_eq!(outputs(&asm), [1, DATA + 0x100]);
}

#[test]
fn triggers_raise_breakpoints_before_the_access_while_interrupts_are_on() {
    let asm = with_handler(|a| {
        a.li(T1, DATA + 0x100).put(&[csrw(0x7a2, T1)]).li(T0, 0x42).put(&[csrw(0x7a1, T0), addi(A2, ZERO, 5)]);
        // interrupts are off, on, and off in the handler
        a.put(&[sw(A2, T1, 0), csr(6, 0, MSTATUS, 8), sw(ZERO, T1, 0), lw(A1, T1, 0)]).out(A1);
        // the next instruction but two
        a.put(&[
            auipc(T1, 0),
            addi(T1, T1, 20),
            csrw(0x7a2, T1),
            addi(T0, ZERO, 0x44),
            csrw(0x7a1, T0),
            addi(A2, ZERO, 6),
        ]);
        a.out(A2);
    });
    let found = outputs(&asm);
    let at = found[4];
    assert_eq!(found, [3, DATA + 0x100, 5, 3, at, 5]);
    let mut machine = Machine::new(&asm.program(), config(1)).unwrap();
    machine.run(&mut retire::NullSink, LIMITS).unwrap();
    let word = (at - BASE) as usize;
    assert_eq!(machine.memory()[word..word + 4], addi(A2, ZERO, 6).to_le_bytes());
}

/// `flh`, `fadd.h`, `fcvt.s.h`, `fsh`: 1.5 + 2 = 3.5; as the machine prints them and as replay computes them.
#[test]
fn halves_are_loaded_added_converted_and_stored() {
    let mut asm = Asm::new();
    asm.li(S0, DATA)
        .li(T0, 0x6000)
        .put(&[csrw(MSTATUS, T0)])
        .li(T1, DATA + 0x100)
        .li(T0, 0x4000_3e00)
        .put(&[sw(T0, T1, 0)]);
    let op =
        |f7: u32, rd: u32, rs1: u32, rs2: u32, f3: u32| f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x53;
    asm.put(&[i(0x07, 1, 1, T1, 0), i(0x07, 1, 2, T1, 2), op(0x02, 3, 1, 2, 0)]);
    asm.put(&[store(1, 3, T1, 8) | 0x04, lw(A0, T1, 8)]).out(A0);
    asm.put(&[op(0x20, 4, 3, 2, 0), op(0x70, A0, 4, 0, 0)]).out(A0);
    asm.put(&[op(0x72, A0, 3, 0, 0)]).out(A0).exit();
    assert_eq!(outputs(&asm), [0x4300, 3.5f32.to_bits(), 0x4300]);
}
