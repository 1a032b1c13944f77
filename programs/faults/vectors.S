# Every kind of trap: vectored interrupts, exceptions within handlers, an interrupt within a handler, and a handler whose first instruction is
# refused. s1 counts rounds, s2 is this hart's msip, s3 its mtimecmp, s4 the saved mepc of the outer handler, s5 the traps.
    .equ CLINT, 0x2000000
    .equ REFUSED, 64
    .text
    .globl main
    .type main, @function
main:
    li t0, CLINT
    slli t1, a0, 2
    add s2, t0, t1
    slli t1, a0, 3
    li t2, 0x4000
    add s3, t0, t2
    add s3, s3, t1
    li t0, -1
    sw t0, 0(s3)
    sw t0, 4(s3)
    li s1, 20
    li s5, 0
    la t0, vectors + 1
    csrw mtvec, t0
    li t0, 0x88
    csrw mie, t0
round:
    ecall
    addi t1, t1, 1
    .globl refused_load
refused_load:
    lw t1, REFUSED(zero)
    sw t1, REFUSED(zero)
    .4byte 0
    lr.w t1, (sp)
    addi t2, sp, 2
    amoadd.w t1, t1, (t2)
    # an exception whose handler raises one
    ebreak
    # an interrupt as soon as they are enabled, whose handler is refused
    la t0, refused_vectors + 1
    csrw mtvec, t0
    li t0, 1
    sw t0, 0(s2)
    csrsi mstatus, 8
1:  lw t0, 0(s2)
    bnez t0, 1b
after_refused:
    la t0, vectors + 1
    csrw mtvec, t0
    csrsi mstatus, 8
    # a timer interrupt, within which a software interrupt is taken, in a loop without loads
    li t0, CLINT + 0xbff8
    lw t1, 0(t0)
    addi t1, t1, 50
    li s6, 0
    sw t1, 0(s3)
    sw zero, 4(s3)
2:  addi t3, t3, 1
    beqz s6, 2b
    csrci mstatus, 8
    addi s1, s1, -1
    bnez s1, round
    li a0, 0
    ret
    .size main, . - main

    .balign 64
    .globl vectors
    .type vectors, @function
vectors:
    j exception
    nop
    nop
    j software
    nop
    nop
    nop
    j timer
    .size vectors, . - vectors

    .balign 64
    .globl refused_vectors
    .type refused_vectors, @function
refused_vectors:
    j exception
    nop
    nop
    .globl software_refused
software_refused:
    lw zero, REFUSED(zero)
    .size refused_vectors, . - refused_vectors

    .globl exception
    .type exception, @function
exception:
    addi s5, s5, 1
    csrr t0, mepc
    la t1, software_refused
    beq t0, t1, 2f
    csrr t2, mcause
    li t1, 3
    bne t2, t1, 1f
    # within the handler of ebreak: ecall
    mv s4, t0
    ecall
    mv t0, s4
1:  addi t0, t0, 4
    csrw mepc, t0
    mret
    # its mepc has replaced that of the interrupt
2:  sw zero, 0(s2)
    la t0, after_refused
    csrw mepc, t0
    mret
    .size exception, . - exception

    .globl timer
    .type timer, @function
timer:
    addi s5, s5, 1
    csrr s4, mepc
    li t0, -1
    sw t0, 4(s3)
    li s6, 1
    sw s6, 0(s2)
    csrsi mstatus, 8
3:  lw t0, 0(s2)
    bnez t0, 3b
    csrci mstatus, 8
    csrw mepc, s4
    li t0, 0x1880
    csrs mstatus, t0
    mret
    .size timer, . - timer

    .globl software
    .type software, @function
software:
    addi s5, s5, 1
    sw zero, 0(s2)
    mret
    .size software, . - software
