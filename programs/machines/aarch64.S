// A kernel for AArch64 (QEMU's machine `virt`), with two processes at the same address
//
// QEMU enters it at exception level 1. It builds page tables for two processes (ASID 1 and 2), each with code of its own at USER,
// and runs them at exception level 0. The generic timer interrupts them, and the kernel switches between them. A process
// calls the system, executes an undefined instruction, which is skipped, and loads from a page that is missing, which is
// mapped then. After ROUNDS switches, the kernel turns the machine off.
//
// Sources: Arm Architecture Reference Manual (DDI 0487), D1.3, D8; Arm Generic Interrupt Controller version 2 (IHI 0048);
// Power State Coordination Interface (DEN 0022).

    .set ROUNDS, 40
    .set USER, 0x400000
    .set STACK, 0x402000        // top of the stack of a process, in the page after its code
    .set LAZY, 0x403000         // the page that is missing at first
    .set UART, 0x09000000
    .set GICD, 0x08000000
    .set GICC, 0x08010000
    .set TIMER, 27              // virtual timer

    .section .text.entry, "ax"
    .globl entry
entry:
    ldr x0, =stack_top
    mov sp, x0
    ldr x0, =table_a
    ldr x1, =code_a
    bl build
    ldr x0, =table_b
    ldr x1, =code_b
    bl build
    // upper addresses are not translated; 39 bits of address, pages of 4 KiB, 40 bits of physical address
    ldr x0, =(25 | 1 << 8 | 1 << 10 | 3 << 12 | 1 << 23 | 25 << 16 | 2 << 32)
    msr tcr_el1, x0
    mov x0, #0xff               // attribute 0: memory
    msr mair_el1, x0
    ldr x0, =table_a
    orr x0, x0, #(1 << 48)
    msr ttbr0_el1, x0
    ldr x0, =vectors
    msr vbar_el1, x0
    isb
    mrs x0, sctlr_el1
    orr x0, x0, #1
    msr sctlr_el1, x0
    isb
    // the timer's interrupt
    ldr x0, =GICD
    mov w1, #1
    str w1, [x0]
    ldr w1, =(1 << TIMER)
    str w1, [x0, #0x100]
    ldr x0, =GICC
    mov w1, #0xff
    str w1, [x0, #4]
    mov w1, #1
    str w1, [x0]
    bl again
    mov x0, #1
    msr cntv_ctl_el0, x0
    ldr x0, =hello
    bl print
    // process B begins when it is switched to
    ldr x0, =frame_b
    ldr x1, =USER
    ldr x2, =STACK
    stp x1, xzr, [x0, #248]
    str x2, [x0, #264]
    msr elr_el1, x1
    msr sp_el0, x2
    msr spsr_el1, xzr
    eret

// Page tables at x0, for a process with its code at x1: blocks of 1 GiB for devices and kernel, 2 pages of the process
build:
    mov x2, #(1 << 10 | 1)      // accessed, block
    add x3, x0, #0x1000
    orr x3, x3, #3
    str x3, [x0]
    mov x4, #0x40000000
    orr x4, x4, x2
    str x4, [x0, #8]
    // devices from 128 MiB on, in blocks of 2 MiB
    mov x5, #0x08000000
    mov x6, #64
1:  lsr x7, x5, #21
    orr x8, x5, x2
    add x9, x0, #0x1000
    str x8, [x9, x7, lsl #3]
    add x5, x5, #0x200000
    subs x6, x6, #1
    b.ne 1b
    add x3, x0, #0x2000
    orr x3, x3, #3
    str x3, [x9, #16]           // USER is 4 MiB
    add x9, x0, #0x2000
    mov x2, #(1 << 11 | 1 << 10 | 1 << 6 | 3)  // of this ASID, accessed, for level 0
    orr x3, x1, x2
    str x3, [x9]
    add x1, x1, #0x1000
    orr x3, x1, x2
    str x3, [x9, #8]
    ret

// The next interrupt of the timer: after 1 / 1024 s
again:
    mrs x0, cntfrq_el0
    lsr x0, x0, #10
    msr cntv_tval_el0, x0
    ret

// Prints the text at x0
print:
    ldr x1, =UART
1:  ldrb w2, [x0], #1
    cbz w2, 2f
    str w2, [x1]
    b 1b
2:  ret

    .balign 2048
vectors:
    .rept 8
    b failed
    .balign 128
    .endr
    b called                    // of level 0
    .balign 128
    b timer
    .balign 128
    .rept 6
    b failed
    .balign 128
    .endr

failed:
    ldr x0, =bad
    b off

// A system call, an undefined instruction, or a missing page
called:
    stp x0, x1, [sp, #-16]!
    stp x2, x3, [sp, #-16]!
    mrs x0, esr_el1
    lsr x0, x0, #26
    ldr x2, =counts
    ldr x1, [x2, x0, lsl #3]
    add x1, x1, #1
    str x1, [x2, x0, lsl #3]
    cbnz x0, 1f
    mrs x0, elr_el1             // undefined
    add x0, x0, #4
    msr elr_el1, x0
    b 2f
1:  cmp x0, #0x24
    b.ne 2f
    mrs x0, ttbr0_el1
    and x0, x0, #0xfffffffff000
    add x1, x0, #0x3000         // the page after the tables
    mov x2, #(1 << 11 | 1 << 10 | 1 << 6 | 3)
    orr x1, x1, x2
    add x0, x0, #0x2000
    str x1, [x0, #24]
    dsb ish
2:  ldp x2, x3, [sp], #16
    ldp x0, x1, [sp], #16
    eret

// Stores the process and runs the other one: x0 to x30, pc, flags, sp
timer:
    sub sp, sp, #272
    stp x0, x1, [sp]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x9, [sp, #64]
    stp x10, x11, [sp, #80]
    str x30, [sp, #240]
    mrs x0, elr_el1
    mrs x1, spsr_el1
    stp x0, x1, [sp, #248]
    mrs x0, sp_el0
    str x0, [sp, #264]
    ldr x0, =GICC
    ldr w1, [x0, #12]
    str w1, [x0, #16]
    bl again
    ldr x0, =rounds
    ldr x1, [x0]
    add x1, x1, #1
    str x1, [x0]
    cmp x1, #ROUNDS
    b.eq done
    ldr x2, =frame_a
    ldr x3, =frame_b
    ldr x4, =table_b
    orr x4, x4, #(2 << 48)
    tbnz x1, #0, 1f
    mov x5, x2
    mov x2, x3
    mov x3, x5
    ldr x4, =table_a
    orr x4, x4, #(1 << 48)
1:  mov x6, sp
    mov x7, #34
2:  ldr x8, [x6]
    str x8, [x2], #8
    ldr x8, [x3], #8
    str x8, [x6], #8
    subs x7, x7, #1
    b.ne 2b
    msr ttbr0_el1, x4
    isb
    ldp x0, x1, [sp, #248]
    msr elr_el1, x0
    msr spsr_el1, x1
    ldr x0, [sp, #264]
    msr sp_el0, x0
    ldr x30, [sp, #240]
    ldp x10, x11, [sp, #80]
    ldp x8, x9, [sp, #64]
    ldp x6, x7, [sp, #48]
    ldp x4, x5, [sp, #32]
    ldp x2, x3, [sp, #16]
    ldp x0, x1, [sp]
    add sp, sp, #272
    eret

// All kinds of exceptions came: prints so, and turns the machine off
done:
    ldr x0, =bad
    ldr x2, =counts
    ldr x1, [x2]
    cmp x1, #2
    b.lo off
    ldr x1, [x2, #0x15 * 8]
    cmp x1, #2
    b.lo off
    ldr x1, [x2, #0x24 * 8]
    cmp x1, #2
    b.ne off
    ldr x0, =good
off:
    bl print
    ldr w0, =0x84000008         // SYSTEM_OFF
    hvc #0
1:  wfi
    b 1b

    .section .rodata
hello:
    .asciz "aarch64: two processes\n"
good:
    .asciz "aarch64: ok\n"
bad:
    .asciz "aarch64: failed\n"

    .data
    .balign 8
rounds:
    .quad 0

// The processes: a page of code each, which differ, and one for the stack. They use x0 to x11 only.
    .balign 4096
code_a:
    mov w1, #0
1:  add w1, w1, #1
    ands w2, w1, #255
    b.ne 1b
    svc #0
    and w2, w1, #1023
    cbnz w2, 1b
    udf #0
    ldr x3, =LAZY
    ldr w4, [x3]
    b 1b
    .ltorg
    .balign 4096
    .skip 4096
code_b:
    ldr w1, =12345
    ldr w2, =1664525
    ldr w3, =1013904223
    ldr x5, =LAZY
1:  bl 3f
    lsr w4, w1, #26
    cbnz w4, 1b
    svc #1
    ldr w4, [x5, #8]
    udf #1
    b 1b
3:  madd w1, w1, w2, w3
    tbz w1, #6, 4f
    ret
4:  add w1, w1, #2
    ret
    .ltorg
    .balign 4096
    .skip 4096

    .bss
    .balign 4096
// root, last but one level, last level, and the page that is mapped late
table_a:
    .skip 4 * 4096
table_b:
    .skip 4 * 4096
counts:
    .skip 64 * 8
frame_a:
    .skip 272
frame_b:
    .skip 272
    .balign 16
    .skip 4096
stack_top:
