//! Traps, interrupts, CSRs and devices behave as the privileged ISA and the platform require

use crate::rv32_support::*;
use retire::FlowKind;
use sim::riscv::{Exit, Limits, MachineConfig};

const HANDLER: u32 = BASE + 0x400;
const SHORT: Limits = Limits { instructions: 20_000, cycles: 200_000 };

/// A program whose handler writes `mcause`, `mtval` and `mepc` to the output and ends.
fn reporting(body: impl FnOnce(&mut Asm)) -> Asm {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, HANDLER).put(&[csrw(MTVEC, T0)]);
    body(&mut asm);
    asm.org(0x400);
    for number in [MCAUSE, MTVAL, MEPC] {
        asm.put(&[csrr(T0, number)]).out(T0);
    }
    asm.exit();
    asm
}

/// Cause, `mtval`, and offset of `mepc` from the trapping instruction, which executes with `t0` in register t0.
fn trap_of(t0: u32, insn: &[u8]) -> (u32, u32, u32) {
    let mut at = 0;
    let asm = reporting(|asm| {
        asm.li(T0, t0);
        at = asm.here();
        asm.bytes.extend_from_slice(insn);
    });
    let out = asm.run().out();
    assert_eq!(out.len(), 3, "no trap");
    (out[0], out[1], out[2].wrapping_sub(at))
}

fn trap(t0: u32, insn: u32) -> (u32, u32, u32) {
    trap_of(t0, &insn.to_le_bytes())
}

#[test]
fn exceptions_have_the_cause_and_value_of_the_manual() {
    assert_eq!(trap(0, ECALL), (11, 0, 0));
    let (cause, _, offset) = trap(0, EBREAK);
    assert_eq!((cause, offset), (3, 0));
    let (cause, _, offset) = trap_of(0, &[0x02, 0x90]); // c.ebreak
    assert_eq!((cause, offset), (3, 0));
    assert_eq!(trap(0, 0xffff_ffff), (2, 0xffff_ffff, 0));
    assert_eq!(trap_of(0, &[0, 0]), (2, 0, 0));
    assert_eq!(trap_of(0, &[0x00, 0x90]), (2, 0x9000, 0)); // reserved 16-bit encoding: only its own bits
    assert_eq!(trap(0, 0x1020_0073), (2, 0x1020_0073, 0)); // sret: no S mode
                                                           // loads 5, stores and atomics 7, with the address
    for hole in [0, 0x0ffc, 0x1000_1000, BASE - 4, BASE + 0x1_0000, 0xffff_fffc] {
        assert_eq!(trap(hole, lw(T1, T0, 0)), (5, hole, 0));
        assert_eq!(trap(hole, load(0, T1, T0, 3)), (5, hole + 3, 0));
        assert_eq!(trap(hole, sw(T1, T0, 0)), (7, hole, 0));
        assert_eq!(trap(hole, amo(0, T1, T0, T1)), (7, hole, 0));
        assert_eq!(trap(hole, lr(T1, T0)), (5, hole, 0));
        assert_eq!(trap(hole, sc(T1, T0, T1)), (7, hole, 0));
    }
    // a word across the end of RAM
    assert_eq!(trap(BASE + 0xfffe, lw(T1, T0, 0)).0, 5);
    assert_eq!(trap(BASE + 0xfffe, sw(T1, T0, 0)).0, 7);
    // misaligned atomics: 4 for lr, 6 for the others
    assert_eq!(trap(DATA + 2, lr(T1, T0)), (4, DATA + 2, 0));
    assert_eq!(trap(DATA + 1, sc(T1, T0, T1)), (6, DATA + 1, 0));
    assert_eq!(trap(DATA + 3, amo(1, T1, T0, T1)), (6, DATA + 3, 0));
}

#[test]
fn control_registers_that_do_not_exist_or_are_read_only_are_illegal() {
    for (number, what) in
        [(0x100, "sstatus"), (0x105, "stvec"), (0x7a5, "tcontrol"), (0x7c0, "custom"), (0x001, "fflags")]
    {
        assert_eq!(trap(0, csrr(T1, number)), (2, csrr(T1, number), 0), "{what}");
    }
    for number in [0xf11, 0xf14, 0xc00, 0xc02] {
        let write = csrw(number, T0);
        assert_eq!(trap(0, write), (2, write, 0));
        let set = csr(2, T1, number, T0);
        assert_eq!(trap(0, set), (2, set, 0));
        let set_nothing = [csr(2, T2, number, 0), csr(6, T2, number, 0), csr(3, T2, number, 0)];
        eval(0, 0, &set_nothing); // asserts that nothing traps
    }
}

#[test]
fn a_jump_out_of_ram_faults_at_the_target() {
    for target in [0x1000, BASE + 0x1_0000, BASE - 2] {
        let out = reporting(|a| {
            a.li(T0, target).put(&[jalr(ZERO, T0, 0)]);
        })
        .run()
        .out();
        assert_eq!(out, [1, target, target]);
    }
    // a 4-byte instruction of which only the first half is in RAM: mtval is the address of the missing half
    let end = BASE + 0xfffe;
    let out = reporting(|a| {
        a.li(T0, end).li(T1, 0x13).put(&[store(1, T1, T0, 0), FENCE_I, jalr(ZERO, T0, 0)]);
    })
    .run()
    .out();
    assert_eq!(out, [1, end + 2, end]);
}

#[test]
fn a_trap_stacks_the_interrupt_enable_and_mret_restores_it() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, HANDLER).put(&[csrw(MTVEC, T0)]);
    asm.put(&[csr(6, 0, MSTATUS, 8), ECALL, csrr(T0, MSTATUS)]).out(T0); // csrsi mstatus, MIE
    asm.put(&[csr(7, 0, MSTATUS, 8), ECALL, csrr(T0, MSTATUS)]).out(T0);
    asm.exit().org(0x400);
    asm.put(&[csrr(T1, MSTATUS)]).out(T1);
    asm.put(&[csrr(T1, MEPC), addi(T1, T1, 4), csrw(MEPC, T1), MRET]);
    // MPP always reads as 3
    assert_eq!(asm.run().out(), [0x1880, 0x1888, 0x1800, 0x1880]);
}

#[test]
fn control_register_instructions_read_before_they_write() {
    let old_new = |insn: u32, start: u32, operand: u32| {
        let mut asm = Asm::new();
        asm.li(S0, DATA).li(T0, start).put(&[csrw(MSCRATCH, T0)]).li(T0, operand).put(&[insn]).out(T1);
        let out = asm.put(&[csrr(T1, MSCRATCH)]).out(T1).exit().run().out();
        (out[0], out[1])
    };
    assert_eq!(old_new(csr(1, T1, MSCRATCH, T0), 0xff00, 0x1234), (0xff00, 0x1234));
    assert_eq!(old_new(csr(2, T1, MSCRATCH, T0), 0xff00, 0x1234), (0xff00, 0xff34));
    assert_eq!(old_new(csr(3, T1, MSCRATCH, T0), 0xff00, 0x1234), (0xff00, 0xed00));
    assert_eq!(old_new(csr(5, T1, MSCRATCH, 31), 0xff00, 0), (0xff00, 31));
    assert_eq!(old_new(csr(6, T1, MSCRATCH, 31), 0xff00, 0), (0xff00, 0xff1f));
    assert_eq!(old_new(csr(7, T1, MSCRATCH, 16), 0xff10, 0), (0xff10, 0xff00));
    // rd = rs1
    assert_eq!(old_new(csr(1, T0, MSCRATCH, T0), 5, 6).1, 6);
}

