# Machine mode: starts the kernel in supervisor mode, and handles the timer, which supervisor mode lacks.
#
# The kernel requests its next tick by an ecall; the timer interrupt is then forwarded to supervisor mode.

    .equ CLINT_MTIMECMP, 0x02004000
    .equ CLINT_MTIME, 0x0200bff8
    .equ TICK, 2000                 # 200 us of QEMU's 10 MHz

    .section .text.init, "ax", @progbits
    .globl _start
_start:
    csrr t0, mhartid
    bnez t0, park
    la t0, machine_trap
    csrw mtvec, t0
    la t0, machine_save
    csrw mscratch, t0
    li t0, -1                       # supervisor mode may use all memory
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    li t0, 0xb1ff                   # delegated exceptions: all but ecalls of supervisor and machine mode
    csrw medeleg, t0
    li t0, 0x222
    csrw mideleg, t0
    li t0, 0x1800
    csrc mstatus, t0
    li t0, 0x0800                   # MPP: supervisor mode
    csrs mstatus, t0
    la t0, kernel_entry
    csrw mepc, t0
    mret

park:
    wfi
    j park

# An ecall of the kernel, or the timer.
    .balign 4
machine_trap:
    csrrw sp, mscratch, sp
    sd t0, 0(sp)
    sd t1, 8(sp)
    sd t2, 16(sp)
    csrr t0, mcause
    bltz t0, 1f
    li t1, 9
    bne t0, t1, park                # a fault in machine mode: must not happen
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    li t0, CLINT_MTIME
    ld t1, 0(t0)
    li t2, TICK
    add t1, t1, t2
    li t0, CLINT_MTIMECMP
    sd t1, 0(t0)
    li t0, 0x20                     # STIP off, MTIE on
    csrc mip, t0
    li t0, 0x80
    csrs mie, t0
    j 2f
1:  li t0, 0x80                     # MTIE off, STIP on
    csrc mie, t0
    li t0, 0x20
    csrs mip, t0
2:  ld t0, 0(sp)
    ld t1, 8(sp)
    ld t2, 16(sp)
    csrrw sp, mscratch, sp
    mret

    .section .bss
    .balign 16
machine_save:
    .skip 32
