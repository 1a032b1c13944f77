# Code that runs once, whose memory is then reused: for data, and for code that is written there later
.option norvc
.globl _start
_start: la sp, stack
        jal init
        la a0, init
        la a1, init_end
        la a2, later
1:      sw zero, (a0)            # the memory is freed
        addi a0, a0, 4
        bltu a0, a1, 1b
        la a0, init
        la a3, later_end
2:      lw t0, (a2)              # and given to other code
        sw t0, (a0)
        addi a0, a0, 4
        addi a2, a2, 4
        bltu a2, a3, 2b
        fence.i
        li s0, 5
3:      jal init
        addi s0, s0, -1
        bnez s0, 3b
        li t0, 0x100000
        li t1, 0x5555
        sw t1, (t0)
4:      j 4b
init:   li a0, 3
5:      addi a0, a0, -1
        bnez a0, 5b
        addi a1, a1, 1
        ret
init_end:
later:  addi a1, a1, 2
        beqz zero, 6f
        nop
6:      ret
later_end:
        .space 64
stack:
