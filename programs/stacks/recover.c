/* Exceptions whose handler goes elsewhere: over the instruction, on in a caller, and out of a check that failed */
#include "stacks.h"

static struct context place;
static int mode;

static NOINLINE void fix(uintptr_t *pc)
{
    work(2);
    if (mode == 0)
        *pc += 4;
}

__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
    uintptr_t epc;
    __asm__ volatile("csrr %0, mepc" : "=r"(epc));
    fix(&epc);
    if (mode == 1)
        restore_context(&place, 1);
    __asm__ volatile("csrw mepc, %0" ::"r"(epc));
}

static NOINLINE void touch(void)
{
    work(1);
    __asm__ volatile(".option push\n .option norvc\n ecall\n .option pop" ::: "memory");
    work(1);
}

static NOINLINE void outer(int n)
{
    if (n)
        outer(n - 1);
    else
        touch();
    work(1);
}

static NOINLINE void guarded(int n)
{
    if (save_context(&place) == 0)
        outer(n);
    work(3);
}

int main(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(handler));
    for (int i = 0; i < 30; i++) {
        mode = i & 1;
        guarded(i % 5);
        work(2);
    }
    return 0;
}
