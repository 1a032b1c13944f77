# Start-up and trap entry of every hart.
#
# All harts enter at _start. Hart 0 clears .bss and runs rt_main, which opens boot_gate; the others wait for
# this and then run rt_secondary. Harts after the eighth have no stack and stay parked.

#include "platform.h"

    .equ STACK_SHIFT, 16            # 64 KiB of stack for each hart, as in link.ld
    .equ MAX_HARTS, 8
    .equ FRAME, 36 * 4              # struct trap_frame of rt.h

    .section .text.init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
#ifdef __riscv_zicsr
    csrw mie, zero
#endif
#ifdef SOC
    li s0, SYSTEM_HART
    lw s0, 0(s0)
#else
    csrr s0, mhartid
#endif
    li t0, MAX_HARTS
    bgeu s0, t0, park
    la sp, __stacks_end
    slli t0, s0, STACK_SHIFT
    sub sp, sp, t0
#ifdef __riscv_zicsr
#ifdef SOC
    la t0, trap_vectors
#else
    la t0, trap_entry
#endif
    csrw mtvec, t0
#ifdef TIMER_ONLY
    csrw mepc, t0                   # an interrupt on serv does not change bits 31:30
#endif
#endif
    bnez s0, 3f

    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 1b
2:  call rt_main

3:  la t0, boot_gate
4:  lw t1, 0(t0)
    beqz t1, 4b
    fence rw, rw
    mv a0, s0
    call rt_secondary

    .globl park
    .type park, @function
park:
#ifdef __riscv_zicsr
    csrw mie, zero
#endif
#if defined(__riscv_zicsr) && !defined(TIMER_ONLY)
5:  wfi
    j 5b
#else
5:  j 5b
#endif
    .size _start, . - _start

#ifdef __riscv_zicsr
#ifdef SOC
# ibex has a vector table with an entry per cause, at a multiple of 256.
    .text
    .balign 256
    .option push
    .option norvc
trap_vectors:
    .rept 16
    j trap_entry
    .endr
    .option pop
#endif

# Saves all integer registers on the current stack, so that a handler may enable interrupts or
# cause an exception itself, and calls rt_trap(frame).
    .text
    .balign 4
    .globl trap_entry
    .type trap_entry, @function
trap_entry:
    addi sp, sp, -FRAME
    sw x1, 1*4(sp)
    sw x3, 3*4(sp)
    sw x4, 4*4(sp)
    sw x5, 5*4(sp)
    sw x6, 6*4(sp)
    sw x7, 7*4(sp)
    sw x8, 8*4(sp)
    sw x9, 9*4(sp)
    sw x10, 10*4(sp)
    sw x11, 11*4(sp)
    sw x12, 12*4(sp)
    sw x13, 13*4(sp)
    sw x14, 14*4(sp)
    sw x15, 15*4(sp)
    sw x16, 16*4(sp)
    sw x17, 17*4(sp)
    sw x18, 18*4(sp)
    sw x19, 19*4(sp)
    sw x20, 20*4(sp)
    sw x21, 21*4(sp)
    sw x22, 22*4(sp)
    sw x23, 23*4(sp)
    sw x24, 24*4(sp)
    sw x25, 25*4(sp)
    sw x26, 26*4(sp)
    sw x27, 27*4(sp)
    sw x28, 28*4(sp)
    sw x29, 29*4(sp)
    sw x30, 30*4(sp)
    sw x31, 31*4(sp)
    addi t0, sp, FRAME
    sw t0, 2*4(sp)
    csrr t0, mepc
    csrr t1, mstatus
    csrr t2, mcause
    csrr t3, mtval
    sw t0, 32*4(sp)
    sw t1, 33*4(sp)
    sw t2, 34*4(sp)
    sw t3, 35*4(sp)
    mv a0, sp
    call rt_trap
    csrci mstatus, 8                # a handler may have left interrupts enabled
    lw t0, 32*4(sp)
    lw t1, 33*4(sp)
    csrw mepc, t0
    csrw mstatus, t1
    lw x1, 1*4(sp)
    lw x3, 3*4(sp)
    lw x4, 4*4(sp)
    lw x5, 5*4(sp)
    lw x6, 6*4(sp)
    lw x7, 7*4(sp)
    lw x8, 8*4(sp)
    lw x9, 9*4(sp)
    lw x10, 10*4(sp)
    lw x11, 11*4(sp)
    lw x12, 12*4(sp)
    lw x13, 13*4(sp)
    lw x14, 14*4(sp)
    lw x15, 15*4(sp)
    lw x16, 16*4(sp)
    lw x17, 17*4(sp)
    lw x18, 18*4(sp)
    lw x19, 19*4(sp)
    lw x20, 20*4(sp)
    lw x21, 21*4(sp)
    lw x22, 22*4(sp)
    lw x23, 23*4(sp)
    lw x24, 24*4(sp)
    lw x25, 25*4(sp)
    lw x26, 26*4(sp)
    lw x27, 27*4(sp)
    lw x28, 28*4(sp)
    lw x29, 29*4(sp)
    lw x30, 30*4(sp)
    lw x31, 31*4(sp)
    lw x2, 2*4(sp)
    mret
    .size trap_entry, . - trap_entry
#endif

    .data
    .balign 4
    .globl boot_gate
boot_gate:
    .word 0                         # not in .bss: it is read before .bss is clear
