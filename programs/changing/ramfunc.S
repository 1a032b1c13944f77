# A function in RAM, whose load address follows the code in ROM
.option norvc
.globl _start
.text
_start: la t0, fast_load
        la t1, fast
        la t2, fast_end
1:      lw t3, (t0)
        sw t3, (t1)
        addi t0, t0, 4
        addi t1, t1, 4
        bltu t1, t2, 1b
        fence.i
        la t0, fast
        jalr t0
        li t0, 0x100000
        li t1, 0x5555
        sw t1, (t0)
2:      j 2b
.section .ram, "ax"
fast:   li a0, 5
3:      addi a0, a0, -1
        bnez a0, 3b
        ret
fast_end:
