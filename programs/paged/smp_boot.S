# A kernel for four harts, with machine mode below it: start-up, timer, traps, entry into a process. Of the frame of a process, entry 0 is
# its pc, 1 to 31 are its registers, and 32 is the hart that runs it.

    .equ CLINT_MTIMECMP, 0x02004000
    .equ CLINT_MTIME, 0x0200bff8
    .equ TICK, 50

    .section .text.init, "ax", @progbits
    .globl _start
_start:
    csrr tp, mhartid
    la t0, machine_trap
    csrw mtvec, t0
    la t0, machine_save
    slli t1, tp, 5
    add t0, t0, t1
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

# An ecall of the kernel, which requests the next tick, or the timer, which is forwarded to supervisor mode.
    .balign 4
machine_trap:
    csrrw sp, mscratch, sp
    sd t0, 0(sp)
    sd t1, 8(sp)
    sd t2, 16(sp)
    csrr t0, mcause
    bltz t0, 1f
    li t1, 9
    bne t0, t1, fault
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    li t0, CLINT_MTIME
    ld t1, 0(t0)
    addi t1, t1, TICK
    csrr t2, mhartid
    slli t2, t2, 3
    li t0, CLINT_MTIMECMP
    add t0, t0, t2
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
fault:
    j fault                         # a fault in machine mode: must not happen

    .text
kernel_entry:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la t0, supervisor_trap
    csrw stvec, t0
    call stack
    j kernel_main

# the kernel's stack of this hart
stack:
    la sp, stacks
    addi t0, tp, 1
    slli t0, t0, 12
    add sp, sp, t0
    ret

    .macro each_register op
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op x\n, 8*\n(sp)
    .endr
    .endm

# sscratch points to the frame of the process; traps come only from user mode
    .balign 4
supervisor_trap:
    csrrw sp, sscratch, sp
    each_register sd
    csrr t0, sscratch
    sd t0, 16(sp)
    csrr t0, sepc
    sd t0, 0(sp)
    ld tp, 256(sp)
    mv a0, sp
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    call stack
    csrr a1, scause
    mv a2, tp
    call kernel_trap                # returns the frame of the next process

# enter(frame): resumes a process
    .globl enter
enter:
    mv sp, a0
    csrw sscratch, sp
    ld t0, 0(sp)
    csrw sepc, t0
    each_register ld
    ld sp, 16(sp)
    sret

    .globl next_tick, hart_of_this
next_tick:
    ecall
    ret
hart_of_this:
    mv a0, tp
    ret

    .section .rodata
    .balign 4096
    .globl image_a, image_a_end, image_b, image_b_end
image_a:
    .incbin "a.bin"
image_a_end:
    .balign 4096
image_b:
    .incbin "b.bin"
image_b_end:
    .balign 8

    .section .bss
    .balign 4096
stacks:
    .skip 4 * 4096
machine_save:
    .skip 4 * 32
