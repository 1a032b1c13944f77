    .section .text.init, "ax", @progbits
    .globl _start
_start:
#ifdef __riscv_zicsr
    # cores of a cluster have one reset address
    csrr a0, mhartid
    j 1f
#else
    li a0, 0
    j 1f
    # reset address of a second core: soc.py places it here
    .balign 16
    li a0, 1
#endif
1:  .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_end
    # 4 KiB of stack for each core
    slli t0, a0, 12
    sub sp, sp, t0
    bnez a0, 3f
    la t0, __bss_start
    la t1, __bss_end
2:  bgeu t0, t1, 3f
    sw zero, 0(t0)
    addi t0, t0, 4
    j 2b
3:  j main
