# Calls main on hart 0, and ends the run with what it returns.
    .section .text.start, "ax"
    .globl _start
_start:
    csrr t0, mhartid
1:  bnez t0, 1b
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    # an argument that nothing before main writes is unknown to an event generator
    li a0, 0
    li a1, 0
    call main
    slli a0, a0, 16
    li t1, 0x3333
    or a0, a0, t1
    li t0, 0x100000
    sw a0, 0(t0)
2:  j 2b

# A function without a size that begins with its loop: counts a0 down.
    .globl count_down
count_down:
    addi a0, a0, -1
    bgtz a0, count_down
    ret

# Data between instructions, in which no instruction starts.
    .word 0x00000013
after_data:
    ret
