# Start-up and trap entry of every hart, for RV64 with F and D; crt.S is for RV32.
#
# All harts enter at _start. Hart 0 clears .bss and runs rt_main, which opens boot_gate; the others wait for
# this and then run rt_secondary. Harts after the eighth have no stack and stay parked.

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

# Saves the caller-saved integer registers, and calls rt_trap(frame) with the frame of rt.h, whose registers have 32
# bits: only mepc, mstatus, mcause and mtval are filled in, and only mepc is restored from it. A handler must not use F
# and D.
    .text
    .balign 4
    .globl trap_entry
    .type trap_entry, @function
trap_entry:
    addi sp, sp, -(FRAME + 16*8)
    sd ra, FRAME+0*8(sp)
    sd t0, FRAME+1*8(sp)
    sd t1, FRAME+2*8(sp)
    sd t2, FRAME+3*8(sp)
    sd t3, FRAME+4*8(sp)
    sd t4, FRAME+5*8(sp)
    sd t5, FRAME+6*8(sp)
    sd t6, FRAME+7*8(sp)
    sd a0, FRAME+8*8(sp)
    sd a1, FRAME+9*8(sp)
    sd a2, FRAME+10*8(sp)
    sd a3, FRAME+11*8(sp)
    sd a4, FRAME+12*8(sp)
    sd a5, FRAME+13*8(sp)
    sd a6, FRAME+14*8(sp)
    sd a7, FRAME+15*8(sp)
    csrr t0, mepc
    csrr t1, mstatus
    csrr t2, mcause
    csrr t3, mtval
    srli t4, t2, 63                 # the interrupt bit goes to bit 31
    slli t4, t4, 31
    or t2, t2, t4
    sw t0, 32*4(sp)
    sw t1, 33*4(sp)
    sw t2, 34*4(sp)
    sw t3, 35*4(sp)
    mv a0, sp
    call rt_trap
    lwu t0, 32*4(sp)
    csrw mepc, t0
    ld ra, FRAME+0*8(sp)
    ld t0, FRAME+1*8(sp)
    ld t1, FRAME+2*8(sp)
    ld t2, FRAME+3*8(sp)
    ld t3, FRAME+4*8(sp)
    ld t4, FRAME+5*8(sp)
    ld t5, FRAME+6*8(sp)
    ld t6, FRAME+7*8(sp)
    ld a0, FRAME+8*8(sp)
    ld a1, FRAME+9*8(sp)
    ld a2, FRAME+10*8(sp)
    ld a3, FRAME+11*8(sp)
    ld a4, FRAME+12*8(sp)
    ld a5, FRAME+13*8(sp)
    ld a6, FRAME+14*8(sp)
    ld a7, FRAME+15*8(sp)
    addi sp, sp, FRAME + 16*8
    mret
    .size trap_entry, . - trap_entry

    .data
    .balign 4
    .globl boot_gate
boot_gate:
    .word 0                         # not in .bss: it is read before .bss is clear
