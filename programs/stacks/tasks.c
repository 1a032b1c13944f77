/* A small real-time system: three tasks, two of them of one function, switched by a timer and by `ecall` */
#include "stacks.h"

STACK(one);
STACK(two);
STACK(three);
static uintptr_t tasks[3];
static int now, switches;

void trap_entry(void);
void task_start(uintptr_t sp) __attribute__((noreturn));

static NOINLINE void end(void)
{
    *(volatile uint32_t *)0x100000 = 0x5555;
}

uintptr_t pick(uintptr_t sp)
{
    tasks[now] = sp;
    if (++switches > 150)
        end();
    now = (now * 5 + switches) % 3;
    timer_in(150 + switches % 7 * 20);
    return tasks[now];
}

static NOINLINE void pause_task(void)
{
    __asm__ volatile("ecall" ::: "memory");
}

static NOINLINE int leaf(int n)
{
    work(n % 11);
    return n & 1 ? leaf(n / 2) + 1 : n;
}

static void worker(void)
{
    for (int i = 0;; i++) {
        sum += leaf(i);
        if (i % 5 == 0)
            pause_task();
    }
}

static void idle(void)
{
    for (;;)
        work(4);
}

static void make(int task, uintptr_t top, void (*entry)(void))
{
    uintptr_t *frame = (uintptr_t *)(top - 128);
    frame[0] = (uintptr_t)entry;
    tasks[task] = (uintptr_t)frame;
}

int main(void)
{
    make(0, TOP(one), worker);
    make(1, TOP(two), worker);
    make(2, TOP(three), idle);
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1" ::"r"(trap_entry), "r"(0x80));
    timer_in(100);
    task_start(tasks[0]);
}
