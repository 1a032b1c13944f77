    # in front of main, which the linker puts in front of all other text
    .section .text.unlikely, "ax"
    .globl _start
_start:
    lla sp, stack
    call main
    li t0, 0x100000
    li t1, 0x5555
    sw t1, 0(t0)
1:  j 1b
    .bss
    .space 65536
stack:
