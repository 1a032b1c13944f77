# Entry of a test program: main(), then the exit of QEMU's `virt` board with its result
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_main_end
    call main
    slli a0, a0, 16
    li t1, 0x3333
    or a0, a0, t1
    bne a0, t1, 1f
    li a0, 0x5555
1:  li t0, 0x100000
    sw a0, 0(t0)
2:  j 2b
    .size _start, . - _start

    .section .bss.stacks, "aw", @nobits
    .balign 16
    .globl stack_main
    .type stack_main, @object
stack_main:
    .space 0x100000
    .size stack_main, . - stack_main
stack_main_end:
