/* What the programs share */
#include <stdint.h>

#define NOINLINE __attribute__((noinline, noclone))

/* A lock of one word: an atomic exchange takes it, a store releases it. */
__attribute__((unused)) static NOINLINE void lock(int *l)
{
    while (__atomic_exchange_n(l, 1, __ATOMIC_ACQUIRE))
        ;
}

__attribute__((unused)) static NOINLINE void unlock(int *l)
{
    __atomic_store_n(l, 0, __ATOMIC_RELEASE);
}

/* All of `harts` harts meet: the last one to come opens the next phase. */
struct barrier {
    int arrived, phase;
};

__attribute__((unused)) static NOINLINE void meet(struct barrier *b, int harts)
{
    int phase = __atomic_load_n(&b->phase, __ATOMIC_ACQUIRE);
    if (__atomic_add_fetch(&b->arrived, 1, __ATOMIC_ACQ_REL) == harts) {
        b->arrived = 0;
        __atomic_store_n(&b->phase, phase + 1, __ATOMIC_RELEASE);
    } else {
        while (__atomic_load_n(&b->phase, __ATOMIC_ACQUIRE) == phase)
            ;
    }
}