#[test]
fn fixed_and_masked_fields_read_as_implemented() {
    let written = |number: u32, value: u32| {
        let mut asm = Asm::new();
        asm.li(S0, DATA).li(T0, value).put(&[csrw(number, T0), csrr(T1, number)]).out(T1).exit().run().out()[0]
    };
    assert_eq!(written(0x301, 0), 0x4000_112d); // misa: RV32, I, M, A, F, D, C
    assert_eq!(written(MEPC, u32::MAX), u32::MAX - 1);
    assert_eq!(written(MTVEC, 0x8000_0103), 0x8000_0101);
    assert_eq!(written(MIE, u32::MAX), 0x888);
    assert_eq!(written(MIP, u32::MAX), 0);
    assert_eq!(written(MCAUSE, 0x8000_0007), 0x8000_0007);
    assert_eq!(written(MTVAL, 77), 77);
    // start-up code often configures the PMP first, and supervisor mode where there may be none
    assert_eq!((written(0x3a0, 0x1f), written(0x3b0, u32::MAX)), (0x1f, u32::MAX));
    assert_eq!((written(0x180, 1), written(0x302, 1), written(0x303, 1)), (0, 0, 0));
    // satp, medeleg, mideleg
}

#[test]
fn counters_count_retired_instructions_and_cycles() {
    let mut asm = Asm::new();
    asm.li(S0, DATA);
    asm.put(&[csrr(T0, 0xb02), NOP, NOP, csrr(T1, 0xb02), r(0x20, 0, T0, T1, T0)]).out(T0);
    asm.put(&[csrr(T0, 0xb00), NOP, csrr(T1, 0xb00), r(0x20, 0, T0, T1, T0)]).out(T0);
    // the next instruction reads the written value; the carry goes to the upper half
    asm.li(T0, u32::MAX).put(&[csrw(0xb82, ZERO), csrw(0xb02, T0), csrr(T1, 0xb02), csrr(T2, 0xb82)]).out(T1).out(T2);
    asm.put(&[csrr(T0, 0xc02), csrr(T1, 0xb02), r(0x20, 0, T0, T1, T0)]).out(T0);
    assert_eq!(asm.exit().run().out(), [3, 2, u32::MAX, 1, 1]);
}

/// Enables interrupt `bit` in `mie`, and interrupts globally in `mstatus`.
fn enable(asm: &mut Asm, bit: u32) {
    asm.put(&[addi(T0, ZERO, bit as i32), csrw(MIE, T0), csr(6, 0, MSTATUS, 8)]);
}

#[test]
fn a_software_interrupt_is_taken_before_the_next_instruction() {
    let mut at = 0;
    let asm = reporting(|a| {
        enable(a, 8);
        a.li(T0, CLINT).put(&[addi(T1, ZERO, 1), sw(T1, T0, 0)]);
        at = a.here();
        a.put(&[NOP]);
    });
    assert_eq!(asm.run().out(), [0x8000_0003, 0, at]);
}

#[test]
fn a_vectored_handler_gets_interrupts_at_four_times_the_cause_and_exceptions_at_its_base() {
    let run = |cause: &dyn Fn(&mut Asm)| {
        let mut asm = Asm::new();
        asm.li(S0, DATA).li(T0, HANDLER + 1).put(&[csrw(MTVEC, T0)]);
        enable(&mut asm, 8);
        cause(&mut asm);
        asm.org(0x400).put(&[jal(ZERO, 0x40)]).org(0x40c).put(&[jal(ZERO, 0x100 - 0xc)]);
        asm.org(0x440).put(&[addi(A0, ZERO, 1)]).out(A0).exit();
        asm.org(0x500).put(&[addi(A0, ZERO, 2)]).out(A0).exit();
        asm.run().out()[0]
    };
    assert_eq!(run(&|a| _ = a.put(&[ECALL])), 1);
    assert_eq!(run(&|a| _ = a.li(T0, CLINT).put(&[addi(T1, ZERO, 1), sw(T1, T0, 0), NOP])), 2);
}

#[test]
fn software_interrupts_come_before_timer_interrupts() {
    let asm = reporting(|a| {
        a.put(&[addi(T0, ZERO, 0x88), csrw(MIE, T0)]).li(T0, CLINT).li(T1, CLINT + 0x4000);
        a.put(&[sw(ZERO, T1, 4), sw(ZERO, T1, 0), addi(T1, ZERO, 1), sw(T1, T0, 0)]);
        a.put(&[csr(6, 0, MSTATUS, 8), NOP]);
    });
    assert_eq!(asm.run().out()[0], 0x8000_0003);
}

