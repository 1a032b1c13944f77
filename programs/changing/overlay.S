# Two overlays that take turns at one address, six times
.option norvc
.globl _start
_start: li s0, 6
again:  andi t0, s0, 1
        la a0, first
        bnez t0, 1f
        la a0, second
1:      la a1, place
        addi a2, a1, 24
2:      lw t0, (a0)
        sw t0, (a1)
        addi a0, a0, 4
        addi a1, a1, 4
        bltu a1, a2, 2b
        fence.i
        jal place
        addi s0, s0, -1
        bnez s0, again
        li t0, 0x100000
        li t1, 0x5555
        sw t1, (t0)
3:      j 3b
first:  li a0, 4
4:      addi a0, a0, -1
        bnez a0, 4b
        ret
        nop
        nop
second: addi a1, a1, 1
        beqz x0, 5f
        nop
5:      addi a1, a1, 2
        addi a1, a1, 3
        ret
place:  .space 24
