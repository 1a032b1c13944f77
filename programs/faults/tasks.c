/* A small real-time system with the names of FreeRTOS: control blocks with names, and a pointer to that of the running task. A timer and
   `ecall` switch between two workers and an idle task */
#include "faults.h"

#define MTIMECMP ((volatile uint32_t *)0x2004000)
#define MTIME (*(volatile uint32_t *)0x200bff8)

typedef struct tskTaskControlBlock {
    uintptr_t pxTopOfStack;
    uint32_t uxPriority;
    char pcTaskName[16];
} TCB_t;

TCB_t *volatile pxCurrentTCB;

static TCB_t blocks[3];
static char stack_fast[2048] __attribute__((aligned(16))), stack_slow[2048] __attribute__((aligned(16))),
    stack_idle[2048] __attribute__((aligned(16)));
static volatile uint32_t sum;
static int now, switches;

void trap_entry(void);
void task_start(uintptr_t sp) __attribute__((noreturn));

static void timer_in(uint32_t cycles)
{
    MTIMECMP[1] = 0xffffffff;
    MTIMECMP[0] = MTIME + cycles;
    MTIMECMP[1] = 0;
}

uintptr_t pick(uintptr_t sp)
{
    pxCurrentTCB->pxTopOfStack = sp;
    if (++switches > 90)
        *(volatile uint32_t *)0x100000 = 0x5555;
    now = (now + 1) % 3;
    timer_in(100 + 50 * now);
    pxCurrentTCB = &blocks[now];
    return pxCurrentTCB->pxTopOfStack;
}

static NOINLINE void work(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 31 + i;
}

static void fast(void)
{
    for (;;) {
        work(3);
        __asm__ volatile("ecall" ::: "memory");
    }
}

static void slow(void)
{
    for (;;)
        work(50);
}

static void idle(void)
{
    for (;;)
        work(1);
}

static void make(int task, const char *name, char *top, void (*entry)(void))
{
    uintptr_t *frame = (uintptr_t *)(top - 128);
    frame[0] = (uintptr_t)entry;
    blocks[task].pxTopOfStack = (uintptr_t)frame;
    for (int i = 0; name[i]; i++)
        blocks[task].pcTaskName[i] = name[i];
}

int main(int hart)
{
    if (hart)
        return 0;
    make(0, "fast", stack_fast + sizeof stack_fast, fast);
    make(1, "slow", stack_slow + sizeof stack_slow, slow);
    make(2, "IDLE", stack_idle + sizeof stack_idle, idle);
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1" ::"r"(trap_entry), "r"(0x80));
    pxCurrentTCB = &blocks[0];
    timer_in(100);
    task_start(blocks[0].pxTopOfStack);
}