#[test]
fn the_timer_fires_in_the_first_cycle_of_its_tick() {
    // mtimecmp = 20, ten cycles per tick: the handler's first instruction follows in cycle 201
    let asm = reporting(|a| {
        a.li(T0, CLINT + 0x4000).put(&[addi(T1, ZERO, 20), sw(ZERO, T0, 4), sw(T1, T0, 0)]);
        enable(a, 0x80);
        a.put(&[jal(ZERO, 0)]);
    });
    let log = asm.run();
    assert_eq!(log.out()[0], 0x8000_0007);
    let reported: Vec<_> =
        log.events.iter().filter(|e| matches!(e.kind, FlowKind::Trap { .. })).map(|e| e.cycle).collect();
    assert_eq!(reported, [201]);
}

#[test]
fn the_timer_follows_a_written_mtime() {
    // mtime set to 5 after 100 ticks; mtimecmp = 30 is then again in the future, by 25 ticks
    let asm = reporting(|a| {
        a.li(T2, 1100).put(&[csrr(T1, 0xb00), branch(6, T1, T2, -4)]);
        a.li(T0, CLINT + 0xbff8).put(&[addi(T1, ZERO, 5), sw(ZERO, T0, 4), sw(T1, T0, 0)]);
        a.li(T0, CLINT + 0x4000).put(&[addi(T1, ZERO, 30), sw(ZERO, T0, 4), sw(T1, T0, 0)]);
        enable(a, 0x80);
        a.put(&[jal(ZERO, 0)]);
    });
    let log = asm.run();
    let taken = log.events.iter().find(|e| matches!(e.kind, FlowKind::Trap { .. })).expect("the timer fires");
    assert!((1340..1380).contains(&taken.cycle), "taken in cycle {}", taken.cycle);
}

#[test]
fn traps_nest() {
    // ecall; its handler saves mepc and executes ebreak; both return
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, HANDLER).put(&[csrw(MTVEC, T0), ECALL, addi(A0, ZERO, 3)]).out(A0).exit().org(0x400);
    asm.put(&[csrr(T0, MCAUSE)]).out(T0).put(&[addi(T1, ZERO, 3), branch(0, T0, T1, 28), csrr(S1, MEPC), EBREAK]);
    asm.put(&[addi(S1, S1, 4), csrw(MEPC, S1), MRET, NOP]);
    assert_eq!(asm.here(), HANDLER + 12 + 32 - 4);
    asm.put(&[csrr(T2, MEPC), addi(T2, T2, 4), csrw(MEPC, T2), MRET]);
    assert_eq!(asm.run().out(), [11, 3, 3]);
}

#[test]
fn wfi_waits_for_an_enabled_interrupt_even_when_mstatus_holds_it_back() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, CLINT + 0x4000).put(&[addi(T1, ZERO, 100), sw(ZERO, T0, 4), sw(T1, T0, 0)]);
    asm.put(&[addi(T0, ZERO, 0x80), csrw(MIE, T0), WFI, csrr(T0, 0xb00)]).out(T0).put(&[csrr(T0, MIP)]).out(T0);
    assert_eq!(asm.exit().run().out(), [1000, 0x80]);
    // a pending interrupt: no wait
    let mut asm = Asm::new();
    asm.li(S0, DATA).put(&[addi(T0, ZERO, 8), csrw(MIE, T0)]).li(T0, CLINT).put(&[addi(T1, ZERO, 1), sw(T1, T0, 0)]);
    asm.put(&[csrr(S1, 0xb00), WFI, csrr(T0, 0xb00), r(0x20, 0, T0, T0, S1)]).out(T0);
    assert_eq!(asm.exit().run().out(), [2]);
}

