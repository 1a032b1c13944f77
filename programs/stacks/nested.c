/* A timer's handler that lets a software interrupt in, both with calls of their own */
#include "stacks.h"

static volatile int depth, most, count;

static NOINLINE void soft(void)
{
    MSIP = 0;
    work(5);
}

static NOINLINE void tick(void)
{
    MTIMECMP[1] = 0xffffffff;
    MSIP = 1;
    __asm__ volatile("csrsi mstatus, 8");
    work(20);
    __asm__ volatile("csrci mstatus, 8");
    timer_in(100 + count % 13 * 7);
}

__attribute__((interrupt("machine"), aligned(4))) static void handler(void)
{
    uint32_t cause, epc, status;
    __asm__ volatile("csrr %0, mcause\n csrr %1, mepc\n csrr %2, mstatus" : "=r"(cause), "=r"(epc), "=r"(status));
    if (++depth > most)
        most = depth;
    count++;
    if ((cause & 0xff) == 7)
        tick();
    else
        soft();
    depth--;
    __asm__ volatile("csrw mepc, %0\n csrw mstatus, %1" ::"r"(epc), "r"(status));
}

static NOINLINE int fact(int n)
{
    work(2);
    return n < 2 ? 1 : n * fact(n - 1) + (n & 1);
}

int main(void)
{
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1" ::"r"(handler), "r"(0x88));
    timer_in(50);
    __asm__ volatile("csrsi mstatus, 8");
    for (int i = 0; i < 100; i++)
        sum += fact(i % 12);
    __asm__ volatile("csrci mstatus, 8");
    return most == 2 ? 0 : 1;
}
