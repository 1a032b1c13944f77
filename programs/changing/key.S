# Self-patching code: the first instruction of `work` is a nop, for three calls a jump to `cold`, then a nop again
.option norvc
.globl _start
.type work, @function
.type cold, @function
_start: li s0, 9
        la s1, work
        lw s2, (s1)
        la t0, jump
        lw s3, (t0)
call:   li t0, 6
        bne s0, t0, 1f
        sw s3, (s1)
        fence.i
1:      li t0, 3
        bne s0, t0, 2f
        sw s2, (s1)
        fence.i
2:      jal work
        addi s0, s0, -1
        bnez s0, call
        li t0, 0x100000
        li t1, 0x5555
        sw t1, (t0)
3:      j 3b
work:   nop
        addi a0, a0, 1
        ret
.size work, . - work
cold:   addi a1, a1, 1
        ret
.size cold, . - cold
jump:   .word 0x00c0006f     # j .+12
