/* Four harts share data: with locks, a barrier, a message and atomics, or, with `RACE`, with mistakes in three places */
#include "faults.h"

#define HARTS 4

static int guard, counter, table[HARTS], message, ready, total, fill, unguarded;
static struct barrier all;

static NOINLINE void add(int n)
{
    lock(&guard);
    counter += n;
    unlock(&guard);
}

/* the mistake: an update without the lock, on a path that is seldom taken */
static NOINLINE void add_fast(int n)
{
#ifdef RACE
    if (n == 7) {
        counter += n;
        return;
    }
#endif
    add(n);
}

/* each hart has its entry, and reads all after a barrier */
static NOINLINE int exchange(int hart)
{
    table[hart] = hart * 10;
    meet(&all, HARTS);
    int sum = 0;
    for (int i = 0; i < HARTS; i++)
        sum += table[i];
#ifndef RACE
    /* the mistake: nobody waits for those that still read */
    meet(&all, HARTS);
#endif
    table[hart] = sum;
    return sum;
}

/* a message, and a flag that says that it is there */
static NOINLINE void publish(int value)
{
    message = value;
#ifdef RACE
    *(volatile int *)&ready = 1;
#else
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#endif
}

static NOINLINE int receive(void)
{
#ifdef RACE
    while (!*(volatile int *)&ready)
        ;
#else
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        ;
#endif
    return message;
}

/* fences around relaxed atomics order what comes before and after them */
static NOINLINE void pass(int hart)
{
    static int turn;
    while (1) {
        int now = __atomic_fetch_add(&turn, 0, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (now == hart)
            break;
    }
    fill += hart;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
}

int main(int hart)
{
    for (int i = 0; i < 20; i++)
        add_fast(i);
    int sum = exchange(hart);
    meet(&all, HARTS);
    if (hart == 0)
        publish(sum);
    else
        sum = receive();
    __atomic_fetch_add(&total, sum, __ATOMIC_RELAXED);
    pass(hart);
    /* bytes of one word are not shared */
    ((volatile char *)&unguarded)[hart] = hart;
    meet(&all, HARTS);
    return 0;
}
