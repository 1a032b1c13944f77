/* Two coroutines of one function that wait at the same place, and one of another, on stacks of their own */
#include "stacks.h"

STACK(a);
STACK(b);
STACK(c);
static struct context boss, each[3];
static int now;

static NOINLINE void yield(void)
{
    switch_context(&each[now], &boss);
}

static NOINLINE void step(int n)
{
    work(n);
    if (n > 4)
        yield();
    work(1);
}

static void counter(void)
{
    for (int i = 1;; i++) {
        step(4 + now + i % 5);
        yield();
    }
}

static void walker(void)
{
    for (;;) {
        work(2);
        step(9);
    }
}

static NOINLINE void resume(int which)
{
    now = which;
    switch_context(&boss, &each[which]);
}

int main(void)
{
    each[0] = (struct context){ .ra = (uintptr_t)counter, .sp = TOP(a) };
    each[1] = (struct context){ .ra = (uintptr_t)counter, .sp = TOP(b) };
    each[2] = (struct context){ .ra = (uintptr_t)walker, .sp = TOP(c) };
    for (int i = 0; i < 200; i++) {
        resume((i * 7 + i / 5) % 3);
        work(3);
    }
    return 0;
}
