# A bootloader that copies itself out of the way, and then loads the payload over the place that it ran from
.option norvc
.globl _start
.equ AWAY, 0x100000
_start: la a0, _start
        li a1, AWAY
        add a1, a0, a1
        la a2, loaded
        call copy
        fence.i
        la t0, moved
        li t1, AWAY
        add t0, t0, t1
        jr t0
moved:  la a0, payload           # relative to the pc: the copy of the payload
        la a1, _start
        li t0, AWAY
        sub a1, a1, t0
        la a2, loaded
        call copy
        fence.i
        la t0, _start
        li t1, AWAY
        sub t0, t0, t1
        jr t0
# copies from a0 up to a2, to a1
copy:   lw t0, (a0)
        sw t0, (a1)
        addi a0, a0, 4
        addi a1, a1, 4
        bltu a0, a2, copy
        ret
payload: li a0, 7
1:      addi a0, a0, -1
        bnez a0, 1b
        li t0, 0x100000
        li t1, 0x5555
        sw t1, (t0)
2:      j 2b
loaded:
