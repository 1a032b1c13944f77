# Entry of a program with a C library: main on one stack, then exit with what it returns
    .section .text.start, "ax"
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, main_stack + 0x10000
    la tp, __tls_start
    call main
    call _exit
    .size _start, . - _start

    .section .bss.stack, "aw", @nobits
    .balign 16
    .globl main_stack
    .type main_stack, @object
main_stack:
    .space 0x10000
    .size main_stack, 0x10000
