    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    call main
    slli a0, a0, 16
    li t1, 0x3333
    or a0, a0, t1
    li t0, 0x100000
    sw a0, 0(t0)
1:  j 1b
