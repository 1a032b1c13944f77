/* Coroutines made of setjmp and longjmp alone: nothing returns to where it was called */
#include "stacks.h"

STACK(ping);
STACK(pong);
static struct context boss, ping, pong;
static int turns;

static NOINLINE void to(struct context *from, const struct context *next)
{
    if (save_context(from) == 0)
        restore_context(next, 1);
}

static NOINLINE void inner(struct context *from, const struct context *next, int n)
{
    work(n);
    to(from, next);
    work(1);
}

static void pinger(void)
{
    for (;;) {
        inner(&ping, &pong, 3);
        if (++turns > 60)
            to(&ping, &boss);
    }
}

static void ponger(void)
{
    for (;;) {
        work(2);
        inner(&pong, &ping, 5);
    }
}

int main(void)
{
    ping = (struct context){ .ra = (uintptr_t)pinger, .sp = TOP(ping) };
    pong = (struct context){ .ra = (uintptr_t)ponger, .sp = TOP(pong) };
    to(&boss, &ping);
    work(20);
    return 0;
}
