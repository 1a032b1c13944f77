# setjmp, longjmp, and a switch of stacks
    .macro save at
    sw ra, 0(\at)
    sw sp, 4(\at)
    sw s0, 8(\at)
    sw s1, 12(\at)
    sw s2, 16(\at)
    sw s3, 20(\at)
    sw s4, 24(\at)
    sw s5, 28(\at)
    sw s6, 32(\at)
    sw s7, 36(\at)
    sw s8, 40(\at)
    sw s9, 44(\at)
    sw s10, 48(\at)
    sw s11, 52(\at)
    .endm
    .macro restore at
    lw ra, 0(\at)
    lw sp, 4(\at)
    lw s0, 8(\at)
    lw s1, 12(\at)
    lw s2, 16(\at)
    lw s3, 20(\at)
    lw s4, 24(\at)
    lw s5, 28(\at)
    lw s6, 32(\at)
    lw s7, 36(\at)
    lw s8, 40(\at)
    lw s9, 44(\at)
    lw s10, 48(\at)
    lw s11, 52(\at)
    .endm

    .text
    .globl save_context
    .type save_context, @function
save_context:
    save a0
    li a0, 0
    ret
    .size save_context, . - save_context

    .globl restore_context
    .type restore_context, @function
restore_context:
    restore a0
    mv a0, a1
    ret
    .size restore_context, . - restore_context

    .globl switch_context
    .type switch_context, @function
switch_context:
    save a0
    restore a1
    ret
    .size switch_context, . - switch_context