#[test]
fn waiting_for_nothing_is_a_deadlock() {
    let log = Asm::new().put(&[WFI, NOP]).run();
    assert_eq!((log.summary.exit, log.summary.instructions), (Exit::Deadlock, vec![1]));
    let log = Asm::new().put(&[WFI, NOP]).run_with(config(3), SHORT);
    assert_eq!((log.summary.exit, log.summary.instructions), (Exit::Deadlock, vec![1; 3]));
}

#[test]
fn a_handler_that_cannot_be_fetched_is_a_deadlock() {
    // mtvec is 0 at reset, where there is no memory
    let log = Asm::new().put(&[NOP, ECALL]).run();
    assert_eq!((log.summary.exit, log.summary.instructions), (Exit::Deadlock, vec![1]));
}

#[test]
fn a_timer_set_in_the_past_by_another_hart_wakes_a_waiting_hart_now() {
    // hart 1 waits from the start; hart 0 sets hart 1's mtimecmp to 1 in about cycle 500
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, HANDLER).put(&[csrw(MTVEC, T0), branch(1, A0, ZERO, 64)]);
    asm.li(T2, 500).put(&[csrr(T1, 0xb00), branch(6, T1, T2, -4)]).li(T0, CLINT + 0x4008);
    asm.put(&[addi(T1, ZERO, 1), sw(ZERO, T0, 4), sw(T1, T0, 0), jal(ZERO, 0)]).org(20 + 64);
    asm.put(&[addi(T0, ZERO, 0x80), csrw(MIE, T0), WFI, csrr(A1, 0xb00)]).out(A1).exit();
    for timing in [sim::riscv::Timing::functional(), sim::riscv::Timing::default()] {
        let log = asm.run_with(MachineConfig { timing, ..config(2) }, SHORT);
        assert_eq!(log.summary.exit, Exit::Finished(0));
        assert!(log.out()[0] > 500, "woke in cycle {}", log.out()[0]);
        assert!(log.order.is_sorted(), "events out of order");
    }
}

#[test]
fn the_finisher_ends_with_the_code() {
    let code = |value: u32| Asm::new().li(T0, FINISHER).li(T1, value).put(&[sw(T1, T0, 0)]).run().summary.exit;
    assert_eq!(code(0x5555), Exit::Finished(0));
    assert_eq!(code(3 << 16 | 0x3333), Exit::Finished(3));
    let half = Asm::new().li(T0, FINISHER).li(T1, 0x5555).put(&[store(1, T1, T0, 0)]).run();
    assert_eq!(half.summary.exit, Exit::Finished(0));
}

#[test]
fn the_uart_prints_bytes_and_is_always_ready() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, UART).put(&[load(4, T1, T0, 5)]).out(T1);
    asm.put(&[addi(T1, ZERO, i32::from(b'h')), store(0, T1, T0, 0)]);
    // the divisor latch is not output
    asm.put(&[addi(T1, ZERO, 0x83), store(0, T1, T0, 3), store(0, T1, T0, 0), addi(T1, ZERO, 3), store(0, T1, T0, 3)]);
    asm.put(&[addi(T1, ZERO, i32::from(b'i')), sw(T1, T0, 0), load(4, T1, T0, 3)]).out(T1);
    let log = asm.exit().run();
    assert_eq!((log.summary.uart.as_slice(), log.out()), (b"hi".as_slice(), vec![0x60, 3]));
}

#[test]
fn clint_registers_read_back() {
    let mut asm = Asm::new();
    asm.li(S0, DATA).li(T0, CLINT).li(T1, 0xffff_ffff).put(&[sw(T1, T0, 0), lw(T2, T0, 0)]).out(T2);
    asm.li(T0, CLINT + 0x4000).li(T1, 0x89ab_cdef).put(&[sw(T1, T0, 4), sw(T0, T0, 0), lw(T2, T0, 4)]).out(T2);
    asm.put(&[lw(T2, T0, 0)]).out(T2).li(T0, CLINT + 0xbff8).put(&[sw(T1, T0, 4), lw(T2, T0, 4)]).out(T2);
    assert_eq!(asm.exit().run().out(), [1, 0x89ab_cdef, CLINT + 0x4000, 0x89ab_cdef]);
}
