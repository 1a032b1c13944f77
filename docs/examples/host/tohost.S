# Prints a line and ends with code 7, by tohost

    .section .text.start, "ax"
    .globl _start
_start:
    la t0, tohost
    la t2, text
next:
    lbu a0, (t2)
    beqz a0, end
wait:
    lw t1, 0(t0)
    bnez t1, wait
    lw t1, 4(t0)
    bnez t1, wait
    sw a0, 0(t0)
    li t1, 0x01010000
    sw t1, 4(t0)
    addi t2, t2, 1
    j next
end:
    li a0, 7 << 1 | 1
    sw a0, 0(t0)
    sw x0, 4(t0)
1:  j 1b

    .data
text:
    .asciz "by tohost\n"

    .section .tohost, "aw"
    .align 6
    .globl tohost
    .type tohost, @object
    .size tohost, 8
tohost:
    .dword 0
    .align 6
    .globl fromhost
    .type fromhost, @object
    .size fromhost, 8
fromhost:
    .dword 0
