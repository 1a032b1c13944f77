// A kernel for x86-64 (QEMU's machine `pc`), with two processes at the same address
//
// QEMU's BIOS enters it at its PVH entry, in 32-bit protected mode. It builds page tables for two processes, each with
// code of its own at USER, enters 64-bit mode, and runs them in user mode. A timer interrupts them, and the kernel
// switches between them. A process calls the system by `syscall` and by `int $0x80`, executes an undefined instruction, which
// is skipped, and loads from a page that is missing, which is mapped then. After ROUNDS switches, the kernel turns the
// machine off.
//
// Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 3; Xen's `docs/misc/pvh.pandoc`; data sheets of
// the 8259A and 8254.

    .set ROUNDS, 40
    .set USER, 0x400000
    .set STACK, 0x401000        // top of a process's stack; its page is that of the code
    .set LAZY, 0x402000         // the page that is missing at first
    .set KERNEL_CODE, 0x08
    .set KERNEL_DATA, 0x10
    .set USER_DATA, 0x1b
    .set USER_CODE, 0x23
    .set TASK, 0x28
    .set CODE32, 0x38

    .section .note.Xen, "a", @note
    .long 4, 4, 18
    .asciz "Xen"
    .long entry

    .section .text.entry, "ax"
    .code32
    .globl entry
entry:
    cli
    lgdt gdt_pointer
    ljmp $CODE32, $1f
1:  mov $KERNEL_DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $stack_top, %esp
    mov $table_a, %ebx
    mov $code_a, %ebp
    call build
    mov $table_b, %ebx
    mov $code_b, %ebp
    call build
    // PAE; LME and SCE; PG
    mov %cr4, %eax
    or $0x20, %eax
    mov %eax, %cr4
    mov $table_a, %eax
    mov %eax, %cr3
    mov $0xc0000080, %ecx
    rdmsr
    or $0x101, %eax
    wrmsr
    mov %cr0, %eax
    or $0x80000000, %eax
    mov %eax, %cr0
    ljmp $KERNEL_CODE, $long

// Page tables at ebx, for a process with its code at ebp: the first 2 MiB are the kernel's, alike in both
build:
    lea 0x1000(%ebx), %eax
    or $7, %eax
    mov %eax, (%ebx)
    lea 0x2000(%ebx), %eax
    or $7, %eax
    mov %eax, 0x1000(%ebx)
    movl $0x83, 0x2000(%ebx)    // 2 MiB at 0
    movl $0x200083, 0x2008(%ebx)
    lea 0x3000(%ebx), %eax
    or $7, %eax
    mov %eax, 0x2010(%ebx)      // USER is 4 MiB
    mov %ebp, %eax
    or $7, %eax
    mov %eax, 0x3000(%ebx)
    ret

    .code64
long:
    xor %eax, %eax
    mov %eax, %fs
    mov %eax, %gs
    // the task segment names the kernel's stack
    mov $task, %rax
    mov %ax, gdt_task + 2
    shr $16, %rax
    mov %al, gdt_task + 4
    mov %ah, gdt_task + 7
    mov $TASK, %eax
    ltr %ax
    // gates: undefined instruction, page fault, timer, system call
    mov $6, %edi
    mov $undefined, %rax
    mov $0x8e, %edx
    call gate
    mov $14, %edi
    mov $fault, %rax
    mov $0x8e, %edx
    call gate
    mov $32, %edi
    mov $timer, %rax
    mov $0x8e, %edx
    call gate
    mov $0x80, %edi
    mov $interrupt_call, %rax
    mov $0xee, %edx
    call gate
    lidt idt_pointer
    // syscall: segments, entry, and no interrupts
    mov $0xc0000081, %ecx
    xor %eax, %eax
    mov $(0x13 << 16 | KERNEL_CODE), %edx
    wrmsr
    mov $0xc0000082, %ecx
    mov $system_call, %eax
    xor %edx, %edx
    wrmsr
    mov $0xc0000084, %ecx
    mov $0x200, %eax
    wrmsr
    // interrupts 32 to 47, only that of the timer
    mov $0x11, %al
    out %al, $0x20
    out %al, $0xa0
    mov $32, %al
    out %al, $0x21
    mov $40, %al
    out %al, $0xa1
    mov $4, %al
    out %al, $0x21
    mov $2, %al
    out %al, $0xa1
    mov $1, %al
    out %al, $0x21
    out %al, $0xa1
    mov $0xfe, %al
    out %al, $0x21
    mov $0xff, %al
    out %al, $0xa1
    // 1.193 MHz / 1193
    mov $0x34, %al
    out %al, $0x43
    mov $(1193 & 255), %al
    out %al, $0x40
    mov $(1193 >> 8), %al
    out %al, $0x40
    mov $hello, %rsi
    call print
    // process B begins when it is switched to
    movq $USER, frame_b + 120
    movq $USER_CODE, frame_b + 128
    movq $0x202, frame_b + 136
    movq $STACK, frame_b + 144
    movq $USER_DATA, frame_b + 152
    pushq $USER_DATA
    pushq $STACK
    pushq $0x202
    pushq $USER_CODE
    pushq $USER
    iretq

