# Start-up and trap entry of every hart, RV64 with F and D; crt.S is that of RV32.
#
# All harts enter at _start. Hart 0 clears .bss and runs rt_main, which opens boot_gate; the others wait for
# that and then run rt_secondary. Harts past the eighth have no stack and stay parked.

    .equ STACK_SHIFT, 16            # 64 KiB of stack for each hart, as in link.ld
    .equ MAX_HARTS, 8

    .section .text.init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    csrw mie, zero
    li t0, 0x6000                   # mstatus.FS: F and D are on
    csrs mstatus, t0
    csrr s0, mhartid
    li t0, MAX_HARTS
    bgeu s0, t0, park
    la sp, __stacks_end
    slli t0, s0, STACK_SHIFT
    sub sp, sp, t0
    la t0, trap_entry
    csrw mtvec, t0
    bnez s0, 3f

    la t0, __bss_start
    la t1, __bss_end
1:  bgeu t0, t1, 2f
    sd zero, 0(t0)
    addi t0, t0, 8
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
    csrw mie, zero
5:  wfi
    j 5b
    .size _start, . - _start

# A trap is an error of the program: it ends with code 64 + cause.
    .text
    .balign 4
    .globl trap_entry
    .type trap_entry, @function
trap_entry:
    csrr a0, mcause
    andi a0, a0, 63
    addi a0, a0, 64
    call exit
    .size trap_entry, . - trap_entry

    .data
    .balign 4
    .globl boot_gate
boot_gate:
    .word 0                         # not in .bss: it is read before .bss is clear
