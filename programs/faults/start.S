# Entry of a test program: main(hart) on a stack of its own for each hart; hart 0 ends the run with what main returns, on QEMU's `virt` board
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_hart0
    slli t0, a0, 13
    add sp, sp, t0
    li t0, 0x2000
    add sp, sp, t0
    mv s0, a0
    call main
    bnez s0, 2f
    slli a0, a0, 16
    li t1, 0x3333
    or a0, a0, t1
    bne a0, t1, 1f
    li a0, 0x5555
1:  li t0, 0x100000
    sw a0, 0(t0)
2:  wfi
    j 2b
    .size _start, . - _start

    .section .bss.stacks, "aw", @nobits
    .balign 16
    .irp hart, 0, 1, 2, 3
    .globl stack_hart\hart
    .type stack_hart\hart, @object
stack_hart\hart:
    .space 0x2000
    .size stack_hart\hart, 0x2000
    .endr
