# Supervisor mode: the kernel's entry, its trap handler, and the entry into a process.

    .section .text
    .globl kernel_entry
kernel_entry:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, kernel_stack_end
    la t0, supervisor_trap
    csrw stvec, t0
    j kernel_main

    .macro each_register op
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \op x\n, 8*\n(sp)
    .endr
    .endm

# sscratch points to the saved registers of the process; traps come only from user mode.
    .balign 4
supervisor_trap:
    csrrw sp, sscratch, sp
    each_register sd
    csrr t0, sscratch
    sd t0, 16(sp)
    csrr t0, sepc
    sd t0, 0(sp)
    mv s0, sp
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, kernel_stack_end
    csrr a1, scause
    mv a0, s0
    call kernel_trap                # returns the next process

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

    .globl next_tick
next_tick:
    ecall
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
    .balign 16
    .skip 16384
kernel_stack_end:
