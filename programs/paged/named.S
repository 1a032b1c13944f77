# Two processes with names, as a kernel keeps them: `running` points to the control block of the process that runs, 8 bytes after whose start
# is its name. In its second turn, the first process executes another program: it has other page tables and another name.
# Machine mode runs them in turn: shell, init, ls, init. Each turn retires 201 instructions in user mode, up to a system call.
    .section .text.init, "ax"
    .globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    li t0, -1               # all memory for user mode
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    # a page of 1 GiB at 0, of the memory from 0x80000000 on: valid, readable, executable, user, accessed
    li t0, 0x2000005b
    la t1, root_a
    sd t0, 0(t1)
    la t1, root_b
    sd t0, 0(t1)
    la t1, root_c
    sd t0, 0(t1)
    li s5, 0                # turns so far

turn:
    la s0, block_a
    la s1, root_a
    andi t0, s5, 1
    beqz t0, 1f
    la s0, block_b
    la s1, root_b
1:  li t0, 2
    bne s5, t0, 2f
    la s1, root_c
    li t0, 'l' | 's' << 8
    sd t0, 8(s0)
2:  la t0, running
    sd s0, 0(t0)
    srli s1, s1, 12
    li t0, 8 << 60
    or s1, s1, t0
    csrw satp, s1
    sfence.vma
    la t0, user
    li t1, 1 << 31
    sub t0, t0, t1
    csrw mepc, t0
    li t0, 3 << 11
    csrc mstatus, t0
    mret

    .balign 4
handler:
    addi s5, s5, 1
    li t0, 4
    bne s5, t0, turn
    la t0, running
    sd zero, 0(t0)
    li t0, 0x100000
    li t1, 0x5555
    sw t1, 0(t0)
1:  j 1b

user:
    li t0, 100
1:  addi t0, t0, -1
    bnez t0, 1b
    ecall

    .data
    .balign 8
running: .dword 0
block_a: .dword 0
    .asciz "shell"
    .balign 8
block_b: .dword 0
    .asciz "init"
    .bss
    .balign 4096
root_a: .space 4096
root_b: .space 4096
root_c: .space 4096