// A gate of the IDT: number edi, handler rax, type dl
gate:
    shl $4, %edi
    add $idt, %rdi
    mov %ax, (%rdi)
    movw $KERNEL_CODE, 2(%rdi)
    movb $0, 4(%rdi)
    mov %dl, 5(%rdi)
    shr $16, %rax
    mov %ax, 6(%rdi)
    shr $16, %rax
    mov %eax, 8(%rdi)
    movl $0, 12(%rdi)
    ret

// Prints the text at rsi on the serial port
print:
    mov $0x3f8, %edx
1:  lodsb
    test %al, %al
    jz 2f
    out %al, %dx
    jmp 1b
2:  ret

undefined:
    addq $2, (%rsp)             // ud2
    incq undefined_count
    iretq

fault:
    push %rax
    push %rbx
    mov %cr3, %rax
    mov %cr2, %rbx
    shr $12, %rbx
    and $511, %ebx
    lea 0x3000(%rax, %rbx, 8), %rbx
    add $0x4000, %rax           // the page after the tables
    or $7, %rax
    mov %rax, (%rbx)
    incq fault_count
    pop %rbx
    pop %rax
    add $8, %rsp
    iretq

interrupt_call:
    incq interrupt_call_count
    iretq

system_call:
    mov %rsp, user_stack
    mov $stack_top, %rsp
    push %rcx
    push %r11
    call count_call
    pop %r11
    pop %rcx
    mov user_stack, %rsp
    sysretq

count_call:
    incq call_count
    ret

// Stores the process and runs the other one
timer:
    push %r15
    push %r14
    push %r13
    push %r12
    push %r11
    push %r10
    push %r9
    push %r8
    push %rbp
    push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %rbx
    push %rax
    mov $0x20, %al
    out %al, $0x20
    incq rounds
    cmpq $ROUNDS, rounds
    je off
    mov $frame_a, %rdi
    mov $frame_b, %rbx
    mov $table_b, %rdx
    testq $1, rounds
    jnz 1f
    xchg %rdi, %rbx
    mov $table_a, %rdx
1:  mov %rsp, %rsi
    mov $20, %ecx
    rep movsq
    mov %rdx, %cr3
    mov %rbx, %rsi
    mov %rsp, %rdi
    mov $20, %ecx
    rep movsq
    pop %rax
    pop %rbx
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    pop %rbp
    pop %r8
    pop %r9
    pop %r10
    pop %r11
    pop %r12
    pop %r13
    pop %r14
    pop %r15
    iretq

// All kinds of calls came: prints so, and turns the machine off
off:
    mov $bad, %rsi
    cmpq $2, undefined_count
    jb 1f
    cmpq $2, fault_count
    jne 1f
    cmpq $2, interrupt_call_count
    jb 1f
    cmpq $2, call_count
    jb 1f
    mov $good, %rsi
1:  call print
    mov $0x604, %edx            // PM1a control of the BIOS's ACPI: SLP_EN
    mov $0x2000, %eax
    out %ax, %dx
1:  hlt
    jmp 1b

    .section .rodata
hello:
    .asciz "x86: two processes\n"
good:
    .asciz "x86: ok\n"
bad:
    .asciz "x86: failed\n"

    .data
    .balign 8
gdt:
    .quad 0
    .quad 0x00af9b000000ffff    // code of 64 bits
    .quad 0x00cf93000000ffff    // data
    .quad 0x00cff3000000ffff    // data of processes
    .quad 0x00affb000000ffff    // code of processes
gdt_task:
    .quad 0x0000890000000067, 0
    .quad 0x00cf9b000000ffff    // code of 32 bits
gdt_end:
gdt_pointer:
    .word gdt_end - gdt - 1
    .quad gdt
idt_pointer:
    .word 4095
    .quad idt
    .balign 8
task:
    .long 0
    .quad stack_top
    .fill 96, 1, 0
rounds:
    .quad 0
undefined_count:
    .quad 0
fault_count:
    .quad 0
interrupt_call_count:
    .quad 0
call_count:
    .quad 0
user_stack:
    .quad 0

// The processes: a page each, with different code at USER
    .balign 4096
code_a:
    xor %ebx, %ebx
1:  inc %ebx
    mov %ebx, %eax
    and $255, %eax
    jnz 2f
    syscall
2:  and $8191, %eax
    cmp $77, %eax
    jne 1b
    ud2
    mov LAZY, %ecx
    int $0x80
    jmp 1b
    .balign 4096
code_b:
    mov $1, %ebx
1:  call 3f
    mov %ebx, %edi
    shr $28, %edi
    jnz 1b
    syscall
    mov LAZY + 8, %ecx
    ud2
    int $0x80
    jmp 1b
3:  imul $1664525, %ebx, %ebx
    add $1013904223, %ebx
    test $64, %bl
    jz 4f
    ret
4:  add $2, %ebx
    ret
    .balign 4096
    .fill 4096, 1, 0

    .bss
    .balign 4096
idt:
    .skip 4096
    .globl table_a, table_b
// root, two levels below it, the last level, and the page that is mapped late
table_a:
    .skip 5 * 4096
table_b:
    .skip 5 * 4096
frame_a:
    .skip 160
frame_b:
    .skip 160
    .balign 16
    .skip 4096
stack_top:
