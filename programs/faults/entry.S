# As switcher.S, with the number of instructions at the entry of the handler in `entered`
    .text
    .globl trap_entry
    .type trap_entry, @function
    .balign 4
trap_entry:
    addi sp, sp, -128
    sw t0, 20(sp)
    csrr t0, minstret
    .irp n, 1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    sw x\n, 4 * \n(sp)
    .endr
    addi t0, t0, -2
    la t1, entered
    sw t0, 0(t1)
    csrr a0, mepc
    csrr a1, mcause
    bltz a1, 1f
    addi a0, a0, 4
1:  sw a0, 0(sp)
    mv a0, sp
    call schedule
    .globl task_start
    .type task_start, @function
    j task_start
    .size trap_entry, . - trap_entry
task_start:
    mv sp, a0
    lw a0, 0(sp)
    csrw mepc, a0
    li a0, 0x1880
    csrw mstatus, a0
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    lw x\n, 4 * \n(sp)
    .endr
    addi sp, sp, 128
    mret
    .size task_start, . - task_start
