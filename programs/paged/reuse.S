# Two processes, of which the first ends and gives the root of its page tables to a third: `satp` is the same, without ASIDs.
# Machine mode runs them in turn: 1, 2, 3, 2, 3. Each run retires 201 instructions in user mode, up to a system call.
    .section .text.init, "ax"
    .globl _start
_start:
    la t0, handler
    csrw mtvec, t0
    li t0, -1               # all memory for user mode
    csrw pmpaddr0, t0
    li t0, 0x1f
    csrw pmpcfg0, t0
    la s0, root_a
    la s1, root_b
    la s2, middle_1
    la s3, middle_2
    la s4, middle_3
    # a page of 2 MiB with the code: valid, readable, executable, user, accessed
    la t0, user
    srli t0, t0, 12
    slli t0, t0, 10
    ori t0, t0, 0x5b
    sd t0, 0(s2)
    sd t0, 0(s3)
    sd t0, 0(s4)
    mv a0, s0
    mv a1, s2
    call point
    mv a0, s1
    mv a1, s3
    call point
    li s5, 0                # runs so far
    mv a0, s0
    j enter

# The first entry of the root a0 points to the table a1.
point:
    srli a1, a1, 12
    slli a1, a1, 10
    ori a1, a1, 1
    sd a1, 0(a0)
    ret

# User mode, with the root a0.
enter:
    srli a0, a0, 12
    li t0, 8 << 60
    or a0, a0, t0
    csrw satp, a0
    sfence.vma
    csrw mepc, zero
    li t0, 3 << 11
    csrc mstatus, t0
    mret

    .balign 4
handler:
    addi s5, s5, 1
    li t0, 5
    beq s5, t0, end
    andi t0, s5, 1
    mv a0, s1
    bnez t0, enter
    # the root of the first process, after it has ended
    mv a0, s0
    mv a1, s4
    call point
    mv a0, s0
    j enter

end:
    li t0, 0x100000
    li t1, 0x5555
    sw t1, 0(t0)
1:  j 1b

    .section .user, "ax"
user:
    li t0, 100
1:  addi t0, t0, -1
    bnez t0, 1b
    ecall

    .bss
    .balign 4096
root_a: .space 4096
root_b: .space 4096
middle_1: .space 4096
middle_2: .space 4096
middle_3: .space 4096
